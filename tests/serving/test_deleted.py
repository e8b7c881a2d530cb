"""No process takes the tokens of a player who was deleted, and its streams end."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest

from gouji.serving.app import App
from gouji.serving.deleted import LOOK_SECONDS
from gouji.serving.errors import reason_of
from gouji.serving.schema import deletions
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, running_app, until
from gouji.v1 import table_pb2_grpc
from gouji.v1.table_pb2 import ActRequest, WatchRequest

GONE = (grpc.StatusCode.NOT_FOUND, "unknown_player")


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
    await until(lambda: not app.deleted._streams)


async def test_whom_this_process_deletes_is_refused_at_once(app: App, stub: Any) -> None:
    watch = stub.Watch(WatchRequest(), metadata=token(app, "ann"))
    await watch.read()
    app.deleted.add("ann")
    assert await outcome(watch.read()) == GONE
    assert await outcome(stub.Act(ActRequest(), metadata=token(app, "ann"))) == GONE


async def test_who_was_deleted_before_every_token_is_forgotten(app: App, settings: Settings) -> None:
    await delete(app, "ann")
    await delete(app, "bob", seconds_ago=settings.access_token_seconds + 3600)
    await app.deleted.look()
    assert app.deleted._lately == {"ann"}


async def test_a_process_knows_at_its_start_who_was_deleted(app: App, settings: Settings, bind_tiny: Any) -> None:
    await delete(app, "ann")
    async with running_app(settings, {"tiny": lambda other: (other.database, bind_tiny(other))[1]}) as other:
        assert other.deleted._lately == {"ann"}
