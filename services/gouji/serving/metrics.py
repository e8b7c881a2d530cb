"""Prometheus metrics of one process: its own registry, and a page to scrape."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server
from prometheus_client.gc_collector import GCCollector
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

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

    def serve(self, host: str, port: int) -> None:
        """Open the page; `port` then says where. `OSError` when the port is taken."""
        server, thread = start_http_server(port, host, self.registry)
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
