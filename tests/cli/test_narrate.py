from gouji.cli.narrate import Scribe, Teller, header
from gouji.engine import Action, ActionKind
from gouji.engine.actions import OF_SEAT
from gouji.engine.cards import Card
from gouji.engine.events import BurnSucceeded, Consequence, ScrambleBegan, SeatFinished, SeatStruck, TrickWon
from gouji.v1.events_pb2 import (
    DECIDED_BY_CLOCK,
    ActionTaken,
    AnswersClosed,
    DealtHand,
    Event,
    HandDealt,
    HandEnded,
    MatchEnded,
    Seat,
    SeatChanged,
    TableOpened,
)
from gouji.v1.rules_pb2 import MatchLength, RuleSet
from gouji.wire import action_to_proto, card_to_proto, consequences_to_proto

NAMES = ["Ann", "Bo", "Cai", "Dong", "Er", "Fu"]


def did(seat: int, verb: str, *followed: Consequence, by: int = 0) -> Event:
    action = Action.parse_verb(seat, verb)
    taken = ActionTaken(
        seat=seat,
        action=action_to_proto(action),
        consequences=consequences_to_proto(followed),
    )
    if by:
        taken.decided_by = DECIDED_BY_CLOCK
    return Event(action_taken=taken)


def closed(*followed: Consequence) -> Event:
    return Event(answers_closed=AnswersClosed(consequences=consequences_to_proto(followed)))


def written(*events: Event) -> list[str]:
    scribe = Scribe()
    return [line for event in events for line in scribe.write(event)]


def test_a_trick_is_written_on_a_line_when_it_ends() -> None:
    assert written(did(0, "play KK"), did(1, "pass"), did(3, "play 22"), did(0, "pass", TrickWon(3, 3))) == [
        "N1: 0 leads KK · 3 22 · wins 3"
    ]


def test_a_trick_may_end_when_answers_close() -> None:
    assert written(did(0, "play WW"), closed(TrickWon(0, 0))) == ["N1: 0 leads WW · wins 0"]


def test_burns_titles_and_the_wind_stand_in_the_line() -> None:
    lines = written(
        did(0, "play KK"),
        did(1, "burn AA", SeatFinished(1, 1), BurnSucceeded(1, 0, 0)),
        did(4, "pass", TrickWon(1, 2)),
    )
    assert lines == [
        "N1: 0 leads KK · 1 burns AA (烧牌) · 1 is 头科/head · 1 has burned 0 (烧成) · "
        "wins 1, 2 catches the wind (接风)"
    ]


def test_the_scramble_has_its_own_label_and_numbers_go_on() -> None:
    lines = written(
        did(0, "play K", SeatFinished(0, 2), TrickWon(0, 1), ScrambleBegan()), did(1, "play 3", TrickWon(1, 1))
    )
    assert lines == [
        "N1: 0 leads K · 0 is 二科/second · wins 0, 1 catches the wind (接风)",
        "a scramble from here (四人乱缠)",
        "S2: 1 leads 3 · wins 1",
    ]


def test_a_hand_that_ends_within_a_trick_still_shows_it() -> None:
    ended = HandEnded(order=[0, 2, 4, 1, 3, 5], scores=[12, -12] * 3, team_scores=[12, 0], digest="abc")
    lines = written(did(0, "play K", SeatFinished(0, 1)), Event(hand=1, hand_ended=ended))
    assert lines[0] == "N1: 0 leads K · 0 is 头科/head"
    assert lines[1].startswith("Places: 0 头科/head · 2 二科/second")
    assert lines[2:] == ["Scores: even 12 · odd 0", "Digest of hand 1: abc"]


def test_a_struck_seats_cards_are_shown() -> None:
    struck = SeatStruck(1, (Card(0, 0),) * 2)
    assert "1 is struck out (烧糊) with 3×2" in written(did(0, "play K", struck, TrickWon(0, 0)))[0]


def test_revolutions_come_before_the_tricks() -> None:
    assert written(did(1, "revolt"), did(4, "no_head")) == ["1 revolts (革命)", "4 has no head at once (无头)"]


def test_the_header_says_what_is_played_and_by_whom() -> None:
    seats = [Seat(player_id="p", name="Lin"), *[Seat(name="Jimo", bot_level="greedy")] * 5]
    opened = TableOpened(table_id="t", rules=RuleSet(), length=MatchLength(hands=1), seats=seats)
    assert header(opened)[:3] == ["Table t: standard, 1 hand", "  0 Lin", "  1 Jimo (greedy bot)"]


def test_a_void_hand_and_a_match_are_told() -> None:
    assert written(Event(hand=2, hand_ended=HandEnded(voided=True, digest="d")))[0].startswith("Hand 2 is void")
    ended = MatchEnded(scores=[1, 2, 3, 4, 5, 6], digest="m")
    assert written(Event(match_ended=ended))[-2:] == [
        "Total: 0 +1 · 1 +2 · 2 +3 · 3 +4 · 4 +5 · 5 +6",
        "Digest of the match: m",
    ]


def told(*events: Event) -> list[str]:
    teller = Teller(NAMES)
    return [line for event in events for line in teller.tell(event)]


def test_a_person_is_told_act_by_act() -> None:
    lines = told(did(0, "play KK"), did(1, "pass"), did(3, "play 22", by=1), did(0, "pass", TrickWon(3, 3)))
    assert lines == [
        "0 Ann: leads KK",
        "1 Bo: passes",
        "3 Dong: 22 (time ran out)",
        "0 Ann: passes",
        "  wins 3",
    ]


def test_a_person_is_shown_its_own_cards() -> None:
    hands = [DealtHand(), DealtHand(cards=[card_to_proto(Card(12, 0)), card_to_proto(Card(14, -1))])]
    lines = told(Event(hand=1, hand_dealt=HandDealt(hands=hands, first_leader=2)))
    assert lines[1:] == ["Hand 1 is dealt; 2 Cai leads.", "your hand (2): W  2"]


def test_a_person_is_told_who_is_there() -> None:
    away, back = SeatChanged(seat=1, bot_plays=True), SeatChanged(seat=1, connected=True)
    assert told(Event(seat_changed=away), Event(seat_changed=back)) == [
        "1 Bo is away; a bot plays on.",
        "1 Bo is here.",
    ]


def test_a_person_is_told_of_changes_alone() -> None:
    gone, again = SeatChanged(seat=1, bot_plays=True), SeatChanged(seat=1, bot_plays=True, connected=True)
    left = SeatChanged(seat=1, bot_plays=True, left=True)
    assert told(*(Event(seat_changed=change) for change in (gone, again, again, left, left))) == [
        "1 Bo is away; a bot plays on.",
        "1 Bo has left for good; a bot plays on.",
    ]


def test_a_person_is_told_when_a_bot_plays_for_it() -> None:
    changes = [SeatChanged(seat=0, connected=True, bot_plays=bot) for bot in (False, True, False)]
    teller = Teller(["you", "Bo", "Cai", "Dong", "Er", "Fu"], 0)
    assert [teller.tell(Event(seat_changed=change)) for change in changes] == [
        [],
        ["A bot plays on for you; `back` gives you your seat again."],
        ["You play again."],
    ]


def test_every_kind_of_action_can_be_told() -> None:
    for kind in ActionKind:
        cards = "3" if kind.text in ("play", "burn", "pay", "refuse", "buy_with", "give", "lay_off", "return") else ""
        action = Action(0, kind, cards, 1 if kind in OF_SEAT else -1)
        taken = ActionTaken(seat=0, action=action_to_proto(action))
        assert len(told(Event(action_taken=taken))) == 1
