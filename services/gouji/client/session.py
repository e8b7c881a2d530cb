"""A player's connection: tokens, channels, and calls that are tried again."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

import grpc

from gouji.client.addresses import open_channel
from gouji.client.credentials import Credentials, CredentialsFile
from gouji.client.errors import ClientError
from gouji.client.retry import Patience
from gouji.v1 import gateway_pb2, gateway_pb2_grpc

Request = TypeVar("Request")
Answer = TypeVar("Answer")
Metadata = tuple[tuple[str, str], ...]

_UNKNOWN_HERE: Final = frozenset({"token_invalid", "token_expired", "unknown_player"})
_CHANNEL_OPTIONS: Final = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2000),
)


class Session:
    """Who the caller is, at one server. Close it, or use it as a context manager.

    Every call is tried again as `Patience` says, and once more with a fresh token where the old one has
    expired. Failures raise `ClientError`.
    """

    def __init__(
        self,
        address: str,
        credentials: Credentials | None = None,
        *,
        file: CredentialsFile | None = None,
        patience: Patience | None = None,
        authority: Path | None = None,
        own_connections: bool = False,
    ) -> None:
        """Connect lazily to ``address``: a door's, `https://play.example`, or a server's, `host:port`.

        Fresh tokens go to ``file``, if there is one; ``authority`` is as in `open_channel`. Sessions of one process
        share connections, unless one asks for its ``own_connections``, as players on devices of their own have them.
        """
        self.address = address
        self.credentials = credentials
        self.patience = patience or Patience()
        self._file = file
        self._authority = authority
        self._options = (*_CHANNEL_OPTIONS, ("grpc.use_local_subchannel_pool", int(own_connections)))
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._renewing = asyncio.Lock()

    @classmethod
    async def open(
        cls,
        address: str,
        name: str,
        *,
        file: CredentialsFile | None = None,
        patience: Patience | None = None,
        authority: Path | None = None,
    ) -> "Session":
        """Come back as the player whom ``file`` remembers, or become a new guest called ``name``."""
        session = cls(address, file.load() if file else None, file=file, patience=patience, authority=authority)
        try:
            if not await session._is_known():
                await session.become_guest(name)
        except BaseException:
            await session.close()
            raise
        return session

    @classmethod
    async def open_bot(
        cls,
        address: str,
        credential: str,
        number: int = 1,
        *,
        patience: Patience | None = None,
        authority: Path | None = None,
    ) -> "Session":
        """Act as a bot of one's own: the so-manieth of the account whose ``credential`` an operator gave."""
        session = cls(address, patience=patience, authority=authority)
        request = gateway_pb2.OpenBotRequest(credential=credential, number=number)
        try:
            opened = await session.patience.call(
                lambda: session._stub.OpenBot(request, timeout=session.patience.attempt)
            )
        except BaseException:
            await session.close()
            raise
        session.take(Credentials.of(opened.player_id, opened.name, opened.tokens))
        return session

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every channel; calls that are under way fail."""
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            await channel.close()

    def channel(self, address: str | None = None) -> grpc.aio.Channel:
        """Return the one channel to an address; None is the session's own."""
        wanted = address or self.address
        if wanted not in self._channels:
            self._channels[wanted] = open_channel(wanted, self._options, self._authority)
        return self._channels[wanted]

    async def become_guest(self, name: str) -> Credentials:
        """Make a new player and act as it from now on."""
        request = gateway_pb2.CreateGuestRequest(name=name)
        made = await self.patience.call(lambda: self._stub.CreateGuest(request, timeout=self.patience.attempt))
        return self.take(Credentials.of(made.player_id, name, made.tokens))

    def take(self, credentials: Credentials) -> Credentials:
        """Act with these from now on, and remember them."""
        self.credentials = credentials
        if self._file:
            self._file.save(credentials)
        return credentials

    async def who(self) -> gateway_pb2.GetSessionResponse:
        """Ask who the caller is and at which table it sits."""
        return await self.call(self._stub.GetSession, gateway_pb2.GetSessionRequest())

    async def locate(self, table_id: str) -> gateway_pb2.LocateTableResponse:
        """Ask which server has a table, and where to dial it."""
        return await self.call(self._stub.LocateTable, gateway_pb2.LocateTableRequest(table_id=table_id))

    async def call(self, method: "grpc.aio.UnaryUnaryMultiCallable[Request, Answer]", request: Request) -> Answer:
        """Make one call of a method that is safe to repeat."""

        async def attempt(metadata: Metadata) -> Answer:
            return await method(request, metadata=metadata, timeout=self.patience.attempt)

        return await self.repeat(attempt)

    async def repeat(self, attempt: Callable[[Metadata], Awaitable[Answer]]) -> Answer:
        """Await ``attempt(metadata)``, with a good token in it, until it succeeds or fails for good."""

        async def once() -> Answer:
            return await attempt(await self.metadata())

        try:
            return await self.patience.call(once)
        except ClientError as error:
            if not await self._renewed_after(error):
                raise
        return await self.patience.call(once)

    async def follow(
        self,
        open_stream: Callable[[Metadata], Awaitable["grpc.aio.UnaryStreamCall[Request, Answer]"]],
        broken: Callable[[ClientError], None] = lambda _: None,
    ) -> AsyncGenerator[Answer, None]:
        """Read a stream, and open it anew whenever it ends, breaks or falls silent, until the caller stops.

        ``broken`` hears why, before the stream is opened anew.
        Raises the last `ClientError` when it is no passing one, or nothing was heard for `Patience.total`.
        """
        failures, heard = 0, time.monotonic()
        while True:
            try:
                async with aclosing(self._read(open_stream)) as messages:
                    async for message in messages:
                        failures, heard = 0, time.monotonic()
                        yield message
            except ClientError as error:
                broken(error)
                renewed = await self._renewed_after(error)
                if not renewed and (not error.passing or time.monotonic() - heard > self.patience.total):
                    raise
                await asyncio.sleep(self.patience.delay(failures, error.retry_after))
                failures += 1

    async def metadata(self) -> Metadata:
        """Return the headers that say who calls."""
        if self.credentials and self.credentials.stale:
            await self._renew(self.credentials)
        return (("authorization", f"Bearer {self.credentials.access_token}"),) if self.credentials else ()

    @property
    def _stub(self) -> "gateway_pb2_grpc.SessionServiceAsyncStub":
        return gateway_pb2_grpc.SessionServiceStub(self.channel())

    async def _is_known(self) -> bool:
        """Whether the server knows the player of the credentials at hand."""
        if self.credentials is None:
            return False
        try:
            await self.who()
        except ClientError as error:
            if error.reason in _UNKNOWN_HERE:
                return False
            raise
        return True

    async def _read(
        self, open_stream: Callable[[Metadata], Awaitable["grpc.aio.UnaryStreamCall[Request, Answer]"]]
    ) -> AsyncGenerator[Answer, None]:
        """Read one stream; however it ends is an error of ours."""
        stream = None
        try:
            stream = await open_stream(await self.metadata())
            while True:
                # Not `wait_for`: before Python 3.12 it loses a cancellation that comes together with a message.
                async with asyncio.timeout(self.patience.silence):
                    message = await stream.read()
                if message is grpc.aio.EOF:
                    raise ClientError(grpc.StatusCode.UNAVAILABLE, "the stream ended")
                yield message  # type: ignore[misc]
        except TimeoutError as error:
            raise ClientError(grpc.StatusCode.UNAVAILABLE, "the stream fell silent") from error
        except grpc.aio.AioRpcError as error:
            raise ClientError.of(error) from error
        finally:
            if stream is not None:
                stream.cancel()

    async def _renewed_after(self, error: ClientError) -> bool:
        """Exchange the tokens if that is what a call failed for."""
        if error.reason != "token_expired" or not self.credentials or not self.credentials.refresh_token:
            return False
        await self._renew(self.credentials)
        return True

    async def _renew(self, seen: Credentials) -> None:
        """Exchange the refresh token, once for all calls that found ``seen`` expired."""
        async with self._renewing:
            if self.credentials is not seen:
                return
            request = gateway_pb2.RefreshSessionRequest(refresh_token=seen.refresh_token)
            fresh = await self.patience.call(lambda: self._stub.RefreshSession(request, timeout=self.patience.attempt))
            self.take(Credentials.of(seen.player_id, seen.name, fresh.tokens))
