"""What requests are taken and refused, and what tickets say."""

import pytest
from google.protobuf.duration_pb2 import Duration

from gouji.engine import RuleSet
from gouji.matchmaking.tickets import (
    Member,
    State,
    Ticket,
    check_size,
    length_message,
    length_text,
    read_length,
    read_wish,
    rules_message,
    rules_text,
    ticket_message,
)
from gouji.serving.errors import ServiceError
from gouji.v1.matchmaking_pb2 import CreateTicketRequest, TicketState
from gouji.v1.matchmaking_pb2 import Ticket as Message
from gouji.v1.rules_pb2 import MatchLength
from gouji.v1.rules_pb2 import RuleSet as Rules

STANDARD = '{"preset": "standard"}'


def refusal(request: CreateTicketRequest) -> ServiceError:
    with pytest.raises(ServiceError) as caught:
        read_wish(request, 10_000)
    return caught.value


def test_an_empty_request_means_the_defaults() -> None:
    wish = read_wish(CreateTicketRequest(), 10_000)
    assert (wish.queue, wish.rules, wish.length, wish.bots_after_ms) == (
        "local/quick",
        (STANDARD,),
        '{"hands": 3}',
        10_000,
    )


@pytest.mark.parametrize("name", ["eu-west/quick", "local/long", "a/b"])
def test_a_queue_is_a_region_and_a_format(name: str) -> None:
    assert read_wish(CreateTicketRequest(queue=name), 0).queue == name


@pytest.mark.parametrize(
    "name",
    ["local", "local/", "/quick", "local/quick/x", "Local/quick", "a b/c", "a\0/b", "-a/b", "x" * 33 + "/a"],
)
def test_another_name_is_no_queue(name: str) -> None:
    assert refusal(CreateTicketRequest(queue=name)).reason == "unknown_queue"


def test_rule_sets_keep_their_order_and_repeat_nothing() -> None:
    rules = [Rules(preset="qingdao_open", overrides={"twos_wild": "any"}), Rules(), Rules(preset="standard")]
    request = CreateTicketRequest(rules=[Rules(overrides={"burn": "false"}), *rules[1:]])
    wish = read_wish(request, 0)
    assert wish.rules == ('{"burn": "false", "preset": "standard"}', STANDARD)


@pytest.mark.parametrize(
    ("rules", "reason", "named"),
    [
        (Rules(preset="nobody_plays_so"), "unknown_rule_option", "nobody_plays_so"),
        (Rules(overrides={"fly": "true"}), "unknown_rule_option", "fly"),
        (Rules(overrides={"preset": "standard"}), "unknown_rule_option", "preset"),
        (Rules(overrides={"burn": "perhaps"}), "bad_rule_value", "burn"),
        (Rules(overrides={"no_open_on_lead": "true"}), "rules_conflict", "no_open_on_lead"),
        (Rules(overrides={"calls": "true"}), "rules_conflict", "calls"),
    ],
)
def test_rules_that_cannot_be_played_are_refused_with_the_options_name(rules: Rules, reason: str, named: str) -> None:
    error = refusal(CreateTicketRequest(rules=[Rules(), rules]))
    assert error.reason == reason
    assert named in error.message
    assert error.metadata["field"] == "rules[1]"


def test_too_many_rule_sets_are_refused() -> None:
    assert refusal(CreateTicketRequest(rules=[Rules()] * 9)).reason == "malformed"


def test_what_the_preset_says_anyway_makes_no_difference() -> None:
    assert rules_text(RuleSet.parse({"preset": "standard", "burn": "true"})) == STANDARD


def test_overrides_that_lean_on_each_other_are_kept() -> None:
    rules = RuleSet.parse({"opening": "true", "natural_open": "true"})
    assert RuleSet.parse(rules_message_spec(rules)) == rules


def rules_message_spec(rules: RuleSet) -> dict[str, str]:
    message = rules_message(rules_text(rules))
    return {"preset": message.preset, **message.overrides}


@pytest.mark.parametrize("length", [MatchLength(hands=1), MatchLength(hands=32), MatchLength(target=1000)])
def test_a_length_is_hands_or_a_target(length: MatchLength) -> None:
    assert length_message(length_text(read_length(length))) == length


@pytest.mark.parametrize(
    "length", [MatchLength(hands=0), MatchLength(hands=33), MatchLength(target=0), MatchLength(target=1001)]
)
def test_a_length_out_of_bounds_is_refused(length: MatchLength) -> None:
    assert refusal(CreateTicketRequest(length=length)).reason == "malformed"


def test_patience_is_the_tickets_own_or_none_for_people_only() -> None:
    assert read_wish(CreateTicketRequest(bots_after=Duration(seconds=3)), 10_000).bots_after_ms == 3000
    assert read_wish(CreateTicketRequest(bots_after=Duration()), 10_000).bots_after_ms == 0
    assert read_wish(CreateTicketRequest(no_bots=True), 10_000).bots_after_ms is None


@pytest.mark.parametrize(
    "request_",
    [
        CreateTicketRequest(bots_after=Duration(seconds=-1)),
        CreateTicketRequest(bots_after=Duration(seconds=86_401)),
        CreateTicketRequest(bots_after=Duration(seconds=1), no_bots=True),
    ],
)
def test_patience_that_makes_no_sense_is_refused(request_: CreateTicketRequest) -> None:
    assert refusal(request_).reason == "malformed"


def ticket(state: State, bots_after_ms: int | None = 10_000) -> Ticket:
    wish = read_wish(CreateTicketRequest(no_bots=bots_after_ms is None), bots_after_ms or 0)
    return Ticket("t1", (Member("p1", "Ann", 25.0, 8.0, state=state),), wish, state, 5_000_000, 35_000_000)


def message(ticket: Ticket, position: int = 0, *, now: int, expected: int | None = None) -> Message:
    return ticket_message(ticket, "p1", position=position, expected=expected, now=now)


def test_a_waiting_ticket_says_its_place_and_when_bots_come() -> None:
    told = message(ticket(State.WAITING), 3, now=9_000_000)
    assert (told.ticket_id, told.queue, told.position) == ("t1", "local/quick", 3)
    assert told.state == TicketState.TICKET_STATE_WAITING
    assert told.created.ToMicroseconds() == 5_000_000
    assert told.estimate.ToMicroseconds() == 6_000_000
    assert [rules.preset for rules in told.rules] == ["standard"]


def test_the_estimate_never_is_negative() -> None:
    assert message(ticket(State.WAITING), 1, now=99_000_000).estimate.ToMicroseconds() == 0


def test_there_is_no_estimate_when_only_people_are_wanted_or_the_wait_is_over() -> None:
    assert not message(ticket(State.WAITING, None), 1, now=9_000_000).HasField("estimate")
    ended = message(ticket(State.LAPSED), 1, now=9_000_000)
    assert not ended.HasField("estimate")
    assert ended.position == 0


def test_the_estimate_is_what_others_waited_if_that_is_less() -> None:
    only_people = message(ticket(State.WAITING, None), 1, now=9_000_000, expected=5_000_000)
    assert only_people.estimate.ToMicroseconds() == 1_000_000
    assert message(ticket(State.WAITING), 1, now=9_000_000, expected=60_000_000).estimate.ToMicroseconds() == 6_000_000


def test_a_latency_is_that_to_the_queues_region() -> None:
    request = CreateTicketRequest(queue="eu/quick", latencies_ms={"eu": 40, "asia": 200})
    assert read_wish(request, 0).latency_ms == 40
    assert read_wish(CreateTicketRequest(latencies_ms={"eu": 40}), 0).latency_ms == 0


def test_ratings_go_by_the_preset_of_the_dearest_rules() -> None:
    assert read_wish(CreateTicketRequest(rules=[Rules(preset="lianzhong"), Rules()]), 0).family == "lianzhong"


def test_more_than_a_team_queues_for_both_teams_only() -> None:
    check_size(3, both_teams=False)
    check_size(6, both_teams=True)
    with pytest.raises(ServiceError) as caught:
        check_size(4, both_teams=False)
    assert caught.value.metadata == {"field": "both_teams"}


def test_who_missed_a_match_is_told_so_while_its_party_waits_again() -> None:
    wish = read_wish(CreateTicketRequest(), 0)
    there, gone = Member("p1", "Ann", 25.0, 8.0), Member("p2", "Bob", 25.0, 8.0, state=State.MISSED)
    party = Ticket("t1", (there, gone), wish, State.WAITING, 0, 9, party_id="us")
    for viewer, state in (("p1", "WAITING"), ("p2", "MISSED"), ("operator", "WAITING")):
        told = ticket_message(party, viewer, position=1, expected=None, now=0)
        assert TicketState.Name(told.state) == f"TICKET_STATE_{state}"
        assert [member.player_id for member in told.members] == ["p1"]
