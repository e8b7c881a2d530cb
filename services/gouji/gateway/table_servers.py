"""Asks table servers about a player: any of them, and the one that has the player's table where that is another."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar

import grpc

from gouji.gateway.routing import reader_of
from gouji.gateway.store import Store
from gouji.serving.channels import Channels
from gouji.serving.errors import refusal_of
from gouji.v1 import table_pb2_grpc

Answer = TypeVar("Answer")

ASK_SECONDS: Final = 20.0
"""How long a table server may take for an answer."""


class TableServers:
    """The table servers whose lease is alive."""

    def __init__(self, store: Store, channels: Channels) -> None:
        self._store = store
        self._channels = channels

    async def ask(
        self, player_id: str, call: Callable[["table_pb2_grpc.TableServiceAsyncStub"], Awaitable[Answer]]
    ) -> Answer | None:
        """Make a call that any server answers, or says which one does; None when there is no server.

        Raises `grpc.aio.AioRpcError`, `StorageUnavailable`.
        """
        server = reader_of(player_id, await self._store.servers())
        if server is None:
            return None
        try:
            return await call(self._stub(server.address))
        except grpc.aio.AioRpcError as error:
            refusal = refusal_of(error)
            if refusal is None or refusal.reason != "wrong_server":
                raise
            return await call(self._stub(refusal.metadata["address"]))

    def _stub(self, address: str) -> Any:
        return self._channels.stub_at(address, table_pb2_grpc.TableServiceStub)
