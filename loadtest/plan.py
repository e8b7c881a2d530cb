"""What is to be played at each table, worked out beforehand, so that nothing is decided under load.

Nobody but this tool plays at its tables. So it can play them ahead by itself, with the table's own functional core, and
write the log that a server would have written; a server that takes such a table finds it in the middle of a hand. What
comes after that is kept as the requests that the seats will send. A bot chooses for all six seats, and private
questions are left to lapse, as most are.
"""

import math
import random
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from gouji.engine import Action, Hand
from gouji.players import PLAYERS, Player
from gouji.serving.auth import Tokens
from gouji.table.asking import Act, Refused
from gouji.table.commands import Command
from gouji.table.ownership import Owned
from gouji.table.presence import PLAYER
from gouji.table.store import Step
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1.events_pb2 import Event
from gouji.v1.table_pb2 import ActRequest, WatchRequest
from gouji.wire import action_to_proto


@dataclass
class Ahead:
    """A table that is played by itself. ``now`` is its time in microseconds, which passes as it is told to."""

    owned: Owned
    player: Player
    chance: random.Random
    now: int
    events: list[Event] = field(default_factory=list)
    commands: list[tuple[Command, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.table = Table(self.owned.table_id)
        self._fold(self.table.open(self.owned.spec, self.owned.spec.clock, self.now))

    def play(self, actions: int, period_us: int) -> None:
        """Play so many actions, one each ``period_us``, and on to where a seat is asked in public."""
        while True:
            self.now += period_us
            while (event := self.table.follow(self.now, lambda: secrets.token_bytes(32))) is not None:
                self._fold(event)
            hand, seat = self.table.hand, self.table.asking.seat
            if hand is None or seat is None:
                continue
            if actions == 0:
                return
            self._act(seat, self.player.decide(hand.observe(seat), self.chance.getrandbits(64), math.inf))
            actions -= 1

    def step(self) -> Step:
        """Give all that was played as one step to be written."""
        return Step(self.owned.table_id, self.owned.fence, self.now, self.events, self.commands)

    def game(self, most: int) -> "Game":
        """Work out up to so many actions more, in this hand, without playing them at the table."""
        if self.table.hand is None:
            raise ValueError("no hand is being played")
        players = [seat.player_id for seat in self.table.seats]
        hand, turn, moves = self.table.hand.clone(), self.table.turn, []
        while len(moves) < most:
            while hand.window:
                _let_go(hand)
                turn += 1
            if hand.over:
                break
            action = self.player.decide(hand.observe(hand.turn), self.chance.getrandbits(64), math.inf)
            moves.append((turn, action))
            hand.apply(action)
            turn += 1
        return Game(self.owned.table_id, players, moves)

    def _act(self, seat: int, action: Action) -> None:
        turn = self.table.turn
        event = self.table.decide(Act(seat, turn, action, PLAYER), self.now)
        if isinstance(event, Refused | Answer):
            raise TypeError(f"a bot's lawful action came to {event}")
        self._fold(event)
        self.commands.append((Command.of(seat, _request(self.owned.table_id, turn, action)), event.sequence))

    def _fold(self, event: Event) -> None:
        self.table.fold(event)
        self.events.append(event)


def ahead(owned: Owned, actions: int, level: str, now: int, period_us: int) -> Ahead:
    """Play a new table ahead, so that it stands so many actions into its hand some time before ``now``."""
    took = (2 * actions + 20) * period_us  # windows and the deal take a period each, at most
    table = Ahead(owned, PLAYERS[level](), random.Random(owned.table_id), now - took)
    table.play(actions, period_us)
    return table


def _let_go(hand: Hand) -> None:
    """End a time for private questions in which nobody says anything."""
    while hand.private and hand.turn is not None:
        hand.apply(hand.default_action())
    hand.close_answers()


def _request(table_id: str, turn: int, action: Action) -> ActRequest:
    return ActRequest(table_id=table_id, command_id=f"load/{turn}", turn=turn, action=action_to_proto(action))


@dataclass(frozen=True)
class Game:
    """One table, who sits there, and what is played from now on, each with its turn's number."""

    table_id: str
    players: Sequence[str]
    moves: Sequence[tuple[int, Action]]

    def lines(self, tokens: Tokens, phase: float) -> Iterator[str]:
        """Tell `watchers.cpp` what to send; the first command is due after ``phase`` seconds."""
        yield f"table {phase:.6f}\n"
        watch = WatchRequest(table_id=self.table_id, from_now=True).SerializeToString().hex()
        for player in self.players:
            yield f"watch {tokens.mint_player(player, player).access_token} {watch}\n"
        for turn, action in self.moves:
            yield f"act {action.seat} {_request(self.table_id, turn, action).SerializeToString().hex()}\n"


def mix(games: Iterable[Game]) -> dict[str, float]:
    """Say which share of all actions each kind has, the greatest first."""
    counted = Counter(action.kind.name.lower() for game in games for _, action in game.moves)
    return {kind: number / counted.total() for kind, number in counted.most_common()}


def write_plan(games: Iterable[Game], tokens: Tokens, period: float, out: TextIO) -> None:
    """Write the plan that `watchers.cpp` reads; tables begin evenly at random within the first period, in seconds."""
    chance = random.Random(0)
    for game in games:
        out.writelines(game.lines(tokens, chance.uniform(0, period)))
