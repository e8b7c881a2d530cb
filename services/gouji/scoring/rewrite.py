"""A new revision of all points and ratings, made anew from the results: after a change of what follows from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from gouji.scoring.anew import RatingsAnew
from gouji.scoring.board_rebuild import rebuild
from gouji.scoring.books import Books, match_rows, points_rows, preset_of, seat_rows
from gouji.scoring.hands import Hands, read_hands
from gouji.scoring.rated import change_row, rating_row, standing_revision
from gouji.scoring.rating import MODEL, match_to_rate
from gouji.scoring.recompute import AT_ONCE, walk_matches
from gouji.serving.database import Database
from gouji.serving.schema import (
    hand_corrections,
    hand_results,
    match_results,
    match_seats,
    player_points,
    rated_matches,
    rating_changes,
    rating_revisions,
    ratings,
)

Item = TypeVar("Item")


async def rewrite(database: Database, by: str) -> int:
    """Make points, ratings and live leaderboards anew in the place of those that stand; give their revision.

    Matches are rated in the order in which they were, those that never were before them; each once, as its hands stand.
    Until it is done no result is recorded: tables play on, and keep what they have for scoring. Raises
    `StorageUnavailable`, and then nothing has changed.
    """
    async with database.begin() as connection:
        if database.dialect == "postgresql":
            names = f"{hand_results.name}, {hand_corrections.name}"
            await connection.execute(sa.text(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE"))
        await _write_points(connection, Books(database))
        standing = await standing_revision(connection)
        row = {"revision": standing + 1, "model": MODEL, "written_by": by, "written_at": database.now()}
        await connection.execute(sa.insert(rating_revisions).values(**row))
        await _write_ratings(connection, standing)
        await rebuild(database, connection)
    return standing + 1


async def _write_points(connection: AsyncConnection, books: Books) -> None:
    async for matches in walk_matches(connection):
        standing = [hands.standing() for hands in matches.values()]
        await books.put(connection, match_results, [row for results in standing for row in match_rows(results)])
        await books.put(connection, match_seats, [row for results in standing for row in seat_rows(results)])
        await connection.execute(sa.delete(player_points).where(player_points.c.table_id.in_(list(matches))))
        await _insert(
            connection, player_points, (row for one in standing for result in one for row in points_rows(result))
        )


async def _write_ratings(connection: AsyncConnection, standing: int) -> None:
    anew = RatingsAnew()
    for some in _portions(await _in_order(connection, standing)):
        await _rate(connection, anew, await read_hands(connection, some), some, standing + 1)
    await connection.execute(sa.delete(ratings))
    await _insert(connection, ratings, (rating_row(*key, made) for key, made in anew.skills.items()))


async def _in_order(connection: AsyncConnection, standing: int) -> list[str]:
    """Name the matches to be rated, in the order of a revision; those that it lacks first, by their ends."""
    mine, match = rated_matches.c, match_results.c
    first = sa.select(mine.table_id, sa.func.min(mine.number).label("number")).where(mine.revision == standing)
    order = first.group_by(mine.table_id).subquery()
    query = sa.select(match.table_id).join_from(match_results, order, match.table_id == order.c.table_id, isouter=True)
    query = query.where(match.ended_at.is_not(None))
    query = query.order_by(sa.func.coalesce(order.c.number, 0), match.ended_at, match.table_id)
    return list(await connection.scalars(query))


async def _rate(
    connection: AsyncConnection,
    anew: RatingsAnew,
    matches: Mapping[str, Hands],
    table_ids: Sequence[str],
    revision: int,
) -> None:
    """Apply some matches, and write them down with what they change."""
    rows, changes = list[dict[str, Any]](), []
    for table_id in table_ids:
        hands = matches[table_id]
        results = hands.standing()
        match, family = match_to_rate(results), preset_of(results[0])
        if match is not None:
            changes.append((family, anew.rate(table_id, family, match, corrections=False)))
            row = {"revision": revision, "table_id": table_id, "corrections": len(hands.corrections)}
            rows.append(row | {"family": family, "model": MODEL, "ended_at": match.ended_at})
    if not rows:
        return
    numbered = sa.insert(rated_matches).returning(rated_matches.c.number, sort_by_parameter_order=True)
    numbers = (await connection.scalars(numbered, rows)).all()
    written = (
        change_row(number, family, one, before[one], made[one])
        for number, (family, (before, made)) in zip(numbers, changes, strict=True)
        for one in made
    )
    await _insert(connection, rating_changes, written)


async def _insert(connection: AsyncConnection, table: sa.Table, rows: Iterable[Mapping[str, Any]]) -> None:
    for some in _portions(rows):
        await connection.execute(sa.insert(table), some)


def _portions(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Divide items into lists that fit a statement."""
    left = iter(items)
    while some := list(islice(left, AT_ONCE)):
        yield some
