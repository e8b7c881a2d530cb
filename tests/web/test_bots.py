"""The bots that the documentation shows play a hand, each in its language."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import grpc_tools
import pytest

from .conftest import long

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
OVER = re.compile(r"over: ?(?:-?\d+[, ]?){6}\n")
LIMIT = 100


@long
def test_the_bot_in_typescript_plays_a_hand(door: str) -> None:
    if not (ROOT / "web/sdk/dist/index.js").exists():
        pytest.skip("needs the built SDK: `make web`")
    beside = Path(sys.executable).with_name("node")
    node = str(beside) if beside.exists() else shutil.which("node")
    assert node
    assert OVER.fullmatch(written(node, ROOT / "web/sdk/examples/bot.js", door))


@long
def test_the_bot_in_python_plays_a_hand(door: str) -> None:
    assert OVER.fullmatch(written(sys.executable, ROOT / "docs/examples/bot.py", door.removeprefix("http://"), "Ann"))


def written(program: str, *arguments: object) -> str:
    """Run a program to its end; give what it wrote."""
    command = [program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT).stdout


@pytest.mark.parametrize(
    ("outputs", "files"),
    [
        (["--csharp_out=build/csharp"], "build/csharp/*.cs"),
        # One run: what two protos write to one file is found in it alone.
        (["--java_out=build/kotlin", "--kotlin_out=build/kotlin"], "build/kotlin/**/*.java"),
    ],
    ids=["csharp", "kotlin"],
)
def test_another_client_is_generated_as_the_page_says(tmp_path: Path, outputs: list[str], files: str) -> None:
    protoc = shutil.which("protoc")
    if protoc is None:
        pytest.skip("needs protoc: Debian's protobuf-compiler")
    assert f"{' '.join(outputs)} protos/gouji/v1/*.proto" in (ROOT / "docs/sdks.md").read_text()
    google = Path(grpc_tools.__file__).with_name("_proto")
    protos = sorted((ROOT / "protos/gouji/v1").glob("*.proto"))
    places = []
    for output in outputs:
        option, _, place = output.partition("=")
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        places.append(f"{option}={tmp_path / place}")
    written(protoc, f"-I{ROOT / 'protos'}", f"-I{google}", *places, *protos)
    assert len(list(tmp_path.glob(files))) == len(protos)
