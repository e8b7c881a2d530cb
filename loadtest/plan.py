"""What is to be played at each table: whole games worked out beforehand, so that nothing is decided under load.

The tool has the server's keys and database, as an operator has, so it reads each table's deal from its log. Nobody
but it plays, so turns are known: it plays the hand on by itself, with a bot for all six seats, and keeps each action
as the request that its seat will send. Private questions are left to lapse, as most are.
"""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from gouji.bot.players import PLAYERS
from gouji.engine import Action, Hand
from gouji.serving.auth import Tokens
from gouji.table.loading import fold_log
from gouji.v1.events_pb2 import Event
from gouji.v1.table_pb2 import ActRequest, WatchRequest
from gouji.wire import action_to_proto


@dataclass(frozen=True)
class Game:
    """One table, who sits there, and what is played from now on, each with its turn's number."""

    table_id: str
    players: Sequence[str]
    moves: Sequence[tuple[int, Action]]

    def requests(self) -> Iterator[ActRequest]:
        """Make the commands, in order."""
        for turn, action in self.moves:
            yield ActRequest(
                table_id=self.table_id, command_id=f"load/{turn}", turn=turn, action=action_to_proto(action)
            )


def dealt(events: Iterable[Event]) -> bool:
    """Say whether a log has come to its first hand."""
    return any(event.HasField("hand_dealt") for event in events)


def work_out(table_id: str, players: Sequence[str], events: Iterable[Event], most: int, level: str) -> Game:
    """Play a table on from its log, up to so many actions, by bots of one level. ValueError before the deal."""
    table = fold_log(table_id, events)
    if table.hand is None:
        raise ValueError(f"no hand is being played at {table_id}")
    player, chance = PLAYERS[level](), random.Random(table_id)
    moves: list[tuple[int, Action]] = []
    hand, turn = table.hand.clone(), table.turn
    while len(moves) < most:
        while hand.window:
            _let_go(hand)
            turn += 1
        if hand.over:
            break
        action = player.decide(hand.observe(hand.turn), chance)
        moves.append((turn, action))
        hand.apply(action)
        turn += 1
    return Game(table_id, players, moves)


def _let_go(hand: Hand) -> None:
    """End a time for private questions in which nobody says anything."""
    while hand.private and hand.turn is not None:
        hand.apply(hand.default_action())
    hand.close_answers()


def mix(games: Iterable[Game]) -> dict[str, float]:
    """Say which share of all actions each kind has, the greatest first."""
    counted = Counter(str(action.kind) for game in games for _, action in game.moves)
    return {kind: number / counted.total() for kind, number in counted.most_common()}


def write_plan(games: Sequence[Game], tokens: Tokens, period: float, out: TextIO) -> None:
    """Write the plan that `watchers.cpp` reads; tables begin evenly at random within the first period, in seconds."""
    chance = random.Random(len(games))
    for game in games:
        out.write(f"table {chance.uniform(0, period):.6f}\n")
        watch = WatchRequest(table_id=game.table_id, from_now=True).SerializeToString().hex()
        for player in game.players:
            out.write(f"watch {tokens.mint_player(player, player).access_token} {watch}\n")
        for (_, action), request in zip(game.moves, game.requests(), strict=True):
            out.write(f"act {action.seat} {request.SerializeToString().hex()}\n")
