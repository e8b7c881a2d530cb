"""What surrounds every RPC, seen through a real server."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import jwt
import pytest

from gouji.serving.auth import NOBODY, Role
from gouji.serving.errors import ServiceError, StorageUnavailable, reason_of, refusal_of
from gouji.serving.keys import shared_keys
from gouji.serving.testing import shared_tokens, until
from gouji.v1.table_pb2 import (
    ActRequest,
    ContributeRequest,
    EventBatch,
    ObserveRequest,
    OpenRequest,
    WatchRequest,
    WatchResponse,
)

PLAYER_KEY = "players' secret of the tests that is long enough"
KEY_ID = shared_keys([PLAYER_KEY])[0].key_id
SERVICE_KEY_ID = shared_keys(["services' secret of the tests that is long enough"])[0].key_id
SECRET = "W2222 hidden cards"


def raising(error: Exception) -> Callable[[Any], Any]:
    async def act(context: Any) -> None:
        raise error

    return act


async def refused(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


async def outcome(call: Any) -> tuple[grpc.StatusCode, str | None]:
    error = await refused(call)
    return error.code(), reason_of(error)


async def test_a_player_with_a_token_is_let_in_and_known(tiny: Any) -> None:
    response = await tiny.stub.Act(ActRequest(), metadata=tiny.player)
    assert response.sequence == 7
    [who] = tiny.servicer.callers
    assert (who.role, who.player_id, who.name) == (Role.PLAYER, "p1", "Ann")


async def test_an_open_rpc_needs_no_token_and_looks_at_none(tiny: Any) -> None:
    await tiny.stub.Observe(ObserveRequest())
    await tiny.stub.Observe(ObserveRequest(), metadata=tiny.bearer("nonsense"))
    assert tiny.servicer.callers == [NOBODY, NOBODY]


def forged(**changes: Any) -> str:
    claims = {"aud": "player", "sub": "p1", "name": "Ann", "exp": datetime.now(UTC) + timedelta(hours=1)}
    kid = changes.pop("kid", KEY_ID)
    headers = {"kid": kid} if kid else {}
    key, algorithm = changes.pop("key", PLAYER_KEY), changes.pop("algorithm", "HS256")
    claims = {name: value for name, value in (claims | changes).items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers=headers)


BAD_TOKENS = {
    "empty": "",
    "nonsense": "nonsense",
    "three parts of nonsense": "a.b.c",
    "other key": forged(key="somebody else's secret, also long enough"),
    "not signed": forged(key=None, algorithm="none"),
    "player's key for a service": forged(aud="service"),
    "player's key for a service by the services' name": forged(aud="service", kid=SERVICE_KEY_ID),
    "no such use": forged(aud="root"),
    "no such key": forged(kid="root"),
    "two uses": forged(aud=["player", "service"]),
    "no use": forged(kid=None),
    "never expires": forged(exp=None),
    "nobody's": forged(sub=None),
    "number as name": forged(sub=5),
}


@pytest.mark.parametrize("case", BAD_TOKENS)
async def test_a_bad_token_is_refused(tiny: Any, case: str) -> None:
    got = await outcome(tiny.stub.Act(ActRequest(), metadata=tiny.bearer(BAD_TOKENS[case])))
    missing = case == "empty"
    assert got == (grpc.StatusCode.UNAUTHENTICATED, "token_missing" if missing else "token_invalid")
    assert tiny.servicer.callers == []


@pytest.mark.parametrize("metadata", [(), (("authorization", "Basic YTpi"),), (("authorization", ""),)])
async def test_a_call_without_token_is_refused(tiny: Any, metadata: Any) -> None:
    got = await outcome(tiny.stub.Act(ActRequest(), metadata=metadata))
    assert got == (grpc.StatusCode.UNAUTHENTICATED, "token_missing")


async def test_an_expired_token_is_refused_as_such(tiny: Any) -> None:
    old = forged(exp=datetime.now(UTC) - timedelta(seconds=1))
    got = await outcome(tiny.stub.Act(ActRequest(), metadata=tiny.bearer(old)))
    assert got == (grpc.StatusCode.UNAUTHENTICATED, "token_expired")


async def test_a_refresh_token_is_no_access_token(tiny: Any) -> None:
    refresh = tiny.app.tokens.mint_player("p1", "Ann").refresh_token
    got = await outcome(tiny.stub.Act(ActRequest(), metadata=tiny.bearer(refresh)))
    assert got == (grpc.StatusCode.UNAUTHENTICATED, "token_invalid")


async def test_each_role_is_let_in_where_it_is_named_alone(tiny: Any) -> None:
    service = tiny.bearer(tiny.app.tokens.mint_service())
    operator = tiny.bearer(tiny.app.tokens.mint_operator("olga"))
    denied = (grpc.StatusCode.PERMISSION_DENIED, "forbidden")
    await tiny.stub.Open(OpenRequest(), metadata=service)
    assert await outcome(tiny.stub.Open(OpenRequest(), metadata=tiny.player)) == denied
    assert await outcome(tiny.stub.Open(OpenRequest(), metadata=operator)) == denied
    assert await outcome(tiny.stub.Act(ActRequest(), metadata=service)) == denied


async def test_an_rpc_that_no_table_of_roles_names_lets_in_nobody(tiny: Any) -> None:
    tiny.app._roles["gouji.v1.TableService"] = {}
    for token in (tiny.player, tiny.bearer(tiny.app.tokens.mint_operator("olga"))):
        got = await outcome(tiny.stub.Act(ActRequest(), metadata=token))
        assert got == (grpc.StatusCode.PERMISSION_DENIED, "forbidden")


async def test_an_unknown_method_is_unimplemented(tiny: Any) -> None:
    call = tiny.channel.unary_unary("/gouji.v1.TableService/Cheat")
    assert (await refused(call(b""))).code() == grpc.StatusCode.UNIMPLEMENTED


async def test_a_refusal_arrives_with_reason_sentence_details_and_delay(tiny: Any) -> None:
    tiny.servicer.act = raising(ServiceError("stale_turn", "The table went on.", 1500, {"turn": "12"}))
    error = await refused(tiny.stub.Act(ActRequest(), metadata=tiny.player))
    refusal = refusal_of(error)
    assert error.code() == grpc.StatusCode.ABORTED
    assert refusal is not None
    assert (refusal.reason, refusal.message) == ("stale_turn", "The table went on.")
    assert (refusal.metadata, refusal.retry_after_ms) == ({"turn": "12"}, 1500)
    await until(tiny.rpc_lines)
    [line] = tiny.rpc_lines()
    assert (line["log_level"], line["status"], line["reason"]) == ("info", "ABORTED", "stale_turn")


async def test_a_fault_is_answered_with_a_reference_and_logged_without_its_text(tiny: Any) -> None:
    tiny.servicer.act = raising(KeyError(SECRET))
    error = await refused(tiny.stub.Act(ActRequest(), metadata=tiny.player))
    refusal = refusal_of(error)
    assert (error.code(), reason_of(error)) == (grpc.StatusCode.INTERNAL, "internal")
    assert refusal is not None
    [fault] = [line for line in tiny.lines if line["event"] == "rpc_failed"]
    assert refusal.metadata["reference"] == fault["request_id"]
    assert refusal.metadata["reference"] in refusal.message
    assert "KeyError at act" in fault["stack"]
    assert "test_interceptors.py" in fault["stack"]
    assert SECRET not in str(error) + str(tiny.lines)


async def test_a_database_that_breaks_off_is_unavailable_and_says_when_to_retry(tiny: Any) -> None:
    tiny.servicer.act = raising(StorageUnavailable())
    error = await refused(tiny.stub.Act(ActRequest(), metadata=tiny.player))
    refusal = refusal_of(error)
    assert error.code() == grpc.StatusCode.UNAVAILABLE
    assert refusal is not None
    assert (refusal.reason, refusal.retry_after_ms) == ("storage_unavailable", 500)


async def test_a_handler_may_abort_by_itself(tiny: Any) -> None:
    async def act(context: Any) -> None:
        await context.abort(grpc.StatusCode.DATA_LOSS, "gone")

    tiny.servicer.act = act
    assert await outcome(tiny.stub.Act(ActRequest(), metadata=tiny.player)) == (
        grpc.StatusCode.DATA_LOSS,
        None,
    )
    assert tiny.rpc_lines()[0]["status"] == "DATA_LOSS"


async def test_a_stream_is_refused_like_a_call(tiny: Any) -> None:
    async def read(**how: Any) -> None:
        async for _ in tiny.stub.Watch(WatchRequest(), **how):
            pass

    assert await outcome(read()) == (grpc.StatusCode.UNAUTHENTICATED, "token_missing")
    tiny.servicer.act = raising(ServiceError("resume_from", "Too slow.", metadata={"sequence": "3"}))
    assert await outcome(read(metadata=tiny.player)) == (grpc.StatusCode.OUT_OF_RANGE, "resume_from")
    tiny.servicer.act = raising(ValueError(SECRET))
    assert await outcome(read(metadata=tiny.player)) == (grpc.StatusCode.INTERNAL, "internal")
    assert SECRET not in str(tiny.lines)


async def test_a_cancelled_stream_reaches_the_handler_and_is_counted_once(tiny: Any) -> None:
    call = tiny.stub.Watch(WatchRequest(), metadata=tiny.player)
    await call.read()
    assert tiny.value("gouji_rpcs_open", method="Watch") == 1
    call.cancel()
    await asyncio.wait_for(tiny.servicer.cancelled.wait(), 10)
    await until(lambda: tiny.value("gouji_rpcs_total", method="Watch", code="CANCELLED") == 1)
    assert tiny.value("gouji_rpcs_open", method="Watch") == 0


async def test_a_stream_ends_when_its_token_does(tiny: Any) -> None:
    soon = shared_tokens(PLAYER_KEY, PLAYER_KEY, tiny.app.clock, access=1)
    token = soon.mint_player("p1", "Ann").access_token
    call = tiny.stub.Watch(WatchRequest(), metadata=tiny.bearer(token))
    await call.read()
    assert await outcome(call.read()) == (grpc.StatusCode.UNAUTHENTICATED, "token_expired")
    assert tiny.servicer.cancelled.is_set()


async def test_a_call_that_takes_too_long_is_ended(tiny: Any) -> None:
    async def act(context: Any) -> None:
        await asyncio.Event().wait()

    tiny.servicer.act = act
    got = await outcome(tiny.stub.Act(ActRequest(), metadata=tiny.player))
    assert got == (grpc.StatusCode.DEADLINE_EXCEEDED, "deadline")


async def test_a_time_out_of_the_handlers_own_is_a_fault(tiny: Any) -> None:
    tiny.servicer.act = raising(TimeoutError())
    got = await outcome(tiny.stub.Act(ActRequest(), metadata=tiny.player))
    assert got == (grpc.StatusCode.INTERNAL, "internal")


async def test_a_request_id_of_the_client_is_kept_and_a_bad_one_replaced(tiny: Any) -> None:
    await tiny.stub.Act(ActRequest(), metadata=(*tiny.player, ("x-request-id", "abc-1")))
    await tiny.stub.Act(ActRequest(), metadata=(*tiny.player, ("x-request-id", "a b (c)")))
    await tiny.stub.Act(ActRequest(), metadata=tiny.player)
    first, second, third = (line["request_id"] for line in tiny.rpc_lines())
    assert first == "abc-1"
    assert len({first, second, third}) == 3
    assert all(len(made) == 16 for made in (second, third))


async def test_a_log_line_says_who_what_and_how_it_ended(tiny: Any) -> None:
    await tiny.stub.Act(ActRequest(table_id=SECRET, command_id=SECRET), metadata=tiny.player)
    [line] = tiny.rpc_lines()
    known = {key: line[key] for key in ("service", "method", "status", "caller", "log_level", "process")}
    assert known == {
        "service": "gouji.v1.TableService",
        "method": "Act",
        "status": "OK",
        "caller": "p1",
        "log_level": "debug",
        "process": "tiny",
    }
    assert line["seconds"] >= 0
    assert SECRET not in str(line)


async def test_a_line_names_the_table_hand_and_turn_of_its_request_and_no_text_that_is_no_id(tiny: Any) -> None:
    await tiny.stub.Act(ActRequest(table_id="t-1", turn=7), metadata=tiny.player)
    for table in ("t-1", "t 1", "t" * 65):
        with pytest.raises(grpc.aio.AioRpcError):
            await tiny.stub.Contribute(ContributeRequest(table_id=table, hand=2), metadata=tiny.player)
    await until(lambda: len(tiny.rpc_lines()) == 4)  # the answer may be here before the line is written
    told = [{key: line.get(key) for key in ("table", "hand", "turn")} for line in tiny.rpc_lines()]
    assert told == [
        {"table": "t-1", "hand": None, "turn": 7},
        {"table": "t-1", "hand": 2, "turn": None},
        *[{"table": None, "hand": 2, "turn": None}] * 2,
    ]


async def test_a_fault_is_logged_with_its_table(tiny: Any) -> None:
    async def fail(_context: Any) -> None:
        raise RuntimeError(SECRET)

    tiny.servicer.act = fail
    with pytest.raises(grpc.aio.AioRpcError):
        await tiny.stub.Act(ActRequest(table_id="t1", turn=3), metadata=tiny.player)
    [line] = [line for line in tiny.lines if line["event"] == "rpc_failed"]
    assert (line["table"], line["turn"]) == ("t1", 3)
    assert SECRET not in str(tiny.lines)


async def test_a_message_that_is_packed_already_is_sent_as_it_is(tiny: Any) -> None:
    packed = WatchResponse(batch=EventBatch(last_sequence=5)).SerializeToString()
    tiny.servicer.act = lambda context: context.write(packed)
    stream = tiny.stub.Watch(WatchRequest(), metadata=tiny.player)
    await stream.read()
    assert (await stream.read()).batch.last_sequence == 5


async def test_a_message_to_a_client_that_has_gone_is_no_fault(tiny: Any) -> None:
    async def write_on(_context: Any) -> None:
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    tiny.servicer.act = write_on
    stream = tiny.stub.Watch(WatchRequest(), metadata=tiny.player)
    await stream.read()
    stream.cancel()
    await until(tiny.rpc_lines)
    [line] = tiny.lines
    assert (line["event"], line["status"], line["log_level"]) == ("rpc", "CANCELLED", "debug")
