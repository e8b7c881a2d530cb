"""A door apart: an Envoy that somebody else runs, such as Kubernetes, on the files that are written here.

Envoy runs in a container of its own that knows no secret; another beside it, with this, tells it of table servers.
"""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Final

import aiohttp

from gouji.gateway.door import LOOK_SECONDS
from gouji.gateway.door_files import TableList, write_configuration, write_no_servers
from gouji.gateway.endpoints import Address, split, split_all
from gouji.gateway.envoy import BEHIND, Config, config_for
from gouji.gateway.envoy_metrics import EnvoyMetrics
from gouji.gateway.envoy_process import ADMIN, drain, drained
from gouji.gateway.store import Store
from gouji.serving.app import StartError, signals, taken
from gouji.serving.database import Database
from gouji.serving.errors import StorageUnavailable
from gouji.serving.logs import Log, make_log
from gouji.serving.metrics import Metrics
from gouji.serving.probes import Probes
from gouji.serving.settings import Settings

LISTED: Final = "table servers listed"
"""What must have been done once before the door is ready."""


def write(settings: Settings) -> Config:
    """Write Envoy's configuration, and a list without table servers if there is none.

    Raises `StartError` when a setting is missing.
    """
    directory = _directory(settings)
    if settings.door_port < 0:
        raise StartError("There is no door without a port: set --door-port (GOUJI_DOOR_PORT).")
    behind = {name: _addresses(settings, name) for name in BEHIND}
    config = config_for(settings, directory, behind, split(settings.web_address) if settings.web_address else None)
    write_configuration(config)
    write_no_servers(config)
    return config


async def follow(settings: Settings) -> None:
    """Keep the list of table servers as it is in the database, and show Envoy's metrics, until a signal comes.

    While the database is away the list stays. Raises `StartError` when a setting is missing or a port is taken.
    """
    directory, log = _directory(settings), make_log(settings).bind(process="door")
    database, metrics, probes = Database(settings.database_url, 1), Metrics(), Probes()
    tables = TableList(Store(database), directory, log)
    probes.ready_when(LISTED, lambda: tables.told)
    metrics.registry.register(EnvoyMetrics(str(directory / ADMIN)))
    told = asyncio.Event()
    try:
        with signals(told.set):
            _open(metrics, settings, probes)
            probes.started()
            await _tell_until(told, tables, log)
    finally:
        await asyncio.to_thread(metrics.close)
        await database.close()


async def send_away(settings: Settings, seconds: float) -> None:
    """Have Envoy send its clients elsewhere, and wait until all have gone, or so long."""
    admin = str(_directory(settings) / ADMIN)
    with suppress(aiohttp.ClientError, TimeoutError):  # it may be gone already
        await drain(admin)
        async with asyncio.timeout(seconds):
            await drained(admin)


async def _tell_until(told: asyncio.Event, tables: TableList, log: Log) -> None:
    away = False
    while not told.is_set():
        try:
            await tables.tell()
            away = False
        except StorageUnavailable:
            if not away:
                log.warning("storage_away", task="door_endpoints")
            away = True
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await told.wait()


def _open(metrics: Metrics, settings: Settings, probes: Probes) -> None:
    if settings.metrics_port < 0:
        return
    try:
        metrics.serve(settings.host, settings.metrics_port, probes)
    except OSError as error:
        raise StartError(taken(settings.host, settings.metrics_port, "--metrics-port")) from error


def _directory(settings: Settings) -> Path:
    if settings.door_directory is None:
        raise StartError("Say where Envoy finds its files, by --door-directory (GOUJI_DOOR_DIRECTORY).")
    return settings.door_directory


def _addresses(settings: Settings, service: str) -> list[Address]:
    address: str | None = getattr(settings, f"{service}_address")
    if not address:
        raise StartError(
            f"Say where the door finds {service}, by --{service}-address (GOUJI_{service.upper()}_ADDRESS)."
        )
    return split_all(address)
