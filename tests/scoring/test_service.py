"""Scoring over real gRPC, on both databases."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.scoring import ledger
from gouji.scoring.service import bind
from gouji.scoring.store import Kept, Store
from gouji.serving.app import App
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.schema import hand_results, player_points, player_totals
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import rules_pb2, scoring_pb2, scoring_pb2_grpc
from gouji.v1.events_pb2 import Seat

BOT = Seat(name="Bot", bot_level="greedy")


def people(*ids: str) -> list[Seat]:
    return [Seat(player_id=player_id, name=player_id.title()) for player_id in ids]


def result(
    table_id: str = "t1",
    hand: int = 1,
    *,
    seats: Sequence[Seat] = (),
    order: Sequence[int] = (0, 1, 2, 3, 4, 5),
    scores: Sequence[int] = (4, 2, 0, 0, -2, -4),
    preset: str = "",
) -> scoring_pb2.HandResult:
    made = scoring_pb2.HandResult(
        table_id=table_id,
        hand=hand,
        rules=rules_pb2.RuleSet(preset=preset, overrides={"report_at": "9", "burn": "false", "yield": "true"}),
        queue="local/quick",
        seats=seats or [*people("ann", "bob"), *[BOT] * 4],
        order=order,
        scores=scores,
        team_scores=[2, 0],
        digest="abc",
    )
    made.ended.FromMicroseconds(1_700_000_000_123_456)
    return made


async def record(scoring: Any, made: scoring_pb2.HandResult) -> bool:
    """Record a result; whether it was recorded before."""
    answer = await scoring.RecordHand(scoring_pb2.RecordHandRequest(result=made))
    return bool(answer.already_recorded)


async def totals_of(scoring: Any, player_id: str) -> scoring_pb2.PlayerTotals:
    answer = await scoring.GetPlayerTotals(scoring_pb2.GetPlayerTotalsRequest(player_id=player_id))
    return answer.totals  # type: ignore[no-any-return]


async def leaders(scoring: Any, preset: str = "", limit: int = 0) -> list[scoring_pb2.PlayerTotals]:
    answer = await scoring.GetLeaderboard(scoring_pb2.GetLeaderboardRequest(preset=preset, limit=limit))
    return list(answer.players)


async def match(scoring: Any, table_id: str) -> list[scoring_pb2.HandResult]:
    answer = await scoring.GetMatch(scoring_pb2.GetMatchRequest(table_id=table_id))
    return list(answer.hands)


async def count(app: App, table: sa.Table) -> int:
    async with app.database.connect() as connection:
        return int((await connection.execute(sa.select(sa.func.count()).select_from(table))).scalar_one())


@asynccontextmanager
async def refusal(reason: str, code: grpc.StatusCode) -> AsyncIterator[None]:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        yield
    assert (reason_of(refused.value), refused.value.code()) == (reason, code)


async def test_a_hand_counts_for_its_people_and_not_for_its_bots(app: App, scoring: Any) -> None:
    assert await record(scoring, result(order=(1, 0, 2, 3, 4, 5), scores=(2, 4, 0, 0, -2, -4))) is False
    ann = await totals_of(scoring, "ann")
    assert (ann.name, ann.hands, ann.points, list(ann.places), ann.rank) == (
        "Ann",
        1,
        2,
        [0, 1, 0, 0, 0, 0],
        2,
    )
    bob = await totals_of(scoring, "bob")
    assert (bob.hands, bob.points, list(bob.places), bob.rank) == (1, 4, [1, 0, 0, 0, 0, 0], 1)
    assert [leader.player_id for leader in await leaders(scoring)] == ["bob", "ann"]
    assert await count(app, player_points) == 2


async def test_a_hand_of_bots_alone_is_kept_and_counts_for_nobody(app: App, scoring: Any) -> None:
    assert await record(scoring, result(seats=[BOT] * 6)) is False
    assert len(await match(scoring, "t1")) == 1
    assert await leaders(scoring) == []


async def test_the_same_hand_again_changes_nothing_and_says_so(scoring: Any) -> None:
    await record(scoring, result())
    first = await totals_of(scoring, "ann")
    assert [await record(scoring, result()) for _ in range(3)] == [True] * 3
    assert await totals_of(scoring, "ann") == first


async def test_the_order_in_which_overrides_were_written_makes_no_other_result(scoring: Any) -> None:
    made, again = result(), result()
    again.rules.overrides.clear()
    for name in sorted(made.rules.overrides, reverse=True):
        again.rules.overrides[name] = made.rules.overrides[name]
    assert [await record(scoring, made), await record(scoring, again)] == [False, True]


async def test_another_result_for_the_same_hand_is_refused_and_changes_nothing(scoring: Any) -> None:
    await record(scoring, result())
    first = await totals_of(scoring, "ann")
    for other in (
        result(scores=(40, 2, 0, 0, -2, -4)),
        result(seats=people(*"abcdef")),
        result(preset="korea"),
    ):
        async with refusal("result_conflict", grpc.StatusCode.FAILED_PRECONDITION):
            await record(scoring, other)
    assert await match(scoring, "t1") == [result()]
    assert [leader.player_id for leader in await leaders(scoring)] == ["ann", "bob"]
    assert await totals_of(scoring, "ann") == first


async def test_fifty_records_of_one_hand_at_once_count_once(app: App, scoring: Any) -> None:
    repeated = await asyncio.gather(*(record(scoring, result()) for _ in range(50)))
    assert sorted(repeated) == [False] + [True] * 49
    assert (await totals_of(scoring, "ann")).hands == 1
    assert [await count(app, table) for table in (hand_results, player_points)] == [1, 2]


async def test_of_two_results_at_once_one_stands_whole(scoring: Any) -> None:
    both = [result(), result(scores=(8, 4, 0, 0, -4, -8))]
    outcomes = await asyncio.gather(*(record(scoring, made) for made in both * 20), return_exceptions=True)
    stands = both.index((await match(scoring, "t1"))[0])
    mine, others = outcomes[stands::2], outcomes[1 - stands :: 2]
    assert sorted(mine, key=bool) == [False] + [True] * 19
    assert {reason_of(error) for error in others} == {"result_conflict"}  # type: ignore[arg-type]
    assert (await totals_of(scoring, "ann")).points == both[stands].scores[0]


async def test_two_processes_that_record_the_same_hands_count_each_once(settings: Settings) -> None:
    async with (
        running_app(settings, {"scoring": bind}) as one,
        running_app(settings, {"scoring": bind}) as two,
    ):
        stubs = [each.channels.stub("scoring", scoring_pb2_grpc.ScoringServiceStub) for each in (one, two)]
        calls = [record(stub, result(hand=hand)) for hand in range(1, 11) for stub in stubs]
        assert sorted(await asyncio.gather(*calls)) == [False] * 10 + [True] * 10
        assert (await totals_of(stubs[0], "ann")).hands == 10


async def test_tables_with_the_same_players_in_other_seats_do_not_block_each_other(scoring: Any) -> None:
    chance = random.Random(7)
    seats = people(*"abcdef")
    made = [result(f"t{number}", seats=chance.sample(seats, 6)) for number in range(40)]
    assert await asyncio.gather(*(record(scoring, each) for each in made)) == [False] * 40
    assert {leader.hands for leader in await leaders(scoring)} == {40}


def random_results(number: int) -> list[scoring_pb2.HandResult]:
    """Results of few players with few different points, so that many are equal."""
    chance = random.Random(11)
    everybody = [*people(*(f"p{player}" for player in range(12))), *[BOT] * 3]
    return [
        result(
            f"t{table}",
            seats=[seat if seat.player_id else BOT for seat in chance.sample(everybody, 6)],
            order=chance.sample(range(6), 6),
            scores=[chance.choice((-2, 0, 2)) for _ in range(6)],
            preset=chance.choice(("", "standard", "qingdao")),
        )
        for table in range(number)
    ]


def expected(results: Sequence[scoring_pb2.HandResult]) -> list[scoring_pb2.PlayerTotals]:
    """The leaderboard, worked out from the results themselves."""
    players: dict[str, scoring_pb2.PlayerTotals] = {}
    for made in results:
        for number, seat in enumerate(made.seats):
            if seat.player_id:
                blank = scoring_pb2.PlayerTotals(player_id=seat.player_id, name=seat.name, places=[0] * 6)
                mine = players.setdefault(seat.player_id, blank)
                mine.hands += 1
                mine.points += made.scores[number]
                mine.places[list(made.order).index(number)] += 1
    ordered = sorted(players.values(), key=lambda each: (-each.points, each.hands, each.name, each.player_id))
    for rank, each in enumerate(ordered, start=1):
        each.rank = rank
    return ordered


async def test_totals_and_ranks_are_those_of_all_recorded_hands(scoring: Any) -> None:
    results = random_results(60)
    for made in results:
        await record(scoring, made)
    of_preset = [made for made in results if made.rules.preset == "qingdao"]
    assert await leaders(scoring) == expected(results)
    assert await leaders(scoring, "qingdao") == expected(of_preset)
    assert await leaders(scoring, limit=3) == expected(results)[:3]
    for each in expected(results):
        assert await totals_of(scoring, each.player_id) == each


async def test_an_empty_preset_is_recorded_as_standard(scoring: Any) -> None:
    await record(scoring, result("t1", preset=""))
    await record(scoring, result("t2", preset="standard"))
    assert [leader.hands for leader in await leaders(scoring, "standard")] == [2, 2]
    assert await leaders(scoring, "no such preset") == []


async def test_equal_points_go_to_fewer_hands_then_to_the_name_then_to_the_id(scoring: Any) -> None:
    seats = [Seat(player_id=player_id, name=name) for player_id, name in ("zA", "yB", "xB", "wC")]
    await record(scoring, result("t1", seats=[*seats, BOT, BOT], scores=(2, 2, 2, 1, 0, 0)))
    await record(scoring, result("t2", seats=[seats[3], *[BOT] * 5], scores=(1, 0, 0, 0, 0, 0)))
    assert [leader.player_id for leader in await leaders(scoring)] == ["z", "x", "y", "w"]
    assert [leader.rank for leader in await leaders(scoring)] == [1, 2, 3, 4]


async def test_a_leaderboard_has_twenty_players_unless_told_and_a_hundred_at_most(scoring: Any) -> None:
    for table in range(18):
        await record(scoring, result(f"t{table}", seats=people(*(f"p{table}-{seat}" for seat in range(6)))))
    assert [len(await leaders(scoring, limit=limit)) for limit in (0, 1, 100)] == [20, 1, 100]
    async with refusal("malformed", grpc.StatusCode.INVALID_ARGUMENT):
        await leaders(scoring, limit=101)


async def test_a_player_without_a_hand_has_zeros_and_no_rank(scoring: Any) -> None:
    await record(scoring, result())
    nobody = scoring_pb2.PlayerTotals(player_id="nobody", places=[0] * 6)
    assert await totals_of(scoring, "nobody") == nobody


async def test_the_latest_name_stands(scoring: Any) -> None:
    await record(scoring, result("t1"))
    await record(scoring, result("t2", seats=[Seat(player_id="ann", name="Anna"), *[BOT] * 5]))
    assert (await totals_of(scoring, "ann")).name == "Anna"


async def test_a_match_has_its_hands_in_order_as_they_were_sent(scoring: Any) -> None:
    hands = [result(hand=hand) for hand in (3, 1, 2)]
    for made in [*hands, result("other")]:
        await record(scoring, made)
    assert await match(scoring, "t1") == [hands[1], hands[2], hands[0]]


async def test_a_match_without_a_recorded_hand_is_unknown(scoring: Any) -> None:
    async with refusal("unknown_match", grpc.StatusCode.NOT_FOUND):
        await match(scoring, "t1")


def without_time(made: scoring_pb2.HandResult) -> scoring_pb2.HandResult:
    made.ClearField("ended")
    return made


@pytest.mark.parametrize(
    ("made", "path"),
    [
        (scoring_pb2.HandResult(), "result.table_id"),
        (result(hand=0), "result.hand"),
        (result(seats=people(*"abcde")), "result.seats"),
        (result(seats=[Seat(), *[BOT] * 5]), "result.seats[0]"),
        (result(order=(0, 1, 2, 3, 4, 4)), "result.order"),
        (result(order=(0, 1, 2, 3, 4, 6)), "result.order"),
        (result(scores=(1, 2)), "result.scores"),
        (without_time(result()), "result.ended"),
    ],
)
async def test_a_malformed_result_is_refused_by_its_fields_path(
    app: App, scoring: Any, made: scoring_pb2.HandResult, path: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await record(scoring, made)
    told = refusal_of(refused.value)
    assert told
    assert (told.reason, told.metadata["field"]) == ("malformed", path)
    assert path in told.message
    assert await count(app, hand_results) == 0


async def test_names_that_no_database_can_hold_are_malformed(scoring: Any) -> None:
    for ask in (totals_of, match, leaders):
        async with refusal("malformed", grpc.StatusCode.INVALID_ARGUMENT):
            await ask(scoring, "a\0b")
    for ask in (totals_of, match):
        async with refusal("malformed", grpc.StatusCode.INVALID_ARGUMENT):
            await ask(scoring, "")


async def test_players_may_read_and_not_record(app: App) -> None:
    mine = (("authorization", f"Bearer {app.tokens.mint_player('ann', 'Ann').access_token}"),)
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub: Any = scoring_pb2_grpc.ScoringServiceStub(channel)
        async with refusal("forbidden", grpc.StatusCode.PERMISSION_DENIED):
            await stub.RecordHand(scoring_pb2.RecordHandRequest(result=result()), metadata=mine)
        async with refusal("token_missing", grpc.StatusCode.UNAUTHENTICATED):
            await stub.RecordHand(scoring_pb2.RecordHandRequest(result=result()))
        answer = await stub.GetLeaderboard(scoring_pb2.GetLeaderboardRequest(), metadata=mine)
    assert not answer.players
    assert await count(app, hand_results) == 0


async def test_a_result_whose_points_cannot_be_written_is_not_kept_either(app: App) -> None:
    twice = [ledger.Entry(0, "ann", "Ann", 1, 1)] * 2
    kept = Kept("t1", 1, b"payload", b"hash", "standard", "", 0)
    with pytest.raises(sa.exc.IntegrityError):
        await Store(app.database).record(kept, twice, None)
    assert [await count(app, table) for table in (hand_results, player_points, player_totals)] == [0, 0, 0]


async def test_results_are_counted_by_outcome(app: App, scoring: Any) -> None:
    for made in (result(), result(), result(hand=0), result(scores=(0,) * 6)):
        await asyncio.gather(record(scoring, made), return_exceptions=True)
    counted = {
        outcome: app.metrics.registry.get_sample_value("gouji_scoring_results_total", {"outcome": outcome})
        for outcome in ("recorded", "repeated", "malformed", "result_conflict")
    }
    assert counted == dict.fromkeys(counted, 1)
