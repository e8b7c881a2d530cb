"""The feed: what is told, once, in the result's transaction; numbers without gaps, and readers who miss nothing."""

import asyncio
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.scoring import feed
from gouji.scoring.events import deleted
from gouji.scoring.feed import Feed
from gouji.scoring.feed_service import MOST_LIMIT
from gouji.serving.app import App
from gouji.serving.database import Database
from gouji.serving.errors import StorageUnavailable, reason_of
from gouji.serving.schema import feed_events, hand_results, webhook_deliveries
from gouji.v1 import feed_pb2, feed_pb2_grpc
from gouji.v1.scoring_pb2 import Conduct

from .desk import ENDED_US, SCORES, SIX, Desk, hand, last


@pytest.fixture
def stub(app: App) -> Any:
    """Calls as a service."""
    return app.channels.stub("scoring", feed_pb2_grpc.FeedServiceStub)


async def events(stub: Any, after: int = 0, limit: int = 0) -> list[feed_pb2.FeedEvent]:
    return list((await stub.ListEvents(feed_pb2.ListEventsRequest(after=after, limit=limit))).events)


async def refusal(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return reason_of(refused.value)


async def tell(database: Database, *names: str) -> None:
    for name in names:
        await Feed(database).tell_deletion(name)


def told(found: list[feed_pb2.FeedEvent]) -> list[tuple[int, str]]:
    return [(event.sequence, event.player_deleted.player_id) for event in found]


async def test_a_match_is_told_once_when_all_its_hands_are_recorded(stub: Any, desk: Desk) -> None:
    first, end = hand(players=SIX), last(number=2, scores=(6, 0, -6, 0, 0, 0), results=2)
    await desk.record(end)
    assert await events(stub) == []
    await desk.record(first, end)
    await desk.send(first)
    (event,) = await events(stub)
    match = event.match_finished
    assert (event.event_id, event.sequence, event.HasField("at")) == ("match_t1", 1, True)
    assert (match.table_id, match.queue, match.hands, match.corrections, match.voided) == (
        "t1",
        "local/quick",
        2,
        0,
        False,
    )
    assert list(match.team_scores) == [2, -2]
    assert [(seat.player_id, seat.score) for seat in match.seats] == list(zip(SIX, (10, 2, -6, 0, -2, -4), strict=True))
    assert [list(seat.places) for seat in match.seats][1] == [0, 2, 0, 0, 0, 0]
    assert match.ended.ToMicroseconds() == ENDED_US


async def test_a_correction_is_told_anew(stub: Any, desk: Desk) -> None:
    await desk.record(last())
    await desk.correct(voided=True)
    first, second = [event.match_finished for event in await events(stub)]
    assert (first.corrections, first.voided, first.hands) == (0, False, 1)
    assert (second.corrections, second.voided, second.hands) == (1, True, 0)
    assert [event.event_id for event in await events(stub)] == ["match_t1", "match_t1_1"]


async def test_bots_and_who_has_left_are_told_as_such(stub: Any, desk: Desk) -> None:
    conduct = [Conduct(left=True, penalty=4), *[Conduct()] * 5]
    await desk.record(last(players=("ann", "", "", "", "", ""), conduct=conduct))
    ((event),) = await events(stub)
    seats = event.match_finished.seats
    assert (seats[0].player_id, seats[0].left, seats[0].score) == ("ann", True, SCORES[0] - 4)
    assert (seats[1].player_id, seats[1].bot_level, seats[1].left) == ("", "greedy", False)


async def test_an_event_tells_neither_names_nor_cards(stub: Any, desk: Desk) -> None:
    made = last()
    for seat in made.seats:
        seat.name = f"Name of {seat.player_id}"
    await desk.record(made)
    text = str(await events(stub))
    assert not [word for word in ("Name of", "digest", "abc", "secret") if word in text]


async def test_result_and_event_are_written_together(stub: Any, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: Any) -> None:
        raise StorageUnavailable

    await desk.write(last())
    with monkeypatch.context() as patch:
        patch.setattr(feed, "add", fail)
        assert await refusal(desk.send(last())) == "storage_unavailable"
    assert await desk.rows(hand_results) == []
    await desk.send(last())
    assert len(await events(stub)) == 1


async def test_a_deletion_is_told_once(app: App, stub: Any) -> None:
    for _ in range(2):
        await stub.TellDeletion(feed_pb2.TellDeletionRequest(player_id="ann"))
    assert told(await events(stub)) == [(1, "ann")]
    for wrong in ("", "a\0b", "x" * 129):
        assert await refusal(stub.TellDeletion(feed_pb2.TellDeletionRequest(player_id=wrong))) == "malformed"


async def test_events_are_read_from_a_number_on(app: App, stub: Any) -> None:
    await tell(app.database, *"abcde")
    assert told(await events(stub, after=1, limit=2)) == [(2, "b"), (3, "c")]
    assert told(await events(stub, after=3)) == [(4, "d"), (5, "e")]
    assert await events(stub, after=5) == []
    for fields in ({"limit": MOST_LIMIT + 1}, {"after": 2**63}):
        assert await refusal(stub.ListEvents(feed_pb2.ListEventsRequest(**fields))) == "malformed"


async def test_services_and_operators_read_the_feed_and_nobody_else(app: App, stub: Any) -> None:
    tokens = {
        app.tokens.mint_player("ann", "Ann").access_token: "forbidden",
        app.tokens.mint_director("dora"): "forbidden",
        "": "token_missing",
    }
    async with grpc.aio.insecure_channel(app.address) as channel:
        outside: Any = feed_pb2_grpc.FeedServiceStub(channel)
        for token, reason in tokens.items():
            metadata = (("authorization", f"Bearer {token}"),) if token else ()
            assert await refusal(outside.ListEvents(feed_pb2.ListEventsRequest(), metadata=metadata)) == reason
        operator = (("authorization", f"Bearer {app.tokens.mint_operator('olga')}"),)
        await outside.ListEvents(feed_pb2.ListEventsRequest(), metadata=operator)
        deletion = feed_pb2.TellDeletionRequest(player_id="ann")
        assert await refusal(outside.TellDeletion(deletion, metadata=operator)) == "forbidden"


async def test_whoever_reads_at_once_sees_the_same_numbers(app: App, stub: Any) -> None:
    await tell(app.database, *map(str, range(20)))
    reads = await asyncio.gather(*(events(stub) for _ in range(8)))
    assert [event.sequence for event in reads[0]] == list(range(1, 21))
    assert all(read == reads[0] for read in reads)


async def test_a_reader_misses_nothing_that_is_committed_late(postgres_url: str) -> None:
    database = Database(postgres_url)
    read = Feed(database)
    async with database.begin() as slow:
        await feed.add(database, slow, deleted("began first"))
        await tell(database, "was committed first")
        first, _ = await read.after(0, 10)
        assert told(list(first)) == [(1, "was committed first")]
    second, _ = await read.after(1, 10)
    assert told(list(second)) == [(2, "began first")]
    await database.close()


async def test_old_events_are_forgotten_with_their_deliveries_and_numbers_go_on(app: App, stub: Any) -> None:
    await tell(app.database, *"abc")
    await events(stub)
    row = feed_events.c
    async with app.database.begin() as connection:
        long_ago = sa.update(feed_events).values(created_at=row.created_at - 31 * 86_400_000_000)
        await connection.execute(long_ago.where(row.sequence < 3))
        rows = [{"endpoint": "x", "sequence": n, "state": "parked", "due_at": 0, "outcome": ""} for n in (1, 2, 3)]
        await connection.execute(webhook_deliveries.insert(), rows)
    await Feed(app.database).prune(30 * 86400)
    await tell(app.database, "d")
    answer = await stub.ListEvents(feed_pb2.ListEventsRequest())
    assert (told(list(answer.events)), answer.oldest) == ([(3, "c"), (4, "d")], 3)
    async with app.database.connect() as connection:
        assert list(await connection.scalars(sa.select(webhook_deliveries.c.sequence))) == [3]


async def test_the_last_event_is_kept_however_old(app: App, stub: Any) -> None:
    await tell(app.database, "a")
    await events(stub)
    async with app.database.begin() as connection:
        await connection.execute(sa.update(feed_events).values(created_at=0))
    await Feed(app.database).prune(1)
    await tell(app.database, "b")
    assert told(await events(stub)) == [(1, "a"), (2, "b")]
