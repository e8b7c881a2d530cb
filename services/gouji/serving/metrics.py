"""Prometheus metrics of one process: its own registry, and a page to scrape."""

import socket
import threading
from collections.abc import Callable
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

from gouji.serving.probes import Probes, with_probes

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Histogram buckets for times between a millisecond and half a minute."""


class Metrics:
    """The registry, and what every process counts. Services add theirs with `registry=metrics.registry`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        labels = ("service", "method")
        self.rpcs = Counter("gouji_rpcs", "Calls answered, by status.", (*labels, "code"), registry=self.registry)
        self.rpc_seconds = Histogram(
            "gouji_rpc_seconds", "Time to answer a call.", labels, buckets=SECONDS, registry=self.registry
        )
        self.rpcs_open = Gauge("gouji_rpcs_open", "Calls being answered.", labels, registry=self.registry)
        self.task_failures = Counter(
            "gouji_task_failures", "Times a background task died.", ("task",), registry=self.registry
        )
        self.loop_lag_seconds = Histogram(
            "gouji_loop_lag_seconds",
            "How late the event loop wakes up, looked at twice a second.",
            buckets=SECONDS,
            registry=self.registry,
        )
        self.budget_waiting = Gauge(
            "gouji_budget_waiting",
            "Calls that wait for a place among their like: of who comes back, of who comes anew.",
            ("budget",),
            registry=self.registry,
        )
        self.database_seconds = Histogram(
            "gouji_database_seconds",
            "From asking for a connection to the database to giving it back, by what was done on it.",
            ("use",),
            buckets=SECONDS,
            registry=self.registry,
        )
        self.database_failures = Counter(
            "gouji_database_failures",
            "Times that the database could not be reached, or broke off.",
            registry=self.registry,
        )
        self.database_connections = Gauge(
            "gouji_database_connections", "Connections to the database that are in use.", registry=self.registry
        )
        self.clock_skew_seconds = Gauge(
            "gouji_clock_skew_seconds", "By how much the database's clock is ahead of this one.", registry=self.registry
        )
        self.certificate_expires_seconds = Gauge(
            "gouji_certificate_expires_seconds",
            "When the certificate in this file ends, in seconds from 1970 on; 0 when it cannot be read.",
            ("use",),
            registry=self.registry,
        )
        self.player_keys_failures = Counter(
            "gouji_player_keys_failures",
            "Times that the public keys of players' tokens could not be read anew.",
            registry=self.registry,
        )
        self.port: int | None = None
        self._stop_page: Callable[[], None] = _nothing

    def serve(self, host: str, port: int, probes: Probes) -> None:
        """Open the page, with the probes beside it; `port` then says where. `OSError` when the port is taken."""
        page = with_probes(make_wsgi_app(self.registry), probes)
        kind = _Server6 if ":" in host else ThreadingWSGIServer
        server = make_server(host, port, page, kind, _Silent)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        self.port = server.server_port

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        self._stop_page = stop

    def close(self) -> None:
        """Close the page, if it is open."""
        self._stop_page()
        self._stop_page = _nothing
        self.port = None


def _nothing() -> None:
    """Do nothing: no page is open."""


class _Server6(ThreadingWSGIServer):
    """The page's server at an address of IPv6."""

    address_family = socket.AF_INET6


class _Silent(WSGIRequestHandler):
    """Writes no line for each time that somebody reads the page."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Say nothing."""
