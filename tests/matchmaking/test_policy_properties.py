"""What the policy promises, on drawn snapshots."""

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gouji.matchmaking.policy import DEFAULT, Hall, Member, Policy, Proposal, Waiting, propose
from gouji.matchmaking.teams import SEATS

SECOND = 1_000_000
NOW = st.integers(20, 40).map(lambda seconds: seconds * SECOND)
RULES = ("standard", "lianzhong", "qingdao")


def some(chance: random.Random, names: Sequence[Any], most: int) -> list[Any]:
    return chance.sample(names, chance.randint(0, most))


def snapshot_of(seed: int, players: int) -> list[Waiting]:
    """Tickets of parties, with one ticket a player and queue."""
    chance = random.Random(seed)
    names = [f"p{number}" for number in range(players)]
    made: list[Waiting] = []
    for queue in ("local/quick", "local/long"):
        free = some(chance, names, players)
        while free:
            both = chance.random() < 0.2
            size = chance.choice((1, 1, 1, 2, 3, 6 if both else 2))
            people = tuple(
                Member(
                    player,
                    player,
                    chance.randint(10, 40) * 1.0,
                    5.0,
                    frozenset(some(chance, names, 3)) - {player},
                    frozenset(some(chance, names, 3)) - {player},
                )
                for player in free[:size]
            )
            free = free[size:]
            ticket = Waiting(
                ticket_id=f"t{len(made)}",
                queue=queue,
                members=people,
                both_teams=both,
                rules=tuple(chance.sample(RULES, chance.randint(1, 3))),
                length=chance.choice(("hands:3", "target:30")),
                since=chance.randint(0, 20) * SECOND,
                bots_after=chance.choice((None, chance.randint(0, 20) * SECOND)),
                latency_ms=chance.choice((0, 0, 50, 400)),
            )
            made.append(ticket)
    return made


SNAPSHOTS = st.builds(snapshot_of, st.integers(0, 2**32), st.integers(3, 60))
"""Drawn by a number, which is quick; fewer players are simpler."""


def people(proposal: Proposal) -> list[Member]:
    return [seated.member for seated in proposal.seats if seated]


def seated_players(proposals: list[Proposal]) -> set[str]:
    return {member.player_id for proposal in proposals for member in people(proposal)}


def left_of(snapshot: list[Waiting], proposals: list[Proposal]) -> list[Waiting]:
    """Tickets of whom nobody has a seat."""
    seated = seated_players(proposals)
    return [ticket for ticket in snapshot if not any(member.player_id in seated for member in ticket.members)]


@given(SNAPSHOTS, NOW)
def test_a_ticket_and_a_player_are_in_one_proposal_at_most(snapshot: list[Waiting], now: int) -> None:
    proposals = propose(snapshot, now)
    tickets = [ticket for proposal in proposals for ticket in proposal.tickets]
    assert len({ticket.ticket_id for ticket in tickets}) == len(tickets)
    players = [member.player_id for proposal in proposals for member in people(proposal)]
    assert len(set(players)) == len(players)
    assert {ticket.ticket_id for ticket in tickets} <= {ticket.ticket_id for ticket in snapshot}


@given(SNAPSHOTS, NOW)
def test_every_table_has_six_seats_whose_tickets_agree(snapshot: list[Waiting], now: int) -> None:
    for proposal in propose(snapshot, now):
        assert len(proposal.seats) == SEATS
        assert proposal.tickets
        for ticket in proposal.tickets:
            assert proposal.rules in ticket.rules
            assert (ticket.queue, ticket.length) == (proposal.queue, proposal.length)


@given(SNAPSHOTS, NOW)
def test_no_party_is_split_over_tables_or_against_its_will_over_teams(snapshot: list[Waiting], now: int) -> None:
    for proposal in propose(snapshot, now):
        for ticket in proposal.tickets:
            seats = [n for n, seated in enumerate(proposal.seats) if seated and seated.ticket is ticket]
            assert len(seats) == len(ticket.members)
            assert ticket.both_teams or len({n % 2 for n in seats}) == 1


@given(SNAPSHOTS, NOW)
def test_blocks_are_kept_between_tickets(snapshot: list[Waiting], now: int) -> None:
    for proposal in propose(snapshot, now):
        for mine in filter(None, proposal.seats):
            others = {seated.member.player_id for seated in proposal.seats if seated and seated.ticket != mine.ticket}
            assert others.isdisjoint(mine.member.avoids)


@given(SNAPSHOTS, NOW)
def test_recent_opponents_do_not_meet_while_all_are_new(snapshot: list[Waiting], now: int) -> None:
    for proposal in propose(snapshot, now):
        if proposal.quality.longest_wait < DEFAULT.strangers_seconds * SECOND:
            for mine in filter(None, proposal.seats):
                others = {
                    seated.member.player_id for seated in proposal.seats if seated and seated.ticket != mine.ticket
                }
                assert others.isdisjoint(mine.member.recent)


@given(SNAPSHOTS, NOW)
def test_bots_sit_only_with_those_who_welcome_them_and_not_too_soon(snapshot: list[Waiting], now: int) -> None:
    for proposal in propose(snapshot, now):
        if None in proposal.seats:
            patience = [ticket.bots_after for ticket in proposal.tickets]
            assert None not in patience
            assert any(now - ticket.since >= (ticket.bots_after or 0) for ticket in proposal.tickets)


@given(SNAPSHOTS, NOW)
def test_nobody_who_welcomes_bots_is_left_past_the_bound(snapshot: list[Waiting], now: int) -> None:
    left = left_of(snapshot, propose(snapshot, now))
    assert all(ticket.bots_after is None or now - ticket.since < ticket.bots_after for ticket in left)


@given(SNAPSHOTS, NOW)
def test_the_people_of_a_table_are_within_the_band_of_the_oldest(snapshot: list[Waiting], now: int) -> None:
    for proposal in propose(snapshot, now):
        means = [sum(one.rating for one in ticket.members) / len(ticket.members) for ticket in proposal.tickets]
        oldest = now - min(ticket.since for ticket in proposal.tickets)
        assert max(means) - min(means) <= 2 * (DEFAULT.reach(oldest) + DEFAULT.grain)


@given(SNAPSHOTS, NOW)
def test_no_six_single_people_who_fit_are_left(snapshot: list[Waiting], now: int) -> None:
    easy = [
        ticket._replace(
            members=(ticket.members[0]._replace(avoids=frozenset(), recent=frozenset(), rating=25.0),),
            latency_ms=0,
        )
        for ticket in snapshot
    ]
    left = left_of(easy, propose(easy, now))
    for queue, length, rules in {(t.queue, t.length, r) for t in left for r in t.rules}:
        assert sum((t.queue, t.length) == (queue, length) and rules in t.rules for t in left) < SEATS


@given(SNAPSHOTS, NOW)
def test_of_tickets_that_ask_the_same_and_are_as_strong_the_oldest_are_seated_first(
    snapshot: list[Waiting], now: int
) -> None:
    alike = [
        Waiting(ticket.ticket_id, "q", (Member(ticket.ticket_id, ""),), False, ("r",), "", ticket.since, 30 * SECOND)
        for ticket in snapshot
    ]
    seated = {ticket.ticket_id for proposal in propose(alike, now) for ticket in proposal.tickets}
    order = [ticket.ticket_id in seated for ticket in sorted(alike, key=lambda one: (one.since, one.ticket_id))]
    assert order == sorted(order, reverse=True)


@given(SNAPSHOTS, NOW, st.randoms(use_true_random=False))
def test_the_order_of_the_snapshot_does_not_matter(snapshot: list[Waiting], now: int, chance: random.Random) -> None:
    shuffled = snapshot.copy()
    chance.shuffle(shuffled)
    assert propose(shuffled, now) == propose(snapshot, now)


@given(SNAPSHOTS, NOW, st.integers(0, 5))
def test_a_look_that_may_make_fewer_tables_makes_the_first_of_them(
    snapshot: list[Waiting], now: int, most: int
) -> None:
    assert propose(snapshot, now, Policy(most_tables=most)) == propose(snapshot, now)[:most]


@given(SNAPSHOTS, st.randoms(use_true_random=False), st.integers(1, 4))
def test_a_hall_that_is_kept_makes_the_tables_that_a_new_one_makes(
    snapshot: list[Waiting], chance: random.Random, most: int
) -> None:
    policy = Policy(most_tables=most)
    hall, waiting = Hall(policy), dict[str, Waiting]()
    coming = snapshot.copy()
    now = 20 * SECOND
    while coming or waiting:
        for ticket in coming[: chance.randint(1, 12)]:
            hall.add(ticket)
            waiting[ticket.ticket_id] = ticket
            coming.remove(ticket)
        for ticket_id in some(chance, list(waiting), min(2, len(waiting))):
            hall.remove(ticket_id)
            hall.remove(ticket_id)
            del waiting[ticket_id]
        assert [ticket.ticket_id for ticket in hall.oldest()] == sorted(
            waiting, key=lambda one: (waiting[one].since, one)
        )
        proposals = hall.propose(now)
        assert proposals == propose(waiting.values(), now, policy)
        lost = some(chance, proposals, min(1, len(proposals)))
        seated = seated_players(proposals)
        for ticket_id, ticket in list(waiting.items()):
            if any(member.player_id in seated for member in ticket.members):
                assert ticket_id not in hall
                del waiting[ticket_id]
        for ticket in (ticket for proposal in lost for ticket in proposal.tickets):
            hall.add(ticket)
            hall.add(ticket)
            waiting[ticket.ticket_id] = ticket
        if not coming and chance.random() < 0.3:
            break
        now += chance.randint(0, 10) * SECOND
