"""A record as text (docs/notation.md), read and written.

Whatever a text holds, reading it gives a record or raises `MalformedNotation`. Whether the record is right is for
`gouji.engine.records.verify` to say.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from gouji.engine.cards import RANKS, SEATS, SUITS, Card, suited_text
from gouji.engine.records import VERSION, HandRecord, Move, Player, Record, Result
from gouji.engine.spans import (
    MalformedNotation,
    Span,
    quote,
    read_hex,
    read_number,
    read_numbers,
    read_rules,
    read_seat,
    read_text,
    write_rules,
)

_SUITED: Final = re.compile(r"W+|w+|[3-9TJQKA2][SHDC]+")

# Written


def format_record(record: Record) -> str:
    """Write a record. Of a hand that is still being played only its commitment and its leader stand in it."""
    return "\n".join([*_header(record), *_hands(record), *_total(record.total)]) + "\n"


def _header(record: Record) -> Iterator[str]:
    yield f"gouji record {record.version}"
    yield f"table: {quote(record.table)}"
    yield f"match: {record.number}"
    if record.board:
        yield f"board: {quote(record.board)}"
    yield f"rules: {write_rules(record.rules)}"
    yield f"rules_version: {record.rules_version}"
    yield f"length: {_length(record)}"
    if record.started:
        yield f"started: {_time(record.started)}"
    if not record.held:
        yield "held: no"
    for seat, player in enumerate(record.players):
        yield f"seat {seat}: {_player(player)}"


def _time(at: datetime) -> str:
    return f"{at.astimezone(UTC).replace(tzinfo=None).isoformat()}Z"


def _length(record: Record) -> str:
    if record.length is None:
        return f"to {record.target} points"
    return "1 hand" if record.length == 1 else f"{record.length} hands"


def _player(player: Player) -> str:
    bot = f"bot {quote(player.bot)}" if player.bot else ""
    return f"{bot} {quote(player.name)}" if bot and player.name else bot or quote(player.name)


def _hands(record: Record) -> Iterator[str]:
    for hand in record.hands:
        yield ""
        yield f"hand {hand.number}"
        for name, value in (("commitment", hand.commitment), ("secret", hand.secret), ("seed", hand.seed)):
            if value is not None:
                yield f"{name}: {value.hex()}"
        for seat, given in enumerate(hand.contributions):
            if given:
                yield f"contribution {seat}: {given.hex()}"
        for name, at in (("began", hand.began), ("ended", hand.ended)):
            if at is not None:
                yield f"{name}: {_time(at)}"
        yield f"leader: {hand.leader}"
        yield from ["in play"] if hand.in_play else _played(hand)


def _played(hand: HandRecord) -> Iterator[str]:
    for seat, cards in enumerate(hand.deal):
        yield f"deal {seat}: {suited_text(cards)}"
    for line in hand.lines:
        yield f"  {', '.join(map(str, line))}"
    if hand.result is None:
        yield "abandoned"
        return
    yield f"order: {' '.join(map(str, hand.result.order)) or 'void'}"
    yield from _sums(hand.result)


def _sums(result: Result) -> Iterator[str]:
    yield f"scores: {' '.join(map(str, result.scores))}"
    if result.team_scores:
        yield f"team_scores: {' '.join(map(str, result.team_scores))}"
    yield f"digest: {result.digest}"


def _total(total: Result | None) -> Iterator[str]:
    if total is not None:
        yield ""
        yield "total"
        yield from _sums(total)


# Read


class _Lines:
    """The lines of a record that are still to read; blank ones and those that begin with ``#`` are left out."""

    def __init__(self, text: str) -> None:
        lines = [Span(line.rstrip(), 1, number) for number, line in enumerate(text.split("\n"), start=1)]
        self._lines = [line for line in lines if line.text and not line.text.startswith("#")]
        self._end = Span("", 1, len(lines))
        self._next = 0

    @property
    def here(self) -> Span:
        """The next line; an empty one at the end."""
        return self._lines[self._next] if self._next < len(self._lines) else self._end

    def take(self) -> Span:
        """Go on by one line, and give it."""
        line = self.here
        self._next += 1
        return line

    def value_if(self, key: str) -> Span | None:
        """Take the value of ``key: value`` if that is the next line."""
        if not self.here.text.startswith(f"{key}:"):
            return None
        return self.take().cut(len(key) + 1).strip()

    def value(self, key: str) -> Span:
        """Take the value of ``key: value``, which must be the next line."""
        value = self.value_if(key)
        if value is None:
            raise self.here.refuse(f"`{key}: …`")
        return value


def parse_record(text: str) -> Record:
    """Read a record. Raises `MalformedNotation`, which names line and column and what was expected there."""
    lines = _Lines(text)
    first = lines.take()
    if first.text != f"gouji record {VERSION}":
        raise first.refuse(f"`gouji record {VERSION}`, the first line of a record of the one version that is read here")
    header = _read_header(lines)
    hands = []
    while lines.here.text.startswith("hand "):
        hands.append(_read_hand(lines))
    total = None
    if lines.here.text == "total":
        lines.take()
        total = _read_sums(lines, ())
    if lines.here.text:
        raise lines.here.refuse("`hand N`, or after the last hand `total`, or the end")
    return Record(**header, hands=tuple(hands), total=total)


def _read_header(lines: _Lines) -> dict[str, Any]:
    header: dict[str, Any] = {"table": _whole(lines.value("table"))}
    header["number"] = read_number(lines.value("match"), "a number, from 1", least=1)
    board = lines.value_if("board")
    header["board"] = "" if board is None else _board(board)
    header["rules"] = read_rules(lines.value("rules"))
    header["rules_version"] = read_number(lines.value("rules_version"), "a version, from 1", least=1)
    header |= _read_length(lines.value("length"))
    started = lines.value_if("started")
    header["started"] = None if started is None else _read_time(started)
    held = lines.value_if("held")
    if held is not None and held.text != "no":
        raise held.refuse("no")
    header["held"] = held is None
    header["players"] = tuple(_read_player(lines.value(f"seat {seat}")) for seat in range(SEATS))
    return header


def _whole(span: Span) -> str:
    """Read a text behind which nothing stands."""
    text, rest = read_text(span)
    if rest.text:
        raise rest.refuse("the end of the line")
    return text


def _board(span: Span) -> str:
    """Read the name of a board, which is not empty."""
    board = _whole(span)
    if not board:
        raise span.refuse("the name of a board")
    return board


def _read_length(span: Span) -> dict[str, int]:
    forms = {"length": r"(.*) hands?", "target": r"to (.*) points"}
    for name, form in forms.items():
        read = re.fullmatch(form, span.text)
        if read:
            return {name: read_number(span.cut(*read.span(1)), "a number, from 1", least=1)}
    raise span.refuse("`N hands` or `to N points`")


def _read_time(span: Span) -> datetime:
    form = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z"
    try:
        if re.fullmatch(form, span.text, re.ASCII):
            return datetime.fromisoformat(span.text)
    except ValueError:
        pass
    raise span.refuse("a time such as 2025-11-30T08:47:00Z")


def _read_player(span: Span) -> Player:
    word, rest = span.partition(" ")
    if word.text != "bot":
        return Player(_whole(span))
    level, name = read_text(rest.strip())
    if not level:
        raise rest.refuse("a bot's level")
    return Player(_whole(name) if name.text else "", level)


def _read_hand(lines: _Lines) -> HandRecord:
    number = read_number(lines.take().cut(len("hand ")), "a hand's number, from 1", least=1)
    drawn: dict[str, Any] = {}
    for name in ("commitment", "secret", "seed"):
        value = lines.value_if(name)
        if value is not None:
            drawn[name] = read_hex(value)
    drawn["contributions"] = tuple(_read_contribution(lines, seat) for seat in range(SEATS))
    for name in ("began", "ended"):
        at = lines.value_if(name)
        drawn[name] = None if at is None else _read_time(at)
    leader = read_seat(lines.value("leader"))
    if lines.here.text == "in play":
        if drawn.keys() & {"secret", "seed"} or drawn["ended"]:
            raise lines.here.refuse("a deal, as the secret of a hand in play is not told, nor has it ended")
        lines.take()
        return HandRecord(number, leader, **drawn)
    deal = tuple(_read_suited(lines.value(f"deal {seat}")) for seat in range(SEATS))
    moves = []
    while lines.here.text[:1].isspace():
        moves.append(_read_moves(lines.take()))
    abandoned = lines.here.text == "abandoned"
    result = None if abandoned else _read_result(lines)
    if abandoned:
        lines.take()
    return HandRecord(number, leader, **drawn, deal=deal, lines=tuple(moves), result=result, abandoned=abandoned)


def _read_contribution(lines: _Lines, seat: int) -> bytes:
    given = lines.value_if(f"contribution {seat}")
    return b"" if given is None else read_hex(given)


def _read_suited(span: Span) -> tuple[Card, ...]:
    """Read cards as `suited_text` writes them, in any order; they are given from the highest to the lowest."""
    cards: list[Card] = []
    for group in span.words():
        if not _SUITED.fullmatch(group.text):
            raise group.refuse("a rank and its suits, such as 2SHD, or jokers")
        rank = RANKS.index(group.text[0])
        suits = [-1] * len(group.text) if group.text[0] in "wW" else map(SUITS.index, group.text[1:])
        cards += [Card(rank, suit) for suit in suits]
    return tuple(sorted(cards, reverse=True))


def _read_moves(line: Span) -> tuple[Move, ...]:
    return tuple(_read_move(move.strip()) for move in line.split(","))


def _read_move(span: Span) -> Move:
    try:
        return Move.parse(span.text)
    except ValueError as error:
        raise span.refuse(f"an action such as `0 play KK`, or `close answers` ({error})") from None


def _read_result(lines: _Lines) -> Result:
    order = lines.value_if("order")
    if order is None:
        raise lines.here.refuse("moves after two spaces, or `order: …`, or `abandoned`")
    if order.text == "void":
        return _read_sums(lines, ())
    seats = order.words()
    if len(seats) != SEATS:
        raise order.refuse("six seats, head first, or void")
    return _read_sums(lines, tuple(read_seat(seat) for seat in seats))


def _read_sums(lines: _Lines, order: tuple[int, ...]) -> Result:
    scores = read_numbers(lines.value("scores"), SEATS)
    by_team = lines.value_if("team_scores")
    teams = None if by_team is None else read_numbers(by_team, 2)
    digest = read_hex(lines.value("digest")).hex()
    return Result(scores, None if teams is None else (teams[0], teams[1]), digest, order)


__all__ = ["MalformedNotation", "format_record", "parse_record"]
