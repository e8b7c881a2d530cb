"""What people do beside the game: phrases, mutes, votes to give a hand up, rematches."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.engine import Action
from gouji.engine.records import verify
from gouji.serving.errors import refusal_of
from gouji.serving.schema import active_seats, tables
from gouji.table.afterwards import rematch_of
from gouji.table.company import AT_ONCE, WITHIN_US, Company
from gouji.table.loading import fold_log
from gouji.table.phrases import PHRASES
from gouji.table.records import record_of
from gouji.v1 import events_pb2, table_pb2
from gouji.v1.events_pb2 import Event

HELD = ["KK3", "AAw5599", "3", "224567", "3", "3"]
SHORT = {"hands": ["K", "", "3", "5", "", "4"], "finished": [4, 1]}


async def call(player: Any, method: str, table_id: str = "t1", **fields: Any) -> Any:
    name = {"VoteHand": "VoteHandRequest"}.get(method, f"{method}Request")
    request = getattr(table_pb2, name)(table_id=table_id, **fields)
    return await getattr(player.stub, method)(request, metadata=player.metadata)


async def reason(calling: Any) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await calling
    refusal = refusal_of(failed.value)
    assert refusal is not None, failed.value
    return refusal.reason


async def until_event(stream: Any, body: str) -> Event:
    while True:
        for event in (await stream.read()).batch.events:
            if event.HasField(body):
                return event


def said(at: int, seat: int = 0) -> Event:
    event = Event(said=events_pb2.Said(seat=seat))
    event.at.FromMicroseconds(at)
    return event


def company_of(*votes: int) -> Company:
    company = Company()
    for seat in votes:
        company.fold(Event(hand_vote=events_pb2.HandVote(seat=seat, agree=True)))
    return company


def test_a_seat_may_say_so_much_at_a_time_and_others_meanwhile() -> None:
    company = Company()
    for n in range(AT_ONCE):
        assert company.may_say(0, n)
        company.fold(said(n))
    assert not company.may_say(0, WITHIN_US - 1)
    assert company.may_say(1, WITHIN_US - 1)
    assert company.may_say(0, WITHIN_US)


def test_a_hand_is_given_up_by_all_people_who_are_there_of_both_teams() -> None:
    assert company_of(0, 1).gives_up({0, 1}, teams=True)
    assert not company_of(0, 1).gives_up({0, 1, 2}, teams=True)
    assert not company_of(0, 2).gives_up({0, 2}, teams=True)
    assert company_of(0, 2).gives_up({0, 2}, teams=False)
    assert not company_of(0).gives_up({0}, teams=False)
    # Whoever has gone away does not count, and does not hold the others up.
    assert company_of(0, 1, 2).gives_up({1, 2}, teams=True)
    assert not company_of(0, 1, 2).gives_up({0, 2}, teams=True)
    assert not company_of(0, 1).gives_up(set(), teams=True)


@pytest.mark.parametrize("event", [Event(hand_ended=events_pb2.HandEnded()), Event(table_resumed={})])
def test_votes_lapse_with_the_hand_and_the_server(event: Event) -> None:
    company = company_of(0, 1)
    company.fold(event)
    assert not company.votes


def test_a_vote_can_be_taken_back() -> None:
    company = company_of(0, 1)
    company.fold(Event(hand_vote=events_pb2.HandVote(seat=1)))
    assert company.votes == {0}


def test_phrases_have_ids_of_their_own_and_both_languages() -> None:
    assert len({phrase.id for phrase in PHRASES}) == len(PHRASES)
    for phrase in PHRASES:
        assert phrase.id.isidentifier()
        assert phrase.english
        assert phrase.chinese
        assert phrase.kind


@pytest.fixture
async def six(serve_sqlite: Any, fixed_deal: Callable[..., None]) -> Any:
    fixed_deal(HELD)
    async with serve_sqlite(heartbeat_seconds=1) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        await running.player("p0").observe("t1")
        yield running


async def test_what_is_said_is_in_the_log_once_and_seen_by_all(six: Any) -> None:
    streams = [six.player("p2").watch("t1"), six.operator().watch("t1")]
    first = await call(six.player("p0"), "Say", command_id="s1", phrase="hello")
    again = await call(six.player("p0"), "Say", command_id="s1", phrase="hello")
    assert (first.outcome, again.outcome) == (table_pb2.OUTCOME_DONE, table_pb2.OUTCOME_DUPLICATE)
    assert first.sequence == again.sequence
    for stream in streams:
        event = await until_event(stream, "said")
        assert (event.sequence, event.said.seat, event.said.phrase) == (first.sequence, 0, "hello")
        stream.cancel()
    assert [event.said.phrase for event in await six.rows.log("t1") if event.HasField("said")] == ["hello"]


async def test_what_cannot_be_said_is_refused(six: Any) -> None:
    player = six.player("p0")
    assert await reason(call(player, "Say", command_id="s1", phrase="KKK")) == "malformed"
    assert await reason(call(player, "Say", command_id="", phrase="hello")) == "malformed"
    assert await reason(call(six.player("stranger"), "Say", command_id="s1", phrase="hello")) == "not_seated"
    for n in range(AT_ONCE):
        await call(player, "Say", command_id=f"s{n}", phrase="hello")
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call(player, "Say", command_id="more", phrase="hello")
    refusal = refusal_of(failed.value)
    assert refusal is not None
    assert (failed.value.code(), refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "too_often")
    assert refusal.retry_after_ms
    assert (await call(six.player("p1"), "Say", command_id="s", phrase="smile")).sequence
    assert await reason(call(player, "Say", command_id="s0", phrase="smile")) == "command_id_reused"


async def test_anybody_may_fetch_what_can_be_said(six: Any) -> None:
    for who in (six.player("stranger"), six.operator()):
        answer = await who.stub.ListPhrases(table_pb2.ListPhrasesRequest(), metadata=who.metadata)
        assert [(one.id, one.english, one.chinese) for one in answer.phrases] == [
            (one.id, one.english, one.chinese) for one in PHRASES
        ]


async def test_a_mute_is_its_viewers_own_on_every_device_and_at_every_server(
    serve: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(HELD)
    async with serve() as running:
        await running.rows.place("t1", people=6)
        streams = [
            running.player(who).watch("t1", device=device) for who, device in (("p1", "a"), ("p1", "b"), ("p2", ""))
        ]
        for stream in streams:
            await stream.read()
        muted = await call(running.player("p1"), "Mute", seat=0, muted=True)
        assert list(muted.muted_seats) == [0]
        kinds = {event.WhichOneof("body") for event in await running.rows.log("t1")}
        assert kinds <= {"table_opened", "hand_committed", "hand_dealt", "seat_changed"}
        await call(running.player("p0"), "Say", command_id="s1", phrase="hello")
        heard = [(await until_event(stream, "said")).said for stream in streams]
        assert [(one.seat, one.phrase) for one in heard] == [(0, ""), (0, ""), (0, "hello")]
        for stream in streams:
            stream.cancel()
        assert await reason(call(running.player("p1"), "Mute", seat=6, muted=True)) == "malformed"
    async with serve() as running:
        stream = running.player("p1").watch("t1")
        message = await stream.read()
        assert list(message.start.muted_seats) == [0]
        assert [event.said.phrase for event in message.batch.events if event.HasField("said")] == [""]
        muted = await call(running.player("p1"), "Mute", seat=0, muted=False)
        assert list(muted.muted_seats) == []
        await call(running.player("p0"), "Say", command_id="s2", phrase="thanks")
        assert (await until_event(stream, "said")).said.phrase == "thanks"
        stream.cancel()


async def test_a_hand_that_people_give_up_is_voided_and_dealt_anew(serve_sqlite: Any) -> None:
    async with serve_sqlite(answers_least_ms=0, answers_most_ms=0) as running:
        await running.rows.place("t1", people=2)
        streams = {seat: running.player(f"p{seat}").watch("t1") for seat in range(2)}
        for stream in streams.values():
            await stream.read()
        voted = await call(running.player("p0"), "VoteHand", hand=1, agree=True)
        assert voted.sequence
        assert (await call(running.player("p0"), "VoteHand", hand=1, agree=True)).sequence == 0
        assert await reason(call(running.player("p1"), "VoteHand", hand=2, agree=True)) == "hand_over"
        await until_event(streams[1], "hand_vote")
        await call(running.player("p1"), "VoteHand", hand=1, agree=True)
        ended = await until_event(streams[0], "hand_ended")
        assert (ended.hand, ended.hand_ended.voided, ended.hand_ended.given_up) == (1, True, True)
        assert not ended.hand_ended.order
        log = await running.rows.log("t1")
        after = [event for event in log if event.sequence > ended.sequence]
        assert (after[0].WhichOneof("body"), after[0].hand) == ("hand_committed", 2)
        folded = fold_log("t1", log)
        assert (folded.match.results[0].void, folded.hand_number, folded.company.votes) == (True, 2, set())
        assert verify(record_of(log)) == []
        assert not await running.rows.outbox()
        for stream in streams.values():
            stream.cancel()


async def test_with_bots_alone_a_person_cannot_give_a_hand_up(serve_sqlite: Any) -> None:
    async with serve_sqlite(bot_pace_ms=60_000) as running:
        await running.rows.place("t1", people=1, bot_pace_ms=60_000)
        stream = running.player("p0").watch("t1")
        await stream.read()
        await call(running.player("p0"), "VoteHand", hand=1, agree=True)
        log = await running.rows.log("t1")
        assert log[-1].HasField("hand_vote")
        stream.cancel()


@pytest.fixture
async def over(serve: Any, fixed_deal: Callable[..., None]) -> Any:
    """A server with table t1, whose match of six people is over."""
    fixed_deal(SHORT["hands"], finished=SHORT["finished"])
    async with serve() as running:
        await running.rows.place("t1", people=6, rules={"revolution": "off"})
        await finish(running)
        yield running


async def finish(running: Any) -> None:
    while (await running.rows.table("t1")).state != "over":
        for seat in range(6):
            seen = await running.player(f"p{seat}").observe("t1")
            if seen.turn.question and not seen.over:
                action = seen.legal_actions[0]
                await running.player(f"p{seat}").send(
                    table_pb2.ActRequest(
                        table_id="t1", command_id=f"c{seen.turn.number}", turn=seen.turn.number, action=action
                    )
                )


async def test_when_all_people_are_ready_the_rematch_is_placed_once(over: Any) -> None:
    streams = [over.player("p0").watch("t1", stay=True), over.player("stranger").watch("t1", stay=True)]
    leaving = over.player("p1").watch("t1")
    answers = [await call(over.player(f"p{seat}"), "Ready", ready=True) for seat in range(5)]
    assert not any(answer.rematch_table_id for answer in answers)
    await call(over.player("p4"), "Ready", ready=False)
    assert not (await call(over.player("p5"), "Ready", ready=True)).rematch_table_id
    last = await asyncio.gather(*(call(over.player("p4"), "Ready", ready=True) for _ in range(4)))
    (again,) = {answer.rematch_table_id for answer in last}
    assert again
    for stream in streams:
        assert (await until_event(stream, "rematch_placed")).rematch_placed.table_id == again
        assert await stream.read() is grpc.aio.EOF
    assert not [e async for m in leaving for e in m.batch.events if e.HasField("rematch_placed")]
    log = await over.rows.log("t1")
    assert [event.sequence for event in log] == list(range(1, len(log) + 1))
    row, former = await over.rows.table(again), await over.rows.table("t1")
    spec = table_pb2.TableSpec.FromString(row.spec)
    assert spec == rematch_of("t1", table_pb2.TableSpec.FromString(former.spec), "planner")
    assert (spec.table_id, spec.queue) == (again, "")
    seats = await over.rows.all(sa.select(active_seats).where(active_seats.c.table_id == again))
    assert {(seat.player_id, seat.seat) for seat in seats} == {(f"p{n}", n) for n in range(6)}
    assert (await over.player("p3").observe(again)).seats[3].player_id == "p3"
    assert (await call(over.player("p2"), "Ready", ready=False)).rematch_table_id == again


async def test_a_rematch_waits_for_nobody_who_plays_elsewhere_and_is_for_when_the_match_is_over(over: Any) -> None:
    await over.rows.place("t2", people=6)
    assert await reason(call(over.player("p0"), "Ready", "t2", ready=True)) == "match_not_over"
    assert await reason(call(over.player("stranger"), "Ready", ready=True)) == "not_seated"
    elsewhere = {"player_id": "p3", "table_id": "t2", "seat": 3}
    await over.rows.execute(sa.insert(active_seats).values(**elsewhere))
    for seat in range(5):
        await call(over.player(f"p{seat}"), "Ready", ready=True)
    before = await over.rows.log("t1")
    assert await reason(call(over.player("p5"), "Ready", ready=True)) == "already_seated"
    assert await over.rows.log("t1") == before
    assert len(await over.rows.all(sa.select(tables))) == 2
    await over.rows.execute(sa.update(tables).where(tables.c.table_id == "t1").values(ended_at=1))
    assert await reason(call(over.player("p5"), "Ready", ready=True)) == "no_rematch"
    assert await reason(call(over.player("p5"), "Say", command_id="s", phrase="thanks")) == "table_over"


async def test_people_may_talk_for_a_while_after_the_match(over: Any) -> None:
    stream = over.player("p0").watch("t1", stay=True)
    first = await call(over.player("p5"), "Say", command_id="s1", phrase="good_game")
    again = await call(over.player("p5"), "Say", command_id="s1", phrase="good_game")
    assert (again.outcome, again.sequence) == (table_pb2.OUTCOME_DUPLICATE, first.sequence)
    assert (await until_event(stream, "said")).sequence == first.sequence
    stream.cancel()
    for n in range(AT_ONCE - 1):
        await call(over.player("p5"), "Say", command_id=f"n{n}", phrase="good_game")
    assert await reason(call(over.player("p5"), "Say", command_id="more", phrase="good_game")) == "too_often"
    assert fold_log("t1", await over.rows.log("t1")).over


async def test_a_watch_that_stays_follows_the_match_into_what_comes_after(
    serve_sqlite: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(SHORT["hands"], finished=SHORT["finished"])
    async with serve_sqlite(rematch_seconds=3) as running:
        await running.rows.place("t1", people=6, rules={"revolution": "off"})
        stream = running.player("p0").watch("t1", stay=True)
        await stream.read()
        await finish(running)
        await until_event(stream, "match_ended")
        await call(running.player("p3"), "Say", command_id="s1", phrase="thanks")
        assert (await until_event(stream, "said")).said.seat == 3
        while (message := await stream.read()) is not grpc.aio.EOF:
            assert not message.batch.events


async def test_play_goes_on_while_people_talk(six: Any) -> None:
    await call(six.player("p4"), "Say", command_id="s1", phrase="hello")
    done = await six.player("p0").act("t1", 1, Action.parse("0 play KK"))
    assert done.outcome == table_pb2.OUTCOME_DONE
