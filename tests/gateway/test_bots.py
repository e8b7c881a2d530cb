"""Bots of others' own at the door: what their credential opens, for how long, and how often they may call."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.gateway.service import bind
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.serving.app import App
from gouji.serving.auth import Credential, Role
from gouji.serving.errors import Refusal, refusal_of
from gouji.serving.schema import deletions, players, sanctions
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, running_app
from gouji.v1 import account_pb2, account_pb2_grpc, gateway_pb2, gateway_pb2_grpc, room_pb2, room_pb2_grpc

HOUR = 3600.0


@pytest.fixture
async def app(settings: Settings, clock: ManualClock) -> AsyncIterator[App]:
    async with running_app(settings, {"gateway": bind, "matchmaking": bind_matchmaking}, clock=clock) as running:
        yield running


@pytest.fixture
def sessions(channel: grpc.aio.Channel) -> Any:
    return gateway_pb2_grpc.SessionServiceStub(channel)


def credential(app: App, seats: int = 3, calls: int = 1000, hours: float = 5) -> str:
    until = app.clock.now() + timedelta(hours=hours)
    return app.tokens.mint_credential(Credential("acme", seats, calls, until))


async def opened(sessions: Any, given: str, number: int = 1) -> gateway_pb2.OpenBotResponse:
    request = gateway_pb2.OpenBotRequest(credential=given, number=number)
    return await sessions.OpenBot(request)  # type: ignore[no-any-return]


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


async def who(sessions: Any, token: str) -> gateway_pb2.GetSessionResponse:
    return await sessions.GetSession(gateway_pb2.GetSessionRequest(), metadata=bearer(token))  # type: ignore[no-any-return]


async def refresh(sessions: Any, token: str) -> gateway_pb2.Tokens:
    answer = await sessions.RefreshSession(gateway_pb2.RefreshSessionRequest(refresh_token=token))
    return answer.tokens  # type: ignore[no-any-return]


async def refused(call: Any) -> Refusal:
    with pytest.raises(grpc.RpcError) as caught:
        await call
    refusal = refusal_of(caught.value)
    assert refusal
    return refusal


async def test_a_credential_opens_as_many_bots_as_it_says_each_the_same_player_every_time(
    app: App, sessions: Any
) -> None:
    given = credential(app, seats=2)
    first, second = await opened(sessions, given), await opened(sessions, given, 2)
    assert (first.player_id, first.name) == ("bot:acme/1", "acme 1")
    assert (await opened(sessions, credential(app))).player_id == first.player_id
    assert (await who(sessions, second.tokens.access_token)).name == "acme 2"
    too_many = await refused(opened(sessions, given, 3))
    assert (too_many.reason, too_many.metadata["seats"]) == ("too_many_bots", "2")
    assert (await refused(opened(sessions, given, 0))).reason == "malformed"
    assert app.tokens.verify(first.tokens.access_token).role is Role.BOT


async def test_no_token_of_a_bot_outlives_its_credential(app: App, sessions: Any, clock: ManualClock) -> None:
    given = credential(app, hours=1.5)
    bot = await opened(sessions, given)
    assert bot.tokens.access_expires.ToSeconds() - clock.now().timestamp() == HOUR
    await clock.advance(HOUR)
    fresh = await refresh(sessions, bot.tokens.refresh_token)
    assert fresh.access_expires.ToSeconds() - clock.now().timestamp() == HOUR / 2
    await who(sessions, fresh.access_token)
    await clock.advance(HOUR / 2)
    assert (await refused(refresh(sessions, bot.tokens.refresh_token))).reason == "token_expired"
    assert (await refused(opened(sessions, given))).reason == "token_expired"
    assert (await refused(who(sessions, fresh.access_token))).reason == "token_expired"


async def test_a_credential_is_good_for_opening_bots_alone_and_nothing_else_opens_them(app: App, sessions: Any) -> None:
    given = credential(app)
    assert (await refused(who(sessions, given))).reason == "token_invalid"
    assert (await refused(refresh(sessions, given))).reason == "token_invalid"
    bot = await opened(sessions, given)
    guest = await sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name="acme 3"))
    for other in (
        guest.tokens.access_token,
        bot.tokens.access_token,
        bot.tokens.refresh_token,
        app.tokens.mint_service(),
        app.tokens.mint_operator("op"),
        "garbage",
    ):
        assert (await refused(opened(sessions, other))).reason == "token_invalid"


async def test_the_bots_of_an_account_call_as_often_as_its_credential_says_all_together(
    app: App, sessions: Any, clock: ManualClock
) -> None:
    given = credential(app, calls=2)
    one, other = [(await opened(sessions, given, number)).tokens.access_token for number in (1, 2)]
    for token in (one, other, one, other):
        await who(sessions, token)
    early = await refused(who(sessions, one))
    assert (early.reason, early.retry_after_ms) == ("rate_limited", pytest.approx(500, abs=1))
    await clock.advance(0.5)
    await who(sessions, other)
    assert (await refused(who(sessions, one))).reason == "rate_limited"


async def test_a_bot_has_no_account_and_no_room(app: App, sessions: Any, channel: grpc.aio.Channel) -> None:
    bot = bearer((await opened(sessions, credential(app))).tokens.access_token)
    accounts: Any = account_pb2_grpc.AccountServiceStub(channel)
    rooms: Any = room_pb2_grpc.RoomServiceStub(channel)
    assert (await refused(accounts.GetAccount(account_pb2.GetAccountRequest(), metadata=bot))).reason == "forbidden"
    assert (await refused(rooms.JoinRoom(room_pb2.JoinRoomRequest(code="A" * 10), metadata=bot))).reason == "forbidden"


async def test_a_bot_is_banned_and_deleted_as_a_player_is(app: App, sessions: Any) -> None:
    given = credential(app)
    bot, other = await opened(sessions, given), await opened(sessions, given, 2)
    ban = {"player_id": bot.player_id, "kind": "ban", "since_at": 0, "reason": "It stalls."}
    gone = {"player_id": other.player_id, "requested_by": "Olga", "reason": "", "requested_at": 0, "due_at": 0}
    async with app.database.begin() as connection:
        await connection.execute(sa.insert(sanctions).values(ban))
        await connection.execute(sa.insert(deletions).values(gone))
        await connection.execute(sa.delete(players).where(players.c.player_id == other.player_id))
    assert (await refused(opened(sessions, given))).reason == "banned"
    assert (await refused(refresh(sessions, bot.tokens.refresh_token))).reason == "banned"
    assert (await refused(opened(sessions, given, 2))).reason == "unknown_player"
    assert (await refused(refresh(sessions, other.tokens.refresh_token))).reason == "unknown_player"
    assert (await opened(sessions, given, 3)).player_id == "bot:acme/3"
