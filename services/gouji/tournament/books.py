"""Events as they stand: folded from their records, kept up to date, and written one entry after the other."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.serving.clock import Clock, microseconds
from gouji.serving.errors import ServiceError
from gouji.serving.vault import Vault
from gouji.tournament import names
from gouji.tournament.refusals import Refusal
from gouji.tournament.store import Store
from gouji.tournament.tournament import Tournament
from gouji.v1.tournament_log_pb2 import TournamentEntry

LONGEST_ID: Final = 32
"""Characters of an event's id; no event has a longer one."""

MOST_KEPT: Final = 64
"""Events that are kept in memory; the one that was not asked for the longest is forgotten."""

Decide = Callable[[Tournament, int], TournamentEntry | None]
"""Judges an event as it stands at a time in microseconds: the entry to write, None for nothing; raises `Refusal`."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who writes an entry, why, and under which command, if any."""

    name: str = ""
    reason: str = ""
    command_id: str = ""
    command_hash: bytes = b""


BY_ITSELF: Final = Author()
"""What nobody does."""


@dataclass(slots=True)
class _Book:
    """One event in memory. Whoever folds or writes holds the lock."""

    event: Tournament
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Books:
    """The events of this process. What is in memory is what was committed, never more."""

    def __init__(self, store: Store, vault: Vault, clock: Clock) -> None:
        self._store = store
        self._vault = vault
        self._clock = clock
        self._books: OrderedDict[str, _Book] = OrderedDict()
        self._secrets: dict[str, bytes] = {}

    async def create(self, tournament_id: str, secret: bytes, first: TournamentEntry, author: Author) -> bool:
        """Announce an event; False when there is one of this id, whatever it is."""
        _sign(first, author, 1, self._now())
        return await self._store.create(tournament_id, self._vault.seal(secret, secret_place(tournament_id)), first)

    async def read(self, tournament_id: str) -> Tournament:
        """Give an event up to date; it is shared, and goes on with its record. Refused with `unknown_tournament`."""
        book = self._book(tournament_id)
        async with book.lock, self._store.database.connect() as connection:
            await self._catch_up(connection, book.event)
        if not book.event.sequence:
            raise self._unknown(tournament_id)
        return book.event

    async def write(self, tournament_id: str, author: Author, decide: Decide) -> Tournament:
        """Judge an event that nobody else can change meanwhile, and write the entry; gives the event as it is then.

        A command that was done is not done again. Raises `ServiceError`: `unknown_tournament`, `command_id_reused`, and
        the reason for which nothing was done.
        """
        book = self._book(tournament_id)
        async with book.lock:
            async with self._store.database.begin() as connection:
                if not await self._store.lock(connection, tournament_id):
                    raise self._unknown(tournament_id)
                await self._catch_up(connection, book.event)
                entry = self._judged(book.event, author, decide)
                if entry is not None:
                    await self._store.append(connection, tournament_id, entry)
            if entry is not None:
                book.event.fold(entry)
        return book.event

    async def forget(self, player_id: str) -> None:
        """Take a player's name out of all records. Safe to repeat."""
        for tournament_id in await self._store.events_of(player_id):
            async with self._store.database.begin() as connection:
                await self._store.lock(connection, tournament_id)
                await self._store.rewrite(connection, tournament_id, partial(names.forget, player_id))
            self._books.pop(tournament_id, None)

    async def secret(self, tournament_id: str) -> bytes:
        """Open an event's secret. Refused with `unknown_tournament`."""
        self._check_id(tournament_id)
        if tournament_id not in self._secrets:
            sealed = await self._store.secret(tournament_id)
            if sealed is None:
                raise self._unknown(tournament_id)
            self._secrets[tournament_id] = self._vault.open(sealed, secret_place(tournament_id))
        return self._secrets[tournament_id]

    def _judged(self, event: Tournament, author: Author, decide: Decide) -> TournamentEntry | None:
        if author.command_id in event.commands and author.command_id:
            if event.commands[author.command_id] != author.command_hash:
                raise ServiceError("command_id_reused", "This command id was used for something else.")
            return None
        now = self._now()
        try:
            entry = decide(event, now)
        except Refusal as refusal:
            raise ServiceError(refusal.reason, refusal.sentence, metadata=refusal.metadata) from refusal
        if entry is not None:
            _sign(entry, author, event.sequence + 1, now)
        return entry

    async def _catch_up(self, connection: AsyncConnection, event: Tournament) -> None:
        for entry in await self._store.entries(connection, event.tournament_id, event.sequence):
            event.fold(entry)

    def _book(self, tournament_id: str) -> _Book:
        self._check_id(tournament_id)
        book = self._books.setdefault(tournament_id, _Book(Tournament(tournament_id)))
        self._books.move_to_end(tournament_id)
        oldest = next(iter(self._books))
        if len(self._books) > MOST_KEPT and not self._books[oldest].lock.locked():
            del self._books[oldest]
            self._secrets.pop(oldest, None)
        return book

    def _check_id(self, tournament_id: str) -> None:
        if len(tournament_id) > LONGEST_ID or "\0" in tournament_id:
            raise self._unknown(tournament_id)

    def _unknown(self, tournament_id: str) -> ServiceError:
        self._books.pop(tournament_id, None)
        return ServiceError("unknown_tournament", "There is no such event.")

    def _now(self) -> int:
        return microseconds(self._clock.now())


def secret_place(tournament_id: str) -> str:
    """Name the place for which an event's secret is sealed."""
    return f"tournament/{tournament_id}"


def _sign(entry: TournamentEntry, author: Author, sequence: int, now: int) -> None:
    entry.sequence = sequence
    entry.at.FromMicroseconds(now)
    entry.actor, entry.reason = author.name, author.reason or entry.reason
    entry.command_id, entry.command_hash = author.command_id, author.command_hash
