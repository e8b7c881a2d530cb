"""What goes on behind results: scores are folded into counts, seasons begin, end and go into the archive."""

from typing import Final

from gouji.scoring.board_store import Boards
from gouji.scoring.season_store import Seasons
from gouji.scoring.seasons import Schedule
from gouji.serving.app import App
from gouji.serving.clock import microseconds

FOLD_SECONDS: Final = 1.0
"""How often it is looked for scores to fold."""

SEASON_SECONDS: Final = 10.0
"""How often it is looked for seasons that begin, or that are to be archived."""


class Upkeep:
    """Runs for ever; of several processes each may do any of it at any moment."""

    def __init__(self, app: App, schedule: Schedule) -> None:
        self._seasons = Seasons(app.database, schedule)
        self._boards = Boards(app.database, schedule)
        self._grace = app.settings.season_grace_seconds * 1_000_000
        self._clock = app.clock
        self._log = app.log

    async def fold(self) -> None:
        """Fold scores into counts, over and over."""
        while True:
            while await self._boards.fold():
                pass
            await self._clock.sleep(FOLD_SECONDS)

    async def turn_seasons(self) -> None:
        """Begin seasons and archive them, over and over."""
        while True:
            await self.turn()
            await self._clock.sleep(SEASON_SECONDS)

    async def turn(self) -> None:
        """Begin the season that is due, and archive what is final, a board at a time: a crash costs one of them."""
        now = microseconds(self._clock.now())
        await self._seasons.begin(now)
        await self._seasons.make_final(now, self._grace)
        for board_id in await self._boards.due():
            if await self._boards.archive(board_id):
                self._log.info("board_archived", board=board_id)
