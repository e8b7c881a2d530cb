"""What is exported: matches, hands and changes of ratings as tables with stable columns, in batches of rows.

A row is a seat of a match, a seat of a hand, or a rating that a match changed. Players stand there by their ids alone.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

from gouji.scoring.history_store import PLACES, RATED
from gouji.scoring.ledger import SeatSum, counts, seat_sums
from gouji.scoring.rated import FIRST_REVISION
from gouji.serving.clock import moment
from gouji.serving.database import Database
from gouji.serving.schema import (
    hand_corrections,
    hand_results,
    match_results,
    match_seats,
    rated_matches,
    rating_changes,
    rating_revisions,
)
from gouji.v1.scoring_pb2 import HandResult

BATCH: Final = 5000
"""Rows of the database that are read at a time."""

Row = tuple[Any, ...]
"""One row, in the order of the columns; None for what there is not."""


@dataclass(frozen=True, slots=True)
class Export:
    """Something to export: the names and types of its columns, where it is found, and what rows are made of it.

    ``ended_at`` is what a span of time is about, in microseconds since 1970.
    """

    columns: Mapping[str, type]
    query: sa.Select[Any]
    ended_at: sa.ColumnElement[int]
    rows: Callable[[sa.Row[Any]], Iterable[Row]]


async def read(
    database: Database, what: Export, since: int | None, until: int | None
) -> AsyncGenerator[list[Row], None]:
    """Read in batches, all as of one moment: what ended from ``since`` until just before ``until``, None for any.

    Close it when it is not read to the end. Raises `StorageUnavailable`.
    """
    query = what.query
    if since is not None:
        query = query.where(what.ended_at >= since)
    if until is not None:
        query = query.where(what.ended_at < until)
    async with database.snapshot() as connection:
        found = await connection.stream(query, execution_options={"yield_per": BATCH})
        async for some in found.partitions():
            if rows := [made for row in some for made in what.rows(row)]:
                yield rows


_match, _seat, _hand, _correction = match_results.c, match_seats.c, hand_results.c, hand_corrections.c
_change, _rated = rating_changes.c, rated_matches.c


def _of_columns(selected: sa.Select[Any], ended_at: sa.ColumnElement[int]) -> Export:
    """Export columns as they are selected; those called `began` and `ended` are times."""
    times = ("began", "ended")
    kinds = {column.name: column.type.python_type for column in selected.selected_columns}
    columns = {name: datetime if name in times else kind for name, kind in kinds.items()}
    at = [number for number, name in enumerate(columns) if name in times]

    def rows(row: sa.Row[Any]) -> Iterator[Row]:
        yield tuple(moment(value) if number in at else value for number, value in enumerate(row))

    return Export(columns, selected, ended_at, rows)


_MATCHES: Final = _of_columns(
    sa.select(
        _match.table_id,
        _match.preset,
        _match.queue,
        _match.region,
        _match.tournament,
        _match.began_at.label("began"),
        _match.ended_at.label("ended"),
        _match.voided,
        RATED.label("rated"),
        _match.even_points,
        _match.odd_points,
        _seat.seat,
        _seat.player_id,
        _seat.bot_level,
        *(_seat[name] for name in SeatSum._fields),
    )
    .join_from(match_results, match_seats, _seat.table_id == _match.table_id)
    .where(_match.ended_at.is_not(None))
    .order_by(_match.table_id, _seat.seat),
    _match.ended_at,
)

_RATINGS: Final = _of_columns(
    sa.select(
        _change.number,
        _rated.table_id,
        _rated.corrections,
        _rated.ended_at.label("ended"),
        _rated.model,
        _change.family,
        _change.player_id,
        _change.mu_before,
        _change.sigma_before,
        _change.mu_after,
        _change.sigma_after,
        _change.matches,
    )
    .join_from(rated_matches, rating_changes, _change.number == _rated.number)
    .where(
        _rated.revision
        == sa.select(sa.func.coalesce(sa.func.max(rating_revisions.c.revision), FIRST_REVISION)).scalar_subquery()
    )
    .order_by(_change.number, _change.player_id),
    _rated.ended_at,
)

_LAST: Final = hand_corrections.alias("last")
_HAND_SUMS: Final = tuple(name for name in SeatSum._fields if name not in ("hands", *PLACES))


def _hand_rows(row: sa.Row[Any]) -> Iterator[Row]:
    result = HandResult.FromString(row.payload)
    if result.abandoned:
        return
    places = {seat: place for place, seat in enumerate(result.order, start=1)} if counts(result) else {}
    shared = (row.table_id, row.hand, row.revision, row.preset, row.queue, result.tournament or None)
    ended = result.ended.ToDatetime(UTC)
    for number, made in enumerate(seat_sums([result])):
        held = result.seats[number]
        who = (number, held.player_id or None, held.bot_level or None, places.get(number))
        sums = (getattr(made, name) for name in _HAND_SUMS)
        yield (*shared, ended, result.digest, result.voided, *who, *sums)


_HANDS: Final = Export(
    columns={
        "table_id": str,
        "hand": int,
        "revision": int,
        "preset": str,
        "queue": str,
        "tournament": str,
        "ended": datetime,
        "digest": str,
        "voided": bool,
        "seat": int,
        "player_id": str,
        "bot_level": str,
        "place": int,
        **{name: type(SeatSum._field_defaults[name]) for name in _HAND_SUMS},
    },
    query=sa.select(
        _hand.table_id,
        _hand.hand,
        sa.func.coalesce(_correction.revision, 1).label("revision"),
        _hand.preset,
        _hand.queue,
        sa.func.coalesce(_correction.payload, _hand.payload).label("payload"),
    )
    .join_from(
        hand_results,
        hand_corrections,
        (_correction.table_id == _hand.table_id)
        & (_correction.hand == _hand.hand)
        & (
            _correction.revision
            == sa.select(sa.func.max(_LAST.c.revision))
            .where(_LAST.c.table_id == _hand.table_id, _LAST.c.hand == _hand.hand)
            .scalar_subquery()
        ),
        isouter=True,
    )
    .order_by(_hand.table_id, _hand.hand),
    ended_at=_hand.ended_at,
    rows=_hand_rows,
)

EXPORTS: Final[Mapping[str, Export]] = {"matches": _MATCHES, "hands": _HANDS, "ratings": _RATINGS}
"""All that can be exported, by name."""
