"""Calls between services, through real servers."""

from typing import Any

import grpc
import pytest

from gouji.serving.app import App, Bind
from gouji.serving.auth import Role
from gouji.serving.errors import reason_of
from gouji.serving.settings import Settings
from gouji.serving.testing import captured_log, running_app
from gouji.v1.table_pb2 import ActRequest, OpenRequest, WatchRequest
from gouji.v1.table_pb2_grpc import TableServiceStub


async def test_a_service_calls_another_one_in_its_own_process(tiny: Any) -> None:
    await tiny.app.channels.stub("table", TableServiceStub).Open(OpenRequest(table_id="t1"))
    [who] = tiny.servicer.callers
    assert (who.role, who.player_id) == (Role.SERVICE, "tiny")


async def test_a_service_is_no_player(tiny: Any) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await tiny.app.channels.stub("table", TableServiceStub).Act(ActRequest())
    assert reason_of(caught.value) == "forbidden"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        async for _ in tiny.app.channels.stub("table", TableServiceStub).Watch(WatchRequest()):
            pass
    assert reason_of(caught.value) == "forbidden"


async def test_a_service_elsewhere_is_dialled_where_the_settings_say(tiny: Any, sqlite_settings: Settings) -> None:
    there = sqlite_settings.model_copy(update={"table_address": tiny.app.address})
    async with running_app(there, {}) as app:
        assert app.channels.address_of("table") == tiny.app.address
        assert app.channels.address_of("scoring") == app.address
        await app.channels.stub("table", TableServiceStub).Open(OpenRequest())
        await app.channels.stub_at(tiny.app.address, TableServiceStub).Open(OpenRequest())
        assert app.channels.channel_to(tiny.app.address) is app.channels.channel_to(tiny.app.address)
    assert len(tiny.servicer.callers) == 2


async def test_the_request_id_goes_along_from_service_to_service(
    sqlite_settings: Settings, bind_tiny: Bind, servicer: Any
) -> None:
    log, lines = captured_log()

    def bind(app: App) -> None:
        async def act(_context: Any) -> None:
            await app.channels.stub("table", TableServiceStub).Open(OpenRequest())

        servicer.act = act
        bind_tiny(app)

    async with (
        running_app(sqlite_settings, {"tiny": bind}, log=log) as app,
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        token = app.tokens.mint_player("p1", "Ann").access_token
        metadata = (("authorization", f"Bearer {token}"), ("x-request-id", "abc-1"))
        await TableServiceStub(channel).Act(ActRequest(), metadata=metadata)
    ids = {line["method"]: line["request_id"] for line in lines if line["event"] == "rpc"}
    assert ids == {"Act": "abc-1", "Open": "abc-1"}


async def test_a_message_that_is_too_large_is_refused_in_both_directions(tiny: Any) -> None:
    large = "x" * tiny.app.settings.max_message_bytes
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await tiny.stub.Act(ActRequest(table_id=large), metadata=tiny.player)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await tiny.app.channels.stub("table", TableServiceStub).Open(OpenRequest(table_id=large))
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert tiny.servicer.callers == []
