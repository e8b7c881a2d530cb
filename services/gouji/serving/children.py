"""A program that runs beside this process: its lines become lines of our log, and it never outlives us."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import Final

_LAUNCH: Final = f"""
import ctypes, os, resource, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, {int(signal.SIGTERM)})  # PR_SET_PDEATHSIG: told when its parent dies
if os.getppid() != int(sys.argv[1]):
    sys.exit(1)
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Goes before the program: what a fork between threads could not do safely, and what lasts beyond exec."""

_END_SECONDS: Final = 5


def tied(command: Sequence[str]) -> list[str]:
    """Give what runs ``command``, a path and its arguments, under the same process id, and ends it with this process.

    That it hears SIGTERM when this process is killed holds on Linux alone. It gets as many files as may be had.
    """
    return [sys.executable, "-ISc", _LAUNCH, str(os.getpid()), *command]


class Child:
    """One run of a program. That it ends when we are killed holds on Linux alone."""

    def __init__(self, process: asyncio.subprocess.Process, heard: Callable[[str], None]) -> None:
        self._process = process
        self._reading = asyncio.create_task(self._read(heard))

    @classmethod
    async def start(cls, command: Sequence[str], heard: Callable[[str], None]) -> "Child":
        """Start ``command``, a path and its arguments; each line that it writes to standard error is ``heard``."""
        null, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *tied(command),
            stdin=null,
            stdout=null,
            stderr=pipe,
            start_new_session=True,  # Ctrl-C is for us: a child that ends before us would leave calls without answers
        )
        return cls(process, heard)

    @property
    def alive(self) -> bool:
        """It has not ended."""
        return self._process.returncode is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def wait(self) -> int:
        """Wait for its end; gives the exit code, negative for the signal that killed it."""
        code = await self._process.wait()
        await self._reading
        return code

    async def stop(self) -> None:
        """Ask it to end, and kill it if it does not within 5 s."""
        if self.alive:
            self._process.terminate()
        try:
            async with asyncio.timeout(_END_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
        await self.wait()

    async def _read(self, heard: Callable[[str], None]) -> None:
        assert self._process.stderr  # noqa: S101 - asked for above
        while line := await self._process.stderr.readline():
            heard(line.decode(errors="replace").rstrip())
