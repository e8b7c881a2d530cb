"""The policy on small snapshots, and its promises on drawn ones."""

import random

from hypothesis import given
from hypothesis import strategies as st

from gouji.matchmaking.policy import SEATS, Proposal, Waiting, propose, seat

STANDARD, LIANZHONG, QINGDAO = "standard", "lianzhong", "qingdao"
SECOND = 1_000_000


def waiting(number: int, **changes: object) -> Waiting:
    ticket = Waiting(f"t{number}", f"p{number}", "Ann", "local/quick", (STANDARD,), "hands:3", number, 10 * SECOND)
    return ticket._replace(**changes)  # type: ignore[arg-type]


def ids(proposal: Proposal) -> set[str]:
    return {ticket.ticket_id for ticket in proposal.tickets}


def test_nobody_waits_nothing_is_proposed() -> None:
    assert propose([], 0) == []


def test_six_people_sit_down_at_once() -> None:
    [proposal] = propose([waiting(n) for n in range(6)], now=6)
    assert ids(proposal) == {f"t{n}" for n in range(6)}
    assert (proposal.queue, proposal.rules, proposal.length) == ("local/quick", STANDARD, "hands:3")


def test_the_oldest_of_seven_are_seated() -> None:
    [proposal] = propose([waiting(n) for n in reversed(range(7))], now=7)
    assert ids(proposal) == {f"t{n}" for n in range(6)}


def test_five_people_wait_for_a_sixth() -> None:
    assert propose([waiting(n) for n in range(5)], now=9 * SECOND) == []


def test_bots_fill_when_the_first_has_waited_long_enough() -> None:
    [proposal] = propose([waiting(n) for n in range(5)], now=10 * SECOND)
    assert len(proposal.seats) == SEATS
    assert ids(proposal) == {f"t{n}" for n in range(5)}


def test_one_impatient_ticket_takes_the_others_along() -> None:
    [proposal] = propose([waiting(0), waiting(1, bots_after=0)], now=2)
    assert ids(proposal) == {"t0", "t1"}


def test_whoever_wants_people_only_is_never_seated_with_bots() -> None:
    snapshot = [waiting(0), *(waiting(n, bots_after=None) for n in range(1, 5))]
    [proposal] = propose(snapshot, now=10**9 * SECOND)
    assert ids(proposal) == {"t0"}


def test_whoever_wants_people_only_plays_with_five_others() -> None:
    [proposal] = propose([waiting(n, bots_after=None if n % 2 else 0) for n in range(6)], now=6)
    assert len(proposal.tickets) == SEATS


def test_queues_and_lengths_do_not_mix() -> None:
    snapshot = [waiting(n) for n in range(3)]
    snapshot += [waiting(n, queue="local/long") for n in range(3, 6)]
    snapshot += [waiting(n, length="target:30") for n in range(6, 9)]
    assert propose(snapshot, now=9) == []


def test_the_dearest_rules_of_the_oldest_are_played_when_six_accept_both() -> None:
    snapshot = [
        waiting(0, rules=(LIANZHONG, STANDARD)),
        *(waiting(n, rules=(STANDARD, LIANZHONG)) for n in range(1, 6)),
    ]
    [proposal] = propose(snapshot, now=6)
    assert proposal.rules == LIANZHONG


def test_a_rule_set_that_all_six_accept_is_found_behind_a_dearer_one() -> None:
    snapshot = [waiting(0, rules=(LIANZHONG, STANDARD)), *(waiting(n) for n in range(1, 6))]
    [proposal] = propose(snapshot, now=6)
    assert proposal.rules == STANDARD


def test_with_bots_the_rules_that_most_people_accept_are_played() -> None:
    snapshot = [
        waiting(0, rules=(LIANZHONG, QINGDAO, STANDARD), bots_after=0),
        waiting(1, rules=(QINGDAO,)),
        waiting(2, rules=(STANDARD,)),
        waiting(3, rules=(STANDARD,)),
    ]
    [proposal] = propose(snapshot, now=4)
    assert (proposal.rules, ids(proposal)) == (STANDARD, {"t0", "t2", "t3"})


def test_a_player_in_two_queues_gets_one_table() -> None:
    twice = waiting(6, player_id="p0", queue="local/long", bots_after=0)
    [proposal] = propose([*(waiting(n) for n in range(6)), twice], now=7)
    assert "t6" not in ids(proposal)


def test_two_people_play_in_opposite_teams() -> None:
    for number in range(50):
        seats = seat([waiting(number), waiting(number + 1)])
        assert sorted(n % 2 for n, ticket in enumerate(seats) if ticket) == [0, 1]


def test_every_seat_is_drawn_about_as_often() -> None:
    counts = [0] * SEATS
    for number in range(3000):
        group = [waiting(number * SEATS + n) for n in range(SEATS)]
        counts[seat(group).index(group[0])] += 1
    assert min(counts) > 400


RULES = st.lists(st.sampled_from([STANDARD, LIANZHONG, QINGDAO]), min_size=1, max_size=3, unique=True).map(tuple)


@st.composite
def snapshots(draw: st.DrawFn) -> list[Waiting]:
    """Tickets with one a player and queue."""
    owners = st.tuples(st.integers(0, 40), st.sampled_from(["local/quick", "local/long"]))
    keys = draw(st.lists(owners, unique=True, max_size=60))
    return [
        Waiting(
            ticket_id=f"t{number}",
            player_id=f"p{player}",
            name="Ann",
            queue=queue,
            rules=draw(RULES),
            length=draw(st.sampled_from(["hands:3", "target:30"])),
            since=draw(st.integers(0, 20)),
            bots_after=draw(st.none() | st.integers(0, 20)),
        )
        for number, (player, queue) in enumerate(keys)
    ]


NOW = st.integers(20, 40)


@given(snapshots(), NOW)
def test_a_ticket_and_a_player_are_in_one_proposal_at_most(snapshot: list[Waiting], now: int) -> None:
    tickets = [ticket for proposal in propose(snapshot, now) for ticket in proposal.tickets]
    assert len({ticket.ticket_id for ticket in tickets}) == len(tickets)
    assert len({ticket.player_id for ticket in tickets}) == len(tickets)
    assert set(tickets) <= set(snapshot)


@given(snapshots(), NOW)
def test_every_table_has_six_seats_that_agree(snapshot: list[Waiting], now: int) -> None:
    for proposal in propose(snapshot, now):
        assert len(proposal.seats) == SEATS
        assert proposal.tickets
        for ticket in proposal.tickets:
            assert proposal.rules in ticket.rules
            assert (ticket.queue, ticket.length) == (proposal.queue, proposal.length)
        teams = [sum(seat is not None for seat in proposal.seats[team::2]) for team in (0, 1)]
        assert abs(teams[0] - teams[1]) <= 1


@given(snapshots(), NOW)
def test_bots_sit_only_with_those_who_welcome_them_and_not_too_soon(snapshot: list[Waiting], now: int) -> None:
    for proposal in propose(snapshot, now):
        if None in proposal.seats:
            patience = [ticket.bots_after for ticket in proposal.tickets]
            assert None not in patience
            assert any(now - ticket.since >= (ticket.bots_after or 0) for ticket in proposal.tickets)


@given(snapshots(), NOW)
def test_nobody_who_welcomes_bots_is_left_past_the_bound(snapshot: list[Waiting], now: int) -> None:
    seated = {ticket.player_id for proposal in propose(snapshot, now) for ticket in proposal.tickets}
    left = [ticket for ticket in snapshot if ticket.player_id not in seated]
    assert all(ticket.bots_after is None or now - ticket.since < ticket.bots_after for ticket in left)


@given(snapshots(), NOW)
def test_no_six_who_fit_are_left(snapshot: list[Waiting], now: int) -> None:
    seated = {ticket.player_id for proposal in propose(snapshot, now) for ticket in proposal.tickets}
    left = [ticket for ticket in snapshot if ticket.player_id not in seated]
    for queue, length, rules in {(t.queue, t.length, r) for t in left for r in t.rules}:
        assert sum((t.queue, t.length) == (queue, length) and rules in t.rules for t in left) < SEATS


@given(snapshots(), NOW)
def test_of_tickets_that_ask_the_same_the_oldest_are_seated_first(snapshot: list[Waiting], now: int) -> None:
    alike = [
        ticket._replace(rules=(STANDARD,), length="hands:3", queue="local/quick", bots_after=30) for ticket in snapshot
    ]
    alike = list({ticket.player_id: ticket for ticket in alike}.values())
    seated = {ticket for proposal in propose(alike, now) for ticket in proposal.tickets}
    left = set(alike) - seated
    order = [(ticket.since, ticket.ticket_id) for ticket in sorted(seated)]
    assert not left or not seated or max(order) < min((ticket.since, ticket.ticket_id) for ticket in left)


@given(snapshots(), NOW, st.randoms(use_true_random=False))
def test_the_order_of_the_snapshot_does_not_matter(snapshot: list[Waiting], now: int, chance: random.Random) -> None:
    shuffled = snapshot.copy()
    chance.shuffle(shuffled)
    assert propose(shuffled, now) == propose(snapshot, now)
