"""The client against all services over real gRPC, with a proxy between it and the table server that breaks things."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from gouji.bot.service import bind as bind_bot
from gouji.client import ClientError, Patience, Queue, Session, TableClient
from gouji.client.tables import Server
from gouji.engine import Action
from gouji.gateway.service import bind as bind_gateway
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.scoring.service import bind as bind_scoring
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app, until
from gouji.table.service import bind as bind_table
from gouji.v1.events_pb2 import Event
from gouji.v1.matchmaking_pb2 import TICKET_STATE_CANCELLED, TICKET_STATE_MATCHED
from gouji.v1.rules_pb2 import MatchLength, RuleSet
from gouji.v1.table_pb2 import OUTCOME_DONE, OUTCOME_DUPLICATE
from gouji.wire import action_from_proto

BINDS = {
    "gateway": bind_gateway,
    "matchmaking": bind_matchmaking,
    "table": bind_table,
    "bot": bind_bot,
    "scoring": bind_scoring,
}
QUICK = Patience(first=0.01, most=0.05, total=20, attempt=2, silence=5)
NO_WINDOWS = RuleSet(overrides={"revolution": "off", "burn": "false"})


class Proxy:
    """Passes bytes on to ``target``; can cut all connections, or swallow what the server says."""

    def __init__(self) -> None:
        self.target = ""
        self.deaf = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()

    async def start(self) -> str:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        return f"{host}:{port}"

    async def stop(self) -> None:
        self._server.close()
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        host, _, port = self.target.partition(":")
        try:
            there_reader, there_writer = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, there_writer}
        await asyncio.gather(
            self._pump(reader, there_writer, hears=True), self._pump(there_reader, writer, hears=False)
        )

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, hears: bool) -> None:
        with contextlib.suppress(OSError):
            while chunk := await reader.read(65536):
                if hears or not self.deaf:
                    writer.write(chunk)
                    await writer.drain()
        writer.close()


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    made = Proxy()
    yield made
    await made.stop()


@pytest.fixture
async def quick(sqlite_settings: Settings, proxy: Proxy) -> Settings:
    """Settings under which nobody pauses and tables are reached through the proxy."""
    hurry = {
        "advertise_address": await proxy.start(),
        "bot_pace_ms": 0,
        "answers_least_ms": 5,
        "answers_most_ms": 10,
        "allowance_ms": 0,
        "queue_cycle_ms": 20,
    }
    return sqlite_settings.model_copy(update=hurry)


@pytest.fixture
async def app(quick: Settings, proxy: Proxy) -> AsyncIterator[App]:
    async with running_app(quick, BINDS) as running:
        proxy.target = running.address
        yield running


@pytest.fixture
async def session(app: App) -> AsyncIterator[Session]:
    async with await Session.open(app.address, "Lin", patience=QUICK) as made:
        yield made


async def sit_down(session: Session, rules: RuleSet | None = None) -> str:
    queue = Queue(session)
    made = await queue.create_ticket(
        "local/quick",
        rules=[rules or RuleSet()],
        length=MatchLength(hands=1),
        bots_after=timedelta(0),
    )
    ticket = await queue.settled(made.ticket.ticket_id)
    assert ticket.state == TICKET_STATE_MATCHED
    return ticket.table_id


async def first_move(table: TableClient) -> tuple[Action, int]:
    """Give the default of what the seat is asked now, and the turn."""
    asked = await table.observe()
    seat = asked.observation.viewer_plus_one - 1
    return action_from_proto(seat, asked.legal_actions[-1]), asked.turn.number


async def play(table: TableClient, *, moves: int | None = None) -> list[Event]:
    """Play until the match is over or so many moves were made; give the events seen."""
    seen, answered, made = [], 0, 0
    async with contextlib.aclosing(table.watch()) as events:
        async for event in events:
            seen.append(event)
            turn = table.view.turn.number
            if not table.view.asked or turn == answered:
                continue
            if made == moves:
                break
            answered, made = turn, made + 1
            with contextlib.suppress(ClientError):  # the window of a private question may be over by now
                await table.act(*await first_move(table))
    return seen


async def test_a_match_is_played_to_its_end(session: Session) -> None:
    table_id = await sit_down(session)
    assert (await session.who()).table_id == table_id
    table = TableClient(session, table_id)
    events = await play(table)
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    assert table.view.ended is not None
    assert len(table.view.results) == 1
    assert not (await session.who()).table_id


async def test_a_hint_can_be_played(session: Session) -> None:
    table = TableClient(session, await sit_down(session))
    async with contextlib.aclosing(table.watch()) as events:
        async for _ in events:
            if table.view.asked:
                hint = await table.hint()
                assert hint.why
                assert hint.english.endswith(".")
                seat = (await table.observe()).observation.viewer_plus_one - 1
                await table.act(action_from_proto(seat, hint.action), table.view.turn.number)
                break


async def test_a_watch_that_is_cut_again_and_again_misses_nothing(session: Session, proxy: Proxy) -> None:
    table_id = await sit_down(session)
    spectator = TableClient(session, table_id, spectate=True)

    async def cut() -> None:
        while True:
            await asyncio.sleep(0.15)
            proxy.cut()

    cutting = asyncio.create_task(cut())
    try:
        watching = asyncio.create_task(collect(spectator))
        await play(TableClient(session, table_id))
        seen = await asyncio.wait_for(watching, 30)
    finally:
        cutting.cancel()
    calm = TableClient(session, table_id, spectate=True)
    assert bodies(seen) == bodies(await collect(calm))
    assert spectator.view.results == calm.view.results


async def collect(table: TableClient) -> list[Event]:
    return [event async for event in table.watch()]


def bodies(events: list[Event]) -> list[tuple[int, str | None, bytes]]:
    """What events say, without who was asked at the moment when they were sent."""
    return [
        (event.sequence, kind, getattr(event, kind).SerializeToString(deterministic=True))
        for event in events
        if (kind := event.WhichOneof("body"))
    ]


async def test_a_client_outlives_its_server(quick: Settings, proxy: Proxy) -> None:
    address = str(quick.advertise_address)
    async with running_app(quick, BINDS) as first:
        proxy.target = first.address
        session = await Session.open(address, "Lin", patience=QUICK)
        table = TableClient(session, await sit_down(session, NO_WINDOWS))
        await play(table, moves=2)
        known = table.view.sequence
    playing = asyncio.create_task(play(table))
    async with session, running_app(quick, BINDS) as second:
        proxy.target = second.address
        events = await asyncio.wait_for(playing, 60)
    assert [event.sequence for event in events] == list(range(known + 1, known + 1 + len(events)))
    assert any(event.HasField("table_resumed") for event in events)
    assert table.view.ended


async def test_the_same_command_is_done_once(session: Session) -> None:
    table = TableClient(session, await sit_down(session, NO_WINDOWS))
    await play(table, moves=0)
    action, turn = await first_move(table)
    first = await table.act(action, turn, "mine")
    again = await table.act(action, turn, "mine")
    assert (first.outcome, again.outcome) == (OUTCOME_DONE, OUTCOME_DUPLICATE)
    assert first.sequence == again.sequence


async def test_another_command_under_the_same_id_is_refused(session: Session) -> None:
    table = TableClient(session, await sit_down(session, NO_WINDOWS))
    await play(table, moves=0)
    action, turn = await first_move(table)
    await table.act(action, turn, "mine")
    with pytest.raises(ClientError) as refused:
        await table.act(Action(action.seat, action.kind, "3" * 7), turn, "mine")
    assert refused.value.reason == "command_id_reused"


async def test_a_command_for_a_turn_that_is_over_is_told_the_turn_that_stands(session: Session) -> None:
    table = TableClient(session, await sit_down(session, NO_WINDOWS))
    await play(table, moves=0)
    action, turn = await first_move(table)
    with pytest.raises(ClientError) as refused:
        await table.act(action, turn - 1)
    assert refused.value.reason == "stale_turn"
    assert refused.value.details["turn"] == str(turn)
    assert not refused.value.passing


async def test_a_command_whose_answer_was_lost_is_sent_again_and_done_once(session: Session, proxy: Proxy) -> None:
    table_id = await sit_down(session, NO_WINDOWS)
    table = TableClient(session, table_id)
    await play(table, moves=0)
    action, turn = await first_move(table)
    direct = Session(session.address, session.credentials)
    proxy.deaf = True
    acting = asyncio.create_task(table.act(action, turn))
    async with direct:
        await wait_for_turn_after(TableClient(direct, table_id), turn, proxy)
    proxy.deaf = False
    proxy.cut()
    answer = await acting
    assert answer.outcome == OUTCOME_DUPLICATE
    log = await collect_until(TableClient(session, table_id, spectate=True), answer.sequence)
    mine = [event for event in log if event.action_taken.seat == action.seat and event.HasField("action_taken")]
    assert [event.sequence for event in mine].count(answer.sequence) == 1


async def wait_for_turn_after(table: TableClient, turn: int, proxy: Proxy) -> None:
    """Wait, past the proxy, until the table has gone on."""
    table._server = Server("", proxy.target)
    seen = [0]

    async def look() -> None:
        while seen[0] <= turn:
            table._server = Server("", proxy.target)
            seen[0] = (await table.observe()).turn.number
            await asyncio.sleep(0.02)

    await asyncio.wait_for(look(), 10)


async def collect_until(table: TableClient, sequence: int) -> list[Event]:
    seen = []
    async with contextlib.aclosing(table.watch()) as events:
        async for event in events:
            seen.append(event)
            if event.sequence >= sequence:
                break
    return seen


async def test_a_ticket_is_watched_and_left(session: Session) -> None:
    queue = Queue(session)
    made = await queue.create_ticket("local/quick", no_bots=True)
    again = await queue.create_ticket("local/quick", no_bots=True)
    assert again.already_queued
    assert again.ticket.ticket_id == made.ticket.ticket_id
    waiting = asyncio.create_task(queue.settled(made.ticket.ticket_id))
    await asyncio.sleep(0.1)
    assert (await queue.cancel(made.ticket.ticket_id)).state == TICKET_STATE_CANCELLED
    assert (await asyncio.wait_for(waiting, 10)).state == TICKET_STATE_CANCELLED


async def test_the_clock_of_a_turn_is_told(session: Session) -> None:
    table = TableClient(session, await sit_down(session, NO_WINDOWS))
    assert table.seconds_left is None
    await play(table, moves=0)
    await until(lambda: table.view.asked)
    assert 0 < (table.seconds_left or 0) <= 80


async def test_a_player_takes_its_seat_back_from_the_bot(quick: Settings, proxy: Proxy) -> None:
    hasty = quick.model_copy(update={"turn_ms": 200, "bank_ms": 0, "bot_pace_ms": 150})
    async with running_app(hasty, BINDS) as app:
        proxy.target = app.address
        async with await Session.open(app.address, "Lin", patience=QUICK) as session:
            table = TableClient(session, await sit_down(session, NO_WINDOWS))
            watching = asyncio.create_task(collect(table))
            await until(lambda: table.view.away, 30)
            back = await table.take_seat()
            await until(lambda: table.view.sequence >= back.sequence)
            assert (await table.take_seat()).sequence == 0 or table.view.away
            watching.cancel()


async def test_a_player_leaves_for_good_and_sits_down_elsewhere(session: Session) -> None:
    table = TableClient(session, await sit_down(session, NO_WINDOWS))
    await play(table, moves=0)
    watching = asyncio.create_task(collect(table))
    left = await table.leave()
    seen = await asyncio.wait_for(watching, 10)
    assert left.sequence == seen[-1].sequence
    assert table.view.left
    assert table.view.away
    assert await sit_down(session) != table.table_id
