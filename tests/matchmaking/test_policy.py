"""The policy on small snapshots."""

import pytest

from gouji.matchmaking.policy import Level, Member, Policy, Proposal, Waiting, propose, seat
from gouji.matchmaking.teams import SEATS

STANDARD, LIANZHONG, QINGDAO = "standard", "lianzhong", "qingdao"
SECOND = 1_000_000


def member(name: str, rating: float = 25.0, **changes: object) -> Member:
    return Member(name, name.title(), rating)._replace(**changes)  # type: ignore[arg-type]


def waiting(number: int, *members: Member, rating: float = 25.0, **changes: object) -> Waiting:
    """Ticket number n of its own member, or of those given; it has waited since microsecond n."""
    people = members or (member(f"p{number}", rating),)
    ticket = Waiting(f"t{number}", "local/quick", people, False, (STANDARD,), "hands:3", number, 10 * SECOND)
    return ticket._replace(**changes)  # type: ignore[arg-type]


def party(number: int, size: int, **changes: object) -> Waiting:
    rating = changes.pop("rating", 25.0)
    return waiting(number, *(member(f"p{number}.{each}", rating) for each in range(size)), **changes)  # type: ignore[arg-type]


def ids(proposal: Proposal) -> set[str]:
    return {ticket.ticket_id for ticket in proposal.tickets}


def team_of(proposal: Proposal, player_id: str) -> int:
    (found,) = [n % 2 for n, seated in enumerate(proposal.seats) if seated and seated.member.player_id == player_id]
    return found


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


def test_whoever_is_nearest_by_rating_is_taken_before_whoever_waits_longer() -> None:
    far, near = waiting(1, rating=27.0), waiting(7, rating=25.1)
    [proposal] = propose([waiting(0), far, *(waiting(n) for n in range(2, 6)), near], now=8)
    assert ids(proposal) == {"t0", "t2", "t3", "t4", "t5", "t7"}


def test_who_is_too_far_by_rating_is_taken_once_the_band_is_wide_enough() -> None:
    policy = Policy(band=4.0, band_growth=0.5, uneven=0.5)
    snapshot = [*(waiting(n, bots_after=None) for n in range(5)), waiting(5, rating=33.0, bots_after=None)]
    assert propose(snapshot, 7 * SECOND, policy) == []
    [proposal] = propose(snapshot, 8 * SECOND, policy)
    assert len(proposal.tickets) == SEATS


def test_an_uneven_match_is_made_once_its_oldest_has_waited_for_a_better_one() -> None:
    policy = Policy(uneven=0.1, uneven_growth=0.01)
    strong, weak = party(0, 3, rating=30.0, bots_after=None), party(1, 3, rating=25.0, bots_after=None)
    [proposal] = propose([strong, weak], 60 * SECOND, policy)
    off = abs(proposal.quality.win_chance - 0.5)
    assert off > policy.uneven
    late = int((off - policy.uneven) / policy.uneven_growth) * SECOND
    assert propose([strong, weak], late, policy) == []
    assert len(propose([strong, weak], late + 2 * SECOND, policy)) == 1


def test_a_more_even_company_is_taken_before_a_nearer_one() -> None:
    near, far = party(1, 3, rating=31.0), [waiting(n, rating=rating) for n, rating in enumerate((18, 25, 32), start=2)]
    [proposal] = propose([party(0, 3), near, *far], 9, Policy(uneven=0.05))
    assert ids(proposal) == {"t0", "t2", "t3", "t4"}


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


@pytest.mark.parametrize(("ratings", "level"), [((5.0, 12.0), "weak"), ((22.0, 26.0), "fair"), ((34.0,), "strong")])
def test_bots_are_of_the_level_nearest_to_the_people(ratings: tuple[float, ...], level: str) -> None:
    levels = (Level("weak", 10.0), Level("fair", 25.0), Level("strong", 35.0))
    snapshot = [waiting(n, rating=rating, bots_after=0) for n, rating in enumerate(ratings)]
    [proposal] = propose(snapshot, 9, Policy(band=10, levels=levels))
    assert proposal.bot_level == level


def test_what_bots_have_earned_under_such_rules_counts_more_than_a_guess() -> None:
    rules = '{"preset": "qingdao"}'
    policy = Policy(earned={"qingdao": (Level("random", 24.0), Level("greedy", 33.0))})
    [proposal] = propose([waiting(1, rating=25.0, bots_after=0, rules=(rules,))], 9, policy)
    assert (proposal.bot_level, proposal.quality.spread) == ("random", 0.0)
    other = '{"preset": "standard"}'
    [guessed] = propose([waiting(1, rating=25.0, bots_after=0, rules=(other,))], 9, policy)
    assert guessed.bot_level == "planner"


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
    twice = waiting(6, member("p0"), queue="local/long", bots_after=0)
    [proposal] = propose([*(waiting(n) for n in range(6)), twice], now=7)
    assert "t6" not in ids(proposal)


@pytest.mark.parametrize("sizes", [(3, 3), (3, 2, 1), (2, 2, 1, 1), (3, 1, 1, 1), (2, 1, 1, 1, 1)])
def test_parties_play_in_one_team(sizes: tuple[int, ...]) -> None:
    [proposal] = propose([party(n, size) for n, size in enumerate(sizes)], now=9)
    for ticket in proposal.tickets:
        assert len({team_of(proposal, one.player_id) for one in ticket.members}) == 1


def test_three_pairs_cannot_play_without_a_split_unless_one_agrees_to_it() -> None:
    pairs = [party(n, 2) for n in range(3)]
    assert propose(pairs, now=9) == []
    [proposal] = propose([*pairs[:2], pairs[2]._replace(both_teams=True)], now=9)
    assert team_of(proposal, "p2.0") != team_of(proposal, "p2.1")


def test_a_company_that_leaves_a_party_out_does_not_keep_six_others_from_playing() -> None:
    snapshot = [party(0, 3), waiting(1), party(2, 2), waiting(3, rating=28.0)]
    [proposal] = propose(snapshot, now=9)
    assert ids(proposal) == {"t0", "t1", "t2"}


@pytest.mark.parametrize("size", [4, 5, 6])
def test_a_party_for_both_teams_plays_in_both_and_others_fill(size: int) -> None:
    snapshot = [party(0, size, both_teams=True), *(waiting(n) for n in range(1, 7 - size))]
    [proposal] = propose(snapshot, now=9)
    assert {team_of(proposal, f"p0.{n}") for n in range(size)} == {0, 1}


def test_teams_are_as_even_as_they_can_be() -> None:
    ratings = [25.0, 26.0, 27.0, 24.0, 23.0, 25.0]
    [proposal] = propose([waiting(n, rating=rating) for n, rating in enumerate(ratings)], now=9)
    teams = [sum(seated.member.rating for seated in proposal.seats[team::2] if seated) for team in (0, 1)]
    assert teams == [75.0, 75.0]
    assert proposal.quality.win_chance == 0.5
    assert proposal.quality.spread == 4.0


def test_a_match_says_how_long_its_tickets_have_waited() -> None:
    [proposal] = propose([waiting(n * SECOND) for n in range(6)], now=6 * SECOND)
    assert (proposal.quality.longest_wait, proposal.quality.mean_wait) == (6 * SECOND, 3_500_000)


@pytest.mark.parametrize("who", [0, 1])
def test_a_block_keeps_two_apart_whoever_made_it(who: int) -> None:
    snapshot = [waiting(n, bots_after=None) for n in range(6)]
    blocker = member(f"p{who}", avoids=frozenset({f"p{1 - who}"}))
    snapshot[who] = snapshot[who]._replace(members=(blocker,))
    assert propose(snapshot, now=1000 * SECOND) == []
    [proposal] = propose([*snapshot, waiting(6, bots_after=None)], now=1000 * SECOND)
    assert not {"t0", "t1"} <= ids(proposal)


def test_recent_opponents_meet_again_only_after_a_while() -> None:
    snapshot = [waiting(n, bots_after=None) for n in range(5)]
    snapshot.append(waiting(5, member("p5", recent=frozenset({"p0"})), bots_after=None))
    assert propose(snapshot, now=14 * SECOND) == []
    assert len(propose(snapshot, now=15 * SECOND)) == 1


def test_who_is_far_from_the_region_waits_before_others_have_to_wait_for_its_moves() -> None:
    snapshot = [*(waiting(n, bots_after=None) for n in range(5)), waiting(5, bots_after=None, latency_ms=200)]
    assert propose(snapshot, now=9 * SECOND) == []
    assert len(propose(snapshot, now=11 * SECOND)) == 1


def test_who_is_far_from_the_region_gets_bots_when_it_asked_for_them() -> None:
    assert len(propose([waiting(0, latency_ms=2000, bots_after=5 * SECOND)], now=6 * SECOND)) == 1


def test_one_look_makes_no_more_tables_than_can_be_placed_soon() -> None:
    [proposal] = propose([waiting(n) for n in range(18)], 20, Policy(most_tables=1))
    assert ids(proposal) == {f"t{n}" for n in range(6)}


def test_two_people_play_in_opposite_teams() -> None:
    for number in range(50):
        seats = seat([waiting(number), waiting(number + 1)], STANDARD, 99).seats
        assert sorted(n % 2 for n, seated in enumerate(seats) if seated) == [0, 1]


def test_every_seat_is_drawn_about_as_often() -> None:
    counts = [0] * SEATS
    for number in range(3000):
        group = [waiting(number * SEATS + n) for n in range(SEATS)]
        seats = seat(group, STANDARD, 10**6).seats
        counts[[seated.ticket if seated else None for seated in seats].index(group[0])] += 1
    assert min(counts) > 400
