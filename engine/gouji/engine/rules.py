"""Rule sets as data (R10): a preset's name and what differs from it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gouji.engine.errors import BadValue, RulesConflict, UnknownOption
from gouji.engine.option import alternatives
from gouji.engine.options import CHAPTERS, IDLE, OPTIONS, Chapter, Choice, Option, Value

RULES_VERSION: Final = 2
"""Raised when the outcome of any recorded hand would change; stands in every log."""

SOURCES: Final = {
    "000": "encyclopedia article 夠級(jí), with local play in Shandong, Japan and Korea",
    "001": "夠級基本規則, posted in 2014 by the author of a Qingdao Gouji program",
    "002": "encyclopedia article 夠級（勾擊）, play in Qingdao and its variants",
    "003": "encyclopedia article 夠級, with free-for-all play and the online tables of 聯眾",
}
"""The texts from which the presets are taken, by number."""


@dataclass(frozen=True, slots=True)
class Preset:
    """A name for several values; ``sources`` are numbers in `SOURCES`, ``term`` is what players call it."""

    name: str
    term: str
    sources: tuple[str, ...]
    en: str
    zh: str
    values: Mapping[str, Value]


_QINGDAO_ORDER = ("point", "choke", "burn", "last", "stuck")
_LIANZHONG_ORDER = ("choke", "burn", "point", "last")
_ROTATE = {"first_leader": "random", "later_leader": "rotate"}
_STANDARD: dict[str, Value] = {
    "first_leader": "show_threes", "later_leader": "head", "burn_order": "team_first", "yield": True,
    "opposite_last_word": "yielded", "negatives": "drop",
}  # fmt: skip
_QINGDAO: dict[str, Value] = {
    **_ROTATE, "big_joker_duel": "two_kills_one", "burn_guard": False, "burn_needs_open": True, "opening": True,
    "revolt_opens": "contest", "opposite_opens": "three_open", "buy_from": "own_team", "threes_last": True,
    "first_choked_is_last": True, "end_when": "one_left", "sweep_replaces_all": True, "buy_after_point": True,
    "tribute_order": _QINGDAO_ORDER, "tribute_kinds": (*_QINGDAO_ORDER, "sweep"), "report_at": 0,
}  # fmt: skip
_LIANZHONG: dict[str, Value] = {
    "first_leader": "first_seated", "later_leader": "rotate", "burn_order": "burn_first", "burn_guard": False,
    "yield": True, "opening": True, "calls": True, "opposite_opens": "always", "sweep_ends_match": True,
    "open_cards": "any_but_big_joker", "scoring": "tributes", "tribute_order": _LIANZHONG_ORDER,
    "tribute_kinds": ("burn", "point", "last", "sweep"),
}  # fmt: skip
_FREE_FOR_ALL: dict[str, Value] = {
    **_ROTATE, "teams": False, "burn_order": "burn_first", "yield": True, "end_when": "one_left",
    "scoring": "individual", "tribute_order": ("burn", "last"), "tribute_kinds": ("burn", "last"),
}  # fmt: skip

_PRESETS: Final = (
    Preset("standard", "標準、計分夠級", ("000", "001"),
           "Team points, no tribute: burning, yielding, threes shown for the lead.",
           "聯邦計分，不進貢；可燒牌、讓牌，亮3上班。", _STANDARD),
    Preset("qingdao", "青島夠級", ("002",), "Opening, threes last, tribute of every kind, two big jokers for one.",
           "開點、憋三、全套進貢，大王二殺一。", _QINGDAO),
    Preset("lianzhong", "聯眾夠級", ("003",), "Online play: opening and calls, burning first, scored by tribute.",
           "網上打法：開點、宣點，燒牌優先，按吃貢計分。", _LIANZHONG),
    Preset("free_for_all", "六方混戰", ("000", "003"), "Everybody alone, scored by place and burns.",
           "各自為戰，按名次與燒牌計個人分。", _FREE_FOR_ALL),
    Preset("japan", "日本夠級", ("000", "003"), "The free-for-all, doubled across.", "六方混戰，隔山二重分。",
           {**_FREE_FOR_ALL, "across_doubles": True}),
    Preset("korea", "韓國夠級", ("000", "003"), "The free-for-all without tribute, with grand slams.",
           "六方混戰，不進貢，滿貫另計。",
           {**_FREE_FOR_ALL, "grand_slam": "korean", "tribute_order": _QINGDAO_ORDER, "tribute_kinds": ()}),
    Preset("shandong_64", "六3八4", ("002",), "Qingdao's rules with six threes and eight fours: fours open.",
           "青島打法，只留六張3、八張4，開點發4，可沉4。",
           {**_QINGDAO, "threes": 6, "fours": 8, "fours_open": True, "sink_fours": True}),
)  # fmt: skip

PRESETS: Final = {preset.name: preset for preset in _PRESETS}
"""Every preset of R10 by name, with what it sets beside the defaults."""

_DECKS: Final = (
    Preset("six_three_six_four", "六3六4", ("002",), "Six threes and six fours: 196 cards.",
           "只留六張3、六張4，共一百九十六張。", {"threes": 6, "fours": 6}),
    Preset("six_three_eight_four", "六3八4", ("002",), "Six threes and eight fours: 198 cards, 33 a seat.",
           "只留六張3、八張4，每人三十三張。", {"threes": 6, "fours": 8}),
)  # fmt: skip

DECKS: Final = {deck.name: deck for deck in _DECKS}
"""Short packs (R1.3) by the name that ``deck`` takes."""


@dataclass(frozen=True)
class RuleSet:
    """A preset and overrides, resolved. Equal when preset and overrides are equal; hashable."""

    preset: str = "standard"
    overrides: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def parse(cls, spec: object = "standard") -> "RuleSet":
        """Read a preset's name, or a mapping with ``preset`` and options by name (``deck`` names a short pack).

        Raises `UnknownOption`, `BadValue` or `RulesConflict`; each names the option, and its clause.
        """
        if isinstance(spec, RuleSet):
            return spec
        raw = {"preset": spec} if isinstance(spec, str) else spec
        if not isinstance(raw, Mapping):
            raise BadValue(f"a rule set is a preset's name or a mapping, not {raw!r}")
        given = {str(name): value for name, value in raw.items()}
        preset = str(given.pop("preset", None) or "standard")
        if preset not in PRESETS:
            raise UnknownOption(f"no preset {preset!r}; there are {', '.join(PRESETS)}")
        given = _with_deck(given)
        unknown = sorted(given.keys() - OPTIONS.keys())
        if unknown:
            raise UnknownOption(f"no option {unknown[0]!r}")
        overrides = tuple(sorted((name, OPTIONS[name].read(value)) for name, value in given.items()))
        rules = cls(preset, overrides)
        rules._check()
        return rules

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """Every option's value."""
        given = dict(self.overrides)
        chosen = {name: option.default for name, option in OPTIONS.items()}
        chosen.update(PRESETS[self.preset].values)
        if not given.get("teams", chosen["teams"]):
            # R7.6: what the preset says for teams gives way; what was asked for by name does not.
            chosen.update({"end_when": "one_left", "scoring": "individual"})
        chosen.update(given)
        _drop_idle(chosen, given)
        return chosen

    def __getitem__(self, name: str) -> Value:
        """Return the value of an option by name."""
        return self.values[name]

    def __reduce__(self) -> tuple[type["RuleSet"], tuple[str, tuple[tuple[str, Value], ...]]]:
        """Pickle what was asked for; what follows from it is worked out anew."""
        return RuleSet, (self.preset, self.overrides)

    def spec(self) -> dict[str, str]:
        """Preset and overrides as text, as `parse` reads them."""
        return {"preset": self.preset} | {name: OPTIONS[name].show(value) for name, value in self.overrides}

    def __str__(self) -> str:
        """Give the preset's name and what differs, on one line."""
        differs = ", ".join(f"{name}: {OPTIONS[name].show(value)}" for name, value in self.overrides)
        return f"{self.preset} ({differs})" if differs else self.preset

    def _check(self) -> None:
        """Refuse what makes no sense together; each refusal names both options and their clauses."""
        for option in OPTIONS.values():
            what = f"{option.told(self[option.name])} ({option.clause})"
            for need in () if option.name in IDLE else option.unmet(self.values):
                raise RulesConflict(f"{what} needs {tell(need)}")
            for other in option.clashes(self.values):
                raise RulesConflict(f"{what} and {tell(other)} exclude each other")
        self._check_cards()

    def _check_cards(self) -> None:
        """Refuse numbers of cards that the packs do not hold."""
        packs = int(str(self["decks"]))
        for name, most, where in (
            ("threes", 4 * packs, "in the packs"),
            ("fours", 4 * packs, "in the packs"),
            # Two less than a seat is dealt on average; nearer to that, deals that do are too rare to wait for.
            ("min_high", 22 * packs // 6 - 2, "in every hand"),
        ):
            if int(str(self[name])) > most:
                option = OPTIONS[name]
                raise RulesConflict(
                    f"{option.told(self[name])} ({option.clause}) and decks: {packs} (R1.2): at most {most} {where}"
                )


def tell(need: str) -> str:
    """Say a condition of an option in a sentence, each option with its clause: ``teams (R7.6)``."""
    return " or ".join(_tell(OPTIONS[name], word) for name, word in alternatives(need))


def _tell(option: Option, word: str) -> str:
    link = " with " if isinstance(option.default, tuple) else ": "
    return f"{option.name}{link if word else ''}{word} ({option.clause})"


def _drop_idle(chosen: dict[str, Value], given: Collection[str]) -> None:
    """Put back to its default what a preset sets and what has nothing to act on, since something else is changed."""

    def is_idle(option: Option) -> bool:
        # How hands are scored is not changed unasked: that is refused.
        if option.name in given or option.name == "scoring" or chosen[option.name] == option.default:
            return False
        return bool(option.unmet(chosen) or option.clashes(chosen))

    while idle := {option.name: option.default for option in OPTIONS.values() if is_idle(option)}:
        chosen.update(idle)


def _with_deck(given: dict[str, object]) -> dict[str, object]:
    """Replace ``deck: NAME`` by what it stands for (R1.3)."""
    if "deck" not in given:
        return given
    rest = {name: value for name, value in given.items() if name != "deck"}
    deck = str(given["deck"])
    if deck not in DECKS:
        raise BadValue(f"deck (R1.3) takes {' or '.join(DECKS)}, not {deck!r}")
    return {**DECKS[deck].values, **rest}


__all__ = [
    "CHAPTERS",
    "DECKS",
    "OPTIONS",
    "PRESETS",
    "RULES_VERSION",
    "SOURCES",
    "Chapter",
    "Choice",
    "Option",
    "Preset",
    "RuleSet",
    "Value",
    "alternatives",
    "tell",
]
