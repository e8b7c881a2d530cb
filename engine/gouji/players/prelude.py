"""What the planner decides outside the play: tribute, buying, calls, fours, revolution, a new deal, who is last."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from gouji.engine import Action, ActionKind, Observation
from gouji.engine.cards import RANKS, counts_of
from gouji.players._plan import burdens

_GOUJI_AT: Final = {"T": 5, "J": 4, "Q": 3, "K": 2, "A": 2}
"""How many cards of a rank make a Gouji play (R2.7)."""

HOPELESS_GROUPS: Final = 1
"""A hand without twos and jokers is left for fourth place if it holds so few Gouji groups (R9.1)."""

KEPT_HEAD_PLAYS: Final = 3
"""How many Gouji plays a head kept after a revolution is good for (R9.2)."""

SPARE_CARDS: Final = 1.0
"""How many more threes or fours than its share a hand holds before they are laid off (R9.10)."""

CHEAP: Final = 0.3
"""What it may cost, in leads, to keep a revolter from opening (R9.3)."""


def decide_before_play(observation: Observation) -> Action:
    """Choose among the choices that the observation lists."""
    choices = observation.choices
    if len(choices) == 1:
        return choices[0]
    decide = _QUESTIONS.get(observation.question or "", _mildest)
    return decide(observation, choices)


def _held(observation: Observation) -> list[int]:
    return counts_of("".join(RANKS[card.rank] for card in observation.cards))


def _without(counts: Sequence[int], cards: str) -> list[int]:
    return [have - less for have, less in zip(counts, counts_of(cards), strict=True)]


def _of_kind(choices: Sequence[Action], *kinds: ActionKind) -> Action:
    """Return the choice of the first kind that there is, else the first of all: the mildest stands first."""
    return next((action for kind in kinds for action in choices if action.kind is kind), choices[0])


def _mildest(_observation: Observation, choices: Sequence[Action]) -> Action:
    return _of_kind(choices, ActionKind.NO_CALL, ActionKind.DECLINE, ActionKind.PLAY)


def _take(_observation: Observation, choices: Sequence[Action]) -> Action:
    """R8.4: a tribute is two high cards for low ones; a four for nothing only helps to open (R8.7)."""
    return _of_kind(choices, ActionKind.ACCEPT)


def _return(observation: Observation, choices: Sequence[Action]) -> Action:
    """R8.4: give back what leaves the least to be played out."""
    held = _held(observation)
    costs = burdens(observation, [_without(held, action.cards) for action in choices])
    return choices[min(range(len(choices)), key=costs.__getitem__)]


def _accept(_observation: Observation, choices: Sequence[Action]) -> Action:
    """R8.4: refuse the lowest card that may be refused: what comes instead is of a rank that the hand holds."""
    refusals = [action for action in choices if action.kind is ActionKind.REFUSE]
    low = [action for action in refusals if RANKS.index(action.cards) < RANKS.index("K")]
    return min(low, key=lambda action: RANKS.index(action.cards)) if low else _of_kind(choices, ActionKind.ACCEPT)


def _redeal(observation: Observation, choices: Sequence[Action]) -> Action:
    """R3.1: who may ask holds neither twos nor jokers, and is below the average unless its groups make up for it."""
    poor = len(_gouji_groups(observation)) < len(_GOUJI_AT)
    return _of_kind(choices, ActionKind.REDEAL if poor else ActionKind.DECLINE)


def _sink(observation: Observation, choices: Sequence[Action]) -> Action:
    """R9.9: fours are for opening; a hand without an opening group is better off without them."""
    return _of_kind(choices, ActionKind.DECLINE if _gouji_groups(observation) else ActionKind.SINK)


def _lay_off(observation: Observation, choices: Sequence[Action]) -> Action:
    """R9.10: lay off the ranks of which it holds more than its share."""
    held, share = _held(observation), 16 / 6
    ranks = "".join(rank for rank in "43" if held[RANKS.index(rank)] > share + SPARE_CARDS)
    return next((action for action in choices if action.cards == ranks and ranks), choices[0])


def _revolt(observation: Observation, choices: Sequence[Action]) -> Action:
    """R9.1, R9.3: leave a hopeless hand, and show its best opening play if that may open."""
    if len(_gouji_groups(observation)) > HOPELESS_GROUPS:
        return _of_kind(choices, ActionKind.STAY)
    revolts = [action for action in choices if action.kind is ActionKind.REVOLT]
    shown = [action for action in revolts if action.cards]
    if not shown:
        return _of_kind(choices, ActionKind.REVOLT)
    return max(shown, key=lambda action: (len(action.cards), RANKS.index(action.cards[-1])))


def _head(observation: Observation, choices: Sequence[Action]) -> Action:
    """R9.2: keep a head when there are Gouji plays enough to use it up."""
    held = _held(observation)
    plays = len(_gouji_groups(observation)) + sum(held[RANKS.index(rank)] for rank in "2wW")
    return _of_kind(choices, ActionKind.KEEP_HEAD if plays >= KEPT_HEAD_PLAYS else ActionKind.NO_HEAD)


def _contest(observation: Observation, choices: Sequence[Action]) -> Action:
    """R9.3: keep a revolter from opening when that costs next to nothing."""
    held = _held(observation)
    plays = [action for action in choices if action.kind is ActionKind.PLAY]
    costs = burdens(observation, [held, *(_without(held, action.cards) for action in plays)])
    best = min(range(len(plays)), key=costs[1:].__getitem__) if plays else None
    return (
        plays[best] if best is not None and costs[best + 1] < costs[0] + CHEAP else _of_kind(choices, ActionKind.PASS)
    )


def _gouji_groups(observation: Observation) -> list[str]:
    """List the ranks of which the hand holds a Gouji group without twos."""
    held = _held(observation)
    return [rank for rank, least in _GOUJI_AT.items() if held[RANKS.index(rank)] >= least]


_QUESTIONS: Final[Mapping[str, Callable[[Observation, Sequence[Action]], Action]]] = {
    "take": _take,
    "return": _return,
    "accept": _accept,
    "redeal": _redeal,
    "sink": _sink,
    "lay_off": _lay_off,
    "revolt": _revolt,
    "head": _head,
    "contest": _contest,
}
"""How each question is decided; all others are let go as mildly as the rules allow."""
