"""What finished hands mean for their match and their players. Pure: no I/O, no clock.

Places follow from the order of finishing (R6.1); points are the table's, because they depend on burns and rule
options (R7). A hand that was ruled void brings neither, nor does the last result of a match that was given up; how
its seats were played counts all the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import add
from typing import Final, NamedTuple

from gouji.engine.cards import SEATS
from gouji.v1 import scoring_pb2
from gouji.v1.events_pb2 import Seat
from gouji.v1.scoring_pb2 import HandResult
from gouji.wire.bots import level_of

MOST_HANDS: Final = 2**31 - 1
"""Highest number of a hand that the database can hold."""

MOST_POINTS: Final = 1_000_000
"""Most points that a hand may bring or anything may cost."""

MOST_ACCOUNTS: Final = 100
"""Most burns, tributes or purchases in one hand: far more than its cards allow."""

MOST_DECISIONS: Final = 1_000_000
"""Most decisions of one kind for a seat in one hand."""

MOST_ABSENT_US: Final = 2**53
"""Longest absence in one hand."""


class Malformed(ValueError):
    """A result that makes no sense. ``path`` names the field, ``problem`` says what is wrong with it."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


class Entry(NamedTuple):
    """What one person made of one hand: its points, and its place 1..6."""

    seat: int
    player_id: str
    points: int
    place: int


class SeatSum(NamedTuple):
    """What one seat made of a match; the names are those of `match_seats`."""

    points: int = 0
    hands: int = 0
    p1: int = 0
    p2: int = 0
    p3: int = 0
    p4: int = 0
    p5: int = 0
    p6: int = 0
    openings: int = 0
    burns_tried: int = 0
    burns_won: int = 0
    sweeps: int = 0
    by_player: int = 0
    by_bot: int = 0
    by_clock: int = 0
    absent_us: int = 0
    left: bool = False
    penalty: int = 0

    def plus(self, more: "SeatSum") -> "SeatSum":
        """Sum two; who has left once has left."""
        return SeatSum._make(map(add, self, more))._replace(left=self.left or more.left)

    @property
    def places(self) -> tuple[int, ...]:
        """How often it was head, second ... last."""
        return (self.p1, self.p2, self.p3, self.p4, self.p5, self.p6)


class MatchSum(NamedTuple):
    """A match as far as its results are there; the names are those of `match_results`.

    ``hands`` counts those that count, ``recorded`` all results. ``ended_at`` is None until all are there.
    """

    hands: int
    recorded: int
    hands_in_all: int | None
    even_points: int | None
    odd_points: int | None
    began_at: int
    ended_at: int | None
    voided: bool


def check(result: HandResult) -> None:
    """Raise `Malformed` for the first field that does not fit a finished hand. A voided hand is none."""
    for path, problem in _problems(result):
        raise Malformed(path, problem)


def counts(result: HandResult) -> bool:
    """Say whether a result brings places and points."""
    return not (result.voided or result.abandoned)


def entries(result: HandResult) -> list[Entry]:
    """List what each person made of the hand, by seat, without bots. The result must have passed `check`.

    Who left for good has what the bot in its place made, less the penalty.
    """
    if not counts(result):
        return []
    place_of = {seat: place for place, seat in enumerate(result.order, start=1)}
    return [
        Entry(number, seat.player_id, result.scores[number] - _conduct(result, number).penalty, place_of[number])
        for number, seat in enumerate(result.seats)
        if not seat.bot_level
    ]


def match_sum(results: Sequence[HandResult]) -> MatchSum:
    """Sum up a match by those of its results that are there: at least one, each hand once, in any order."""
    counted = [result for result in results if counts(result)]
    last = next((result for result in results if result.last), None)
    # A server of before does not say how many results there are: the last one ends the match.
    in_all = None if last is None else last.results or len(results)
    over = last is not None and len(results) >= (in_all or 0)
    even, odd = (_team_points(counted, team) for team in (0, 1))
    return MatchSum(
        hands=len(counted),
        recorded=len(results),
        hands_in_all=in_all,
        even_points=even,
        odd_points=odd,
        began_at=min(
            (result.began if result.HasField("began") else result.ended).ToMicroseconds() for result in results
        ),
        ended_at=last.ended.ToMicroseconds() if last is not None and over else None,
        voided=any(result.abandoned for result in results) or (over and not counted),
    )


def seat_sums(results: Iterable[HandResult]) -> list[SeatSum]:
    """Sum up what each of the six seats made of these results of one match."""
    sums = [SeatSum()] * SEATS
    for result in results:
        sums = [made.plus(_of_hand(result, seat)) for seat, made in enumerate(sums)]
    return sums


def _of_hand(result: HandResult, seat: int) -> SeatSum:
    conduct = _conduct(result, seat)
    played = SeatSum(
        by_player=conduct.by_player,
        by_bot=conduct.by_bot,
        by_clock=conduct.by_clock,
        absent_us=conduct.absent_us,
        left=conduct.left,
    )
    return played.plus(_made(result, seat, conduct.penalty)) if counts(result) else played


def _made(result: HandResult, seat: int, penalty: int) -> SeatSum:
    p1, p2, p3, p4, p5, p6 = (int(other == seat) for other in result.order)
    return SeatSum(
        points=result.scores[seat] - penalty,
        hands=1,
        p1=p1,
        p2=p2,
        p3=p3,
        p4=p4,
        p5=p5,
        p6=p6,
        openings=int(seat in result.opened),
        burns_tried=sum(burn.burner == seat for burn in result.burns),
        burns_won=sum(burn.burner == seat and burn.won for burn in result.burns),
        sweeps=int(result.sweep and seat % 2 == result.order[0] % 2),
        penalty=penalty,
    )


def _conduct(result: HandResult, seat: int) -> scoring_pb2.Conduct:
    return result.conduct[seat] if result.conduct else scoring_pb2.Conduct()


def _began(result: HandResult) -> int:
    """Say when a hand began; a server of before says only when it ended."""
    return (result.began if result.HasField("began") else result.ended).ToMicroseconds()


def _team_points(counted: Sequence[HandResult], team: int) -> int | None:
    with_teams = [result.team_scores[team] for result in counted if result.team_scores]
    return sum(with_teams) if with_teams else None


# What is wrong with a result


def _problems(result: HandResult) -> Iterator[tuple[str, str]]:
    """Find what is wrong, as path and problem."""
    yield from _text_problems(result)
    if result.voided:
        yield "voided", "is ruled by `CorrectHand` alone"
    if not 1 <= result.hand <= MOST_HANDS:
        yield "hand", f"is {result.hand}; hands count from 1"
    if len(result.seats) != SEATS:
        yield "seats", f"has {len(result.seats)} entries, not {SEATS}"
    yield from _seat_problems(result.seats)
    if not result.HasField("ended"):
        yield "ended", "is not set"
    for path in ("began", "ended"):
        if not _is_time(result, path):
            yield path, "is no time"
    if counts(result):
        yield from outcome_problems(result)
    yield from _number_problems(result)


def outcome_problems(result: HandResult) -> Iterator[tuple[str, str]]:
    """Find what is wrong with order and scores, as path and problem."""
    if sorted(result.order) != list(range(SEATS)):
        yield "order", "does not name each seat 0..5 once"
    if len(result.scores) != SEATS:
        yield "scores", f"has {len(result.scores)} entries, not {SEATS}"
    if len(result.team_scores) not in (0, 2):
        yield "team_scores", f"has {len(result.team_scores)} entries, not 0 or 2"
    for path, scores in (("scores", result.scores), ("team_scores", result.team_scores)):
        for number, points in enumerate(scores):
            if abs(points) > MOST_POINTS:
                yield f"{path}[{number}]", f"is more than {MOST_POINTS} points"


def _text_problems(result: HandResult) -> Iterator[tuple[str, str]]:
    if not result.table_id:
        yield "table_id", "is empty"
    texts = {"table_id": result.table_id, "queue": result.queue, "tournament": result.tournament}
    texts["rules.preset"] = result.rules.preset
    texts |= {f"seats[{number}].player_id": seat.player_id for number, seat in enumerate(result.seats)}
    texts |= {f"seats[{number}].bot_level": seat.bot_level for number, seat in enumerate(result.seats)}
    for path, text in texts.items():
        if "\0" in text:  # PostgreSQL refuses it
            yield path, "holds the character NUL"


def _number_problems(result: HandResult) -> Iterator[tuple[str, str]]:
    """Find lists that are neither left out nor whole, and numbers that no match reaches."""
    if len(result.conduct) not in (0, SEATS):
        yield "conduct", f"has {len(result.conduct)} entries, not 0 or {SEATS}"
    for path in ("burns", "tributes", "purchases"):
        if len(getattr(result, path)) > MOST_ACCOUNTS:
            yield path, f"has more than {MOST_ACCOUNTS} entries"
    if result.results > MOST_HANDS:
        yield "results", f"is more than {MOST_HANDS}"
    for number, conduct in enumerate(result.conduct):
        if conduct.penalty > MOST_POINTS:
            yield f"conduct[{number}].penalty", f"is more than {MOST_POINTS} points"
        if max(conduct.by_player, conduct.by_bot, conduct.by_clock) > MOST_DECISIONS:
            yield f"conduct[{number}]", f"counts more than {MOST_DECISIONS} decisions"
        if conduct.absent_us > MOST_ABSENT_US:
            yield f"conduct[{number}].absent_us", f"is more than {MOST_ABSENT_US}"


def _seat_problems(seats: Sequence[Seat]) -> Iterator[tuple[str, str]]:
    """Find seats without, or with two, occupants, and players who sit twice.

    A bot of somebody's own has an id, and a level that says what it is.
    """
    found: dict[str, int] = {}
    for number, seat in enumerate(seats):
        if (seat.bot_level != level_of(seat.player_id)) if seat.player_id else not seat.bot_level:
            yield f"seats[{number}]", "needs either a player_id or a bot_level"
        if seat.player_id and seat.player_id in found:
            yield f"seats[{number}].player_id", f"sits at seat {found[seat.player_id]} too"
        found[seat.player_id] = number


def _is_time(result: HandResult, path: str) -> bool:
    try:
        getattr(result, path).ToDatetime()
    except ValueError:
        return False
    return True
