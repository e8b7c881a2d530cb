"""Players in the lobby over real gRPC: parties, friends and rooms."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from google.protobuf import message_factory

from gouji.serving.database import Database
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.schema import active_seats, blocks, players, tables
from gouji.serving.settings import Settings
from gouji.v1 import friends_pb2, friends_pb2_grpc, party_pb2, party_pb2_grpc, room_pb2, room_pb2_grpc

SERVICES = (
    (party_pb2.DESCRIPTOR.services_by_name["PartyService"], party_pb2_grpc.PartyServiceStub),
    (friends_pb2.DESCRIPTOR.services_by_name["FriendService"], friends_pb2_grpc.FriendServiceStub),
    (room_pb2.DESCRIPTOR.services_by_name["RoomService"], room_pb2_grpc.RoomServiceStub),
)


class Guest:
    """Somebody with a token, who calls by the methods' names."""

    def __init__(self, player_id: str, channel: grpc.aio.Channel, token: str) -> None:
        self.player_id = player_id
        self._channel = channel
        self._metadata = (("authorization", f"Bearer {token}"),)

    def open(self, name: str, **fields: Any) -> Any:
        for service, stub in SERVICES:
            if method := service.methods_by_name.get(name):
                request = message_factory.GetMessageClass(method.input_type)(**fields)
                return getattr(stub(self._channel), name)(request, metadata=self._metadata)
        raise AssertionError(f"no such method: {name}")

    async def call(self, name: str, **fields: Any) -> Any:
        return await self.open(name, **fields)

    async def refused(self, name: str, **fields: Any) -> tuple[str, dict[str, str]]:
        """The reason and metadata with which a call, or a stream's next message, is refused."""
        opened = self.open(name, **fields)
        return await refusal(opened.read() if name.startswith("Watch") else opened)

    async def tried(self, name: str, **fields: Any) -> str:
        """Call; the reason when it is refused, empty when not."""
        try:
            await self.open(name, **fields)
        except grpc.aio.AioRpcError as error:
            return reason_of(error) or "no reason of ours"
        return ""

    async def party(self) -> party_pb2.Party:
        return (await self._first("WatchParty")).party

    async def room(self) -> room_pb2.Room:
        return (await self._first("WatchRoom")).room

    async def invitations(self) -> list[str]:
        return [one.player_id for one in (await self._first("WatchParty")).invitations]

    async def _first(self, name: str) -> Any:
        watch = self.open(name)
        first = await watch.read()
        watch.cancel()
        return first


async def refusal(call: Awaitable[Any]) -> tuple[str, dict[str, str]]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    found = refusal_of(caught.value)
    assert found is not None
    return found.reason, dict(found.metadata)


@pytest.fixture
def ends() -> Callable[[Awaitable[Any]], Awaitable[tuple[str, dict[str, str]]]]:
    """Say with which reason and metadata a call ends."""
    return refusal


@pytest.fixture
def guests() -> Callable[..., Awaitable[list[Guest]]]:
    """Have players of these ids come: `ann, bob = await guests(desk, "ann", "bob")`."""

    async def come(desk: Any, *player_ids: str) -> list[Guest]:
        rows = [{"player_id": one, "name": one.title(), "created_at": 0} for one in player_ids]
        new = desk.app.database.insert(players).on_conflict_do_nothing(index_elements=["player_id"])
        async with desk.app.database.begin() as connection:
            await connection.execute(new, rows)
        tokens = [desk.app.tokens.mint_player(one, one.title()).access_token for one in player_ids]
        return [Guest(one, desk.channel, token) for one, token in zip(player_ids, tokens, strict=True)]

    return come


@pytest.fixture
def operator() -> Callable[[Any], Guest]:
    """Have an operator call."""
    return lambda desk: Guest("", desk.channel, desk.app.tokens.mint_operator("op"))


@pytest.fixture
def seen() -> Callable[..., Awaitable[Any]]:
    """Read a watch until a message is as it should be: `await seen(watch, lambda message: ...)`."""

    async def read(watch: Any, condition: Callable[[Any], bool]) -> Any:
        async with asyncio.timeout(30):
            while not condition(message := await watch.read()):
                assert message is not grpc.aio.EOF
        return message

    return read


@pytest.fixture
async def ledger(settings: Settings) -> AsyncIterator["Ledger"]:
    """The database by itself."""
    database = Database(settings.database_url)
    await database.upgrade()
    yield Ledger(database)
    await database.close()


class Ledger:
    """What tests do to the database beside the lobby."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def sit(self, player_id: str, table_id: str = "elsewhere") -> None:
        async with self.database.begin() as connection:
            row = {"player_id": player_id, "table_id": table_id, "seat": 0}
            await connection.execute(sa.insert(active_seats).values(row))

    async def end_match(self, table_id: str, state: str = "over") -> None:
        """Do what the table service does when a match ends, or stops."""
        async with self.database.begin() as connection:
            await connection.execute(sa.delete(active_seats).where(active_seats.c.table_id == table_id))
            await connection.execute(sa.update(tables).where(tables.c.table_id == table_id).values(state=state))

    async def block(self, player_id: str, other: str) -> None:
        async with self.database.begin() as connection:
            await connection.execute(sa.insert(blocks).values(player_id=player_id, blocked_id=other))
