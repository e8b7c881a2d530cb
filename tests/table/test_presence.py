"""Who plays a seat: absence, expiries, coming back, leaving; the time is driven by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from gouji.table.asking import Refused
from gouji.table.loading import fold_log
from gouji.table.presence import Roster
from gouji.table.results import hand_results
from gouji.table.window import Answer
from gouji.v1 import events_pb2, rules_pb2, table_pb2
from gouji.v1.events_pb2 import Event

from .driven import BOT, CLOCK, PLAYER, SECOND, Driven

TURN, ALLOWANCE, ABSENT = 10 * SECOND, SECOND // 2, 30 * SECOND
NO_BURNER = ["KK34567", "5599", "3", "224567", "3", "3"]
ONE_BURNER = ["KK34567", "AAw5599", "3", "224567", "3", "3"]
LOW = ["3456789T"] * 6


class Seats(Driven):
    """A table whose six seats are people's, but for those in ``bots``."""

    def __init__(self, bots: tuple[int, ...] = (), hands: int = 1, turn_ms: int = 10_000) -> None:
        seats = [
            events_pb2.Seat(bot_level="random") if seat in bots else events_pb2.Seat(player_id=f"p{seat}")
            for seat in range(6)
        ]
        spec = table_pb2.TableSpec(table_id="t1", seats=seats, length=rules_pb2.MatchLength(hands=hands))
        clock = rules_pb2.Clock(
            turn_ms=turn_ms,
            answers_least_ms=2000,
            answers_most_ms=2000,
            allowance_ms=500,
            expiries=2,
            absent_ms=30_000,
        )
        super().__init__(spec, clock, lambda: bytes(32))
        self.follow()

    def change(self, seat: int, **changes: int) -> None:
        self.fold(self.table.change_seat(seat, self.now, **changes))
        self.follow()

    def all_come(self) -> None:
        for seat in range(6):
            self.change(seat, connected=1)

    def changes(self) -> list[tuple[int, bool, bool, bool]]:
        """What the log says of who plays: seat, connected, bot, left."""
        found = [event.seat_changed for event in self.log if event.HasField("seat_changed")]
        return [(change.seat, change.connected, change.bot_plays, change.left) for change in found]

    def check_fold(self) -> None:
        """The log alone makes the same table."""
        again = fold_log("t1", self.log)
        assert (again.presence, again.conduct, again.asking) == (
            self.table.presence,
            self.table.conduct,
            self.table.asking,
        )


Sit = Callable[..., Seats]


@pytest.fixture
def sit(fixed_deal: Callable[..., None]) -> Sit:
    def begin(cards: list[str], **kinds: Any) -> Seats:
        fixed_deal(cards)
        return Seats(**kinds)

    return begin


def test_the_clock_decides_only_after_the_allowance_which_the_deadline_does_not_show(sit: Sit) -> None:
    seats = sit(LOW)
    seats.all_come()
    assert seats.table.asking.deadline == seats.now + TURN
    assert seats.table.next_moment == seats.now + TURN + ALLOWANCE
    assert seats.pass_time(TURN + ALLOWANCE - 1) == []
    assert isinstance(seats.do("0 play T"), Event)
    taken = seats.log[-1].action_taken
    assert (taken.decided_by, seats.table.presence[0].expiries) == (PLAYER, 0)
    seats.pass_time(TURN + ALLOWANCE)
    assert (seats.log[-1].action_taken.seat, seats.log[-1].action_taken.decided_by) == (1, CLOCK)


def test_private_answers_too_count_within_the_allowance_whoever_is_asked(sit: Sit) -> None:
    moments = set()
    for hands in (NO_BURNER, ONE_BURNER):
        seats = sit(hands)
        seats.all_come()
        seats.do("0 play KK")
        shown = seats.table.asking.deadline
        assert shown == seats.now + 2 * SECOND
        assert seats.pass_time(2 * SECOND + ALLOWANCE - 1) == []
        if hands is ONE_BURNER:
            assert isinstance(seats.do("1 burn AA"), Answer)
        (event,) = seats.pass_time(1)
        moments.add(event.at.ToMicroseconds())
        assert event.HasField("action_taken") == (hands is ONE_BURNER)
    assert len(moments) == 1


def test_after_two_expiries_in_a_row_a_bot_plays_and_all_are_told(sit: Sit) -> None:
    seats = sit(LOW)
    seats.all_come()
    begun = len(seats.changes())
    for _ in range(7):
        seats.pass_time(TURN + ALLOWANCE)
    assert seats.changes()[begun:] == [(0, True, True, False)]
    assert [event.WhichOneof("body") for event in seats.log[-2:]] == ["action_taken", "seat_changed"]
    seats.check_fold()


def test_expiries_that_are_not_in_a_row_do_not_count(sit: Sit) -> None:
    seats = sit(["34", "5", "6", "7", "8", "99999"])
    seats.all_come()
    stands = seats.table.presence[0]
    stands.acted(CLOCK, 1)
    stands.acted(PLAYER, 2)
    stands.acted(CLOCK, 3)
    assert not stands.bot_due(3, seats.table.clock)
    stands.acted(CLOCK, 4)
    assert stands.bot_due(4, seats.table.clock)


def test_whether_a_private_question_was_let_go_by_counts_for_nothing(sit: Sit) -> None:
    stands = []
    for hands, answer in ((NO_BURNER, ""), (ONE_BURNER, ""), (ONE_BURNER, "1 pass")):
        seats = sit(hands)
        seats.all_come()
        seats.table.presence[1].acted(CLOCK, seats.now)
        seats.do("0 play KK")
        if answer:
            seats.do(answer)
        seats.pass_time(2 * SECOND + ALLOWANCE)
        assert seats.log[-1].HasField("answers_closed")
        stands.append((seats.table.presence[1], seats.changes()))
    assert stands[0] == stands[1] == stands[2]
    assert stands[0][0].expiries == 1


def test_who_never_comes_or_stays_away_is_played_by_a_bot(sit: Sit) -> None:
    seats = sit(LOW)
    for seat in range(1, 6):
        seats.change(seat, connected=1)
    assert seats.table.next_moment == seats.now + TURN + ALLOWANCE
    seats.do("0 play 3")
    for n in range(5):
        seats.pass_time(5 * SECOND)
        seats.do(f"{n + 1} pass")
    seats.do("0 play 4")
    seats.change(3, connected=0)
    gone = seats.now
    assert seats.table.presence[3].gone_moment(seats.table.clock) == gone + ABSENT
    seats.pass_time(TURN)
    for seat in (1, 2):
        seats.do(f"{seat} pass")
    seats.change(3, connected=1)
    assert seats.table.presence[3].gone_moment(seats.table.clock) is None
    assert (3, True, True, False) not in seats.changes()


def test_acting_is_a_sign_of_life_even_without_a_watch(sit: Sit) -> None:
    seats = sit(LOW)
    for seat in range(1, 6):
        seats.change(seat, connected=1)
    seats.pass_time(9 * SECOND)
    seats.do("0 play 3")
    assert seats.table.presence[0].gone_moment(seats.table.clock) == seats.now + ABSENT


def test_a_bot_takes_over_at_the_moment_and_the_player_comes_back_by_acting(sit: Sit) -> None:
    seats = sit(LOW, turn_ms=60_000)
    for seat in range(1, 6):
        seats.change(seat, connected=1)
    seats.do("0 play 3")
    for seat in range(1, 6):
        seats.do(f"{seat} pass")
    turn = seats.table.turn
    assert seats.pass_time(ABSENT - 1) == []
    (event,) = seats.pass_time(1)
    assert (event.seat_changed.seat, event.seat_changed.bot_plays, seats.table.turn) == (0, True, turn)
    seats.change(0, connected=1)
    assert seats.table.presence[0].bot_plays
    seats.do("0 play 4")
    acted, back = seats.log[-2:]
    assert (acted.action_taken.seat, acted.action_taken.decided_by) == (0, PLAYER)
    assert (back.seat_changed.seat, back.seat_changed.bot_plays) == (0, False)
    seats.check_fold()


def test_a_private_answer_does_not_take_a_seat_back(sit: Sit) -> None:
    seats = sit(ONE_BURNER)
    seats.all_come()
    seats.change(1, bot_plays=1)
    seats.do("0 play KK")
    before = seats.changes()
    assert isinstance(seats.do("1 pass"), Answer)
    seats.pass_time(3 * SECOND)
    assert seats.changes() == before
    assert seats.table.presence[1].bot_plays


def test_a_burn_is_public_and_takes_a_seat_back(sit: Sit) -> None:
    seats = sit(ONE_BURNER)
    seats.all_come()
    seats.change(1, bot_plays=1)
    seats.do("0 play KK")
    seats.do("1 burn AA")
    assert seats.table.presence[1].bot_plays
    seats.pass_time(3 * SECOND)
    assert not seats.table.presence[1].bot_plays


def test_whoever_left_may_not_act_and_is_played_to_the_end(sit: Sit) -> None:
    seats = sit(["34", "3", "3", "3", "3", "3"])
    seats.all_come()
    seats.change(0, connected=0, bot_plays=1, left=1, penalty=4)
    assert seats.do("0 play 3") == Refused("seat_left", seats.table.turn)
    assert isinstance(seats.do("0 play 3", BOT), Event)
    assert seats.table.presence[0].shown() == table_pb2.Presence(bot_plays=True, left=True)
    seats.pass_time(3600 * SECOND)
    assert seats.table.presence[0].left


def test_a_result_says_how_each_seat_was_played(sit: Sit) -> None:
    seats = sit(["34", "3", "3", "3", "3", "3"], bots=(5,), hands=2)
    for seat in range(5):
        seats.change(seat, connected=1)
    seats.change(2, bot_plays=1)
    seats.change(2, bot_plays=0)
    seats.do("0 play 3")
    seats.change(4, connected=0, bot_plays=1, left=1, penalty=4)
    for text, by in (("1 pass", PLAYER), ("2 pass", BOT)):
        seats.do(text, by)
    while seats.log[-1].hand != 2:
        seats.pass_time(TURN + ALLOWANCE)
    ended = next(event for event in seats.log if event.HasField("hand_ended"))
    conduct = hand_results(seats.table, [ended], "greedy")[0].conduct
    assert [(c.by_player, c.by_bot) for c in conduct][:3] == [(1, 0), (1, 0), (0, 1)]
    assert [conduct[seat].absent for seat in (0, 2, 4, 5)] == [False, True, True, False]
    assert [(c.left, c.penalty) for c in conduct] == [(False, 0)] * 4 + [(True, 4), (False, 0)]
    assert sum(c.by_clock for c in conduct) > 0
    kept = list(seats.table.presence.kept())
    assert Roster.restored(seats.table.seats, kept) == seats.table.presence
    after = [seats.table.presence[seat].conduct() for seat in range(6)]
    assert [(c.absent, c.left, c.penalty) for c in after][4] == (True, True, 0)
    seats.check_fold()


def test_a_result_says_for_how_long_a_bot_played_for_whom(sit: Sit) -> None:
    seats = sit(["34", "3", "3", "3", "3", "3"], bots=(5,), hands=2)
    for seat in range(5):
        seats.change(seat, connected=1)
    seats.pass_time(SECOND)
    seats.change(2, bot_plays=1)
    seats.pass_time(2 * SECOND)
    seats.fold(seats.table.credit(SECOND, seats.now))
    seats.now += 5 * SECOND
    seats.fold(seats.table.resume(seats.now))
    seats.pass_time(3 * SECOND)
    seats.change(2, bot_plays=0, connected=1)
    absent = [seats.table.presence[seat].absent_us for seat in range(6)]
    assert absent == [0, 0, 4 * SECOND, 0, 0, 0]
    while seats.log[-1].hand != 2:
        seats.pass_time(TURN + ALLOWANCE)
    ended = next(event for event in seats.log if event.HasField("hand_ended"))
    result = hand_results(seats.table, [ended], "greedy")[0]
    assert (result.conduct[2].absent_us >= 4 * SECOND, result.stand_in, result.results) == (True, "greedy", 1)
    committed = next(event for event in seats.log if event.HasField("hand_committed"))
    assert result.began == committed.at
    assert [(seat.player_id, seat.name) for seat in result.seats][:2] == [("p0", ""), ("p1", "")]
    assert seats.table.presence[2].absent_us == 0


def test_what_the_server_takes_is_nobodys_time(sit: Sit) -> None:
    seats = sit(LOW)
    for seat in range(1, 6):
        seats.change(seat, connected=1)
    seats.now += 8 * SECOND
    seats.fold(seats.table.credit(5 * SECOND, seats.now))
    assert seats.table.asking.deadline == seats.now - 3 * SECOND + TURN
    assert seats.table.presence[0].gone_moment(seats.table.clock) == seats.now - 3 * SECOND + ABSENT
    seats.now += 300 * SECOND
    seats.fold(seats.table.resume(seats.now))
    assert seats.follow() == []
    assert seats.table.asking.deadline == seats.now + TURN
    moments = {seats.table.presence[seat].gone_moment(seats.table.clock) for seat in range(6)}
    assert moments == {seats.now + ABSENT}
    seats.check_fold()


def test_a_credit_lengthens_the_time_for_private_answers_alike_for_all(sit: Sit) -> None:
    for hands in (NO_BURNER, ONE_BURNER):
        seats = sit(hands)
        seats.all_come()
        seats.do("0 play KK")
        over = seats.table.asking.deadline
        assert over is not None
        seats.now += SECOND
        seats.fold(seats.table.credit(SECOND, seats.now))
        assert seats.table.asking.deadline == over + SECOND


def test_a_bots_own_seat_is_never_away(sit: Sit) -> None:
    seats = sit(LOW, bots=(0, 1, 2, 3, 4, 5))
    for _ in range(20):
        seats.pass_time(TURN + ALLOWANCE)
    assert seats.changes() == []
