"""The gateway's sessions over gRPC: `bind` and the servicer."""

import uuid
from typing import Any, Final

from gouji.gateway import door
from gouji.gateway.account_service import bind_accounts
from gouji.gateway.metrics import GatewayMetrics
from gouji.gateway.moderation_service import bind_moderation
from gouji.gateway.profile import first_colour, read_name
from gouji.gateway.routing import Server, reader_of
from gouji.gateway.store import Player, Store
from gouji.gateway.tokens import tokens_message
from gouji.serving.app import App, StartError
from gouji.serving.auth import ANYBODY, PLAYERS, STAFF, Role, Roles, caller
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.peers import came_by_door
from gouji.serving.sanctions import refuse_banned
from gouji.v1 import gateway_pb2, gateway_pb2_grpc
from gouji.wire.bots import bot_id

ROLES: Final[Roles] = {
    "CreateGuest": ANYBODY,
    "OpenBot": ANYBODY,
    "RefreshSession": ANYBODY,
    "GetSession": PLAYERS,
    "LocateTable": PLAYERS | STAFF,
}
"""Who may call what."""

MOVING_RETRY_MS: Final = 500
"""When to ask again for a table that no server has: a lease and its adoption take a few seconds."""


def bind(app: App) -> None:
    """Add the door, sessions and accounts to a process."""
    if app.tokens.players.signer is None:
        raise StartError("The gateway signs players' tokens: give it a key, by --player-key-files or --player-key.")
    store, metrics = Store(app.database), GatewayMetrics(app.metrics.registry)
    servicer = SessionServicer(app, store, metrics)
    app.add_servicer(
        gateway_pb2_grpc.add_SessionServiceServicer_to_server,
        servicer,
        "gouji.v1.SessionService",
        roles=ROLES,
    )
    bind_accounts(app, store, metrics)
    bind_moderation(app, store)
    door.bind(app, store)


class SessionServicer(gateway_pb2_grpc.SessionServiceServicer):
    """Unpacks, asks tokens and store, packs."""

    def __init__(self, app: App, store: Store, metrics: GatewayMetrics) -> None:
        self._store = store
        self._database = app.database
        self._tokens = app.tokens
        self._budgets = app.budgets
        self._guests_allowed = app.settings.guests_allowed
        self._metrics = metrics

    async def CreateGuest(  # noqa: N802 (gRPC's name)
        self, request: gateway_pb2.CreateGuestRequest, _context: Any
    ) -> gateway_pb2.CreateGuestResponse:
        """Make a new player each time.

        Refused with `malformed` for a name that cannot be shown, with `forbidden` where no guests are taken.
        """
        if not self._guests_allowed:
            raise ServiceError("forbidden", "No guests are taken here: sign in.")
        name = read_name(request.name)
        player_id = uuid.uuid4().hex
        async with self._budgets.arrivals:
            await self._store.add_player(player_id, name, first_colour(player_id))
        self._metrics.guests.inc()
        tokens = tokens_message(self._tokens.mint_player(player_id, name))
        return gateway_pb2.CreateGuestResponse(player_id=player_id, tokens=tokens)

    async def RefreshSession(  # noqa: N802 (gRPC's name)
        self, request: gateway_pb2.RefreshSessionRequest, _context: Any
    ) -> gateway_pb2.RefreshSessionResponse:
        """Exchange a refresh token, which stays good until it expires, so that a lost answer harms nobody.

        Refused with `token_invalid`, also for access tokens; with `token_expired`; `unknown_player`; `banned`.
        """
        who = self._tokens.verify_refresh(request.refresh_token)
        player = await self._player(who.player_id)
        await refuse_banned(self._database, player.player_id)
        self._metrics.refreshes.inc()
        if who.role is Role.BOT and who.expires:
            made = self._tokens.mint_bot(player.player_id, player.name, who.calls_per_second, who.expires)
        else:
            made = self._tokens.mint_player(player.player_id, player.name)
        return gateway_pb2.RefreshSessionResponse(tokens=tokens_message(made))

    async def OpenBot(  # noqa: N802 (gRPC's name)
        self, request: gateway_pb2.OpenBotRequest, _context: Any
    ) -> gateway_pb2.OpenBotResponse:
        """Give an author the tokens of one of its bots, always the same player for the same number.

        Refused with `token_invalid` and `token_expired` for what is no credential, or none any more; `malformed` for
        the number 0; `too_many_bots` (metadata `seats`) for more than the account may have; `banned`; and
        `unknown_player` for a bot that was deleted.
        """
        credential = self._tokens.verify_credential(request.credential)
        if not request.number:
            raise malformed("number", "counts from 1")
        if request.number > credential.seats:
            sentence = f"{credential.account} may have {credential.seats} bots."
            raise ServiceError("too_many_bots", sentence, metadata={"seats": str(credential.seats)})
        player_id, name = bot_id(credential.account, request.number), f"{credential.account} {request.number}"
        await refuse_banned(self._database, player_id)
        async with self._budgets.arrivals:
            await self._store.add_bot(player_id, name, first_colour(player_id))
        self._metrics.bots.inc()
        made = self._tokens.mint_bot(player_id, name, credential.calls_per_second, credential.expires)
        return gateway_pb2.OpenBotResponse(player_id=player_id, name=name, tokens=tokens_message(made))

    async def GetSession(  # noqa: N802 (gRPC's name)
        self, _request: gateway_pb2.GetSessionRequest, _context: Any
    ) -> gateway_pb2.GetSessionResponse:
        """Say who the caller is and where it sits; refused with `unknown_player` when it is gone."""
        player = await self._player(caller().player_id)
        return gateway_pb2.GetSessionResponse(player_id=player.player_id, name=player.name, table_id=player.table_id)

    async def LocateTable(  # noqa: N802 (gRPC's name)
        self, request: gateway_pb2.LocateTableRequest, context: Any
    ) -> gateway_pb2.LocateTableResponse:
        """Say which server has a table; of a table that has ended, one that can show its log.

        Refused with `unknown_table`; and, to be asked again, with `table_moving` when no server has it yet,
        or the one that had it is gone.
        """
        try:
            async with self._budgets.returns:
                server = await self._locate(request.table_id)
        except ServiceError as error:
            self._metrics.locates.labels(error.reason).inc()
            raise
        self._metrics.locates.labels("found").inc()
        address = "" if came_by_door(context) else server.address
        return gateway_pb2.LocateTableResponse(address=address, server_id=server.server_id)

    async def _player(self, player_id: str) -> Player:
        async with self._budgets.returns:
            player = await self._store.player(player_id)
        if player is None:
            raise ServiceError("unknown_player", "There is no such player; become a guest anew.")
        return player

    async def _locate(self, table_id: str) -> Server:
        placement = await self._store.placement(_table_id(table_id))
        if placement is None:
            raise ServiceError("unknown_table", "There is no such table.")
        server = placement.owner
        if placement.anywhere:
            server = reader_of(table_id, await self._store.servers())
        if server is None:
            raise ServiceError("table_moving", "No server has the table right now.", MOVING_RETRY_MS)
        return server


def _table_id(given: str) -> str:
    """Take a table's id. PostgreSQL cannot compare with a text that holds the character NUL."""
    if not given or "\0" in given:
        raise malformed("table_id", "is no identifier")
    return given
