"""A door with a real Envoy, and all services behind it in this process."""

import struct
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import grpc
import pytest
from google.protobuf.message import Message

from gouji.cli.serve import SERVICES, find_binds
from gouji.client.addresses import open_channel
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import gateway_pb2, gateway_pb2_grpc

TRAILERS = 0x80
"""Flag of the frame of gRPC-Web that holds the trailers."""


@dataclass
class WebAnswer:
    """What a browser's client reads of a call."""

    status: str
    message: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    messages: list[bytes] = field(default_factory=list)


class Door:
    """A door that is open, and those who stand before it."""

    def __init__(self, app: App, channel: grpc.aio.Channel) -> None:
        assert app.public_address
        self.app = app
        self.address = app.public_address
        self.channel = channel
        self.sessions: Any = gateway_pb2_grpc.SessionServiceStub(channel)

    async def guest(self, name: str = "Lin") -> gateway_pb2.CreateGuestResponse:
        made: gateway_pb2.CreateGuestResponse = await self.sessions.CreateGuest(
            gateway_pb2.CreateGuestRequest(name=name)
        )
        return made

    async def call(self, path: str, message: Message, *metadata: tuple[str, str]) -> bytes:
        """Call any method by its path, known here or not."""
        method = self.channel.unary_unary(path)
        answer: bytes = await method(message.SerializeToString(), metadata=metadata)
        return answer

    async def web(self, path: str, message: Message, **headers: str) -> WebAnswer:
        """Make a call as a browser does."""
        packed = message.SerializeToString()
        kind = {"content-type": "application/grpc-web+proto", "x-grpc-web": "1"}
        body = struct.pack(">BI", 0, len(packed)) + packed
        async with (
            aiohttp.ClientSession(self.address) as browser,
            browser.post(path, data=body, headers=kind | headers) as answer,
        ):
            return _read(await answer.read(), {name.lower(): value for name, value in answer.headers.items()})


def _read(body: bytes, headers: dict[str, str]) -> WebAnswer:
    messages, trailers = [], dict(headers)
    while body:
        flag, length = struct.unpack(">BI", body[:5])
        part, body = body[5 : 5 + length], body[5 + length :]
        if flag & TRAILERS:
            lines = (line.partition(":") for line in part.decode().splitlines())
            trailers |= {name.strip().lower(): value.strip() for name, _, value in lines}
        else:
            messages.append(part)
    return WebAnswer(trailers.get("grpc-status", ""), trailers.get("grpc-message", ""), trailers, messages)


AT_ONCE = {"bot_pace_ms": 0, "answers_least_ms": 10, "answers_most_ms": 20, "queue_cycle_ms": 20}
"""Bots that do not think, and queues that are looked at often."""

Doors = Callable[..., AbstractAsyncContextManager[Door]]


@pytest.fixture
def doors(sqlite_settings: Settings) -> Doors:
    """Opens a door, with other settings where they are named."""

    @asynccontextmanager
    async def open_door(**changes: Any) -> AsyncIterator[Door]:
        chosen = sqlite_settings.model_copy(update={"door_port": 0, "web_port": 0, **AT_ONCE, **changes})
        async with running_app(
            chosen, {bind.__module__: bind for name in SERVICES for bind in find_binds(name)}
        ) as app:
            assert app.public_address
            async with open_channel(app.public_address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
                yield Door(app, channel)

    return open_door


@pytest.fixture
async def door(doors: Doors) -> AsyncIterator[Door]:
    async with doors() as opened:
        yield opened
