"""Rules as data: read cases from YAML text, play them through the engine, and say what differed.

A case is a position, some actions, and what must then hold; ``docs/cases.md`` describes the format. Everything is read
as text, so that ``333`` is three threes.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import yaml

from gouji.engine.actions import Action, UnknownAction
from gouji.engine.cards import parse_cards
from gouji.engine.errors import EngineError, IllegalAction
from gouji.engine.hand import PHASES, Hand
from gouji.engine.reasons import Reason
from gouji.engine.rules import RuleSet
from gouji.engine.tribute import Aftermath, Debt, owed

_POSITION_KEYS: Final = ("finished", "opened", "burning", "revolted")
_CASE_KEYS: Final = frozenset(
    {"id", "cites", "rules", "hands", "lead", "phase", "actions", "expect", "owed", "previous", *_POSITION_KEYS}
)


class CaseError(Exception):
    """A case that cannot be read: names the file, the case and the key."""

    def __init__(self, file: str, case: str, key: str, why: str) -> None:
        super().__init__(f"{file}: {case}: {key}: {why}")


@dataclass(frozen=True, slots=True)
class Case:
    """One case as written; all scalars are text."""

    file: str
    id: str
    raw: Mapping[str, Any]

    def error(self, key: str, why: str) -> CaseError:
        """Make the error for one of this case's keys."""
        return CaseError(self.file, self.id, key, why)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case went: ``failures`` is empty when it passed."""

    case: Case
    failures: tuple[str, ...] = ()


class _Loader(yaml.CBaseLoader):
    """Reads every scalar as text and refuses a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"key {twice[0]!r} stands twice", node.start_mark)
        return super().construct_mapping(node, deep)


def read_cases(file: str, text: str) -> list[Case]:
    """Read the cases of one file. Raises `CaseError` for what cannot be read and for unknown keys."""
    try:
        raw_cases = yaml.load(text, Loader=_Loader)  # noqa: S506 (a base loader makes nothing but text)
    except yaml.YAMLError as broken:
        raise CaseError(file, "-", "-", " ".join(str(broken).split())) from None
    if not isinstance(raw_cases, list):
        raise CaseError(file, "-", "-", "a case file is a list of cases")
    cases = [_read_case(file, number, raw) for number, raw in enumerate(raw_cases, 1)]
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise case.error("id", "stands twice in this file")
        seen.add(case.id)
    return cases


def _read_case(file: str, number: int, raw: object) -> Case:
    if not isinstance(raw, Mapping):
        raise CaseError(file, f"case {number}", "-", "a case is a mapping")
    case = Case(file, str(raw.get("id") or f"case {number}"), raw)
    for key in raw:
        if key not in _CASE_KEYS:
            raise case.error(str(key), "unknown key")
    for key in ("id", "hands", "lead", "expect"):
        if key not in raw:
            raise case.error(key, "missing")
    _text(case, "id", raw["id"])
    expect = raw["expect"]
    if not isinstance(expect, Mapping):
        raise case.error("expect", "must be a mapping")
    for key in expect:
        if key not in _EXPECTATIONS:
            raise case.error(f"expect.{key}", "unknown key")
    return case


def run_case(case: Case) -> Outcome:
    """Play one case. Raises `CaseError` for what cannot be read: malformed cards, seats, rules or reasons."""
    hand = _position(case)
    for text in _texts(case, "actions", case.raw.get("actions") or []):
        refused = _try(case, "actions", hand, text)
        if refused:
            return Outcome(case, (f"expected {text!r} to be accepted got {refused}",))
    failures: list[str] = []
    for key, wanted in case.raw["expect"].items():
        failures += _EXPECTATIONS[key](case, f"expect.{key}", hand, wanted)
    return Outcome(case, tuple(failures))


def _position(case: Case) -> Hand:
    raw = case.raw
    key = "rules"
    try:
        rules = RuleSet.parse(raw.get("rules") or "standard")
        key = "phase"
        phase = _text(case, key, raw.get("phase") or "play")
        if phase not in PHASES:
            raise case.error(key, f"{phase!r} is not a phase: {', '.join(PHASES)}")
        key = "hands"
        hands = [_cards(case, key, text) for text in _texts(case, key, raw["hands"])]
        lead = _seat(case, "lead", raw["lead"])
        seats = {key: [_seat(case, key, seat) for seat in _list(case, key, raw.get(key) or [])]
                 for key in _POSITION_KEYS}  # fmt: skip
        if any(hands[seat] for seat in seats["finished"]):
            raise case.error("finished", "a seat that has finished holds no cards")
        key = "owed"
        debts = [Debt.parse(text) for text in _texts(case, key, raw.get(key) or [])]
        if "previous" in raw:
            key = "previous"
            debts += owed(rules, _aftermath(case, raw[key]))
        key = "phase"
        finished, opened, burning, revolted = (seats[key] for key in _POSITION_KEYS)
        return Hand.position(
            rules,
            hands,
            lead,
            finished=finished,
            opened=opened,
            burning=burning,
            revolted=revolted,
            phase=phase,
            owed=debts,
        )
    except CaseError:
        raise
    except (EngineError, ValueError) as broken:
        raise case.error(key, str(broken)) from None


def _aftermath(case: Case, raw: object) -> Aftermath:
    """Read the hand before."""
    if not isinstance(raw, Mapping):
        raise case.error("previous", "must be a mapping")
    unknown = sorted(raw.keys() - {"order", "opened", "burns", "chokes", "stuck", "calls", "doubled"})
    if unknown:
        raise case.error(f"previous.{unknown[0]}", "unknown key")
    order = tuple(_ints(case, "previous.order", raw.get("order")))
    if sorted(order) != list(range(6)):
        raise case.error("previous.order", "names all six seats, head first")

    def lists(key: str) -> list[list[str]]:
        return [_texts(case, f"previous.{key}", each) for each in _list(case, f"previous.{key}", raw.get(key) or [])]

    calls = {_seat(case, "previous.calls", seat): how for seat, how in lists("calls")}
    if not set(calls.values()) <= {"open", "advance"}:
        raise case.error("previous.calls", "calls are open or advance")
    return Aftermath(
        order=order,
        opened=frozenset(_ints(case, "previous.opened", raw.get("opened") or [])),
        burns=tuple((int(burn[0]), int(burn[1]), int(burn[2]) if len(burn) > 2 else 0) for burn in lists("burns")),
        chokes=tuple((int(choked), int(by)) for choked, by in lists("chokes")),
        stuck=frozenset(_ints(case, "previous.stuck", raw.get("stuck") or [])),
        calls=calls,
        doubled=_bool(case, "previous.doubled", raw.get("doubled") or "false"),
    )


def _try(case: Case, key: str, hand: Hand, text: str) -> str:
    """Do an action and return the reason for which it was refused, or nothing."""
    try:
        hand.apply(Action.parse(text))
    except UnknownAction:
        return Reason.UNKNOWN_ACTION.value
    except IllegalAction as illegal:
        return illegal.reason.value
    except ValueError as broken:
        raise case.error(key, str(broken)) from None
    return ""


# Reading values


def _list(case: Case, key: str, value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise case.error(key, "must be a list")
    return value


def _text(case: Case, key: str, value: object) -> str:
    if not isinstance(value, str):
        raise case.error(key, "must be text")
    return value


def _texts(case: Case, key: str, value: object) -> list[str]:
    return [_text(case, key, item) for item in _list(case, key, value)]


def _cards(case: Case, key: str, value: object) -> str:
    try:
        return parse_cards(_text(case, key, value))
    except ValueError as broken:
        raise case.error(key, str(broken)) from None


def _int(case: Case, key: str, value: object) -> int:
    try:
        return int(_text(case, key, value))
    except ValueError:
        raise case.error(key, f"{value!r} is not a number") from None


def _seat(case: Case, key: str, value: object) -> int:
    seat = _int(case, key, value)
    if seat not in range(6):
        raise case.error(key, f"{seat} is not a seat, 0 to 5")
    return seat


def _ints(case: Case, key: str, value: object) -> list[int]:
    return [_int(case, key, item) for item in _list(case, key, value)]


def _bool(case: Case, key: str, value: object) -> bool:
    words = {"true": True, "false": False}
    if value not in words:
        raise case.error(key, f"{value!r} is not true or false")
    return words[str(value)]


# Expectations: each takes the case, its key, the hand and what is wanted, and says what differs

_Expectation = Callable[[Case, str, Hand, Any], Iterable[str]]


def _same(key: str, wanted: object, got: object) -> list[str]:
    if wanted == got:
        return []
    return [f"expected {key.removeprefix('expect.')} {_show(wanted)} got {_show(got)}"]


def _show(value: object) -> str:
    return "none" if value is None else repr(value).replace("'", "")


def _turn(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    return _same(key, None if wanted == "none" else _seat(case, key, wanted), hand.turn)


def _legal(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    refused = {text: _try(case, key, hand.clone(), text) for text in _texts(case, key, wanted)}
    return [f"expected {text!r} to be accepted got {reason}" for text, reason in refused.items() if reason]


def _illegal(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    if not isinstance(wanted, Mapping):
        raise case.error(key, "must map actions to reasons")
    failures = []
    for text, reason in wanted.items():
        if reason not in set(Reason):
            raise case.error(key, f"{reason!r} is not a reason")
        got = _try(case, key, hand.clone(), text) or "accepted"
        if got != reason:
            failures.append(f"expected {text!r} to be refused with {reason} got {got}")
    return failures


def _shown(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    if not isinstance(wanted, Mapping) or set(wanted) != {"viewer", "counts"}:
        raise case.error(key, "has the keys viewer and counts, and no other")
    seen = hand.observe(_seat(case, key, wanted["viewer"]))
    return _same(key, _ints(case, key, wanted["counts"]), [seat.cards_left for seat in seen.seats])


def _choked(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    pairs = [tuple(_ints(case, key, pair)) for pair in _list(case, key, wanted)]
    return _same(key, pairs, list(hand.choked))


def _owes(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    try:
        debts = [str(Debt.parse(text)) for text in _texts(case, key, wanted)]
    except ValueError as broken:
        raise case.error(key, str(broken)) from None
    return _same(key, debts, [str(debt) for debt in hand.owes])


def _hands(case: Case, key: str, hand: Hand, wanted: object) -> list[str]:
    return _same(key, [_cards(case, key, text) for text in _list(case, key, wanted)], list(hand.hands))


def _in_order(attribute: str) -> _Expectation:
    """Compare a list of seats or numbers as it stands."""
    return lambda case, key, hand, wanted: _same(key, _ints(case, key, wanted), list(getattr(hand, attribute) or ()))


def _as_set(attribute: str) -> _Expectation:
    """Compare seats in any order."""
    return lambda case, key, hand, wanted: _same(
        key, sorted(_ints(case, key, wanted)), sorted(getattr(hand, attribute))
    )


def _flag(attribute: str) -> _Expectation:
    return lambda case, key, hand, wanted: _same(key, _bool(case, key, wanted), getattr(hand, attribute))


_EXPECTATIONS: Final[dict[str, _Expectation]] = {
    "turn": _turn,
    "legal": _legal,
    "illegal": _illegal,
    "lead": lambda case, key, hand, wanted: _same(key, _seat(case, key, wanted), hand.lead),
    "table": lambda case, key, hand, wanted: _same(key, _cards(case, key, wanted), hand.table),
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
    "hands": _hands,
    "shown": _shown,
}
