"""Sessions over real gRPC, on both databases."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import jwt
import pytest

from gouji.gateway.profile import LONGEST_NAME
from gouji.gateway.service import MOVING_RETRY_MS, bind
from gouji.scoring.service import bind as bind_scoring
from gouji.serving.app import App
from gouji.serving.clock import microseconds
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.schema import active_seats, players, table_servers, tables
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, running_app
from gouji.v1 import gateway_pb2, gateway_pb2_grpc, scoring_pb2, scoring_pb2_grpc

HOUR = 3600.0
MINUTE_US = 60_000_000


@pytest.fixture
async def app(settings: Settings, clock: ManualClock) -> AsyncIterator[App]:
    async with running_app(settings, {"gateway": bind, "scoring": bind_scoring}, clock=clock) as running:
        yield running


@pytest.fixture
def sessions(channel: grpc.aio.Channel) -> Any:
    """A stub without a token."""
    return gateway_pb2_grpc.SessionServiceStub(channel)


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


async def guest(sessions: Any, name: str = "Wang") -> gateway_pb2.CreateGuestResponse:
    return await sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name=name))  # type: ignore[no-any-return]


async def refresh(sessions: Any, token: str) -> gateway_pb2.Tokens:
    answer = await sessions.RefreshSession(gateway_pb2.RefreshSessionRequest(refresh_token=token))
    return answer.tokens  # type: ignore[no-any-return]


async def who(sessions: Any, token: str) -> gateway_pb2.GetSessionResponse:
    request = gateway_pb2.GetSessionRequest()
    return await sessions.GetSession(request, metadata=bearer(token))  # type: ignore[no-any-return]


async def locate(sessions: Any, token: str, table_id: str = "t1") -> tuple[str, str]:
    request = gateway_pb2.LocateTableRequest(table_id=table_id)
    answer = await sessions.LocateTable(request, metadata=bearer(token))
    return answer.server_id, answer.address


@asynccontextmanager
async def refusal(reason: str, code: grpc.StatusCode = grpc.StatusCode.UNAUTHENTICATED) -> AsyncIterator[None]:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        yield
    assert (reason_of(refused.value), refused.value.code()) == (reason, code)


async def write(app: App, table: Any, **values: Any) -> None:
    async with app.database.begin() as connection:
        await connection.execute(table.insert().values(**values))


async def place(app: App, state: str, owner: str | None, table_id: str = "t1") -> None:
    await write(app, tables, table_id=table_id, spec=b"", state=state, owner=owner, created_at=0)


async def serve(app: App, server_id: str, lease_us: int = MINUTE_US, *, draining: bool = False) -> None:
    """A table server whose lease ends so many microseconds from the database's time on."""
    expires = app.database.now() + lease_us
    await write(
        app,
        table_servers,
        server_id=server_id,
        address=f"{server_id}:7100",
        capacity=9,
        draining=draining,
        expires_at=expires,
    )


async def test_a_guest_is_a_new_player_whose_token_says_who_it_is(sessions: Any) -> None:
    made = await guest(sessions)
    me = await who(sessions, made.tokens.access_token)
    assert (me.player_id, me.name, me.table_id) == (made.player_id, "Wang", "")


async def test_two_guests_of_one_name_are_two_players(sessions: Any) -> None:
    assert (await guest(sessions)).player_id != (await guest(sessions)).player_id


async def test_tokens_say_when_they_expire(sessions: Any, clock: ManualClock, settings: Settings) -> None:
    tokens = (await guest(sessions)).tokens
    now = microseconds(clock.now())
    assert tokens.access_expires.ToMicroseconds() == now + settings.access_token_seconds * 1_000_000
    assert tokens.refresh_expires.ToMicroseconds() == now + settings.refresh_token_seconds * 1_000_000


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("  Wang \t", "Wang"),
        ("王小二", "王小二"),
        ("Ann Lee", "Ann Lee"),
        ("x", "x"),
        ("好" * LONGEST_NAME, "好" * LONGEST_NAME),
        ("  " + "y" * LONGEST_NAME + "  ", "y" * LONGEST_NAME),
        ("😀", "😀"),
    ],
)
async def test_a_name_is_trimmed_and_taken(sessions: Any, given: str, taken: str) -> None:
    made = await guest(sessions, given)
    assert (await who(sessions, made.tokens.access_token)).name == taken


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "z" * (LONGEST_NAME + 1),
        "a\nb",
        "a\0b",
        "a\x1b[31mb",
        "a\u202eb",
        "a\u200bb",
        "a\u2028b",
        "\ufeffab",
    ],
)
async def test_a_name_that_cannot_be_shown_is_malformed(sessions: Any, name: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await guest(sessions, name)
    told = refusal_of(refused.value)
    assert told
    assert (told.reason, told.metadata["field"]) == ("malformed", "name")


async def test_a_session_names_the_table_that_the_player_sits_at(app: App, sessions: Any) -> None:
    made = await guest(sessions)
    await write(app, active_seats, player_id=made.player_id, table_id="t7", seat=3)
    assert (await who(sessions, made.tokens.access_token)).table_id == "t7"


async def test_a_token_of_a_player_who_is_gone_is_refused(app: App, sessions: Any) -> None:
    made = await guest(sessions)
    async with app.database.begin() as connection:
        await connection.execute(players.delete())
    async with refusal("unknown_player", grpc.StatusCode.NOT_FOUND):
        await who(sessions, made.tokens.access_token)
    async with refusal("unknown_player", grpc.StatusCode.NOT_FOUND):
        await refresh(sessions, made.tokens.refresh_token)


async def test_an_expired_access_token_is_refused_and_a_refresh_helps(
    sessions: Any, clock: ManualClock, settings: Settings
) -> None:
    made = await guest(sessions)
    await clock.advance(settings.access_token_seconds - 1)
    await who(sessions, made.tokens.access_token)
    await clock.advance(1)
    async with refusal("token_expired"):
        await who(sessions, made.tokens.access_token)
    fresh = await refresh(sessions, made.tokens.refresh_token)
    assert (await who(sessions, fresh.access_token)).player_id == made.player_id


async def test_a_refresh_token_is_good_until_it_expires_and_may_be_used_again(
    sessions: Any, clock: ManualClock, settings: Settings
) -> None:
    made = await guest(sessions)
    for _ in range(2):
        fresh = await refresh(sessions, made.tokens.refresh_token)
        assert fresh.access_expires.ToMicroseconds() == microseconds(clock.now()) + 3600 * 1_000_000
        await clock.advance(HOUR)
    await clock.advance(settings.refresh_token_seconds - 2 * HOUR)
    async with refusal("token_expired"):
        await refresh(sessions, made.tokens.refresh_token)


async def test_a_token_serves_its_own_purpose_alone(app: App, sessions: Any) -> None:
    made = await guest(sessions)
    async with refusal("token_invalid"):
        await who(sessions, made.tokens.refresh_token)
    async with refusal("token_invalid"):
        await locate(sessions, made.tokens.refresh_token)
    for other in (made.tokens.access_token, app.tokens.mint_service(), app.tokens.mint_operator("op")):
        async with refusal("token_invalid"):
            await refresh(sessions, other)


def forged(settings: Settings, made: gateway_pb2.CreateGuestResponse) -> dict[str, str]:
    """Tokens that an attacker might try, each made from what it may know."""
    claims = jwt.decode(made.tokens.access_token, options={"verify_signature": False})
    head, body, signature = made.tokens.access_token.split(".")
    unsigned = jwt.encode(claims, None, algorithm="none", headers={"kid": "player"})
    other_key = jwt.encode(claims, "k" * 32, algorithm="HS256", headers={"kid": "player"})
    promoted = jwt.encode({**claims, "aud": "service"}, "k" * 32, algorithm="HS256", headers={"kid": "service"})
    return {
        "garbage": "garbage",
        "dots": "a.b.c",
        "cut": made.tokens.access_token[:-4],
        "no signature": f"{head}.{body}.",
        "other body": f"{head}.{body[:-2]}xx.{signature}",
        "unsigned": unsigned,
        "other key": other_key,
        "promoted": promoted,
    }


async def test_tokens_that_are_not_ours_are_refused(sessions: Any, settings: Settings) -> None:
    made = await guest(sessions)
    for kind, token in forged(settings, made).items():
        for call in (who, refresh):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call(sessions, token)
            assert (kind, reason_of(refused.value)) == (kind, "token_invalid")


@pytest.mark.parametrize("metadata", [(), (("authorization", ""),), (("authorization", "Basic abc"),)])
async def test_a_call_without_a_token_is_refused(sessions: Any, metadata: Any) -> None:
    async with refusal("token_missing"):
        await sessions.GetSession(gateway_pb2.GetSessionRequest(), metadata=metadata)


async def test_a_players_token_is_refused_where_services_alone_may_call(
    app: App, channel: grpc.aio.Channel, sessions: Any
) -> None:
    scoring: Any = scoring_pb2_grpc.ScoringServiceStub(channel)
    made = await guest(sessions)
    async with refusal("forbidden", grpc.StatusCode.PERMISSION_DENIED):
        await scoring.RecordHand(scoring_pb2.RecordHandRequest(), metadata=bearer(made.tokens.access_token))
    async with refusal("malformed", grpc.StatusCode.INVALID_ARGUMENT):
        await scoring.RecordHand(scoring_pb2.RecordHandRequest(), metadata=bearer(app.tokens.mint_service()))


async def test_services_have_no_session_and_operators_may_look_for_tables(app: App, sessions: Any) -> None:
    await serve(app, "s1")
    await place(app, "live", "s1")
    for token in (app.tokens.mint_service(), app.tokens.mint_operator("op")):
        async with refusal("forbidden", grpc.StatusCode.PERMISSION_DENIED):
            await who(sessions, token)
    assert await locate(sessions, app.tokens.mint_operator("op")) == ("s1", "s1:7100")
    async with refusal("forbidden", grpc.StatusCode.PERMISSION_DENIED):
        await locate(sessions, app.tokens.mint_service())


@pytest.fixture
def token(app: App) -> str:
    return app.tokens.mint_player("p1", "Wang").access_token


@pytest.mark.parametrize("state", ["placed", "live", "over", "frozen"])
async def test_a_table_is_where_its_owner_is_even_if_that_one_drains(
    app: App, sessions: Any, token: str, state: str
) -> None:
    await serve(app, "s1", draining=True)
    await serve(app, "s2")
    await place(app, state, "s1")
    assert await locate(sessions, token) == ("s1", "s1:7100")


@pytest.mark.parametrize(
    ("state", "owner"),
    [("placed", None), ("live", None), ("live", "dead"), ("live", "gone"), ("over", "dead")],
)
async def test_a_table_that_no_live_server_has_is_moving_and_worth_asking_for_again(
    app: App, sessions: Any, token: str, state: str, owner: str | None
) -> None:
    if state != "over":
        await serve(app, "s1")
    await serve(app, "dead", lease_us=-1_000_000)
    await place(app, state, owner)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await locate(sessions, token)
    told = refusal_of(refused.value)
    assert told
    assert refused.value.code() == grpc.StatusCode.UNAVAILABLE
    assert (told.reason, told.retry_after_ms) == ("table_moving", MOVING_RETRY_MS)


@pytest.mark.parametrize("state", ["over", "frozen"])
async def test_a_table_that_has_ended_can_be_read_at_any_live_server(
    app: App, sessions: Any, token: str, state: str
) -> None:
    await serve(app, "dead", lease_us=-1_000_000)
    await serve(app, "draining", draining=True)
    await serve(app, "s1")
    await place(app, state, "dead")
    assert await locate(sessions, token) == ("s1", "s1:7100")


async def test_a_lease_that_runs_out_ends_what_its_server_is_asked_for(app: App, sessions: Any, token: str) -> None:
    await serve(app, "s1")
    await place(app, "live", "s1")
    assert await locate(sessions, token) == ("s1", "s1:7100")
    async with app.database.begin() as connection:
        past = int(time.time() * 1_000_000) - 1_000_000
        await connection.execute(table_servers.update().values(expires_at=past))
    async with refusal("table_moving", grpc.StatusCode.UNAVAILABLE):
        await locate(sessions, token)


async def test_a_table_that_there_is_not_is_unknown(sessions: Any, token: str) -> None:
    async with refusal("unknown_table", grpc.StatusCode.NOT_FOUND):
        await locate(sessions, token)


@pytest.mark.parametrize("table_id", ["", "t\0"])
async def test_what_is_no_identifier_is_malformed(sessions: Any, token: str, table_id: str) -> None:
    async with refusal("malformed", grpc.StatusCode.INVALID_ARGUMENT):
        await locate(sessions, token, table_id)


async def test_what_the_gateway_does_is_counted(app: App, sessions: Any, token: str) -> None:
    made = await guest(sessions)
    await refresh(sessions, made.tokens.refresh_token)
    await serve(app, "s1")
    await place(app, "live", "s1")
    await place(app, "live", None, "t2")
    await locate(sessions, token)
    for table_id, reason in (("t2", "table_moving"), ("t3", "unknown_table")):
        with pytest.raises(grpc.aio.AioRpcError):
            await locate(sessions, token, table_id)
        counted = app.metrics.registry.get_sample_value("gouji_gateway_locates_total", {"outcome": reason})
        assert counted == 1
    count = app.metrics.registry.get_sample_value
    assert count("gouji_gateway_locates_total", {"outcome": "found"}) == 1
    assert (count("gouji_gateway_guests_total"), count("gouji_gateway_refreshes_total")) == (1, 1)


async def test_short_lifetimes_from_the_settings_are_kept(sqlite_settings: Settings) -> None:
    brief = sqlite_settings.model_copy(update={"access_token_seconds": 2, "refresh_token_seconds": 4})
    clock = ManualClock()
    async with (
        running_app(brief, {"gateway": bind}, clock=clock) as app,
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        sessions: Any = gateway_pb2_grpc.SessionServiceStub(channel)
        made = await guest(sessions)
        await clock.advance(2)
        async with refusal("token_expired"):
            await who(sessions, made.tokens.access_token)
        await refresh(sessions, made.tokens.refresh_token)
        await clock.advance(2)
        async with refusal("token_expired"):
            await refresh(sessions, made.tokens.refresh_token)
