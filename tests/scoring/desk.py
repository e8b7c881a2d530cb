"""Scoring as a table server and others use it, over real gRPC, and results to bring."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.serving.app import App
from gouji.serving.errors import reason_of
from gouji.serving.schema import outbox, player_points
from gouji.v1 import leaderboard_pb2, leaderboard_pb2_grpc, rules_pb2, scoring_pb2, scoring_pb2_grpc
from gouji.v1.events_pb2 import Seat
from gouji.v1.scoring_pb2 import HandResult
from gouji.wire.bots import level_of

SIX = tuple("abcdef")
SCORES = (4, 2, 0, 0, -2, -4)
ENDED_US = time.time_ns() // 1000
"""Just now: nobody's rating has widened since."""

DAY_US = 86_400_000_000


def hand(
    table_id: str = "t1",
    number: int = 1,
    *,
    players: Sequence[str] = ("ann", "bob", "", "", "", ""),
    scores: Sequence[int] = SCORES,
    preset: str = "",
    ended: int = ENDED_US,
    **more: Any,
) -> HandResult:
    """A hand of a queue's match, not its last, as a table writes it; a player of no name is a bot."""
    plain = {"order": range(6), "team_scores": [sum(scores[0::2]), sum(scores[1::2])], "queue": "local/quick"}
    seats = [Seat(player_id=one, bot_level=level_of(one)) if one else Seat(bot_level="greedy") for one in players]
    rules = rules_pb2.RuleSet(preset=preset, overrides={"report_at": "9", "burn": "false", "yield": "true"})
    plain |= {"digest": "abc", "results": number, "stand_in": "greedy"}
    made = HandResult(table_id=table_id, hand=number, rules=rules, seats=seats, scores=scores, **(plain | more))
    made.ended.FromMicroseconds(ended)
    made.began.FromMicroseconds(ended - 60_000_000)
    return made


def last(table_id: str = "t1", number: int = 1, *, players: Sequence[str] = SIX, **more: Any) -> HandResult:
    """The last hand of a match of six people."""
    return hand(table_id, number, players=players, last=True, **more)


@dataclass
class Desk:
    """One scoring service, and what stands in its database."""

    app: App
    stub: Any

    @classmethod
    def of(cls, app: App) -> "Desk":
        """Call as a service."""
        return cls(app, app.channels.stub("scoring", scoring_pb2_grpc.ScoringServiceStub))

    async def write(self, *results: HandResult) -> None:
        """Write results as a table does, each once."""
        rows = [
            {"table_id": each.table_id, "hand": each.hand, "payload": each.SerializeToString(), "created_at": 0}
            for each in results
        ]
        once = self.app.database.insert(outbox).on_conflict_do_nothing(index_elements=["table_id", "hand"])
        async with self.app.database.begin() as connection:
            await connection.execute(once, rows)

    async def send(self, result: HandResult) -> bool:
        """Send a result; whether it was recorded before."""
        answer = await self.stub.RecordHand(scoring_pb2.RecordHandRequest(result=result))
        return bool(answer.already_recorded)

    async def record(self, *results: HandResult) -> None:
        """Write results and send them."""
        await self.write(*results)
        for each in results:
            await self.send(each)

    async def correct(self, table_id: str = "t1", number: int = 1, revision: int = 1, **ruling: Any) -> int:
        """Correct a hand as a director; the revision that stands then."""
        token = (("authorization", f"Bearer {self.app.tokens.mint_director('dora')}"),)
        wanted = {"reason": "the order was read wrongly", **ruling}
        request = scoring_pb2.CorrectHandRequest(table_id=table_id, hand=number, revision=revision, **wanted)
        async with grpc.aio.insecure_channel(self.app.address) as channel:
            stub: Any = scoring_pb2_grpc.ScoringServiceStub(channel)
            return int((await stub.CorrectHand(request, metadata=token)).revision)

    async def points(self, player_id: str) -> list[tuple[int, int]]:
        """The points and the place that a player made of each hand."""
        found = [row for row in await self.rows(player_points) if row.player_id == player_id]
        return [(row.points, row.place) for row in found]

    async def leaders(self, **board: str) -> dict[str, int]:
        """Players on a leaderboard of points, best first, with their scores."""
        stub: Any = self.app.channels.stub("scoring", leaderboard_pb2_grpc.LeaderboardServiceStub)
        request = leaderboard_pb2.GetLeaderboardRequest(board=leaderboard_pb2.Leaderboard(**board))
        return {row.player_id: row.score for row in (await stub.GetLeaderboard(request)).rows}

    async def match(self, table_id: str = "t1") -> list[HandResult]:
        answer = await self.stub.GetMatch(scoring_pb2.GetMatchRequest(table_id=table_id))
        return list(answer.hands)

    async def corrections(self, table_id: str = "t1") -> list[scoring_pb2.Correction]:
        answer = await self.stub.GetMatch(scoring_pb2.GetMatchRequest(table_id=table_id))
        return list(answer.corrections)

    async def ratings(self, *players: str, family: str = "standard") -> dict[str, tuple[float, float, int]]:
        """Mean, deviation and matches of some; of six people by default."""
        request = scoring_pb2.GetRatingsRequest(player_ids=players or SIX, family=family)
        answer = (await self.stub.GetRatings(request)).ratings
        assert [one.player_id for one in answer] == list(players or SIX)
        return {one.player_id: (one.mu, one.sigma, one.matches) for one in answer}

    async def rows(self, table: sa.Table) -> list[Any]:
        """All rows of a table, in the order of their keys."""
        async with self.app.database.connect() as connection:
            return list(await connection.execute(sa.select(table).order_by(*table.primary_key)))

    async def count(self, *tables: sa.Table) -> list[int]:
        return [len(await self.rows(table)) for table in tables]


@asynccontextmanager
async def refusal(reason: str, code: grpc.StatusCode) -> AsyncIterator[None]:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        yield
    assert (reason_of(refused.value), refused.value.code()) == (reason, code)
