"""House rules by what players call them, in traditional or simplified characters."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gouji.engine.rules import DECKS, OPTIONS, PRESETS, Choice, Option

ALWAYS: Final = (
    ("對頭、對門、對桌", "R1.1", "The opposite: the seat three places on."),
    ("一套牌、牌套", "R2.1", "A play: cards of one rank, with twos and jokers added."),
    ("掛花、掛虎、掛王、配排", "R2.1", "Jokers are hung on any play."),
    ("死牌", "R2.4", "A play that nothing beats, such as one with a big joker."),
    ("夠級", "R4.4", "A high play, which only the opposite may answer."),
    ("過牌", "R4.2", "Who has passed stays out of the trick."),
    ("無頭、自由", "R4.5", "A seat whose opposite is out: all may beat its plays, and it may beat all."),
    ("底牌、海底", "R4.6", "A seat's last cards."),
    ("夠死級、必殺死", "R4.6", "The opposite's one answer to the last Gouji cards of head or second."),
    ("接風、封印", "R4.7", "Passing on last cards, to lead after them."),
    ("四人亂纏、四亂刻、四家亂殘", "R4.8", "With four seats left, plays are no longer Gouji."),
    ("落地生根", "R4.9", "What is played stays played."),
    ("解燒", "R5.4", "A burning seat that is answered or burned is free again."),
    ("頭科、二科、三科、四科、二落、大落", "R6.1", "The places."),
    ("串三戶、抓三戶、圈、滿貫", "R6.3", "A sweep: one team takes the first three places."),
    ("要頭", "R9.2", "A revolter's opposite keeps a head for its first three Gouji plays."),
)
"""What is played under all rules: names, clause, and what it is."""

_SIMPLE: Final = str.maketrans(
    "亂個優兩劍動問單國圍報夠對島帶庫廢悶戰戶掛數殘殺沒滿為無燒燴發眾範級結絕纏聯計記認讓負貢貫買貼贈車轉進過還錢錯門開隊韓頂順預領頭風鬥點後標準"
    "來別則場幫幾張從換於時樣權決減產籤約給網總規誰輪輸辦這邊須餘麼與間",
    "乱个优两剑动问单国围报够对岛带库废闷战户挂数残杀没满为无烧烩发众范级结绝缠联计记认让负贡贯买贴赠车转进过还钱错门开队韩顶顺预领头风斗点后标准"
    "来别则场帮几张从换于时样权决减产签约给网总规谁轮输办这边须余么与间",
)
_NUMBERS: Final = str.maketrans("3468", "三四六八")


@dataclass(frozen=True, slots=True)
class HouseRule:
    """What players call by ``terms``; ``switch`` is what to write after ``--rules``, empty for what is always played.

    ``option`` is empty unless the house rule is an option, or a value of one.
    """

    terms: tuple[str, ...]
    switch: str
    clause: str
    en: str
    option: str = ""


def simplified(text: str) -> str:
    """Write what is said of rules in simplified characters."""
    return text.translate(_SIMPLE)


def house_rules() -> Iterator[HouseRule]:
    """Give every name that players use: presets, packs, options and their values, then what is always played."""
    for preset in PRESETS.values():
        yield HouseRule(_names(preset.term), preset.name, "R10", preset.en)
    for deck in DECKS.values():
        yield HouseRule(_names(deck.term), f"deck={deck.name}", "R1.3", deck.en)
    for option in OPTIONS.values():
        yield from _of_option(option)
    for terms, clause, en in ALWAYS:
        yield HouseRule(_names(terms), "", clause, en)


def _of_option(option: Option) -> Iterator[HouseRule]:
    yield HouseRule(_names(option.term), f"{option.name}={_on(option)}", option.clause, option.en, option.name)
    for choice in option.means:
        if choice.term:
            yield HouseRule(
                _names(choice.term), _switch(option, choice), option.clause, _sense(option, choice), option.name
            )


def _on(option: Option) -> str:
    """Write how a whole option is switched on, as far as that is one value."""
    if isinstance(option.default, bool):
        return "true"
    return "NUMBER" if isinstance(option.default, int) else "…"


def _switch(option: Option, choice: Choice) -> str:
    several = isinstance(option.default, tuple)
    return f"{option.name}=… {choice.word} …" if several else f"{option.name}={choice.word}"


def _sense(option: Option, choice: Choice) -> str:
    if isinstance(option.default, bool):
        return f"{choice.en[0].upper()}{choice.en[1:]}."
    return f"{option.en.removesuffix('.')}: {choice.en}."


def find(name: str) -> list[HouseRule]:
    """Find house rules by a name; where there is none of it, those whose names hold it."""
    sought = _folded(name)
    exact = [rule for rule in house_rules() if sought in map(_folded, rule.terms)]
    return exact or [rule for rule in house_rules() if any(sought in _folded(term) for term in rule.terms)]


def _names(terms: str) -> tuple[str, ...]:
    return tuple(terms.split("、"))


def _folded(name: str) -> str:
    return simplified("".join(name.split())).translate(_NUMBERS)
