"""Coming, going and being away over real gRPC, the time driven by hand."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.engine import Action
from gouji.serving.errors import reason_of
from gouji.serving.schema import active_seats, hand_results
from gouji.serving.testing import ManualClock, until
from gouji.table.live import SLOW_US, Live
from gouji.v1 import events_pb2, scoring_pb2, table_pb2
from gouji.v1.events_pb2 import Event

PLAYER, BOT, CLOCK = events_pb2.DECIDED_BY_PLAYER, events_pb2.DECIDED_BY_BOT, events_pb2.DECIDED_BY_CLOCK
HANDS = ["3456789T"] * 6
TIMES = {"turn_ms": 60_000, "bank_ms": 0, "absent_ms": 20_000, "heartbeat_seconds": 10, "lease_seconds": 100_000}


@dataclass
class Table:
    """A table of six people, and the time."""

    running: Any
    clock: ManualClock

    async def pass_time(self, seconds: float) -> None:
        """Let time pass a second at a time, with what it sets off."""
        while seconds > 0:
            await self.clock.advance(min(seconds, 1.0))
            await self.quiet()
            seconds -= 1.0

    async def quiet(self) -> None:
        """Wait until all is written that is on its way."""
        for _ in range(3):
            await asyncio.sleep(0.002)
            await self.clock.advance(0)
            live = await self.running.host.find("t1")
            # Bots that play on may have ended the match.
            while isinstance(live, Live) and live.writing:
                await asyncio.sleep(0.002)
                await self.clock.advance(0)

    async def come(self, seat: int) -> Any:
        """Watch from a seat."""
        stream = self.running.player(f"p{seat}").watch("t1")
        await stream.read()
        await self.quiet()
        return stream

    async def hang_up(self, *streams: Any) -> None:
        live = await self.running.host.find("t1")
        left = len(live.watchers) - len(streams)
        for stream in streams:
            stream.cancel()
        await until(lambda: len(live.watchers) == left)

    async def changes(self, seat: int) -> list[tuple[bool, bool]]:
        """What the log says of a seat: connected, and whether a bot plays."""
        found = [event.seat_changed for event in await self.running.rows.log("t1") if event.HasField("seat_changed")]
        return [(change.connected, change.bot_plays) for change in found if change.seat == seat]

    async def presence(self, seat: int) -> table_pb2.Presence:
        seen = await self.running.player("stranger").observe("t1")
        return seen.presence[seat]

    async def acts(self) -> list[tuple[int, Any]]:
        log = await self.running.rows.log("t1")
        return [(e.action_taken.seat, e.action_taken.decided_by) for e in log if e.HasField("action_taken")]


@pytest.fixture
async def table(serve_sqlite: Any, fixed_deal: Callable[..., None]) -> AsyncIterator[Table]:
    fixed_deal(HANDS)
    clock = ManualClock()
    async with serve_sqlite(clock=clock, **TIMES) as running:
        await running.rows.place("t1", people=6)
        made = Table(running, clock)
        opening = asyncio.create_task(running.service().open("t1"))
        while not opening.done():
            await asyncio.sleep(0.002)
            await clock.advance(0)
        yield made


async def refused(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


async def take_seat(table: Table, player: str) -> int:
    caller = table.running.player(player)
    answer = await caller.stub.TakeSeat(table_pb2.TakeSeatRequest(table_id="t1"), metadata=caller.metadata)
    return int(answer.sequence)


async def leave(table: Table, player: str) -> int:
    caller = table.running.player(player)
    answer = await caller.stub.Leave(table_pb2.LeaveRequest(table_id="t1"), metadata=caller.metadata)
    return int(answer.sequence)


async def test_two_connections_are_one_player_who_is_gone_when_both_are(table: Table) -> None:
    streams = [await table.come(0), await table.come(0)]
    await table.hang_up(streams[0])
    await table.pass_time(15)
    assert await table.changes(0) == [(True, False)]
    await table.hang_up(streams[1])
    await table.pass_time(13)
    assert await table.changes(0) == [(True, False), (False, False)]
    await table.pass_time(23)
    assert await table.changes(0) == [(True, False), (False, False), (False, True)]
    assert (await table.acts())[0] == (0, BOT)


async def test_who_comes_back_in_time_keeps_its_seat_and_shows_as_never_gone(table: Table) -> None:
    await table.hang_up(await table.come(0))
    await table.pass_time(9)
    await table.come(0)
    await table.pass_time(40)
    assert await table.changes(0) == [(True, False)]


async def test_who_drops_at_once_is_gone_after_the_same_time(table: Table) -> None:
    streams = [table.running.player("p0").watch("t1") for _ in range(3)]
    await asyncio.gather(*(stream.read() for stream in streams))
    await table.quiet()
    await table.hang_up(*streams)
    await table.pass_time(35)
    assert await table.changes(0) == [(True, False), (False, False), (False, True)]


async def test_a_bad_token_or_a_stranger_stops_nothing(table: Table) -> None:
    bad = table.running.player("p0")
    bad.metadata = (("authorization", "Bearer forged"),)
    assert await refused(bad.watch("t1").read()) == "token_invalid"
    stranger = table.running.player("stranger").watch("t1")
    await stranger.read()
    await table.pass_time(23)
    assert await table.changes(0) == [(False, True)]
    assert await refused(take_seat(table, "stranger")) == "not_seated"
    assert await refused(leave(table, "stranger")) == "not_seated"


async def test_coming_while_the_bot_takes_over_attaches_to_the_same_seat(
    table: Table, hold_commits: Callable[[], asyncio.Event]
) -> None:
    others = [await table.come(seat) for seat in range(1, 6)]
    await table.pass_time(19)
    may_commit = hold_commits()
    await table.clock.advance(2)  # the bot's taking over is on its way to the log
    coming = asyncio.create_task(table.come(0))
    await asyncio.sleep(0.05)
    may_commit.set()
    stream = await coming
    assert await table.changes(0) == [(False, True), (True, True)]
    assert (await table.presence(0)).bot_plays
    assert await take_seat(table, "p0") > 0
    assert await take_seat(table, "p0") == 0
    assert await table.changes(0) == [(False, True), (True, True), (True, False)]
    assert len(others) == 5
    stream.cancel()


async def test_every_watcher_sees_who_plays_and_late_ones_are_told_at_once(table: Table) -> None:
    await table.come(1)
    await table.pass_time(25)
    for player in ("p1", "p2", "stranger"):
        message = await table.running.player(player).watch("t1", 1).read()
        assert [seat.bot_plays for seat in message.presence] == [seat != 1 for seat in range(6)]
        assert message.presence[1].connected
        shown = [event.seat_changed for event in message.batch.events if event.seat_changed.bot_plays]
        assert {change.seat for change in shown} >= {0, 2, 3, 4, 5}
    played = {plays: table.running.metric("gouji_table_seats", plays=plays) for plays in ("player", "stand_in", "bot")}
    assert played == {"player": 1, "stand_in": 5, "bot": 0}


async def test_a_player_takes_its_seat_back_by_acting(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    # Bots that never answer leave the turn to the player.
    monkeypatch.setattr("gouji.table.bots.BotQueue._send", lambda _: None)
    for seat in range(1, 6):
        await table.come(seat)
    await table.pass_time(23)
    assert await table.changes(0) == [(False, True)]
    turn = (await table.running.player("p0").observe("t1")).turn.number
    done = await table.running.player("p0").act("t1", turn, Action.parse("0 play 3"))
    acted, back = (await table.running.rows.log("t1"))[-2:]
    assert (acted.sequence, acted.action_taken.decided_by) == (done.sequence, PLAYER)
    assert (back.seat_changed.seat, back.seat_changed.bot_plays) == (0, False)
    assert table.running.metric("gouji_table_seats_changed_total", plays="player") == 1


async def test_a_bots_choice_that_comes_after_the_player_is_dropped(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("gouji.table.bots.BotQueue._send", lambda queue: asked.extend(queue._waiting))
    await table.pass_time(23)
    decision, choice, _ = asked[0]
    assert (decision.level, decision.observation.viewer_plus_one) == ("planner", 1)
    assert await take_seat(table, "p0") > 0
    choice.set_result(table_pb2.ActRequest().action)
    await table.quiet()
    assert await table.acts() == []
    assert table.running.metric("gouji_table_bot_failures_total", cause="malformed") == 0


async def test_leaving_is_for_good_frees_the_player_and_is_told_to_all(table: Table) -> None:
    streams = [await table.come(seat) for seat in range(6)]
    rows = table.running.rows
    await rows.execute(sa.update(active_seats).values(player_id="x" + active_seats.c.player_id))
    left = await leave(table, "p0")
    (change,) = [event.seat_changed for event in await rows.log("t1") if event.sequence == left]
    assert (change.seat, change.connected, change.bot_plays, change.left, change.penalty) == (0, False, True, True, 4)
    assert await leave(table, "p0") == 0
    assert [row.seat for row in await rows.all(sa.select(active_seats).order_by(active_seats.c.seat))] == [
        1,
        2,
        3,
        4,
        5,
    ]
    assert await refused(take_seat(table, "p0")) == "seat_left"
    assert await refused(table.running.player("p0").act("t1", 1, Action.parse("0 play 3"))) == "seat_left"

    async def last(stream: Any) -> Event:
        events: list[Event] = []
        while not any(event.seat_changed.left for event in events):
            events = list((await stream.read()).batch.events)
        return events[-1]

    for stream in streams:
        await last(stream)
    while (message := await streams[0].read()) is not grpc.aio.EOF:
        assert not message.HasField("snapshot")
    outside = await table.running.player("p0").observe("t1")
    assert (list(outside.observation.cards), outside.presence[0].left) == ([], True)


async def test_a_result_tells_scoring_who_was_away_and_who_left(table: Table, come: Any) -> None:
    await leave(table, "p0")
    for _ in range(200):
        await table.clock.advance(1)
        await asyncio.sleep(0.005)

    async def recorded() -> bool:
        await table.clock.advance(1)
        return len(await table.running.rows.all(sa.select(hand_results))) == 1

    await come(recorded)
    (row,) = await table.running.rows.all(sa.select(hand_results))
    conduct = scoring_pb2.HandResult.FromString(row.payload).conduct
    assert [(seat.left, seat.penalty, seat.absent) for seat in conduct] == [(True, 4, True)] + [(False, 0, True)] * 5
    assert all(seat.by_player == 0 for seat in conduct)


async def test_a_slow_database_takes_nobodys_time(table: Table, hold_commits: Callable[[], asyncio.Event]) -> None:
    for seat in range(6):
        await table.come(seat)
    may_commit = hold_commits()
    acting = asyncio.create_task(table.running.player("p0").act("t1", 1, Action.parse("0 play 3")))
    live = await table.running.host.find("t1")
    await until(lambda: live.writing)
    await table.clock.advance(5)
    may_commit.set()
    await acting
    await table.quiet()
    credit = (await table.running.rows.log("t1"))[-1]
    assert credit.clocks_credited.pause_ms == 5000 > SLOW_US // 1000
    seen = await table.running.player("p1").observe("t1")
    assert seen.turn.deadline.ToMicroseconds() == live._around.now() + 60_000_000


async def test_a_command_that_waits_for_the_database_is_in_time(
    table: Table, hold_commits: Callable[[], asyncio.Event]
) -> None:
    for seat in range(5):
        await table.come(seat)
    may_commit = hold_commits()
    live = await table.running.host.find("t1")
    coming = asyncio.create_task(table.come(5))  # an event on its way to the log, behind which commands wait
    await until(lambda: live.writing)
    acting = asyncio.create_task(table.running.player("p0").act("t1", 1, Action.parse("0 play 3")))
    await table.clock.advance(100)
    may_commit.set()
    assert (await acting).outcome == table_pb2.OUTCOME_DONE
    await coming
    assert (await table.acts())[0] == (0, PLAYER)


async def test_absence_outlives_the_server(serve_sqlite: Any, fixed_deal: Callable[..., None]) -> None:
    fixed_deal(HANDS)
    async with serve_sqlite(**TIMES) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        await leave(Table(running, ManualClock()), "p3")
    async with serve_sqlite(**TIMES) as running:
        await running.host.open("t1")
        seen = await running.player("stranger").observe("t1")
        assert [(seat.bot_plays, seat.left) for seat in seen.presence] == [(s == 3, s == 3) for s in range(6)]
