"""What is owed from a finished hand (R8.1, R8.2): pure data, settled by the next hand."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from gouji.engine.cards import SEATS, opposite, team_of
from gouji.engine.rules import RuleSet

KINDS: Final = ("point", "choke", "stuck", "burn", "last", "sweep")
"""Kinds of tribute, numbered as in the compiled state."""

MOST_CARDS: Final = 255
"""More than any hand holds: a chain of counter-burns doubles for ever on paper alone."""


@dataclass(frozen=True, slots=True)
class Debt:
    """One tribute: ``payer`` owes ``receiver`` that many cards."""

    payer: int
    receiver: int
    kind: str
    cards: int

    def __str__(self) -> str:
        """Give the text of the rule cases: ``5>0 last 2``."""
        return f"{self.payer}>{self.receiver} {self.kind} {self.cards}"

    @classmethod
    def parse(cls, text: str) -> "Debt":
        """Read ``PAYER>RECEIVER KIND CARDS``. Raises ValueError."""
        seats, kind, cards = text.split()
        payer, receiver = (int(seat) for seat in seats.split(">"))
        if payer not in range(SEATS) or receiver not in range(SEATS) or payer == receiver:
            raise ValueError(f"{text!r}: a seat, 0 to 5, owes another")
        if kind not in KINDS or not 1 <= int(cards) <= MOST_CARDS:
            raise ValueError(f"{text!r}: kinds are {', '.join(KINDS)}, cards 1 to {MOST_CARDS}")
        return cls(payer, receiver, kind, int(cards))


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What of a finished hand matters to the next.

    ``order`` is head first; ``burns`` are (burner, burned, counter-burns), ``chokes`` (choked, choker), ``calls``
    (caller, ``open`` or ``advance``) (R9.5); ``doubled`` are the teams that doubled (R9.7).
    """

    order: tuple[int, ...]
    opened: frozenset[int] = frozenset()
    burns: tuple[tuple[int, int, int], ...] = ()
    chokes: tuple[tuple[int, int], ...] = ()
    stuck: frozenset[int] = frozenset()
    calls: Mapping[int, str] = field(default_factory=dict)
    doubled: bool = False
    revolted: frozenset[int] = frozenset()


def is_sweep(rules: RuleSet, after: Aftermath) -> bool:
    """Whether one team took the first three places, and it counts (R6.3, R9.8)."""
    if not rules["teams"] or len({team_of(seat) for seat in after.order[:3]}) != 1:
        return False
    return not rules["no_sweep_when_choked"] or not {seat for seat, _ in after.chokes} & set(after.order[3:])


def owed(rules: RuleSet, after: Aftermath) -> tuple[Debt, ...]:
    """List what a hand leaves owed, in the order of settling (R8.1, R8.2, R7.4, R9.7)."""
    return tuple(debt for debt in to_settle(rules, after) if not is_spared(rules, debt))


def is_spared(rules: RuleSet, debt: Debt) -> bool:
    """Whether a tribute is between team-mates and therefore shown, not paid (R8.5 `never`)."""
    mates = bool(rules["teams"]) and team_of(debt.payer) == team_of(debt.receiver)
    return mates and debt.kind == "last" and rules["team_tribute"] == "never"


def to_settle(rules: RuleSet, after: Aftermath) -> tuple[Debt, ...]:
    """List what is owed, and in its place what is only shown (R8.5)."""
    swept = is_sweep(rules, after)
    if not after.order or (swept and rules["after_sweep"] == "fresh"):
        return ()
    debts = [debt for kind in _kinds(rules, swept=swept) for debt in _OF_KIND[kind](rules, after)]
    across = _across(rules, after)

    def times(debt: Debt) -> int:
        return (2 if after.doubled else 1) * (2 if _touches(debt, across) else 1)

    return tuple(replace(debt, cards=min(MOST_CARDS, debt.cards * times(debt))) for debt in debts)


def _kinds(rules: RuleSet, *, swept: bool) -> list[str]:
    """Give the kinds that are owed, in the order of settling.

    A sweep's tribute comes instead of `last`, and in its place unless the order names it; where it is not used, `last`
    is owed after a sweep too.
    """
    used = _words(rules["tribute_kinds"])
    if swept and rules["sweep_replaces_all"] and "sweep" in used:
        return ["sweep"]
    order = _words(rules["tribute_order"])
    order += [kind for kind in KINDS if kind not in order and kind != "sweep"]
    if "sweep" not in order:
        order.insert(order.index("last"), "sweep")
    waived = "last" if swept and "sweep" in used else "sweep"
    return [kind for kind in order if kind in used and kind != waived]


def _words(value: object) -> list[str]:
    return list(value) if isinstance(value, tuple) else []


def _point(rules: RuleSet, after: Aftermath) -> Iterable[Debt]:
    """R8.1, R9.5: who did not open, and who called wrongly: the more of the two, so never above 4 (R7.3)."""
    if not rules["opening"]:
        return
    for seat in range(SEATS):
        cards = max(_for_not_opening(after, seat), _for_calling_wrongly(rules, after, seat))
        if cards:
            yield Debt(seat, opposite(seat), "point", cards)


def _called(after: Aftermath, seat: int) -> int:
    """How many cards a call that this seat made is worth: 2, or 4 before the deal."""
    return {None: 0, "open": 2, "advance": 4}[after.calls.get(seat)]


def _for_not_opening(after: Aftermath, seat: int) -> int:
    called = _called(after, opposite(seat))
    if called and seat in after.revolted:
        return called
    return 0 if seat in after.opened else called or 1


def _for_calling_wrongly(rules: RuleSet, after: Aftermath, seat: int) -> int:
    other = opposite(seat)
    if other not in after.opened or other in after.revolted:
        return 0
    return _called(after, seat) * (2 if rules["backfire_doubles"] else 1)


def _choke(_rules: RuleSet, after: Aftermath) -> Iterable[Debt]:
    return [Debt(choked, by, "choke", 1) for choked, by in sorted(after.chokes)]


def _stuck(_rules: RuleSet, after: Aftermath) -> Iterable[Debt]:
    return [Debt(seat, opposite(seat), "stuck", 1) for seat in sorted(after.stuck)]


def _burn(_rules: RuleSet, after: Aftermath) -> Iterable[Debt]:
    burns = sorted(after.burns, key=lambda burn: burn[1])
    return [
        Debt(burned, burner, "burn", min(MOST_CARDS, 2 ** min(doublings, 8))) for burner, burned, doublings in burns
    ]


def _last(_rules: RuleSet, after: Aftermath) -> Iterable[Debt]:
    """R8.1: last pays head two, second-last pays second one."""
    head, second, second_last, last = after.order[0], after.order[1], after.order[4], after.order[5]
    return [Debt(last, head, "last", 2), Debt(second_last, second, "last", 1)]


def _sweep(_rules: RuleSet, after: Aftermath) -> Iterable[Debt]:
    return [Debt(loser, opposite(loser), "sweep", 1) for loser in sorted(after.order[3:])]


_OF_KIND: Final = {
    "point": _point,
    "choke": _choke,
    "stuck": _stuck,
    "burn": _burn,
    "last": _last,
    "sweep": _sweep,
}


def _across(rules: RuleSet, after: Aftermath) -> Sequence[set[int]]:
    """R7.4: pairs two places apart of whom one is head and the other last, or second and second-last."""
    if not rules["across_doubles"]:
        return ()
    pairs = ({after.order[0], after.order[5]}, {after.order[1], after.order[4]})
    return [pair for pair in pairs if (max(pair) - min(pair)) in (2, 4)]


def _touches(debt: Debt, pairs: Sequence[set[int]]) -> bool:
    return any({debt.payer, debt.receiver} & pair for pair in pairs)


def tribute_scores(rules: RuleSet, after: Aftermath) -> tuple[int, ...]:
    """R7.3: what each seat is owed less what it owes from this hand."""
    scores = [0] * SEATS
    for debt in owed(rules, after):
        scores[debt.receiver] += debt.cards
        scores[debt.payer] -= debt.cards
    return tuple(scores)
