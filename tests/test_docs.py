"""What the pages say of the code is so."""

import re
from pathlib import Path

import pytest

from gouji.serving.errors import STATUS_OF_REASON
from gouji.table.phrases import EMOTE, PHRASES, WORDS
from gouji.v1 import reasons_pb2

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("docs", "engine", "services", "loadtest", "benchmarks", "deploy")
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        ROOT / "web/sdk/README.md",
        *(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md")),
    ]
)
REASONS = [name.removeprefix("REASON_").lower() for name, number in reasons_pb2.Reason.items() if number]


def test_the_api_page_has_every_reason_in_order_with_its_status() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([A-Z_]+) \|", (ROOT / "docs/api.md").read_text(), re.MULTILINE)
    assert rows == [(reason, STATUS_OF_REASON[reason].name) for reason in REASONS]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_make_targets_that_a_page_names_exist(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:`|^)make ([a-z-]+)", page.read_text(), re.MULTILINE))
    assert named <= targets


def test_the_page_of_phrases_has_all_of_them_in_order() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \| (.+) \|$", (ROOT / "docs/phrases.md").read_text(), re.MULTILINE)
    kinds = {WORDS: "words", EMOTE: "emote"}
    assert rows == [(phrase.id, kinds[phrase.kind], phrase.english, phrase.chinese) for phrase in PHRASES]
