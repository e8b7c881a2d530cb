"""The pages for those who look after the game, in a real browser, beside somebody who plays."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import long
from .table import Desk

pytestmark = [pytest.mark.browser, long]

SECTIONS = ("Servers", "Tables", "Queues", "Players", "Reports", "Audit log")


def token(role: str, name: str, directory: Path) -> str:
    """A token as an operator gets one at the server."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOUJI_")}
    command = [Path(sys.executable).with_name("gouji"), "token", "--role", role, "--name", name]
    command += ["--data-directory", str(directory)]
    return subprocess.run(command, env=kept, check=True, capture_output=True, text=True).stdout.strip()


def show_pass(page: Page, role: str, name: str, directory: Path) -> None:
    """Paste a token, by keys alone."""
    page.get_by_label("Token", exact=True).fill(token(role, name, directory))
    page.get_by_label("Token", exact=True).press("Enter")
    expect(page.locator(f"[data-role={role}]")).to_contain_text(name)


def confirm(page: Page, deed: str, reason: str = "") -> None:
    """Do something that asks first."""
    page.get_by_role("button", name=deed, exact=True).first.press("Enter")
    form = page.get_by_role("form", name=deed, exact=True)
    if reason:
        form.get_by_label("Reason").fill(reason)
    form.get_by_role("button", name=f"Yes, {deed}", exact=True).press("Enter")
    expect(form).to_be_hidden()


def test_tables_are_looked_after_and_cards_opened_by_directors_alone(
    desk: Callable[..., Desk], directory: Path
) -> None:
    ann, staff = desk("Ann"), desk("Olga")
    ann.enter()
    ann.quick_game()
    page = staff.page
    page.goto(f"{staff.address}/#/admin")
    assert staff.faults_of_axe() == []
    page.get_by_label("Token", exact=True).fill("nothing")
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_role("alert")).to_contain_text("That is no token")
    show_pass(page, "moderator", "Mo", directory)
    page.goto(f"{staff.address}/#/admin/table/{ann.table_id}")
    expect(page.get_by_role("link", name="Ann")).to_be_visible()
    expect(page.get_by_role("button", name="Freeze")).to_be_disabled()
    expect(page.get_by_role("button", name="Open the cards")).to_be_disabled()
    page.get_by_role("button", name="Show the log").click()
    log = page.locator("pre.table-log")
    expect(log).to_contain_text("hand_dealt")
    (dealt,) = [line for line in (log.text_content() or "").splitlines() if '"hand_dealt"' in line]
    assert "cards" not in dealt
    show_pass(page, "operator", "Olga", directory)
    confirm(page, "Freeze", "a look")
    expect(page.locator(".facts")).to_contain_text("stopped")
    expect(ann.page.locator("main")).to_contain_text("The table stands still.")
    confirm(page, "Resume")
    expect(page.locator(".facts")).to_contain_text("live")
    show_pass(page, "director", "Dora", directory)
    page.get_by_role("button", name="Open the cards").click()
    expect(page.locator("[data-open-cards] li")).to_have_count(6)
    expect(page.locator("[data-open-cards]")).to_contain_text("Ann")
    for section in SECTIONS:
        page.get_by_role("link", name=section, exact=True).click()
        expect(page.get_by_role("link", name=section, exact=True)).to_have_attribute("aria-current", "page")
        page.wait_for_load_state("networkidle")
        assert staff.faults_of_axe() == []
    row = page.get_by_role("row").filter(has_text="Dora").first
    expect(row).to_contain_text("Watch")
    expect(row).to_contain_text(ann.table_id)


def test_a_moderator_bans_a_player_whose_page_says_so(desk: Callable[..., Desk], directory: Path) -> None:
    ann, staff = desk("Ann"), desk("Mo", 360, 640)
    ann.enter()
    ann.quick_game()
    page = staff.page
    page.goto(f"{staff.address}/#/admin")
    show_pass(page, "moderator", "Mo", directory)
    page.goto(f"{staff.address}/#/admin/table/{ann.table_id}")
    page.get_by_role("link", name="Ann").click()
    page.get_by_label("Ban", exact=True).check()
    page.get_by_label("Reason (the player is told)").fill("cheating")
    page.get_by_role("button", name="Yes, Ban").click()
    expect(page.get_by_role("status")).to_contain_text(f"It has left table {ann.table_id}.")
    expect(page.get_by_role("row").filter(has_text="cheating")).to_contain_text("banned")
    expect(ann.page.locator("main")).to_contain_text("cheating")
    ann.page.goto(ann.address)
    expect(ann.page.locator("main")).to_contain_text("You are banned for now.")
    page.get_by_label("Let in", exact=True).check()
    page.get_by_label("Reason", exact=True).fill("appeal")
    page.get_by_role("button", name="Yes, Let in").click()
    expect(page.get_by_role("row").filter(has_text="cheating")).to_have_count(0)
    ann.page.reload()
    expect(ann.page.get_by_role("heading", name="Hello, Ann")).to_be_visible()
    expect(ann.page.locator("main")).not_to_contain_text("You are banned")


def test_a_player_reports_another_from_its_seat_and_a_moderator_says_what_came_of_it(
    desk: Callable[..., Desk], directory: Path
) -> None:
    ann, ben, staff = desk("Ann", 360, 640), desk("Ben"), desk("Mo")
    for each in (ann, ben):
        each.enter()
    ann.page.locator("[data-start=room]").click()
    code = ann.page.locator("[data-code]").get_attribute("data-code")
    assert code
    ben.page.get_by_label("Room code").fill(code)
    ben.page.get_by_role("button", name="Come in").click()
    expect(ann.page.locator("[data-seat='1']")).to_contain_text("Ben")
    ann.page.locator("[data-start=match]").click()
    for each in (ann, ben):
        each.at_table()
    ann.page.get_by_role("button", name="Ben", exact=True).click()
    ann.page.get_by_role("button", name="Report this player…").press("Enter")
    assert ann.faults_of_axe() == []
    ann.page.get_by_role("button", name="Stalling", exact=True).press("Enter")
    expect(ann.page.get_by_role("status").filter(has_text="Moderators will look at it.")).to_be_visible()
    page = staff.page
    page.goto(f"{staff.address}/#/admin/reports")
    show_pass(page, "moderator", "Mo", directory)
    report = page.get_by_role("row").filter(has_text="stalling")
    expect(report).to_have_count(1)
    report.get_by_role("button", name="Close", exact=True).press("Enter")
    form = page.get_by_role("form", name="Close", exact=True)
    form.get_by_label("What came of it").fill("a word with Ben")
    form.get_by_label("What came of it").press("Enter")
    expect(report).to_have_count(0)
    page.get_by_label("Closed", exact=True).check()
    expect(page.get_by_role("row").filter(has_text="stalling")).to_contain_text("Mo: a word with Ben")
