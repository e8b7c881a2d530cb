"""What was played, over real gRPC, on both databases: lists, sums, and who may see which."""

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest

from gouji.scoring.ledger import SeatSum
from gouji.scoring.service import bind
from gouji.serving.app import App
from gouji.serving.errors import refusal_of
from gouji.serving.schema import match_results, match_seats, players, tables, tournament_boards
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, running_app
from gouji.v1 import history_pb2_grpc
from gouji.v1.history_pb2 import (
    MATCH_OUTCOME_DRAWN,
    MATCH_OUTCOME_LOST,
    MATCH_OUTCOME_UNSPECIFIED,
    MATCH_OUTCOME_WON,
    GetHeadToHeadRequest,
    GetRecordRequest,
    GetStatisticsRequest,
    ListHistoryRequest,
    MatchFilter,
    VerifyMatchRequest,
)

from .standing import at

ANN_FIRST = ("ann", "bob", "cid", "dan", "eve", "")
WON, DRAWN, LOST = MATCH_OUTCOME_WON, MATCH_OUTCOME_DRAWN, MATCH_OUTCOME_LOST


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    clock = ManualClock(datetime(2026, 11, 20, tzinfo=UTC))
    async with running_app(settings, {"scoring": bind}, clock=clock) as running:
        yield running


class Player:
    """Calls with a token."""

    def __init__(self, channel: grpc.aio.Channel, token: str) -> None:
        self._stub: Any = history_pb2_grpc.HistoryServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {token}"),)

    async def call(self, method: str, request: Any) -> Any:
        return await getattr(self._stub, method)(request, metadata=self._metadata)

    async def record(self, table_id: str) -> str:
        pieces = self._stub.GetRecord(GetRecordRequest(table_id=table_id), metadata=self._metadata)
        return "".join([piece.text async for piece in pieces])

    async def tables(self, **request: Any) -> list[str]:
        """List the tables of a history."""
        answer = await self.call("ListHistory", ListHistoryRequest(**request))
        return [match.table_id for match in answer.matches]


@pytest.fixture
async def player(app: App) -> AsyncIterator[Callable[[str], Player]]:
    """Have a player call; `operator` is one."""
    async with grpc.aio.insecure_channel(app.address) as channel:

        def of(name: str) -> Player:
            if name == "operator":
                return Player(channel, app.tokens.mint_operator(name))
            return Player(channel, app.tokens.mint_player(name, name.title()).access_token)

        yield of


async def refused(call: Any) -> tuple[str, str]:
    """Give the reason of a refusal, and the field that it names."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    told = refusal_of(caught.value)
    assert told
    return told.reason, told.metadata.get("field", "")


async def played(
    app: App,
    table_id: str,
    points: Sequence[int],
    ended_at: int | None = at(2026, 11, 10),
    *,
    seats: Sequence[str] = ANN_FIRST,
    teams: bool = True,
    sums: SeatSum | None = None,
    **changes: Any,
) -> None:
    """Write a match as its results make it; a player of no name is a bot."""
    match = {"preset": "standard", "queue": "eu/quick", "region": "eu", "tournament": None, "voided": False}
    even, odd = (sum(points[team::2]) if teams else None for team in (0, 1))
    counted = {"hands": 2, "recorded": 2, "hands_in_all": 2, "even_points": even, "odd_points": odd}
    row = match | counted | {"table_id": table_id, "began_at": at(2026, 11, 1), "ended_at": ended_at} | changes
    made = (sums or SeatSum(hands=2, p1=1, p4=1))._asdict()
    held = [
        made
        | {"table_id": table_id, "seat": seat, "player_id": one or None, "bot_level": None if one else "greedy"}
        | {"points": points[seat], "ended_at": ended_at}
        for seat, one in enumerate(seats)
    ]
    async with app.database.begin() as connection:
        await connection.execute(match_results.insert().values(row))
        await connection.execute(match_seats.insert(), held)


async def test_a_match_is_listed_with_its_seats_and_what_became_of_it(app: App, player: Any) -> None:
    async with app.database.begin() as connection:
        await connection.execute(players.insert().values(player_id="bob", name="Bob", created_at=0))
    await played(app, "t1", (4, 2, 0, 0, -2, -3))
    [match] = (await player("bob").call("ListHistory", ListHistoryRequest())).matches
    assert (match.table_id, match.preset, match.queue, match.hands) == ("t1", "standard", "eu/quick", 2)
    assert (match.rated, match.seat, match.outcome, list(match.team_points)) == (True, 1, LOST, [2, -1])
    assert match.ended.ToDatetime(UTC) == datetime(2026, 11, 10, tzinfo=UTC)
    seats = [(seat.player_id, seat.name, seat.bot_level, seat.points) for seat in match.seats]
    assert seats[1] == ("bob", "Bob", "", 2)
    assert seats[2] == ("cid", "", "", 0)
    assert seats[5] == ("", "", "greedy", -3)
    assert list(match.seats[0].places) == [1, 0, 0, 1, 0, 0]


async def test_without_teams_who_made_the_most_has_won_and_who_shares_it_has_drawn(app: App, player: Any) -> None:
    await played(app, "t1", (4, 4, 0, 0, -2, -6), teams=False)
    for name, outcome in (("ann", DRAWN), ("bob", DRAWN), ("cid", LOST)):
        [match] = (await player(name).call("ListHistory", ListHistoryRequest())).matches
        assert (match.outcome, list(match.team_points)) == (outcome, [])
    await played(app, "t2", (5, 4, 0, 0, -2, -7), teams=False)
    [match, _] = (await player("ann").call("ListHistory", ListHistoryRequest())).matches
    assert (match.table_id, match.outcome) == ("t2", WON)


async def test_matches_that_go_on_are_not_listed_and_those_given_up_have_no_outcome(app: App, player: Any) -> None:
    await played(app, "goes on", (0,) * 6, None)
    await played(app, "given up", (4, 0, 0, 0, 0, -4), voided=True)
    [match] = (await player("ann").call("ListHistory", ListHistoryRequest())).matches
    assert (match.table_id, match.outcome, match.rated) == ("given up", MATCH_OUTCOME_UNSPECIFIED, False)
    statistics = await player("ann").call("GetStatistics", GetStatisticsRequest())
    assert (list(statistics.presets), list(statistics.form)) == ([], [])


async def test_pages_stay_as_they_are_when_matches_end_or_are_recorded_late(app: App, player: Any) -> None:
    for day in range(1, 8):
        await played(app, f"t{day}", (1, 0, 0, 0, 0, -1), at(2026, 11, day))
    await played(app, "t7b", (1, 0, 0, 0, 0, -1), at(2026, 11, 7))
    ann, found, token = player("ann"), list[str](), ""
    for page in range(4):
        answer = await ann.call("ListHistory", ListHistoryRequest(page_size=2, page_token=token))
        found += [match.table_id for match in answer.matches]
        token = answer.next_page_token
        await played(app, f"new{page}", (1, 0, 0, 0, 0, -1), at(2026, 11, 20))
        await played(app, f"late{page}", (1, 0, 0, 0, 0, -1), at(2026, 11, 8))
    assert found == ["t7b", "t7", "t6", "t5", "t4", "t3", "t2", "t1"]
    assert token == ""


async def test_filters_narrow_a_history(app: App, player: Any) -> None:
    await played(app, "plain", (1, 0, 0, 0, 0, -1), at(2026, 11, 1))
    await played(app, "preset", (1, 0, 0, 0, 0, -1), at(2026, 11, 2), preset="qingdao")
    await played(app, "queue", (1, 0, 0, 0, 0, -1), at(2026, 11, 3), queue="cn/quick", region="cn")
    await played(app, "room", (1, 0, 0, 0, 0, -1), at(2026, 11, 4), queue="", region="")
    await played(app, "cup", (1, 0, 0, 0, 0, -1), at(2026, 11, 5), queue="", region="", tournament="cup")
    await played(app, "october", (1, 0, 0, 0, 0, -1), at(2026, 10, 31))
    ann = player("ann")

    async def under(**fields: Any) -> list[str]:
        return await ann.tables(filter=MatchFilter(**fields))  # type: ignore[no-any-return]

    assert await under(preset="qingdao") == ["preset"]
    assert await under(queue="cn/quick") == await under(region="cn") == ["queue"]
    assert await under(rated=False) == ["room"]
    assert await under(rated=True) == ["cup", "queue", "preset", "plain", "october"]
    assert "october" not in await under(season="current")
    assert await under(season="2026-11", region="cn") == ["queue"]
    day = MatchFilter()
    day.since.FromDatetime(datetime(2026, 11, 2, tzinfo=UTC))
    day.until.FromDatetime(datetime(2026, 11, 4, tzinfo=UTC))
    assert await ann.tables(filter=day) == ["queue", "preset"]
    assert await refused(under(season="1999-01")) == ("unknown_season", "")


async def test_matches_with_and_against_a_player_are_found(app: App, player: Any) -> None:
    await played(app, "with", (1, 0, 0, 0, 0, -1), seats=("ann", "bob", "cid", "", "", ""))
    await played(app, "against", (1, 0, 0, 0, 0, -1), seats=("ann", "cid", "", "", "", ""))
    await played(app, "alone", (1, 0, 0, 0, 0, -1), seats=("ann", "bob", "cid", "", "", ""), teams=False)
    ann = player("ann")
    assert await ann.tables(with_player="cid") == ["with"]
    assert await ann.tables(against_player="cid") == ["alone", "against"]
    assert await ann.tables(with_player="cid", against_player="bob") == ["with"]
    assert await ann.tables(with_player="ann") == await ann.tables(with_player="nobody") == []


async def test_statistics_are_sums_by_preset_and_the_last_matches(app: App, player: Any) -> None:
    played_so = SeatSum(hands=3, p1=1, p2=1, p6=1, openings=2, burns_tried=4, burns_won=1, sweeps=1, left=True)
    await played(app, "t1", (4, 2, 0, 0, -2, -3), at(2026, 11, 1), sums=played_so)
    await played(app, "t2", (-4, 2, 0, 0, 2, 0), at(2026, 11, 2))
    await played(app, "t3", (0,) * 6, at(2026, 11, 3))
    await played(app, "t4", (1, 0, 0, 0, 0, -9), at(2026, 11, 4), preset="qingdao")
    answer = await player("bob").call("GetStatistics", GetStatisticsRequest(player_id="ann", form=3))
    qingdao, standard = answer.presets
    assert (qingdao.preset, qingdao.matches, qingdao.won) == ("qingdao", 1, 1)
    assert (standard.preset, standard.matches, standard.won, standard.drawn, standard.lost) == ("standard", 3, 1, 1, 1)
    assert (standard.hands, standard.points, list(standard.places)) == (7, 0, [3, 1, 0, 2, 0, 1])
    assert standard.average_place == pytest.approx((3 * 1 + 2 + 2 * 4 + 6) / 7)
    assert (standard.openings, standard.opening_rate) == (2, pytest.approx(2 / 7))
    assert (standard.burns_tried, standard.burns_won, standard.sweeps, standard.left) == (4, 1, 1, 1)
    assert [(one.outcome, one.points) for one in answer.form] == [(WON, 1), (DRAWN, 0), (LOST, -4)]
    narrow = GetStatisticsRequest(player_id="ann", filter=MatchFilter(preset="qingdao"))
    assert [one.preset for one in (await player("bob").call("GetStatistics", narrow)).presets] == ["qingdao"]


async def test_who_has_played_nothing_has_no_statistics(player: Any) -> None:
    answer = await player("ann").call("GetStatistics", GetStatisticsRequest(player_id="nobody"))
    assert (list(answer.presets), list(answer.form)) == ([], [])


async def test_two_players_are_compared_as_mates_and_as_opponents(app: App, player: Any) -> None:
    await played(app, "t1", (4, 2, 0, 0, -2, -3))  # ann and cid won
    await played(app, "t2", (-4, 2, 1, 0, 2, 0))  # they lost
    await played(app, "t3", (3, -3, 0, 0, 0, 0), seats=("ann", "cid", "", "", "", ""))  # ann beat cid
    await played(app, "t4", (5, 0, 3, 0, 0, 0), seats=("ann", "", "cid", "", "", ""), teams=False)
    await played(app, "void", (5, 0, 3, 0, 0, 0), voided=True)
    answer = await player("ann").call("GetHeadToHead", GetHeadToHeadRequest(other_id="cid"))
    mates, rivals = answer.together, answer.against
    assert (mates.matches, mates.won, mates.drawn, mates.lost) == (2, 1, 0, 1)
    assert (mates.points, mates.other_points) == (0, 1)
    assert (rivals.matches, rivals.won, rivals.lost, rivals.points, rivals.other_points) == (2, 2, 0, 8, 0)
    strangers = await player("ann").call("GetHeadToHead", GetHeadToHeadRequest(other_id="nobody"))
    assert (strangers.together.matches, strangers.against.matches) == (0, 0)


async def test_a_history_is_its_players_own_and_statistics_are_everybodys(app: App, player: Any) -> None:
    await played(app, "t1", (4, 2, 0, 0, -2, -3))
    bob = player("bob")
    assert (await refused(bob.tables(player_id="ann")))[0] == "forbidden"
    assert (await refused(bob.call("GetHeadToHead", GetHeadToHeadRequest(player_id="ann", other_id="cid"))))[
        0
    ] == "forbidden"
    assert (await bob.call("GetStatistics", GetStatisticsRequest(player_id="ann"))).presets
    assert (await bob.call("GetHeadToHead", GetHeadToHeadRequest(player_id="ann", other_id="bob"))).against.matches == 1
    assert await player("operator").tables(player_id="ann") == ["t1"]


async def test_records_are_for_those_who_sat_there(app: App, player: Any) -> None:
    await played(app, "t1", (4, 2, 0, 0, -2, -3))
    zoe = player("zoe")
    assert (await refused(zoe.record("t1")))[0] == "not_seated"
    assert (await refused(zoe.call("VerifyMatch", VerifyMatchRequest(table_id="t1"))))[0] == "not_seated"
    assert (await refused(zoe.record("no such table")))[0] == "not_seated"
    assert (await refused(player("operator").call("VerifyMatch", VerifyMatchRequest(table_id="t0"))))[0] == (
        "unknown_match"
    )


def endless() -> MatchFilter:
    which = MatchFilter()
    which.since.seconds = 10**15
    return which


MALFORMED: Sequence[tuple[str, Any, str]] = (
    ("ListHistory", ListHistoryRequest(page_size=101), "page_size"),
    ("ListHistory", ListHistoryRequest(page_token="?"), "page_token"),
    ("ListHistory", ListHistoryRequest(with_player="a\0"), "with_player"),
    ("ListHistory", ListHistoryRequest(against_player="x" * 201), "against_player"),
    ("ListHistory", ListHistoryRequest(filter=MatchFilter(preset="a\0")), "filter.preset"),
    ("ListHistory", ListHistoryRequest(filter=MatchFilter(queue="a\0")), "filter.queue"),
    ("ListHistory", ListHistoryRequest(filter=MatchFilter(region="a\0")), "filter.region"),
    ("ListHistory", ListHistoryRequest(filter=MatchFilter(season="a\0")), "filter.season"),
    ("ListHistory", ListHistoryRequest(filter=endless()), "filter.since"),
    ("GetStatistics", GetStatisticsRequest(form=51), "form"),
    ("GetStatistics", GetStatisticsRequest(player_id="a\0"), "player_id"),
    ("GetHeadToHead", GetHeadToHeadRequest(), "other_id"),
    ("GetHeadToHead", GetHeadToHeadRequest(other_id="ann"), "other_id"),
    ("VerifyMatch", VerifyMatchRequest(), "table_id"),
    ("VerifyMatch", VerifyMatchRequest(table_id="a\0"), "table_id"),
)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_questions_that_make_no_sense_are_refused(player: Any) -> None:
    ann = player("ann")
    found = [(method, *await refused(ann.call(method, request))) for method, request, _ in MALFORMED]
    assert found == [(method, "malformed", field) for method, _, field in MALFORMED]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_an_operator_has_to_say_whose(player: Any) -> None:
    assert await refused(player("operator").tables()) == ("malformed", "player_id")


async def test_a_tournaments_match_is_told_of_when_its_board_is_open(app: App, player: Callable[[str], Player]) -> None:
    await played(app, "t1", (4, 2, 0, 0, -2, -4))
    await played(app, "t2", (4, 2, 0, 0, -2, -4), at(2026, 11, 11), tournament="spring", queue="")
    table = {"table_id": "t2", "spec": b"", "state": "over", "created_at": 0, "board_id": "spring/1/1"}
    async with app.database.begin() as connection:
        await connection.execute(tables.insert().values(table))
        await connection.execute(tournament_boards.insert().values(board_id="spring/1/1"))
    ann, bob = player("ann"), player("bob")
    both = GetHeadToHeadRequest(other_id="ann")

    async def told() -> tuple[list[str], int, int, int]:
        about_ann = await bob.call("GetStatistics", GetStatisticsRequest(player_id="ann"))
        against = (await bob.call("GetHeadToHead", both)).against.matches
        return await ann.tables(), len(about_ann.form), about_ann.presets[0].matches, against

    assert await told() == (["t1"], 1, 1, 1)
    async with app.database.begin() as connection:
        await connection.execute(tournament_boards.update().values(opened_at=1))
    assert await told() == (["t2", "t1"], 2, 2, 2)
