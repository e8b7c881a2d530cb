"""What moderators do with players, and what the log shows of it."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf import message_factory

from gouji.gateway.service import bind
from gouji.serving.app import App
from gouji.serving.errors import reason_of
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import account_pb2, account_pb2_grpc, gateway_pb2, gateway_pb2_grpc, moderation_pb2, moderation_pb2_grpc

METHODS = moderation_pb2.DESCRIPTOR.services_by_name["ModerationService"].methods_by_name


def bearer(token: str) -> Any:
    return (("authorization", f"Bearer {token}"),)


class World:
    """A gateway, players, and people who look after them."""

    def __init__(self, app: App, channel: grpc.aio.Channel) -> None:
        self.app = app
        self.channel = channel
        self.sessions: Any = gateway_pb2_grpc.SessionServiceStub(channel)
        self.accounts: Any = account_pb2_grpc.AccountServiceStub(channel)
        self.admin: Any = account_pb2_grpc.AccountAdminServiceStub(channel)
        self._moderation: Any = moderation_pb2_grpc.ModerationServiceStub(channel)
        self.moderator = bearer(app.tokens.mint_moderator("Mo"))
        self.operator = bearer(app.tokens.mint_operator("Olga"))
        self.director = bearer(app.tokens.mint_director("Dora"))

    async def guest(self, name: str = "Ann") -> Any:
        """A new player, as `CreateGuest` answers."""
        return await self.sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name=name))

    async def do(self, method: str, /, by: Any = None, **fields: Any) -> Any:
        """Call a method of `ModerationService`, as a moderator unless told otherwise."""
        request = message_factory.GetMessageClass(METHODS[method].input_type)(**fields)
        return await getattr(self._moderation, method)(request, metadata=by or self.moderator)


async def refused(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


@pytest.fixture
async def world(settings: Settings) -> AsyncIterator[World]:
    async with running_app(settings, {"gateway": bind}) as app, grpc.aio.insecure_channel(app.address) as channel:
        yield World(app, channel)


async def test_the_log_is_listed_the_newest_first_page_by_page(world: World) -> None:
    gone = [(await world.guest()).player_id for _ in range(3)]
    for player_id in gone:
        request = account_pb2.DeletePlayerRequest(player_id=player_id, reason="asked by letter")
        await world.admin.DeletePlayer(request, metadata=world.operator)
    page = await world.do("ListActs", limit=2)
    assert [act.player_id for act in page.acts] == gone[:0:-1]
    assert page.more
    rest = await world.do("ListActs", before=page.acts[-1].act_id)
    assert [(act.player_id, act.actor, act.role, act.method, act.reason, act.outcome) for act in rest.acts] == [
        (gone[0], "Olga", "operator", "DeletePlayer", "asked by letter", "done")
    ]
    assert not rest.more
    for wanted, count in (
        ({"actor": "Olga"}, 3),
        ({"player_id": gone[1]}, 1),
        ({"method": "FreezeTable"}, 0),
        ({"table_id": "t1"}, 0),
    ):
        assert len((await world.do("ListActs", **wanted)).acts) == count


async def test_only_moderators_and_operators_read_the_log(world: World) -> None:
    player = bearer((await world.guest()).tokens.access_token)
    for who in (player, world.director):
        assert await refused(world.do("ListActs", by=who)) == "forbidden"
    assert await refused(world.do("ListActs", limit=1001)) == "malformed"
    assert await refused(world.do("ListActs", actor="a\0b")) == "malformed"
    assert list((await world.do("ListActs", by=world.operator)).acts) == []
