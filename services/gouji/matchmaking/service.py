"""Matchmaking over gRPC: `bind` and the servicer."""

import uuid
from collections.abc import AsyncIterator
from typing import Any, Final

from gouji.matchmaking.admin import ROLES as ADMIN_ROLES
from gouji.matchmaking.admin import QueueAdminServicer
from gouji.matchmaking.cycle import Cycle
from gouji.matchmaking.enlisting import Enlisting
from gouji.matchmaking.lobby import bind_lobby
from gouji.matchmaking.matches import Matches
from gouji.matchmaking.metrics import MatchmakingMetrics
from gouji.matchmaking.placer import Placer
from gouji.matchmaking.queues import Queues
from gouji.matchmaking.ratings import BotRatings, Ratings
from gouji.matchmaking.removal import Removal
from gouji.matchmaking.room_service import Desk
from gouji.matchmaking.store import Store
from gouji.matchmaking.tickets import STANDING, State, Ticket, read_wish, refuse_claimed, ticket_message
from gouji.matchmaking.untaken import Untaken
from gouji.matchmaking.wakeups import Wakeups
from gouji.matchmaking.watches import Teller, View, Watches
from gouji.serving.app import App
from gouji.serving.auth import PLAYERS, Role, Roles, caller
from gouji.serving.bot_levels import BotLevels
from gouji.serving.clock import Clock, microseconds
from gouji.serving.errors import ServiceError
from gouji.serving.requests import check_id
from gouji.serving.settings import Settings
from gouji.v1 import admin_pb2_grpc, matchmaking_pb2, matchmaking_pb2_grpc

ROLES: Final[Roles] = {
    "CreateTicket": {*PLAYERS, Role.SERVICE},
    "ListTickets": PLAYERS,
    "WatchTicket": {*PLAYERS, Role.SERVICE},
    "CancelTicket": {*PLAYERS, Role.SERVICE},
    "ConfirmMatch": PLAYERS,
    "PlaceTable": {Role.SERVICE, Role.OPERATOR},
    "RemoveFromLobby": {Role.SERVICE},
}
"""Who may call what."""


def bind(app: App) -> None:
    """Add matchmaking to a process."""
    store, matches, watches = Store(app.database), Matches(app.database), Watches()
    metrics = MatchmakingMetrics(app.metrics.registry)
    wakeups = Wakeups(app.channels, app.log, matches.addresses, app.tracing)
    teller = Teller(store, watches, clock=app.clock, settings=app.settings)
    bots = BotLevels(app.channels)
    placer = Placer(matches, wakeups, metrics, bots)
    ratings = Ratings(app.channels, app.log)
    bot_ratings = BotRatings(ratings, bots, app.clock)
    cycle = Cycle(
        app.database,
        teller,
        wakeups,
        metrics,
        bot_ratings.earned,
        clock=app.clock,
        settings=app.settings,
        log=app.log,
        tracing=app.tracing,
    )
    servicer = MatchmakingServicer(
        store=store,
        matches=matches,
        watches=watches,
        cycle=cycle,
        teller=teller,
        wakeups=wakeups,
        enlisting=Enlisting(store, ratings, app.settings),
        placer=placer,
        removal=Removal(app.database),
        clock=app.clock,
        settings=app.settings,
    )
    app.add_servicer(
        matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server,
        servicer,
        "gouji.v1.MatchmakingService",
        roles=ROLES,
    )
    app.add_servicer(
        admin_pb2_grpc.add_QueueAdminServiceServicer_to_server,
        QueueAdminServicer(store, Queues(app.database), teller, clock=app.clock),
        "gouji.v1.QueueAdminService",
        roles=ADMIN_ROLES,
    )
    bind_lobby(app, Desk(matches, bots.known, placer.announce))
    app.background("matchmaking cycle", cycle.run)
    app.background("bots' ratings", bot_ratings.run)
    app.background("ticket watches", teller.run)
    app.background("table wake-ups", wakeups.run)
    app.background("untaken tables", Untaken(app.database, metrics, app.clock).run)
    app.on_stop(cycle.release)
    app.on_stop(watches.close)


class MatchmakingServicer(matchmaking_pb2_grpc.MatchmakingServiceServicer):
    """Unpacks, asks stores, watches and placer, packs. A ticket that is not the caller's is as unknown as none."""

    def __init__(
        self,
        *,
        store: Store,
        matches: Matches,
        watches: Watches,
        cycle: Cycle,
        teller: Teller,
        wakeups: Wakeups,
        enlisting: Enlisting,
        placer: Placer,
        removal: Removal,
        clock: Clock,
        settings: Settings,
    ) -> None:
        self._store = store
        self._matches = matches
        self._watches = watches
        self._cycle = cycle
        self._teller = teller
        self._wakeups = wakeups
        self._enlisting = enlisting
        self._placer = placer
        self._removal = removal
        self._clock = clock
        self._bots_after_ms = settings.bots_after_seconds * 1000
        self._lease = settings.ticket_lease_seconds * 1_000_000
        self._heartbeat = settings.heartbeat_seconds

    async def CreateTicket(  # noqa: N802 - gRPC's name
        self, request: matchmaking_pb2.CreateTicketRequest, context: Any
    ) -> matchmaking_pb2.CreateTicketResponse:
        """Queue the caller or its party, or give the ticket that its leader has in the same queue, renewed.

        Refused with `already_seated` (metadata `player_id`, `table_id`) for a player at a live table, `already_queued`
        for another member with a ticket of its own, `too_many_queues`, `player_paused` (with a delay) and
        `queue_paused`; with `no_party`, `not_leader` and `party_not_ready`; with `unknown_queue` for what is no
        queue's name, with the rules' own reasons for rules that cannot be played, and with `malformed`.
        """
        who = caller(context)
        wish = read_wish(request, self._bots_after_ms, bot=who.role is Role.BOT)
        new, party = await self._enlisting.ticket(request, who, wish, uuid.uuid4().hex, self._now())
        ticket, stood = await self._store.enqueue(new, party)
        self._cycle.wake()
        view = await self._view(ticket)
        return matchmaking_pb2.CreateTicketResponse(ticket=self._message(view, new.leader), already_queued=stood)

    async def ListTickets(  # noqa: N802 - gRPC's name
        self, _request: matchmaking_pb2.ListTicketsRequest, context: Any
    ) -> matchmaking_pb2.ListTicketsResponse:
        """List the tickets in which the caller waits or has a match that is to be confirmed."""
        player_id = caller(context).player_id
        found = await self._store.standing_of(player_id)
        messages = [self._message(await self._view(ticket), player_id) for ticket in found]
        return matchmaking_pb2.ListTicketsResponse(tickets=messages)

    async def WatchTicket(  # noqa: N802 - gRPC's name
        self, request: matchmaking_pb2.WatchTicketRequest, context: Any
    ) -> AsyncIterator[matchmaking_pb2.WatchTicketResponse]:
        """Send the ticket now, on each change and as a heart-beat, until it is settled for the caller.

        While it is watched its lease is renewed. Refused with `unknown_ticket`; ends with `draining` when the
        server stops.
        """
        player_id = caller(context).player_id
        ticket = await self._own(request.ticket_id, context)
        await self._renew(ticket)
        with self._watches.follow(await self._view(ticket)) as watch:
            view = watch.view
            while True:
                yield matchmaking_pb2.WatchTicketResponse(ticket=self._message(view, player_id))
                if view.ticket.state_for(player_id) not in STANDING:
                    return
                view = await watch.next(self._heartbeat)

    async def CancelTicket(  # noqa: N802 - gRPC's name
        self, request: matchmaking_pb2.CancelTicketRequest, context: Any
    ) -> matchmaking_pb2.CancelTicketResponse:
        """Leave the queue, with the whole party; a ticket that has ended without a match stays so.

        Refused with `unknown_ticket`, and with `ticket_claimed` (metadata `table_id`) when it has a match.
        """
        await self._own(request.ticket_id, context)
        ticket = await self._store.cancel(request.ticket_id)
        refuse_claimed(ticket)
        self._teller.wake()
        message = self._message(View(ticket), caller(context).player_id)
        return matchmaking_pb2.CancelTicketResponse(ticket=message)

    async def ConfirmMatch(  # noqa: N802 - gRPC's name
        self, request: matchmaking_pb2.ConfirmMatchRequest, context: Any
    ) -> matchmaking_pb2.ConfirmMatchResponse:
        """Note that the caller is there; again, or after the match was placed, that changes nothing.

        Refused with `unknown_ticket`, and with `not_gathering` when the ticket has no match, or it is too late.
        """
        player_id = caller(context).player_id
        await self._own(request.ticket_id, context)
        placed = await self._matches.confirm(request.ticket_id, player_id)
        if placed is not None:
            self._wakeups.put(placed)
        ticket = await self._own(request.ticket_id, context)
        if ticket.state_for(player_id) not in {State.GATHERING, State.MATCHED}:
            raise ServiceError("not_gathering", "There is no match to confirm.")
        self._teller.wake()
        return matchmaking_pb2.ConfirmMatchResponse(ticket=self._message(View(ticket), player_id))

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

    async def RemoveFromLobby(  # noqa: N802 - gRPC's name
        self, request: matchmaking_pb2.RemoveFromLobbyRequest, _context: Any
    ) -> matchmaking_pb2.RemoveFromLobbyResponse:
        """Take a player that was deleted out of queues, party and room; again, that changes nothing.

        Refused with `unknown_player` for one who was not deleted.
        """
        check_id("player_id", request.player_id)
        again = await self._removal.remove(request.player_id, self._now())
        self._teller.wake()
        return matchmaking_pb2.RemoveFromLobbyResponse(again=again)

    async def _own(self, ticket_id: str, context: Any) -> Ticket:
        """Find one of the caller's tickets; any for a service. PostgreSQL cannot compare with a text that holds NUL."""
        ticket = None if "\0" in ticket_id else await self._store.get(ticket_id)
        who = caller(context)
        if ticket is None or (who.plays and ticket.member(who.player_id) is None):
            raise ServiceError("unknown_ticket", "You have no such ticket.")
        return ticket

    async def _renew(self, ticket: Ticket) -> None:
        """Renew a lease that could run out before the teller does it."""
        now = self._now()
        if ticket.expires_at - now < self._lease // 2:
            await self._store.renew([ticket.ticket_id], now + self._lease)

    async def _view(self, ticket: Ticket) -> View:
        waiting = ticket.state is State.WAITING
        return View(ticket, await self._store.position(ticket) if waiting else 0)

    def _message(self, view: View, viewer: str) -> matchmaking_pb2.Ticket:
        return ticket_message(view.ticket, viewer, position=view.position, expected=view.expected, now=self._now())

    def _now(self) -> int:
        return microseconds(self._clock.now())
