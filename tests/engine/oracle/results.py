"""R6.3, R7 and R8.1-R8.2: what a finished hand is worth, what it leaves owed, and who leads the next (R3.2)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from gouji.engine import RuleSet
from gouji.engine.cards import opposite

from .state import SEATS

TEAM_POINTS = (4, 2, 0, 0, -2, -4)
SEAT_POINTS = (2, 1, 0, 0, -1, -2)
CALLED = {"open": 2, "advance": 4}
MOST_CARDS = 255
"""Docs/readings.md, R8.1."""


class Owed(NamedTuple):
    """One tribute (R8.1)."""

    payer: int
    receiver: int
    kind: str
    cards: int


@dataclass(frozen=True)
class Outcome:
    """How a hand ended: ``order`` is the seats by place, head first (R6.1); the rest as in docs/cases.md."""

    rules: RuleSet
    order: Sequence[int]
    opened: Collection[int] = ()
    burns: Iterable[tuple[int, int, int]] = ()
    chokes: Iterable[tuple[int, int]] = ()
    stuck: Collection[int] = ()
    calls: Mapping[int, str] = field(default_factory=dict)
    doubled: bool = False
    revolted: Collection[int] = ()
    slam: int | None = None
    first_leader: int = 0


def swept(end: Outcome) -> bool:
    """R6.3: one team took the first three places; R9.8: and it counts."""
    if not end.rules["teams"] or len({seat % 2 for seat in end.order[:3]}) > 1:
        return False
    losers = end.order[3:]
    return not (end.rules["no_sweep_when_choked"] and any(choked in losers for choked, _ in end.chokes))


def _across(end: Outcome) -> set[int]:
    """R7.4: the seats whose points and tributes double."""
    if not end.rules["across_doubles"]:
        return set()
    head, second, _, _, second_last, last = end.order
    pairs = ((head, last), (second, second_last))
    return {seat for pair in pairs if (pair[0] - pair[1]) % 6 in (2, 4) for seat in pair}


# R7


def scores(end: Outcome) -> tuple[int, ...]:
    """R7: points of the six seats."""
    if end.slam is not None:
        return _slam(end.slam, end.first_leader)
    scoring = end.rules["scoring"]
    if scoring == "tributes":
        owes = owed(end)
        return tuple(_sum(owes, "receiver", seat) - _sum(owes, "payer", seat) for seat in SEATS)
    by_place = TEAM_POINTS if scoring == "team_points" else SEAT_POINTS
    points = {seat: by_place[place] for place, seat in enumerate(end.order)}
    if scoring == "individual":
        for burner, burned, _ in end.burns:
            points[burner] += 1
            points[burned] -= 1
    # R7.1 doubles a sweep for teams; R7.5 says it of individual points.
    if swept(end) and (scoring == "team_points" or end.rules["grand_slam"] == "sweep_doubles"):
        points = {seat: 2 * number for seat, number in points.items()}
    across = _across(end)
    return tuple(points[seat] * (2 if seat in across else 1) for seat in SEATS)


def _slam(seat: int, first_leader: int) -> tuple[int, ...]:
    """R7.5, `korean`."""
    if seat == first_leader:
        return tuple(10 if other == seat else -2 for other in SEATS)
    return tuple(6 if other == seat else -2 if other == first_leader else -1 for other in SEATS)


def _sum(owes: Iterable[Owed], side: str, seat: int) -> int:
    return sum(debt.cards for debt in owes if getattr(debt, side) == seat)


def team_scores(end: Outcome) -> tuple[int, int] | None:
    """R7.1: points of the teams, even seats first."""
    if not end.rules["teams"]:
        return None
    points = scores(end)
    sums = sum(points[0::2]), sum(points[1::2])
    drop = end.rules["scoring"] == "team_points" and end.rules["negatives"] == "drop"
    return (max(sums[0], 0), max(sums[1], 0)) if drop else sums


# R8.1, R8.2


def owed(end: Outcome) -> list[Owed]:
    """What the hand leaves owed, in the order of settling."""
    rules, used = end.rules, _words(end.rules["tribute_kinds"])
    sweep = swept(end)
    if sweep and rules["after_sweep"] == "fresh":
        return []
    debts = {
        "point": _points(end),
        "choke": [Owed(choked, by, "choke", 1) for choked, by in sorted(end.chokes)],
        "stuck": [Owed(seat, opposite(seat), "stuck", 1) for seat in sorted(end.stuck)],
        "burn": sorted((Owed(burned, burner, "burn", 2**n) for burner, burned, n in end.burns), key=itemgetter(0)),
        "last": _last(end),
        "sweep": [Owed(seat, opposite(seat), "sweep", 1) for seat in sorted(end.order[3:])],
    }
    order = _words(rules["tribute_order"])
    order += [kind for kind in ("point", "choke", "stuck", "burn", "last") if kind not in order]
    if "sweep" not in order:
        order.insert(order.index("last"), "sweep")
    if sweep and "sweep" in used:
        used = ["sweep"] if rules["sweep_replaces_all"] else [kind for kind in used if kind != "last"]
    else:
        used = [kind for kind in used if kind != "sweep"]
    return [_doubled(end, debt) for kind in order if kind in used for debt in debts[kind]]


def _words(value: object) -> list[str]:
    assert isinstance(value, tuple)
    return [str(word) for word in value]


def _points(end: Outcome) -> list[Owed]:
    """R8.1, R9.5: who did not open pays 1, or what it was called for; a wrong caller what it called for, if more."""
    if not end.rules["opening"]:
        return []
    worth = {seat: CALLED[call] for seat, call in end.calls.items()}
    debts = []
    for seat in SEATS:
        across = opposite(seat)
        cards = 0 if seat in end.opened else 1
        if across in worth and (cards or seat in end.revolted):
            cards = worth[across]
        if seat in worth and across in end.opened and across not in end.revolted:
            cards = max(cards, worth[seat] * (2 if end.rules["backfire_doubles"] else 1))
        if cards:
            debts.append(Owed(seat, across, "point", cards))
    return debts


def _last(end: Outcome) -> list[Owed]:
    """R8.1, R8.5."""
    head, second, _, _, second_last, last = end.order
    debts = [Owed(last, head, "last", 2), Owed(second_last, second, "last", 1)]
    mates = bool(end.rules["teams"])
    never = end.rules["team_tribute"] == "never"
    return [debt for debt in debts if not (mates and never and debt.payer % 2 == debt.receiver % 2)]


def _doubled(end: Outcome, debt: Owed) -> Owed:
    """R9.7, R7.4."""
    factor = 2 if end.doubled else 1
    if {debt.payer, debt.receiver} & _across(end):
        factor *= 2
    return debt._replace(cards=min(debt.cards * factor, MOST_CARDS))


# R3.1, R3.2


def next_leader(end: Outcome) -> int | str:
    """Who leads the next hand, or how its deal decides it."""
    rules = end.rules
    if swept(end) and rules["after_sweep"] == "fresh":
        return "first"
    return {"rotate": (end.first_leader + 1) % 6, "head": end.order[0]}.get(
        str(rules["later_leader"]), str(rules["later_leader"])
    )


def match_over(ends: Sequence[Outcome], hands: int | None, target: int | None) -> bool:
    """R3.1: as many hands, or a target that a team (a seat, without teams) has reached; a sweep may end it too."""
    if ends and ends[-1].rules["sweep_ends_match"] and swept(ends[-1]):
        return True
    if hands is not None:
        return len(ends) >= hands
    totals = [sum(column) for column in zip(*(team_scores(end) or scores(end) for end in ends), strict=True)]
    return target is not None and max(totals, default=0) >= target
