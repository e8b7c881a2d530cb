"""Rules as data: read cases from YAML text, play them through the engine, and say what differed.

A case is a position, some actions, and what must then hold; ``docs/cases.md`` describes the format. Everything is read
as text, so that ``333`` is three threes.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import yaml

from gouji.engine.actions import Action
from gouji.engine.cards import SEATS
from gouji.engine.case_text import Case, CaseError
from gouji.engine.errors import EngineError, InvalidState
from gouji.engine.expectations import EXPECTATIONS
from gouji.engine.hand import PHASES, Hand
from gouji.engine.match import HandResult
from gouji.engine.rules import RuleSet
from gouji.engine.tribute import Aftermath, Debt, to_settle

_SEATS_KEYS: Final = ("finished", "opened", "burning", "revolted")
_POSITION_KEYS: Final = frozenset({"hands", "lead", "phase", "owed", *_SEATS_KEYS})
_CASE_KEYS: Final = _POSITION_KEYS | {
    "id", "cites", "rules", "deal", "previous", "match", "actions", "expect", "best", "why",
}  # fmt: skip
_PREVIOUS_KEYS: Final = frozenset({"order", "opened", "burns", "chokes", "stuck", "calls", "doubled"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a case went: ``failures`` is empty when it passed."""

    case: Case
    failures: tuple[str, ...] = ()


# Reading


class _Loader(yaml.CBaseLoader):
    """Reads every scalar as text and refuses a key that stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise yaml.constructor.ConstructorError(None, None, f"key {twice[0]!r} stands twice", node.start_mark)
        return super().construct_mapping(node, deep)


def read_cases(file: str, text: str) -> list[Case]:
    """Read the cases of one file. Raises `CaseError` for what is no list of cases, and for two with one id."""
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
    return Case(file, str(raw.get("id") or f"case {number}"), raw)


def _check_keys(case: Case) -> None:
    raw = case.raw
    for key in raw:
        if key not in _CASE_KEYS:
            raise case.error(str(key), "unknown key")
    for key in _needed(case):
        if key not in raw:
            raise case.error(key, "missing")
    for key in sorted(_POSITION_KEYS & raw.keys()) if "deal" in raw else ():
        raise case.error(key, "does not go with deal")
    case.text("id", raw["id"])
    expect = raw.get("expect", {})
    if not isinstance(expect, Mapping):
        raise case.error("expect", "must be a mapping")
    for key in expect:
        if key not in EXPECTATIONS:
            raise case.error(f"expect.{key}", "unknown key")


def _needed(case: Case) -> tuple[str, ...]:
    """Name the keys that a case must have: what stands, and what is asked of it; a best move also says why."""
    where = () if "deal" in case.raw else ("hands", "lead")
    return ("id", *where, *(("best", "why") if "best" in case.raw else ("expect",)))


# Playing


def run_case(case: Case) -> Outcome:
    """Play one case. Raises `CaseError` for what cannot be read: unknown keys, malformed cards, seats or rules."""
    hand, refused = _played(case)
    if refused:
        return Outcome(case, (refused,))
    failures: list[str] = []
    for key, wanted in case.raw.get("expect", {}).items():
        failures += EXPECTATIONS[key](case, f"expect.{key}", hand, wanted)
    if "best" in case.raw:
        failures += _unfit(case, hand)
    return Outcome(case, tuple(failures))


def puzzle(case: Case) -> tuple[Hand, tuple[Action, ...]]:
    """Set up a case that has best moves: the hand whose asked seat has to find one of them, and the moves.

    Raises `CaseError` for a case that cannot be read or played so far.
    """
    hand, refused = _played(case)
    if refused:
        raise case.error("actions", refused)
    return hand, tuple(case.action("best", hand, text) for text in _best(case))


def _played(case: Case) -> tuple[Hand, str]:
    """Set the hand up and do the case's actions; say which was refused, if one was."""
    _check_keys(case)
    hand = _dealt(case) if "deal" in case.raw else _position(case)
    for text in case.texts("actions", case.raw.get("actions") or []):
        refused = case.try_action("actions", hand, text)
        if refused:
            return hand, f"expected {text!r} to be accepted got {refused}"
    return hand, ""


def _best(case: Case) -> list[str]:
    """Read the best moves: one, or a list of such as are as good as each other."""
    case.text("why", case.raw["why"])
    best = case.raw["best"]
    return [best] if isinstance(best, str) else case.texts("best", best)


def _unfit(case: Case, hand: Hand) -> list[str]:
    """Say which best moves are not lawful, and whether nothing else is."""
    best = _best(case)
    refused = {text: case.refusal("best", hand, text) for text in best}
    failures = [f"expected {text!r} to be accepted got {reason}" for text, reason in refused.items() if reason]
    if not failures and set(hand.legal_actions()) <= {case.action("best", hand, text) for text in best}:
        failures.append("expected another lawful move than the best got none")
    return failures


def rules_of(case: Case) -> RuleSet:
    """Read the rules that a case is played under."""
    try:
        return RuleSet.parse(case.raw.get("rules") or "standard")
    except EngineError as broken:
        raise case.error("rules", str(broken)) from None


def _position(case: Case) -> Hand:
    raw = case.raw
    rules = rules_of(case)
    phase = case.text("phase", raw.get("phase") or "play")
    if phase not in PHASES:
        raise case.error("phase", f"{phase!r} is not a phase: {', '.join(PHASES)}")
    hands = [case.cards("hands", text) for text in case.texts("hands", raw["hands"])]
    if len(hands) != SEATS:
        raise case.error("hands", f"a position has {SEATS} hands, not {len(hands)}")
    lead = case.seat("lead", raw["lead"])
    finished, opened, burning, revolted = (case.seats(key, raw.get(key) or []) for key in _SEATS_KEYS)
    debts = _debts(case, rules)
    first = not {"owed", "previous"} & raw.keys()
    try:
        return Hand.position(
            rules, hands, lead, finished=finished, opened=opened, burning=burning, revolted=revolted,
            phase=phase, owed=debts, first_hand=first, as_dealt="opened" not in raw,
        )  # fmt: skip
    except InvalidState as broken:
        raise case.error(broken.part, str(broken)) from None


def _debts(case: Case, rules: RuleSet) -> list[Debt]:
    """Read what is owed, and work out what the hand before leaves owed."""
    try:
        debts = [Debt.parse(text) for text in case.texts("owed", case.raw.get("owed") or [])]
    except ValueError as broken:
        raise case.error("owed", str(broken)) from None
    if "previous" in case.raw:
        debts += to_settle(rules, _aftermath(case, case.mapping("previous", case.raw["previous"], set(_PREVIOUS_KEYS))))
    return debts


def _dealt(case: Case) -> Hand:
    """Deal a match's first hand from the case's seed, or the one that follows ``previous``."""
    raw = case.raw
    match = case.match(rules_of(case))
    seed = case.text("deal.seed", case.mapping("deal", raw["deal"], {"seed"}).get("seed"))
    if "previous" in raw:
        previous = case.mapping("previous", raw["previous"], {*_PREVIOUS_KEYS, "leader"})
        leader = case.seat("previous.leader", previous.get("leader"))
        match.results.append(HandResult((0,) * 6, (0, 0), _aftermath(case, previous), leader, ""))
    try:
        return match.deal(int(seed, 16).to_bytes(32, "big"))
    except (EngineError, ValueError, OverflowError) as broken:
        raise case.error("deal", str(broken)) from None


def _aftermath(case: Case, raw: Mapping[str, Any]) -> Aftermath:
    """Read the hand before."""
    order = tuple(case.seats("previous.order", raw.get("order")))
    if sorted(order) != list(range(6)):
        raise case.error("previous.order", "names all six seats, head first")
    burns = _lists(case, "burns", raw, 2, 3)
    calls = _lists(case, "calls", raw, 2)
    if not {how for _, how in calls} <= {"open", "advance"}:
        raise case.error("previous.calls", "calls are open or advance")
    pairs = [case.seats("previous.burns", burn[:2]) for burn in burns]
    chokes = [case.seats("previous.chokes", choke) for choke in _lists(case, "chokes", raw, 2)]
    return Aftermath(
        order=order,
        opened=frozenset(case.seats("previous.opened", raw.get("opened") or [])),
        burns=tuple(
            (pair[0], pair[1], case.number("previous.burns", [*burn, "0"][2]))
            for pair, burn in zip(pairs, burns, strict=True)
        ),
        chokes=tuple((choked, by) for choked, by in chokes),
        stuck=frozenset(case.seats("previous.stuck", raw.get("stuck") or [])),
        calls={case.seat("previous.calls", seat): how for seat, how in calls},
        doubled=case.flag("previous.doubled", raw.get("doubled") or "false"),
    )


def _lists(case: Case, key: str, raw: Mapping[str, Any], *sizes: int) -> list[list[str]]:
    """Read a list of lists of so many words each."""
    key_of = f"previous.{key}"
    found = [case.texts(key_of, each) for each in case.items(key_of, raw.get(key) or [])]
    if any(len(each) not in sizes for each in found):
        raise case.error(key_of, f"is a list of lists of {' or '.join(map(str, sizes))}")
    return found


__all__ = ["Case", "CaseError", "Outcome", "puzzle", "read_cases", "rules_of", "run_case"]
