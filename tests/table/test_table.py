"""The table as a plain object: what is decided, what comes by itself, and that its log alone makes it again."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from gouji.engine import Action
from gouji.table.asking import Act, Asking, Refused
from gouji.table.deals import commitment, deal_seed
from gouji.table.loading import fold_log
from gouji.table.table import Table
from gouji.table.window import Answer
from gouji.v1 import events_pb2, rules_pb2, table_pb2

from .driven import BOT, CLOCK, PLAYER, SECOND, Driven

TWO_BURNERS = ["KK3", "AAw5", "3", "224567", "AAw5", "3"]
ONE_BURNER = ["KK3", "AAw5599", "3", "224567", "3", "3"]
NO_BURNER = ["KK3", "5599", "3", "224567", "3", "3"]


class Game(Driven):
    """A table whose secrets, and what is played there at random, come from one seed."""

    def __init__(self, rules: dict[str, str] | None = None, hands: int = 1, bots: bool = False, **clock: int) -> None:
        self.chance = random.Random(7)
        seat = events_pb2.Seat(bot_level="random") if bots else events_pb2.Seat(player_id="p", name="P")
        spec = table_pb2.TableSpec(
            table_id="t1",
            seats=[seat] * 6,
            rules=rules_pb2.RuleSet(overrides=rules or {}),
            length=rules_pb2.MatchLength(hands=hands),
        )
        times = {"turn_ms": 20_000, "bank_ms": 60_000, "answers_least_ms": 1500, "answers_most_ms": 2500} | clock
        super().__init__(spec, rules_pb2.Clock(**times), lambda: self.chance.randbytes(32))

    def play_on(self) -> None:
        """Decide at random for one seat that is asked; now and then let the time run out instead."""
        asking = self.table.asking
        self.now += self.chance.randrange(SECOND)
        if not asking.questions or self.chance.random() < 0.05:
            self.now = max(self.now, asking.deadline or 0)
        else:
            hand = self.table.hand_asking(self.chance.choice(list(asking.questions)))
            assert hand is not None
            self.do(str(self.chance.choice(hand.legal_actions())))
        self.follow()


def state(table: Table) -> Any:
    """All that a table holds, for comparing."""
    facts = {name: value for name, value in vars(table).items() if name not in ("hand", "_match", "window")}
    facts["seats"] = [seat.SerializeToString() for seat in table.seats]
    window = table.window
    return (
        facts,
        table.hand.to_bytes() if table.hand else None,
        table.match.results,
        None if window is None else (window.until, window.questions),
        table.asking,
    )


@pytest.fixture
def deal_position(fixed_deal: Callable[..., None]) -> Callable[..., Game]:
    """Begin a game whose hand is dealt as a position in play."""

    def begin(hands: list[str], *, bots: bool = False, rules: dict[str, str] | None = None, **clock: int) -> Game:
        fixed_deal(hands)
        game = Game(rules, bots=bots, **clock)
        game.follow()
        return game

    return begin


@pytest.mark.parametrize(
    "rules",
    [{}, {"burn_guard": "false", "burn_order": "in_turn"}, {"opening": "true"}, {"teams": "false"}],
    ids=lambda rules: ",".join(rules) or "standard",
)
@pytest.mark.parametrize("bots", [False, True])
def test_the_fold_of_the_log_is_the_table_at_every_event(rules: dict[str, str], bots: bool) -> None:
    game = Game(rules, hands=2, bots=bots, **({"answers_least_ms": 0, "answers_most_ms": 0} if bots else {}))
    game.follow()
    again = Table("t1")
    while not game.table.ended:
        game.play_on()
        for event in game.log[again.sequence :]:
            again.fold(event)
        if game.table.window is None or len(game.table.window.questions) == len(again.asking.questions):
            assert state(again) == state(game.table)
    assert game.log[-1].HasField("match_ended")
    assert state(fold_log("t1", game.log)) == state(game.table)


def test_the_same_secrets_make_the_same_log() -> None:
    logs = []
    for _ in range(2):
        game = Game(hands=1)
        game.follow()
        while not game.table.ended:
            game.play_on()
        logs.append([event.SerializeToString(deterministic=True) for event in game.log])
    assert logs[0] == logs[1]


def test_a_log_begins_opens_and_deals() -> None:
    game = Game()
    game.follow()
    opened, committed, dealt = game.log
    assert (opened.table_opened.table_id, opened.table_opened.match) == ("t1", 1)
    assert (committed.hand, dealt.hand) == (1, 1)
    assert [len(hand.cards) for hand in dealt.hand_dealt.hands] == [36] * 6
    secret, shown = committed.hand_committed.secret, committed.hand_committed.commitment
    assert shown == dealt.hand_dealt.commitment == commitment(secret, "t1", 1, 1)
    assert deal_seed(secret, "t1", 1, 1) not in (secret, shown)
    assert list(dealt.hand_dealt.contributions) == [b""] * 6


def test_a_secret_that_gives_other_cards_than_the_log_is_no_log() -> None:
    game = Game()
    game.follow()
    game.log[1].hand_committed.secret = bytes(32)
    with pytest.raises(ValueError, match="secret"):
        fold_log("t1", game.log)


def test_a_gap_in_the_log_is_no_log() -> None:
    game = Game()
    game.follow()
    with pytest.raises(ValueError, match="does not follow"):
        fold_log("t1", game.log[1:])


def test_a_hand_reveals_its_secret_and_cards_when_it_ends() -> None:
    game = Game()
    game.follow()
    while not game.table.ended:
        game.play_on()
    committed = next(event.hand_committed for event in game.log if event.HasField("hand_committed"))
    dealt = next(event.hand_dealt for event in game.log if event.HasField("hand_dealt"))
    end = next(event.hand_ended for event in game.log if event.HasField("hand_ended"))
    assert end.secret == committed.secret
    assert list(end.hands) == list(dealt.hands)
    assert sorted(end.order) == list(range(6))


def test_who_is_asked_to_burn_does_not_show(deal_position: Callable[..., Game]) -> None:
    questions, public = [], set()
    for hands in (NO_BURNER, ONE_BURNER, TWO_BURNERS):
        game = deal_position(hands)
        game.do("0 play KK")
        asking = game.table.asking
        questions.append(list(asking.questions))
        public.add((asking.number, asking.seat, asking.answers_open, asking.deadline))
    assert questions == [[], [1], [4, 1]]
    assert len(public) == 1


def test_a_window_closes_at_its_time_whether_or_not_anybody_was_asked(deal_position: Callable[..., Game]) -> None:
    closed = []
    for hands in (NO_BURNER, ONE_BURNER, TWO_BURNERS):
        game = deal_position(hands)
        opened = game.now
        game.do("0 play KK")
        if hands is ONE_BURNER:
            game.do("1 pass")
        assert game.pass_time(1_500_000 - 1) == []
        (event,) = game.pass_time(SECOND)
        assert event.HasField("answers_closed")
        asking = game.table.asking
        assert (asking.seat, asking.answers_open, asking.questions) == (3, False, {3: "gouji"})
        closed.append((event.sequence, game.log[-2].at.ToMicroseconds() - opened))
        declines = [(decline.seat, decline.decided_by) for decline in event.answers_closed.declines]
        expected = {1: [(1, PLAYER)], 2: [(4, CLOCK), (1, CLOCK)]}
        assert declines == expected.get(len(closed) - 1, [])
    assert len(set(closed)) == 1


def test_an_answer_is_sealed_and_asks_its_seat_no_more(deal_position: Callable[..., Game]) -> None:
    game = deal_position(TWO_BURNERS)
    game.do("0 play KK")
    events, turn = len(game.log), game.table.turn
    assert isinstance(game.do("1 pass"), Answer)
    assert (len(game.log), game.table.turn) == (events, turn)
    assert list(game.table.asking.questions) == [4]
    assert game.do("1 pass") == Refused("not_your_turn", turn)


def test_when_a_burn_comes_does_not_tell_who_else_was_asked(deal_position: Callable[..., Game]) -> None:
    for hands, others, declined in (
        (ONE_BURNER, [], []),
        (TWO_BURNERS, [], [(4, CLOCK)]),
        (TWO_BURNERS, ["4 pass"], [(4, PLAYER)]),
    ):
        game = deal_position(hands)
        game.do("0 play KK")
        events, over = len(game.log), game.table.asking.deadline
        assert over is not None
        for text in ("1 burn AA", *others):
            assert isinstance(game.do(text), Answer)
        assert game.pass_time(over - game.now - 1) == []
        assert len(game.log) == events
        (event,) = game.pass_time(1)
        taken = event.action_taken
        assert (taken.seat, taken.decided_by, event.at.ToMicroseconds()) == (1, PLAYER, over)
        assert [(d.seat, d.decided_by) for d in taken.declines] == declined


def test_of_two_burns_the_first_in_the_order_of_the_rules_counts(deal_position: Callable[..., Game]) -> None:
    game = deal_position(TWO_BURNERS)
    game.do("0 play KK")
    game.do("1 burn AA")
    game.do("4 burn AA")
    game.pass_time(3 * SECOND)
    assert [event.action_taken.seat for event in game.log if event.HasField("action_taken")] == [0, 4]
    assert fold_log("t1", game.log).turn == game.table.turn


@pytest.mark.parametrize("text", ["1 burn AA", "2 burn KK", "2 pass", "3 play 22", "2 stay", "5 feel"])
def test_whoever_is_not_asked_hears_the_same_whatever_others_hold(
    deal_position: Callable[..., Game], text: str
) -> None:
    game = deal_position(NO_BURNER)
    game.do("0 play KK")
    assert game.do(text) == Refused("not_your_turn", game.table.turn)


def test_bots_among_themselves_are_waited_for_and_need_no_time(deal_position: Callable[..., Game]) -> None:
    game = deal_position(TWO_BURNERS, bots=True, answers_least_ms=0, answers_most_ms=0)
    game.do("0 play KK", BOT)
    assert game.table.asking.deadline is None
    assert game.pass_time(3600 * SECOND) == []
    game.do("1 pass", BOT)
    game.do("4 pass", BOT)
    closed = game.log[-1].answers_closed
    assert [(d.seat, d.decided_by) for d in closed.declines] == [(4, BOT), (1, BOT)]


def test_bots_have_no_window_where_nobody_holds_a_burn(deal_position: Callable[..., Game]) -> None:
    game = deal_position(NO_BURNER, bots=True, answers_least_ms=0, answers_most_ms=0)
    game.do("0 play KK", BOT)
    assert game.log[-1].HasField("answers_closed")


def test_seats_may_revolt_before_play(deal_position: Callable[..., Game], fixed_deal: Callable[..., None]) -> None:
    fixed_deal(["KK3", "AA5", "W3", "2345", "345", "W3"], phase="revolt")
    game = Game()
    game.follow()
    assert game.table.asking.questions == {0: "revolt", 1: "revolt", 4: "revolt"}
    game.do("1 revolt")
    game.do("0 stay")
    assert not game.log[-1].HasField("action_taken")
    game.pass_time(3 * SECOND)
    assert (game.log[-1].action_taken.seat, game.table.asking.questions) == (1, {4: "revolt"})
    (closed,) = game.pass_time(3 * SECOND)
    assert [decline.seat for decline in closed.answers_closed.declines] == [4]
    assert game.table.asking.questions == {4: "head"}


def test_a_resumed_window_keeps_its_answers_and_has_its_full_time(deal_position: Callable[..., Game]) -> None:
    game = deal_position(TWO_BURNERS)
    game.do("0 play KK")
    game.do("1 pass")
    turn = game.table.turn
    game.now += 60 * SECOND
    game.fold(game.table.resume(game.now))
    assert game.follow() == []
    asking = game.table.asking
    assert (asking.number, list(asking.questions)) == (turn, [4])
    assert asking.deadline is not None
    assert 1_500_000 <= asking.deadline - game.now <= 2_500_000


def test_the_clock_decides_at_the_deadline_and_not_before(deal_position: Callable[..., Game]) -> None:
    game = deal_position(ONE_BURNER)
    deadline = game.table.asking.deadline
    assert deadline == game.now + 80 * SECOND
    assert game.pass_time(80 * SECOND - 1) == []
    (event, *_) = game.pass_time(1)
    assert (event.action_taken.seat, event.action_taken.decided_by) == (0, CLOCK)


def test_overtime_is_taken_from_the_bank_for_the_hand(deal_position: Callable[..., Game]) -> None:
    game = deal_position(["3456", "3", "3", "7789", "3", "3"])
    for _ in range(2):
        game.now += 30 * SECOND
        lead = game.table.asking.seat
        assert lead is not None
        hand = game.table.hand
        assert hand is not None
        game.do(str(hand.default_action()))
        if hand.turn is None:
            break
    assert game.table._banks_us[0] == 50 * SECOND


def test_a_resumed_turn_has_its_full_time(deal_position: Callable[..., Game]) -> None:
    game = deal_position(ONE_BURNER)
    game.now += 200 * SECOND
    game.fold(game.table.resume(game.now))
    assert game.follow() == []
    assert game.table.asking == Asking(1, 0, False, {0: "lead"}, game.now + 80 * SECOND)


@pytest.mark.parametrize(
    ("turn", "text", "reason"),
    [
        (0, "0 play KK", "stale_turn"),
        (2, "0 play KK", "stale_turn"),
        (1, "1 play AA", "not_your_turn"),
        (1, "0 play AA", "cards_not_held"),
        (1, "0 play KK3", "not_one_base"),
        (1, "0 pass", "must_lead"),
        (1, "0 feel", "wrong_phase"),
        (1, "0 last 3", "wrong_phase"),
    ],
)
def test_what_is_refused_changes_nothing(deal_position: Callable[..., Game], turn: int, text: str, reason: str) -> None:
    game = deal_position(ONE_BURNER)
    before = state(game.table)
    action = Action.parse(text)
    assert game.table.decide(Act(action.seat, turn, action, PLAYER), game.now) == Refused(reason, 1)
    assert state(game.table) == before


def test_nothing_happens_at_a_table_that_has_ended_or_stopped() -> None:
    game = Game()
    game.follow()
    act = Act(0, 1, Action.parse("0 pass"), PLAYER)
    game.fold(game.table.freeze("abc", game.now))
    assert game.table.decide(act, game.now) == Refused("table_frozen", 1)
    assert game.pass_time(3600 * SECOND) == []
    over = Game()
    over.follow()
    while not over.table.ended:
        over.play_on()
    assert over.table.decide(act, over.now) == Refused("table_over", over.table.turn)
    assert over.pass_time(3600 * SECOND) == []


def test_times_never_go_back() -> None:
    game = Game()
    game.now -= 5 * SECOND
    game.follow()
    assert game.log[1].at.ToMicroseconds() == game.log[0].at.ToMicroseconds()


def test_a_table_of_five_or_of_rules_that_clash_does_not_open() -> None:
    table, clock = Table("t2"), rules_pb2.Clock(turn_ms=1)
    seats = [events_pb2.Seat(bot_level="random")] * 6
    length = rules_pb2.MatchLength(hands=1)
    with pytest.raises(ValueError, match="six"):
        table.open(table_pb2.TableSpec(seats=seats[:5], length=length), clock, 1)
    clash = rules_pb2.RuleSet(overrides={"calls": "true"})
    with pytest.raises(Exception, match="calls"):
        table.open(table_pb2.TableSpec(seats=seats, length=length, rules=clash), clock, 1)
