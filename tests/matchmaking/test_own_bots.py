"""Bots of others' own in queues: whom they sit with, and whom never."""

import pytest

from gouji.matchmaking.placing import of_proposal, of_request
from gouji.matchmaking.policy import Hall, Member, Proposal, Waiting, propose
from gouji.matchmaking.ready import Chair, Gathering, Verdict, next_step
from gouji.matchmaking.tickets import read_wish
from gouji.serving.errors import ServiceError
from gouji.v1.events_pb2 import Seat
from gouji.v1.matchmaking_pb2 import CreateTicketRequest, PlaceTableRequest

SECOND = 1_000_000
RULES, LENGTH = '{"preset": "standard"}', '{"hands": 1}'


def waiting(player: str, since: int = 0, bots_after: int | None = 10 * SECOND, rating: float = 25.0) -> Waiting:
    return Waiting(f"t-{player}", "q", (Member(player, player, rating),), False, (RULES,), LENGTH, since, bots_after)


def bot(account: str, number: int = 1, bots_after: int = 3600 * SECOND, rating: float = 25.0) -> Waiting:
    return waiting(f"bot:{account}/{number}", bots_after=bots_after, rating=rating)


def players(proposal: Proposal) -> list[str]:
    return sorted(seated.member.player_id for seated in proposal.seats if seated)


def test_five_people_and_a_bot_are_no_six_people() -> None:
    assert propose([*(waiting(f"p{n}") for n in range(5)), bot("acme")], 1) == []


def test_whoever_welcomes_bots_gets_those_that_wait_before_the_servers() -> None:
    [proposal] = propose([waiting("p1"), waiting("p2", since=1), bot("acme"), bot("bolt")], 10 * SECOND)
    assert players(proposal) == ["bot:acme/1", "bot:bolt/1", "p1", "p2"]
    spec = of_proposal(proposal, "tb1", 600).spec
    shown = {seat.player_id: seat.bot_level for seat in spec.seats if seat.player_id}
    assert shown == {"p1": "", "p2": "", "bot:acme/1": "external", "bot:bolt/1": "external"}
    assert {seat.bot_level for seat in spec.seats if not seat.player_id} == {"planner"}


def test_people_come_before_bots() -> None:
    people = [waiting("p0"), *(waiting(f"p{n}", rating=40.0) for n in range(1, 6))]
    [proposal] = propose([*people, bot("acme"), bot("bolt")], 11 * SECOND)
    assert players(proposal) == [f"p{n}" for n in range(6)]


def test_whoever_wants_people_alone_never_sits_with_a_bot() -> None:
    alone = [waiting(f"p{n}", bots_after=None) for n in range(5)]
    [proposal] = propose([*alone, bot("acme", bots_after=0)], 3600 * SECOND)
    assert players(proposal) == ["bot:acme/1"]


def test_an_impatient_bot_takes_nobody_along_who_still_waits_for_people() -> None:
    tickets = [waiting("p1"), bot("acme", bots_after=0), bot("bolt")]
    [proposal] = propose(tickets, SECOND)
    assert players(proposal) == ["bot:acme/1", "bot:bolt/1"]


def test_bots_of_one_account_do_not_meet() -> None:
    [proposal] = propose([waiting("p1", bots_after=0), *(bot("acme", n) for n in range(1, 4)), bot("bolt")], 1)
    assert len(players(proposal)) == 3
    assert {player.partition("/")[0] for player in players(proposal)} == {"p1", "bot:acme", "bot:bolt"}
    proposals = propose([bot("acme", n, bots_after=0) for n in range(1, 4)], 1)
    assert [len(players(one)) for one in proposals] == [1, 1, 1]


def test_a_bot_too_far_by_rating_is_passed_over() -> None:
    [proposal] = propose([waiting("p1", bots_after=0), bot("acme", rating=90.0)], 1)
    assert players(proposal) == ["p1"]


def test_a_bot_that_leaves_its_queue_is_gone() -> None:
    hall = Hall()
    for ticket in (waiting("p1", bots_after=0), bot("acme")):
        hall.add(ticket)
    hall.remove("t-bot:acme/1")
    assert [players(proposal) for proposal in hall.propose(1)] == [["p1"]]
    assert len(hall) == 0


def test_a_bot_does_not_ask_for_people_alone() -> None:
    with pytest.raises(ServiceError, match="no_bots"):
        read_wish(CreateTicketRequest(no_bots=True), 10_000, bot=True)
    assert read_wish(CreateTicketRequest(), 10_000, bot=True).bots_after_ms == 10_000


def gathering(*players: str, missing: str) -> Gathering:
    chairs = tuple(Chair(n, player, f"t{n}", player != missing, True) for n, player in enumerate(players))
    return Gathering("tb1", RULES, LENGTH, 25.0, 100, False, frozenset(range(len(players))), chairs)


PEOPLE = tuple(f"p{n}" for n in range(5))


def test_a_match_with_a_bot_in_it_is_no_match_of_people_alone() -> None:
    match = gathering(*PEOPLE, "bot:acme/1", missing="p2")
    step = next_step(match, [waiting("x", bots_after=None), bot("bolt"), waiting("y")], 100)
    assert step
    assert step.verdict is Verdict.PLACED
    assert [ticket.ticket_id for _, ticket in step.taken] == ["t-y"]
    step = next_step(match, [waiting("x", bots_after=None), bot("bolt")], 100)
    assert step
    assert (step.verdict, step.taken, step.left) == (Verdict.PLACED, (), (2,))


def test_a_bot_takes_nobodys_place_in_a_match_of_people() -> None:
    step = next_step(gathering(*PEOPLE, "p5", missing="p2"), [bot("bolt")], 100)
    assert step
    assert (step.verdict, step.taken) == (Verdict.GATHERING, ())


def test_a_placed_bot_is_labelled_whoever_asks_for_it() -> None:
    five = [Seat(bot_level="greedy")] * 5
    for level in ("", "external"):
        seat = Seat(player_id="bot:acme/1", name="acme 1", bot_level=level)
        spec = of_request(PlaceTableRequest(request_id="r1", seats=[seat, *five]), "tb1", ["greedy"]).spec
        assert spec.seats[0] == Seat(player_id="bot:acme/1", name="acme 1", bot_level="external")
    for seat in (
        Seat(player_id="p1", name="Ann", bot_level="external"),
        Seat(bot_level="external"),
        Seat(player_id="bot:acme/1", name="acme 1", bot_level="greedy"),
    ):
        with pytest.raises(ServiceError):
            of_request(PlaceTableRequest(request_id="r1", seats=[seat, *five]), "tb1", ["greedy"])
