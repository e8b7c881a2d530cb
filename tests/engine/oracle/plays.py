"""R2: what a play is, and what beats it. Cards are text; nothing here knows of seats."""

from functools import lru_cache
from itertools import product

from gouji.engine import RuleSet
from gouji.engine.cards import sort_cards

RANKS = "3456789TJQKA2wW"
LOWER = "3456789TJQKA"
JOKERS = "wW"
GOUJI_COUNT = {"T": 5, "J": 4, "Q": 3, "K": 2, "A": 2, "2": 1}

remembered = lru_cache(maxsize=2**16)


def height(card: str) -> int:
    return RANKS.index(card)


@remembered
def jokers_of(cards: str) -> str:
    return "".join(card for card in cards if card in JOKERS)


def without_jokers(cards: str) -> str:
    return "".join(card for card in cards if card not in JOKERS)


def less(hand: str, cards: str) -> str | None:
    """What is left of a hand without these cards; None where it does not hold them."""
    for card in cards:
        if card not in hand:
            return None
        hand = hand.replace(card, "", 1)
    return hand


@remembered
def base_of(cards: str) -> str | None:
    """R2.2: the base, or None for cards of two bases."""
    lower = {card for card in cards if card in LOWER}
    if len(lower) > 1:
        return None
    if lower:
        return lower.pop()
    if "2" in cards:
        return "2"
    return "w" if "w" in cards else "W"


@remembered
def is_play(rules: RuleSet, cards: str) -> bool:
    """R2.1-R2.3."""
    base = base_of(cards)
    if not cards or base is None:
        return False
    if base in LOWER and "2" in cards:
        allowed = {"any": True, "with_joker_only": bool(jokers_of(cards)), "never": False}
        return allowed[str(rules["twos_wild"])]
    return True


@remembered
def plays_in(rules: RuleSet, hand: str) -> tuple[str, ...]:
    """All plays that a hand holds.

    Cards of two lower ranks are no play (R2.2), so it is enough to take one lower rank, or none, and add every number
    of twos and jokers.
    """
    found = set()
    counts = [range(hand.count(card) + 1) for card in "2wW"]
    for twos, small, big in product(*counts):
        added = "2" * twos + "w" * small + "W" * big
        found.add(added)
        for base in LOWER:
            found |= {base * number + added for number in range(1, hand.count(base) + 1)}
    return tuple(sorted(sort_cards(cards) for cards in found if is_play(rules, cards)))


# What beats what


@remembered
def standing(cards: str) -> tuple[str, ...]:
    """R2.4: the cards from high to low, twos added to a lower base counting as the base."""
    base = base_of(cards) or ""
    counted = [base if card == "2" and base in LOWER else card for card in cards]
    return tuple(sorted(counted, key=height, reverse=True))


def all_higher(over: tuple[str, ...], under: tuple[str, ...]) -> bool:
    """Every card strictly higher than the one in the same place, and as many of them."""
    if len(over) != len(under):
        return False
    return all(height(mine) > height(yours) for mine, yours in zip(over, under, strict=True))


def two_kill_one(over: str, under: str) -> bool:
    """R2.5: two big jokers stand for each of those on the table; the rest must beat the rest."""
    killed = under.count("W")
    if killed == 0 or over.count("W") < 2 * killed:
        return False
    # The big jokers stand first in the order from high to low.
    return all_higher(standing(over)[2 * killed :], standing(under)[killed:])


def swords(over: str, under: str) -> bool:
    """R2.6: each joker falls to a group of its own, and the other cards are as many and higher."""
    rest, table = without_jokers("".join(standing(over))), without_jokers("".join(standing(under)))
    if not all_higher(tuple(rest), tuple(table)):
        return False
    small, big = under.count("w"), under.count("W")
    for by_small in range(big + 1):
        # ``by_small`` of the big jokers fall to three small ones or more, the others to two big ones or more.
        small_groups, big_groups = small + by_small, big - by_small
        enough_small = over.count("w") >= 2 * small + 3 * by_small and (small_groups or not over.count("w"))
        enough_big = over.count("W") >= 2 * big_groups and (big_groups or not over.count("W"))
        if enough_small and enough_big:
            return True
    return False


@remembered
def beats(rules: RuleSet, over: str, under: str) -> bool:
    """R2.4, and R2.5 and R2.6 where they are played."""
    if all_higher(standing(over), standing(under)):
        return True
    if rules["big_joker_duel"] == "two_kills_one" and two_kill_one(over, under):
        return True
    return rules["joker_duel"] == "swords" and swords(over, under)


@remembered
def count_fits(rules: RuleSet, count: int, under: str) -> bool:
    """Whether a play of so many cards is asked for: one that may beat the table under some clause."""
    big, jokers = under.count("W"), len(jokers_of(under))
    if not big and count == len(under):
        return True
    if rules["big_joker_duel"] == "two_kills_one" and big and count == len(under) + big:
        return True
    return rules["joker_duel"] == "swords" and jokers > 0 and count >= len(under) + jokers


@remembered
def beating(rules: RuleSet, hand: str, under: str) -> tuple[str, ...]:
    """All plays of a hand that beat the table."""
    plays = plays_in(rules, hand)
    return tuple(cards for cards in plays if count_fits(rules, len(cards), under) and beats(rules, cards, under))


def cannot_be_beaten(rules: RuleSet, cards: str) -> bool:
    """R2.4: a dead play (死牌), which closes the trick at once."""
    return "W" in cards and rules["big_joker_duel"] == "none" and rules["joker_duel"] == "none"


# Gouji plays and opening plays


def is_gouji(rules: RuleSet, cards: str) -> bool:
    """R2.7."""
    if "W" in cards and not rules["big_joker_is_gouji"]:
        return False
    if jokers_of(cards):
        return True
    if cards == "2" and not rules["single_two_is_gouji"]:
        return False
    return len(cards) >= GOUJI_COUNT.get(base_of(cards) or "", 99)


def asks_all(rules: RuleSet, cards: str) -> bool:
    """R2.7: a big joker that is not Gouji: all are asked, and an earlier pass bars nobody."""
    return "W" in cards and not rules["big_joker_is_gouji"]


def is_opening(rules: RuleSet, cards: str) -> bool:
    """R2.8."""
    if not is_gouji(rules, cards):
        return False
    if rules["open_cards"] == "any_but_big_joker":
        return "W" not in cards
    if jokers_of(cards) or base_of(cards) not in "TJQKA":
        return False
    return rules["open_cards"] == "twos_substitute" or "2" not in cards
