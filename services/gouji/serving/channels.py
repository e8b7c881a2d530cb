"""Channels to the other services, with this process's service token and the open trace on every call."""

from collections.abc import Callable
from typing import Any, TypeVar

import grpc
import structlog

from gouji.serving.auth import Tokens
from gouji.serving.interceptors import REQUEST_ID
from gouji.serving.settings import Settings
from gouji.serving.tls import dial
from gouji.serving.tracing import OFF, Tracing

S = TypeVar("S")


def channel_options(max_message_bytes: int) -> list[tuple[str, Any]]:
    """Options of every channel, the client's too: message sizes, and a ping that finds dead peers."""
    return [
        ("grpc.max_receive_message_length", max_message_bytes),
        ("grpc.max_send_message_length", max_message_bytes),
        ("grpc.keepalive_time_ms", 20_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.max_reconnect_backoff_ms", 2_000),
    ]


class Channels:
    """One channel for each address, opened when first asked for and closed with the app."""

    def __init__(
        self, settings: Settings, tokens: Tokens, name: str, own_address: Callable[[], str], tracing: Tracing = OFF
    ) -> None:
        self._settings = settings
        self._own_address = own_address
        self._headers = _Headers(tokens, name, tracing)
        self._channels: dict[str, grpc.aio.Channel] = {}

    def stub(self, service: str, stub_class: Callable[[grpc.aio.Channel], S]) -> S:
        """Make a stub for `gateway`, `matchmaking`, `table`, `bot` or `scoring`, once the app has started."""
        return stub_class(self.channel_to(self.address_of(service)))

    def stub_at(self, address: str, stub_class: Callable[[grpc.aio.Channel], S]) -> S:
        """Make a stub for the server at this address."""
        return stub_class(self.channel_to(address))

    def address_of(self, service: str) -> str:
        """Say where a service is dialled: what the settings say, else this process."""
        address: str | None = getattr(self._settings, f"{service}_address")
        return address or self._own_address()

    def channel_to(self, address: str) -> grpc.aio.Channel:
        """Give the channel to this address. It is shared: do not close it."""
        if address not in self._channels:
            self._channels[address] = dial(
                self._settings,
                address,
                options=channel_options(self._settings.max_message_bytes),
                interceptors=[_Unary(self._headers), _Stream(self._headers)],
            )
        return self._channels[address]

    async def close(self) -> None:
        """Close all channels; calls that are still open are cancelled."""
        while self._channels:
            _, channel = self._channels.popitem()
            await channel.close()


class _Headers:
    """Adds the service token, the id of the request being handled, and its trace if there is one."""

    def __init__(self, tokens: Tokens, name: str, tracing: Tracing) -> None:
        self._tracing = tracing
        self._tokens = tokens
        self._name = name
        self._token = ""
        self._good_until = 0.0

    def added(self, details: grpc.aio.ClientCallDetails) -> grpc.aio.ClientCallDetails:
        """Give the call's details with our headers."""
        metadata = grpc.aio.Metadata(*(details.metadata or ()))
        metadata.add("authorization", f"Bearer {self._fresh_token()}")
        request_id = structlog.contextvars.get_contextvars().get("request_id")
        if request_id:
            metadata.add(REQUEST_ID, request_id)
        for header, value in self._tracing.headers().items():
            metadata.add(header, value)
        return grpc.aio.ClientCallDetails(
            details.method, details.timeout, metadata, details.credentials, details.wait_for_ready
        )

    def _fresh_token(self) -> str:
        if not self._token or self._tokens.seconds_left(self._tokens.verify(self._token)) < 60:
            self._token = self._tokens.mint_service(self._name)
        return self._token


class _Unary(grpc.aio.UnaryUnaryClientInterceptor):
    def __init__(self, headers: _Headers) -> None:
        self._headers = headers

    async def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: grpc.aio.ClientCallDetails, request: Any
    ) -> Any:
        return await continuation(self._headers.added(client_call_details), request)


class _Stream(grpc.aio.UnaryStreamClientInterceptor):
    def __init__(self, headers: _Headers) -> None:
        self._headers = headers

    async def intercept_unary_stream(
        self, continuation: Callable[..., Any], client_call_details: grpc.aio.ClientCallDetails, request: Any
    ) -> Any:
        return await continuation(self._headers.added(client_call_details), request)
