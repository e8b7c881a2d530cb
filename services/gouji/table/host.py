"""The tables of this process: which it owns, for how long, and what it does about those it loses.

Ownership is a row with a fence: whoever takes a table raises the fence, and the log refuses what was decided under
an older one. A lease says that this server lives; when it cannot be renewed, all tables are let go.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from functools import partial
from typing import Any, Final

from gouji.serving.app import App
from gouji.serving.clock import microseconds
from gouji.serving.errors import StorageUnavailable
from gouji.table import deals
from gouji.table.behind import lags
from gouji.table.bots import BotQueue
from gouji.table.capacity import Room, room
from gouji.table.handover import HandOver
from gouji.table.lease import Lease
from gouji.table.live import Live
from gouji.table.loading import load, restore_commands
from gouji.table.metrics import TableMetrics
from gouji.table.ownership import Owned, Ownership, Standing
from gouji.table.presence import PLAYS
from gouji.table.quarantine import RETRY_SECONDS, Quarantine
from gouji.table.refusals import draining, full, moving, unknown, wrong_server
from gouji.table.store import Store
from gouji.table.surroundings import Surroundings
from gouji.table.table import Table
from gouji.table.taking import Taking
from gouji.table.timing import Timers
from gouji.table.writer import LogWriter, StaleFence
from gouji.v1 import rules_pb2, table_pb2

TICK_SECONDS: Final = 0.01
"""How often timers are looked at."""

LOADING_SECONDS: Final = 5.0
"""How long a call waits for a table that is being loaded."""

LONGEST_TABLE_ID: Final = 64
"""Characters of a table's id; no table has a longer one."""

ENDED: Final = ("over", "frozen")
"""States of tables at which nothing happens any more."""


class Host:
    """Keeps the live tables; `keep_lease`, `tick` and `taking.run` run for ever."""

    def __init__(
        self, app: App, store: Store, ownership: Ownership, lease: Lease, *, writer: LogWriter, metrics: TableMetrics
    ) -> None:
        self._app = app
        self._store = store
        self._ownership = ownership
        self._metrics = metrics
        self._lease = lease
        self._quarantine = Quarantine(app, store, metrics)
        self._bots = BotQueue(app.channels, app.settings.bot_deadline_ms, app.tracing)
        self._timers = Timers()
        self._tables: dict[str, Live] = {}
        self._loading: dict[str, asyncio.Task[None]] = {}
        self.taking = Taking(
            ownership,
            lease,
            app.clock,
            metrics,
            room=lambda: self._room if self._takes else None,
            own=lambda: self._own,
            begin=self._load,
        )
        self._draining = False
        self._stopped = False
        self._around = Surroundings(
            keeper=self,
            writer=writer,
            bots=self._bots,
            timers=self._timers,
            metrics=metrics,
            now=self.now,
            draw_secret=self._draw_secret,
            default_clock=_default_clock(app),
            absence_seconds=app.settings.heartbeat_seconds,
            stand_in=app.settings.stand_in_level,
            leave_penalty=app.settings.leave_penalty,
        )
        metrics.capacity.set_function(lambda: self._room.capacity)
        metrics.tables.set_function(lambda: len(self._tables))
        for plays in PLAYS:
            metrics.seats.labels(plays).set_function(partial(self._seats_played, plays))
        # The page is made in a thread of its own, while tables come and go.
        metrics.watchers.set_function(lambda: sum(live.audience for live in list(self._tables.values())))

    def now(self) -> int:
        """Give the time in microseconds from 1970 on."""
        return microseconds(self._app.clock.now())

    def _seats_played(self, plays: str) -> int:
        lives = list(self._tables.values())
        return sum(seat.plays == plays for live in lives for seat in live.table.presence)

    def _draw_secret(self, spec: table_pb2.TableSpec) -> bytes:
        """Give a hand its secret: that of the board which the table plays, or a fresh one."""
        return self._store.board_secret(spec) if spec.HasField("board") else secrets.token_bytes(deals.SECRET_BYTES)

    # From start to stop

    @property
    def address(self) -> str:
        """What clients dial to reach this server."""
        return self._app.settings.advertise_address or self._app.address

    async def start(self) -> None:
        """Begin the lease. Free tables are taken in the background: to load one, the log writer must run."""
        await self._lease.begin(self.address, self._room)

    def drain(self) -> int:
        """Take no further table; say how many there are to hand over."""
        self._draining = True
        return self._own

    async def stop(self) -> None:
        """Hand all tables to other servers; those that nobody takes are let go, so that any server may take them."""
        self.drain()
        await asyncio.gather(*self._loading.values(), return_exceptions=True)
        with suppress(StorageUnavailable, TimeoutError):
            async with asyncio.timeout(self._app.settings.drain_seconds):
                await self._hand_over()
        await self._suspend()
        self._stopped = True
        await self._bots.close()
        await self._quarantine.close()
        await self._lease.end()

    async def _hand_over(self) -> None:
        """Find new servers for all tables."""
        await self._lease.renew(self._room.capacity, draining=True)
        leaving = HandOver(self._ownership, self._app.channels, self._metrics, self._app.log, self._drop)
        await leaving.run(self._lease.server_id, list(self._tables.values()))

    async def _suspend(self) -> None:
        """Let all tables go between two steps; the next server that comes goes on with them."""
        for live in self._tables.values():
            live.close(draining())
        for live in list(self._tables.values()):
            await live.written()
            live.leave(draining())
        self._tables.clear()

    async def keep_lease(self) -> None:
        """Renew the lease for ever; let all tables go when it is lost, and begin anew as another server."""
        while not self._stopped:
            await self._app.clock.sleep(self._lease.wait_seconds)
            if self._stopped or await self._renew() or self._stopped:
                continue
            self._metrics.leases_lost.inc()
            self._app.log.warning("lease_lost", server=self._lease.server_id, tables=len(self._tables))
            self._let_go()
            if self._draining:
                return
            await self._begin_anew()

    async def _renew(self) -> bool:
        return await self._lease.renew(self._room.capacity, draining=self._draining)

    async def _begin_anew(self) -> None:
        """Begin another lease as soon as the database is there."""
        while not self._stopped:
            try:
                await self._lease.begin(self.address, self._room)
                break
            except StorageUnavailable:
                await self._app.clock.sleep(RETRY_SECONDS)

    def _let_go(self) -> None:
        lives, self._tables = list(self._tables.values()), {}
        for live in lives:
            live.leave(moving())

    async def tick(self) -> None:
        """Wake tables when something is due there, for ever."""
        while True:
            for due in self._timers.take(self.now()):
                live = self._tables.get(due.table_id)
                if live is not None:
                    live.wake(due)
            await self._app.clock.sleep(TICK_SECONDS)

    # Finding and taking

    async def find(self, table_id: str) -> Live | Standing:
        """Give a live table of this server, or how one stands that has ended.

        Raises `ServiceError`: `unknown_table`, `wrong_server` with the address of the right one, `table_moving` for
        a table that no server has just now, `table_frozen`, `draining`.
        """
        check_id(table_id)
        standing = None if table_id in self._tables else await self._open_or_standing(table_id)
        if standing is not None:
            return standing
        live = self._tables.get(table_id)
        if live is None or not self._lease.holds:
            raise draining() if self._draining else moving()
        return live

    async def _open_or_standing(self, table_id: str) -> Standing | None:
        """Try to have the table here; give how it stands when it has ended."""
        stopped = self._quarantine.stopped(table_id)
        if stopped is not None:
            raise stopped
        if table_id not in self._loading:
            standing = await self._ownership.standing(table_id)
            if standing is None:
                raise unknown()
            other = standing.owner if standing.owner != self._lease.server_id else None
            if standing.state in ENDED:
                if other and lags(standing.spec):
                    raise wrong_server(other, standing.address)
                return standing
            if other:
                # A predecessor at this address died, and its lease has not run out.
                raise moving() if standing.address == self.address else wrong_server(other, standing.address)
        await self.open(table_id)
        return None

    async def open(self, table_id: str) -> bool:
        """Take a table if no live server has it; say whether it was here already."""
        check_id(table_id)
        if table_id in self._tables:
            return True
        if table_id not in self._loading and self._takes:
            # In a task of its own: a caller that gives up must not leave a table taken and not loaded.
            take = partial(self._ownership.take_one, self._lease.server_id, table_id, self._room)
            self._note_loading(table_id, self._take_and_load(table_id, take, _found))
        await self._loaded(table_id)
        return False

    async def adopt(self, table_id: str, owner: str, fence: int) -> None:
        """Take a table over from a server that offers it, and go on with it; one that is here stays.

        Raises `ServiceError`: `draining`, `overloaded` when there is no room, `table_moving` when it is not to be had.
        """
        check_id(table_id)
        if table_id not in self._tables and table_id not in self._loading:
            if not self._takes or self._own >= self._room.capacity:
                raise draining() if self._draining else full()
            take = partial(self._ownership.take_over, self._lease.server_id, table_id, owner, fence, self._room)
            self._note_loading(table_id, self._take_and_load(table_id, take, lambda _: "adopted"))
        await self._loaded(table_id)
        if table_id not in self._tables:
            raise moving()

    async def _loaded(self, table_id: str) -> None:
        """Wait for a table that is being loaded, but not too long."""
        while (loading := self._loading.get(table_id)) is not None:
            done, _ = await asyncio.wait([loading], timeout=LOADING_SECONDS)
            if not done:
                return

    @property
    def _takes(self) -> bool:
        return self._lease.holds and not self._draining

    @property
    def _own(self) -> int:
        return len(self._tables) + len(self._loading)

    @property
    def _room(self) -> Room:
        settings = self._app.settings
        return room(settings.table_capacity, settings.table_kept_percent, self._app.lag_seconds)

    # Loading

    async def _take_and_load(
        self, table_id: str, take: Callable[[], Awaitable[Owned | None]], kind: Callable[[Owned], str]
    ) -> None:
        server_id = self._lease.server_id
        try:
            owned = await take()
        except StorageUnavailable:
            await self._take_again(table_id)  # it may have been taken
            return
        if owned is not None:
            await self._load_or_retry(owned, server_id, kind(owned))
            return
        # It may just have been taken with others, and not be known here yet.
        await self.taking.known()

    def _load(self, owned: Owned) -> asyncio.Task[None]:
        return self._note_loading(owned.table_id, self._load_or_retry(owned, self._lease.server_id, _found(owned)))

    def _note_loading(self, table_id: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._loading[table_id] = task
        task.add_done_callback(partial(self._forget_loading, table_id))
        return task

    def _forget_loading(self, table_id: str, task: asyncio.Task[None]) -> None:
        if self._loading.get(table_id) is task:
            del self._loading[table_id]

    async def _load_or_retry(self, owned: Owned, server_id: str, kind: str) -> None:
        self._metrics.taken.labels(kind).inc()
        try:
            with self._metrics.load_seconds.labels(kind).time():
                await self._load_owned(owned, server_id)
        except StorageUnavailable:
            await self._take_again(owned.table_id)

    async def _take_again(self, table_id: str) -> None:
        """Take a table of this server under a new fence, as soon as the database is there, and load it.

        Not under another lease: the table is anybody's by then, and may have been taken here too.
        """
        server_id = self._lease.server_id
        while server_id == self._lease.server_id and not self._draining:
            try:
                owned = await self._ownership.take_again(server_id, table_id)
                if owned is not None:
                    await self._load_owned(owned, server_id)
                return
            except StorageUnavailable:
                await self._app.clock.sleep(RETRY_SECONDS)

    async def _load_owned(self, owned: Owned, server_id: str) -> None:
        """Fold a table from its log and go on with it, unless the lease by which it was taken is gone."""
        try:
            live = await self._fold(owned)
        except StorageUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - a log that cannot be folded stops its own table alone
            self._quarantine.stop(owned, None, error)
            return
        if server_id == self._lease.server_id and not self._draining:
            before = self._tables.get(owned.table_id)
            self._tables[owned.table_id] = live
            if before is not None:
                before.leave(moving())  # nothing comes to its watchers any more
            live.begin()
            await live.written()
            self._app.log.info("table_taken", fence=owned.fence, **live.place)

    async def _fold(self, owned: Owned) -> Live:
        new = owned.fence == 1  # the first owner finds no log
        table = Table(owned.table_id) if new else await load(self._store, owned.table_id)
        kept = [] if new else await self._store.commands(owned.table_id)
        return Live(table, owned, restore_commands(table, kept), self._around)

    # What becomes of live tables

    def ended(self, live: Live) -> None:
        """Let a table go whose match is over."""
        self._app.log.info("table_over", **live.place)
        self._drop(live)

    def lost(self, live: Live, error: BaseException) -> None:
        """Throw away the memory of a table whose step was not written; fold it anew if it is still ours."""
        if not self._drop(live):
            return
        self._app.log.warning("step_lost", error=type(error).__name__, **live.place)
        if isinstance(error, StaleFence | StorageUnavailable):
            live.leave(moving())
        if isinstance(error, StorageUnavailable):
            self._note_loading(live.table.table_id, self._take_again(live.table.table_id))
        elif not isinstance(error, StaleFence):
            self._quarantine.stop(live.owned, live, error)

    def failed(self, live: Live, error: BaseException) -> str:
        """Stop a table in which a fault came up; give the reference to quote."""
        self._drop(live)
        return self._quarantine.stop(live.owned, live, error)

    async def freeze(self, live: Live, reason: str) -> str:
        """Stop a table of this server because an operator says so; give the reference, once that is in the log."""
        self._drop(live)
        return await self._quarantine.freeze(live, reason)

    def _drop(self, live: Live) -> bool:
        """Keep a table no longer; False when it was not kept."""
        if self._tables.get(live.table.table_id) is not live:
            return False
        del self._tables[live.table.table_id]
        return True


def _found(owned: Owned) -> str:
    """Say what a table was that no server had, or that was placed for this one: by its fence the first owner's."""
    return "new" if owned.fence == 1 else "recovered"


def check_id(table_id: str) -> None:
    """Raise `ServiceError` `unknown_table` for what no table's id can be; no database need be asked."""
    if len(table_id) > LONGEST_TABLE_ID or "\0" in table_id:
        raise unknown()


def _default_clock(app: App) -> rules_pb2.Clock:
    settings = app.settings
    return rules_pb2.Clock(
        turn_ms=settings.turn_ms,
        bank_ms=settings.bank_ms,
        answers_least_ms=settings.answers_least_ms,
        answers_most_ms=settings.answers_most_ms,
        allowance_ms=settings.allowance_ms,
        expiries=settings.absent_after_expiries,
        absent_ms=settings.absent_ms,
        contributions_ms=settings.contributions_ms,
    )
