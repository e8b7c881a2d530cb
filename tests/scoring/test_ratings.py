"""Ratings over real gRPC, on both databases: changed with the last hand of a queue's match, and looked up."""

import asyncio
from collections.abc import Sequence
from typing import Any

import grpc
import pytest

from gouji.scoring.rating import START, Match, Skill, after
from gouji.scoring.service import MOST_RATINGS
from gouji.serving.app import App
from gouji.serving.errors import refusal_of
from gouji.v1 import rules_pb2, scoring_pb2, scoring_pb2_grpc
from gouji.v1.events_pb2 import Seat

PEOPLE = [f"p{seat}" for seat in range(6)]
SCORES = (4, 2, 0, 0, -2, -4)
BOT = "bot:greedy"


def last_hand(table_id: str = "t1", players: Sequence[str] = PEOPLE, **changes: Any) -> scoring_pb2.HandResult:
    """The last hand of a queue's match; a player of no name is a bot."""
    seats = [Seat(player_id=player) if player else Seat(bot_level="greedy") for player in players]
    plain = {"hand": 2, "queue": "local/quick", "last": True, "match_scores": SCORES, "match_team_scores": (2, -2)}
    made = scoring_pb2.HandResult(
        table_id=table_id,
        rules=rules_pb2.RuleSet(preset="qingdao"),
        seats=seats,
        order=range(6),
        scores=(0,) * 6,
        team_scores=(0, 0),
        **(plain | changes),
    )
    made.ended.FromMicroseconds(1_700_000_000_123_456)
    return made


async def record(scoring: Any, made: scoring_pb2.HandResult) -> None:
    await scoring.RecordHand(scoring_pb2.RecordHandRequest(result=made))


async def skills(scoring: Any, players: Sequence[str] = PEOPLE, family: str = "qingdao") -> dict[str, Skill]:
    request = scoring_pb2.GetRatingsRequest(player_ids=players, family=family)
    ratings = (await scoring.GetRatings(request)).ratings
    assert [rating.player_id for rating in ratings] == list(players)
    return {rating.player_id: Skill(rating.mu, rating.sigma, rating.matches) for rating in ratings}


async def test_the_last_hand_of_a_queues_match_changes_six_ratings_by_the_points_of_the_match(scoring: Any) -> None:
    await record(scoring, last_hand())
    assert await skills(scoring) == after(Match(PEOPLE, SCORES, (2, -2)), dict.fromkeys(PEOPLE, START))


async def test_ratings_go_on_from_where_they_are(scoring: Any) -> None:
    expected = dict.fromkeys(PEOPLE, START)
    for number in range(3):
        await record(scoring, last_hand(f"t{number}"))
        expected = after(Match(PEOPLE, SCORES, (2, -2)), expected)
    assert await skills(scoring) == expected


async def test_a_hand_that_is_sent_again_is_rated_once(scoring: Any) -> None:
    await asyncio.gather(*(record(scoring, last_hand()) for _ in range(10)))
    assert {skill.matches for skill in (await skills(scoring)).values()} == {1}


@pytest.mark.parametrize("changes", [{"last": False}, {"queue": ""}, {"match_scores": ()}])
async def test_other_hands_and_other_tables_change_nobodys_rating(scoring: Any, changes: dict[str, Any]) -> None:
    await record(scoring, last_hand(**changes))
    assert set((await skills(scoring)).values()) == {START}


async def test_a_tournaments_match_is_rated(scoring: Any) -> None:
    await record(scoring, last_hand(queue="", tournament="spring"))
    assert {skill.matches for skill in (await skills(scoring)).values()} == {1}


async def test_bots_have_a_rating_for_their_level(scoring: Any) -> None:
    await record(scoring, last_hand(players=["p0", "", "p2", "", "p4", ""]))
    found = await skills(scoring, ["p0", BOT])
    assert found["p0"].mu > START.mu > found[BOT].mu
    assert found[BOT].matches == 1


async def test_each_family_of_rules_has_ratings_of_its_own(scoring: Any) -> None:
    await record(scoring, last_hand())
    assert set((await skills(scoring, family="standard")).values()) == {START}


async def test_matches_that_end_at_once_with_the_same_players_are_all_rated(scoring: Any) -> None:
    tables = [(f"t{number}", PEOPLE[number:] + PEOPLE[:number]) for number in range(6)]
    await asyncio.gather(*(record(scoring, last_hand(table, players)) for table, players in tables))
    assert {skill.matches for skill in (await skills(scoring)).values()} == {6}


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (scoring_pb2.GetRatingsRequest(family="standard"), "player_ids"),
        (scoring_pb2.GetRatingsRequest(player_ids=["p"] * (MOST_RATINGS + 1), family="standard"), "player_ids"),
        (scoring_pb2.GetRatingsRequest(player_ids=["p", ""], family="standard"), "player_ids[1]"),
        (scoring_pb2.GetRatingsRequest(player_ids=["a\0b"], family="standard"), "player_ids[0]"),
        (scoring_pb2.GetRatingsRequest(player_ids=["p"]), "family"),
    ],
)
async def test_a_question_that_makes_no_sense_is_refused(
    scoring: Any, request_: scoring_pb2.GetRatingsRequest, field: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await scoring.GetRatings(request_)
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
