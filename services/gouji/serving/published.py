"""Public keys that somebody else publishes (JWKS): fetched, and fetched anew, so that keys can follow one another."""

import asyncio
from pathlib import Path
from typing import Final

import aiohttp

from gouji.serving.auth import Tokens
from gouji.serving.keys import UnusableKey, read_jwks
from gouji.serving.logs import Log
from gouji.serving.metrics import Metrics

AGAIN_SECONDS: Final = 60
"""How often the keys are read anew. A key must have been published for so long before it signs."""

SOON_SECONDS: Final = 2
"""When it is tried again as long as they could never be read."""

MOST_BYTES: Final = 256 * 1024
_TIMEOUT: Final = aiohttp.ClientTimeout(total=5)


class PublishedKeys:
    """Keeps the tokens of a process supplied with the keys at an address or in a file."""

    def __init__(self, source: str, tokens: Tokens, log: Log, metrics: Metrics) -> None:
        self._source = source
        self._tokens = tokens
        self._log = log
        self._metrics = metrics
        self._known = False

    async def look(self) -> None:
        """Read the keys once. When they cannot be read those of before stay good, and a warning says so."""
        try:
            keys = read_jwks(await _read(self._source))
        except (OSError, UnusableKey, aiohttp.ClientError, TimeoutError) as error:
            self._metrics.player_keys_failures.inc()
            self._log.warning("player_keys_unreadable", source=self._source, error=type(error).__name__)
            return
        self._tokens.publish(keys)
        self._known = True

    async def follow(self) -> None:
        """Read the keys again and again, until cancelled."""
        while True:
            await asyncio.sleep(AGAIN_SECONDS if self._known else SOON_SECONDS)
            await self.look()


async def _read(source: str) -> bytes:
    if not source.startswith(("http://", "https://")):
        return await asyncio.to_thread(Path(source).read_bytes)
    async with aiohttp.ClientSession(timeout=_TIMEOUT, raise_for_status=True) as session, session.get(source) as answer:
        return await answer.content.read(MOST_BYTES)
