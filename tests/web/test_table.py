"""The table's page in a real browser, against a real server."""

import asyncio
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from gouji.client import Session, TableClient
from gouji.players.why import SENTENCES
from gouji.v1.events_pb2 import DealtHand, HandEnded

from .conftest import long
from .proxy import Network
from .table import Desk

pytestmark = pytest.mark.browser

SIZES = [(360, 640), (844, 390), (1280, 800)]
SIZE_IDS = [f"{width}x{height}" for width, height in SIZES]

APART = (Path(__file__).parent / "apart.js").read_text()
"""Finds what lies over something else, or outside of the page."""


@pytest.fixture
def seated(desk: Callable[..., Desk]) -> Callable[..., Desk]:
    """Come in and sit down with five bots."""

    def sit(*size: int, **how: Any) -> Desk:
        made = desk("Ann", *size, **how)
        made.enter()
        made.quick_game()
        return made

    return sit


def held(page: Page) -> list[str | None]:
    """What the hand says that it holds, rank by rank."""
    return [column.get_attribute("aria-label") for column in page.locator(".column").all()]


@pytest.mark.parametrize("size", [SIZES[0], *(pytest.param(size, marks=long) for size in SIZES[1:])], ids=SIZE_IDS)
def test_nothing_overlaps_and_axe_finds_no_serious_fault(seated: Callable[..., Desk], size: tuple[int, int]) -> None:
    ann = seated(*size)
    ann.wait()
    assert ann.page.evaluate(APART) == []
    faults = {"table": ann.faults_of_axe()}
    for panel in ("counter", "log", "chat"):
        ann.page.locator(f"[data-panel={panel}]").click()
        expect(ann.page.locator(f".side[data-open={panel}]")).to_be_visible()
        faults[panel] = ann.faults_of_axe()
        ann.page.locator(".side .icon-button").first.click()
    assert {where: found for where, found in faults.items() if found} == {}
    for _ in range(4):
        ann.move()
        if not ann.wait():
            break
        assert ann.page.evaluate(APART) == []


def test_axe_finds_no_serious_fault_on_the_other_screens(page: Page, desk: Callable[..., Desk], door: str) -> None:
    ann = Desk(page, door, "Ann")
    faults = {}
    for path in ("", "learn", "board", "rules/qingdao", "me", "settings", "replay"):
        page.goto(f"{door}/#/{path}")
        expect(page.locator("main :is(h1, h2)").first).to_be_visible()
        faults[path] = ann.faults_of_axe()
    page.goto(f"{door}/#/")
    page.locator("[data-start=room]").click()
    expect(page.locator(".seats")).to_be_visible()
    faults["room"] = ann.faults_of_axe()
    assert {where: found for where, found in faults.items() if found} == {}


def test_it_is_played_by_keyboard_alone(desk: Callable[..., Desk]) -> None:
    ann = desk("Ann")
    keys = ann.page.keyboard
    ann.page.goto(ann.address)
    tab_to(ann.page, "#name")
    keys.type("Ann")
    keys.press("Enter")
    tab_to(ann.page, "input[value=normal]")
    keys.press("ArrowRight")
    tab_to(ann.page, "[data-start=quick]")
    keys.press("Enter")
    ann.at_table()
    for _ in range(2):
        turn = ann.wait()
        keys.press("h")
        keys.press("Enter" if ann.page.locator("[data-verb=play][aria-disabled=false]").count() else "p")
        ann.leaves(turn)
    keys.press("c")
    expect(ann.page.locator(".side[data-open=counter]")).to_be_visible()
    keys.press("c")
    expect(ann.page.locator(".side")).to_have_count(0)
    tab_to(ann.page, ".column")
    keys.press("ArrowUp")
    expect(ann.page.locator(".column").first).to_have_attribute("aria-valuenow", "1")
    keys.press("Escape")
    expect(ann.page.locator(".column").first).to_have_attribute("aria-valuenow", "0")


def tab_to(page: Page, selector: str) -> None:
    """Go on with Tab until the focus is on an element."""
    page.locator(selector).first.wait_for()
    for _ in range(60):
        if page.evaluate(f"document.activeElement?.matches({selector!r})"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {selector}")


def test_a_reload_in_the_middle_of_a_turn_comes_back_to_it(seated: Callable[..., Desk]) -> None:
    ann = seated()
    turn, cards = ann.wait(), held(ann.page)
    why_it_is_grey(ann.page)
    ann.page.reload()
    ann.at_table()
    assert ann.wait() == turn
    assert held(ann.page) == cards
    ann.move()


def test_to_who_wants_hints_the_first_says_what_a_good_bot_would_do_and_why(desk: Callable[..., Desk]) -> None:
    ann = desk("Ann")
    ann.enter()
    ann.page.goto(f"{ann.address}/#/settings")
    ann.page.get_by_text("Hints at the table").click()
    ann.page.goto(f"{ann.address}/#/")
    ann.quick_game()
    while ann.wait() and ann.dialogue:
        ann.move()
    hint, question = ann.page.locator("[data-verb=hint]"), ann.page.locator(".question")
    hint.click()
    expect(question).to_have_text(re.compile("|".join(re.escape(one.english) for one in SENTENCES.values())))
    hint.click()
    expect(question).to_have_text(re.compile("Suggestion 1 of|Nothing that you hold"))


def why_it_is_grey(page: Page) -> None:
    """Choose two ranks at once: the table says why they cannot be played."""
    columns = page.locator(".column")
    columns.nth(columns.count() - 1).focus()
    page.keyboard.press(" ")
    columns.nth(columns.count() - 2).focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator("[data-verb=play]")).to_have_attribute("aria-disabled", "true")
    said = re.compile("not one play|Not as many|just as many|not beat|Nothing that you hold|last of all|all your fours")
    expect(page.locator("#why-not")).to_have_text(said)


@pytest.fixture
def network(door: str) -> Iterator[Network]:
    made = Network(int(door.rpartition(":")[2]))
    yield made
    made.close()


def test_a_quick_game_is_played_to_its_end_by_clicks_replayed_and_remembered(
    desk: Callable[..., Desk], network: Network, door: str
) -> None:
    ann = desk("Ann", address=f"http://127.0.0.1:{network.port}")
    ann.enter()
    ann.quick_game(pace="At once")
    table_id = ann.table_id
    ann.move()
    ann.wait()
    ann.page.reload()
    ann.at_table()
    ann.play_to_the_end()
    expect(ann.page.locator(".places tr")).to_have_count(7)
    expect(ann.page.get_by_text("The deal was checked")).to_be_visible()
    hidden_stayed_hidden(bytes(network.brought), hand_ended(door, table_id))
    ann.page.get_by_role("button", name="See the replay").click()
    steps_through(ann.page)
    looks_back(ann, table_id)


FORGET: Final = "for (const key of Object.keys(localStorage)) if (key !== 'gouji.player') delete localStorage[key]"


def hand_ended(door: str, table_id: str) -> HandEnded:
    """What the first hand of a table reveals at its end, as somebody else is told."""

    async def watched() -> HandEnded:
        async with await Session.open(door.removeprefix("http://"), "Eve") as session:
            async for event in TableClient(session, table_id).watch():
                if event.WhichOneof("body") == "hand_ended":
                    return event.hand_ended
        raise AssertionError("no hand has ended")

    # The browser's loop runs in this thread.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, watched()).result()


RUN: Final = 12
"""So many cards side by side in a sorted hand are that hand's alone, and more than anybody plays at once."""


def hidden_stayed_hidden(brought: bytes, ended: HandEnded) -> None:
    """Before the hand's end the browser was sent its own cards, and in no byte another's."""
    before, _, after = brought.partition(ended.secret)
    found = [[any(run in part for run in runs(hand)) for hand in ended.hands] for part in (before, after)]
    assert found == [[True] + [False] * 5, [True] * 6]


def runs(hand: DealtHand) -> list[bytes]:
    """All runs of cards in a hand, as they are written in every message that has cards."""
    cards = hand.cards
    return [DealtHand(cards=cards[at : at + RUN]).SerializeToString() for at in range(len(cards) - RUN + 1)]


def looks_back(ann: Desk, table_id: str) -> None:
    """Find the match in the profile, lose it by a filter, and open its replay from there."""
    page = ann.page
    # As on another device: nothing but the token tells this browser what was played.
    page.evaluate(FORGET)
    page.goto(f"{ann.address}/#/me")
    match = page.locator(f"[data-match='{table_id}']")
    expect(match).to_contain_text("with 5 bots")
    expect(page.locator(".totals div", has_text="Matches")).to_contain_text("1")
    assert ann.faults_of_axe() == []
    page.get_by_label("Rules", exact=True).select_option("japan")
    expect(match).to_have_count(0)
    expect(page.get_by_text("No hand finished yet.")).to_be_visible()
    page.get_by_label("Rules", exact=True).select_option("")
    match.get_by_role("button", name="Replay").click()
    expect(page.locator(".replay")).to_be_visible()


def steps_through(page: Page) -> None:
    """Step through a replay: on, back, trick by trick, to the end with all hands open."""
    replay = page.locator(".replay")
    expect(page.locator(".open-hands li")).to_have_count(6)
    at = int(replay.get_attribute("data-step") or -1)
    page.locator("[data-control=next]").click()
    expect(replay).to_have_attribute("data-step", str(at + 1))
    page.keyboard.press("ArrowLeft")
    expect(replay).to_have_attribute("data-step", str(at))
    page.locator("[data-control=last]").click()
    expect(replay).not_to_have_attribute("data-step", str(at))
    slider = page.get_by_role("slider")
    slider.focus()
    slider.press("End")
    expect(page.get_by_role("heading", name="Hand 1")).to_be_visible()
    assert page.locator(".open-hands li strong small").all_inner_texts().count("0") >= 3


@long
def test_a_network_that_was_cut_is_shown_and_got_over(desk: Callable[..., Desk], network: Network) -> None:
    ann = desk("Ann", address=f"http://127.0.0.1:{network.port}")
    ann.enter()
    ann.quick_game()
    ann.wait()
    network.cut()
    expect(ann.page.locator("[data-banner=broken]")).to_be_visible()
    ann.page.wait_for_timeout(10_000)  # the cut itself, which has a length and no event
    network.mend()
    expect(ann.page.locator("main.table")).to_have_attribute("data-link", "live")
    expect(ann.page.locator("[data-banner=broken]")).to_have_count(0)
    ann.move()
