"""Swapping cards that are hidden from a seat, and looking whether its observation changes.

A game is played to some moment. Two cards that two other seats still hold there are swapped in the deal, and all that
everybody saw happen is done again on that deal. If it all stays lawful and means the same, then the two hands differ
for nobody but the two seats, and every other viewer must observe the same bytes.

``python -m tests.engine.leaks 1000`` goes on until each preset has that many swaps in each of its phases.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import gouji.engine.hand
from gouji.engine import PRESETS, Hand, Match, RuleSet
from gouji.engine.cards import Card
from gouji.engine.history import Step
from gouji.engine.rules import RuleSet as Rules

Deal = tuple[list[list[Card]], int]
Counts = Counter[tuple[str, str, str]]
"""Swaps by rule set, phase and kind of viewer."""

_deal: Callable[..., Deal] = gouji.engine.hand.deal_cards


class Game:
    """One hand of a match, played at random with passes where they are lawful, that can be dealt anew."""

    def __init__(self, match: Match, chance: random.Random, *, held: bool) -> None:
        self._match = match
        self._seed = chance.randbytes(32)
        self._held = held
        self._passing = chance.choice((0.2, 0.5, 0.9))
        self.hand = self.deal()

    def deal(self, swap: tuple[int, Card, int, Card] | None = None) -> Hand:
        """Deal the hand, with two cards swapped if that is wanted."""

        def swapped(rules: Rules, seed: bytes, leader: int | str) -> Deal:
            hands, first = _deal(rules, seed, leader)
            if swap is not None:
                one, mine, other, theirs = swap
                hands[one][hands[one].index(mine)], hands[other][hands[other].index(theirs)] = theirs, mine
            return hands, first

        gouji.engine.hand.deal_cards = swapped
        try:
            return self._match.deal(self._seed, held=self._held, history=True)
        finally:
            gouji.engine.hand.deal_cards = _deal

    def play_on(self, chance: random.Random) -> None:
        """Do one thing."""
        hand = self.hand
        codes = hand.legal_codes()
        if not codes:
            hand.close_answers()
        elif hand.question != "lead" and chance.random() < self._passing:
            hand.advance(codes[0])
        else:
            hand.advance(chance.choice(codes))

    def twin(self, chance: random.Random) -> tuple[Hand, tuple[int, int]] | None:
        """Do all that was seen on a deal with two cards swapped; None where that is not possible."""
        hand = self.hand
        holders = [seat for seat in range(6) if hand.cards(seat) and seat not in hand.struck]
        if len(holders) < 2 or hand.dealt is None or hand.steps is None:
            return None
        one, other = chance.sample(holders, 2)
        mine = [card for card in hand.cards(one) if card in hand.dealt[one]]
        theirs = [card for card in hand.cards(other) if card in hand.dealt[other]]
        if not mine or not theirs:
            return None
        twin = self.deal((one, chance.choice(mine), other, chance.choice(theirs)))
        done = twin.steps or ()
        if done != hand.steps[: len(done)]:
            return None
        if all(repeat(twin, step) for step in hand.steps[len(done) :]):
            return twin, (one, other)
        return None


def repeat(twin: Hand, step: Step) -> bool:
    """Do again what everybody saw; False where it is not lawful, or not followed by the same."""
    seat = None if step.action is None else step.action.seat
    while twin.private and (twin.turn != seat or twin.refusal(step.action) is not None):
        twin.apply(twin.default_action())
    if step.action is None:
        if twin.turn is not None or not twin.window or twin.over:
            return False
        twin.close_answers()
    else:
        if twin.turn is None and not twin.over and twin.window:
            return False
        if twin.refusal(step.action) is not None:
            return False
        twin.apply(step.action)
    return twin.steps is not None and twin.steps[-1] == step


def same_question(hand: Hand, twin: Hand, viewer: int | None) -> bool:
    """Bring the twin to what the viewer is asked; False where everybody would see a difference."""
    if hand.private and hand.turn == viewer:
        while twin.private and twin.turn != viewer:
            twin.apply(twin.default_action())
        return twin.turn == viewer and twin.question == hand.question
    if hand.private or (hand.turn is None and not hand.over):
        return twin.turn != viewer and (twin.private or twin.turn is None) and twin.phase == hand.phase
    return (twin.turn, twin.question, twin.phase) == (hand.turn, hand.question, hand.phase)


def may_see(hand: Hand, viewer: int | None, seats: Sequence[int]) -> bool:
    """Whether a swap between these seats is no secret to the viewer."""
    return viewer in seats or any(hand.observe(viewer).seats[seat].shown for seat in seats)


def goes_otherwise(hand: Hand, twin: Hand, viewer: int | None) -> bool:
    """R8: what is for sale and who buys lies open; which ranks the payer holds shows in what may be given back."""
    if hand.phase == "buy":
        buyer = hand.partner if hand.question == "give" else None
        kinds = [[action.kind for action in one.legal_actions()] for one in (hand, twin)]
        return kinds[0] != kinds[1] or (buyer is not None and buyer != twin.partner)
    return hand.phase == "tribute" and hand.turn == viewer and hand.legal_actions() != twin.legal_actions()


def compare(game: Game, chance: random.Random, name: str, counted: Counts) -> None:
    """Swap two cards and compare what every viewer who may not know of it observes."""
    found = game.twin(chance)
    if found is None:
        return
    twin, seats = found
    hand = game.hand
    for viewer in (*range(6), None):
        other = twin.clone()
        if may_see(hand, viewer, seats) or not same_question(hand, other, viewer):
            continue
        if goes_otherwise(hand, other, viewer):
            continue
        assert other.observe(viewer).to_bytes() == hand.observe(viewer).to_bytes(), (name, hand.phase, viewer, seats)
        kind = "spectator" if viewer is None else "asked" if hand.turn == viewer else "seat"
        counted[name, hand.phase, kind] += 1


def games(rules: RuleSet, chance: random.Random, hands: int) -> Iterator[Game]:
    """Give the hands of a match; each is recorded once it has been played."""
    match = Match(rules, hands=hands)
    for number in range(hands * 2):
        if match.over:
            return
        game = Game(match, chance, held=number % 2 == 0)
        yield game
        while not game.hand.over:
            game.play_on(chance)
        match.record(game.hand)


def swap_in_match(name: str, rules: RuleSet, seed: int, counted: Counts, *, often: float, hands: int = 3) -> None:
    """Play a match and swap at many moments before the play, and now and then in it."""
    chance = random.Random(seed)
    for game in games(rules, chance, hands):
        while not game.hand.over:
            if game.hand.phase != "play" or chance.random() < often:
                for _ in range(4 if game.hand.phase != "play" else 1):
                    compare(game, chance, name, counted)
            game.play_on(chance)


def main(least: int) -> None:
    """Swap until every phase that a preset has been seen in has enough swaps, and tell how many there were."""
    for name in PRESETS:
        counted: Counts = Counter()
        rules, seed = RuleSet.parse(name), 0
        while seed < 20 or (min(in_phases(counted).values()) < least and seed < 400):
            swap_in_match(name, rules, seed, counted, often=0.03)
            seed += 1
        print(f"| `{name}` |", ", ".join(f"{phase} {n:,}" for phase, n in sorted(in_phases(counted).items())), "|")  # noqa: T201


def in_phases(counted: Counts) -> Counter[str]:
    """Sum up swaps by phase."""
    phases: Counter[str] = Counter()
    for (_, phase, _), n in counted.items():
        phases[phase] += n
    return phases


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
