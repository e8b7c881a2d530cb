"""Pieces of a text that know where they stand, so that what cannot be read is named by line and column."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder, dumps
from typing import Final

from gouji.engine.cards import SEATS, parse_cards
from gouji.engine.errors import RuleSetError
from gouji.engine.rules import OPTIONS, PRESETS, RuleSet

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,8})")
_CARDS: Final = re.compile(r"(?:[3-9TJQKA2wW](?:\*[0-9]{1,3})?)*")
_SEATS: Final = "012345"
_KEYWORD: Final = "bot"
_STRINGS: Final = JSONDecoder()


class MalformedNotation(ValueError):
    """Text that is no position or record.

    ``column`` (and ``line``, 0 in a text of one line) say where, from 1 on; ``expected`` says what should stand there.
    """

    def __init__(self, expected: str, column: int, line: int = 0, found: str = "") -> None:
        where = f"line {line}, column {column}" if line else f"column {column}"
        super().__init__(f"{where}: expected {expected}" + (f", not {_short(found)}" if found else ""))
        self.expected = expected
        self.column = column
        self.line = line


def _short(found: str) -> str:
    return repr(found if len(found) <= 40 else f"{found[:37]}...")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text, where it begins, and on which line (0 in a text of one line)."""

    text: str
    column: int = 1
    line: int = 0

    def refuse(self, expected: str, at: int = 0) -> MalformedNotation:
        """Make the error for what stands here, ``at`` characters from its beginning on."""
        return MalformedNotation(expected, self.column + at, self.line, self.text[at:])

    def cut(self, start: int, end: int | None = None) -> "Span":
        """Take a piece, as a slice does."""
        return Span(self.text[start:end], self.column + start, self.line)

    def strip(self) -> "Span":
        """Leave out white space around it."""
        return self.cut(len(self.text) - len(self.text.lstrip()), len(self.text.rstrip()))

    def split(self, mark: str) -> Iterator["Span"]:
        """Give the pieces between marks."""
        start = 0
        for text in self.text.split(mark):
            yield Span(text, self.column + start, self.line)
            start += len(text) + len(mark)

    def words(self) -> list["Span"]:
        """Give the pieces between white space."""
        return [self.cut(*word.span()) for word in re.finditer(r"\S+", self.text)]

    def partition(self, mark: str) -> tuple["Span", "Span"]:
        """Give what stands before the first mark and what after it; nothing stands after a mark that is not there."""
        before, found, _ = self.text.partition(mark)
        return self.cut(0, len(before)), self.cut(len(before) + len(found))


# Reading


def read_number(span: Span, what: str, least: int = -999_999_999) -> int:
    """Read a whole number of at most nine digits."""
    if not _NUMBER.fullmatch(span.text) or int(span.text) < least:
        raise span.refuse(what)
    return int(span.text)


def read_numbers(span: Span, count: int) -> tuple[int, ...]:
    """Read that many numbers, one space or more apart."""
    words = span.words()
    if len(words) != count:
        raise span.refuse(f"{count} numbers")
    return tuple(read_number(word, "a number") for word in words)


def read_seat(span: Span) -> int:
    """Read a seat."""
    if len(span.text) != 1 or span.text not in _SEATS:
        raise span.refuse("a seat, 0 to 5")
    return int(span.text)


def read_seats(span: Span) -> tuple[int, ...]:
    """Read seats as digits in a row: ``025``. None stands twice."""
    for at, digit in enumerate(span.text):
        if digit not in _SEATS or digit in span.text[:at]:
            raise span.refuse("seats, 0 to 5, each once", at)
    if not span.text:
        raise span.refuse("seats, 0 to 5")
    return tuple(map(int, span.text))


def read_hex(span: Span) -> bytes:
    """Read 32 bytes as 64 hexadecimal digits."""
    if not re.fullmatch(r"[0-9a-f]{64}", span.text):
        raise span.refuse("64 hexadecimal digits")
    return bytes.fromhex(span.text)


def read_cards(span: Span) -> str:
    """Read cards without suits, and give their canonical text."""
    read = _CARDS.match(span.text)
    end = read.end() if read else 0
    if end < len(span.text):
        raise span.refuse("a card, one of 3 4 5 6 7 8 9 T J Q K A 2 w W", end)
    return parse_cards(span.text)


def read_hands(span: Span) -> tuple[str, ...]:
    """Read six hands with ``/`` between them; ``-`` is an empty one."""
    hands = list(span.split("/"))
    if len(hands) != SEATS:
        raise span.refuse("six hands with / between them")
    for hand in hands:
        if not hand.text:
            raise hand.refuse("cards, or - for an empty hand")
    return tuple("" if hand.text == "-" else read_cards(hand) for hand in hands)


def read_rules(span: Span) -> RuleSet:
    """Read a rule set as `write_rules` gives it: a preset, and after a colon what differs."""
    preset, differs = span.partition(":")
    if preset.text not in PRESETS:
        raise preset.refuse(f"a preset, one of {', '.join(PRESETS)}")
    if len(preset.text) + 1 == len(span.text):
        raise differs.refuse("option=value")
    spec = {"preset": preset.text}
    for pair in differs.split(",") if differs.text else ():
        name, value = _read_option(pair)
        if name in spec:
            raise pair.refuse("each option once")
        spec[name] = value
    try:
        return RuleSet.parse(spec)
    except RuleSetError as error:
        raise span.refuse(f"rules that can be played ({error})") from None


def _read_option(pair: Span) -> tuple[str, str]:
    name, value = pair.partition("=")
    if name.text not in OPTIONS:
        raise name.refuse("the name of an option")
    text = value.text.replace("+", " ")
    try:
        OPTIONS[name.text].read(text)
    except RuleSetError as error:
        raise value.refuse(f"another value ({error})") from None
    return name.text, text


def read_text(span: Span) -> tuple[str, Span]:
    """Read a text as `quote` gives it, and what stands after it."""
    if not span.text.startswith('"'):
        word = span.text.partition(" ")[0]
        if not _is_bare(word):
            raise span.refuse('a word, or "text in quotes"')
        return word, span.cut(len(word)).strip()
    try:
        text, end = _STRINGS.raw_decode(span.text)
    except JSONDecodeError as error:
        raise span.refuse('"text in quotes", as JSON writes it', min(error.pos, len(span.text))) from None
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise span.refuse("whole characters, not halves of them")
    return text, span.cut(end).strip()


# Writing


def write_rules(rules: RuleSet) -> str:
    """Give a rule set as one word: ``qingdao:fours_open=true,tribute_kinds=point+burn``."""
    spec = rules.spec()
    preset = spec.pop("preset")
    differs = ",".join(f"{name}={value.replace(' ', '+')}" for name, value in spec.items())
    return f"{preset}:{differs}" if differs else preset


def quote(text: str) -> str:
    """Give a text as one word if it is one, else in quotes; either stands on one line and hides nothing."""
    if _is_bare(text):
        return text
    return "".join(sign if sign.isprintable() else dumps(sign)[1:-1] for sign in dumps(text, ensure_ascii=False))


def _is_bare(text: str) -> bool:
    return bool(text) and text != _KEYWORD and all(sign.isalnum() or sign in "_-." for sign in text)
