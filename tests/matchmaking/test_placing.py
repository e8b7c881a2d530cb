"""Tables as proposals and operators want them."""

import pytest

from gouji.matchmaking.matches import table_row
from gouji.matchmaking.placing import BOT_NAMES, name_bots, of_proposal, of_request, reseated
from gouji.matchmaking.policy import Member, Proposal, Quality, Seated, Waiting
from gouji.serving.errors import ServiceError
from gouji.v1.events_pb2 import Board, Seat
from gouji.v1.matchmaking_pb2 import PlaceTableRequest
from gouji.v1.rules_pb2 import Clock, MatchLength, RuleSet

LEVELS = ["random", "greedy"]
ANN = Member("p1", "Ann", 25.0, 8.0, frozenset(), frozenset())
TICKET = Waiting("t1", "local/quick", (ANN,), False, (), '{"hands": 2}', 0, 0, 0)
RULES = '{"burn": "false", "preset": "standard"}'


def test_a_proposal_becomes_a_table_with_named_bots() -> None:
    seats = (None, Seated(TICKET, ANN), None, None, None, None)
    proposal = Proposal("local/quick", RULES, '{"hands": 2}', seats, Quality(0.5, 25.0, 0.0, 0, 0), "random")
    placement = of_proposal(proposal, "tb1", bot_pace_ms=600)
    spec = placement.spec
    assert spec.rules == RuleSet(preset="standard", overrides={"burn": "false"})
    assert spec.length == MatchLength(hands=2)
    assert (spec.table_id, spec.queue, spec.bot_pace_ms) == ("tb1", "local/quick", 600)
    assert spec.seats[1] == Seat(player_id="p1", name="Ann")
    assert {seat.bot_level for seat in spec.seats if not seat.player_id} == {"random"}
    assert len({seat.name for seat in spec.seats}) == 6
    assert placement.players == {"p1": 1}
    assert placement.kind == "bots"
    assert not placement.asks


def test_seats_are_filled_anew_with_people_and_bots() -> None:
    spec = of_request(request(), "tb1", LEVELS).spec
    changed = reseated(spec, {0: Seat(bot_level="random"), 3: Seat(player_id="p2", name="Bob")})
    assert changed.seats[0].bot_level == "random"
    assert changed.seats[3] == Seat(player_id="p2", name="Bob")
    assert [changed.seats[n] for n in (1, 2, 4, 5)] == [spec.seats[n] for n in (1, 2, 4, 5)]
    assert len({seat.name for seat in changed.seats}) == 6


def test_bots_never_have_the_name_of_somebody_at_the_table() -> None:
    people = [Seat(player_id=name, name=name) for name in BOT_NAMES[:5]]
    names = {seat.name for seat in name_bots([*people, Seat(bot_level="greedy")], "tb1")}
    assert len(names) == 6


def test_tables_have_different_bots() -> None:
    seats = [Seat(bot_level="greedy")] * 6
    assert len({tuple(seat.name for seat in name_bots(seats, f"tb{n}")) for n in range(20)}) > 10


def request(**changes: object) -> PlaceTableRequest:
    seats = [Seat(player_id="p1", name="Ann"), *[Seat(bot_level="greedy")] * 5]
    return PlaceTableRequest(**({"request_id": "r1", "seats": seats} | changes))  # type: ignore[arg-type]


def test_a_request_becomes_a_table() -> None:
    clock = Clock(turn_ms=1000, answers_least_ms=5, answers_most_ms=5)
    placement = of_request(request(clock=clock, bot_pace_ms=7), "tb1", LEVELS)
    assert placement.spec.clock == clock
    assert placement.spec.bot_pace_ms == 7
    assert placement.spec.length == MatchLength(hands=3)
    assert placement.spec.rules == RuleSet(preset="standard")
    assert placement.kind == "placed"


BOARD = Board(board_id="spring/1/2", commitment=bytes(32))


def test_a_tournaments_table_carries_its_board_and_the_secret_as_it_came_sealed() -> None:
    placement = of_request(request(tournament="spring", board=BOARD, board_secret=b"sealed"), "tb1", LEVELS)
    assert (placement.spec.tournament, placement.spec.board) == ("spring", BOARD)
    assert placement.spec.board_secret == b"sealed"
    assert table_row(placement, 0, "placed")["board_id"] == "spring/1/2"
    other = of_request(request(), "tb1", LEVELS)
    assert not other.spec.HasField("board")
    assert table_row(other, 0, "placed")["board_id"] is None


def test_a_bots_given_name_is_kept() -> None:
    seats = [*[Seat(bot_level="greedy")] * 5, Seat(bot_level="random", name="Rob")]
    assert of_request(request(seats=seats), "tb1", LEVELS).spec.seats[5].name == "Rob"


GOOD = [Seat(bot_level="greedy")] * 5


@pytest.mark.parametrize(
    ("changes", "reason", "field"),
    [
        ({"request_id": ""}, "malformed", "request_id"),
        ({"request_id": "a\0b"}, "malformed", "request_id"),
        ({"request_id": "x" * 129}, "malformed", "request_id"),
        ({"seats": GOOD}, "malformed", "seats"),
        ({"seats": [*GOOD, Seat()]}, "malformed", "seats[5]"),
        ({"seats": [*GOOD, Seat(player_id="p1", bot_level="greedy")]}, "malformed", "seats[5]"),
        ({"seats": [*GOOD, Seat(player_id="p1")]}, "malformed", "seats[5].name"),
        ({"seats": [*GOOD, Seat(bot_level="greedy", name="a\0b")]}, "malformed", "seats[5].name"),
        ({"seats": [*GOOD[:4], *[Seat(player_id="p1", name="Ann")] * 2]}, "malformed", "seats"),
        ({"seats": [*GOOD, Seat(bot_level="genius")]}, "unknown_bot_level", "seats[5].bot_level"),
        ({"length": MatchLength(hands=33)}, "malformed", "length.hands"),
        ({"clock": Clock(answers_least_ms=2, answers_most_ms=1)}, "malformed", "clock.answers_least_ms"),
        ({"rules": RuleSet(overrides={"burn": "perhaps"})}, "bad_rule_value", "rules"),
        ({"tournament": "a\0b"}, "malformed", "tournament"),
        ({"board": BOARD}, "malformed", "board_secret"),
        ({"board_secret": b"sealed"}, "malformed", "board_secret"),
        ({"board": BOARD, "board_secret": bytes(257)}, "malformed", "board_secret"),
        ({"board": Board(commitment=bytes(32)), "board_secret": b"s"}, "malformed", "board.board_id"),
        ({"board": Board(board_id="b", commitment=bytes(31)), "board_secret": b"s"}, "malformed", "board.commitment"),
    ],
)
def test_a_request_that_makes_no_table_is_refused(changes: dict[str, object], reason: str, field: str) -> None:
    with pytest.raises(ServiceError) as caught:
        of_request(request(**changes), "tb1", LEVELS)
    assert caught.value.reason == reason
    assert caught.value.metadata["field"] == field
