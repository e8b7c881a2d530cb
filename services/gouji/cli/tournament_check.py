"""An export added up again from the records of its tables, by the plainest way there is.

Nothing here is what the service works with: it is what a player with the export and the records would do.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Final

from gouji.engine.records import Record, verify
from gouji.v1.tournament_pb2 import PlayedBoard, TournamentBoard, TournamentExport

_WHOLE: Final = 10_000
_BYE: Final = 6_000

Find = Callable[[str], Record | None]
"""Gives the record of a table, by its id."""


def problems(export: TournamentExport, find: Find) -> Iterator[str]:
    """Say what of an export is not as the records have it: nothing, if all is well."""
    for one in export.tournament.played:
        for number, board in enumerate(one.boards, start=1):
            yield from _board(export, one.round, number, board, find)
    yield from _sums(export)
    yield from _ranks(export)


def tables(export: TournamentExport) -> Iterator[str]:
    """Name the tables whose scores are told."""
    for one in export.rounds:
        for pairing in one.pairings:
            yield from (played.table_id for played in pairing.boards if played.table_id and played.HasField("score"))


def _board(export: TournamentExport, number: int, board: int, told: TournamentBoard, find: Find) -> Iterator[str]:
    """Check the deal of a board, its tables one by one, and what these make when they are compared."""
    where = told.board_id
    if told.secret and hashlib.sha256(told.secret + told.board_id.encode()).digest() != told.commitment:
        yield f"{where}: the secret does not fit the commitment"
    played = [
        (pairing.pairing, one)
        for exported in export.rounds
        if exported.round == number
        for pairing in exported.pairings
        for one in pairing.boards
        if one.board == board and one.HasField("score")
    ]
    deals: set[tuple[int, object]] = set()
    for _, one in played:
        if one.score.no_result or not one.table_id:
            continue
        record = find(one.table_id)
        if record is None:
            yield f"{where}: table {one.table_id} has no record"
            continue
        deals |= {(hand.number, hand.deal) for hand in record.hands}
        yield from (f"{where}: table {one.table_id}: {problem}" for problem in _table(one, told, record))
    if len(deals) > len({number for number, _ in deals}):
        yield f"{where}: its tables were not dealt alike"
    yield from (f"{where}: {problem}" for problem in _compared([one for _, one in played]))


def _table(one: PlayedBoard, told: TournamentBoard, record: Record) -> Iterator[str]:
    yield from map(str, verify(record))
    if record.board != told.board_id or record.hands[0].commitment != told.commitment:
        yield "another board was played"
    if record.hands[-1].number != one.score.hand:
        yield f"hand {record.hands[-1].number} was the last, not {one.score.hand}"
    made = record.total.team_scores if record.total else None
    if made != (one.score.even, one.score.odd) and not one.score.corrected:
        yield f"the record says {made}, the export {one.score.even} to {one.score.odd}"


def _compared(played: list[PlayedBoard]) -> Iterator[str]:
    """Compare each table with each other one."""
    counted = [one for one in played if not (one.score.no_result or one.score.ruled)]
    for one in played:
        if one.score.ruled:
            continue
        share = _share(one, counted)
        if abs(share * _WHOLE - one.score.even_score) > Fraction(1, 2):
            yield f"table {one.table_id} has {one.score.even_score} where its results make {float(share * _WHOLE)}"
        if one.score.even_score + one.score.odd_score != _WHOLE:
            yield f"table {one.table_id}: the scores of the two sides do not make a whole"


def _share(one: PlayedBoard, counted: list[PlayedBoard]) -> Fraction:
    same = [other for other in counted if other.score.hand == one.score.hand]
    others = [other for other in same if other.table_id != one.table_id]
    if one.score.no_result or not others:
        return Fraction(1, 2)
    made = one.score.even - one.score.odd
    points = Fraction(0)
    for other in others:
        theirs = other.score.even - other.score.odd
        points += 1 if made > theirs else Fraction(1, 2) if made == theirs else 0
    return points / len(others)


def _sums(export: TournamentExport) -> Iterator[str]:
    """Add each entrant's boards, byes and corrections up."""
    rounds = [_round(export, one.round) for one in export.tournament.played if one.over]
    for row in export.standings:
        made = [scores.get(row.entrant) for scores in rounds]
        made = [score for score in made if score is not None]
        if list(row.rounds) != made:
            yield f"entrant {row.entrant}: rounds {list(row.rounds)} where the tables make {made}"
        if row.score != sum(row.rounds) + row.corrections:
            yield f"entrant {row.entrant}: a score of {row.score} that its rounds do not make"


def _round(export: TournamentExport, number: int) -> Mapping[int, int]:
    """Give what a round brought each entrant."""
    told = next(one for one in export.tournament.played if one.round == number)
    boards = len(told.boards)
    sums: defaultdict[int, int] = defaultdict(int)
    for exported in export.rounds:
        for pairing in exported.pairings if exported.round == number else ():
            for one in pairing.boards:
                for entrant in set(one.seats):
                    even = entrant in set(one.seats[::2])
                    sums[entrant] += one.score.even_score if even else one.score.odd_score
    for entrant in told.byes:
        sums[entrant] = _BYE * boards
    for absent in told.no_shows:
        sums[absent.entrant] = absent.score * boards
    return sums


def _ranks(export: TournamentExport) -> Iterator[str]:
    rows = list(export.standings)
    if [row.rank for row in rows] != list(range(1, len(rows) + 1)):
        yield "the ranks are not 1, 2, 3 …"
    if any(before.score < after.score for before, after in pairwise(rows)):
        yield "somebody stands before one with a greater score"
