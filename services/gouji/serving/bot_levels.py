"""Which bots there are, as the bot service says."""

from collections.abc import Iterable, Set
from typing import Final

import grpc

from gouji.serving.channels import Channels
from gouji.serving.errors import ServiceError
from gouji.v1 import bot_pb2, bot_pb2_grpc

BOTS_TIMEOUT_SECONDS: Final = 2.0
"""How long the bot service may take to list its levels."""


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

    async def check(self, field: str, level: str) -> None:
        """Refuse a level that there is not, with `unknown_bot_level`."""
        levels = await self.known({level})
        if level not in levels:
            raise unknown_level(field, levels)


def unknown_level(field: str, levels: Iterable[str]) -> ServiceError:
    """Make the refusal of a level that is none of these."""
    return ServiceError("unknown_bot_level", f"{field}: there are {', '.join(levels)}.", metadata={"field": field})
