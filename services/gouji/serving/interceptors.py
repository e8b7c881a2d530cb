"""What surrounds every RPC: request id, trace, measure, report, errors, deadline, admission; one small class each.

A layer is a function around the next one, down to the handler. Cancellation passes through all of them.
Of a message nothing is looked at but which table, hand and turn it names, for the log.
"""

import asyncio
import inspect
import logging
import math
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Protocol, TypeAlias

import grpc
import structlog
from google.protobuf.message import DecodeError

from gouji.serving.auth import NOBODY, Caller, Role, Roles, Tokens, caller, set_caller
from gouji.serving.barred import Barred
from gouji.serving.clock import Clock
from gouji.serving.errors import DETAILS_KEY, INSIDE, ServiceError, to_status
from gouji.serving.logs import Log, stack_of
from gouji.serving.metrics import Metrics
from gouji.serving.peers import came_by_door
from gouji.serving.rates import Rates
from gouji.serving.tracing import Tracing
from gouji.wire.bots import account_of

REQUEST_ID = "x-request-id"
"""Metadata that names a request across processes."""

_ID_SHAPE = re.compile(r"[A-Za-z0-9_.:-]{1,64}")

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
Behaviour = Callable[[Any, Context], Awaitable[Any]]


@dataclass(slots=True)
class Call:
    """One RPC being answered; `code` and `reason` say how it ended."""

    service: str
    method: str
    streaming: bool
    request: Any
    context: Context
    request_id: str = ""
    code: grpc.StatusCode = grpc.StatusCode.OK
    reason: str = ""

    def header(self, key: str) -> str | None:
        """Read a text header that the client sent."""
        for name, value in self.context.invocation_metadata() or ():
            if name == key and isinstance(value, str):
                return value
        return None

    @property
    def about(self) -> dict[str, Any]:
        """Say which table, hand and turn the request names, as far as it does: what a log line about it says."""
        table = getattr(self.request, "table_id", "")
        numbers = {name: getattr(self.request, name, 0) for name in ("hand", "turn")}
        return ({"table": table} if isinstance(table, str) and _ID_SHAPE.fullmatch(table) else {}) | {
            name: number for name, number in numbers.items() if number and isinstance(number, int)
        }


Proceed = Callable[[Call], Awaitable[Any]]
"""The rest of the way to the handler."""


class Layer(Protocol):
    """Something around every call."""

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Do `await proceed(call)` and what belongs before and after it."""
        ...


class Surround(grpc.aio.ServerInterceptor):
    """Puts the layers around every handler, the first one outermost."""

    def __init__(self, layers: Sequence[Layer], most_bytes: int) -> None:
        """Refuse requests of more than ``most_bytes`` with `too_large`; gRPC must be told to take a little more."""
        self._layers = layers
        self._most_bytes = most_bytes
        self._handlers: dict[str, Handler] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable["Handler | None"]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "Handler | None":
        """Give the surrounded handler, or one that says that there is no such method."""
        path = handler_call_details.method
        if path not in self._handlers:
            handler = await continuation(handler_call_details)
            if handler is None:
                return _UNKNOWN
            self._handlers[path] = self._surrounded(path, handler)
        return self._handlers[path]

    def _surrounded(self, path: str, handler: Handler) -> Handler:
        _, service, method = path.split("/")
        behaviour, remake = _parts(handler)

        async def handle(call: Call) -> Any:
            if isinstance(call.request, Unreadable):
                raise ServiceError(call.request.reason, call.request.sentence)
            return await behaviour(call.request, call.context)

        proceed: Proceed = handle
        for layer in reversed(self._layers):
            proceed = partial(layer.around, proceed)

        async def answer(request: Any, context: Context) -> Any:
            return await proceed(Call(service, method, handler.response_streaming, request, context))

        return remake(
            answer, self._reading(method, handler.request_deserializer), _packing(handler.response_serializer)
        )

    def _reading(self, method: str, deserialize: Callable[[bytes], Any] | None) -> Callable[[bytes], Any]:
        large = Unreadable("too_large", f"A request has {self._most_bytes} bytes at most.")
        broken = Unreadable("malformed", f"The request is no message of {method}.")

        def read(data: bytes) -> Any:
            if len(data) > self._most_bytes:
                return large
            try:
                return deserialize(data) if deserialize else data
            except (DecodeError, ValueError):
                return broken

        return read


async def _refuse_unknown(_requests: Any, context: Context) -> None:
    error = ServiceError("unknown_method", "There is no such method.")
    await context.abort(error.code, error.message, ((DETAILS_KEY, to_status(error).SerializeToString()),))


_UNKNOWN: Handler = grpc.stream_stream_rpc_method_handler(_refuse_unknown)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands for a request that is no message, or too large a one, so that the layers can refuse it."""

    reason: str
    sentence: str


def _packing(serialize: Callable[[Any], bytes] | None) -> Callable[[Any], bytes]:
    """Let pass what is packed already: a handler packs once what it sends to many."""

    def pack(message: Any) -> bytes:
        return serialize(message) if serialize and not isinstance(message, bytes) else message

    return pack


def _parts(handler: Handler) -> tuple[Behaviour, Callable[..., Handler]]:
    """Take a handler apart: what it does, and the function that makes such a handler."""
    kind = f"{_kind(handler.request_streaming)}_{_kind(handler.response_streaming)}"
    behaviour = getattr(handler, kind)
    if inspect.isasyncgenfunction(behaviour):
        behaviour = _writing(behaviour)
    if handler.response_streaming:
        behaviour = _while_there(behaviour)
    return behaviour, getattr(grpc, f"{kind}_rpc_method_handler")


def _kind(streaming: bool) -> str:
    return "stream" if streaming else "unary"


def _writing(generator: Callable[[Any, Context], Any]) -> Behaviour:
    """Write what the handler yields, so that a cancellation always reaches the handler and the layers."""

    async def write_all(request: Any, context: Context) -> None:
        async with aclosing(generator(request, context)) as responses:
            async for response in responses:
                await context.write(response)

    return write_all


def _while_there(behaviour: Behaviour) -> Behaviour:
    """Take a message that cannot be written for what it is: the client has gone."""

    async def write(request: Any, context: Context) -> None:
        try:
            await behaviour(request, context)
        except grpc.aio.InternalError as error:
            # The client's cancellation is still on its way here.
            raise asyncio.CancelledError from error

    return write


class RequestIds:
    """Names each call: the client's `x-request-id`, or a new one; every log line of the call carries it."""

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Bind the id."""
        given = call.header(REQUEST_ID) or ""
        call.request_id = given if _ID_SHAPE.fullmatch(given) else secrets.token_hex(8)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=call.request_id)
        return await proceed(call)


class Trace:
    """Makes a span of each call of our services that is no stream, under that of the service that called.

    Players cannot have traces made: what comes by the door begins anew.
    """

    def __init__(self, tracing: Tracing) -> None:
        self._tracing = tracing

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Open the span, have the log name its trace, and say how the call ended."""
        if call.streaming or not call.service.startswith("gouji."):
            return await proceed(call)
        parent = None if came_by_door(call.context) else call.header("traceparent")
        with self._tracing.serving(f"{call.service}/{call.method}", parent) as span:
            structlog.contextvars.bind_contextvars(**(self._tracing.exemplar() or {}))
            try:
                return await proceed(call)
            finally:
                span.set(code=call.code.name, reason=call.reason)
                if call.code is grpc.StatusCode.INTERNAL:
                    span.fail()


class Measure:
    """Counts and times each call, by method and status; the time has the call's trace as an exemplar."""

    def __init__(self, metrics: Metrics, tracing: Tracing) -> None:
        self._tracing = tracing
        self._open = cache(metrics.rpcs_open.labels)
        self._ended = cache(metrics.rpcs.labels)
        self._seconds = cache(metrics.rpc_seconds.labels)

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Count the call as open while it is, and its outcome."""
        open_calls = self._open(call.service, call.method)
        began = time.perf_counter()
        open_calls.inc()
        try:
            return await proceed(call)
        finally:
            open_calls.dec()
            self._ended(call.service, call.method, call.code.name).inc()
            spent = time.perf_counter() - began
            self._seconds(call.service, call.method).observe(spent, self._tracing.exemplar())


class Report:
    """Logs each call when it has ended: an answer at debug, a refusal at info, a fault at error."""

    def __init__(self, log: Log) -> None:
        self._log = log

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Log who was called, about which table, how it ended, and how long it took."""
        began = time.perf_counter()
        try:
            return await proceed(call)
        finally:
            level = _level(call)
            if self._log.is_enabled_for(level):
                self._tell(level, call, time.perf_counter() - began)

    def _tell(self, level: int, call: Call, seconds: float) -> None:
        self._log.log(
            level,
            "rpc",
            service=call.service,
            method=call.method,
            status=call.code.name,
            seconds=round(seconds, 6),
            **({"reason": call.reason} if call.reason else {}),
            **call.about,
        )


def _level(call: Call) -> int:
    if call.code in (grpc.StatusCode.OK, grpc.StatusCode.CANCELLED):
        return logging.DEBUG
    return logging.ERROR if call.code is grpc.StatusCode.INTERNAL else logging.INFO


class Errors:
    """Turns a `ServiceError` into its status, and anything else into INTERNAL with a reference to quote."""

    def __init__(self, log: Log) -> None:
        self._log = log

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Let a cancellation and an answer pass."""
        try:
            return await proceed(call)
        except asyncio.CancelledError:
            call.code = grpc.StatusCode.CANCELLED
            raise
        except grpc.aio.AbortError:
            call.code = call.context.code()
            raise
        except ServiceError as error:
            await self._refuse(call, error)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets an answer
            self._log.error("rpc_failed", service=call.service, method=call.method, stack=stack_of(error), **call.about)
            await self._refuse(call, _internal(call.request_id))

    async def _refuse(self, call: Call, error: ServiceError) -> None:
        call.code, call.reason = error.code, error.reason
        status = to_status(error, hidden=INSIDE if came_by_door(call.context) else ())
        details = ((DETAILS_KEY, status.SerializeToString()),)
        await call.context.abort(error.code, error.message, details)


def _internal(reference: str) -> ServiceError:
    return ServiceError(
        "internal", f"The server failed; quote reference {reference}.", metadata={"reference": reference}
    )


class Deadlines:
    """Ends a call that is no stream after the longest time allowed; a client's deadline is gRPC's matter."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Refuse with `deadline` when the time is over."""
        if call.streaming:
            return await proceed(call)
        try:
            async with asyncio.timeout(self._seconds) as scope:
                return await proceed(call)
        except TimeoutError:
            if scope.expired():
                raise ServiceError("deadline", "The call took too long.") from None
            raise


class Admission:
    """Lets in only whom the RPC's roles name; an RPC that no table names lets in nobody."""

    def __init__(self, tokens: Tokens, roles: Mapping[str, Roles], barred: Barred) -> None:
        self._tokens = tokens
        self._roles = roles
        self._barred = barred

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Set the caller; a stream ends with `token_expired` when its token does, or when its player is out."""
        who = self._admitted(call)
        set_caller(who)
        if who.player_id:
            structlog.contextvars.bind_contextvars(caller=who.player_id)
        if not call.streaming or who.expires is None:
            return await proceed(call)
        return await self._stream(proceed, call, who)

    async def _stream(self, proceed: Proceed, call: Call, who: Caller) -> Any:
        try:
            async with asyncio.timeout(self._tokens.seconds_left(who)) as scope:
                with self._barred.ending(who.player_id, scope) as stream:
                    return await proceed(call)
        except TimeoutError:
            if scope.expired():
                expired = ServiceError("token_expired", "The token has expired; refresh the session.")
                raise stream.error or expired from None
            raise

    def _admitted(self, call: Call) -> Caller:
        allowed = self._roles.get(call.service, {}).get(call.method, ())
        if Role.NOBODY in allowed:
            return NOBODY
        who = self._tokens.verify(_bearer(call))
        if who.role is Role.SERVICE and came_by_door(call.context):
            raise ServiceError("token_invalid", "Services' tokens are not taken from outside.")
        if who.role not in allowed:
            raise ServiceError("forbidden", f"{call.method} is not for the role {who.role}.")
        if who.plays:
            self._barred.refuse(who.player_id)
        return who


class PlayerRates:
    """Refuses a player's calls when they come too often, with the time to wait. Each process counts for itself.

    The bots of an account are counted together, by what its credential allows.
    """

    def __init__(self, per_second: int, clock: Clock) -> None:
        self._per_second = per_second
        self._rates = Rates(per_second, 2 * per_second)
        self._clock = clock

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Count the call, if it is a player's or a bot's."""
        early = self._count(caller())
        if early:
            raise ServiceError("rate_limited", "You call too often.", math.ceil(early * 1000))
        return await proceed(call)

    def _count(self, who: Caller) -> float:
        now = self._clock.monotonic()
        if who.role is Role.BOT:
            return self._rates.take(account_of(who.player_id), now, self._per_second / who.calls_per_second)
        return self._rates.take(who.player_id, now) if who.role is Role.PLAYER else 0.0


def _bearer(call: Call) -> str:
    kind, _, token = (call.header("authorization") or "").partition(" ")
    if kind.lower() != "bearer" or not token:
        raise ServiceError("token_missing", "Send a token: `authorization: Bearer ...`.")
    return token
