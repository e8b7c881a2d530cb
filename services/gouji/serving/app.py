"""One process: opened in order, closed in reverse, one service or all of them.

A service is a function `bind(app)` that registers its servicer, its steps and its background tasks.
`gouji serve` binds one, `gouji up` and the tests bind several to the same `App`.
"""

import asyncio
import gc
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, TypeVar

import grpc
from google.protobuf import descriptor_pool
from grpc_reflection.v1alpha import reflection

from gouji.serving import health
from gouji.serving.audit import Audit, AuditLog
from gouji.serving.auth import ANYBODY, Roles, tokens_for
from gouji.serving.barred import Barred
from gouji.serving.budgets import Budgets
from gouji.serving.channels import Channels
from gouji.serving.clock import Clock, SystemClock
from gouji.serving.database import Database
from gouji.serving.errors import StorageUnavailable
from gouji.serving.health import Health
from gouji.serving.interceptors import (
    Admission,
    Deadlines,
    Errors,
    Measure,
    PlayerRates,
    Report,
    RequestIds,
    Surround,
    Trace,
)
from gouji.serving.logs import Log, make_log, stack_of
from gouji.serving.metrics import Metrics
from gouji.serving.probes import Probes
from gouji.serving.published import PublishedKeys
from gouji.serving.settings import Settings
from gouji.serving.skew import Skew
from gouji.serving.tasks import is_being_cancelled
from gouji.serving.tls import ends_at, server_credentials
from gouji.serving.tracing import Tracing, TracingMissing, tracing_for

Step = Callable[[], Awaitable[None]]
"""Something done once, at start or stop, or for as long as the process runs."""

Servicer = TypeVar("Servicer")

_FIRST_WAIT_SECONDS, _LONGEST_WAIT_SECONDS = 0.1, 10.0
_STORAGE_WAIT_SECONDS = 0.5
_LAG_INTERVAL_SECONDS = 0.5
_LAG_LOOKS = 8
_WILDCARDS = ("0.0.0.0", "::")  # noqa: S104 - compared with, not bound

COLLECTION_THRESHOLDS: Final = (20_000, 20, 50)
"""New objects before the young are looked at, how often until the middle-aged are, and how often those until all."""


SLACK_BYTES: Final = 64 * 1024
"""By how much a request may be too large and still be refused with a reason: gRPC itself gives none, and Envoy lets
pass what comes in one piece."""


class StartError(Exception):
    """The process cannot start; the text says why and what to do."""


class App:
    """All that a process has. `bind` functions get it, take what they need and register what they add."""

    def __init__(
        self,
        settings: Settings,
        name: str = "gouji",
        *,
        clock: Clock | None = None,
        log: Log | None = None,
        tracing: Tracing | None = None,
    ) -> None:
        self.settings = settings
        self.name = name
        self.clock: Clock = clock or SystemClock()
        self.log: Log = (log or make_log(settings)).bind(process=name)
        self.metrics = Metrics()
        self.tracing = tracing or _tracing(settings, name)
        self.health = Health()
        self.probes = Probes()
        self.budgets = Budgets(settings, self.metrics)
        self.tokens = tokens_for(settings, self.clock)
        self.channels = Channels(settings, self.tokens, name, lambda: self.address, self.tracing)
        self.draining = False
        self.probes.ready_when("staying", lambda: not self.draining)
        self.public_address: str | None = None
        """Where browsers and phones come in, as in `http://127.0.0.1:8080`; None without a door."""
        self.lag_seconds = 0.0
        """How late the event loop wakes up, averaged over the last few seconds."""
        self.barred = Barred(lambda: self._database, self.clock, settings.access_token_seconds)
        self._roles: dict[str, Roles] = {}
        self.server = grpc.aio.server(interceptors=[self._surround()], options=_server_options(settings))
        self._database: Database | None = None
        self._port: int | None = None
        self._begun = False
        self._start_steps: list[Step] = []
        self._stop_steps: list[Step] = []
        self._closed_steps: list[Step] = []
        self._background: list[tuple[str, Step]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._told = asyncio.Event()
        self.background("loop_lag", self._watch_loop)
        self.background("clock skew", Skew(lambda: self._database, self.clock, self.metrics.clock_skew_seconds).run)
        self.background("barred players", self.barred.run)
        self.on_start(self.barred.look)
        if settings.player_jwks:
            published = PublishedKeys(settings.player_jwks, self.tokens, self.log, self.metrics)
            self.on_start(published.look)
            self.background("player_keys", published.follow)
        for use, certificate in (("inside", settings.inside_certificate), ("door", settings.door_certificate)):
            if certificate is not None:
                self.metrics.certificate_expires_seconds.labels(use).set_function(partial(ends_at, certificate))

    @property
    def database(self) -> Database:
        """The database, made when a service first asks for it; then it must be there at the start."""
        if self._database is None:
            settings = self.settings
            self._database = Database(settings.database_url, settings.database_connections, self.metrics)
        return self._database

    def add_servicer(
        self,
        add: Callable[[Servicer, grpc.aio.Server], None],
        servicer: Servicer,
        service_name: str,
        *,
        roles: Roles,
    ) -> None:
        """Serve `gouji.v1.TableService` or another one, with health and reflection.

        `roles` says for every method who may call it; `ValueError` when it does not name all of the service's
        methods and no others.
        """
        methods = set(descriptor_pool.Default().FindServiceByName(service_name).methods_by_name)
        if methods != set(roles):
            raise ValueError(f"{service_name}: methods and roles differ in {sorted(methods ^ set(roles))}")
        self._roles[service_name] = roles
        self.health.add(service_name)
        add(servicer, self.server)

    def on_start(self, step: Step) -> None:
        """Do this at start, in order of registration, before calls are taken; `address` is known by then."""
        self._start_steps.append(step)

    def on_stop(self, step: Step) -> None:
        """Do this at stop, in reverse order; calls and background tasks still go on then.

        It is done after a failed start too, once start steps have begun.
        """
        self._stop_steps.append(step)

    def on_closed(self, step: Step) -> None:
        """Do this at stop, in reverse order, when calls have got their answers; after a failed start, too."""
        self._closed_steps.append(step)

    def background(self, name: str, work: Step) -> None:
        """Run this from start to stop. When it raises, that is logged and it runs again, later each time.

        `StorageUnavailable` is no fault: one warning, and it runs again until the database is back.
        """
        self._background.append((name, work))

    @property
    def address(self) -> str:
        """Host and port on which gRPC is really served; `StartError` before the start."""
        if self._port is None:
            raise StartError("the process has not started")
        return reachable(self.settings.host, self._port)

    async def start(self, *, migrate: bool = False) -> None:
        """Open all, with the database's tables made or brought up to date first if `migrate`.

        What was opened is closed again when something fails. `StartError` for what its reader can mend.
        """
        try:
            await self._open(migrate=migrate)
        except BaseException:
            with suppress(Exception):  # what fails now is logged; why the start failed counts
                await self.stop(grace=0)
            raise

    async def stop(self, grace: float | None = None) -> None:
        """Close all in reverse order; calls get `grace` seconds. All is tried, then the first error raised.

        A second call does nothing.
        """
        if self.draining:
            return
        self.draining = True
        seconds = self.settings.shutdown_grace_seconds if grace is None else grace
        steps: list[Step] = [
            self.health.drain,
            *(reversed(self._stop_steps) if self._begun else ()),
            lambda: self.server.stop(seconds),
            self._end_tasks,
            *(reversed(self._closed_steps) if self._begun else ()),
            self.channels.close,
            self.tracing.close,
            lambda: asyncio.to_thread(self.metrics.close),
            *([self._database.close] if self._database else []),
        ]
        errors = [error for step in steps if (error := await self._outcome(step))]
        if errors:
            raise errors[0]

    async def run_until_signal(self, ready: Callable[["App"], None], *, migrate: bool = False) -> None:
        """Start, call `ready`, serve until SIGTERM, SIGINT or `ask_to_stop`, and stop.

        The second signal ends the process at once.

        A signal during the start is heeded when it is done.
        """
        try:
            with signals(self.ask_to_stop):
                await self.start(migrate=migrate)
                _collect_seldom()
                ready(self)
                await self._told.wait()
            self.log.info("stopping")
        finally:
            await self.stop()

    def ask_to_stop(self) -> None:
        """Do what a signal does: have `run_until_signal` stop the process in good order."""
        self._told.set()

    async def _open(self, *, migrate: bool) -> None:
        self._bind_ports()
        if self._database:
            await _prepare(self._database, migrate=migrate)
        self._begun = True
        for step in self._start_steps:
            await step()
        self._serve_health_and_reflection()
        await self.server.start()
        self._tasks = [asyncio.create_task(self._supervise(*task), name=task[0]) for task in self._background]
        await self.health.serving()
        self.probes.started()

    def _bind_ports(self) -> None:
        settings = self.settings
        try:
            self._port = self._bind_port(_address(settings.host, settings.port))
        except RuntimeError as error:
            raise StartError(taken(settings.host, settings.port, "--port")) from error
        if settings.metrics_port < 0:
            return
        try:
            self.metrics.serve(settings.host, settings.metrics_port, self.probes)
        except OSError as error:
            raise StartError(taken(settings.host, settings.metrics_port, "--metrics-port")) from error

    def _bind_port(self, address: str) -> int:
        credentials = server_credentials(self.settings)
        if credentials:
            return self.server.add_secure_port(address, credentials)
        return self.server.add_insecure_port(address)

    def _serve_health_and_reflection(self) -> None:
        names = (*self._roles, health.SERVICE_NAME, reflection.SERVICE_NAME)
        self._roles[health.SERVICE_NAME] = dict.fromkeys(("Check", "List", "Watch"), ANYBODY)
        self._roles[reflection.SERVICE_NAME] = {"ServerReflectionInfo": ANYBODY}
        self.health.add_to(self.server)
        reflection.enable_server_reflection(names, self.server)

    def _surround(self) -> Surround:
        return Surround(
            [
                RequestIds(),
                *([Trace(self.tracing)] if self.tracing.on else []),
                Measure(self.metrics, self.tracing),
                Report(self.log),
                Errors(self.log),
                Deadlines(self.settings.request_timeout_seconds),
                Admission(self.tokens, self._roles, self.barred),
                PlayerRates(self.settings.player_calls_per_second, self.clock),
                Audit(AuditLog(lambda: self._database), lambda: self.address),
            ],
            self.settings.max_message_bytes,
        )

    async def _end_tasks(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _outcome(self, step: Step) -> Exception | None:
        try:
            await step()
        except Exception as error:  # noqa: BLE001 - the first one is raised when the rest is closed
            self.log.error("stop_step_failed", stack=stack_of(error))
            return error
        return None

    async def _supervise(self, name: str, work: Step) -> None:
        wait, away = _FIRST_WAIT_SECONDS, False
        while True:
            began = time.monotonic()
            try:
                return await work()
            except StorageUnavailable:
                if not away or _ran_well(began):
                    self.log.warning("storage_away", task=name)
                away = True
                await asyncio.sleep(_STORAGE_WAIT_SECONDS)
            except (Exception, asyncio.CancelledError) as error:  # a task that died must not die unseen
                if is_being_cancelled():
                    raise
                self.metrics.task_failures.labels(name).inc()
                self.log.error("task_died", task=name, stack=stack_of(error), again_in_seconds=wait)
                if _ran_well(began):
                    wait = _FIRST_WAIT_SECONDS
                await asyncio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT_SECONDS)

    async def _watch_loop(self) -> None:
        while True:
            due = time.monotonic() + _LAG_INTERVAL_SECONDS
            await asyncio.sleep(_LAG_INTERVAL_SECONDS)
            lag = time.monotonic() - due
            self.metrics.loop_lag_seconds.observe(max(lag, 0.0))
            self.lag_seconds += (lag - self.lag_seconds) / _LAG_LOOKS


def _tracing(settings: Settings, name: str) -> Tracing:
    try:
        return tracing_for(settings, name)
    except TracingMissing as error:
        raise StartError(str(error)) from error


Bind = Callable[[App], None]
"""What makes a service part of a process."""


@contextmanager
def must_be_reached(database: Database) -> Iterator[None]:
    """Turn a database that cannot be reached into a `StartError`."""
    try:
        yield
    except StorageUnavailable as error:
        cause = type(error.__cause__).__name__
        raise StartError(
            f"The database {database.shown_url} cannot be reached ({cause}): start it, or name another with "
            "--database-url (GOUJI_DATABASE_URL)."
        ) from error


async def _prepare(database: Database, *, migrate: bool) -> None:
    with must_be_reached(database):
        if migrate:
            await database.upgrade()
        elif await database.revision() is None:
            raise StartError(f"The database {database.shown_url} has no tables: run `gouji migrate` first.")


@contextmanager
def signals(told: Callable[[], None]) -> Iterator[None]:
    """Call this at SIGTERM or SIGINT, for as long as the block lasts."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)


def _collect_seldom() -> None:
    """Have Python look for lost cycles less often than it does for a script.

    While it looks at all objects of thousands of streams nothing else is done, and as shipped it does so several
    times a minute on a busy table server.
    """
    gc.collect()
    gc.freeze()  # what was imported is there until the end
    gc.set_threshold(*COLLECTION_THRESHOLDS)


def _ran_well(began: float) -> bool:
    """Say whether a task that ended just now had run for so long that what ended it is new."""
    return time.monotonic() - began > _LONGEST_WAIT_SECONDS


def taken(host: str, port: int, flag: str) -> str:
    """Say what to do about a port that somebody else has."""
    return f"Port {port} of {host} cannot be had: end the process that has it, or choose another with {flag}."


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def reachable(host: str, port: int) -> str:
    """Say where on this machine something is dialled that listens at a host, which may be a wildcard."""
    return _address("127.0.0.1" if host in _WILDCARDS else host, port)


def _server_options(settings: Settings) -> list[tuple[str, Any]]:
    return [
        ("grpc.so_reuseport", 0),  # else a second process would share the port unnoticed
        ("grpc.max_receive_message_length", settings.max_message_bytes + SLACK_BYTES),
        ("grpc.max_send_message_length", settings.max_message_bytes),
        ("grpc.server.max_pending_requests", 100_000),  # the default loses calls when thousands come at once
        ("grpc.server.max_pending_requests_hard_limit", 100_000),
        ("grpc.max_connection_age_ms", settings.connection_age_seconds * 1000),
        ("grpc.max_connection_age_grace_ms", settings.connection_age_grace_seconds * 1000),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ]
