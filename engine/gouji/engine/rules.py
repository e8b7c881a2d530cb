"""Rule sets as data (R10): a preset's name and what differs from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gouji.engine.errors import BadValue, RulesConflict, UnknownOption
from gouji.engine.options import EXCLUDES, OPTIONS, Option, Value

RULES_VERSION: Final = 2
"""Raised when the outcome of any recorded hand would change; stands in every log."""

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

PRESETS: Final[dict[str, dict[str, Value]]] = {
    "standard": _STANDARD,
    "qingdao": _QINGDAO,
    "lianzhong": _LIANZHONG,
    "free_for_all": _FREE_FOR_ALL,
    "japan": {**_FREE_FOR_ALL, "across_doubles": True},
    "korea": {**_FREE_FOR_ALL, "grand_slam": "korean", "tribute_order": _QINGDAO_ORDER, "tribute_kinds": ()},
    "shandong_64": {**_QINGDAO, "threes": 6, "fours": 8, "fours_open": True, "sink_fours": True},
}
"""What each preset of R10 sets beside the defaults."""

_DECKS: Final[dict[str, dict[str, int]]] = {
    "six_three_six_four": {"threes": 6, "fours": 6},
    "six_three_eight_four": {"threes": 6, "fours": 8},
}


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
        chosen = {name: option.default for name, option in OPTIONS.items()} | PRESETS[self.preset]
        given = dict(self.overrides)
        chosen |= given
        if not chosen["teams"]:
            # R7.6: what the preset says for teams gives way; what was asked for by name does not.
            chosen |= {"end_when": "one_left", "scoring": "individual"} | given
        # What a preset sets beside an option that is off has nothing to act on.
        for name, option in OPTIONS.items():
            if option.needs and not chosen[option.needs] and name not in given:
                chosen[name] = option.default
        return chosen

    def __getitem__(self, name: str) -> Value:
        """Return the value of an option by name."""
        return self.values[name]

    def spec(self) -> dict[str, str]:
        """Preset and overrides as text, as `parse` reads them."""
        return {"preset": self.preset} | {name: OPTIONS[name].show(value) for name, value in self.overrides}

    def __str__(self) -> str:
        """Give the preset's name and what differs, on one line."""
        differs = ", ".join(f"{name}: {OPTIONS[name].show(value)}" for name, value in self.overrides)
        return f"{self.preset} ({differs})" if differs else self.preset

    def _check(self) -> None:
        """Refuse what makes no sense together; each refusal names both options and the clause."""
        for name, option in OPTIONS.items():
            if option.needs and self[name] != option.default and not self[option.needs]:
                raise RulesConflict(f"{name} ({option.clause}) needs {option.needs}")
        for name, other, clause, why in EXCLUDES:
            if self[name] and self[other]:
                raise RulesConflict(f"{name} and {other} ({clause}) exclude each other: {why}")
        if not self["teams"] and (self["end_when"], self["scoring"]) != ("one_left", "individual"):
            raise RulesConflict("teams: false (R7.6) goes with end_when: one_left and scoring: individual")
        if self["decks"] == 5:
            raise BadValue("decks (R1.2) takes 4 or 6, not 5")
        if self["calls"] and "point" not in _words(self["tribute_kinds"]):
            raise RulesConflict("calls (R9.5) needs tribute_kinds with point: a call is about point tribute")
        if self["scoring"] == "tributes" and not self["tribute_kinds"]:
            raise RulesConflict("scoring: tributes (R7.3) needs tribute_kinds")


def _words(value: Value) -> tuple[str, ...]:
    return value if isinstance(value, tuple) else ()


def _with_deck(given: dict[str, object]) -> dict[str, object]:
    """Replace ``deck: NAME`` by what it stands for (R1.3)."""
    if "deck" not in given:
        return given
    rest = {name: value for name, value in given.items() if name != "deck"}
    deck = str(given["deck"])
    if deck not in _DECKS:
        raise BadValue(f"deck (R1.3) takes one of {', '.join(_DECKS)}, not {deck!r}")
    return {**_DECKS[deck], **rest}


__all__ = ["OPTIONS", "PRESETS", "RULES_VERSION", "Option", "RuleSet", "Value"]
