"""The files that Envoy reads: its configuration, where its certificate is, and the list of table servers."""

import asyncio
import os
from pathlib import Path

from gouji.gateway.endpoints import Address, endpoints, split
from gouji.gateway.envoy import TABLE_LIST, Config, certificate, render
from gouji.gateway.envoy_process import CONFIGURATION
from gouji.gateway.routing import Server
from gouji.gateway.store import Store
from gouji.serving.logs import Log


def write_configuration(config: Config) -> None:
    """Write what Envoy is started with."""
    _write(config.directory / CONFIGURATION, render(config))
    if config.outside:
        _write(Path(config.certificates), certificate(config.outside))


def write_no_servers(config: Config) -> None:
    """Write a list without table servers, unless there is one: Envoy does not start where it finds none."""
    path = Path(config.endpoints)
    if not path.exists():
        _write(path, endpoints({}))


class TableList:
    """The list of table servers in a directory, written anew when they come or go."""

    def __init__(self, store: Store, directory: Path, log: Log) -> None:
        self._store = store
        self._path = directory / TABLE_LIST
        self._log = log
        self._told = ""
        self._lost: set[str] = set()

    @property
    def told(self) -> bool:
        """It was written by this process."""
        return bool(self._told)

    async def tell(self) -> None:
        """Write the list, if it differs from what was written. Raises `StorageUnavailable`."""
        found = [(server, await self._resolved(server)) for server in await self._store.servers()]
        listed = endpoints({server.server_id: address for server, address in found if address})
        if listed != self._told:
            _write(self._path, listed)
            self._told = listed

    async def _resolved(self, server: Server) -> Address | None:
        """Look an address up: Envoy is told numbers. None, and once a warning, for one that is not to be found."""
        try:
            host, port = split(server.address)
            [(*_, (number, *_)), *_] = await asyncio.get_running_loop().getaddrinfo(host, port)
        except (OSError, ValueError):
            if server.server_id not in self._lost:
                self._lost.add(server.server_id)
                self._log.warning("table_server_lost", server_id=server.server_id, address=server.address)
            return None
        return str(number), port


def _write(path: Path, text: str) -> None:
    """Write a file whole, under its name at once: that is what Envoy watches for."""
    beside = path.with_suffix(f".{os.getpid()}")
    beside.write_text(text)
    beside.replace(path)
