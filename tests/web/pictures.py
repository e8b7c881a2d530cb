"""Make the pictures of the documentation by playing: `make pictures`.

``python -m tests.web.pictures`` writes docs/screenshots; it needs a Chinese font (Debian's fonts-wqy-microhei).
Whatever overlaps in a table that is taken stops it.
"""

import io
import shutil
import tempfile
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from .conftest import running_door
from .table import Desk
from .test_admin import show_pass
from .test_table import APART, SIZES

PLACE: Final = Path(__file__).parents[2] / "docs/screenshots"
MOST_BYTES: Final = 150_000
COLOURS: Final = (256, 192, 128, 96, 64)
GAMES: Final = 10
"""So many are begun until the hand comes to what is wanted."""


def main() -> None:
    """Take all pictures."""
    program = shutil.which("chromium")
    PLACE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running_door(Path(folder)) as door, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        full_hand(sits_down(browser, door))
        last_card(sits_down(browser, door))
        return_of_tribute(sits_down(browser, door))
        replay_and_profile(sits_down(browser, door))
        admin(browser, door, Path(folder))
        browser.close()


def sits_down(browser: Browser, door: str) -> Desk:
    """Somebody who has come in."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en", reduced_motion="reduce")
    context.set_default_timeout(20_000)
    desk = Desk(context.new_page(), door, "Ann")
    desk.enter()
    return desk


def full_hand(desk: Desk) -> None:
    """The lobby, in both languages, and the table with 36 cards in hand, a suggestion chosen."""
    page = desk.page
    keep(page, "lobby")
    page.get_by_role("button", name="中文").click()
    expect(page.locator(".places-nav")).to_contain_text("规则")
    keep(page, "lobby-zh")
    page.get_by_role("button", name="English").click()
    desk.quick_game()
    desk.wait()
    page.locator("[data-verb=hint]").click()
    tables(page, "table")


def last_card(desk: Desk) -> None:
    """The table with one card in hand."""
    for _ in range(GAMES):
        desk.page.goto(f"{desk.address}/#/")
        desk.page.get_by_label("Beginner", exact=True).check()
        desk.quick_game(pace="At once")
        while held(desk.page) > 1 and desk.wait():
            plays_all_but_one(desk)
        if held(desk.page) == 1 and not desk.over:
            tables(desk.page, "table-last")
            return
    raise SystemExit("no hand came to one card")


def held(page: Page) -> int:
    """How many cards one holds."""
    return sum(int(column.get_attribute("aria-valuemax") or 0) for column in page.locator(".column").all())


def plays_all_but_one(desk: Desk) -> None:
    """Answer as suggested, but keep one card."""
    page, turn = desk.page, desk.asked_now()
    if not desk.dialogue:
        page.locator("[data-verb=hint]").click()
        columns = page.locator(".column").all()
        if sum(int(column.get_attribute("aria-valuenow") or 0) for column in columns) == held(page):
            columns[-1].press("ArrowDown")
        play = page.locator("[data-verb=play][aria-disabled=false]")
        (play if play.count() else page.locator(".bar-buttons [data-verb]").first).click()
    else:
        desk.answer()
    desk.leaves(turn)


def return_of_tribute(desk: Desk) -> None:
    """The dialogue by which the first give back what they were paid, or the last pay."""
    page = desk.page
    for _ in range(GAMES):
        page.goto(f"{desk.address}/#/")
        for choice in ("3 hands", "Beginner"):
            page.get_by_label(choice, exact=True).check()
        desk.quick_game("free_for_all", "At once")
        while desk.wait():
            if desk.dialogue in ("PAY", "RETURN"):
                tables(page, "tribute")
                return
            desk.move()
    raise SystemExit("no hand came to a tribute")


def replay_and_profile(desk: Desk) -> None:
    """A match that is over, in the middle of it; and what the profile then says."""
    page = desk.page
    desk.quick_game(pace="At once")
    desk.play_to_the_end()
    page.get_by_role("button", name="See the replay").click()
    slider = page.get_by_role("slider")
    slider.fill("60")
    page.evaluate("scrollTo(0, 0)")
    keep(page, "replay")
    page.goto(f"{desk.address}/#/me")
    expect(page.locator("[data-match]")).to_have_count(1)
    keep(page, "profile", whole=True)


def admin(browser: Browser, door: str, folder: Path) -> None:
    """A table that is being played, as an operator sees it."""
    player = sits_down(browser, door)
    player.quick_game()
    page = sits_down(browser, door).page
    page.goto(f"{door}/#/admin")
    show_pass(page, "operator", "Olga", folder)
    page.goto(f"{door}/#/admin/table/{player.table_id}")
    expect(page.get_by_role("link", name="Ann")).to_be_visible()
    page.wait_for_load_state("networkidle")
    keep(page, "admin", whole=True)


def tables(page: Page, name: str) -> None:
    """Keep the table in all sizes; nothing may lie over something else."""
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        # What has moved is where it belongs after two frames.
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        keep(page, f"{name}-{width}x{height}")
        if faults := page.evaluate(APART):
            raise SystemExit(f"{name} at {width} x {height}: {faults}")


def keep(page: Page, name: str, *, whole: bool = False) -> None:
    """Write what is seen, or the whole page, with as many colours as fit into a small file."""
    picture = Image.open(io.BytesIO(page.screenshot(full_page=whole))).convert("RGB")
    for colours in COLOURS:
        file = PLACE / f"{name}.png"
        # The method that keeps rare colours: a team's and a suit's are a few dots of a sea of blue.
        kept = picture.quantize(colours, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        kept.save(file, optimize=True)
        if file.stat().st_size <= MOST_BYTES:
            return
    raise SystemExit(f"{name} does not fit into {MOST_BYTES} bytes")


if __name__ == "__main__":
    main()
