"""Makes the golden records anew: `python tests/records/make.py`. Only needed when a hand's digest has to change.

Bots play at tables in memory, whose secrets and chance come from fixed seeds.
"""

import math
import random
from dataclasses import dataclass
from pathlib import Path

from gouji.engine import RuleSet
from gouji.engine.record_text import format_record
from gouji.engine.records import Record
from gouji.players import PLAYERS
from gouji.table.asking import Act
from gouji.table.collecting import Contribution
from gouji.table.records import record_of, unfinished
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1 import events_pb2, rules_pb2, table_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import rules_to_proto

HERE = Path(__file__).parent
STARTED_US = 1_764_489_600_000_000  # 2025-11-30T08:00:00Z


@dataclass(frozen=True)
class Game:
    """A game to record.

    Its secrets come from ``secrets``, all other chance from ``chance``. The first ``people`` seats are people's; it
    stops after ``moves``, if that is not 0, and is then given up if ``abandoned``. People contribute to the deals.
    """

    rules: object
    hands: int = 1
    secrets: int = 1
    chance: int = 1
    people: int = 0
    moves: int = 0
    abandoned: bool = False
    levels: tuple[str, str, str] = ("greedy", "greedy", "random")


GAMES = {
    "standard": Game("standard"),
    "qingdao": Game("qingdao", hands=2),
    "lianzhong": Game("lianzhong", hands=2),
    "free_for_all": Game("free_for_all", hands=2),
    "japan": Game("japan", hands=2),
    "korea": Game("korea"),
    "shandong_64": Game("shandong_64", hands=2),
    "redealt": Game({"preset": "standard", "redeal_on_request": True}, secrets=34),
    "two_revolts": Game("standard", secrets=2882, levels=("random", "random", "random")),
    "people": Game("standard", people=3),
    "in_play": Game("free_for_all", hands=2, moves=250),
    "abandoned": Game("standard", hands=2, people=2, moves=60, abandoned=True),
}


class Playing:
    """A table in memory, and its log."""

    def __init__(self, name: str, game: Game) -> None:
        self.table = Table(name)
        self.log: list[Event] = []
        self.now = STARTED_US
        self.secrets = random.Random(game.secrets)
        self.chance = random.Random(game.chance)
        spec = table_pb2.TableSpec(
            table_id=name,
            rules=rules_to_proto(RuleSet.parse(game.rules)),
            length=rules_pb2.MatchLength(hands=game.hands),
            seats=[_seat(seat, game) for seat in range(6)],
        )
        times = {"answers_least_ms": 1500, "answers_most_ms": 2500, "contributions_ms": 3000} if game.people else {}
        self._fold(self.table.open(spec, rules_pb2.Clock(turn_ms=20_000, **times), self.now))
        self._follow()

    def _fold(self, event: Event) -> None:
        self.log.append(event)
        self.table.fold(event)

    def _follow(self) -> None:
        while (event := self.table.follow(self.now, lambda: self.secrets.randbytes(32))) is not None:
            self._fold(event)
            for seat in event.hand_committed.awaited[1:]:  # the first is too late
                self.table.seal(Contribution(seat, event.hand, self.secrets.randbytes(32)))

    def abandon(self) -> None:
        """Stop the table, and give it up."""
        self._fold(self.table.freeze("reference", self.now))
        self._fold(self.table.abandon("no more", self.now, *unfinished(self.log)))

    def move(self) -> None:
        """Let one seat that is asked decide, or the time run out."""
        asking = self.table.asking
        self.now += 1_000_000
        late = self.chance.random() < 0.02 and asking.deadline
        if late or not asking.questions:
            self.now = max(self.now, asking.deadline or 0)
        else:
            self._decide(self.chance.choice(list(asking.questions)))
        self._follow()

    def _decide(self, seat: int) -> None:
        hand = self.table.hand_asking(seat)
        assert hand is not None
        level, by = self.table.seats[seat].bot_level, events_pb2.DECIDED_BY_BOT
        if not level and self.chance.random() < 0.9:
            by = events_pb2.DECIDED_BY_PLAYER
        action = PLAYERS[level or "greedy"]().decide(hand.observe(seat), self.chance.getrandbits(64), math.inf)
        if hand.refusal(action):  # as a table's server does with a bot that errs
            action = hand.default_action()
        decided = self.table.decide(Act(seat, self.table.turn, action, by), self.now)
        if isinstance(decided, Answer):
            self.table.seal(decided)
        else:
            assert isinstance(decided, Event)
            self._fold(decided)


def _seat(seat: int, game: Game) -> events_pb2.Seat:
    if seat < game.people:
        return events_pb2.Seat(player_id=f"p{seat}", name=("Ann", "小明", "Bob the 2nd")[seat])
    return events_pb2.Seat(bot_level=game.levels[seat % 3])


def play(name: str, game: Game) -> Record:
    """Play a game, and give its record."""
    playing = Playing(name, game)
    moves = 0
    while not playing.table.ended and (not game.moves or moves < game.moves):
        playing.move()
        moves += 1
    if game.abandoned:
        playing.abandon()
    return record_of(playing.log)


def main() -> None:
    for name, game in GAMES.items():
        (HERE / f"{name}.txt").write_text(format_record(play(name, game)), encoding="utf-8")


if __name__ == "__main__":
    main()
