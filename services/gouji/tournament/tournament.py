"""An event: the fold of its record. Pure.

Nothing is judged here: what may be entered, and what comes by itself, is for `decisions` and `course` to say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from gouji.tournament.lineups import Chair, chairs
from gouji.v1 import tournament_log_pb2
from gouji.v1.events_pb2 import Seat
from gouji.v1.tournament_log_pb2 import TournamentEntry

ANNOUNCED: Final = tournament_log_pb2.TOURNAMENT_STAGE_ANNOUNCED
REGISTRATION: Final = tournament_log_pb2.TOURNAMENT_STAGE_REGISTRATION
CHECK_IN: Final = tournament_log_pb2.TOURNAMENT_STAGE_CHECK_IN
RUNNING: Final = tournament_log_pb2.TOURNAMENT_STAGE_RUNNING
OVER: Final = tournament_log_pb2.TOURNAMENT_STAGE_OVER
CANCELLED: Final = tournament_log_pb2.TOURNAMENT_STAGE_CANCELLED

TEAMS: Final = tournament_log_pb2.ENTRANT_KIND_TEAMS
SWISS: Final = tournament_log_pb2.TOURNAMENT_FORMAT_SWISS

Spot = tuple[int, int]
"""A table of a round: its pairing and its board, both from 1."""


@dataclass(slots=True)
class Entrant:
    """A single player or a team, the captain first."""

    number: int
    name: str
    players: list[Seat]
    checked_in: bool = False
    withdrawn: bool = False


@dataclass(slots=True)
class Table:
    """A pairing's table on one board.

    ``made`` is what the even and the odd seats made by the rules, in this ``hand`` of the board; None while it is
    played, and without a result.
    ``ruled`` is what a director gave the two sides. Players of ``absent`` seats did not play there. ``corrected`` says
    that ``made`` is what a correction made of the result.
    """

    table_id: str = ""
    ended: bool = False
    made: tuple[int, int] | None = None
    hand: int = 0
    absent: tuple[int, ...] = ()
    ruled: tuple[int, int] | None = None
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Sides:
    """Two sides that meet: a team each, or three single players each."""

    first: tuple[int, ...]
    second: tuple[int, ...]


@dataclass(slots=True)
class Round:
    """A round that has been paired; ``begins`` is in microseconds, ``secrets`` are those of the open boards."""

    number: int
    begins: int
    pairings: list[Sides]
    byes: tuple[int, ...]
    commitments: list[bytes]
    begun: bool = False
    tables: dict[Spot, Table] = field(default_factory=dict)
    secrets: dict[int, bytes] = field(default_factory=dict)
    no_shows: dict[int, int] = field(default_factory=dict)

    @property
    def boards(self) -> range:
        """The numbers of its boards."""
        return range(1, len(self.commitments) + 1)

    @property
    def over(self) -> bool:
        """All has been played, and all boards are open."""
        return self.begun and len(self.secrets) == len(self.boards) and not any(self.unsettled(b) for b in self.boards)

    @property
    def shut(self) -> list[int]:
        """The boards that are not open."""
        return [board for board in self.boards if board not in self.secrets]

    def unsettled(self, board: int) -> bool:
        """Say whether a table of the board has still to end, or to be placed."""
        return any(not self.settled((pairing, board)) for pairing in range(1, len(self.pairings) + 1))

    def settled(self, spot: Spot) -> bool:
        """Say whether a table has ended, or was ruled on before it was placed."""
        table = self.tables.get(spot)
        return table is not None and (table.ended or (table.ruled is not None and not table.table_id))

    def spots(self) -> Iterator[Spot]:
        """List all tables, those of the first board first."""
        return ((pairing, board) for board in self.boards for pairing in range(1, len(self.pairings) + 1))

    def chairs(self, spot: Spot) -> list[Chair]:
        """Say who sits where at a table."""
        pairing, board = spot
        sides = self.pairings[pairing - 1]
        return chairs(sides.first, sides.second, board)

    def plays(self, entrant: int) -> bool:
        """Say whether an entrant is in it."""
        return entrant in self.byes or any(entrant in (*sides.first, *sides.second) for sides in self.pairings)


class Tournament:
    """One event as its record tells it. Only the entries of that record may be folded, each once and in order."""

    def __init__(self, tournament_id: str) -> None:
        self.tournament_id = tournament_id
        self.sequence = 0
        self.terms = tournament_log_pb2.TournamentTerms()
        self.stage = tournament_log_pb2.TOURNAMENT_STAGE_UNSPECIFIED
        self.paused = False
        self.seed_commitment = b""
        self.seed = b""
        self.entrants: dict[int, Entrant] = {}
        self.number_of: dict[str, int] = {}
        """The entrant of each person who is in one that is not withdrawn."""
        self.named: dict[str, int] = {}
        """The team, or single bot, of each name that is taken."""
        self.playing: tuple[int, ...] = ()
        self.rounds_planned = 0
        self.rounds: list[Round] = []
        self.corrections: dict[int, int] = {}
        self.commands: dict[str, bytes] = {}

    @property
    def current(self) -> Round | None:
        """The last round that was paired."""
        return self.rounds[-1] if self.rounds else None

    @property
    def rounds_over(self) -> list[Round]:
        """The rounds that count."""
        return [one for one in self.rounds if one.over]

    @property
    def candidates(self) -> list[int]:
        """The entrants that are not withdrawn, in the order of registration."""
        return [number for number, entrant in self.entrants.items() if not entrant.withdrawn]

    @property
    def listed(self) -> Sequence[int]:
        """Those of them that have a place; the others wait for one."""
        return self.candidates[: self.terms.most_entrants]

    @property
    def field(self) -> list[int]:
        """Who is to be paired for the next round."""
        return [number for number in self.playing if not self.entrants[number].withdrawn]

    @property
    def live(self) -> dict[str, tuple[int, Spot]]:
        """The tables that are placed and have not ended: id to round and spot."""
        return {
            table.table_id: (one.number, spot)
            for one in self.rounds
            for spot, table in one.tables.items()
            if table.table_id and not table.ended
        }

    @property
    def ruled(self) -> list[str]:
        """The tables on which a director has ruled."""
        tables = (table for one in self.rounds for table in one.tables.values())
        return [table.table_id for table in tables if table.ruled and table.table_id]

    @property
    def done(self) -> bool:
        """Nothing more comes by itself. Rounds that a cancelled event has begun are played out, and opened."""
        return self.stage == OVER or (
            self.stage == CANCELLED and not any(one.begun and one.shut for one in self.rounds)
        )

    # Folding

    def fold(self, entry: TournamentEntry) -> None:
        """Take in the next entry. Raises ValueError for one that does not follow on this state."""
        if entry.sequence != self.sequence + 1:
            raise ValueError(f"entry {entry.sequence} does not follow {self.sequence}")
        self.sequence = entry.sequence
        if entry.command_id:
            self.commands[entry.command_id] = entry.command_hash
        self._fold_body(entry)

    def _fold_body(self, entry: TournamentEntry) -> None:
        match entry.WhichOneof("body"):
            case "announced":
                self.terms, self.stage = entry.announced.terms, ANNOUNCED
                self.seed_commitment = entry.announced.seed_commitment
            case "stage_changed":
                self._fold_stage(entry.stage_changed)
            case "entered" | "withdrawn" | "checked_in" | "substituted":
                self._fold_entrant(entry)
            case "score_adjusted" | "table_ruled" | "no_show_ruled":
                self._fold_ruling(entry)
            case _:
                self._fold_round(entry)

    def _fold_stage(self, changed: tournament_log_pb2.StageChanged) -> None:
        self.stage, self.paused = changed.stage, changed.paused
        if changed.playing:
            self.playing, self.rounds_planned = tuple(changed.playing), changed.rounds
        self.seed = changed.seed or self.seed

    def _fold_entrant(self, entry: TournamentEntry) -> None:
        match entry.WhichOneof("body"):
            case "entered":
                entered = entry.entered
                self.entrants[entered.entrant] = Entrant(entered.entrant, entered.name, list(entered.players))
                self._note_players(self.entrants[entered.entrant])
                if is_named(entered.players):
                    self.named[entered.name] = entered.entrant
            case "withdrawn":
                self._take_out(entry.withdrawn.entrant)
            case "checked_in":
                self.entrants[entry.checked_in.entrant].checked_in = True
            case _:
                changed = entry.substituted
                entrant = self.entrants[changed.entrant]
                self.number_of.pop(entrant.players[changed.place].player_id, None)
                entrant.players[changed.place] = changed.player
                self._note_players(entrant)

    def _note_players(self, entrant: Entrant) -> None:
        for player in entrant.players:
            if player.player_id and not entrant.withdrawn:
                self.number_of[player.player_id] = entrant.number

    def _take_out(self, number: int) -> None:
        entrant = self.entrants[number]
        entrant.withdrawn = True
        if self.named.get(entrant.name) == number:
            del self.named[entrant.name]
        for player in entrant.players:
            self.number_of.pop(player.player_id, None)

    def _fold_ruling(self, entry: TournamentEntry) -> None:
        match entry.WhichOneof("body"):
            case "score_adjusted":
                given = entry.score_adjusted
                self.corrections[given.entrant] = self.corrections.get(given.entrant, 0) + given.points
            case "table_ruled":
                ruled = entry.table_ruled
                table = self._table(ruled.round, (ruled.pairing, ruled.board))
                table.ruled = (ruled.even_score, ruled.odd_score)
            case _:
                absent = entry.no_show_ruled
                self.rounds[absent.round - 1].no_shows[absent.entrant] = absent.score
                if absent.withdraw:
                    self._take_out(absent.entrant)

    def _fold_round(self, entry: TournamentEntry) -> None:
        match entry.WhichOneof("body"):
            case "round_paired":
                self._fold_paired(entry.round_paired)
            case "round_begun":
                self.rounds[entry.round_begun.round - 1].begun = True
            case "tables_placed":
                for placed in entry.tables_placed.tables:
                    spot = (placed.pairing, placed.board)
                    self._table(entry.tables_placed.round, spot).table_id = placed.table_id
            case "tables_ended":
                for ended in entry.tables_ended.tables:
                    table = self._table(entry.tables_ended.round, (ended.pairing, ended.board))
                    table.ended, table.absent = True, tuple(ended.absent)
                    table.made, table.hand = None if ended.no_result else (ended.even, ended.odd), ended.hand
                    table.corrected = ended.corrected
            case "board_opened":
                opened = entry.board_opened
                self.rounds[opened.round - 1].secrets[opened.board] = opened.secret
            case body:
                raise ValueError(f"entry {entry.sequence} is unknown: {body}")

    def _fold_paired(self, paired: tournament_log_pb2.RoundPaired) -> None:
        del self.rounds[paired.round - 1 :]
        sides = [Sides(tuple(pairing.first), tuple(pairing.second)) for pairing in paired.pairings]
        begins = paired.begins.ToMicroseconds()
        self.rounds.append(Round(paired.round, begins, sides, tuple(paired.byes), list(paired.commitments)))

    def _table(self, number: int, spot: Spot) -> Table:
        return self.rounds[number - 1].tables.setdefault(spot, Table())


def is_named(players: Sequence[Seat]) -> bool:
    """Say whether an entrant is known by its name: a team is, and a bot; a person is known by its id."""
    return len(players) > 1 or not players[0].player_id
