"""Events played without servers: entries are decided and folded, tables end as chance has it."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gouji.engine.secret import SECRET_BYTES
from gouji.tournament import chance, course, decisions
from gouji.tournament.course import Ended, News
from gouji.tournament.tournament import Spot, Tournament
from gouji.v1 import tournament_log_pb2, tournament_pb2
from gouji.v1.events_pb2 import Seat
from gouji.v1.tournament_log_pb2 import PlacedTable, TournamentEntry, TournamentTerms

SECRET = bytes(range(SECRET_BYTES))
TEAMS, SINGLES = tournament_log_pb2.ENTRANT_KIND_TEAMS, tournament_log_pb2.ENTRANT_KIND_SINGLES
SWISS, ROUND_ROBIN = tournament_log_pb2.TOURNAMENT_FORMAT_SWISS, tournament_log_pb2.TOURNAMENT_FORMAT_ROUND_ROBIN


def terms_of(**fields: Any) -> TournamentTerms:
    usual = {"name": "Spring", "format": SWISS, "entrants": TEAMS, "rounds": 3, "boards": 2, "most_entrants": 1000}
    return TournamentTerms(**{**usual, **fields})


def bots(number: int, size: int) -> list[Seat]:
    return [Seat(bot_level="greedy", name=f"Bot {number}/{place}") for place in range(size)]


def person(player_id: str) -> Seat:
    return Seat(player_id=player_id, name=player_id.title())


@dataclass
class Simulated:
    """An event, its record, and the tables that were asked for."""

    event: Tournament
    record: list[TournamentEntry] = field(default_factory=list)
    now: int = 1_000_000
    tables: dict[str, Ended | None] = field(default_factory=dict)
    secret: bytes = SECRET

    @classmethod
    def of(cls, terms: TournamentTerms, tournament_id: str = "spring") -> "Simulated":
        made = cls(Tournament(tournament_id))
        announced = tournament_log_pb2.TournamentAnnounced(terms=terms)
        announced.seed_commitment = chance.seed_commitment(chance.seed_of(SECRET), tournament_id)
        made.add(TournamentEntry(announced=announced))
        return made

    def add(self, entry: TournamentEntry | None) -> bool:
        """Number an entry and fold it, as it is read from a database."""
        if entry is None:
            return False
        entry.sequence = self.event.sequence + 1
        self.record.append(TournamentEntry.FromString(entry.SerializeToString()))
        self.event.fold(self.record[-1])
        return True

    def change(self, name: str) -> None:
        change = tournament_pb2.StageChange.Value(f"STAGE_CHANGE_{name}")
        self.add(decisions.change_stage(self.event, change))

    def enter(self, name: str, players: Sequence[Seat]) -> int:
        self.add(decisions.enter(self.event, name, players))
        return len(self.event.entrants)

    def begin(self, entrants: int) -> None:
        """Enter bots, and start."""
        self.change("OPEN_REGISTRATION")
        size = 3 if self.event.terms.entrants == TEAMS else 1
        for number in range(1, entrants + 1):
            players = bots(number, size)
            self.enter(f"Team {number}" if size == 3 else players[0].name, players)
        self.change("START")

    def pair(self) -> None:
        number = len(self.event.rounds) + 1
        plan = course.plan_of(self.event, chance.seed_of(self.secret), number)
        self.add(course.round_paired(self.event, number, plan.pairing(), self.secret, self.now))

    def place(self, spots: Sequence[Spot]) -> dict[Spot, PlacedTable]:
        """Do what matchmaking does: the same place gets the same table."""
        number = self.event.rounds[-1].number
        placed = {}
        for pairing, board in spots:
            table_id = f"t-{number}-{pairing}-{board}"
            self.tables.setdefault(table_id, None)
            placed[pairing, board] = PlacedTable(pairing=pairing, board=board, table_id=table_id)
        return placed

    def turn(self) -> bool:
        """Do all that is due, once; say whether anything was."""
        number = self.event.current.number if self.event.current else 0
        placed = self.place(course.due_tables(self.event)) if self.event.current else {}
        ended = {table_id: one for table_id, one in self.tables.items() if one is not None}
        news, before = News(number, placed, ended), self.event.sequence
        while True:
            if course.wants_pairing(self.event):
                self.pair()
            elif not self.add(course.follow(self.event, news, self.secret, self.now)):
                return self.event.sequence > before

    def end_tables(self, chance_: random.Random, made: Callable[[str], tuple[int, int] | None] | None = None) -> None:
        """End some of the tables that go on; one in twenty without a result."""
        going = sorted(table_id for table_id, one in self.tables.items() if one is None)
        for table_id in chance_.sample(going, k=max(len(going) * 2 // 3, min(len(going), 1))):
            points = chance_.randrange(-12, 13, 2)
            usual = None if chance_.random() < 0.05 else (max(points, 0), max(-points, 0))
            self.tables[table_id] = Ended("over", made(table_id) if made else usual)

    def play(self, chance_: random.Random, rounds: int = 100) -> None:
        """Play until nothing is due any more."""
        for _ in range(rounds * 20):
            self.turn()
            if self.event.done or len(self.event.rounds_over) >= rounds:
                return
            self.now += 1_000_000
            self.end_tables(chance_)
        raise AssertionError("the event does not come to its end")
