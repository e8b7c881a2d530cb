"""What a kubelet asks over HTTP, beside the metrics: whether this process lives (`/livez`), and is ready (`/readyz`).

Health by gRPC (`health.py`) says the same of calls; but no kubelet can ask it where our own calls are mutual TLS.
"""

import asyncio
import threading
from collections.abc import Callable, Iterable
from typing import Any, Final
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

STUCK_SECONDS: Final = 5
"""An event loop that does not turn for so long is stuck."""

LIVE_PATH: Final = "/livez"
READY_PATH: Final = "/readyz"


class Probes:
    """What keeps a process from being alive, or ready: nothing, if all is well. Asked from other threads."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._conditions: dict[str, Callable[[], bool]] = {}

    def started(self) -> None:
        """Say that the start is done; to be called in the event loop that is to turn."""
        self._loop = asyncio.get_running_loop()

    def ready_when(self, condition: str, holds: Callable[[], bool]) -> None:
        """Be ready only while this holds; ``condition`` says what, in a few words."""
        self._conditions[condition] = holds

    def alive(self) -> list[str]:
        """Have the event loop turn once: one that is stuck, by a lock or by work without end, does not."""
        if self._loop is None:
            return ["started"]
        turned = threading.Event()
        try:
            self._loop.call_soon_threadsafe(turned.set)
        except RuntimeError:  # it is closed
            return ["running"]
        return [] if turned.wait(STUCK_SECONDS) else ["event loop turns"]

    def ready(self) -> list[str]:
        """Name the conditions that do not hold."""
        if self._loop is None:
            return ["started"]
        return [condition for condition, holds in self._conditions.items() if not holds()]


def with_probes(page: WSGIApplication, probes: Probes) -> WSGIApplication:
    """Answer both questions before a page: 200 if all is well, else 503 with what does not hold, a line each."""
    checks = {LIVE_PATH: probes.alive, READY_PATH: probes.ready}

    def serve(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        check: Callable[[], list[str]] | None = checks.get(environ["PATH_INFO"])
        if check is None:
            return page(environ, start_response)
        missing: Any = check()
        start_response("503 Service Unavailable" if missing else "200 OK", [("Content-Type", "text/plain")])
        return ["".join(f"not: {one}\n" for one in missing).encode() or b"ok\n"]

    return serve
