"""A network as phones have it, within the client: bytes take their time, and now and then the way is cut."""

import asyncio
import random
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

from gouji.load.profile import Network

_CHUNK_BYTES: Final = 65_536
_MOST_CHUNKS: Final = 64
"""What is on its way at a time: a sender waits when there is more, as with a full window."""


class Mobile:
    """One player's way to the servers: a socket of its own, which passes on to the real address.

    What is sent arrives in order, each piece after the delay and its own jitter.
    """

    def __init__(self, network: Network, address: str, socket: Path, chance: random.Random) -> None:
        self._network = network
        self._host, self._port = host_and_port(address)
        self._socket = socket
        self._chance = chance
        self._server: asyncio.Server | None = None
        self._cutting: asyncio.Task[None] | None = None
        self._ways: set[asyncio.Task[None]] = set()
        self._open = True
        self.cuts = 0

    @property
    def address(self) -> str:
        """What the player dials."""
        return f"unix:{self._socket}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_unix_server(self._accept, self._socket)
        self._cutting = asyncio.create_task(self._cut_now_and_then())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._cutting:
            self._cutting.cancel()
        if self._server:
            self._server.close()
        await self._hang_up()
        self._socket.unlink(missing_ok=True)

    async def cut(self, seconds: float) -> None:
        """Break all that is open, and let nothing through for so long."""
        self.cuts += 1
        self._open = False
        await self._hang_up()
        await asyncio.sleep(seconds)
        self._open = True

    async def _cut_now_and_then(self) -> None:
        if not self._network.cuts_per_minute:
            return
        while True:
            await asyncio.sleep(self._chance.expovariate(self._network.cuts_per_minute / 60))
            await self.cut(self._network.cut.draw(self._chance))

    async def _hang_up(self) -> None:
        ways = list(self._ways)
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._open:
            writer.transport.abort()
            return
        way = asyncio.current_task()
        assert way  # noqa: S101 - the loop runs this in a task
        self._ways.add(way)
        try:
            with suppress(OSError):
                there, back = await asyncio.open_connection(self._host, self._port)
                try:
                    await _either(self._pass_on(reader, back), self._pass_on(there, writer))
                finally:
                    back.transport.abort()
        except asyncio.CancelledError:  # cut: the task is this connection's own
            pass
        finally:
            writer.transport.abort()
            self._ways.discard(way)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass on in one direction, late, until either side ends."""
        loop = asyncio.get_running_loop()
        sent: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_MOST_CHUNKS)

        async def read() -> None:
            while data := await reader.read(_CHUNK_BYTES):
                await sent.put((loop.time() + self._delay(), data))

        async def write() -> None:
            while True:
                due, data = await sent.get()
                await asyncio.sleep(due - loop.time())
                writer.write(data)
                await writer.drain()

        await _either(read(), write())

    def _delay(self) -> float:
        return (self._network.delay_ms + self._chance.uniform(0, self._network.jitter_ms)) / 1000


async def _either(*works: Coroutine[Any, Any, None]) -> None:
    """Run both until one ends, and end the other."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def host_and_port(address: str) -> tuple[str, int]:
    """Divide an address without TLS. Raises ValueError for one with it: what is encrypted is not ours to pass on."""
    parts = urlsplit(address if "://" in address else f"http://{address}")
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError(f"a mobile network needs an address without TLS, not {address}")
    return parts.hostname, parts.port or 80
