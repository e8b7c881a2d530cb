"""One namespace over three roots, and who may import whom: what docs/architecture.md says of packages."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOTS = [ROOT / "protos/gen", ROOT / "engine", ROOT / "services"]

SHARED = {"engine", "v1", "wire", "serving"}
MAY_IMPORT = {
    "engine": set(),
    "players": {"engine"},
    "arena": {"engine", "players"},
    "zoo": {"engine"},
    "v1": set(),
    "wire": {"engine", "v1"},
    "migrations": {"serving"},
    "serving": {"engine", "migrations", "v1", "wire"},
    "client": {"engine", "v1", "wire"},
    "fleet": {"serving"},
    "load": {"engine", "v1", "wire", "client", "fleet", "serving"},
    "gateway": SHARED,
    "matchmaking": SHARED,
    "table": SHARED,
    "bot": {*SHARED, "players"},
    "scoring": SHARED,
    "tournament": SHARED,
    "cli": {
        *SHARED,
        "players",
        "arena",
        "client",
        "fleet",
        "load",
        "gateway",
        "matchmaking",
        "table",
        "bot",
        "scoring",
        "tournament",
        "migrations",
    },
}
"""Every package under `gouji`, and which others it may import: services meet through `gouji.v1` alone."""

PURE = {
    "gouji.fleet.layout",
    "gouji.load.book",
    "gouji.load.checks",
    "gouji.table.account",
    "gouji.table.asking",
    "gouji.table.company",
    "gouji.table.devices",
    "gouji.table.bodies",
    "gouji.table.collecting",
    "gouji.table.deals",
    "gouji.table.past",
    "gouji.table.phrases",
    "gouji.table.presence",
    "gouji.table.projection",
    "gouji.table.records",
    "gouji.table.state",
    "gouji.table.table",
    "gouji.table.timing",
    "gouji.table.window",
    "gouji.matchmaking.policy",
    "gouji.matchmaking.ready",
    "gouji.matchmaking.pots",
    "gouji.matchmaking.shares",
    "gouji.matchmaking.teams",
    "gouji.scoring.anew",
    "gouji.scoring.events",
    "gouji.scoring.boards",
    "gouji.scoring.ledger",
    "gouji.scoring.rating",
    "gouji.scoring.seasons",
    "gouji.tournament.chance",
    "gouji.tournament.companies",
    "gouji.tournament.course",
    "gouji.tournament.decisions",
    "gouji.tournament.lineups",
    "gouji.tournament.matchpoints",
    "gouji.tournament.messages",
    "gouji.tournament.names",
    "gouji.tournament.pairing",
    "gouji.tournament.refusals",
    "gouji.tournament.scores",
    "gouji.tournament.standings",
    "gouji.tournament.tournament",
}
"""The functional core: decides on what it is handed, without I/O."""

PURE_MAY_IMPORT = {"engine", "v1", "wire"}
PURE_LIBRARIES = {"google", "networkx", "openskill"}

# Alembic runs this file itself, with its context set up; nothing imports it.
NOT_IMPORTED = {"gouji.migrations.env"}


PACKAGES = sorted(path for root in ROOTS for path in (root / "gouji").iterdir() if path.is_dir())
MODULES = {
    ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path
    for root in ROOTS
    for path in sorted((root / "gouji").rglob("*.py"))
}


def imports(path: Path) -> set[str]:
    """Modules that a file names in its import statements, wherever they stand."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name if name in MODULES else name.rpartition(".")[0] or name for name in found}


def ours(names: set[str]) -> set[str]:
    """The packages under `gouji` among imported modules."""
    return {name.split(".")[1] for name in names if name.startswith("gouji.")}


def test_gouji_is_a_namespace_that_no_root_owns() -> None:
    assert not [root for root in ROOTS if (root / "gouji/__init__.py").exists()]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_a_package_is_typed_says_what_it_is_for_and_states_what_it_imports(package: Path) -> None:
    assert (package / "py.typed").exists()
    assert package.name in MAY_IMPORT
    if package.name != "v1":
        assert ast.get_docstring(ast.parse((package / "__init__.py").read_text()))


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_what_its_package_may(name: str) -> None:
    package = name.split(".")[1]
    assert ours(imports(MODULES[name])) <= MAY_IMPORT[package] | {package}


@pytest.mark.parametrize("name", sorted(PURE))
def test_a_pure_module_imports_rules_messages_and_the_standard_library_alone(name: str) -> None:
    found = imports(MODULES[name])
    assert ours(found - PURE) <= PURE_MAY_IMPORT
    others = {module.split(".")[0] for module in found} - {"gouji"}
    assert others <= (set(sys.stdlib_module_names) - {"asyncio", "socket", "sqlite3"}) | PURE_LIBRARIES


BLOCKED = """
import importlib, sys

OPENS = {"socket.__new__", "socket.connect", "socket.bind", "sqlite3.connect", "subprocess.Popen"}

def refuse(event, args):
    written = event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+")
    if written or event in OPENS:
        raise PermissionError(f"{event} at import")

sys.dont_write_bytecode = True
sys.addaudithook(refuse)
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def import_blocked(names: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Import modules in a process of its own in which opening anything raises."""
    command = [sys.executable, "-c", BLOCKED, *names]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_importing_any_module_opens_nothing(tmp_path: Path) -> None:
    names = [name for name in MODULES if name not in NOT_IMPORTED and not name.endswith("__main__")]
    ran = import_blocked(names, tmp_path)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    "line", ["import socket; socket.socket()", "import sqlite3; sqlite3.connect('x')", "open('x', 'w')"]
)
def test_a_module_that_opens_something_is_caught(line: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(line)
    assert "at import" in import_blocked(["planted"], tmp_path).stderr
