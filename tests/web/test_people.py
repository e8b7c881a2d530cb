"""Two people in two browsers: a room, tribute and return, talk."""

from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import expect

from .conftest import long
from .table import Desk

pytestmark = [pytest.mark.browser, long]


def test_two_people_and_four_bots_play_in_a_room_with_tribute_and_return(desk: Callable[..., Desk]) -> None:
    ann, ben = desk("Ann"), desk("Ben", 360, 640)
    for each in (ann, ben):
        each.enter()
    ann.page.locator("[data-start=room]").click()
    expect(ann.page.locator(".seats")).to_be_visible()
    settle(ann)
    code = ann.page.locator("[data-code]").get_attribute("data-code")
    assert code
    ben.page.get_by_label("Room code").fill(code)
    ben.page.get_by_role("button", name="Come in").click()
    expect(ann.page.locator("[data-seat='1']")).to_contain_text("Ben")
    ann.page.locator("[data-start=match]").click()
    for each in (ann, ben):
        each.at_table()
    say_hello(ben, ann)
    asked = play_until(TRIBUTE, ann, ben)
    assert asked >= TRIBUTE


TRIBUTE: Final = {"PAY", "RETURN"}
"""Questions of a tribute: the last of a hand pays, and whoever was among its first gives back."""


def settle(host: Desk) -> None:
    """Have everybody play alone, with tribute, for two hands or more, against weak and fast bots."""
    page = host.page
    rules = page.get_by_label("Rules", exact=True)
    rules.select_option("free_for_all")
    expect(rules).to_have_value("free_for_all")
    for choice in ("3 hands", "Beginner", "Fast"):
        page.get_by_label(choice, exact=True).click()
        expect(page.get_by_label(choice, exact=True)).to_be_checked()


def say_hello(speaker: Desk, listener: Desk) -> None:
    """What one says is seen beside its seat by the other."""
    speaker.page.locator("[data-panel=chat]").click()
    speaker.page.get_by_role("button", name="Hello, everybody.").click()
    expect(listener.page.locator(".speech")).to_have_text("Hello, everybody.")
    speaker.page.locator(".side .icon-button").first.click()


def play_until(wanted: set[str], well: Desk, badly: Desk) -> set[str]:
    """Play, one as suggested and one passing, until these questions were asked, or the match is over.

    Gives the questions that had a dialogue of their own.
    """
    asked: set[str] = set()
    while not (wanted <= asked or (well.over and badly.over)):
        for each in (well, badly):
            turn = each.asked_now()
            if not turn:
                continue
            question = each.dialogue
            if question:
                asked.add(question)
                if question == "RETURN":
                    assert each.page.locator(".ask [data-verb=return]").is_enabled(), "the default is chosen"
            each.answer(declining=each is badly)
            each.leaves(turn)
        well.page.wait_for_timeout(30)  # two browsers have no event in common
    return asked
