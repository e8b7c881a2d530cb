"""Parties, friends and rooms through the SDK."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from gouji.bot.service import bind as bind_bot
from gouji.client import ClientError, Friends, Parties, Patience, Rooms, Session
from gouji.gateway.service import bind as bind_gateway
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.serving.app import App
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1.friends_pb2 import FRIEND_STATE_FRIENDS
from gouji.v1.room_pb2 import ROOM_STATE_PLAYING, Room, RoomSettings

BINDS = {"gateway": bind_gateway, "matchmaking": bind_matchmaking, "bot": bind_bot}
SETTINGS = RoomSettings(bot_level="greedy", spectators=True, listed=True)


@pytest.fixture
async def app(sqlite_settings: Settings) -> AsyncIterator[App]:
    quick = sqlite_settings.model_copy(update={"lobby_poll_ms": 20, "heartbeat_seconds": 1})
    async with running_app(quick, BINDS) as running:
        yield running


@pytest.fixture
async def sessions(app: App) -> AsyncIterator[list[Session]]:
    """Three guests: Ann, Bob and Cid."""
    patience = Patience(first=0.01, most=0.05, total=5)
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(await Session.open(app.address, name, patience=patience))
            for name in ("Ann", "Bob", "Cid")
        ]


def id_of(session: Session) -> str:
    assert session.credentials
    return session.credentials.player_id


async def test_a_party_comes_together_and_apart(sessions: list[Session]) -> None:
    ann, bob, cid = (Parties(session) for session in sessions)
    for other in sessions[1:]:
        await ann.invite(id_of(other))
    async for seen in bob.watch():
        [invitation] = seen.invitations
        break
    assert invitation.name == "Ann"
    await bob.accept(invitation.party_id)
    await cid.decline(invitation.party_id)
    assert [member.ready for member in (await bob.ready()).members] == [False, True]
    assert (await ann.hand_over(id_of(sessions[1]))).leader == id_of(sessions[1])
    assert len((await bob.remove(id_of(sessions[0]))).members) == 1
    await bob.leave()
    async for seen in bob.watch():
        assert not seen.HasField("party")
        break


async def test_acquaintances(sessions: list[Session]) -> None:
    ann, bob, _ = (Friends(session) for session in sessions)
    await ann.add(id_of(sessions[1]))
    assert await bob.add(id_of(sessions[0])) == FRIEND_STATE_FRIENDS
    assert [friend.name for friend in await ann.known()] == ["Bob"]
    await ann.remove(id_of(sessions[1]))
    assert list(await bob.known()) == list(await ann.recent()) == []
    await ann.block(id_of(sessions[2]))
    assert [player.name for player in await ann.blocked()] == ["Cid"]
    await ann.unblock(id_of(sessions[2]))
    assert list(await ann.blocked()) == []


async def test_a_room_from_its_code_to_its_table(sessions: list[Session]) -> None:
    ann, bob, cid = (Rooms(session) for session in sessions)
    room = await ann.create(SETTINGS)
    assert [found.room_id async for found in cid.listed(free_seat=True, spectators=True)] == [room.room_id]
    await bob.join(room.code, seat=3)
    await cid.join_listed(room.room_id, spectate=True)
    states = bob.watch()
    await anext(states)
    await ann.move(5, id_of(sessions[1]))
    await ann.change(RoomSettings(bot_level="random", spectators=True))
    await ann.hand_over(id_of(sessions[1]))
    table_id = await bob.start(1)
    assert await bob.start(1) == table_id
    async for state in states:
        if state.state == ROOM_STATE_PLAYING:
            break
    assert (state.table_id, state.host) == (table_id, id_of(sessions[1]))
    assert [person.seat_plus_one for person in state.people] == [1, 6, 0]
    assert (await sessions[0].who()).table_id == table_id
    await bob.kick(id_of(sessions[2]))
    with pytest.raises(ClientError, match="not_welcome"):
        await cid.join(room.code)


async def test_a_watch_ends_when_the_player_is_in_the_room_no_longer(sessions: list[Session]) -> None:
    ann, bob = (Rooms(session) for session in sessions[:2])
    room = await ann.create(SETTINGS)
    await bob.join(room.code)
    seen: list[Room] = []
    async for state in bob.watch():
        if not seen:
            await bob.leave()
        seen.append(state)
    assert len(seen[0].people) == 2
    with pytest.raises(ClientError, match="no_room"):
        await anext(bob.watch())
