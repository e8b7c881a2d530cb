"""What tests of leaderboards share: results put on boards, boards read whole, and whether their ranks are exact."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from gouji.scoring.board_store import Boards
from gouji.scoring.boards import ALL, Board, Counted, Kind
from gouji.scoring.season_store import Seasons
from gouji.scoring.seasons import Schedule
from gouji.scoring.standing_store import Found, Standings
from gouji.serving.clock import microseconds
from gouji.serving.database import Database

EVERYBODY = Board(Kind.POINTS, ALL, ALL, ALL)
"""Points of all time."""

DAY_US = 86_400_000_000


def at(*parts: int) -> int:
    """A moment in UTC, in microseconds."""
    return microseconds(datetime(*parts, tzinfo=UTC))  # type: ignore[arg-type, misc]


NOVEMBER, DECEMBER = at(2026, 11, 15), at(2026, 12, 15)


class Scorer:
    """A process that puts results on the boards of a database."""

    def __init__(self, database: Database, schedule: str = "monthly") -> None:
        self.database = database
        self.seasons = Seasons(database, Schedule.parse(schedule))
        self.boards = Boards(database, Schedule.parse(schedule))
        self._standings = Standings(database)

    async def add(
        self,
        points: Mapping[str, int],
        ended_at: int = NOVEMBER,
        *,
        preset: str = "standard",
        region: str = "eu",
        matches: int = 1,
    ) -> None:
        """Record what people made of a match."""
        async with self.database.begin() as connection:
            await self.boards.count(connection, Counted(ended_at, preset, region), points, {}, matches)

    async def rate(self, scores: Mapping[str, int | None], ended_at: int = NOVEMBER, region: str = "eu") -> None:
        """Record what a match made of ratings."""
        async with self.database.begin() as connection:
            await self.boards.count(connection, Counted(ended_at, "standard", region), {}, scores)

    async def fold(self) -> None:
        """Fold all that there is."""
        while await self.boards.fold():
            pass

    async def archive(self, now: int) -> None:
        """Make seasons final, and archive them."""
        await self.seasons.make_final(now, 0)
        for board_id in await self.boards.due():
            await self.boards.archive(board_id)

    async def page(self, board: Board = EVERYBODY) -> Found:
        """Read a board whole."""
        return await self._standings.page(board, 1000, None)

    async def scores(self, board: Board = EVERYBODY) -> dict[str, int]:
        """Read a board as players with scores."""
        return {one.player_id: one.score for one in (await self.page(board)).standings}


def ranks_by_hand(scores: Sequence[int]) -> list[int]:
    """Rank as the definition says."""
    return [1 + sum(other > score for other in scores) for score in scores]


def assert_exact(found: Found) -> None:
    """See that a whole board is in order and has the ranks that its scores make."""
    scores = [one.score for one in found.standings]
    assert scores == sorted(scores, reverse=True)
    assert [one.rank for one in found.standings] == ranks_by_hand(scores)
    assert found.players == len(scores)
