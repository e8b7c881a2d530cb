"""What an option of the rules is: the values that it takes, what they mean, and what it needs beside it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from gouji.engine.errors import BadValue

Value = bool | int | str | tuple[str, ...]

_SWITCHES: Final = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_OFF_WORDS: Final = ("off", "none", "never", "no")


@dataclass(frozen=True, slots=True)
class Choice:
    """One word that an option may be, and in a phrase each of English and Chinese what that means.

    ``term`` is what players call it, several by ``、``; ``needs`` is as for `Option`.
    """

    word: str
    en: str
    zh: str
    term: str = ""
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Its type is that of ``default``. ``means`` lists the words that a str (or each of a tuple, or an int) may be, and of
    a switch what ``false`` means where that has a name of its own; ``least`` and ``most`` bound an int. ``en`` and
    ``zh`` say in one sentence what it does when it is on. ``term`` is what players call it, several by ``、``.

    ``needs`` are conditions without which any value but the default has nothing to act on: an option that is on, or
    ``option=word``, with ``|`` for "or". ``excludes`` are options that may not be on beside it.
    """

    name: str
    clause: str
    default: Value
    term: str
    en: str
    zh: str
    means: tuple[Choice, ...] = ()
    least: int = 0
    most: int = 0
    needs: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it may be; empty for a switch or a plain number."""
        return () if isinstance(self.default, bool) else tuple(choice.word for choice in self.means)

    def read(self, raw: object) -> Value:
        """Turn YAML, a settings string or a proto's text into a value. Raises `BadValue`."""
        value: Value | None
        if isinstance(self.default, bool):
            value = _SWITCHES.get(str(raw).lower())
        elif isinstance(self.default, int):
            value = self._read_int(raw)
        elif isinstance(self.default, tuple):
            value = self._read_tuple(raw)
        else:
            value = self._read_word(raw)
        if value is None:
            raise BadValue(f"{self.name} ({self.clause}) takes {self.takes}, not {raw!r}")
        return value

    def _read_int(self, raw: object) -> int | None:
        try:
            number = int(str(raw))
        except ValueError:
            return None
        fits = str(number) in self.choices if self.means else self.least <= number <= self.most
        return number if fits else None

    def _read_word(self, raw: object) -> str | None:
        # YAML reads a bare `off` as false, and people write `true` or `yes` for the usual value.
        off = next((word for word in _OFF_WORDS if word in self.choices), None)
        usual = self.default if self.default != off else None
        switched = _SWITCHES.get(str(raw).lower())
        word = raw if raw in self.choices or switched is None else usual if switched else off
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
        if isinstance(self.default, int) and not self.means:
            return f"a number from {self.least} to {self.most}"
        if isinstance(self.default, tuple):
            return f"any of {', '.join(self.choices)}, or none"
        *first, last = self.choices
        return f"{', '.join(first)} or {last}"

    def show(self, value: Value) -> str:
        """Give a value as the text that `read` takes."""
        if isinstance(value, tuple):
            return " ".join(value) or "none"
        return str(value).lower() if isinstance(value, bool) else str(value)

    def told(self, value: Value) -> str:
        """Name the option with a value, for a sentence: ``burn``, ``scoring: tributes``."""
        return self.name if value is True else f"{self.name}: {self.show(value)}"

    def unmet(self, values: Mapping[str, Value]) -> tuple[str, ...]:
        """Conditions under which its value would make sense and that ``values``, of all options, do not meet."""
        value = values[self.name]
        wanted = () if value == self.default else self.needs
        if not isinstance(value, tuple):
            wanted += tuple(need for choice in self.means if choice.word == self.show(value) for need in choice.needs)
        return tuple(need for need in wanted if not _met(need, values))

    def clashes(self, values: Mapping[str, Value]) -> tuple[str, ...]:
        """Options that are on in ``values`` although this one, being on, excludes them."""
        return tuple(other for other in self.excludes if values[self.name] != self.default and values[other])


def alternatives(need: str) -> list[tuple[str, str]]:
    """Take a condition apart: options, each with the word that it must be, or nothing if being on will do."""
    return [(name, word) for name, _, word in (part.partition("=") for part in need.split("|"))]


def _met(need: str, values: Mapping[str, Value]) -> bool:
    return any(_stands(values[name], word) for name, word in alternatives(need))


def _stands(value: Value, word: str) -> bool:
    if not word:
        return bool(value)
    return word in value if isinstance(value, tuple) else value == word
