"""No process takes the tokens of a player who was deleted or banned; streams end, also of one who was removed."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from gouji.serving.app import App
from gouji.serving.barred import LOOK_SECONDS
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.sanctions import BAN, REMOVAL
from gouji.serving.schema import deletions, sanctions
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, running_app, until
from gouji.v1 import table_pb2_grpc
from gouji.v1.table_pb2 import ActRequest, WatchRequest

GONE = (grpc.StatusCode.NOT_FOUND, "unknown_player")
BANNED = (grpc.StatusCode.PERMISSION_DENIED, "banned")


async def outcome(call: Any) -> tuple[grpc.StatusCode, str | None]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value.code(), reason_of(caught.value)


async def delete(app: App, player_id: str, seconds_ago: float = 0) -> None:
    """Do what a gateway elsewhere does."""
    at = app.database.now() - round(seconds_ago * 1_000_000)
    row = {"player_id": player_id, "requested_by": "player", "reason": ""}
    async with app.database.begin() as connection:
        await connection.execute(deletions.insert().values(**row, requested_at=at, due_at=at))


async def hold(app: App, player_id: str, kind: str, seconds: float | None = None, seconds_ago: float = 0) -> None:
    """Do what a moderator has a gateway elsewhere do, for so many seconds."""
    now = app.database.now()
    until_at = None if seconds is None else now + round(seconds * 1_000_000)
    row = {"player_id": player_id, "kind": kind, "reason": "insults", "until_at": until_at}
    row["since_at"] = now - round(seconds_ago * 1_000_000)
    async with app.database.begin() as connection:
        await connection.execute(sanctions.delete().where(sanctions.c.player_id == player_id))
        await connection.execute(sanctions.insert().values(**row))


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def app(settings: Settings, clock: ManualClock, bind_tiny: Any) -> AsyncIterator[App]:
    def bind(app: App) -> None:
        assert app.database
        bind_tiny(app)

    async with running_app(settings, {"tiny": bind}, clock=clock) as running:
        yield running


@pytest.fixture
async def stub(app: App) -> AsyncIterator[Any]:
    async with grpc.aio.insecure_channel(app.address) as channel:
        yield table_pb2_grpc.TableServiceStub(channel)


def token(app: App, player_id: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {app.tokens.mint_player(player_id, 'Ann').access_token}"),)


async def test_calls_are_refused_and_streams_end_within_seconds(app: App, stub: Any, clock: ManualClock) -> None:
    watches = {one: stub.Watch(WatchRequest(), metadata=token(app, one)) for one in ("ann", "bob")}
    for watch in watches.values():
        await watch.read()
    await delete(app, "ann")
    await stub.Act(ActRequest(), metadata=token(app, "ann"))
    await clock.advance(LOOK_SECONDS)
    assert await outcome(watches["ann"].read()) == GONE
    assert await outcome(stub.Act(ActRequest(), metadata=token(app, "ann"))) == GONE
    assert not watches["bob"].done()
    await stub.Act(ActRequest(), metadata=token(app, "bob"))
    watches["bob"].cancel()
    await until(lambda: not app.barred._streams)


async def test_a_ban_ends_streams_and_refuses_calls_until_its_end(app: App, stub: Any, clock: ManualClock) -> None:
    watch = stub.Watch(WatchRequest(), metadata=token(app, "ann"))
    await watch.read()
    await hold(app, "ann", BAN, seconds=60)
    await clock.advance(LOOK_SECONDS)
    with pytest.raises(grpc.aio.AioRpcError) as ended:
        await watch.read()
    refusal = refusal_of(ended.value)
    assert refusal
    assert (refusal.reason, refusal.metadata["why"]) == ("banned", "insults")
    assert refusal.metadata["until"].endswith("Z")
    assert await outcome(stub.Act(ActRequest(), metadata=token(app, "ann"))) == BANNED
    await hold(app, "ann", BAN, seconds=-1)
    await app.barred.look()
    await stub.Act(ActRequest(), metadata=token(app, "ann"))


async def test_who_was_removed_loses_the_streams_that_were_open_and_no_more(
    app: App, stub: Any, clock: ManualClock
) -> None:
    watches = {one: stub.Watch(WatchRequest(), metadata=token(app, one)) for one in ("ann", "bob")}
    for watch in watches.values():
        await watch.read()
    await hold(app, "ann", REMOVAL)
    await clock.advance(LOOK_SECONDS)
    assert await outcome(watches["ann"].read()) == (grpc.StatusCode.FAILED_PRECONDITION, "removed")
    assert not watches["bob"].done()
    await stub.Act(ActRequest(), metadata=token(app, "ann"))
    again = stub.Watch(WatchRequest(), metadata=token(app, "ann"))
    await again.read()
    await app.barred.look()
    assert not again.done()
    await hold(app, "ann", REMOVAL, seconds_ago=-1)
    await app.barred.look()
    assert await outcome(again.read()) == (grpc.StatusCode.FAILED_PRECONDITION, "removed")
    watches["bob"].cancel()


async def test_who_is_out_since_before_every_token_is_forgotten(app: App, settings: Settings) -> None:
    await delete(app, "ann")
    await delete(app, "bob", seconds_ago=settings.access_token_seconds + 3600)
    await hold(app, "eve", BAN, seconds_ago=settings.access_token_seconds + 3600)
    await app.barred.look()
    assert set(app.barred._out) == {"ann"}


async def test_a_process_knows_at_its_start_who_was_deleted(app: App, settings: Settings, bind_tiny: Any) -> None:
    await delete(app, "ann")
    async with running_app(settings, {"tiny": lambda other: (other.database, bind_tiny(other))[1]}) as other:
        assert set(other.barred._out) == {"ann"}
