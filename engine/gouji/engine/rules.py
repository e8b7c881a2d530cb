"""Rule sets as data (R10): one row an option, one row a preset.

A rule set is a preset's name and what differs from it. Options that this version does not play are known by name and
refused by name: in a dealt hand always, in a set-up position where they would act in its phase.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final

from gouji.engine.errors import BadValue, NotBuilt, RulesConflict, UnknownOption

Value = bool | int | str | tuple[str, ...]

RULES_VERSION: Final = 1
"""Raised when the outcome of any recorded hand would change; stands in every log."""


class Built(Enum):
    """How much of an option this version plays."""

    WHOLE = "whole"
    PLAY_ONLY = "in play"
    """In the play of a position; what it does before the play is missing."""
    NO = "no"


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name, clause, default, what it may be, and what of it is built.

    ``choices`` lists the words that an option of type str (or each of a tuple) may take; ``least`` and ``most``
    bound an int. ``in_play`` says that it acts in the play of a hand. ``meaning`` is one sentence.
    """

    name: str
    clause: str
    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    built: Built = Built.WHOLE
    in_play: bool = True

    def read(self, raw: object) -> Value:
        """Turn YAML, a settings string or a proto's text into a value. Raises `BadValue`."""
        if isinstance(self.default, bool):
            value: object = {"true": True, "yes": True, "false": False, "no": False}.get(str(raw).lower())
        elif isinstance(self.default, int):
            value = self._read_int(raw)
        elif isinstance(self.default, tuple):
            value = self._read_tuple(raw)
        else:
            value = self._read_word(raw)
        if value is None:
            raise BadValue(f"{self.name} ({self.clause}) takes {self.takes}, not {raw!r}")
        return value  # type: ignore[return-value]

    def _read_int(self, raw: object) -> int | None:
        try:
            number = int(str(raw))
        except ValueError:
            return None
        return number if self.least <= number <= self.most and not isinstance(raw, bool) else None

    def _read_word(self, raw: object) -> str | None:
        # YAML reads a bare `off` as false, and people write `true` for the usual value.
        word = {"true": self.default, "false": "off"}.get(str(raw).lower(), raw)
        return str(word) if word in self.choices else None

    def _read_tuple(self, raw: object) -> tuple[str, ...] | None:
        words = [word for word in raw.replace(",", " ").split() if word != "none"] if isinstance(raw, str) else raw
        if not isinstance(words, Iterable):
            return None
        kinds = tuple(str(word) for word in words)
        return kinds if set(kinds) <= set(self.choices) and len(set(kinds)) == len(kinds) else None

    @property
    def takes(self) -> str:
        """What may stand as its value, for people."""
        if isinstance(self.default, bool):
            return "true or false"
        if isinstance(self.default, int):
            return f"a number from {self.least} to {self.most}"
        words = ", ".join(self.choices)
        return f"any of {words}, or none" if isinstance(self.default, tuple) else f"one of {words}"

    def show(self, value: Value) -> str:
        """Give a value as the text that `read` takes."""
        if isinstance(value, tuple):
            return " ".join(value) or "none"
        return str(value).lower() if isinstance(value, bool) else str(value)


_KINDS = ("point", "choke", "stuck", "burn", "last", "sweep")
_NO = Built.NO
_PLAY = Built.PLAY_ONLY

OPTIONS: Final[dict[str, Option]] = {
    option.name: option
    for option in (
        Option("teams", "R7.6", True, "Two teams of three; off is the free-for-all."),
        Option("decks", "R1.2", 4, "Packs of 54.", least=4, most=6, built=_NO, in_play=False),
        Option("threes", "R1.3", 0, "Threes that stay in the deck; 0 for all.", most=24, built=_NO, in_play=False),
        Option("fours", "R1.3", 0, "Fours that stay in the deck; 0 for all.", most=24, built=_NO, in_play=False),
        Option("twos_wild", "R2.3", "any", "What twos may be added to.", ("any", "with_joker_only", "never")),
        Option("big_joker_duel", "R2.5", "none", "Whether two big jokers kill one.", ("none", "two_kills_one")),
        Option("joker_duel", "R2.6", "none", "Whether jokers fall to more jokers.", ("none", "swords")),
        Option("single_two_is_gouji", "R2.7", True, "A lone two is a Gouji play."),
        Option("big_joker_is_gouji", "R2.7", True, "A play with a big joker is a Gouji play."),
        Option("open_cards", "R2.8", "pure", "What opens.", ("pure", "twos_substitute", "any_but_big_joker")),
        Option("sweep_ends_match", "R3.1", False, "A sweep ends the match.", in_play=False),
        Option("redeal_on_request", "R3.1", False, "A hand without twos and jokers may be dealt anew.", built=_NO,
               in_play=False),
        Option("min_high", "R3.1", 0, "Cards of J or higher that every seat is dealt.", most=20, built=_NO,
               in_play=False),
        Option("first_leader", "R3.2", "random", "Who leads a match's first hand.",
               ("random", "first_seated", "show_threes", "show_fours"), in_play=False),
        Option("later_leader", "R3.2", "rotate", "Who leads later hands.", ("rotate", "head", "show_threes"),
               in_play=False),
        Option("opposite_last_word", "R4.2", "always", "When the opposite has the last word.", ("always", "yielded")),
        Option("yield", "R4.3", False, "The opposite may let the seats after it answer first."),
        Option("burn", "R5", True, "Other seats may burn a Gouji play."),
        Option("burn_guard", "R5.5", True, "A burn that cannot be carried out is refused."),
        Option("burn_team_mate", "R5.6", True, "A team-mate may be burned."),
        Option("counter_burn", "R5.6", True, "A burn may be burned."),
        Option("burn_needs_open", "R5.1", False, "Only opened seats may burn."),
        Option("burn_order", "R5.2", "in_turn", "Who is asked to burn, and when.",
               ("in_turn", "in_turn_team", "burn_first", "team_first")),
        Option("end_when", "R6.2", "one_team_left", "When a hand ends.", ("one_team_left", "one_left")),
        Option("last_by", "R6.2", "cards", "How the seats left are placed.", ("cards", "choice")),
        Option("after_sweep", "R6.3", "tribute", "What follows a sweep.", ("tribute", "fresh"), built=_NO,
               in_play=False),
        Option("scoring", "R7", "team_points", "How hands are scored.", ("team_points", "individual", "tributes")),
        Option("negatives", "R7.1", "keep", "What becomes of a negative sum.", ("keep", "drop")),
        Option("across_doubles", "R7.4", False, "Seats two places apart count double.", built=_NO),
        Option("grand_slam", "R7.5", "none", "What a hand played out in one go is worth.",
               ("none", "sweep_doubles", "korean"), built=_NO),
        Option("tribute_kinds", "R8.2", (), "Which tributes are owed.", _KINDS, built=_NO, in_play=False),
        Option("tribute_order", "R8.2", ("point", "choke", "burn", "last", "stuck"), "The order of settling.", _KINDS,
               built=_NO, in_play=False),
        Option("sweep_replaces_all", "R8.1", False, "A sweep's tribute replaces every other.", built=_NO,
               in_play=False),
        Option("no_tribute_card", "R8.3", "exempt", "What a payer without jokers and twos pays.",
               ("exempt", "highest"), built=_NO, in_play=False),
        Option("return_tribute", "R8.4", True, "The receiver gives as many cards back.", built=_NO, in_play=False),
        Option("may_refuse", "R8.4", True, "The payer may refuse a rank that it lacks.", built=_NO, in_play=False),
        Option("return_point", "R8.4", False, "Point tributes are returned too.", built=_NO, in_play=False),
        Option("may_decline_tribute", "R8.4", False, "A receiver may let a tribute go.", built=_NO, in_play=False),
        Option("team_tribute", "R8.5", "never", "Tribute between team-mates.", ("never", "optional", "always"),
               built=_NO, in_play=False),
        Option("resist", "R8.6", False, "8 twos or 4 big jokers pay nothing.", built=_NO, in_play=False),
        Option("resist_covers", "R8.6", "team_all", "Whom resisting covers.",
               ("team_all", "team_last", "last_only", "seat"), built=_NO, in_play=False),
        Option("buy_from", "R8.7", "opposite_team", "Who sells a three when the opposite cannot.",
               ("opposite_team", "downstream", "own_team"), built=_NO, in_play=False),
        Option("buy_after_point", "R8.7", False, "Buying comes after point tributes.", built=_NO, in_play=False),
        Option("revolution", "R9.1", "any", "Who may leave a hand without jokers and twos.",
               ("any", "threeless", "off")),
        Option("two_revolts", "R9.1", "void", "What two revolts do.", ("void", "allow")),
        Option("revolt_opens", "R9.3", "no", "Whether a revolter opens.", ("no", "contest"), built=_NO,
               in_play=False),
        Option("opposite_opens", "R9.3", "three", "When a revolter's opposite opens.",
               ("three", "three_open", "always"), built=_NO, in_play=False),
        Option("calls", "R9.5", False, "Seats may call that their opposite will not open.", built=_NO,
               in_play=False),
        Option("backfire_doubles", "R9.5", False, "A wrong call pays double.", built=_NO, in_play=False),
        Option("opening", "R9.6", False, "Seats must open."),
        Option("no_open_on_lead", "R9.6", False, "A lead does not open."),
        Option("no_open_on_counter", "R9.6", False, "Only a trick's first Gouji player opens."),
        Option("natural_open", "R9.6", False, "A seat dealt no opening play counts as opened."),
        Option("doubles_called", "R9.7", False, "A team may double its tributes.", built=_NO, in_play=False),
        Option("threes_last", "R9.8", False, "All threes go in the last play.", built=_PLAY),
        Option("first_choked_is_last", "R9.8", False, "A choked seat leaves at once."),
        Option("no_sweep_when_choked", "R9.8", False, "A sweep over a choked seat does not count.", built=_NO),
        Option("fours_open", "R9.9", False, "All fours are led to open.", built=_NO),
        Option("sink_fours", "R9.9", False, "Fours may be laid aside.", built=_NO, in_play=False),
        Option("lay_off", "R9.10", False, "All threes or fours may be laid off.", built=_NO, in_play=False),
        Option("report_at", "R9.11", 10, "Up to how many cards a count is shown.", most=54),
        Option("report", "R9.11", "auto", "Who learns a count.", ("auto", "on_request"), built=_NO),
        Option("feel", "R9.11", 0, "How often a seat may feel its opposite's cards.", most=9, built=_NO),
        Option("coach", "R9.12", False, "A finished seat may see a team-mate's hand.", built=_NO),
        Option("fault_costs_turn", "R9.13", False, "An unlawful play counts as a pass.", built=_NO),
        Option("no_bare_joker_lead", "R9.14", False, "Jokers are not led before threes alone.", built=_NO),
    )
}  # fmt: skip
"""Every option of R1-R9 by name."""

_UNBUILT_VALUES: Final[dict[tuple[str, Value], str]] = {
    ("first_leader", "show_fours"): "R3.2",
    ("last_by", "choice"): "R6.2",
    ("scoring", "tributes"): "R7.3",
    ("revolution", "threeless"): "R9.1",
    ("two_revolts", "allow"): "R9.1",
}

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

_NEEDS: Final = (
    ("calls", "opening", "R9.5"),
    ("burn_needs_open", "opening", "R5.1"),
    ("no_open_on_lead", "opening", "R9.6"),
    ("no_open_on_counter", "opening", "R9.6"),
    ("natural_open", "opening", "R9.6"),
    ("backfire_doubles", "calls", "R9.5"),
    ("first_choked_is_last", "threes_last", "R9.8"),
    ("no_sweep_when_choked", "threes_last", "R9.8"),
    ("no_bare_joker_lead", "threes_last", "R9.14"),
    ("fours_open", "opening", "R9.9"),
    ("sink_fours", "fours_open", "R9.9"),
)
"""Option, what it cannot stand without, and the clause."""


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
        for name, needed, _ in _NEEDS:
            if not chosen[needed] and name not in given:
                chosen[name] = OPTIONS[name].default
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
        for name, needed, clause in _NEEDS:
            if self[name] and not self[needed]:
                raise RulesConflict(f"{name} ({clause}) needs {needed}")
        if not self["teams"] and (self["end_when"], self["scoring"]) != ("one_left", "individual"):
            raise RulesConflict("teams: false (R7.6) goes with end_when: one_left and scoring: individual")
        if self["no_open_on_lead"] and self["no_open_on_counter"]:
            raise RulesConflict("no_open_on_lead and no_open_on_counter (R9.6) exclude each other: nothing would open")

    def unbuilt(self, *, position: bool = False) -> list[str]:
        """List the options that this version does not play, each with its clause.

        A set-up ``position`` in the play of a hand is held only to those that act in play, or that were asked for by
        name.
        """
        asked = dict(self.overrides)
        return [
            f"{name}: {option.show(self[name])} ({option.clause})"
            for name, option in OPTIONS.items()
            if self._is_unbuilt(option, position=position) and (not position or option.in_play or name in asked)
        ]

    def _is_unbuilt(self, option: Option, *, position: bool) -> bool:
        value = self[option.name]
        if (option.name, value) in _UNBUILT_VALUES:
            # Scores that a position cannot yet be given are missed at its end, not in its play.
            return not position or option.name in dict(self.overrides)
        if option.built is Built.NO or (option.built is Built.PLAY_ONLY and not position):
            return value != option.default
        return False

    def require_built(self, *, position: bool = False) -> None:
        """Raise `NotBuilt`, naming every option that this version does not play."""
        missing = self.unbuilt(position=position)
        if missing:
            raise NotBuilt(f"not built yet: {'; '.join(missing)}")


def _with_deck(given: dict[str, object]) -> dict[str, object]:
    """Replace ``deck: NAME`` by what it stands for (R1.3)."""
    if "deck" not in given:
        return given
    rest = {name: value for name, value in given.items() if name != "deck"}
    deck = str(given["deck"])
    if deck not in _DECKS:
        raise BadValue(f"deck (R1.3) takes one of {', '.join(_DECKS)}, not {deck!r}")
    return {**_DECKS[deck], **rest}
