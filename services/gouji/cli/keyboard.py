"""Lines that a person types, delivered to an event loop."""

import asyncio
import os
import threading
from collections.abc import Callable

_STDIN = 0

Deliver = Callable[[str | None], None]
"""Takes a line, and None at the end of all."""


class Keyboard:
    """What a person types, for whoever listened last."""

    def __init__(self) -> None:
        self._deliver: Deliver | None = None
        self._ended = False

    def listen(self, deliver: Deliver) -> None:
        """Have lines delivered here from now on; nothing but the end, if it has come already."""
        begins, self._deliver = self._deliver is None, deliver
        if self._ended:
            deliver(None)
        elif begins:
            read_lines(self._pass_on)

    def _pass_on(self, line: str | None) -> None:
        self._ended = line is None
        if self._deliver is not None:
            self._deliver(line)


def read_lines(deliver: Deliver, descriptor: int = _STDIN) -> None:
    """Call ``deliver`` in the running loop with each line of a file descriptor, then with None at its end.

    A thread of its own waits for them, since not every loop can wait for a terminal or a file. It reads the
    descriptor itself: a thread that waits inside `sys.stdin` would keep the process from ending.
    """
    loop = asyncio.get_running_loop()

    def read() -> None:
        pending = b""
        try:
            while chunk := _chunk(descriptor):
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    loop.call_soon_threadsafe(deliver, line.decode(errors="replace").rstrip("\r"))
            loop.call_soon_threadsafe(deliver, None)
        except RuntimeError:
            return  # the loop has ended, and with it whoever listened

    threading.Thread(target=read, name="keyboard", daemon=True).start()


def _chunk(descriptor: int) -> bytes:
    """Read what there is; nothing at the end, or when the terminal has gone."""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
