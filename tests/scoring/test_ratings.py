"""Ratings over real gRPC, on both databases: changed once all hands of a match are there, and looked up."""

import asyncio
import random
from typing import Any

import grpc
import pytest

from gouji.scoring.rating import MODEL, START, Skill, after, match_to_rate, widened
from gouji.scoring.service import MOST_RATINGS
from gouji.serving.app import App
from gouji.serving.errors import refusal_of
from gouji.serving.schema import match_results, rated_matches, rating_changes, ratings
from gouji.v1 import scoring_pb2, scoring_pb2_grpc
from gouji.v1.scoring_pb2 import Conduct, GetRatingsRequest, HandResult

from .desk import DAY_US, ENDED_US, SIX, Desk, hand, last

BOT = "bot:greedy"
BEGINNERS = dict.fromkeys([*SIX, BOT], START)


def shown(skills: dict[str, Skill]) -> dict[str, tuple[float, float, int]]:
    """Skills as the service shows them."""
    return {one: skill[:3] for one, skill in sorted(skills.items())}


def rated(before: dict[str, Skill], *results: HandResult) -> dict[str, Skill]:
    """What a match makes of ratings."""
    made = match_to_rate(results)
    assert made is not None
    return {**before, **after(made, {one: before[one] for one in made.involved})}


async def test_a_queues_match_changes_six_ratings_once_all_its_hands_are_there_in_any_order(desk: Desk) -> None:
    hands = [hand(players=SIX), hand(number=2, players=SIX), last(number=3)]
    for made in random.Random(4).sample(hands, 3):
        assert await desk.ratings() == shown(dict.fromkeys(SIX, START))
        await desk.record(made)
    expected = rated(dict.fromkeys(SIX, START), *hands)
    assert await desk.ratings() == shown(expected)
    assert {row.player_id: row.updated_at for row in await desk.rows(ratings)} == dict.fromkeys(SIX, ENDED_US)


async def test_ratings_go_on_from_where_they_are_and_each_change_is_written_down(desk: Desk) -> None:
    expected = dict.fromkeys(SIX, START)
    for number in range(3):
        await desk.record(last(f"t{number}"))
        expected = rated(expected, last(f"t{number}"))
    assert await desk.ratings() == shown(expected)
    order = await desk.rows(rated_matches)
    assert [row.table_id for row in order] == ["t0", "t1", "t2"]
    assert {(row.family, row.model, row.revision, row.corrections) for row in order} == {("standard", MODEL, 1, 0)}
    mine = [row for row in await desk.rows(rating_changes) if row.player_id == "a"]
    assert [row.number for row in mine] == [row.number for row in order]
    assert [row.matches for row in mine] == [1, 2, 3]
    assert mine[0].mu_before == START.mu
    assert [row.mu_before for row in mine[1:]] == [row.mu_after for row in mine[:-1]]
    assert (mine[-1].mu_after, mine[-1].sigma_after) == expected["a"][:2]


async def test_a_hand_that_is_sent_again_is_rated_once(desk: Desk) -> None:
    await desk.write(last())
    await asyncio.gather(*(desk.send(last()) for _ in range(10)))
    assert {matches for _, _, matches in (await desk.ratings()).values()} == {1}


@pytest.mark.parametrize("made", [hand(players=SIX), last(queue=""), last(abandoned=True, order=[], scores=[])])
async def test_other_hands_and_other_tables_change_nobodys_rating(desk: Desk, made: HandResult) -> None:
    await desk.record(made)
    assert set((await desk.ratings()).values()) == {START[:3]}
    assert await desk.rows(rated_matches) == []


async def test_tournaments_are_rated_too(desk: Desk) -> None:
    await desk.record(last(queue="", tournament="cup"))
    assert (await desk.ratings())["a"][0] > START.mu
    (row,) = await desk.rows(match_results)
    assert (row.tournament, row.queue, row.region) == ("cup", "", "")


async def test_bots_have_a_rating_for_their_level(desk: Desk) -> None:
    await desk.record(last(players=["a", "", "c", "", "e", ""]))
    found = await desk.ratings("a", BOT)
    assert found["a"][0] > START.mu > found[BOT][0]
    assert found[BOT][2] == 1


async def test_a_bot_that_stood_in_keeps_its_rating_and_whom_it_stood_in_for_does_not_gain(desk: Desk) -> None:
    await desk.record(last(conduct=[Conduct(by_bot=9), *[Conduct(by_player=9)] * 5]))
    found = await desk.ratings("a", "c", BOT)
    assert found["a"] == (START.mu, START.sigma, 1)
    assert found["c"][0] > START.mu
    assert found[BOT] == START[:3]


async def test_each_family_of_rules_has_ratings_of_its_own(desk: Desk) -> None:
    await desk.record(last(preset="qingdao"))
    assert set((await desk.ratings()).values()) == {START[:3]}
    assert set((await desk.ratings(family="qingdao")).values()) != {START[:3]}


async def test_who_has_not_played_for_long_is_less_sure_when_read_and_when_rated(desk: Desk) -> None:
    first, later = last(ended=ENDED_US - 9 * DAY_US), last("t2")
    await desk.record(first)
    then = rated(dict.fromkeys(SIX, START), first)
    found = {one: widened(one, skill, ENDED_US) for one, skill in then.items()}
    assert found["a"].sigma > then["a"].sigma
    assert await desk.ratings() == shown(found)
    await desk.record(later)
    assert {row.player_id: row.sigma for row in await desk.rows(ratings)} == {
        one: skill.sigma for one, skill in rated(found, later).items()
    }


async def test_matches_that_end_at_once_with_the_same_players_are_all_rated_in_one_order(desk: Desk) -> None:
    tables = {f"t{number}": last(f"t{number}", players=SIX[number:] + SIX[:number]) for number in range(6)}
    await asyncio.gather(*(desk.record(made) for made in tables.values()))
    expected = dict.fromkeys(SIX, START)
    for row in await desk.rows(rated_matches):
        expected = rated(expected, tables[row.table_id])
    assert await desk.ratings() == shown(expected)


async def test_ratings_say_whether_they_are_provisional(desk: Desk) -> None:
    answer = await desk.stub.GetRatings(GetRatingsRequest(player_ids=["a"], family="standard"))
    assert answer.ratings[0].provisional


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (GetRatingsRequest(family="standard"), "player_ids"),
        (GetRatingsRequest(player_ids=["p"] * (MOST_RATINGS + 1), family="standard"), "player_ids"),
        (GetRatingsRequest(player_ids=["p", ""], family="standard"), "player_ids[1]"),
        (GetRatingsRequest(player_ids=["a\0b"], family="standard"), "player_ids[0]"),
        (GetRatingsRequest(player_ids=["p"]), "family"),
    ],
)
async def test_a_question_that_makes_no_sense_is_refused(desk: Desk, asked: GetRatingsRequest, field: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await desk.stub.GetRatings(asked)
    told = refusal_of(refused.value)
    assert told
    assert (told.reason, told.metadata["field"]) == ("malformed", field)


async def test_players_may_not_ask_for_ratings(app: App) -> None:
    mine = (("authorization", f"Bearer {app.tokens.mint_player('ann', 'Ann').access_token}"),)
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub: Any = scoring_pb2_grpc.ScoringServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.GetRatings(scoring_pb2.GetRatingsRequest(player_ids=["ann"], family="standard"), metadata=mine)
    assert refused.value.code() == grpc.StatusCode.PERMISSION_DENIED
