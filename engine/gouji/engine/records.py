"""A game as a record: what was played, played again, and checked (docs/notation.md).

Pure. `gouji.engine.notation` reads and writes a record's text.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from gouji.engine.actions import Action
from gouji.engine.cards import SEATS, Card
from gouji.engine.errors import EngineError
from gouji.engine.events import Consequence, TrickWon
from gouji.engine.hand import Hand
from gouji.engine.match import HandResult, Match
from gouji.engine.rules import RULES_VERSION, RuleSet
from gouji.engine.secret import NO_CONTRIBUTIONS, board_commitment, board_seed, commitment, deal_seed

VERSION: Final = 2
"""Version of the record's form."""

DECIDERS: Final = ("player", "bot", "clock")
"""Who may have decided for a seat in its place."""

_CLOSE: Final = "close answers"


class BrokenRecord(ValueError):
    """A record that cannot be played again; ``hand`` says in which hand, 0 that it is none of them."""

    def __init__(self, hand: int, why: str) -> None:
        super().__init__(f"hand {hand}: {why}" if hand else why)
        self.hand = hand
        self.why = why


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits on a seat; ``bot`` is a bot's level, empty for a person."""

    name: str = ""
    bot: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a hand: an action, or without one the end of the time for private questions (`close_answers`).

    Private declines are moves as well. ``by`` is one of `DECIDERS` where somebody else decided than who sits there.
    """

    action: Action | None = None
    by: str = ""

    def __str__(self) -> str:
        """Give its text: ``3 pass (clock)``."""
        did = _CLOSE if self.action is None else str(self.action)
        return f"{did} ({self.by})" if self.by else did

    @classmethod
    def parse(cls, text: str) -> "Move":
        """Read its text. Raises as `Action.parse` does."""
        did, by = text, ""
        for decider in DECIDERS:
            if text.endswith(f" ({decider})"):
                did, by = text.removesuffix(f" ({decider})"), decider
        return cls(None if did == _CLOSE else Action.parse(did), by)


@dataclass(frozen=True, slots=True)
class Result:
    """How a hand ended, or with an empty ``order`` a voided hand or the whole match.

    ``order`` is seats, head first; ``team_scores`` is None without teams; ``digest`` is that of the hand's last state,
    or of the match.
    """

    scores: tuple[int, ...]
    team_scores: tuple[int, int] | None
    digest: str
    order: tuple[int, ...] = ()

    @classmethod
    def of(cls, hand: Hand) -> "Result":
        """Take the result of a hand that is over, or that was given up and is voided."""
        result = HandResult.of(hand)
        return cls(result.scores, result.team_scores, result.digest, result.order)

    @classmethod
    def total(cls, match: Match) -> "Result":
        """Take the totals of a match."""
        return cls(match.scores, match.team_scores, match.digest)


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One hand, numbered from 1, voided ones included.

    Its deal comes from ``seed``, or from ``secret`` and ``contributions`` as tables derive it (`gouji.engine.secret`);
    ``commitment`` was shown before it; each may be missing. A contribution that is empty is the default. ``deal`` is
    the six hands as dealt, ``leader`` who leads the first trick. The moves stand in ``lines``, as `in_lines` lays them
    out; no line is empty.

    It was dealt at ``began`` and over at ``ended``. A hand that the people gave up is voided where its moves end. One
    that was ``abandoned`` has no ``result``, and shows what was played of it. Any other without a result is still being
    played and holds nothing of what is hidden: raises ValueError otherwise.
    """

    number: int
    leader: int
    commitment: bytes | None = None
    secret: bytes | None = None
    seed: bytes | None = None
    deal: tuple[tuple[Card, ...], ...] = ()
    lines: tuple[tuple[Move, ...], ...] = ()
    result: Result | None = None
    contributions: tuple[bytes, ...] = NO_CONTRIBUTIONS
    began: datetime | None = None
    ended: datetime | None = None
    abandoned: bool = False

    def __post_init__(self) -> None:
        if self.in_play and (self.secret or self.seed or self.deal or self.lines or self.ended):
            raise ValueError("a hand that is still being played hides its secret, its cards and its moves")
        if self.abandoned and self.result is not None:
            raise ValueError("a hand that was abandoned has no result")

    @property
    def in_play(self) -> bool:
        """It is neither over nor abandoned."""
        return self.result is None and not self.abandoned

    @property
    def may_end_anywhere(self) -> bool:
        """It is voided, and so may have been given up."""
        return self.result is not None and not self.result.order

    @property
    def moves(self) -> list[Move]:
        """All moves in order."""
        return [move for line in self.lines for move in line]


@dataclass(frozen=True, slots=True)
class Record:
    """A match at one table, from its first hand on.

    It ends after ``length`` hands or at ``target`` points, of which just one is set. With ``held`` each time for
    private questions is ended by a move, as at tables. ``total`` is None while the match is not over. ``number`` counts
    the table's matches. ``board`` names the duplicate board that was played, if it was one.
    """

    table: str
    rules: RuleSet
    players: tuple[Player, ...]
    length: int | None = None
    target: int | None = None
    started: datetime | None = None
    held: bool = True
    hands: tuple[HandRecord, ...] = ()
    total: Result | None = None
    rules_version: int = RULES_VERSION
    number: int = 1
    board: str = ""
    version: int = VERSION

    def match(self) -> Match:
        """Begin the match. Raises ValueError unless just one length is set."""
        return Match(self.rules, hands=self.length, target=self.target)

    def seed_of(self, played: HandRecord) -> bytes | None:
        """Give the seed of a hand's deal; None when neither that nor the secret is known."""
        if not played.secret:
            return played.seed
        if self.board:
            return board_seed(played.secret, self.board, played.number)
        return deal_seed(played.secret, self.table, self.number, played.number, played.contributions)

    def commitment_to(self, secret: bytes, hand: int) -> bytes:
        """Give what was to be shown before a hand that comes from this secret."""
        if self.board:
            return board_commitment(secret, self.board)
        return commitment(secret, self.table, self.number, hand)


# Playing again


def do(hand: Hand, move: Move) -> tuple[Consequence, ...]:
    """Do a move, and say what followed by rule. Raises `IllegalAction`, or ValueError for answers that do not wait."""
    return hand.close_answers() if move.action is None else hand.apply(move.action)


def in_lines(hand: Hand, moves: Iterable[Move]) -> tuple[tuple[Move, ...], ...]:
    """Lay moves out from a hand on: each phase before the play on a line, then a trick a line. Raises as `do` does."""
    hand, lines, line = hand.clone(), [], []
    for move in moves:
        phase = hand.phase
        followed = do(hand, move)
        line.append(move)
        if hand.phase != phase or any(isinstance(consequence, TrickWon) for consequence in followed):
            lines.append(tuple(line))
            line = []
    return (*lines, tuple(line)) if line else tuple(lines)


@dataclass(frozen=True, slots=True)
class Step:
    """A moment of a hand that is played again: after ``move``, or with None after the deal.

    ``consequences`` followed from it by rule; ``hand`` is a copy of the hand as it stood then.
    """

    played: HandRecord
    move: Move | None
    consequences: tuple[Consequence, ...]
    hand: Hand


def replay(record: Record) -> Iterator[Step]:
    """Play all hands again, but for one that is still being played; an abandoned one as far as it went.

    What the record says of deals and results is not looked at: `verify` does that. Raises `BrokenRecord` where a hand
    cannot be dealt, a move is refused, or a hand does not end, and for rules of a version that is not known.
    """
    unknown = _unknown_rules(record)
    if unknown:
        raise BrokenRecord(0, unknown)
    match = record.match()
    for played in record.hands:
        if played.in_play:
            return
        for step in _steps(record, match, played):
            yield step
        if played.abandoned:
            return
        match.record(step.hand, given_up=not step.hand.over)


def _steps(record: Record, match: Match, played: HandRecord) -> Iterator[Step]:
    """Play one hand again; the last step is its end."""
    hand = _deal(record, match, played)
    yield Step(played, None, hand.at_deal, hand.clone())
    for number, move in enumerate(played.moves, start=1):
        try:
            followed = do(hand, move)
        except (EngineError, ValueError) as error:
            raise BrokenRecord(played.number, f"move {number}, `{move}`: {error}") from None
        yield Step(played, move, followed, hand.clone())
    if not hand.over and not (played.abandoned or played.may_end_anywhere):
        raise BrokenRecord(played.number, "the hand is not over after its last move")


def _deal(record: Record, match: Match, played: HandRecord) -> Hand:
    seed = record.seed_of(played)
    if seed is None:
        raise BrokenRecord(played.number, "neither its secret nor its seed is known")
    try:
        return match.deal(seed, held=record.held)
    except ValueError as error:
        raise BrokenRecord(played.number, str(error)) from None


# Checking


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, in hand ``hand``, or with 0 in the whole match.

    ``problem`` says what is wrong with it, ``skipped`` why it could not be looked at; it is right if both are empty.
    """

    hand: int
    what: str
    problem: str = ""
    skipped: str = ""

    @property
    def where(self) -> str:
        """Name the hand, or the match."""
        return f"hand {self.hand}" if self.hand else "match"

    def __str__(self) -> str:
        """Say how it is."""
        said = f"not checked: {self.skipped}" if self.skipped else self.problem or "ok"
        return f"{self.where}: {self.what}: {said}"


def verify(record: Record) -> list[Check]:
    """Give what is wrong with a record; empty when nothing is that could be checked."""
    return [check for check in examine(record) if check.problem]


def examine(record: Record) -> Iterator[Check]:
    """Check the rules' version, then of each hand commitment, contributions, deal, leader, moves, result and times.

    The totals come last.

    Under rules of a version that is not known nothing else can be judged: that is the one problem then.
    """
    match = record.match()
    unknown = _unknown_rules(record)
    yield Check(0, "rules version", unknown)
    if unknown:
        return
    for number, played in enumerate(record.hands, start=1):
        if played.number != number:
            yield Check(number, "number", f"the record says {played.number}")
        yield from _drawn(record, played)
        yield _times(played, record.hands[number - 2] if number > 1 else None)
        if played.in_play:
            yield _last(record, played, "it is still being played")
        elif match.dealt < number - 1:
            yield Check(number, "play", skipped="a hand before it is not whole")
        else:
            yield from _play(record, match, played)
    yield from _total(record, match)


def _unknown_rules(record: Record) -> str:
    """Say why the record's hands cannot be decided here; empty when they can."""
    if record.rules_version == RULES_VERSION:
        return ""
    return f"played under rules of version {record.rules_version}, and this program knows version {RULES_VERSION} alone"


def _drawn(record: Record, played: HandRecord) -> Iterator[Check]:
    """Check what the deal is drawn from."""
    yield _commitment(record, played)
    if any(played.contributions):
        yield Check(played.number, "contributions", _contributed(record, played))
    if played.secret and played.seed and played.seed != record.seed_of(played):
        yield Check(played.number, "seed", "it does not come from secret and contributions")


def _contributed(record: Record, played: HandRecord) -> str:
    """Say who contributed that contributes nothing."""
    if record.board:
        return "a board takes none"
    bots = [str(seat) for seat, given in enumerate(played.contributions) if given and record.players[seat].bot]
    return f"a bot gives none, and {' '.join(bots)} did" if bots else ""


def _times(played: HandRecord, before: HandRecord | None) -> Check:
    known = [at for at in (before and before.ended, played.began, played.ended) if at]
    return Check(played.number, "times", "" if known == sorted(known) else "they do not follow one another")


def _commitment(record: Record, played: HandRecord) -> Check:
    if played.commitment is None:
        return Check(played.number, "commitment", skipped="the record has none")
    if played.secret is None:
        return Check(played.number, "commitment", skipped="the secret is not known")
    fits = record.commitment_to(played.secret, played.number) == played.commitment
    return Check(played.number, "commitment", "" if fits else "it does not fit the secret")


def _play(record: Record, match: Match, played: HandRecord) -> Iterator[Check]:
    """Check one hand, and take it into the match if it can be played to its end."""
    steps = _steps(record, match, played)
    try:
        last = next(steps)
        yield from _dealt(played, last.hand)
        for step in steps:
            last = step
    except BrokenRecord as broken:
        yield Check(played.number, "play", broken.why)
        return
    yield Check(played.number, f"{len(played.moves)} moves")
    if played.abandoned:
        yield _last(record, played, "it was abandoned")
        return
    match.record(last.hand, given_up=not last.hand.over)
    yield from _result(played, Result.of(last.hand))


def _last(record: Record, played: HandRecord, why: str) -> Check:
    """Say why a hand's result is not checked; no other may follow such a hand."""
    follows = "" if played is record.hands[-1] else "another hand follows it"
    return Check(played.number, "play", follows, "" if follows else why)


def _dealt(played: HandRecord, hand: Hand) -> Iterator[Check]:
    wrong = [str(seat) for seat in range(SEATS) if played.deal[seat : seat + 1] != (hand.cards(seat),)]
    yield Check(played.number, "deal", f"the shuffle gives other cards to {' '.join(wrong)}" if wrong else "")
    yield _same(played.number, "leader", played.leader, hand.first_leader)


def _result(played: HandRecord, found: Result) -> Iterator[Check]:
    said = played.result or found
    yield _same(played.number, "order", said.order, found.order)
    yield from _sums(played.number, said, found)


def _sums(hand: int, said: Result, found: Result) -> Iterator[Check]:
    yield _same(hand, "scores", said.scores, found.scores)
    if said.team_scores or found.team_scores:
        yield _same(hand, "team scores", said.team_scores, found.team_scores)
    yield _same(hand, "digest", said.digest, found.digest)


def _total(record: Record, match: Match) -> Iterator[Check]:
    if match.dealt < sum(played.result is not None for played in record.hands):
        yield Check(0, "total", skipped="not all hands could be played to their end")
    elif record.total is None and not match.over:
        yield Check(0, "total", skipped="the match is not over")
    elif record.total is None or not match.over:
        yield Check(0, "total", "missing, though the match is over" if match.over else "the match is not over")
    else:
        yield from _sums(0, record.total, Result.total(match))


def _same(hand: int, what: str, said: object, found: object) -> Check:
    return Check(hand, what, "" if said == found else f"the record says {_show(said)}, the rules give {_show(found)}")


def _show(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
