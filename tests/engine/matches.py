"""Random matches, checked by code other than the engine's: `python -m tests.engine.matches` (`make matches`).

Each hand is watched by `oracle.Shadow`; between hands the lead, what is owed and the match's scores and end are worked
out from the outcomes alone. Every choice comes from ``preset/match`` as seed, so that a match that fails can be played
again: `python -m tests.engine.matches --only qingdao/17`.
"""

import argparse
import hashlib
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator

from gouji.engine import PRESETS, ActionKind, Hand, Match, RuleSet
from gouji.engine.hand import decode

from .oracle.results import Outcome, match_over, next_leader, owed, scores, swept, team_scores
from .oracle.shadow import Shadow
from .oracle.state import SEATS

HANDS = 8
PASSES = 0.4
"""How often a seat that may decline does so at once, as people do: a random answer is a play nearly always."""
NOT_MODELLED = {"korea", "shandong_64"}
"""Presets with options beyond `Model`: grand slams, fours that open."""
MOST_ACTIONS = 20_000
"""More than any hand takes: a hand that does not end is a fault."""


def play_match(preset: str, number: int, *, closely: bool = False) -> Counter[str]:
    """Play one match and check it; count what came up. Raises AssertionError, naming the match, for any fault.

    ``closely``, the play of each hand is followed by the oracle's `Model` too, where it knows the preset's options.
    """
    name = f"{preset}/{number}"
    try:
        return _play(RuleSet.parse(preset), name, closely=closely and preset not in NOT_MODELLED)
    except AssertionError as fault:
        raise AssertionError(f"{name}: {fault}") from fault


def _play(rules: RuleSet, name: str, *, closely: bool) -> Counter[str]:
    match, rng = Match(rules, hands=HANDS), random.Random(name)
    seen, ends, before = Counter[str](matches=1), list[Outcome](), None
    while not match.over:
        hand = match.deal(hashlib.sha256(f"{name}/{match.dealt}".encode()).digest())
        _check_leader(hand, ends, before)
        owes = owed(ends[-1]) if ends and before is not None and not before.void else []
        end = play_hand(Shadow(hand, owes, first_hand=not ends, closely=closely), rng, seen)
        match.record(hand)
        before = hand
        if end is not None:
            ends.append(end)
            _note(end, seen)
        _check_match(match, ends)
    return seen


def _check_leader(hand: Hand, ends: list[Outcome], before: Hand | None) -> None:
    """R3.2."""
    if before is not None and before.void and ends:
        assert hand.first_leader == before.first_leader
        return
    leader = next_leader(ends[-1]) if ends else "first"
    if leader == "first":
        leader = str(hand.rules["first_leader"])
    if leader == "first_seated":
        leader = 0
    if leader == "show_threes":
        most = {
            seat: max(Counter(card.suit for card in hand.cards(seat) if card.rank == 0).values(), default=0)
            for seat in SEATS
        }
        assert most[hand.first_leader] == max(most.values()) or max(most.values()) < 2
    elif leader != "random":
        assert hand.first_leader == leader


def play_hand(shadow: Shadow, rng: random.Random, seen: Counter[str]) -> Outcome | None:
    """Play a hand that was just dealt to its end."""
    hand = shadow.hand
    for number in range(MOST_ACTIONS):
        if hand.over:
            seen["actions"] += number
            break
        codes = hand.legal_codes()
        code = codes[0] if hand.question != "lead" and rng.random() < PASSES else rng.choice(codes)
        action = decode(code)
        if action.kind is ActionKind.PAY:
            action = hand.legal_actions()[codes.index(code)]
        seen[str(hand.question)] += 1
        shadow.apply(code, action)
    seen["hands"] += 1
    seen["void"] += hand.void
    return shadow.end()


def _check_match(match: Match, ends: list[Outcome]) -> None:
    """R3.1 and R7: the sums and the end."""
    assert match.scores == tuple(sum(scores(end)[seat] for end in ends) for seat in SEATS)
    if match.rules["teams"]:
        pairs = [team_scores(end) or (0, 0) for end in ends]
        assert match.team_scores == (sum(even for even, _ in pairs), sum(odd for _, odd in pairs))
    assert match.over == match_over(ends, HANDS, None)


def _note(end: Outcome, seen: Counter[str]) -> None:
    """Count what does not come up in every hand."""
    seen["sweeps"] += swept(end)
    seen["burns that succeeded"] += len(list(end.burns))
    seen["seats choked"] += len(list(end.chokes))
    seen["seats stuck"] += len(end.stuck)
    seen["seats revolted"] += len(end.revolted)
    seen["seats opened"] += len(end.opened)
    seen["calls"] += len(end.calls)
    seen["slams"] += end.slam is not None
    seen["tributes owed"] += len(owed(end))


def _play_named(name: str) -> tuple[str, Counter[str]]:
    preset, _, number = name.partition("/")
    return preset.lstrip("+"), play_match(preset.lstrip("+"), int(number), closely=preset.startswith("+"))


def _results(names: list[str], processes: int) -> Iterator[tuple[str, Counter[str]]]:
    if processes == 1:
        yield from map(_play_named, names)
        return
    with multiprocessing.Pool(processes) as pool:
        yield from pool.imap_unordered(_play_named, names, chunksize=8)


def main() -> None:
    """Play so many matches of every preset and print what came up."""
    parser = argparse.ArgumentParser(prog="make matches", description=__doc__)
    parser.add_argument("--matches", type=int, default=1000, help="of each preset")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--closely", action="store_true", help="follow the play too: some 15 times slower")
    parser.add_argument("--only", help="one match, as PRESET/NUMBER")
    given = parser.parse_args()
    names = [given.only] if given.only else [f"{preset}/{n}" for preset in PRESETS for n in range(given.matches)]
    names = [f"+{name}" if given.closely else name for name in names]
    began, seen = time.monotonic(), dict[str, Counter[str]]()
    for preset, found in _results(names, 1 if given.only else given.processes):
        seen.setdefault(preset, Counter()).update(found)
    for preset, found in seen.items():
        sys.stdout.write(
            f"{preset}: " + ", ".join(f"{word} {number}" for word, number in found.items() if number) + "\n"
        )
    sys.stdout.write(f"{len(names)} matches in {time.monotonic() - began:.0f} s, no fault\n")


if __name__ == "__main__":
    main()
