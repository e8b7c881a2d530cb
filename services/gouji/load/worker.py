"""One client process: `python -m gouji.load.worker` reads its job as a line of JSON, plays it, and tells in lines.

It ends early when its input does.
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from gouji.load.book import Book
from gouji.load.network import Mobile
from gouji.load.notes import Notes
from gouji.load.player import Place, Player
from gouji.load.profile import Profile

try:
    from uvloop import run as run_loop
except ImportError:  # there is none for Windows
    from asyncio import run as run_loop  # type: ignore[assignment]

_TELL_SECONDS: Final = 1.0
_LAG_SECONDS: Final = 0.1
UNSHOWN_SECONDS: Final = 15.0
"""A command that not all who are there have seen for so long is a failure."""


class Job(BaseModel):
    """What one of several client processes does. ``began`` is when the run begins, by the wall clock."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    profile: Profile
    address: str
    number: int
    began: float
    run: str

    @property
    def chance(self) -> random.Random:
        """The chance of this process."""
        return random.Random(f"{self.profile.seed}/{self.number}")  # noqa: S311 - play, no secrets

    def arrivals(self, chance: random.Random) -> Iterator[float]:
        """Give when each of this process's players comes, by the wall clock."""
        arrivals, clients = self.profile.arrivals, self.profile.clients
        at = self.began
        for _ in range(arrivals.players * (self.number + 1) // clients - arrivals.players * self.number // clients):
            at += chance.expovariate(arrivals.per_second / clients)
            yield at


class Crowd:
    """The players of this process, and the tables that they sit at."""

    def __init__(self, job: Job, folder: Path) -> None:
        self.notes = Notes(job.began + job.profile.warmup)
        self._job = job
        self._folder = folder
        self._chance = job.chance
        self._books: dict[str, Book] = {}
        self._mobiles: list[Mobile] = []

    async def run(self) -> None:
        """Have everybody come when they are due, until cancelled."""
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._watch_lag())
                    for number, due in enumerate(self._job.arrivals(self._chance)):
                        await asyncio.sleep(due - time.time())
                        player = await self._player(number, stack)
                        group.create_task(player.live(due))
                    await asyncio.Event().wait()
            finally:
                self._sum_up()

    async def _player(self, number: int, stack: AsyncExitStack) -> Player:
        network, chance = self._job.profile.network, random.Random(self._chance.getrandbits(64))  # noqa: S311
        # One queue a process: the six of a table are all here, and can be compared.
        place = Place(self._job.address, f"load-{self._job.number}/{self._job.run}")
        if chance.random() < network.share:
            mobile = Mobile(network, self._job.address, self._folder / f"{number}", chance)
            self._mobiles.append(await stack.enter_async_context(mobile))
            place = Place(mobile.address, place.queue, steady=False)
        return Player(f"Load {number}", place, self._job.profile, self.notes, chance, self._book)

    def _book(self, table_id: str) -> Book:
        if table_id not in self._books:
            self._books[table_id] = Book(self._shown)
        self.notes.tables = sum(bool(book.present) for book in self._books.values())
        return self._books[table_id]

    def _shown(self, due: float, seen: float) -> None:
        self.notes.span("shown", due, seen, self._job.profile.think.median)

    def _sum_up(self) -> None:
        self.notes.cuts = sum(mobile.cuts for mobile in self._mobiles)
        before = time.time() - UNSHOWN_SECONDS
        if unshown := sum(book.unshown(before) for book in self._books.values()):
            self.notes.failures["not_shown"] += unshown

    async def _watch_lag(self) -> None:
        """Note how late this process's own loop is: its times mean nothing when it is the bottleneck."""
        while True:
            due = time.time() + _LAG_SECONDS
            await asyncio.sleep(_LAG_SECONDS)
            self.notes.time("lag", due)
            self.notes.tables = sum(bool(book.present) for book in self._books.values())


def _tell(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


async def _until_told(seconds: float) -> None:
    """Wait for so long, or until the input ends."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        async with asyncio.timeout(seconds):
            await reader.read()
    except TimeoutError:
        pass


async def work(job: Job) -> None:
    """Play a job, tell how it goes each second, and what came of it at the end."""
    with TemporaryDirectory(prefix="gouji-load-") as folder:
        crowd = Crowd(job, Path(folder))
        playing = asyncio.create_task(crowd.run())
        telling = asyncio.create_task(_tell_on(crowd))
        ending = asyncio.create_task(_until_told(job.began + job.profile.length - time.time()))
        await asyncio.wait([playing, ending], return_when=asyncio.FIRST_COMPLETED)
        for task in (telling, ending, playing):
            task.cancel()
        done = await asyncio.gather(playing, telling, ending, return_exceptions=True)
        for error in done:
            if isinstance(error, BaseExceptionGroup | Exception):
                raise error
        _tell({"done": crowd.notes.packed()})


async def _tell_on(crowd: Crowd) -> None:
    while True:
        await asyncio.sleep(_TELL_SECONDS)
        _tell({"progress": crowd.notes.progress()})


def new_run() -> str:
    """Name a run, so that its queues are nobody else's."""
    return uuid4().hex[:8]


if __name__ == "__main__":
    run_loop(work(Job.model_validate_json(sys.stdin.readline())))
