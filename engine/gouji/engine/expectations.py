"""What a rule case expects: each kind takes the case, its key, the hand and what is wanted, and says what differs."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from gouji.engine.case_text import Case
from gouji.engine.hand import Hand
from gouji.engine.reasons import Reason
from gouji.engine.tribute import Debt

Expectation = Callable[[Case, str, Hand, Any], Iterable[str]]

_HIGH: Final = frozenset("JQKA2wW")
"""The cards that `min_high` counts (R3.1)."""


def _same(key: str, wanted: object, got: object) -> list[str]:
    if wanted == got:
        return []
    return [f"expected {key.removeprefix('expect.')} {_show(wanted)} got {_show(got)}"]


def _show(value: object) -> str:
    return "none" if value is None else repr(value).replace("'", "")


def _turn(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    return _same(key, case.seat_or_none(key, wanted), hand.turn)


def _legal(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    refused = {text: case.refusal(key, hand, text) for text in case.texts(key, wanted)}
    return [f"expected {text!r} to be accepted got {reason}" for text, reason in refused.items() if reason]


def _illegal(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    if not isinstance(wanted, Mapping):
        raise case.error(key, "must map actions to reasons")
    failures = []
    for text, reason in wanted.items():
        if case.text(key, reason) not in set(Reason):
            raise case.error(key, f"{reason!r} is not a reason")
        got = case.refusal(key, hand, text) or "accepted"
        if got != reason:
            failures.append(f"expected {text!r} to be refused with {reason} got {got}")
    return failures


def _shown(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    wanted = case.mapping(key, wanted, {"viewer", *_SHOWN})
    if "viewer" not in wanted or len(wanted) < 2:
        raise case.error(key, f"has the key viewer and one or more of {', '.join(_SHOWN)}")
    seen = hand.observe(case.seat(key, wanted["viewer"]))
    got = {"counts": [seat.cards_left for seat in seen.seats], "hands": [seat.shown for seat in seen.seats],
           "felt": seen.felt}  # fmt: skip
    asked = {f"{key}.{what}": what for what in wanted if what != "viewer"}
    return [
        failure
        for part, what in asked.items()
        for failure in _same(part, _SHOWN[what](case, part, wanted[what]), got[what])
    ]


def _cards_of_all(case: Case, key: str, value: object) -> list[str]:
    return [case.cards(key, text) for text in case.items(key, value)]


_SHOWN: Final[Mapping[str, Callable[[Case, str, object], object]]] = {
    "counts": Case.numbers,
    "hands": _cards_of_all,
    "felt": Case.number,
}
"""What a seat sees, and how it is read."""


def _choked(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    pairs = [tuple(case.numbers(key, pair)) for pair in case.items(key, wanted)]
    return _same(key, pairs, list(hand.choked))


def _owes(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    try:
        debts = [str(Debt.parse(text)) for text in case.texts(key, wanted)]
    except ValueError as broken:
        raise case.error(key, str(broken)) from None
    return _same(key, debts, [str(debt) for debt in hand.owes])


def _match_over(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    match = case.match(hand.rules)
    if hand.over:
        match.record(hand)
    return _same(key, case.flag(key, wanted), match.over)


def _each(how: Callable[[str], int]) -> Expectation:
    """Compare a number of each hand."""
    return lambda case, key, hand, wanted: _same(key, case.numbers(key, wanted), [how(cards) for cards in hand.hands])


def _high_cards(cards: str) -> int:
    return sum(card in _HIGH for card in cards)


def _in_order(attribute: str) -> Expectation:
    """Compare a list of seats or numbers as it stands."""
    return lambda case, key, hand, wanted: _same(key, case.numbers(key, wanted), list(getattr(hand, attribute) or ()))


def _as_set(attribute: str) -> Expectation:
    """Compare seats in any order."""
    return lambda case, key, hand, wanted: _same(
        key, sorted(case.numbers(key, wanted)), sorted(getattr(hand, attribute))
    )


def _flag(attribute: str) -> Expectation:
    return lambda case, key, hand, wanted: _same(key, case.flag(key, wanted), getattr(hand, attribute))


EXPECTATIONS: Final[Mapping[str, Expectation]] = {
    "turn": _turn,
    "legal": _legal,
    "illegal": _illegal,
    "lead": lambda case, key, hand, wanted: _same(key, case.seat_or_none(key, wanted), hand.lead),
    "table": lambda case, key, hand, wanted: _same(key, case.cards(key, wanted), hand.table),
    "finished": _in_order("finished"),
    "order": _in_order("order"),
    "opened": _as_set("opened"),
    "burning": _as_set("burning"),
    "choked": _choked,
    "struck": _as_set("struck"),
    "scramble": _flag("scramble"),
    "void": _flag("void"),
    "scores": _in_order("scores"),
    "team_scores": _in_order("team_scores"),
    "owes": _owes,
    "hands": lambda case, key, hand, wanted: _same(key, _cards_of_all(case, key, wanted), list(hand.hands)),
    "shown": _shown,
    "sizes": _each(len),
    "high": _each(_high_cards),
    "first_leader": lambda case, key, hand, wanted: _same(key, case.seat(key, wanted), hand.first_leader),
    "match_over": _match_over,
}
"""Every kind of expectation by its key."""
