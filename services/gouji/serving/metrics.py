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
        self.loop_lag_seconds = Gauge(
            "gouji_loop_lag_seconds", "How late the event loop wakes up.", registry=self.registry
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
