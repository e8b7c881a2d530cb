"""What is played: rule sets and positions at random, few of them likely at a table, all of them possible."""

from dataclasses import dataclass, field

from hypothesis import strategies as st

from gouji.engine import Hand, RuleSet, RuleSetError
from gouji.engine.cards import RANKS, SEATS, opposite, sort_cards

from .model import Model

# Rule sets

OPTIONS = {
    "twos_wild": ("any", "with_joker_only", "never"),
    "big_joker_duel": ("none", "two_kills_one"),
    "joker_duel": ("none", "swords"),
    "single_two_is_gouji": (True, False),
    "big_joker_is_gouji": (True, False),
    "open_cards": ("pure", "twos_substitute", "any_but_big_joker"),
    "opposite_last_word": ("always", "yielded"),
    "yield": (True, True, False),
    "burn": (True, True, True, False),
    "burn_order": ("in_turn", "in_turn_team", "burn_first", "team_first"),
    "burn_guard": (True, False),
    "burn_team_mate": (True, False),
    "counter_burn": (True, False),
    "burn_needs_open": (False, True),
    "end_when": ("one_team_left", "one_left"),
    "scoring": ("team_points", "individual"),
    "negatives": ("keep", "drop"),
    "across_doubles": (False, True),
    "no_sweep_when_choked": (False, True),
    "tribute_kinds": ("point choke stuck burn last", "point choke stuck burn last sweep", "point sweep"),
    "tribute_order": ("point choke burn last stuck", "stuck last burn", "sweep choke point"),
    "team_tribute": ("never", "optional", "always"),
    "teams": (True, True, True, False),
    "revolution": ("any", "any", "threeless", "off"),
    "revolt_opens": ("no", "contest"),
    "opening": (True, False),
    "natural_open": (False, True),
    "opposite_opens": ("three", "three_open", "always"),
    "no_open_on_lead": (False, True),
    "no_open_on_counter": (False, True),
    "threes_last": (False, True),
    "first_choked_is_last": (False, True),
}
"""What may be drawn for each option that is built; what stands more than once is drawn more often."""

NEED = {
    "opening": ("burn_needs_open", "natural_open", "no_open_on_lead", "no_open_on_counter", "revolt_opens"),
    "threes_last": ("first_choked_is_last", "no_sweep_when_choked"),
    "teams": ("end_when", "scoring", "no_sweep_when_choked", "team_tribute"),
}
"""Options that mean nothing, or exclude each other, where another is off."""


@st.composite
def rule_sets(draw: st.DrawFn, presets: tuple[str, ...] = ("standard", "qingdao", "lianzhong")) -> RuleSet | None:
    """Any rule set of the options that are built; None for one that makes no sense."""
    preset = draw(st.sampled_from(presets))
    drawn = draw(st.fixed_dictionaries({}, optional={name: st.sampled_from(words) for name, words in OPTIONS.items()}))
    for option, needing in NEED.items():
        if not drawn.get(option, RuleSet(preset)[option]):
            drawn = {name: value for name, value in drawn.items() if name not in needing}
    try:
        return RuleSet.parse({"preset": preset, **drawn})
    except RuleSetError:
        return None


# Positions


@dataclass
class Setting:
    """A position as both sides take it, or a dealt hand."""

    rules: RuleSet
    hands: list[str]
    lead: int
    seats: dict[str, list[int]] = field(default_factory=dict)
    phase: str = "play"
    dealt: Hand | None = None

    def sides(self) -> tuple[Hand, Model]:
        dealt = self.dealt is not None
        model = Model.position(self.rules, self.hands, self.lead, phase=self.phase, dealt=dealt, **self.seats)
        if self.dealt is not None:
            return self.dealt.clone(), model
        return Hand.position(self.rules, self.hands, self.lead, phase=self.phase, **self.seats), model

    def as_case(self, actions: list[str]) -> str:
        """Write the position and what was done as a rule case."""
        named = "".join(f"  {key}: {seats}\n" for key, seats in self.seats.items() if seats)
        rules = ", ".join(f"{name}: {value}" for name, value in self.rules.spec().items())
        hands = ", ".join(f'"{cards}"' for cards in self.hands)
        return (
            f"- id: difference\n  rules: {{{rules}}}\n  hands: [{hands}]\n  lead: {self.lead}\n{named}"
            f"  phase: {self.phase}\n  actions: [{', '.join(actions)}]\n"
        )


def seat_lists(most: int) -> st.SearchStrategy[list[int]]:
    """No seats, as often as some."""
    return st.just([]) | st.lists(st.integers(0, 5), unique=True, max_size=most)


def as_hand(cards: str) -> str:
    """No more jokers of a kind than there are packs."""
    for joker in "wW":
        cards = cards.replace(joker, "", max(0, cards.count(joker) - 4))
    return sort_cards(cards)


@st.composite
def small_hands(draw: st.DrawFn, least: int = 1) -> list[str]:
    """Hands of few ranks, with many twos and jokers, so that most plays are answered and many are Gouji."""
    high = draw(st.booleans())
    lower = draw(st.lists(st.sampled_from("TJQKA" if high else RANKS[:12]), min_size=1, max_size=4, unique=True))
    added = draw(st.sampled_from(["2wW", "2ww", "22wwW", "wW", "2", ""]))
    palette = "".join(lower) * 2 + added + draw(st.sampled_from(["", "3"]))
    cards = st.text(st.sampled_from(palette), min_size=least, max_size=12)
    return [as_hand(draw(cards)) for _ in range(SEATS)]


@st.composite
def positions(draw: st.DrawFn) -> Setting | None:
    """A position in the play of a hand."""
    rules = draw(rule_sets())
    hands = draw(small_hands())
    revolted = draw(seat_lists(1))
    # Two finished team-mates of a revolter would have ended the hand.
    finished = [seat for seat in draw(seat_lists(1 if revolted else 3)) if seat not in revolted]
    burning = [seat for seat in draw(seat_lists(1)) if seat not in finished + revolted]
    opened = draw(seat_lists(6))
    for seat in finished:
        hands[seat] = ""
    seats = {"finished": finished, "revolted": revolted, "burning": burning, "opened": opened}
    return Setting(rules, hands, draw(st.integers(0, 5)), seats) if rules else None


@st.composite
def gouji(draw: st.DrawFn) -> Setting | None:
    """A position in which all are in and hold what makes Gouji plays and burns."""
    rules = draw(rule_sets())
    hands = [as_hand(cards + draw(st.sampled_from(["2w", "AA", "wW", "22"]))) for cards in draw(small_hands())]
    opened = draw(st.just([0, 1, 2, 3, 4, 5]) | seat_lists(6))
    return Setting(rules, hands, draw(st.integers(0, 5)), {"opened": opened}) if rules else None


@st.composite
def last_cards(draw: st.DrawFn) -> Setting | None:
    """A position in which seats are about to finish with Gouji plays, and their opposites can answer."""
    rules = draw(rule_sets())
    hands = draw(small_hands())
    finishing = st.sampled_from(["2", "w", "AA", "KK", "w5", "22", "QQQ", "TTTT2", "W", "9"])
    lead = draw(st.integers(0, 5))
    for seat in {lead, *draw(seat_lists(2))}:
        hands[seat] = sort_cards(draw(finishing))
        hands[opposite(seat)] = as_hand(hands[opposite(seat)] + draw(st.sampled_from(["2w", "22", "wwW", "W"])))
    finished = [seat for seat in draw(seat_lists(1)) if seat != lead]
    for seat in finished:
        hands[seat] = ""
    opened = draw(st.just([0, 1, 2, 3, 4, 5]) | seat_lists(6))
    return Setting(rules, hands, lead, {"finished": finished, "opened": opened}) if rules else None


@st.composite
def revolutions(draw: st.DrawFn) -> Setting | None:
    """A position before the first lead in which some seats may revolt, and their opposites hold Gouji plays."""
    rules = draw(rule_sets())
    hands = draw(small_hands())
    for seat in draw(st.sets(st.integers(0, 5), min_size=1, max_size=3)):
        hands[seat] = "".join(card for card in hands[seat] if card not in "2wW") or "9"
        hands[seat] = sort_cards(hands[seat] + draw(st.sampled_from(["", "KK", "QQQ"])))
        hands[opposite(seat)] = as_hand(hands[opposite(seat)] + "2AAKK")
    return Setting(rules, hands, draw(st.integers(0, 5)), {"opened": draw(seat_lists(3))}, "revolt") if rules else None


@st.composite
def deals(draw: st.DrawFn) -> Setting | None:
    """A dealt hand of 36 cards a seat."""
    rules = draw(rule_sets(("standard",)))
    hand = Hand.deal(rules or RuleSet(), draw(st.binary(min_size=32, max_size=32)), draw(st.integers(0, 5)))
    if hand.phase not in ("revolt", "play"):
        return None  # Buying and calls come first (R8, R9.5), which are not modelled.
    return Setting(hand.rules, list(hand.hands), hand.first_leader, phase="revolt", dealt=hand)
