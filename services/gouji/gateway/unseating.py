"""Has players leave their tables for good: those whom a moderator removes, and those who are banned."""

import asyncio
from typing import Final

import grpc

from gouji.gateway.sanction_store import SanctionStore
from gouji.gateway.table_servers import ASK_SECONDS, TableServers
from gouji.serving.app import App
from gouji.serving.errors import ServiceError, refusal_of
from gouji.v1 import table_pb2

LOOK_SECONDS: Final = 5.0
"""How often it is looked for banned players who still sit somewhere."""

AT_ONCE: Final = 20
"""Players who leave in one look."""

RETRY_MS: Final = 1000
"""When to ask again for a table that cannot be reached."""


class Unseating:
    """Takes players from their tables; `run` does so for ever with those who are banned."""

    def __init__(self, app: App, servers: TableServers, store: SanctionStore) -> None:
        self._clock = app.clock
        self._log = app.log
        self._servers = servers
        self._store = store

    async def run(self) -> None:
        """Look for ever. Raises `StorageUnavailable`; whoever runs it then runs it again."""
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            await asyncio.gather(*map(self.try_unseat, await self._store.seated(AT_ONCE)))

    async def try_unseat(self, player_id: str) -> str:
        """Have a banned player leave where it sits, at the next look if not now; says which table it left, if one."""
        try:
            return await self.unseat(player_id)
        except ServiceError as error:
            self._log.info("unseating_held_up", player=player_id, reason=error.reason)
            return ""

    async def unseat(self, player_id: str) -> str:
        """Have a player leave where it sits; says which table it left, if one.

        Raises `ServiceError`: `table_moving` or `unreachable` when its table cannot be reached just now.
        """
        request = table_pb2.UnseatRequest(player_id=player_id)
        try:
            answer = await self._servers.ask(player_id, lambda stub: stub.Unseat(request, timeout=ASK_SECONDS))
        except grpc.aio.AioRpcError as error:
            refusal = refusal_of(error)
            if refusal is None:
                raise ServiceError("unreachable", "The player's table does not answer.", RETRY_MS) from error
            raise ServiceError(refusal.reason, refusal.message, refusal.retry_after_ms) from error
        if answer is None:
            raise ServiceError("table_moving", "There is no table server right now.", RETRY_MS)
        return answer.table_id
