"""A studio's own system: a real HTTP server that is told of matches."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web


@dataclass
class Studio:
    """A studio's system: keeps what it is sent, and answers as ``answer`` says."""

    received: list[tuple[dict[str, str], str]] = field(default_factory=list)
    answer: Callable[[], Awaitable[web.Response]] | None = None
    came: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.received]

    async def take(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        self.received.append((headers, await request.text()))
        self.came.set()
        return await self.answer() if self.answer else web.Response(status=204)


@asynccontextmanager
async def open_studio() -> AsyncIterator[Studio]:
    """Serve until the block ends."""
    studio, app = Studio(), web.Application()
    app.router.add_route("*", "/{any:.*}", studio.take)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    studio.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    yield studio
    await runner.cleanup()
