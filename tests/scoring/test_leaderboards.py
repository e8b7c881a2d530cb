"""Leaderboards and seasons over real gRPC, on both databases."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest

from gouji.scoring.seasons import Schedule
from gouji.scoring.service import bind
from gouji.scoring.upkeep import Upkeep
from gouji.serving.app import App, StartError
from gouji.serving.errors import refusal_of
from gouji.serving.pages import Place
from gouji.serving.schema import players
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, running_app
from gouji.v1 import leaderboard_pb2_grpc
from gouji.v1.leaderboard_pb2 import (
    LEADERBOARD_KIND_RATING,
    SEASON_STATE_ENDED,
    SEASON_STATE_FINAL,
    SEASON_STATE_OPEN,
    GetLeaderboardRequest,
    GetRankRequest,
    Leaderboard,
    LeaderboardRow,
    ListSeasonsRequest,
)

from .standing import DECEMBER, NOVEMBER, Scorer, at, ranks_by_hand

TODAY = datetime(2026, 11, 20, tzinfo=UTC)
GRACE_SECONDS = 90 * 86_400
"""Long enough that the server itself makes no season of these tests final."""


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    patient = settings.model_copy(update={"season_grace_seconds": GRACE_SECONDS})
    async with running_app(patient, {"scoring": bind}, clock=ManualClock(TODAY)) as running:
        yield running


@pytest.fixture
async def scorer(app: App) -> Scorer:
    return Scorer(app.database)


@pytest.fixture
async def boards(app: App) -> AsyncIterator[Any]:
    """A stub that calls as the player Ann."""
    token = app.tokens.mint_player("ann", "Ann").access_token
    async with grpc.aio.insecure_channel(app.address) as channel:
        yield _Stub(leaderboard_pb2_grpc.LeaderboardServiceStub(channel), token)


class _Stub:
    def __init__(self, stub: Any, token: str) -> None:
        self._stub = stub
        self._metadata = (("authorization", f"Bearer {token}"),)

    async def __call__(self, method: str, request: Any) -> Any:
        return await getattr(self._stub, method)(request, metadata=self._metadata)


async def refused(call: Any) -> tuple[str, str]:
    """Give the reason of a refusal, and the field that it names."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    told = refusal_of(caught.value)
    assert told
    return told.reason, told.metadata.get("field", "")


def told(rows: Sequence[LeaderboardRow]) -> list[tuple[int, str, int]]:
    return [(row.rank, row.player_id, row.score) for row in rows]


async def test_a_leaderboard_shows_ranks_names_and_how_many_there_are(app: App, scorer: Scorer, boards: Any) -> None:
    async with app.database.begin() as connection:
        await connection.execute(players.insert().values(player_id="ann", name="Ann", created_at=0))
    await scorer.add({"ann": 3, "bob": 5, "cid": 3, "dan": -1})
    answer = await boards("GetLeaderboard", GetLeaderboardRequest())
    assert told(answer.rows) == [(1, "bob", 5), (2, "cid", 3), (2, "ann", 3), (4, "dan", -1)]
    assert (answer.players, answer.next_page_token, answer.HasField("season")) == (4, "", False)
    assert [row.name for row in answer.rows] == ["", "", "Ann", ""]
    assert answer.rows[0].matches == 1


async def test_pages_go_on_where_the_one_before_ended_and_ties_keep_their_rank(scorer: Scorer, boards: Any) -> None:
    for start in range(4):
        await scorer.add({f"p{start}{number}": number // 3 for number in range(6)})
    rows, token = list[LeaderboardRow](), ""
    for _ in range(5):
        answer = await boards("GetLeaderboard", GetLeaderboardRequest(page_size=5, page_token=token))
        rows += answer.rows
        token = answer.next_page_token
    assert token == ""
    assert len({row.player_id for row in rows}) == 24
    assert [row.rank for row in rows] == ranks_by_hand([row.score for row in rows])


async def test_a_page_begins_after_the_score_at_which_the_last_one_ended_whatever_happens(
    scorer: Scorer, boards: Any
) -> None:
    await scorer.add({"a": 9, "b": 7, "c": 5, "d": 3})
    first = await boards("GetLeaderboard", GetLeaderboardRequest(page_size=2))
    await scorer.add({"e": 8, "f": 4})
    second = await boards("GetLeaderboard", GetLeaderboardRequest(page_size=9, page_token=first.next_page_token))
    assert told(second.rows) == [(4, "c", 5), (5, "f", 4), (6, "d", 3)]


async def test_a_player_is_found_with_its_neighbours(scorer: Scorer, boards: Any) -> None:
    await scorer.add({f"p{number}": number for number in range(9)})
    answer = await boards("GetRank", GetRankRequest(player_id="p5", neighbours=2))
    assert told([answer.row]) == [(4, "p5", 5)]
    assert told(answer.around) == [(2, "p7", 7), (3, "p6", 6), (4, "p5", 5), (5, "p4", 4), (6, "p3", 3)]
    assert answer.players == 9
    first = await boards("GetRank", GetRankRequest(player_id="p8", neighbours=1))
    assert told(first.around) == [(1, "p8", 8), (2, "p7", 7)]
    alone = await boards("GetRank", GetRankRequest(player_id="p0"))
    assert told(alone.around) == [(9, "p0", 0)]


async def test_who_has_no_rank_is_told_so_and_so_is_who_nobody_is(scorer: Scorer, boards: Any) -> None:
    await scorer.rate({"ann": None, "bob": 1500})
    board = Leaderboard(kind=LEADERBOARD_KIND_RATING, preset="standard")
    for player_id in ("ann", "nobody"):
        answer = await boards("GetRank", GetRankRequest(board=board, player_id=player_id, neighbours=3))
        assert (answer.HasField("row"), list(answer.around)) == (False, [])
    assert told((await boards("GetLeaderboard", GetLeaderboardRequest(board=board))).rows) == [(1, "bob", 1500)]


async def test_a_board_nobody_has_played_for_is_empty(boards: Any) -> None:
    board = Leaderboard(preset="no such preset", region="nowhere")
    answer = await boards("GetLeaderboard", GetLeaderboardRequest(board=board))
    assert (list(answer.rows), answer.players) == ([], 0)


async def test_seasons_are_found_by_id_and_the_one_that_is_on_by_its_word(scorer: Scorer, boards: Any) -> None:
    await scorer.add({"ann": 1}, NOVEMBER)
    await scorer.add({"ann": 2}, at(2026, 10, 5))
    for season, score in (("current", 1), ("2026-11", 1), ("2026-10", 2), ("", 3)):
        answer = await boards("GetLeaderboard", GetLeaderboardRequest(board=Leaderboard(season=season)))
        assert told(answer.rows) == [(1, "ann", score)]
        assert answer.season.season_id == {"current": "2026-11"}.get(season, season)
    request = GetRankRequest(board=Leaderboard(season="2027-01"), player_id="ann")
    assert await refused(boards("GetRank", request)) == ("unknown_season", "")


async def test_seasons_are_listed_with_how_far_they_are_the_newest_first(scorer: Scorer, boards: Any) -> None:
    for month in range(8, 13):
        await scorer.add({"ann": 1}, at(2026, month, 5))
    await scorer.seasons.make_final(at(2026, 10, 2), 0)
    first = await boards("ListSeasons", ListSeasonsRequest(page_size=3))
    second = await boards("ListSeasons", ListSeasonsRequest(page_size=3, page_token=first.next_page_token))
    found = [*first.seasons, *second.seasons]
    assert [(one.season_id, one.state) for one in found] == [
        ("2026-12", SEASON_STATE_OPEN),
        ("2026-11", SEASON_STATE_OPEN),
        ("2026-10", SEASON_STATE_ENDED),
        ("2026-09", SEASON_STATE_FINAL),
        ("2026-08", SEASON_STATE_FINAL),
    ]
    assert found[1].begins.ToDatetime(UTC) == datetime(2026, 11, 1, tzinfo=UTC)
    assert found[1].ends.ToDatetime(UTC) == datetime(2026, 12, 1, tzinfo=UTC)
    assert second.next_page_token == ""


async def test_the_archive_is_read_like_any_board(scorer: Scorer, boards: Any) -> None:
    await scorer.add({f"p{number}": number // 2 for number in range(8)})
    board = Leaderboard(season="2026-11")
    questions = [
        ("GetLeaderboard", GetLeaderboardRequest(board=board, page_size=3)),
        ("GetLeaderboard", GetLeaderboardRequest(board=board, page_token=Place(2, "p4").token())),
        ("GetRank", GetRankRequest(board=board, player_id="p3", neighbours=2)),
    ]
    live = [await boards(*question) for question in questions]
    await scorer.archive(DECEMBER)
    archived = [await boards(*question) for question in questions]
    for answer in live:
        answer.season.state = SEASON_STATE_FINAL
    assert archived == live


async def test_seasons_begin_and_are_archived_by_the_clock(settings: Settings) -> None:
    clock = ManualClock(datetime(2026, 11, 30, tzinfo=UTC))
    app = App(settings.model_copy(update={"season_grace_seconds": 600}), clock=clock)
    scorer, upkeep = Scorer(app.database), Upkeep(app, Schedule.parse("monthly"))
    await scorer.add({"ann": 1})
    for seconds, final in ((86_400, False), (599, False), (1, True)):
        await clock.advance(seconds)
        await upkeep.turn()
        found = [(one.season.season_id, one.final_at is not None) for one in await scorer.seasons.newest(10, None)]
        assert found == [("2026-12", False), ("2026-11", final)]
    assert await scorer.boards.due() == []
    await app.stop(grace=0)


MALFORMED: Sequence[tuple[str, Any, str]] = (
    ("GetLeaderboard", GetLeaderboardRequest(page_size=101), "page_size"),
    ("GetLeaderboard", GetLeaderboardRequest(page_token="nonsense"), "page_token"),
    ("GetLeaderboard", GetLeaderboardRequest(page_token=Place(2**63, "a").token()), "page_token"),
    ("GetLeaderboard", GetLeaderboardRequest(page_token=Place(1, "a\0b").token()), "page_token"),
    ("GetLeaderboard", GetLeaderboardRequest(board=Leaderboard(kind=7)), "board.kind"),  # type: ignore[arg-type]
    ("GetLeaderboard", GetLeaderboardRequest(board=Leaderboard(preset="a\0")), "board.preset"),
    ("GetLeaderboard", GetLeaderboardRequest(board=Leaderboard(region="x" * 201)), "board.region"),
    ("GetLeaderboard", GetLeaderboardRequest(board=Leaderboard(season="a\0")), "board.season"),
    ("GetLeaderboard", GetLeaderboardRequest(board=Leaderboard(kind=LEADERBOARD_KIND_RATING)), "board.preset"),
    ("GetRank", GetRankRequest(), "player_id"),
    ("GetRank", GetRankRequest(player_id="a\0"), "player_id"),
    ("GetRank", GetRankRequest(player_id="a", neighbours=51), "neighbours"),
    ("ListSeasons", ListSeasonsRequest(page_size=101), "page_size"),
)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_questions_that_make_no_sense_are_refused(boards: Any) -> None:
    found = [(method, *await refused(boards(method, request))) for method, request, _ in MALFORMED]
    assert found == [(method, "malformed", field) for method, _, field in MALFORMED]


async def test_without_a_token_nothing_is_told(app: App) -> None:
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub: Any = leaderboard_pb2_grpc.LeaderboardServiceStub(channel)
        assert await refused(stub.GetLeaderboard(GetLeaderboardRequest())) == ("token_missing", "")


async def test_a_schedule_that_makes_no_sense_is_told_at_the_start(sqlite_settings: Settings) -> None:
    wrong = App(sqlite_settings.model_copy(update={"seasons": "now and then"}))
    with pytest.raises(StartError, match=r"GOUJI_SEASONS"):
        bind(wrong)
    await wrong.stop(grace=0)
