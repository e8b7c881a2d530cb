"""Scoring over real gRPC, on both databases."""

import asyncio
import random
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.scoring.books import Books
from gouji.scoring.service import bind
from gouji.serving.app import App
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.schema import board_entries, hand_results, match_results, match_seats, player_points, players
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import scoring_pb2, scoring_pb2_grpc
from gouji.v1.scoring_pb2 import Conduct, HandResult

from .desk import ENDED_US, SIX, Desk, hand, last, refusal

CONFLICT = grpc.StatusCode.FAILED_PRECONDITION


async def name(app: App, *player_ids: str) -> None:
    """Give some players a name."""
    rows = [{"player_id": player_id, "name": player_id.title(), "created_at": 0} for player_id in player_ids]
    async with app.database.begin() as connection:
        await connection.execute(sa.insert(players), rows)


async def test_a_hand_counts_for_its_people_and_not_for_its_bots(desk: Desk) -> None:
    await desk.record(hand(order=(1, 0, 2, 3, 4, 5), scores=(2, 4, 0, 0, -2, -4)))
    assert (await desk.points("ann"), await desk.points("bob")) == ([(2, 2)], [(4, 1)])
    assert await desk.count(player_points) == [2]


async def test_a_hand_of_bots_alone_is_kept_and_counts_for_nobody(desk: Desk) -> None:
    await desk.record(hand(players=[""] * 6))
    assert len(await desk.match()) == 1
    assert await desk.count(player_points) == [0]


async def test_the_same_hand_again_changes_nothing_and_says_so(desk: Desk) -> None:
    await desk.record(hand())
    assert [await desk.send(hand()) for _ in range(3)] == [True] * 3
    assert await desk.points("ann") == [(4, 1)]


async def test_the_order_in_which_overrides_were_written_makes_no_other_result(desk: Desk) -> None:
    made, again = hand(), hand()
    again.rules.overrides.clear()
    for option in sorted(made.rules.overrides, reverse=True):
        again.rules.overrides[option] = made.rules.overrides[option]
    await desk.write(made)
    assert [await desk.send(made), await desk.send(again)] == [False, True]


async def test_another_result_for_the_same_hand_is_refused_and_changes_nothing(desk: Desk) -> None:
    await desk.record(hand())
    for other in (hand(scores=(40, 2, 0, 0, -2, -4)), hand(players=SIX), hand(preset="korea")):
        async with refusal("result_conflict", CONFLICT):
            await desk.send(other)
    assert len(await desk.match()) == 1
    assert await desk.points("ann") == [(4, 1)]


async def test_fifty_records_of_one_hand_at_once_count_once(desk: Desk) -> None:
    await desk.write(hand())
    repeated = await asyncio.gather(*(desk.send(hand()) for _ in range(50)))
    assert sorted(repeated) == [False] + [True] * 49
    assert await desk.count(hand_results, player_points) == [1, 2]


async def test_of_two_results_at_once_the_one_that_a_table_wrote_stands(desk: Desk) -> None:
    both = [hand(), hand(scores=(8, 4, 0, 0, -4, -8))]
    await desk.write(both[0])
    outcomes = await asyncio.gather(*(desk.send(made) for made in both * 20), return_exceptions=True)
    assert sorted(outcomes[::2], key=bool) == [False] + [True] * 19
    reasons = {reason_of(error) for error in outcomes[1::2] if isinstance(error, grpc.aio.AioRpcError)}
    assert reasons <= {"result_conflict", "unknown_result"}
    assert await desk.points("ann") == [(both[0].scores[0], 1)]


async def test_two_processes_that_record_the_same_hands_count_each_once(settings: Settings) -> None:
    async with (
        running_app(settings, {"scoring": bind}) as one,
        running_app(settings, {"scoring": bind}) as two,
    ):
        desks = [Desk.of(each) for each in (one, two)]
        hands = [hand(number=number) for number in range(1, 11)]
        await desks[0].write(*hands)
        calls = [desk.send(made) for made in hands for desk in desks]
        assert sorted(await asyncio.gather(*calls)) == [False] * 10 + [True] * 10
        assert len(await desks[0].points("ann")) == 10


async def test_tables_with_the_same_players_in_other_seats_do_not_block_each_other(desk: Desk) -> None:
    chance = random.Random(7)
    made = [last(f"t{number}", players=chance.sample(SIX, 6)) for number in range(40)]
    await asyncio.gather(*(desk.record(each) for each in made))
    assert sum((await desk.leaders()).values()) == 0
    assert (await desk.leaders()).keys() == set(SIX)
    assert {matches for _, _, matches in (await desk.ratings()).values()} == {40}


async def test_an_empty_preset_is_recorded_as_standard(desk: Desk) -> None:
    await desk.record(hand("t1", preset=""), hand("t2", preset="standard"))
    assert {row.preset for row in await desk.rows(player_points)} == {"standard"}


async def test_names_are_those_that_players_have_now_and_no_result_keeps_them(desk: Desk) -> None:
    await name(desk.app, "ann")
    made = hand()
    for seat in made.seats:
        seat.name = "Somebody"
    await desk.record(made)
    assert [seat.name for seat in (await desk.match())[0].seats] == ["Ann", *[""] * 5]
    assert b"Somebody" not in (await desk.rows(hand_results))[0].payload
    assert await desk.send(made)
    assert await desk.send(hand())


async def test_a_match_has_its_hands_in_order_as_they_were_written(desk: Desk) -> None:
    hands = [hand(number=number) for number in (3, 1, 2)]
    await desk.record(*hands, hand("other"))
    for made in hands:
        made.revision = 1
    assert await desk.match() == [hands[1], hands[2], hands[0]]


async def test_a_match_counts_on_leaderboards_once_it_is_over(desk: Desk) -> None:
    await desk.record(hand(players=SIX))
    assert await desk.leaders() == {}
    left = [Conduct(left=True, penalty=3), *[Conduct()] * 5]
    await desk.record(last(number=2, conduct=left))
    assert await desk.leaders() == {"a": 5, "b": 4, "d": 0, "c": 0, "e": -4, "f": -8}
    assert await desk.leaders(region="local", preset="standard") == await desk.leaders()
    assert await desk.leaders(region="elsewhere") == await desk.leaders(preset="korea") == {}
    await desk.record(last("t2", queue=""))
    assert (await desk.leaders())["a"] == 5


async def test_a_match_without_a_recorded_hand_is_unknown(desk: Desk) -> None:
    async with refusal("unknown_match", grpc.StatusCode.NOT_FOUND):
        await desk.match()


async def test_a_match_and_its_seats_are_summed_up(desk: Desk) -> None:
    conduct = [Conduct(by_player=9, by_bot=seat, absent_us=seat * 1000) for seat in range(6)]
    first = hand(players=["ann", *[""] * 5], opened=[0], conduct=conduct)
    await desk.record(first)
    (match,) = await desk.rows(match_results)
    assert (match.preset, match.queue, match.region, match.tournament) == ("standard", "local/quick", "local", None)
    assert (match.hands, match.recorded, match.hands_in_all, match.ended_at, match.voided) == (1, 1, None, None, False)
    assert (match.even_points, match.odd_points, match.began_at) == (2, -2, ENDED_US - 60_000_000)
    await desk.record(hand(number=2, players=["ann", *[""] * 5], last=True, ended=ENDED_US + 1))
    (match,) = await desk.rows(match_results)
    assert (match.hands, match.recorded, match.hands_in_all, match.ended_at) == (2, 2, 2, ENDED_US + 1)
    ann, bot, *_ = await desk.rows(match_seats)
    assert (ann.player_id, ann.bot_level, ann.points, ann.hands, ann.p1, ann.openings) == ("ann", None, 8, 2, 2, 1)
    assert (bot.player_id, bot.bot_level, bot.by_bot, bot.absent_us) == (None, "greedy", 1, 1000)
    assert {row.ended_at for row in (ann, bot)} == {ENDED_US + 1}


async def test_a_match_that_was_given_up_is_void_and_its_hands_count(desk: Desk) -> None:
    await desk.record(hand(players=SIX), last(number=2, order=[], scores=[], team_scores=[], abandoned=True))
    (match,) = await desk.rows(match_results)
    assert (match.hands, match.recorded, match.voided, match.ended_at) == (1, 2, True, ENDED_US)
    assert await desk.points("a") == [(4, 1)]
    assert await desk.leaders() == {}


def without(made: HandResult, field: str) -> HandResult:
    made.ClearField(field)
    return made


@pytest.mark.parametrize(
    ("made", "path"),
    [
        (HandResult(), "result.table_id"),
        (hand(number=0), "result.hand"),
        (hand(players=SIX[:5]), "result.seats"),
        (hand(order=(0, 1, 2, 3, 4, 4)), "result.order"),
        (without(hand(), "ended"), "result.ended"),
        (hand("a\0b"), "result.table_id"),
    ],
)
async def test_a_malformed_result_is_refused_by_its_fields_path(desk: Desk, made: HandResult, path: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await desk.send(made)
    told = refusal_of(refused.value)
    assert told
    assert (told.reason, told.metadata["field"]) == ("malformed", path)
    assert path in told.message
    assert await desk.count(hand_results) == [0]


async def test_names_that_no_database_can_hold_are_malformed(desk: Desk) -> None:
    for table_id in ("a\0b", "", "x" * 201):
        async with refusal("malformed", grpc.StatusCode.INVALID_ARGUMENT):
            await desk.match(table_id)


async def test_players_may_read_and_neither_record_nor_correct(desk: Desk) -> None:
    app = desk.app
    mine = (("authorization", f"Bearer {app.tokens.mint_player('ann', 'Ann').access_token}"),)
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub: Any = scoring_pb2_grpc.ScoringServiceStub(channel)
        for call, request in (
            (stub.RecordHand, scoring_pb2.RecordHandRequest(result=hand())),
            (stub.CorrectHand, scoring_pb2.CorrectHandRequest(table_id="t1", hand=1, voided=True, reason="mine")),
        ):
            async with refusal("forbidden", grpc.StatusCode.PERMISSION_DENIED):
                await call(request, metadata=mine)
            async with refusal("token_missing", grpc.StatusCode.UNAUTHENTICATED):
                await call(request)
        async with refusal("unknown_match", grpc.StatusCode.NOT_FOUND):
            await stub.GetMatch(scoring_pb2.GetMatchRequest(table_id="t1"), metadata=mine)
    assert await desk.count(hand_results) == [0]


async def test_a_result_whose_points_cannot_be_written_is_not_kept_either(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any) -> None:
        raise RuntimeError

    await desk.write(hand())
    with monkeypatch.context() as patch:
        patch.setattr(Books, "write_match", fail)
        async with refusal("internal", grpc.StatusCode.INTERNAL):
            await desk.send(hand())
    assert await desk.count(hand_results, player_points, board_entries) == [0, 0, 0]
    assert await desk.send(hand()) is False


async def test_results_are_counted_by_outcome(desk: Desk) -> None:
    await desk.write(hand())
    for made in (hand(), hand(), hand(number=0), hand(scores=(0,) * 6), hand("t2")):
        await asyncio.gather(desk.send(made), return_exceptions=True)
    counted = {
        outcome: desk.app.metrics.registry.get_sample_value("gouji_scoring_results_total", {"outcome": outcome})
        for outcome in ("recorded", "repeated", "malformed", "result_conflict", "unknown_result")
    }
    assert counted == dict.fromkeys(counted, 1)
