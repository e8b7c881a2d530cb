"""Matchmaking over real gRPC, on both databases."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from gouji.serving.errors import refusal_of
from gouji.serving.settings import Settings
from gouji.serving.testing import captured_log, until
from gouji.v1.events_pb2 import Seat
from gouji.v1.matchmaking_pb2 import TicketState
from gouji.v1.rules_pb2 import MatchLength, RuleSet

AT_ONCE = Duration()
WAITING = TicketState.TICKET_STATE_WAITING
MATCHED = TicketState.TICKET_STATE_MATCHED
CANCELLED = TicketState.TICKET_STATE_CANCELLED
LAPSED = TicketState.TICKET_STATE_LAPSED
BOTS = [Seat(bot_level="greedy")] * 5
NOWHERE = "127.0.0.1:9"


async def refused(call: Any) -> tuple[str, dict[str, str]]:
    """The reason and metadata with which a call is refused."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    refusal = refusal_of(caught.value)
    assert refusal is not None
    return refusal.reason, dict(refusal.metadata)


async def test_six_players_are_seated_at_one_table_which_the_table_service_is_told(desk: Any) -> None:
    callers = [desk.player(f"p{n}") for n in range(6)]
    created = await asyncio.gather(*(caller.create() for caller in callers))
    assert {answer.ticket.state for answer in created} <= {WAITING, MATCHED}
    settled = await asyncio.gather(
        *(caller.settled(answer.ticket.ticket_id) for caller, answer in zip(callers, created, strict=True))
    )
    assert {ticket.state for ticket in settled} == {MATCHED}
    [table_id] = {ticket.table_id for ticket in settled}
    assert sorted(ticket.seat for ticket in settled) == list(range(6))
    [spec] = await desk.books.specs()
    assert [spec.seats[ticket.seat].name for ticket in settled] == [f"P{n}" for n in range(6)]
    assert (spec.table_id, spec.queue, spec.length) == (table_id, "local/quick", MatchLength(hands=3))
    await until(lambda: desk.tables.opened == [table_id])


async def test_bots_fill_at_once_when_asked_to(desk: Any) -> None:
    ann = desk.player("ann")
    wish = {"rules": [RuleSet(overrides={"burn": "false"})], "length": MatchLength(target=30)}
    created = await ann.create(queue="eu/quick", bots_after=AT_ONCE, **wish)
    ticket = await ann.settled(created.ticket.ticket_id)
    assert ticket.state == MATCHED
    [spec] = await desk.books.specs()
    assert spec.rules == RuleSet(preset="standard", overrides={"burn": "false"})
    assert (spec.queue, spec.length) == ("eu/quick", MatchLength(target=30))
    assert spec.seats[ticket.seat] == Seat(player_id="ann", name="Ann")
    assert sum(seat.bot_level == "planner" for seat in spec.seats) == 5


async def test_asking_again_gives_the_ticket_that_stands(desk: Any) -> None:
    ann = desk.player("ann")
    first = await ann.create(no_bots=True)
    again = await ann.create(no_bots=True, length=MatchLength(hands=9))
    assert not first.already_queued
    assert again.already_queued
    assert again.ticket.ticket_id == first.ticket.ticket_id
    assert (first.ticket.position, first.ticket.state) == (1, WAITING)
    assert not first.ticket.HasField("estimate")


async def test_a_hundred_double_queues_at_once_give_one_ticket(desk: Any) -> None:
    ann = desk.player("ann")
    answers = await asyncio.gather(*(ann.create(no_bots=True) for _ in range(100)))
    assert len({answer.ticket.ticket_id for answer in answers}) == 1
    assert sum(not answer.already_queued for answer in answers) == 1


async def test_a_seated_player_is_refused_and_told_where(desk: Any) -> None:
    table_id = await desk.operator().place(request_id="r1", seats=[Seat(player_id="ann", name="Ann"), *BOTS])
    reason, metadata = await refused(desk.player("ann").create())
    assert (reason, metadata["table_id"]) == ("already_seated", table_id)
    await desk.books.end_match(table_id)
    assert (await desk.player("ann").create()).ticket.ticket_id


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"queue": "nowhere"}, "unknown_queue"),
        ({"rules": [RuleSet(preset="x")]}, "unknown_rule_option"),
        ({"rules": [RuleSet(overrides={"calls": "true"})]}, "rules_conflict"),
        ({"length": MatchLength(hands=99)}, "malformed"),
    ],
)
async def test_what_cannot_be_queued_is_refused(
    sqlite_settings: Settings, desks: Callable[..., Any], fields: dict[str, Any], reason: str
) -> None:
    async with desks(sqlite_settings) as desk:
        assert (await refused(desk.player("ann").create(**fields)))[0] == reason


async def test_a_cancelled_ticket_ends_its_watch_and_makes_room(desk: Any) -> None:
    ann = desk.player("ann")
    created = await ann.create(no_bots=True)
    watch = aiter(ann.watch(created.ticket.ticket_id))
    assert (await anext(watch)).ticket.state == WAITING
    assert (await ann.cancel(created.ticket.ticket_id)).state == CANCELLED
    assert (await ann.cancel(created.ticket.ticket_id)).state == CANCELLED
    assert [response.ticket.state async for response in watch][-1] == CANCELLED
    assert not (await ann.create(no_bots=True)).already_queued


async def test_a_matched_ticket_is_not_cancelled(desk: Any) -> None:
    ann = desk.player("ann")
    created = await ann.create(bots_after=AT_ONCE)
    ticket = await ann.settled(created.ticket.ticket_id)
    reason, metadata = await refused(ann.cancel(ticket.ticket_id))
    assert (reason, metadata["table_id"]) == ("ticket_claimed", ticket.table_id)


async def test_a_watch_repeats_itself_as_a_heart_beat(desk: Any) -> None:
    ann = desk.player("ann")
    watch = ann.watch((await ann.create()).ticket.ticket_id)
    first, second = (await watch.read()).ticket, (await watch.read()).ticket
    assert (first.state, second.state) == (WAITING, WAITING)
    assert second.estimate.ToMicroseconds() < first.estimate.ToMicroseconds()
    watch.cancel()


async def test_the_ticket_of_a_client_that_went_away_lapses(settings: Settings, desks: Callable[..., Any]) -> None:
    async with desks(settings, ticket_lease_seconds=1) as desk:
        ann = desk.player("ann")
        ticket_id = (await ann.create(no_bots=True)).ticket.ticket_id
        watch = ann.watch(ticket_id)
        for _ in range(3):
            assert (await watch.read()).ticket.state == WAITING
        watch.cancel()

        async def lapsed() -> bool:
            return await desk.books.states(ticket_id) == ["lapsed"]

        assert await desk.books.come_true(lapsed)
        assert (await ann.settled(ticket_id)).state == LAPSED


@pytest.mark.parametrize("ticket_id", ["", "nobody's", "a\0b"])
async def test_an_unknown_ticket_is_refused(desk: Any, ticket_id: str) -> None:
    ann = desk.player("ann")
    assert (await refused(ann.cancel(ticket_id)))[0] == "unknown_ticket"
    assert (await refused(ann.watch(ticket_id).read()))[0] == "unknown_ticket"


async def test_somebody_elses_ticket_is_unknown(desk: Any) -> None:
    ticket_id = (await desk.player("ann").create()).ticket.ticket_id
    bob = desk.player("bob")
    assert (await refused(bob.cancel(ticket_id)))[0] == "unknown_ticket"
    assert (await refused(bob.watch(ticket_id).read()))[0] == "unknown_ticket"
    assert await desk.books.states(ticket_id) == ["waiting"]


async def test_each_call_is_for_its_roles(desk: Any) -> None:
    assert (await refused(desk.operator().create()))[0] == "forbidden"
    assert (await refused(desk.player("ann").create(player_id="bob", player_name="Bob")))[0] == "forbidden"
    assert (await refused(desk.player("ann").place(request_id="r1", seats=BOTS)))[0] == "forbidden"


async def test_an_operator_places_a_table_once_for_each_request(desk: Any) -> None:
    operator = desk.operator()
    fields = {"request_id": "r1", "seats": [Seat(player_id="ann", name="Ann"), *BOTS], "bot_pace_ms": 5}
    first = await operator.place(**fields)
    assert await operator.place(**fields) == first
    [spec] = await desk.books.specs()
    assert (spec.table_id, spec.bot_pace_ms, spec.queue) == (first, 5, "")
    await until(lambda: first in desk.tables.opened)


async def test_levels_are_the_bot_services(desk: Any) -> None:
    seats = [*BOTS, Seat(bot_level="genius")]
    reason, metadata = await refused(desk.operator().place(request_id="r1", seats=seats))
    assert (reason, metadata["field"]) == ("unknown_bot_level", "seats[5].bot_level")


async def test_placing_bots_needs_the_bot_service(sqlite_settings: Settings, desks: Callable[..., Any]) -> None:
    async with desks(sqlite_settings, bot_address=NOWHERE) as desk:
        seats = [*BOTS, Seat(bot_level="random")]
        assert (await refused(desk.operator().place(request_id="r1", seats=seats)))[0] == "overloaded"
        people = [Seat(player_id=f"p{n}", name=f"P{n}") for n in range(6)]
        assert await desk.operator().place(request_id="r1", seats=people)


async def test_a_table_is_placed_though_nobody_can_be_told(
    sqlite_settings: Settings, desks: Callable[..., Any]
) -> None:
    log, lines = captured_log()
    async with desks(sqlite_settings, log=log, table_server=NOWHERE) as desk:
        ann = desk.player("ann")
        created = await ann.create(bots_after=AT_ONCE)
        assert (await ann.settled(created.ticket.ticket_id)).state == MATCHED
        await until(lambda: any(line["event"] == "wake_up_failed" for line in lines))
        bob = desk.player("bob")
        created = await bob.create(bots_after=AT_ONCE)
        assert (await bob.settled(created.ticket.ticket_id)).state == MATCHED


async def test_a_stopping_server_sends_its_watchers_away(sqlite_settings: Settings, desks: Callable[..., Any]) -> None:
    async with desks(sqlite_settings, heartbeat_seconds=60) as desk:
        ann = desk.player("ann")
        watch = ann.watch((await ann.create(no_bots=True)).ticket.ticket_id)
        await watch.read()
        await asyncio.gather(desk.app.stop(), _ended(watch))


async def _ended(watch: Any) -> None:
    assert (await refused(watch.read()))[0] == "draining"


async def test_a_service_queues_a_player_who_finds_its_ticket(desk: Any) -> None:
    service, ann = desk.service(), desk.player("ann")
    made = (await service.create(player_id="ann", player_name="Ann", no_bots=True)).ticket
    [found] = await ann.mine()
    assert (found.ticket_id, found.members[0].name, found.state) == (made.ticket_id, "Ann", WAITING)
    assert (await ann.create(no_bots=True)).already_queued
    assert (await service.cancel(made.ticket_id)).state == CANCELLED
    assert await ann.mine() == []


async def test_a_service_has_to_say_whom_it_queues(sqlite_settings: Settings, desks: Callable[..., Any]) -> None:
    async with desks(sqlite_settings) as desk:
        reason, metadata = await refused(desk.service().create(no_bots=True))
        assert (reason, metadata["field"]) == ("malformed", "player_id")
        reason, metadata = await refused(desk.service().create(player_id="ann"))
        assert (reason, metadata["field"]) == ("malformed", "player_name")
