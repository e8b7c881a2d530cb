"""Which clauses and options the rule cases show.

A clause has a case when one that passes cites it. An option has one when a case that passes goes otherwise (fails, or
cannot be set up) once that option alone has another value: then the case would notice if the option did nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gouji.engine.cases import Case, CaseError, rules_of, run_case
from gouji.engine.clauses import CLAUSES
from gouji.engine.errors import RuleSetError
from gouji.engine.option import Option, Value
from gouji.engine.options import OPTIONS
from gouji.engine.rules import RuleSet

ENOUGH: Final = 2
"""Cases that an option needs."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The cases of each clause, and of each option: of these no more than `ENOUGH` are looked for."""

    clauses: Mapping[str, Sequence[Case]]
    options: Mapping[str, Sequence[Case]]

    @property
    def missing(self) -> Iterator[str]:
        """Give a line for each clause without a case and each option with fewer than `ENOUGH`."""
        for clause, cases in self.clauses.items():
            if not cases:
                yield f"{clause} ({CLAUSES[clause]}): no case"
        for name, cases in self.options.items():
            if len(cases) < ENOUGH:
                yield f"{name} ({OPTIONS[name].clause}): {len(cases)} of {ENOUGH} cases"


def cover(cases: Iterable[Case]) -> Coverage:
    """Play all cases, and some again with options changed. Raises `CaseError` for a case that cannot be read."""
    passing = [case for case in cases if not run_case(case).failures]
    return Coverage(
        clauses={clause: [case for case in passing if clause in cited(case)] for clause in CLAUSES},
        options={name: _showing(option, passing) for name, option in OPTIONS.items()},
    )


def cited(case: Case) -> tuple[str, ...]:
    """Name the clauses that a case cites, whether there are such clauses or not."""
    return tuple(str(case.raw.get("cites", "")).replace(",", " ").split())


def _showing(option: Option, cases: Sequence[Case]) -> list[Case]:
    """Find cases that show an option, the likeliest first."""
    found: list[Case] = []
    for case in sorted(cases, key=lambda case: not _speaks_of(option, case)):
        if len(found) == ENOUGH:
            break
        if shows(case, option):
            found.append(case)
    return found


def _speaks_of(option: Option, case: Case) -> bool:
    return option.name in str(case.raw.get("rules")) or option.clause in cited(case)


def shows(case: Case, option: Option) -> bool:
    """Whether a case that passes goes otherwise with some other value of the option."""
    return any(_differs(case, rules) for rules in _changed(rules_of(case), option))


def _changed(rules: RuleSet, option: Option) -> Iterator[RuleSet]:
    """Give the rules with the option at each other value that makes sense with the rest."""
    for value in other_values(option, rules[option.name]):
        try:
            yield RuleSet.parse(rules.spec() | {option.name: option.show(value)})
        except RuleSetError:
            continue


def _differs(case: Case, rules: RuleSet) -> bool:
    try:
        return bool(run_case(Case(case.file, case.id, {**case.raw, "rules": rules.spec()})).failures)
    except CaseError:
        return True


def other_values(option: Option, value: Value) -> Iterator[Value]:
    """Give the other values of an option, the nearest number first; of a list, those that are one step away."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        numbers = map(int, option.choices) if option.choices else range(option.least, option.most + 1)
        yield from sorted({*numbers} - {value}, key=lambda other: abs(other - value))
    elif isinstance(value, tuple):
        yield from _steps(option, value)
    else:
        yield from (word for word in option.choices if word != value)


def _steps(option: Option, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Give the lists without one word, with two neighbours exchanged, and with one word more."""
    for at, word in enumerate(words):
        yield (*words[:at], *words[at + 1 :])
        if at:
            yield (*words[: at - 1], word, words[at - 1], *words[at + 1 :])
    for word in option.choices:
        if word not in words:
            yield (*words, word)
