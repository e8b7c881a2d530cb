"""A level that gets rid of its low cards first and keeps jokers for the end."""

from collections.abc import Iterable
from typing import ClassVar, Final

from gouji.engine import Action, ActionKind, Observation
from gouji.engine.cards import RANKS, team_of

FEW_CARDS: Final = 8
"""With so many cards or fewer, jokers are no longer saved."""

KEPT_HEAD_PLAYS: Final = 3
"""How many Gouji plays a head kept after a revolution is good for (R9.2)."""

_GOUJI_AT: Final = {"T": 5, "J": 4, "Q": 3, "K": 2, "A": 2}
"""How many cards of a rank make a Gouji play (R2.7); of twos and jokers one does."""

_QUIET: Final = (
    ActionKind.PASS,
    ActionKind.CLOSE,
    ActionKind.ACCEPT,
    ActionKind.DECLINE,
    ActionKind.STAY,
    ActionKind.NO_CALL,
)
"""Ways to let a question go, in the order in which they are looked for."""


class GreedyPlayer:
    """Plays the cheapest cards that do, and leaves team-mates' plays alone.

    It goes out when it can. Otherwise it never burns, yields or calls, and it revolts only with a hand that
    has not one Gouji play.
    """

    summary: ClassVar[str] = "Plays its cheapest cards and saves its jokers."

    def decide(self, observation: Observation, _seed: int, _budget_seconds: float, /) -> Action:
        """Choose; raises ValueError when the seat is not asked."""
        choices = observation.legal_actions(compact=True)
        if not choices:
            raise ValueError("this seat is not asked")
        last = _going_out(observation, choices)
        if last is not None:
            return last
        match observation.question:
            case "lead":
                return _cheapest(choices)
            case "answer" | "last_word" | "gouji":
                return _answer(observation, choices)
            case "revolt":
                return _revolt(observation, choices)
            case "head":
                return _head(observation, choices)
            case _:
                return _quiet(choices)


def _going_out(observation: Observation, choices: Iterable[Action]) -> Action | None:
    """Return the play or burn that empties the hand, if there is one."""
    held = len(observation.cards)
    moves = (ActionKind.PLAY, ActionKind.BURN)
    return next((action for action in choices if action.kind in moves and len(action.cards) == held), None)


def _answer(observation: Observation, choices: list[Action]) -> Action:
    """Beat an opponent's play with the cheapest cards; save jokers while many cards are left."""
    plays = [action for action in choices if action.kind is ActionKind.PLAY]
    if len(observation.cards) > FEW_CARDS:
        plays = [action for action in plays if not _jokers(action.cards)]
    if not plays or _is_team_mates(observation):
        return _quiet(choices)
    return _cheapest(plays)


def _revolt(observation: Observation, choices: list[Action]) -> Action:
    """Leave the hand only when it holds not one Gouji play (R9.1)."""
    hopeless = _gouji_plays(observation) == 0
    revolts = [action for action in choices if action.kind is ActionKind.REVOLT]
    return revolts[0] if hopeless and revolts else _quiet(choices)


def _head(observation: Observation, choices: list[Action]) -> Action:
    """Keep a head when there are Gouji plays enough to use it up (R9.2)."""
    enough = _gouji_plays(observation) >= KEPT_HEAD_PLAYS
    wanted = ActionKind.KEEP_HEAD if enough else ActionKind.NO_HEAD
    return next((action for action in choices if action.kind is wanted), choices[0])


def _quiet(choices: list[Action]) -> Action:
    """Let the question go; where nothing does, take the cheapest."""
    quiet = [action for kind in _QUIET for action in choices if action.kind is kind]
    return quiet[0] if quiet else _cheapest(choices)


def _cheapest(choices: Iterable[Action]) -> Action:
    """Return the play with the fewest jokers, then twos; of these the lowest rank, whole."""
    return min(choices, key=_cost)


def _cost(action: Action) -> tuple[bool, int, int, int, int, int]:
    """Order actions from cheap to dear; those without cards come last."""
    cards = action.cards
    base = RANKS.index(cards[-1]) if cards else 0
    return not cards, cards.count("W"), cards.count("w"), cards.count("2"), base, -len(cards)


def _jokers(cards: str) -> int:
    return cards.count("w") + cards.count("W")


def _is_team_mates(observation: Observation) -> bool:
    """Whether the play on the table is a team-mate's (R1.1)."""
    by, seat = observation.table_seat, observation.seat
    if by is None or seat is None or not observation.rules["teams"]:
        return False
    return team_of(by) == team_of(seat)


def _gouji_plays(observation: Observation) -> int:
    """Count the Gouji plays in hand, roughly: each high rank held often enough, each two, each joker."""
    ranks = [RANKS[card.rank] for card in observation.cards]
    groups = sum(ranks.count(rank) >= least for rank, least in _GOUJI_AT.items())
    return groups + sum(ranks.count(rank) for rank in "2wW")
