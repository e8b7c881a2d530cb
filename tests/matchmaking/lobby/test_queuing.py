"""Parties in queues, over real gRPC on both databases."""

import asyncio
from typing import Any

import grpc
import pytest

from gouji.serving.errors import refusal_of
from gouji.v1.matchmaking_pb2 import TicketState


async def party_of(leader: Any, *others: Any) -> str:
    """Bring players into the leader's party; returns its id."""
    party_id = ""
    for other in others:
        party_id = (await leader.call("InvitePlayer", player_id=other.player_id)).party.party_id
        await other.call("AnswerInvitation", party_id=party_id, accept=True)
    return party_id


async def reason(call: Any) -> tuple[str, dict[str, str]]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    refusal = refusal_of(caught.value)
    assert refusal is not None
    return refusal.reason, dict(refusal.metadata)


async def test_the_leader_queues_the_party_once_all_are_ready(desk: Any, guests: Any) -> None:
    ann, bob, cid = await guests(desk, "ann", "bob", "cid")
    party_id = await party_of(ann, bob, cid)
    queue = {name: desk.player(name) for name in ("ann", "bob", "cid", "dan")}
    await bob.call("SetReady", ready=True)
    refused = await reason(queue["ann"].create(party_id=party_id, no_bots=True))
    assert refused == ("party_not_ready", {"player_id": "cid"})
    await cid.call("SetReady", ready=True)
    assert (await reason(queue["bob"].create(party_id=party_id)))[0] == "not_leader"
    assert (await reason(queue["dan"].create(party_id=party_id)))[0] == "no_party"
    made = await queue["ann"].create(party_id=party_id, no_bots=True)
    assert [member.player_id for member in made.ticket.members] == ["ann", "bob", "cid"]
    for name in ("bob", "cid"):
        [found] = await queue[name].mine()
        assert (found.ticket_id, found.party_id) == (made.ticket.ticket_id, party_id)


async def test_two_parties_of_three_sit_on_a_team_each(desk: Any, guests: Any) -> None:
    people = await guests(desk, "ann", "bob", "cid", "dan", "eve", "fay")
    tickets = []
    for leader, *others in (people[:3], people[3:]):
        party_id = await party_of(leader, *others)
        for other in others:
            await other.call("SetReady", ready=True)
        tickets.append((await desk.player(leader.player_id).create(party_id=party_id, no_bots=True)).ticket.ticket_id)
    waits = [desk.player(one.player_id).settled(tickets[n // 3]) for n, one in enumerate(people)]
    settled = await asyncio.gather(*waits)
    assert len({ticket.table_id for ticket in settled}) == 1
    teams = [ticket.seat % 2 for ticket in settled]
    assert (len(set(teams[:3])), len(set(teams[3:])), len(set(teams))) == (1, 1, 2)


async def test_a_party_of_four_says_that_it_plays_on_both_teams(desk: Any, guests: Any) -> None:
    people = await guests(desk, "ann", "bob", "cid", "dan")
    party_id = await party_of(*people)
    for other in people[1:]:
        await other.call("SetReady", ready=True)
    ann = desk.player("ann")
    refused = await reason(ann.create(party_id=party_id, no_bots=True))
    assert refused == ("malformed", {"field": "both_teams"})
    made = await ann.create(party_id=party_id, no_bots=True, both_teams=True)
    assert made.ticket.both_teams


async def test_a_party_that_changes_leaves_the_queue(desk: Any, guests: Any) -> None:
    ann, bob = await guests(desk, "ann", "bob")
    party_id = await party_of(ann, bob)
    await bob.call("SetReady", ready=True)
    ticket_id = (await desk.player("ann").create(party_id=party_id, no_bots=True)).ticket.ticket_id
    await bob.call("LeaveParty")
    assert (await desk.player("ann").settled(ticket_id)).state == TicketState.TICKET_STATE_CANCELLED
    assert not (await desk.player("bob").create(no_bots=True)).already_queued


async def test_who_is_blocked_is_not_met(desk: Any, guests: Any) -> None:
    ann, _ = await guests(desk, "ann", "bob")
    await ann.call("BlockPlayer", player_id="bob")
    made = {name: await desk.player(name).create(bots_after={"seconds": 0}) for name in ("ann", "bob")}
    settled = [await desk.player(name).settled(answer.ticket.ticket_id) for name, answer in made.items()]
    assert len({ticket.table_id for ticket in settled}) == 2
