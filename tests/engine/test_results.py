"""What a finished hand leaves owed, and is worth in tributes: the engine against the oracle (R7.3, R8.1, R8.2)."""

import random
from collections import Counter
from dataclasses import astuple

from gouji.engine import PRESETS, RuleSet, RuleSetError
from gouji.engine.tribute import KINDS, Aftermath, tribute_scores
from gouji.engine.tribute import owed as owed_by_engine

from .oracle.results import Outcome, owed, scores, swept
from .oracle.state import SEATS

SWITCHES = (
    "teams", "across_doubles", "sweep_replaces_all", "threes_last", "no_sweep_when_choked", "opening", "calls",
    "backfire_doubles", "doubles_called",
)  # fmt: skip
WORDS = {"after_sweep": ("tribute", "fresh"), "team_tribute": ("never", "optional", "always")}
TRIALS = 4000


def some_rules(rng: random.Random) -> RuleSet | None:
    """Any rule set of the options that bear on tribute; None for one that makes no sense."""
    spec: dict[str, object] = {"preset": rng.choice(list(PRESETS))}
    spec |= {name: rng.random() < 0.5 for name in SWITCHES if rng.random() < 0.5}
    spec |= {name: rng.choice(words) for name, words in WORDS.items() if rng.random() < 0.5}
    kinds = rng.sample(KINDS, rng.randint(1, 6))
    spec |= {"tribute_kinds": kinds, "tribute_order": rng.sample(KINDS, rng.randint(1, 6))}
    try:
        return RuleSet.parse(spec)
    except RuleSetError:
        return None


def some_end(rng: random.Random) -> Aftermath:
    """Any end of a hand, sweeps often."""
    order = rng.sample(SEATS, 6)
    if rng.random() < 0.4:
        order.sort(key=lambda seat: seat % 2)
    return Aftermath(
        tuple(order),
        frozenset(seat for seat in SEATS if rng.random() < 0.5),
        tuple((*_pair(rng), rng.randint(0, 12)) for _ in range(rng.randint(0, 3))),
        tuple(_pair(rng) for _ in range(rng.randint(0, 2))),
        frozenset(rng.sample(SEATS, rng.randint(0, 2))),
        {seat: rng.choice(("open", "advance")) for seat in SEATS if rng.random() < 0.4},
        rng.random() < 0.3,
        frozenset(rng.sample(SEATS, rng.choice((0, 0, 1)))),
    )


def _pair(rng: random.Random) -> tuple[int, int]:
    one, other = rng.sample(SEATS, 2)
    return one, other


def test_engine_and_oracle_agree_on_what_is_owed() -> None:
    seen = Counter[str]()
    for trial in range(TRIALS):
        rng = random.Random(trial)
        rules, end = some_rules(rng), some_end(rng)
        if rules is None:
            continue
        outcome = Outcome(rules, *(getattr(end, name) for name in end.__dataclass_fields__))
        owes = owed(outcome)
        assert [astuple(debt) for debt in owed_by_engine(rules, end)] == owes, (trial, rules.spec(), end)
        if rules["scoring"] == "tributes":
            assert tribute_scores(rules, end) == scores(outcome), (trial, rules.spec(), end)
        seen.update(debt.kind for debt in owes)
        seen["sweep without debts"] += swept(outcome) and not owes
    assert [word for word in (*KINDS, "sweep without debts") if seen[word] < 20] == []
