"""Points and ratings made anew from the results, to be compared with those that stand (`differences`).

The results of `AT_ONCE` matches at a time are in memory.
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.anew import Key, RatingsAnew
from gouji.scoring.board_rebuild import wrong_points
from gouji.scoring.books import match_rows, points_rows, seat_rows
from gouji.scoring.hands import Hands, read_hands
from gouji.scoring.rated import change_row, rating_row, standing_revision
from gouji.scoring.rating import MODEL, Skill, match_to_rate
from gouji.serving.schema import (
    hand_results,
    match_results,
    match_seats,
    player_points,
    rated_matches,
    rating_changes,
    ratings,
)

AT_ONCE: Final = 100
"""Matches in memory."""

Row = Mapping[str, Any]
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that stands otherwise than the results make it; None where there is nothing."""

    what: str
    stored: object
    made: object

    def __str__(self) -> str:
        """Say it in a sentence."""
        return f"{self.what}: {self.stored!r} is stored, the results make it {self.made!r}."


@dataclass(slots=True)
class Compared:
    """How much has been compared."""

    matches: int = 0
    hands: int = 0
    changes: int = 0


async def differences(connection: AsyncConnection, compared: Compared) -> AsyncIterator[Difference]:
    """Compare all that follows from the results with what stands; the connection must see one moment throughout."""
    revision, skills = await standing_revision(connection), RatingsAnew()
    async for matches in walk_matches(connection):
        compared.matches += len(matches)
        for hands in matches.values():
            compared.hands += len(hands.results)
        for difference in await _of_matches(connection, matches, revision):
            yield difference
    async for board, row, stands in wrong_points(connection):
        yield Difference(f"The leaderboard {board}", row if stands else None, None if stands else row)
    async for rated in _walk_rated(connection, revision):
        compared.changes += len(rated)
        for difference in await _of_rated(connection, rated, skills):
            yield difference
    async for difference in _against_all(connection, ratings, skills.skills, _rating_row):
        yield difference


async def walk_matches(connection: AsyncConnection) -> AsyncIterator[dict[str, Hands]]:
    """Read the results of all matches, some at a time, by the tables' ids."""
    last, mine = "", hand_results.c.table_id
    while True:
        some = sa.select(mine).where(mine > last).distinct().order_by(mine).limit(AT_ONCE)
        table_ids = list(await connection.scalars(some))
        if not table_ids:
            return
        yield await read_hands(connection, table_ids)
        last = table_ids[-1]


async def _of_matches(connection: AsyncConnection, matches: Mapping[str, Hands], revision: int) -> list[Difference]:
    """Compare what stands of some matches with their results."""
    standing = [hands.standing() for hands in matches.values()]
    made = {
        match_results: [row for results in standing for row in match_rows(results)],
        match_seats: [row for results in standing for row in seat_rows(results)],
        player_points: [row for results in standing for result in results for row in points_rows(result)],
    }
    found = await _unrated(connection, matches, revision)
    for table, rows in made.items():
        stored = await connection.execute(sa.select(table).where(table.c.table_id.in_(list(matches))))
        found += _against(table, stored.mappings(), rows)
    return found


async def _unrated(connection: AsyncConnection, matches: Mapping[str, Hands], revision: int) -> list[Difference]:
    """Find matches that were not rated as they stand."""
    mine = rated_matches.c
    query = sa.select(mine.table_id, sa.func.max(mine.corrections).label("corrections")).group_by(mine.table_id)
    query = query.where(mine.revision == revision, mine.table_id.in_(list(matches)))
    applied = {row.table_id: row.corrections for row in await connection.execute(query)}
    found = []
    for table_id, hands in matches.items():
        rated = match_to_rate(hands.standing(applied[table_id])) if table_id in applied else None
        if rated != (stands := match_to_rate(hands.standing())):
            found.append(Difference(f"What match {table_id} is rated by", rated, stands))
    return found


async def _walk_rated(connection: AsyncConnection, revision: int) -> AsyncIterator[Sequence[Any]]:
    """Read what has changed ratings, some at a time, in the order in which it did."""
    last, mine = 0, rated_matches.c
    while True:
        query = sa.select(rated_matches).where(mine.revision == revision, mine.number > last)
        some = (await connection.execute(query.order_by(mine.number).limit(AT_ONCE))).all()
        if not some:
            return
        yield some
        last = some[-1].number


async def _of_rated(connection: AsyncConnection, rated: Sequence[Any], skills: RatingsAnew) -> list[Difference]:
    """Apply some matches and corrections, and compare what becomes of the ratings with what was written down."""
    matches = await read_hands(connection, {row.table_id for row in rated})
    found, made = list[Difference](), list[Row]()
    for row in rated:
        if row.model != MODEL:
            found.append(Difference(f"The model that rated match {row.table_id}", row.model, MODEL))
        hands = matches[row.table_id]
        match = match_to_rate(hands.standing(row.corrections))
        if skills.knows(row.table_id):
            changed = skills.correct(row.table_id, row.family, match)
        elif match is not None:
            changed = skills.rate(row.table_id, row.family, match, corrections=bool(hands.corrections))
        else:
            changed = None
        if changed is not None:
            before, after = changed
            made += [change_row(row.number, row.family, one, before[one], after[one]) for one in before]
    numbers = [row.number for row in rated]
    stored = await connection.execute(sa.select(rating_changes).where(rating_changes.c.number.in_(numbers)))
    return found + list(_against(rating_changes, stored.mappings(), made))


async def _against_all(
    connection: AsyncConnection, table: sa.Table, made: dict[Key, Made], row_of: Callable[[Key, Made], Row]
) -> AsyncIterator[Difference]:
    """Compare a whole table with what was made anew by its key, which is emptied."""
    stored = await connection.stream(sa.select(table).order_by(*table.primary_key))
    async for rows in stored.mappings().partitions(AT_ONCE):
        keys = [tuple(row[column.name] for column in table.primary_key) for row in rows]
        for difference in _against(table, rows, [row_of(key, made.pop(key)) for key in keys if key in made]):
            yield difference
    for difference in _against(table, (), [row_of(*one) for one in made.items()]):
        yield difference


def _against(table: sa.Table, stored: Iterable[sa.RowMapping], made: Iterable[Row]) -> Iterator[Difference]:
    """Compare rows by their keys; columns that are not made anew do not count."""
    waiting = {_key(table, row): row for row in made}
    for row in stored:
        what = f"{table.name} {', '.join(map(str, _key(table, row)))}"
        new = waiting.pop(_key(table, row), None)
        if new is None:
            yield Difference(what, dict(row), None)
            continue
        for name, value in new.items():
            if row[name] != value:
                yield Difference(f"{what}: {name}", row[name], value)
    for key, new in waiting.items():
        yield Difference(f"{table.name} {', '.join(map(str, key))}", None, dict(new))


def _rating_row(key: Key, made: Skill) -> Row:
    return rating_row(*key, made)


def _key(table: sa.Table, row: Row | sa.RowMapping) -> tuple[Any, ...]:
    return tuple(row[column.name] for column in table.primary_key)
