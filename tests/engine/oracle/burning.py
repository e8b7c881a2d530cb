"""R5: who may burn what, and what a burning seat may do."""

from gouji.engine import RuleSet
from gouji.engine.cards import opposite

from .plays import LOWER, beating, jokers_of, less, plays_in
from .state import Table


def may_burn(table: Table, seat: int) -> bool:
    """R5.1, R5.6: by what everybody can see. The play on the table is a Gouji play."""
    rules, trick = table.rules, table.trick
    by = trick.by
    if not rules["burn"] or by is None or seat in (by, opposite(by)) or table.scramble:
        return False
    if not table.is_in(seat) or seat in trick.passed or not table.has_head(seat):
        return False
    if by in table.finished and by not in table.finished[:2] and not trick.dead:
        return False
    if trick.burning and not rules["counter_burn"]:
        return False
    if table.mates(seat, by) and not rules["burn_team_mate"]:
        return False
    return not rules["burn_needs_open"] or seat in table.opened


def burns_of(table: Table, seat: int) -> list[str]:
    """The burns that a seat holds."""
    rules, under = table.rules, table.trick.cards
    return [
        cards
        for cards in beating(rules, table.hands[seat], under)
        if not lacks_joker(table, seat, cards)
        and carried_out(rules, table.hands[seat], cards)
        and not splits_threes(rules, table.hands[seat], cards)
    ]


def lacks_joker(table: Table, seat: int, cards: str) -> bool:
    """R5.3: a burning seat plays a joker each time, but for its last play."""
    return seat in table.burning and not jokers_of(cards) and len(cards) < len(table.hands[seat])


def carried_out(rules: RuleSet, hand: str, cards: str) -> bool:
    """R5.5, ``burn_guard``: jokers enough for all bases that are left but one."""
    if not rules["burn_guard"]:
        return True
    left = less(hand, cards)
    assert left is not None
    bases = {card for card in left if card in LOWER}
    if "2" in left and not any(_takes_twos(rules, base, left) for base in bases):
        bases.add("2")
    return len(jokers_of(left)) >= len(bases) - 1


def _takes_twos(rules: RuleSet, base: str, left: str) -> bool:
    """Whether twos may join the base when it is played (R2.3, R9.8)."""
    if base == "3" and rules["threes_last"]:
        return False
    return {"any": True, "with_joker_only": bool(jokers_of(left)), "never": False}[str(rules["twos_wild"])]


def splits_threes(rules: RuleSet, hand: str, cards: str) -> bool:
    """R9.8: threes that do not go last, together and with nothing added."""
    if not rules["threes_last"] or "3" not in cards:
        return False
    return set(cards) != {"3"} or cards != hand


def lawful_leads(table: Table, seat: int) -> list[str]:
    """What a seat may lead."""
    hand = table.hands[seat]
    return [
        cards
        for cards in plays_in(table.rules, hand)
        if not lacks_joker(table, seat, cards) and not splits_threes(table.rules, hand, cards)
    ]
