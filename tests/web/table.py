"""Somebody before a browser: comes in, sits down, plays with what the page offers, and by that alone."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as TooLate

ASKED: Final = "main.table:not([data-turn='']), .result-match"
"""What there is when the person must do something, or the match is over."""

DECLINES: Final = ".bar-buttons [data-verb=pass], .bar-buttons [data-verb=close]"

PATIENCE_MS: Final = 3_000
"""How long to try to press a button whose question may be over."""

AXE: Final = Path(__file__).parents[2] / "web/node_modules/axe-core/axe.min.js"
AXE_TAGS: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


class Desk:
    """One browser's page, and who sits before it. ``faults`` are errors that the page met."""

    def __init__(self, page: Page, address: str, name: str) -> None:
        self.page = page
        self.address = address
        self.name = name
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(str(error)))

    def enter(self) -> None:
        """Come in as a guest."""
        self.page.goto(self.address)
        self.page.get_by_label("Your name").fill(self.name)
        self.page.get_by_role("button", name="Come in").click()
        expect(self.page.get_by_role("heading", name=f"Hello, {self.name}")).to_be_visible()

    def quick_game(self, preset: str = "standard", pace: str = "Fast") -> None:
        """Sit down with five bots that think fast."""
        self.page.get_by_label("Rules", exact=True).select_option(preset)
        self.page.get_by_label(pace, exact=True).check()
        self.page.locator("[data-start=quick]").click()
        self.at_table()

    def at_table(self) -> None:
        """Wait until the cards are dealt."""
        expect(self.page.locator(".hand .column").first).to_be_visible()

    @property
    def table_id(self) -> str:
        """The table that the page is at."""
        found = re.search(r"#/table/([^/?]+)", self.page.url)
        assert found
        return found[1]

    @property
    def over(self) -> bool:
        """The match is over."""
        return self.page.locator(".result-match").is_visible()

    def wait(self) -> str:
        """Wait until one is asked; gives the turn, or nothing when the match is over."""
        self.page.locator(ASKED).first.wait_for(timeout=90_000)
        return "" if self.over else self.page.locator("main.table").get_attribute("data-turn") or ""

    def move(self) -> None:
        """Answer the question that stands: the first suggestion, or no thanks."""
        turn = self.wait()
        if not turn:
            return
        self.answer()
        self.leaves(turn)

    def leaves(self, turn: str) -> None:
        """Wait until a turn stands no longer."""
        self.page.locator(f"main.table:not([data-turn='{turn}']), .result-match").first.wait_for()

    def asked_now(self) -> str:
        """Give the turn that asks one at this moment, if one does."""
        return "" if self.over else self.page.locator("main.table").get_attribute("data-turn") or ""

    @property
    def dialogue(self) -> str:
        """The question that stands in a dialogue of its own, if one does."""
        found = self.page.locator(".ask")
        return found.get_attribute("data-question") or "" if found.count() else ""

    def answer(self, *, declining: bool = False) -> None:
        """Do the first thing that is suggested, or decline if one may.

        A private question may be over before it is answered: then there is nothing to answer.
        """
        turn = self.asked_now()
        try:
            self._declines() if declining else self._does_first()
        except TooLate:
            assert self.asked_now() != turn

    def _does_first(self) -> None:
        dialogue = self.page.locator(".ask")
        if dialogue.count():
            dialogue.locator("button:enabled").first.click(timeout=PATIENCE_MS)
            return
        self.page.locator("[data-verb=hint]").click(timeout=PATIENCE_MS)
        play = self.page.locator("[data-verb=play][aria-disabled=false]")
        if play.count():
            play.click(timeout=PATIENCE_MS)
        else:
            self.page.locator(DECLINES).first.click(timeout=PATIENCE_MS)

    def _declines(self) -> None:
        button = self.page.locator(DECLINES)
        if button.count():
            button.first.click(timeout=PATIENCE_MS)
        else:
            self._does_first()

    def play_to_the_end(self, before_move: Callable[[], Any] = lambda: None) -> None:
        """Play until the match is over."""
        while not self.over:
            before_move()
            self.move()

    def faults_of_axe(self) -> list[str]:
        """What axe finds that is serious."""
        self.page.evaluate(AXE.read_text())
        run = "async (tags) => (await axe.run(document, { runOnly: tags })).violations"
        found = self.page.evaluate(run, AXE_TAGS)
        return [
            f"{fault['id']}: {fault['nodes'][0]['target']} {fault['nodes'][0]['failureSummary']}"
            for fault in found
            if fault["impact"] in ("serious", "critical")
        ]
