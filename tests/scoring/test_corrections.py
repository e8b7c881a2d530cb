"""Corrections of recorded hands over real gRPC, on both databases."""

import asyncio
from typing import Any

import grpc
import pytest

from gouji.scoring import intake
from gouji.scoring.rating import START, after, match_to_rate
from gouji.scoring.service import MOST_REASON
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.schema import (
    hand_corrections,
    hand_results,
    match_results,
    match_seats,
    player_points,
    rated_matches,
    rating_changes,
)
from gouji.v1.scoring_pb2 import HandResult

from .desk import SIX, Desk, hand, last, refusal

TURNED = {"order": [5, 4, 3, 2, 1, 0], "scores": [-4, -2, 0, 0, 2, 4], "team_scores": [-2, 2]}


def turned(made: HandResult) -> HandResult:
    for field in TURNED:
        made.ClearField(field)
    made.MergeFrom(HandResult(**TURNED))  # type: ignore[arg-type]
    return made


async def test_a_correction_is_a_revision_and_points_and_sums_follow(desk: Desk) -> None:
    await desk.record(hand(players=SIX), last(number=2))
    kept = await desk.rows(hand_results)
    assert await desk.correct(**TURNED) == 2
    first, second = await desk.match()
    assert (first.revision, second.revision) == (2, 1)
    assert (list(first.order), list(first.scores)) == (TURNED["order"], TURNED["scores"])
    assert await desk.rows(hand_results) == kept
    assert await desk.points("a") == [(-4, 6), (4, 1)]
    assert set((await desk.leaders()).values()) == {0}
    (match,) = await desk.rows(match_results)
    assert (match.even_points, match.odd_points) == (0, 0)
    assert [row.points for row in await desk.rows(match_seats)] == [0] * 6
    assert [row.points for row in await desk.rows(player_points)][:6] == TURNED["scores"]


async def test_who_corrected_is_kept_and_when_and_why_is_told(desk: Desk) -> None:
    await desk.record(last())
    await desk.correct(voided=True, reason="a card was missing")
    (row,) = await desk.rows(hand_corrections)
    assert (row.revision, row.number, row.corrected_by, row.reason) == (2, 1, "dora", "a card was missing")
    (told,) = await desk.corrections()
    assert (told.hand, told.revision, told.reason) == (1, 2, "a card was missing")
    assert told.corrected.ToMicroseconds() == row.corrected_at > 0
    assert (await desk.match())[0].voided


async def test_a_rated_match_that_is_corrected_moves_ratings_by_what_it_should_have_made(desk: Desk) -> None:
    await desk.record(last("t1"), last("t2"))
    stands = await desk.ratings()
    await desk.correct("t1", **TURNED)
    now = await desk.ratings()
    old, new = (match_to_rate([made]) for made in (last("t1"), turned(last("t1"))))
    assert old is not None
    assert new is not None
    before = dict.fromkeys(SIX, START)
    for player in SIX:
        change = after(new, before)[player].mu - after(old, before)[player].mu
        assert now[player] == (pytest.approx(stands[player][0] + change), *stands[player][1:])
    assert [(row.table_id, row.corrections) for row in await desk.rows(rated_matches)] == [
        ("t1", 0),
        ("t2", 0),
        ("t1", 1),
    ]
    assert await desk.count(rating_changes) == [18]


async def test_a_match_none_of_whose_hands_counts_is_taken_out_of_the_ratings_and_may_come_back(desk: Desk) -> None:
    await desk.record(last())
    stands = await desk.ratings()
    await desk.correct(voided=True)
    assert [mu for mu, _, _ in (await desk.ratings()).values()] == pytest.approx([START.mu] * 6)
    assert {matches for _, _, matches in (await desk.ratings()).values()} == {0}
    assert (await desk.points("a"), await desk.leaders()) == ([], {})
    (match,) = await desk.rows(match_results)
    assert (match.voided, match.hands, match.recorded) == (True, 0, 1)
    plain = last()
    await desk.correct(revision=2, order=plain.order, scores=plain.scores, team_scores=plain.team_scores)
    assert [mu for mu, _, _ in (await desk.ratings()).values()] == pytest.approx([mu for mu, _, _ in stands.values()])
    assert await desk.points("a") == [(4, 1)]
    assert list(await desk.leaders()) == ["a", "b", "d", "c", "e", "f"]


async def test_a_match_is_rated_by_what_stands_when_its_last_hand_comes(desk: Desk) -> None:
    await desk.record(hand(players=SIX))
    await desk.correct(**TURNED)
    await desk.record(last(number=2))
    made = match_to_rate([turned(hand(players=SIX)), last(number=2)])
    assert made is not None
    expected = after(made, dict.fromkeys(SIX, START))
    assert {one: skill[0] for one, skill in (await desk.ratings()).items()} == {
        one: skill.mu for one, skill in expected.items()
    }
    assert [row.corrections for row in await desk.rows(rated_matches)] == [1]


async def test_a_void_match_that_is_put_right_is_rated_then(desk: Desk) -> None:
    await desk.record(hand(players=SIX))
    await desk.correct(voided=True)
    await desk.record(last(number=2, order=[], scores=[], abandoned=True))
    await desk.correct(revision=2, **TURNED)
    assert await desk.rows(rated_matches) == []  # it was given up all the same
    await desk.record(hand("t2", players=SIX))
    await desk.correct("t2", voided=True)
    await desk.record(last("t2", 2))
    await desk.correct("t2", 2, voided=True)
    await desk.correct("t2", 1, 2, **TURNED)
    assert [(row.table_id, row.corrections) for row in await desk.rows(rated_matches)] == [
        ("t2", 1),
        ("t2", 2),
        ("t2", 3),
    ]


async def test_of_two_corrections_of_one_revision_one_stands(desk: Desk) -> None:
    await desk.record(last())
    outcomes = await asyncio.gather(*(desk.correct(**TURNED) for _ in range(6)), return_exceptions=True)
    assert [outcome for outcome in outcomes if not isinstance(outcome, BaseException)] == [2]
    refused = [outcome for outcome in outcomes if isinstance(outcome, grpc.aio.AioRpcError)]
    assert {reason_of(error) for error in refused} == {"result_changed"}
    told = refusal_of(refused[0])
    assert told
    assert told.metadata["revision"] == "2"
    assert await desk.count(hand_corrections) == [1]


async def test_a_hand_that_is_sent_again_after_its_correction_is_known(desk: Desk) -> None:
    await desk.record(last())
    await desk.correct(**TURNED)
    assert await desk.send(last()) is True
    assert (await desk.match())[0].revision == 2


@pytest.mark.parametrize(("table_id", "number"), [("t2", 1), ("t1", 2), ("t1", 3)])
async def test_what_is_not_recorded_cannot_be_corrected(desk: Desk, table_id: str, number: int) -> None:
    await desk.record(hand(players=SIX), last(number=3, results=2, order=[], scores=[], abandoned=True))
    async with refusal("unknown_result", grpc.StatusCode.NOT_FOUND):
        await desk.correct(table_id, number, voided=True)


async def test_a_match_takes_no_corrections_without_end(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "MOST_CORRECTIONS", 1)
    await desk.record(last())
    await desk.correct(**TURNED)
    async with refusal("overloaded", grpc.StatusCode.RESOURCE_EXHAUSTED):
        await desk.correct(revision=2, voided=True)


SENSELESS: list[tuple[dict[str, Any], str]] = [
    ({"table_id": ""}, "table_id"),
    ({"table_id": "a\0b"}, "table_id"),
    ({"number": 0}, "hand"),
    ({"number": 2**31}, "hand"),
    ({"order": []}, "order"),
    ({"order": [0, 1, 2, 3, 4, 4]}, "order"),
    ({"scores": [0] * 5}, "scores"),
    ({"scores": [2**30, 0, 0, 0, 0, 0]}, "scores[0]"),
    ({"team_scores": [1]}, "team_scores"),
    ({"voided": True}, "voided"),
    ({"reason": ""}, "reason"),
    ({"reason": " "}, "reason"),
    ({"reason": "a\0b"}, "reason"),
    ({"reason": "x" * (MOST_REASON + 1)}, "reason"),
]


async def test_a_correction_that_makes_no_sense_is_refused(desk: Desk) -> None:
    await desk.record(last())
    for ruling, field in SENSELESS:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await desk.correct(**TURNED | ruling)  # type: ignore[arg-type]
        told = refusal_of(refused.value)
        assert told
        assert (told.reason, told.metadata["field"]) == ("malformed", field)
    assert await desk.count(hand_corrections) == [0]
