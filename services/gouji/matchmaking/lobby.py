"""Parties, friends and rooms in a process: what serves them, and what is done for all of them by the way."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from gouji.matchmaking import presence
from gouji.matchmaking.codes import Tries
from gouji.matchmaking.feeds import Feed
from gouji.matchmaking.friend_service import ROLES as FRIEND_ROLES
from gouji.matchmaking.friend_service import FriendServicer
from gouji.matchmaking.friends import Friends
from gouji.matchmaking.parties import Parties
from gouji.matchmaking.party_service import ROLES as PARTY_ROLES
from gouji.matchmaking.party_service import PartyServicer
from gouji.matchmaking.presence import SEEN_EVERY_SECONDS, Here
from gouji.matchmaking.room_service import ROLES as ROOM_ROLES
from gouji.matchmaking.room_service import Desk, RoomServicer
from gouji.matchmaking.rooms import Rooms
from gouji.serving.app import App
from gouji.serving.clock import microseconds
from gouji.v1 import friends_pb2_grpc, party_pb2_grpc, room_pb2_grpc

SWEEP_SECONDS: Final = 60
"""How often it is looked for what is idle."""


def bind_lobby(app: App, desk: Desk) -> None:
    """Add parties, friends and rooms to a process that places tables."""
    parties, rooms, here = Parties(app.database), Rooms(app.database), Here(app.database)
    poll = app.settings.lobby_poll_ms / 1000
    versions = partial(presence.versions, app.database)
    party_feed, room_feed = Feed(versions, app.clock, poll), Feed(rooms.versions, app.clock, poll)
    app.add_servicer(
        party_pb2_grpc.add_PartyServiceServicer_to_server,
        PartyServicer(app, parties, party_feed, here),
        "gouji.v1.PartyService",
        roles=PARTY_ROLES,
    )
    app.add_servicer(
        friends_pb2_grpc.add_FriendServiceServicer_to_server,
        FriendServicer(app, Friends(app.database)),
        "gouji.v1.FriendService",
        roles=FRIEND_ROLES,
    )
    app.add_servicer(
        room_pb2_grpc.add_RoomServiceServicer_to_server,
        RoomServicer(app, rooms, room_feed, here, desk),
        "gouji.v1.RoomService",
        roles=ROOM_ROLES,
    )
    keeper = Keeper(app, parties, rooms, here, room_feed)
    app.background("party watches", party_feed.run)
    app.background("room watches", room_feed.run)
    app.background("rooms' matches", partial(keeper.every, poll, keeper.reopen))
    app.background("who is here", partial(keeper.every, SEEN_EVERY_SECONDS, keeper.note))
    app.background("idle parties and rooms", partial(keeper.every, SWEEP_SECONDS, keeper.sweep))
    app.on_stop(party_feed.close)
    app.on_stop(room_feed.close)


class Keeper:
    """What every process does for all parties and rooms, each time for those that no other process is at."""

    def __init__(self, app: App, parties: Parties, rooms: Rooms, here: Here, room_feed: Feed) -> None:
        self._database = app.database
        self._clock = app.clock
        self._log = app.log
        self._settings = app.settings
        self._parties = parties
        self._rooms = rooms
        self._tries = Tries(app.database)
        self._here = here
        self._room_feed = room_feed

    async def every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        """Do something over and over."""
        while True:
            await self._clock.sleep(seconds)
            await work()

    async def reopen(self) -> None:
        """Open the rooms whose match is over."""
        self._room_feed.stir(await self._rooms.reopen())

    async def note(self) -> None:
        """Note who is here, and which rooms somebody follows."""
        await self._here.note(self._now())
        await self._rooms.seen(self._room_feed.keys, self._now())

    async def sweep(self) -> None:
        """End idle parties and rooms, and forget what is over."""
        now = self._now()
        ended = await self._parties.sweep(now - self._settings.party_idle_seconds * 1_000_000, now)
        closed = await self._rooms.sweep(now - self._settings.room_idle_seconds * 1_000_000)
        self._room_feed.stir(closed)
        await self._tries.sweep(now)
        await presence.sweep(self._database, now)
        if ended or closed:
            self._log.info("lobby_swept", parties=ended, rooms=len(closed))

    def _now(self) -> int:
        return microseconds(self._clock.now())
