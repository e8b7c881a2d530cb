"""What comes by itself in an event, and what has to be done for it. Pure.

Everything follows from the event as it stands, so whoever drives it can be stopped anywhere and another goes on, and of
two at once one finds that the other has done it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gouji.engine.secret import board_commitment
from gouji.tournament import chance
from gouji.tournament.decisions import at_stage, start
from gouji.tournament.lineups import SIDE
from gouji.tournament.pairing import Pair, round_robin_teams, singles, swapped, swiss_teams
from gouji.tournament.refusals import Refusal
from gouji.tournament.scores import Past, courses, past_of
from gouji.tournament.standings import Field, Place, standings
from gouji.tournament.tournament import (
    ANNOUNCED,
    CANCELLED,
    CHECK_IN,
    OVER,
    REGISTRATION,
    RUNNING,
    SWISS,
    TEAMS,
    Round,
    Sides,
    Spot,
    Tournament,
)
from gouji.v1 import tournament_log_pb2
from gouji.v1.tournament_log_pb2 import TournamentEntry

FROZEN: Final = "frozen"
"""The state of a table that stands still and may go on."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A table that is over, or ``frozen``.

    ``made`` is what the even and the odd seats made in this ``hand``, None without a result. People of ``absent`` seats
    decided nothing; ``bots`` are the seats that no people had. ``corrected`` says that what was made was put right.
    """

    state: str
    made: tuple[int, int] | None = None
    absent: tuple[int, ...] = ()
    hand: int = 1
    bots: tuple[int, ...] = ()
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class News:
    """What was done and found out.

    Tables of round ``number`` that are placed; tables that have ended, by id, and those of them whose results were
    corrected, whenever that was; boards that are played at some table, noted or not.
    """

    number: int = 0
    placed: Mapping[Spot, tournament_log_pb2.PlacedTable] = field(default_factory=dict)
    ended: Mapping[str, Ended] = field(default_factory=dict)
    played: Collection[str] = ()
    corrected: Mapping[str, Ended] = field(default_factory=dict)


def due_tables(event: Tournament) -> list[Spot]:
    """List the tables that are to be placed: of each pairing the next board, when the one before is done."""
    one = event.current
    if event.stage != RUNNING or event.paused or one is None or not one.begun:
        return []
    spots = (_next_board(one, pairing) for pairing in range(1, len(one.pairings) + 1))
    return [spot for spot in spots if spot is not None]


def _next_board(one: Round, pairing: int) -> Spot | None:
    left = next((board for board in one.boards if not one.settled((pairing, board))), None)
    if left is None:
        return None
    table = one.tables.get((pairing, left))
    return None if table is not None and table.table_id else (pairing, left)


def follow(event: Tournament, news: News, secret: bytes, now: int) -> TournamentEntry | None:
    """Give the entry that comes next by itself, at a time in microseconds; None when nothing does.

    That a round is paired takes longer to work out: see `wants_pairing`.
    """
    entry = _placed(event, news) or _ended(event, news) or _corrected(event, news)
    entry = entry or _opened(event, news, secret) or _by_time(event, now)
    if entry is not None or event.stage != RUNNING or event.paused:
        return entry
    one = event.current
    if one is not None and not one.begun:
        begun = tournament_log_pb2.RoundBegun(round=one.number)
        return TournamentEntry(round_begun=begun) if now >= one.begins else None
    return _finished(event, secret) if one is None or one.over else None


def _placed(event: Tournament, news: News) -> TournamentEntry | None:
    one = event.current
    if one is None or one.number != news.number:
        return None
    fresh = [table for spot, table in news.placed.items() if spot not in one.tables or not one.tables[spot].table_id]
    if not fresh:
        return None
    return TournamentEntry(tables_placed=tournament_log_pb2.TablesPlaced(round=one.number, tables=fresh))


def _ended(event: Tournament, news: News) -> TournamentEntry | None:
    live = event.live
    known = [(live[table_id], ended) for table_id, ended in news.ended.items() if table_id in live]
    final = [(where, ended) for where, ended in known if _is_final(event, where, ended)]
    if not final:
        return None
    return _tables_ended(event, final)


def _tables_ended(event: Tournament, found: Sequence[tuple[tuple[int, Spot], Ended]]) -> TournamentEntry:
    """Write down how tables ended: those of one round."""
    number = found[0][0][0]
    tables = [_ended_table(event, where, ended) for where, ended in found if where[0] == number]
    return TournamentEntry(tables_ended=tournament_log_pb2.TablesEnded(round=number, tables=tables))


def _corrected(event: Tournament, news: News) -> TournamentEntry | None:
    """Write down anew what was corrected at tables that have ended."""
    if not news.corrected:
        return None
    found = [
        ((one.number, spot), news.corrected[table.table_id])
        for one in event.rounds
        for spot, table in one.tables.items()
        if table.ended and table.table_id in news.corrected and table.made != news.corrected[table.table_id].made
    ]
    return _tables_ended(event, found) if found else None


def _is_final(event: Tournament, where: tuple[int, Spot], ended: Ended) -> bool:
    """Say whether a table has ended for good: one that stands still may go on, unless a director has ruled on it."""
    number, spot = where
    return ended.state != FROZEN or event.rounds[number - 1].tables[spot].ruled is not None


def _ended_table(event: Tournament, where: tuple[int, Spot], ended: Ended) -> tournament_log_pb2.EndedTable:
    number, (pairing, board) = where
    even, odd = ended.made or (0, 0)
    chairs = event.rounds[number - 1].chairs((pairing, board))
    people = [bool(event.entrants[chair.entrant].players[chair.place].player_id) for chair in chairs]
    stand_ins = [seat for seat in ended.bots if people[seat]]
    return tournament_log_pb2.EndedTable(
        pairing=pairing,
        board=board,
        no_result=ended.made is None,
        even=even,
        odd=odd,
        hand=ended.hand,
        absent=sorted({*ended.absent, *stand_ins}),
        corrected=ended.corrected,
    )


def shut_boards(event: Tournament) -> list[str]:
    """Name the boards of rounds that have begun which are not open."""
    begun = (one for one in event.rounds if one.begun)
    return [chance.board_id(event.tournament_id, one.number, board) for one in begun for board in one.shut]


def _opened(event: Tournament, news: News, secret: bytes) -> TournamentEntry | None:
    """Open a board whose last table has ended; of a cancelled event, all that nobody plays any more."""
    live = {(number, board) for number, (_, board) in event.live.values()}
    for one in (one for one in event.rounds if one.begun):
        for board in one.shut:
            name = chance.board_id(event.tournament_id, one.number, board)
            settled = event.stage == CANCELLED or not one.unsettled(board)
            if settled and (one.number, board) not in live and name not in news.played:
                opened = tournament_log_pb2.BoardOpened(round=one.number, board=board)
                opened.secret = chance.board_secret(secret, one.number, board)
                return TournamentEntry(board_opened=opened)
    return None


def _by_time(event: Tournament, now: int) -> TournamentEntry | None:
    terms = event.terms

    def has_come(moment: str) -> bool:
        return terms.HasField(moment) and now >= getattr(terms, moment).ToMicroseconds()  # type: ignore[arg-type]

    if event.stage == ANNOUNCED and has_come("registration_opens"):
        return at_stage(REGISTRATION)
    if event.stage in (REGISTRATION, CHECK_IN) and has_come("starts"):
        return _start(event)
    if event.stage == REGISTRATION and has_come("check_in_opens"):
        return at_stage(CHECK_IN)
    return None


def _start(event: Tournament) -> TournamentEntry:
    try:
        return start(event)
    except Refusal as too_few:
        cancelled = at_stage(CANCELLED)
        cancelled.reason = too_few.sentence
        return cancelled


def _finished(event: Tournament, secret: bytes) -> TournamentEntry | None:
    """End the event after its last round, or when there is nobody left to be paired; the seed is told."""
    if wants_pairing(event):
        return None
    ended = at_stage(OVER)
    ended.stage_changed.seed = chance.seed_of(secret)
    return ended


# Pairing


def wants_pairing(event: Tournament) -> bool:
    """Say whether the next round is to be paired now."""
    one = event.current
    ready = event.stage == RUNNING and not event.paused and (one is None or one.over)
    enough = len(event.field) >= (2 if event.terms.entrants == TEAMS else 2 * SIDE)
    return ready and enough and len(event.rounds) < event.rounds_planned


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a pairing depends on; it can be worked out beside the event."""

    number: int
    order: Sequence[int]
    draw: Sequence[int]
    field: Collection[int]
    past: Past
    teams: bool
    swiss: bool

    def pairing(self) -> tuple[list[Sides], tuple[int, ...]]:
        """Pair the round; gives the pairings, and who has a bye."""
        if not self.teams:
            return singles(self.order if self.swiss else self._drawn(), self.past, near=self.swiss)
        if self.swiss:
            return swiss_teams(self.order, self.past)
        return round_robin_teams(self.draw, self.field, self.number)

    def _drawn(self) -> list[int]:
        return [number for number in self.draw if number in self.field]


def plan_of(event: Tournament, seed: bytes, number: int) -> Plan:
    """Say what round ``number`` is paired by: the rounds before it, and the lots."""
    before = event.rounds[: number - 1]
    field = set(event.field)
    places = ranked(event, before, seed)
    return Plan(
        number=number,
        order=[place.entrant for place in places if place.entrant in field],
        draw=sorted(event.playing, key=lots_of(event, seed).__getitem__),
        field=field,
        past=past_of(before),
        teams=event.terms.entrants == TEAMS,
        swiss=event.terms.format == SWISS,
    )


def lots_of(event: Tournament, seed: bytes) -> dict[int, int]:
    """Draw the lots of all who play."""
    return {number: chance.lot(seed, number) for number in event.playing}


def ranked(event: Tournament, rounds: Sequence[Round], seed: bytes) -> list[Place]:
    """Give the standings by these rounds."""
    field = Field(
        courses=courses(event, rounds),
        corrections=event.corrections,
        lots=lots_of(event, seed),
        side=1 if event.terms.entrants == TEAMS else SIDE,
    )
    return standings(field, swiss=event.terms.format == SWISS)


Paired = tuple[list[Sides], tuple[int, ...]]


def round_paired(event: Tournament, number: int, paired: Paired, secret: bytes, now: int) -> TournamentEntry:
    """Write a pairing down, with the commitments to the round's boards."""
    sides, byes = paired
    entry = tournament_log_pb2.RoundPaired(
        round=number,
        pairings=[tournament_log_pb2.Pairing(first=pair.first, second=pair.second) for pair in sides],
        byes=byes,
        commitments=[commitment(event, number, board, secret) for board in range(1, event.terms.boards + 1)],
    )
    entry.begins.FromMicroseconds(now + event.terms.break_seconds * 1_000_000)
    return TournamentEntry(round_paired=entry)


def commitment(event: Tournament, number: int, board: int, secret: bytes) -> bytes:
    """Give what is published of a board before its round."""
    name = chance.board_id(event.tournament_id, number, board)
    return board_commitment(chance.board_secret(secret, number, board), name)


def check_pair_again(event: Tournament, number: int) -> None:
    """Refuse with `unknown_round` or `round_begun` to pair anew what is not the last round, or has begun."""
    one = event.current
    if one is None or one.number != number:
        raise Refusal("unknown_round", "That is not the event's last round.")
    if one.begun:
        raise Refusal("round_begun", "The round has begun; its pairing stands.")


def with_swaps(paired: Paired, swaps: Sequence[Pair]) -> Paired:
    """Have entrants change places; refused with `unknown_entrant` for who is not in the round."""
    sides, byes = paired
    there = {*byes, *(number for pair in sides for number in (*pair.first, *pair.second))}
    if not {number for pair in swaps for number in pair} <= there:
        raise Refusal("unknown_entrant", "Somebody who is to change places is not in the round.")
    return swapped(sides, byes, swaps)
