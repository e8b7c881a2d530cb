"""Parties over real gRPC, on both databases."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import sqlalchemy as sa

from gouji.matchmaking.parties import Parties, party_of, party_with
from gouji.matchmaking.presence import seen as note_seen
from gouji.serving.schema import lobby_players, party_invites, party_members, tickets
from gouji.serving.settings import Settings

NAMES = ("ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal")


async def gathered(leader: Any, *others: Any) -> str:
    """Bring players into the leader's party; returns its id."""
    party_id = ""
    for other in others:
        party_id = (await leader.call("InvitePlayer", player_id=other.player_id)).party.party_id
        await other.call("AnswerInvitation", party_id=party_id, accept=True)
    return party_id


def members(party: Any) -> list[str]:
    return [member.player_id for member in party.members]


async def test_who_is_invited_is_told_and_comes_in(desk: Any, guests: Any, seen: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    watch = bob.open("WatchParty")
    first = await watch.read()
    assert not first.HasField("party")
    assert not first.invitations
    party = (await ann.call("InvitePlayer", player_id="bob")).party
    assert (party.leader, members(party)) == ("ann", ["ann"])
    [invite] = party.invites
    assert (invite.player_id, invite.name, invite.presence.online) == ("bob", "Bob", True)
    [invitation] = (await seen(watch, lambda message: message.invitations)).invitations
    assert (invitation.party_id, invitation.player_id, invitation.name) == (party.party_id, "ann", "Ann")
    came = (await bob.call("AnswerInvitation", party_id=party.party_id, accept=True)).party
    assert (members(came), came.leader, list(came.invites)) == (["ann", "bob"], "ann", [])
    shown = await seen(watch, lambda message: message.HasField("party"))
    assert (members(shown.party), list(shown.invitations)) == (["ann", "bob"], [])
    assert members(await ann.party()) == ["ann", "bob"]


async def test_an_invitation_can_be_declined_and_taken_back(desk: Any, guests: Any) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    party_id = (await ann.call("InvitePlayer", player_id="bob")).party.party_id
    await ann.call("InvitePlayer", player_id="cid")
    assert not (await bob.call("AnswerInvitation", party_id=party_id)).HasField("party")
    await ann.call("RemoveMember", player_id="cid")
    assert not (await ann.party()).invites
    for late in bob, cid:
        assert (await late.refused("AnswerInvitation", party_id=party_id, accept=True))[0] == "no_invitation"


async def test_an_invitation_lapses(settings: Settings, desks: Callable[..., Any], guests: Any, ledger: Any) -> None:
    async with desks(settings) as desk:
        ann, bob = await guests(desk, "ann", "bob")
        party_id = (await ann.call("InvitePlayer", player_id="bob")).party.party_id
        async with ledger.database.begin() as connection:
            await connection.execute(sa.update(party_invites).values(expires_at=1))
        assert await bob.invitations() == []
        assert list((await ann.party()).invites) == []
        assert (await bob.refused("AnswerInvitation", party_id=party_id, accept=True))[0] == "no_invitation"
        await ann.call("InvitePlayer", player_id="bob")
        assert await bob.invitations() == ["ann"]


async def test_only_the_leader_invites_removes_and_hands_over(desk: Any, guests: Any) -> None:
    ann, bob, cid, _ = await guests(desk, "ann", "bob", "cid", "dan")
    await gathered(ann, bob, cid)
    for name, player_id in (("InvitePlayer", "dan"), ("RemoveMember", "cid"), ("HandOverParty", "bob")):
        assert (await bob.refused(name, player_id=player_id))[0] == "not_leader"
    assert (await ann.call("HandOverParty", player_id="bob")).party.leader == "bob"
    assert (await ann.refused("RemoveMember", player_id="cid"))[0] == "not_leader"
    assert members((await bob.call("RemoveMember", player_id="cid")).party) == ["ann", "bob"]
    assert (await bob.refused("HandOverParty", player_id="cid"))[0] == "unknown_player"
    assert not (await cid.party()).members


async def test_when_the_leader_leaves_the_next_one_leads(desk: Any, guests: Any) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    await gathered(ann, bob, cid)
    await ann.call("LeaveParty")
    await ann.call("LeaveParty")
    party = await cid.party()
    assert (party.leader, members(party)) == ("bob", ["bob", "cid"])
    await bob.call("LeaveParty")
    await cid.call("LeaveParty")
    assert not (await cid.party()).party_id
    assert (await cid.refused("SetReady", ready=True))[0] == "no_party"


async def test_whom_nobody_can_invite(desk: Any, guests: Any) -> None:
    [ann] = await guests(desk, "ann")
    for player_id, reason in (("nobody", "unknown_player"), ("ann", "unknown_player"), ("a\0b", "malformed")):
        assert (await ann.refused("InvitePlayer", player_id=player_id))[0] == reason
    assert not (await ann.party()).party_id


async def test_one_party_has_no_more_than_so_many_invitations(desk: Any, guests: Any) -> None:
    ann, *others = await guests(desk, *(f"p{n}" for n in range(14)))
    for other in others[:12]:
        await ann.call("InvitePlayer", player_id=other.player_id)
    assert (await ann.refused("InvitePlayer", player_id=others[12].player_id))[0] == "too_often"
    await ann.call("InvitePlayer", player_id=others[0].player_id)


async def test_two_who_accept_the_last_place_at_once_get_it_once(
    settings: Settings, desks: Callable[..., Any], guests: Any
) -> None:
    async with desks(settings) as here, desks(settings) as there:
        ann, *others = await guests(here, *NAMES[:5])
        fay, _ = await guests(here, "fay", "gus")
        _, gus = await guests(there, "fay", "gus")
        await gathered(ann, *others)
        for last in fay, gus:
            party_id = (await ann.call("InvitePlayer", player_id=last.player_id)).party.party_id
        answers = await asyncio.gather(
            *(one.tried("AnswerInvitation", party_id=party_id, accept=True) for one in (fay, gus))
        )
        assert sorted(answers) == ["", "party_full"]
        assert len((await ann.party()).members) == 6
        assert (await ann.refused("InvitePlayer", player_id="hal"))[0] == "unknown_player"


async def test_who_accepts_two_parties_at_once_is_in_one(
    settings: Settings, desks: Callable[..., Any], guests: Any
) -> None:
    async with desks(settings) as here, desks(settings) as there:
        ann, bob, cid = await guests(here, "ann", "bob", "cid")
        [again] = await guests(there, "cid")
        for lap in range(5):
            ids = [(await one.call("InvitePlayer", player_id="cid")).party.party_id for one in (ann, bob)]
            answers = await asyncio.gather(
                cid.tried("AnswerInvitation", party_id=ids[lap % 2], accept=True),
                again.tried("AnswerInvitation", party_id=ids[1 - lap % 2], accept=True),
            )
            assert sorted(answers) == ["", "in_party"]
            parties = [members(await one.party()) for one in (ann, bob)]
            assert sum("cid" in party for party in parties) == 1
            await cid.call("LeaveParty")
            await cid.call("AnswerInvitation", party_id=ids[0])
            await cid.call("AnswerInvitation", party_id=ids[1])


async def test_who_is_removed_while_accepting_is_not_in(
    settings: Settings, desks: Callable[..., Any], guests: Any
) -> None:
    async with desks(settings) as here, desks(settings) as there:
        [ann] = await guests(here, "ann")
        [bob] = await guests(there, "bob")
        for _ in range(10):
            party_id = (await ann.call("InvitePlayer", player_id="bob")).party.party_id
            _, answer = await asyncio.gather(
                ann.call("RemoveMember", player_id="bob"),
                bob.tried("AnswerInvitation", party_id=party_id, accept=True),
            )
            assert answer in ("", "no_invitation")
            assert members(await ann.party()) == ["ann"]
            assert not (await bob.party()).party_id


async def test_players_who_do_what_they_like_are_in_one_whole_party_each(
    settings: Settings, desks: Callable[..., Any], guests: Any, ledger: Any
) -> None:
    async with desks(settings) as here, desks(settings) as there:
        mine, yours = await guests(here, *NAMES), await guests(there, *NAMES)

        async def wander(number: int) -> None:
            for step in range(12):
                one = (mine, yours)[(number + step) % 2][number]
                other = NAMES[(number * 5 + step * 3) % len(NAMES)]
                await one.tried("InvitePlayer", player_id=other)
                party_id = (await one.open("WatchParty").read()).invitations
                if party_id:
                    await one.tried("AnswerInvitation", party_id=party_id[0].party_id, accept=True)
                if step % 4 == 3:
                    await one.tried(
                        "LeaveParty" if number % 2 else "RemoveMember", **({} if number % 2 else {"player_id": other})
                    )

        await asyncio.gather(*(wander(number) for number in range(len(NAMES))))
        async with ledger.database.connect() as connection:
            found = [await party_with(connection, name) for name in NAMES]
            rows = await connection.scalar(sa.select(sa.func.count()).select_from(party_members))
        parties = {party.party_id: party for party in found if party}
        assert rows == sum(len(party.members) for party in parties.values())
        assert all(1 <= len(party.members) <= 6 for party in parties.values())
        assert all(party.leader in party.player_ids for party in parties.values())


async def test_blocked_players_cannot_invite_or_come_in(desk: Any, guests: Any) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    party_id = (await ann.call("InvitePlayer", player_id="bob")).party.party_id
    await bob.call("BlockPlayer", player_id="ann")
    assert await bob.invitations() == []
    assert (await bob.refused("AnswerInvitation", party_id=party_id, accept=True))[0] == "not_welcome"
    assert (await ann.refused("InvitePlayer", player_id="bob"))[0] == "not_welcome"
    assert (await bob.refused("InvitePlayer", player_id="ann"))[0] == "not_welcome"
    await gathered(ann, cid)
    await cid.call("BlockPlayer", player_id="bob")
    await bob.call("UnblockPlayer", player_id="ann")
    assert (await ann.refused("InvitePlayer", player_id="bob"))[0] == "not_welcome"
    await cid.call("UnblockPlayer", player_id="bob")
    await ann.call("InvitePlayer", player_id="bob")
    await cid.call("BlockPlayer", player_id="bob")
    assert (await bob.refused("AnswerInvitation", party_id=party_id, accept=True))[0] == "not_welcome"


async def test_readiness_is_seen_and_the_leader_needs_none(desk: Any, guests: Any, ledger: Any, seen: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    party_id = await gathered(ann, bob)
    watch = ann.open("WatchParty")
    await seen(watch, lambda message: not any(member.ready for member in message.party.members))
    await bob.call("SetReady", ready=True)
    shown = await seen(watch, lambda message: any(member.ready for member in message.party.members))
    assert [member.ready for member in shown.party.members] == [False, True]
    async with ledger.database.connect() as connection:
        party = await party_of(connection, party_id)
        assert party
        assert party.ready
        assert await party_of(connection, "nothing") is None
    await ann.call("HandOverParty", player_id="bob")
    async with ledger.database.connect() as connection:
        party = await party_of(connection, party_id)
        assert party
        assert not party.ready


async def queued(books: Any, ticket: Any, party_id: str) -> None:
    await books.store.enqueue(ticket)
    async with books.database.begin() as connection:
        this = tickets.c.ticket_id == ticket.ticket_id
        await connection.execute(sa.update(tickets).where(this).values(party_id=party_id))


async def test_a_party_that_changes_leaves_its_queue(desk: Any, guests: Any, make_ticket: Any) -> None:
    ann, bob, cid, _ = await guests(desk, "ann", "bob", "cid", "dan")
    party_id = await gathered(ann, bob, cid)
    await bob.call("SetReady", ready=True)
    await cid.call("SetReady", ready=True)
    changes = [
        (bob, "SetReady", {"ready": False}),
        (ann, "HandOverParty", {"player_id": "bob"}),
        (bob, "RemoveMember", {"player_id": "cid"}),
        (bob, "LeaveParty", {}),
    ]
    harmless = [(bob, "SetReady", {"ready": True}), (ann, "InvitePlayer", {"player_id": "dan"})]
    now = 2**52
    for number, (who, name, fields) in enumerate(changes):
        await queued(desk.books, make_ticket(number, player="ann", at=now, bots_after_ms=None), party_id)
        for other, harmless_name, harmless_fields in harmless:
            await other.tried(harmless_name, **harmless_fields)
        assert await desk.books.states(f"t{number}") == ["waiting"]
        await who.call(name, **fields)
        assert await desk.books.states(f"t{number}") == ["cancelled"]


async def test_a_party_survives_a_match(desk: Any, guests: Any, ledger: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    party_id = await gathered(ann, bob)
    await ledger.sit("bob", "tb1")
    assert [member.presence.playing for member in (await ann.party()).members] == [False, True]
    await Parties(ledger.database).sweep(2**62, 2**62)
    await ledger.end_match("tb1")
    party = await ann.party()
    assert (party.party_id, members(party)) == (party_id, ["ann", "bob"])
    assert not any(member.presence.playing for member in party.members)


async def test_a_party_that_nobody_follows_is_over(desk: Any, guests: Any, ledger: Any) -> None:
    ann, bob, cid, dan = await guests(desk, "ann", "bob", "cid", "dan")
    idle, followed = await gathered(ann, bob), await gathered(cid, dan)
    async with ledger.database.begin() as connection:
        await connection.execute(sa.update(lobby_players).values(seen_at=0))
    long_hence = 2**60
    await note_seen(ledger.database, ["dan"], long_hence)
    parties = Parties(ledger.database)
    assert await parties.sweep(long_hence, long_hence) == 1
    assert await parties.sweep(long_hence, long_hence) == 0
    async with ledger.database.connect() as connection:
        assert await party_of(connection, idle) is None
        assert await party_of(connection, followed)
        assert await party_with(connection, "bob") is None


async def test_a_party_outlives_the_process_that_made_it(
    settings: Settings, desks: Callable[..., Any], guests: Any
) -> None:
    async with desks(settings) as desk:
        ann, bob = await guests(desk, "ann", "bob")
        party_id = await gathered(ann, bob)
    async with desks(settings) as desk:
        ann, bob = await guests(desk, "ann", "bob")
        assert (await bob.party()).party_id == party_id
        await ann.call("LeaveParty")
        assert (await bob.party()).leader == "bob"


async def test_what_changes_at_one_process_is_seen_at_another(
    settings: Settings, desks: Callable[..., Any], guests: Any, seen: Any
) -> None:
    quick = {"lobby_poll_ms": 20, "heartbeat_seconds": 60}
    async with desks(settings, **quick) as here, desks(settings, **quick) as there:
        [ann] = await guests(here, "ann")
        [bob] = await guests(there, "bob")
        watch = bob.open("WatchParty")
        await watch.read()
        party_id = (await ann.call("InvitePlayer", player_id="bob")).party.party_id
        await seen(watch, lambda message: message.invitations)
        await bob.call("AnswerInvitation", party_id=party_id, accept=True)
        await seen(watch, lambda message: len(message.party.members) == 2)
        await ann.call("RemoveMember", player_id="bob")
        await seen(watch, lambda message: not message.HasField("party"))


async def test_a_watch_repeats_itself_as_a_heart_beat(desk: Any, guests: Any) -> None:
    [ann] = await guests(desk, "ann")
    watch = ann.open("WatchParty")
    assert await watch.read() == await watch.read()
    watch.cancel()


async def test_a_player_has_so_many_watches_open_and_no_more(desk: Any, guests: Any) -> None:
    [ann] = await guests(desk, "ann")
    await ann.call("CreateRoom")
    watches = [ann.open(name) for name in ("WatchParty", "WatchRoom") * 8]
    for watch in watches:
        await watch.read()
    assert (await ann.refused("WatchParty"))[0] == "too_often"
    assert (await ann.refused("WatchRoom"))[0] == "too_often"
    for watch in watches:
        watch.cancel()

    async def free() -> bool:
        watch = ann.open("WatchParty")
        try:
            return bool(await watch.read())
        except grpc.aio.AioRpcError:
            return False
        finally:
            watch.cancel()

    assert await desk.books.come_true(free)


async def test_a_stopping_server_sends_its_watchers_away(
    sqlite_settings: Settings, desks: Callable[..., Any], guests: Any, ends: Any
) -> None:
    async with desks(sqlite_settings, heartbeat_seconds=60) as desk:
        [ann] = await guests(desk, "ann")
        await ann.call("CreateRoom")
        watches = [ann.open("WatchParty"), ann.open("WatchRoom")]
        for watch in watches:
            await watch.read()
        _, *reasons = await asyncio.gather(desk.app.stop(), *(ends(watch.read()) for watch in watches))
        assert [reason for reason, _ in reasons] == ["draining", "draining"]


async def test_parties_are_for_players(sqlite_settings: Settings, desks: Callable[..., Any], operator: Any) -> None:
    async with desks(sqlite_settings) as desk:
        for name in ("LeaveParty", "ListFriends", "CreateRoom"):
            assert (await operator(desk).refused(name))[0] == "forbidden"
