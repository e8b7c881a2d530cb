"""Envoy's own metrics, on the page of the process that runs it."""

import http.client
import socket
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

WANTED: Final = r"^(http\.door|cluster\.\w+\.(upstream_(rq|cx)|circuit)|overload|server\.(live|memory|days)|door\.)"
"""Statistics of Envoy's, by their names there, that are shown."""

_SECONDS: Final = 2


class EnvoyMetrics(Collector):
    """Asks Envoy whenever the page is read; shows nothing while it does not answer."""

    def __init__(self, admin: str) -> None:
        self._admin = admin

    def collect(self) -> Iterator[Metric]:
        """Give all that is wanted and was ever counted."""
        try:
            page = self._ask()
        except (OSError, http.client.HTTPException):
            return
        yield from text_string_to_metric_families(page)

    def describe(self) -> Iterator[Metric]:
        """Say nothing beforehand: Envoy is not there yet."""
        return iter(())

    def _ask(self) -> str:
        connection = _Local(self._admin)
        try:
            connection.request("GET", f"/stats/prometheus?usedonly&filter={quote(WANTED)}")
            return connection.getresponse().read().decode()
        finally:
            connection.close()


class _Local(http.client.HTTPConnection):
    """HTTP over a socket that is a file."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_SECONDS)
        self.sock.connect(self._path)
