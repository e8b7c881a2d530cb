"""Friends, recent players and blocks over real gRPC, on both databases."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from gouji.matchmaking import friends
from gouji.matchmaking.blocks import blocked
from gouji.serving.schema import hand_results, player_points
from gouji.v1.friends_pb2 import FRIEND_STATE_ASKED, FRIEND_STATE_ASKS, FRIEND_STATE_FRIENDS


async def standing(guest: Any) -> dict[str, tuple[int, bool]]:
    """Of each acquaintance how it stands, and whether it is seen to be there."""
    answer = await guest.call("ListFriends")
    return {one.player_id: (one.state, one.presence.online) for one in answer.friends}


async def test_two_are_friends_when_each_calls_the_other_so(desk: Any, guests: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    for guest in ann, bob:
        await guest.party()
    assert (await ann.call("AddFriend", player_id="bob")).state == FRIEND_STATE_ASKED
    assert await standing(ann) == {"bob": (FRIEND_STATE_ASKED, False)}
    assert await standing(bob) == {"ann": (FRIEND_STATE_ASKS, False)}
    assert (await bob.call("AddFriend", player_id="ann")).state == FRIEND_STATE_FRIENDS
    assert (await ann.call("AddFriend", player_id="bob")).state == FRIEND_STATE_FRIENDS
    assert await standing(ann) == {"bob": (FRIEND_STATE_FRIENDS, True)}
    await bob.call("RemoveFriend", player_id="ann")
    await bob.call("RemoveFriend", player_id="ann")
    assert await standing(ann) == await standing(bob) == {}


async def test_where_a_friend_is(desk: Any, guests: Any, ledger: Any) -> None:
    ann, bob, _ = await guests(desk, "ann", "bob", "cid")
    await ann.call("AddFriend", player_id="bob")
    await bob.call("AddFriend", player_id="ann")

    async def there() -> tuple[bool, bool, bool]:
        [friend] = (await ann.call("ListFriends")).friends
        return friend.presence.online, friend.presence.in_party, friend.presence.playing

    assert await there() == (False, False, False)
    await bob.party()
    assert await there() == (True, False, False)
    await bob.call("InvitePlayer", player_id="cid")
    assert await there() == (True, True, False)
    await ledger.sit("bob")
    assert await there() == (True, True, True)


async def test_blocking_ends_friendship_and_works_both_ways(desk: Any, guests: Any, ledger: Any) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    await ann.call("AddFriend", player_id="bob")
    await bob.call("AddFriend", player_id="ann")
    await ann.call("BlockPlayer", player_id="bob")
    await ann.call("BlockPlayer", player_id="bob")
    assert await standing(bob) == {}
    for one, other in ((ann, "bob"), (bob, "ann")):
        assert (await one.refused("AddFriend", player_id=other))[0] == "not_welcome"
    assert [one.name for one in (await ann.call("ListBlockedPlayers")).players] == ["Bob"]
    assert list((await bob.call("ListBlockedPlayers")).players) == []
    await cid.call("BlockPlayer", player_id="ann")
    async with ledger.database.connect() as connection:
        found = await blocked(connection, ["ann", "bob", "dan"])
    assert found == {"ann": {"bob", "cid"}, "bob": {"ann"}, "dan": set()}
    await bob.call("UnblockPlayer", player_id="ann")
    assert (await bob.refused("AddFriend", player_id="ann"))[0] == "not_welcome"
    await ann.call("UnblockPlayer", player_id="bob")
    assert (await bob.call("AddFriend", player_id="ann")).state == FRIEND_STATE_ASKED


async def test_blocks_of_thousands_are_read_at_once(ledger: Any) -> None:
    await ledger.block("p2500", "p1")
    async with ledger.database.connect() as connection:
        found = await blocked(connection, [f"p{n}" for n in range(3000)])
    assert {player for player, avoided in found.items() if avoided} == {"p1", "p2500"}


@pytest.mark.parametrize(
    ("player_id", "reason"), [("nobody", "unknown_player"), ("ann", "unknown_player"), ("", "malformed")]
)
async def test_whom_one_cannot_know(desk: Any, guests: Any, player_id: str, reason: str) -> None:
    [ann] = await guests(desk, "ann")
    for name in "AddFriend", "BlockPlayer":
        assert (await ann.refused(name, player_id=player_id))[0] == reason


async def test_nobody_has_friends_without_end(desk: Any, guests: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(friends, "MOST_FRIENDS", 2)
    monkeypatch.setattr(friends, "MOST_BLOCKED", 1)
    ann, *_ = await guests(desk, "ann", "bob", "cid", "dan")
    await asyncio.gather(*(ann.call("AddFriend", player_id=one) for one in ("bob", "cid")))
    assert (await ann.refused("AddFriend", player_id="dan"))[0] == "too_often"
    await ann.call("BlockPlayer", player_id="bob")
    assert (await ann.refused("BlockPlayer", player_id="cid"))[0] == "too_often"


async def played(database: Any, table_id: str, at: int, *player_ids: str) -> None:
    """Do what scoring does with a hand."""
    result = {"payload": b"", "payload_hash": b"", "preset": "standard", "queue": "", "recorded_at": at, "hand": 1}
    hand = {"table_id": table_id, "hand": 1, "preset": "standard", "points": 0, "place": 1}
    async with database.begin() as connection:
        await connection.execute(sa.insert(hand_results).values(table_id=table_id, ended_at=at, **result))
        rows = [hand | {"seat": seat, "player_id": player} for seat, player in enumerate(player_ids)]
        await connection.execute(sa.insert(player_points), rows)


async def test_recent_players_are_those_of_the_last_matches(desk: Any, guests: Any, ledger: Any) -> None:
    ann, *_ = await guests(desk, "ann", "bob", "cid", "dan", "eve", "fay")
    await played(ledger.database, "tb0", 1, "ann", "fay")
    for number in range(1, 11):
        await played(ledger.database, f"tb{number}", number * 10, "ann", "bob")
    await played(ledger.database, "tb5b", 55, "ann", "cid", "dan")
    await played(ledger.database, "tb6b", 200, "dan", "eve")
    await ann.call("BlockPlayer", player_id="dan")
    recent = (await ann.call("ListRecentPlayers")).players
    assert [(one.player_id, one.name, one.played.ToMicroseconds()) for one in recent] == [
        ("bob", "Bob", 100),
        ("cid", "Cid", 55),
    ]
