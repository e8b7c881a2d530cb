"""All that one seat, spectators and strangers receive at a table over real gRPC, and all that operators do.

A `Witness` plays a script at a running table and writes down the bytes of every answer, refusal and message with the
time, by the hand-driven clock, at which it came. What differs between two such accounts is what the two deals tell.
"""

import asyncio
import re
import urllib.request
from collections.abc import Iterable, Sequence
from typing import Any

import grpc
import sqlalchemy as sa
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from gouji.engine import Action
from gouji.serving.schema import tables
from gouji.serving.testing import ManualClock
from gouji.table.company import AT_ONCE
from gouji.v1 import admin_pb2, admin_pb2_grpc, table_pb2, table_pb2_grpc
from gouji.wire import action_to_proto

VIEWER = 2
"""The seat that looks."""

TIMES = {
    "turn_ms": 60_000,
    "answers_least_ms": 300,
    "answers_most_ms": 700,
    "contributions_ms": 5_000,
    "heartbeat_seconds": 3_600,
    "lease_seconds": 100_000,
    "metrics_port": 0,
}
MOVE_SECONDS = 0.1
"""Time from one move to the next."""

END_SECONDS = 0.3
"""How long it takes at most until a view that is behind notices that its table has stopped."""

OF_THE_MACHINE = re.compile(
    r"^#|process_|python_|_seconds|_created|commit_steps|rpcs_open|database_connections|watchers|CANCELLED"
)
"""Metrics of the machine and the moment: durations, open calls, what one commit took, when a hang-up is noticed."""

_DRAWN = ("seconds", "request_id", "trace_id")

_BY_CHANCE = ("commit", "gouji.steps", "gouji.decisions")
"""What spans say of which steps happened to come together."""

Line = tuple[float, str, bytes]


class Witness:
    """Plays at table t1 and writes down, for each kind of message, when it came and what it said."""

    def __init__(self, running: Any, clock: ManualClock, exporter: InMemorySpanExporter) -> None:
        self.seen: list[Line] = []
        self.operators: list[Line] = []
        self.exporter = exporter
        self._running = running
        self._clock = clock
        self._stubs = {
            "table": table_pb2_grpc.TableServiceStub(running.channel),
            "admin": admin_pb2_grpc.TableAdminServiceStub(running.channel),
        }
        self._people = {f"p{seat}": running.player(f"p{seat}").metadata for seat in range(6)} | {
            "stranger": running.player("stranger").metadata,
            "operator": running.operator().metadata,
            "service": running.service().metadata,
            "nobody": (),
            "forger": (("authorization", "Bearer forged"),),
        }
        self._streams: dict[str, Any] = {}

    # Time

    async def pass_time(self, seconds: float) -> None:
        """Let time pass from one thing that is due to the next, and note on the way what comes of each."""
        end = self._clock.monotonic() + seconds
        while (due := self._clock.next_wake) is not None and due <= end:
            await self._clock.advance(due - self._clock.monotonic())
            await self.hear()
        await self._clock.advance(end - self._clock.monotonic())

    async def hear(self) -> None:
        """Note all that the streams have brought when nothing is on its way any more."""
        await self._clock.advance(0)
        while (live := self._running.host._tables.get("t1")) is not None and live.writing:
            await asyncio.sleep(0.001)
            await self._clock.advance(0)
        for name, stream in list(self._streams.items()):
            await self._read(name, stream, await self._last_shown(name))

    async def _last_shown(self, name: str) -> int:
        live = self._running.host._tables.get("t1")
        if live is None:
            return 0
        view = live.views.get(None) if name.startswith("spectator") else None
        return int((await view).shown if view is not None else live.shown)

    async def _read(self, name: str, stream: Any, last: int) -> None:
        came: Any = None
        while stream.came < last:
            message = await stream.call.read()
            # How many messages bring it depends on how busy the machine is.
            if came is None:
                came = message
            else:
                came.MergeFrom(message)
            stream.came = max([stream.came, *(event.sequence for event in message.batch.events)])
        if came is not None:
            self._note(self.seen, f"watch {name}", came)

    def _note(self, account: list[Line], label: str, message: Any) -> None:
        text = message if isinstance(message, bytes) else message.SerializeToString(deterministic=True)
        account.append((round(self._clock.monotonic(), 3), label, self._plain(text)))

    def _plain(self, text: bytes) -> bytes:
        """Put a word in the place of the server's port, which the machine chooses."""
        return text.replace(self._running.app.address.encode(), b"ADDRESS")

    # Calls

    async def call(self, who: str, method: str, *, service: str = "table", **fields: Any) -> Any:
        """Call, and note the answer, or the refusal with its details and trailers, unless it is another seat's."""
        pb = admin_pb2 if service == "admin" else table_pb2
        request = getattr(pb, f"{method}Request")(**fields)
        call = getattr(self._stubs[service], method)(request, metadata=self._people[who])
        response = None
        try:
            response = (
                b"".join([piece.text.encode() async for piece in call]) if method == "ExportTable" else await call
            )
        except grpc.aio.AioRpcError as error:
            said: Any = repr((error.code(), error.details(), error.trailing_metadata())).encode()
        else:
            said = response
        account = self.operators if who == "operator" else self.seen
        if who not in self._people or who[0] != "p" or who == f"p{VIEWER}":
            self._note(account, f"{method} {who}", said)
            ends = repr([await call.initial_metadata(), await call.trailing_metadata()]).encode()
            self._note(account, f"metadata {method} {who}", ends)
        await self.hear()
        return response

    async def act(self, seat: int, turn: int, action: Action, command_id: str, device: str = "a") -> None:
        """Do something for a seat."""
        fields = {"turn": turn, "command_id": command_id, "action": action_to_proto(action), "device": device}
        await self.call(f"p{seat}", "Act", table_id="t1", **fields)

    async def watch(self, name: str, who: str, **fields: Any) -> None:
        """Begin to watch, and note what comes from now on."""
        request = table_pb2.WatchRequest(table_id="t1", **fields)
        stream = _Stream(self._stubs["table"].Watch(request, metadata=self._people[who]))
        message = await stream.call.read()
        self._note(self.seen, f"watch {name}", message)
        stream.came = message.batch.last_sequence
        self._streams[name] = stream
        await self.hear()

    async def look(self, name: str, who: str, **fields: Any) -> None:
        """Watch for one message alone."""
        await self.watch(name, who, **fields)
        self._streams.pop(name).call.cancel()

    async def ends(self) -> None:
        """Note how each stream ends."""
        for name, stream in self._streams.items():
            try:
                while (message := await stream.call.read()) is not grpc.aio.EOF:
                    self._note(self.seen, f"watch {name}", message)
            except grpc.aio.AioRpcError as error:
                said = repr((error.code(), error.details(), error.trailing_metadata()))
                self._note(self.seen, f"end {name}", said.encode())
        self._streams.clear()

    # The operators' side

    def log_lines(self) -> list[str]:
        """Give what the process has logged, sorted: calls that end at once are in no order.

        Left out are durations, names of requests, which are drawn, and calls hung up, which are noticed at any time.
        """
        lines = [line for line in self._running.lines if line.get("status") != "CANCELLED"]
        kept = [sorted((key, value) for key, value in line.items() if key not in _DRAWN) for line in lines]
        return sorted(self._plain(repr(line).encode()).decode() for line in kept)

    def spans(self) -> list[str]:
        """Give what all spans say, sorted; those of calls hung up, and what batches tell, are left out."""
        told = []
        for span in self.exporter.get_finished_spans():
            facts = {key: value for key, value in (span.attributes or {}).items() if key not in _BY_CHANCE}
            if span.name not in _BY_CHANCE and facts.get("gouji.code") != "CANCELLED":
                told.append(repr((span.name, sorted(facts.items()), span.events, span.status.description)))
        return sorted(told)

    async def metrics(self) -> list[str]:
        """Scrape the metrics page; what is of the machine and the moment is left out."""
        url = f"http://127.0.0.1:{self._running.app.metrics.port}/metrics"
        page = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=10).read().decode())
        return [line for line in page.splitlines() if not OF_THE_MACHINE.search(line)]


class _Stream:
    """A watch, and the last event that it has brought."""

    def __init__(self, call: Any) -> None:
        self.call = call
        self.came = 0


class Script:
    """What is done at a table: the seats' moves, and between them all that people may ask and try."""

    def __init__(self, witness: Witness, running: Any) -> None:
        self._witness = witness
        self._running = running

    async def begin(self, **spec: Any) -> None:
        """Place and open the table, watch it, and have all seats contribute."""
        await self._running.rows.place("t1", people=6, **spec)
        await self._running.rows.execute(sa.update(tables).values(created_at=1))
        await self._open()
        say = self._witness
        await say.watch("seat", f"p{VIEWER}", device="a")
        await say.watch("spectator", "stranger")
        for seat in range(6):
            for share in (bytes([seat] * 32), bytes([seat] * 32), bytes(32)):
                await say.call(f"p{seat}", "Contribute", table_id="t1", hand=1, contribution=share)
        await say.call("stranger", "Contribute", table_id="t1", hand=1, contribution=bytes(32))

    async def _open(self) -> None:
        opening = asyncio.create_task(self._running.service().open("t1"))
        while not opening.done():
            await self._witness.hear()
        await opening

    async def play(self, moves: Iterable[Action | None], *, ask_every: int) -> None:
        """Make moves; None lets the time for private answers go by. Ask and try all else now and then."""
        for number, action in enumerate(moves):
            turn = self._table().turn
            if action is None and self._table().window is None:
                continue
            if action is None:
                await self._witness.pass_time(TIMES["answers_most_ms"] / 1000 + MOVE_SECONDS)
                assert self._table().turn > turn, "no private answers were open"
            else:
                await self._witness.act(action.seat, turn, action, f"m{number}")
                await self._witness.pass_time(MOVE_SECONDS)
            if number % ask_every == 0:
                await self.ask(number)

    def _table(self) -> Any:
        return self._running.host._tables["t1"].table

    async def ask(self, number: int) -> None:
        """Ask for all that can be asked for, and try all that is refused."""
        say, seat, turn = self._witness, f"p{VIEWER}", self._table().turn
        for who in (seat, "stranger", "nobody", "forger", "service"):
            await say.call(who, "Observe", table_id="t1")
        await say.call(seat, "Observe", table_id="t1", spectate=True)
        await say.look("again", seat, device="a")
        await say.look("from 3", seat, from_sequence=3, device="a")
        await say.look("spectator now", "stranger", from_now=True)
        for text in ("pass", "play 3", "play AA", "burn WW", "revolt", "pay W", "feel"):
            action = Action.parse(f"{VIEWER} {text}")
            await say.act(VIEWER, turn - 1, action, f"s{number}")
            if self._table().hand_asking(VIEWER) is None:
                await say.act(VIEWER, turn, action, f"s{number}")
        await say.act(VIEWER, turn, Action.parse(f"{VIEWER} pass"), "other", device="b")
        await self._talk(number)
        for method, fields in (
            ("ListTables", {}),
            ("ShowTable", {"table_id": "t1"}),
            ("ExportTable", {"table_id": "t1", "form": admin_pb2.EXPORT_FORM_LOG}),
            ("ExportTable", {"table_id": "t1", "form": admin_pb2.EXPORT_FORM_RECORD}),
        ):
            await say.call("operator", method, service="admin", **fields)
            await say.call(seat, method, service="admin", **fields)

    async def _talk(self, number: int) -> None:
        say, seat = self._witness, f"p{VIEWER}"
        for phrase in ("hello", "hello", "no such phrase"):
            await say.call(seat, "Say", table_id="t1", command_id=f"y{number}", phrase=phrase)
        for again in range(AT_ONCE):
            await say.call(seat, "Say", table_id="t1", command_id=f"y{number}/{again}", phrase="hello")
        await say.call(seat, "Say", table_id="t1", command_id="y0", phrase="well_played")
        await say.call(seat, "ListPhrases")
        await say.call(seat, "Mute", table_id="t1", seat=4, muted=number % 2 == 0)
        await say.call("p4", "Say", table_id="t1", command_id=f"y{number}", phrase="hello")
        for agree in (True, True, False):
            await say.call(seat, "VoteHand", table_id="t1", hand=1, agree=agree)
        await say.call(seat, "VoteHand", table_id="t1", hand=7, agree=True)
        for method in ("TakeSeat", "Ready"):
            await say.call(seat, method, table_id="t1")
        for method in ("TakeSeat", "Leave"):
            await say.call("stranger", method, table_id="t1")
        for hand in (1, 2):
            await say.call(seat, "Contribute", table_id="t1", hand=hand, contribution=bytes(32))

    async def stopped(self) -> None:
        """Look at a table in which something has failed."""
        say, seat = self._witness, f"p{VIEWER}"
        await say.act(VIEWER, self._table().turn, Action.parse(f"{VIEWER} pass"), "last")
        while (await self._running.rows.table("t1")).state != "frozen":
            await say.hear()
        await self._running.rows.execute(sa.update(tables).values(ended_at=2))
        await say.pass_time(END_SECONDS)
        await say.ends()
        for method in ("Observe", "TakeSeat", "Leave"):
            await say.call(seat, method, table_id="t1")
        await say.act(VIEWER, 1, Action.parse(f"{VIEWER} pass"), "later")
        await say.call("operator", "ShowTable", service="admin", table_id="t1")
        await say.call("operator", "ExportTable", service="admin", table_id="t1", form=admin_pb2.EXPORT_FORM_LOG)


def kinds(lines: Sequence[Line]) -> set[str]:
    """Say what kinds of messages an account has."""
    return {label for _, label, _ in lines}
