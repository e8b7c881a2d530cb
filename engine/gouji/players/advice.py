"""What the planner would do and why: what a hint tells the player whose turn it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gouji.engine import Action, ActionKind, Hand, Observation
from gouji.engine.cards import SEATS, team_of
from gouji.engine.hand import decode, encode
from gouji.players._plan import outlook, worths
from gouji.players.prelude import decide_before_play
from gouji.players.why import SENTENCES, Sentence, Why

SURE: Final = 0.9
"""A play that so likely nobody beats counts as one that hardly anybody can."""

FEW_CARDS: Final = 5
"""With so many cards or fewer a seat is nearly out."""


@dataclass(frozen=True, slots=True)
class Advice:
    """An action and the reason that weighs most."""

    action: Action
    why: Why

    @property
    def sentence(self) -> Sentence:
        """The reason in words."""
        return SENTENCES[self.why]


def advise(observation: Observation) -> Advice:
    """Choose as the planner does, and say why.

    Raises ValueError when the seat is not asked, and `EngineError` for an observation that is no state of a hand.
    """
    if observation.question is None:
        raise ValueError("this seat is not asked")
    if observation.choices:
        action = decide_before_play(observation)
        return Advice(action, Why.FORCED if len(observation.choices) == 1 else _why_before_play(observation, action))
    legal = Hand.from_observation(observation).legal_codes(compact=True)
    action = decode(best_of(observation, legal))
    return Advice(action, _why_in_play(observation, action, legal))


def best_of(observation: Observation, codes: list[int]) -> int:
    """Return the packed action of the play that is worth most."""
    values = worths(observation, codes)
    return codes[max(range(len(codes)), key=values.__getitem__)]


_BEFORE_PLAY: Final[Mapping[ActionKind, Why]] = {
    ActionKind.RETURN: Why.GIVES_BACK_WORST,
    ActionKind.REFUSE: Why.REFUSES_LOW,
    ActionKind.ACCEPT: Why.TAKES,
    ActionKind.REVOLT: Why.HOPELESS,
    ActionKind.STAY: Why.STAYS,
    ActionKind.KEEP_HEAD: Why.KEEPS_HEAD,
    ActionKind.NO_HEAD: Why.NO_HEAD,
    ActionKind.LAY_OFF: Why.LAYS_OFF,
    ActionKind.SINK: Why.SINKS,
    ActionKind.REDEAL: Why.NEW_DEAL,
    ActionKind.PLAY: Why.SHEDS_AS_ANSWER,
}

_DECLINED: Final[Mapping[str, Why]] = {
    "lay_off": Why.KEEPS_RANKS,
    "sink": Why.KEEPS_FOURS,
    "redeal": Why.STAYS,
    "contest": Why.SAVES,
}


def _why_before_play(observation: Observation, action: Action) -> Why:
    return _BEFORE_PLAY.get(action.kind) or _DECLINED.get(observation.question or "", Why.CAUTION)


def _why_in_play(observation: Observation, action: Action, legal: list[int]) -> Why:
    if len(legal) == 1:
        return Why.NOTHING_BEATS if action.kind is ActionKind.PASS else Why.FORCED
    if action.kind not in (ActionKind.PLAY, ActionKind.BURN):
        return _why_let_go(observation, action)
    if len(action.cards) == len(observation.cards):
        return Why.GOES_OUT
    if action.kind is ActionKind.BURN:
        return Why.BURNS_THROUGH
    keeps, opens = outlook(observation, encode(action))
    sure = keeps >= SURE
    if opens:
        return Why.OPENS
    return _why_led(observation, action, sure) if observation.question == "lead" else _why_answered(observation, sure)


def _why_led(observation: Observation, action: Action, sure: bool) -> Why:
    jokers = action.cards.count("w") + action.cards.count("W")
    if sure and 0 < jokers < len(action.cards):
        return Why.JOKER_TAKES_ALONG
    if sure:
        return Why.KEEPS_LEAD
    if any(0 < observation.seats[seat].cards_left < len(action.cards) for seat in _opponents(observation)):
        return Why.SHUTS_OUT
    return Why.SHEDS


def _why_answered(observation: Observation, sure: bool) -> Why:
    owner = observation.table_seat
    if owner is not None and owner in _opponents(observation) and _is_nearly_out(observation, owner):
        return Why.STOPS_OPPONENT
    if owner in observation.finished and _catches_wind(observation) in _opponents(observation):
        return Why.KEEPS_WIND
    return Why.WINS_LEAD if sure else Why.SHEDS_AS_ANSWER


def _why_let_go(observation: Observation, action: Action) -> Why:
    if action.kind is ActionKind.YIELD:
        return Why.LAST_WORD
    owner = observation.table_seat
    if owner in observation.finished:
        catches = _catches_wind(observation)
        if catches == observation.seat:
            return Why.WIND_COMES
        if catches not in _opponents(observation):
            return Why.GIVES_WIND
    elif owner is not None and owner not in _opponents(observation):
        return Why.SPARES_MATE
    return Why.NO_BURN if observation.question == "burn" else Why.SAVES


def _catches_wind(observation: Observation) -> int | None:
    """Return the seat that leads if the table's last play of a finished seat is not beaten (R4.7)."""
    owner = observation.table_seat or 0
    after = ((owner + steps) % SEATS for steps in range(1, SEATS))
    return next((seat for seat in after if observation.seats[seat].is_in), None)


def _opponents(observation: Observation) -> set[int]:
    own = observation.seat or 0
    teams = observation.rules["teams"]
    return {seat for seat in range(SEATS) if seat != own and (not teams or team_of(seat) != team_of(own))}


def _is_nearly_out(observation: Observation, seat: int) -> bool:
    return 0 < observation.seats[seat].cards_left <= FEW_CARDS
