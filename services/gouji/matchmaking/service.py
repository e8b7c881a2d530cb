"""Matchmaking over gRPC: `bind` and the servicer."""

import uuid
from collections.abc import AsyncIterator, Set
from typing import Any, Final

import grpc

from gouji.matchmaking.cycle import Cycle
from gouji.matchmaking.lobby import bind_lobby
from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.placing import Placement, of_request
from gouji.matchmaking.room_service import Desk
from gouji.matchmaking.store import Store
from gouji.matchmaking.tickets import State, Ticket, read_wish, ticket_message
from gouji.matchmaking.untaken import Untaken
from gouji.matchmaking.wakeups import Wakeups
from gouji.matchmaking.watches import View, Watches
from gouji.serving.app import App
from gouji.serving.auth import Role, Roles, caller
from gouji.serving.channels import Channels
from gouji.serving.clock import Clock, microseconds
from gouji.serving.errors import ServiceError
from gouji.serving.settings import Settings
from gouji.v1 import bot_pb2, bot_pb2_grpc, matchmaking_pb2, matchmaking_pb2_grpc

ROLES: Final[Roles] = {
    "CreateTicket": {Role.PLAYER},
    "WatchTicket": {Role.PLAYER},
    "CancelTicket": {Role.PLAYER},
    "PlaceTable": {Role.SERVICE, Role.OPERATOR},
}
"""Who may call what."""

BOTS_TIMEOUT_SECONDS: Final = 2.0
"""How long the bot service may take to list its levels."""


def bind(app: App) -> None:
    """Add matchmaking to a process."""
    store, watches = Store(app.database), Watches()
    metrics = MatchmakingMetrics(app.metrics.registry)
    wakeups = Wakeups(app.channels, app.log, store.addresses)
    cycle = Cycle(store, watches, wakeups, metrics, clock=app.clock, settings=app.settings)
    bots = BotLevels(app.channels)
    placer = Placer(store, wakeups, metrics, bots)
    app.add_servicer(
        matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server,
        MatchmakingServicer(store, watches, cycle, placer, clock=app.clock, settings=app.settings),
        "gouji.v1.MatchmakingService",
        roles=ROLES,
    )
    bind_lobby(app, Desk(store, bots.known, placer.announce))
    app.background("matchmaking cycle", cycle.run)
    app.background("table wake-ups", wakeups.run)
    app.background("untaken tables", Untaken(app.database, metrics, app.clock).run)
    app.on_stop(watches.close)


class MatchmakingServicer(matchmaking_pb2_grpc.MatchmakingServiceServicer):
    """Unpacks, asks store, watches and placer, packs. Somebody else's ticket is as unknown as none."""

    def __init__(
        self,
        store: Store,
        watches: Watches,
        cycle: Cycle,
        placer: "Placer",
        *,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self._store = store
        self._watches = watches
        self._cycle = cycle
        self._placer = placer
        self._clock = clock
        self._bots_after_ms = settings.bots_after_seconds * 1000
        self._lease = settings.ticket_lease_seconds * 1_000_000
        self._heartbeat = settings.heartbeat_seconds

    async def CreateTicket(  # noqa: N802 - gRPC's name
        self, request: matchmaking_pb2.CreateTicketRequest, context: Any
    ) -> matchmaking_pb2.CreateTicketResponse:
        """Queue the caller, or give the ticket that stands in the same queue, its lease renewed.

        Refused with `already_seated` (metadata `table_id`) for a player at a live table, with `unknown_queue`
        for what is no queue's name, with the rules' own reasons for rules that cannot be played, and with
        `malformed`.
        """
        who, now = caller(context), self._now()
        wish = read_wish(request, self._bots_after_ms)
        ticket_id = uuid.uuid4().hex
        new = Ticket(ticket_id, who.player_id, who.name, wish, State.WAITING, now, now + self._lease)
        ticket, stood = await self._store.enqueue(new)
        self._cycle.wake()
        message = self._message(await self._view(ticket))
        return matchmaking_pb2.CreateTicketResponse(ticket=message, already_queued=stood)

    async def WatchTicket(  # noqa: N802 - gRPC's name
        self, request: matchmaking_pb2.WatchTicketRequest, context: Any
    ) -> AsyncIterator[matchmaking_pb2.WatchTicketResponse]:
        """Send the ticket now, on each change and as a heart-beat, until it waits no longer.

        While it is watched its lease is renewed. Refused with `unknown_ticket`; ends with `draining` when the
        server stops.
        """
        ticket = await self._own(request.ticket_id, context)
        await self._renew(ticket)
        with self._watches.follow(await self._view(ticket)) as watch:
            view = watch.view
            while True:
                yield matchmaking_pb2.WatchTicketResponse(ticket=self._message(view))
                if view.ticket.state is not State.WAITING:
                    return
                view = await watch.next(self._heartbeat)

    async def CancelTicket(  # noqa: N802 - gRPC's name
        self, request: matchmaking_pb2.CancelTicketRequest, context: Any
    ) -> matchmaking_pb2.CancelTicketResponse:
        """Leave the queue; a ticket cancelled or lapsed before stays so.

        Refused with `unknown_ticket`, and with `ticket_claimed` (metadata `table_id`) when it is matched.
        """
        await self._own(request.ticket_id, context)
        ticket = await self._store.cancel(request.ticket_id)
        if ticket.state is State.MATCHED:
            metadata = {"table_id": ticket.table_id or ""}
            raise ServiceError("ticket_claimed", f"You sit at table {ticket.table_id}.", metadata=metadata)
        self._cycle.wake()
        return matchmaking_pb2.CancelTicketResponse(ticket=self._message(View(ticket, 0)))

    async def PlaceTable(  # noqa: N802 - gRPC's name
        self, request: matchmaking_pb2.PlaceTableRequest, _context: Any
    ) -> matchmaking_pb2.PlaceTableResponse:
        """Place a table; a request id that was used before gives the table of that time.

        Refused with `already_seated` (metadata `player_id`, `table_id`) when a player sits at a live table,
        with `unknown_bot_level`, the rules' own reasons, and `malformed`; with `overloaded` when the bot
        service does not say which levels there are.
        """
        table_id = await self._placer.place(request, self._now())
        return matchmaking_pb2.PlaceTableResponse(table_id=table_id)

    async def _own(self, ticket_id: str, context: Any) -> Ticket:
        """Find one of the caller's tickets. PostgreSQL cannot compare with a text that holds NUL."""
        ticket = None if "\0" in ticket_id else await self._store.get(ticket_id)
        if ticket is None or ticket.player_id != caller(context).player_id:
            raise ServiceError("unknown_ticket", "You have no such ticket.")
        return ticket

    async def _renew(self, ticket: Ticket) -> None:
        """Renew a lease that could run out before the cycle does it."""
        now = self._now()
        if ticket.expires_at - now < self._lease // 2:
            await self._store.renew([ticket.ticket_id], now + self._lease)

    async def _view(self, ticket: Ticket) -> View:
        waiting = ticket.state is State.WAITING
        return View(ticket, await self._store.position(ticket) if waiting else 0)

    def _message(self, view: View) -> matchmaking_pb2.Ticket:
        return ticket_message(view.ticket, view.position, self._now())

    def _now(self) -> int:
        return microseconds(self._clock.now())


class Placer:
    """Places tables past the queues."""

    def __init__(self, store: Store, wakeups: Wakeups, metrics: MatchmakingMetrics, bots: "BotLevels") -> None:
        self._store = store
        self._wakeups = wakeups
        self._metrics = metrics
        self._bots = bots

    async def place(self, request: matchmaking_pb2.PlaceTableRequest, now: int) -> str:
        """Check a request, place its table and have the table service told; returns the table's id."""
        levels = await self._bots.known({seat.bot_level for seat in request.seats} - {""})
        placement = of_request(request, uuid.uuid4().hex, levels)
        table_id = await self._store.place(placement, now)
        if table_id == placement.table_id:
            self.announce(placement, now)
        else:
            self._wakeups.put(table_id)
        return table_id

    def announce(self, placement: Placement, now: int) -> None:
        """Count a table that was placed, and have the table service told."""
        self._metrics.claimed(1, [placement], now)
        self._wakeups.put(placement.table_id)


class BotLevels:
    """The bot service's levels, remembered."""

    def __init__(self, channels: Channels) -> None:
        self._channels = channels
        self._levels: list[str] = []

    async def known(self, wanted: Set[str]) -> list[str]:
        """List the levels, weakest first; the bot service is asked when one that is wanted is not known."""
        if not wanted <= set(self._levels):
            stub: bot_pb2_grpc.BotServiceAsyncStub = self._channels.stub("bot", bot_pb2_grpc.BotServiceStub)
            try:
                response = await stub.ListBots(bot_pb2.ListBotsRequest(), timeout=BOTS_TIMEOUT_SECONDS)
            except grpc.aio.AioRpcError as error:
                raise ServiceError("overloaded", "The bot service does not answer.", retry_after_ms=1000) from error
            self._levels = [level.level for level in response.levels]
        return self._levels
