"""Accounts over real gRPC, on both databases: profiles, identities, export."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from google.protobuf import message_factory

from gouji.gateway.account_service import MOST_PROFILES
from gouji.gateway.export import OWN
from gouji.gateway.profile import COLOURS, LONGEST_NAME
from gouji.gateway.service import bind
from gouji.serving.app import App
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.schema import friends, identities, metadata, player_points
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, running_app
from gouji.v1 import account_pb2, account_pb2_grpc, gateway_pb2, gateway_pb2_grpc
from gouji.v1.account_pb2 import Account, IdentityProof

ACCOUNTS = account_pb2.DESCRIPTOR.services_by_name["AccountService"].methods_by_name


class Guest:
    """A player at a device, who calls by the methods' names."""

    def __init__(self, channel: grpc.aio.Channel, player_id: str, token: str) -> None:
        self.player_id = player_id
        self.metadata = (("authorization", f"Bearer {token}"),)
        self._stub: Any = account_pb2_grpc.AccountServiceStub(channel)

    def open(self, method: str, /, **fields: Any) -> Any:
        request = message_factory.GetMessageClass(ACCOUNTS[method].input_type)(**fields)
        return getattr(self._stub, method)(request, metadata=self.metadata)

    async def call(self, method: str, /, **fields: Any) -> Any:
        return await self.open(method, **fields)

    async def account(self) -> Account:
        return (await self.call("GetAccount")).account

    async def export(self) -> str:
        return "".join([piece.text async for piece in self.open("ExportAccount")])


async def refusal(call: Awaitable[Any]) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return reason_of(refused.value)


async def outcome(call: Awaitable[Any]) -> str | None:
    """The reason of a refusal, None where there is none."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return reason_of(error)
    return None


@pytest.fixture
async def app(settings: Settings, issuer: Any, clock: ManualClock) -> AsyncIterator[App]:
    known = settings.model_copy(update={"identity_issuers": f"{issuer.url} gouji-web"})
    async with running_app(known, {"gateway": bind}, clock=clock) as running:
        yield running


@pytest.fixture
def come(channel: grpc.aio.Channel) -> Any:
    """Has a new guest come."""
    sessions: Any = gateway_pb2_grpc.SessionServiceStub(channel)

    async def guest(name: str = "Ann") -> Guest:
        made = await sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name=name))
        return Guest(channel, made.player_id, made.tokens.access_token)

    return guest


@pytest.fixture
def prove(issuer: Any, clock: ManualClock) -> Any:
    """Makes a proof of who somebody is."""
    return lambda subject: issuer.proof(subject, clock.now().timestamp())


# Profiles


async def test_a_new_guest_has_a_colour_and_no_identity(come: Any) -> None:
    ann = await come("Ann")
    account = await ann.account()
    assert (account.player_id, account.name, account.issuer) == (ann.player_id, "Ann", "")
    assert account.colour in COLOURS
    assert account.HasField("created")
    assert not account.HasField("bound")


async def test_a_profile_changes_in_what_is_given(come: Any, app: App) -> None:
    ann = await come("Ann")
    before = await ann.account()
    answer = await ann.call("UpdateProfile", name="  Anna ")
    assert (answer.account.name, answer.account.colour) == ("Anna", before.colour)
    assert app.tokens.verify(answer.tokens.access_token).name == "Anna"
    answer = await ann.call("UpdateProfile", colour=0)
    assert (answer.account.name, answer.account.colour) == ("Anna", 0)
    assert (await ann.call("UpdateProfile")).account == answer.account == await ann.account()


async def test_what_cannot_be_shown_is_malformed(come: Any) -> None:
    ann = await come()
    for field, value in (("name", ""), ("name", "x" * (LONGEST_NAME + 1)), ("name", "a\0b"), ("colour", 0x1000000)):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ann.call("UpdateProfile", **{field: value})
        told = refusal_of(refused.value)
        assert told
        assert (told.reason, told.metadata["field"]) == ("malformed", field)


async def test_profiles_come_in_the_order_asked_for_and_tell_who_was_deleted(come: Any) -> None:
    ann, bob, eve = [await come(name) for name in ("Ann", "Bob", "Eve")]
    await bob.call("DeleteAccount")
    ids = [eve.player_id, "nobody", bob.player_id, ann.player_id, eve.player_id]
    found = (await ann.call("GetProfiles", player_ids=ids)).profiles
    assert [(one.player_id, one.name, one.deleted) for one in found] == [
        (eve.player_id, "Eve", False),
        (bob.player_id, "", True),
        (ann.player_id, "Ann", False),
        (eve.player_id, "Eve", False),
    ]


async def test_profiles_of_what_is_no_list_of_ids_are_malformed(come: Any) -> None:
    ann = await come()
    for ids in ([], ["x"] * (MOST_PROFILES + 1), ["a\0b"], [""], ["x" * 129]):
        assert await refusal(ann.call("GetProfiles", player_ids=ids)) == "malformed"


# Identities


async def test_a_guest_who_binds_keeps_all_and_comes_back_from_another_device(
    come: Any, prove: Any, issuer: Any, channel: grpc.aio.Channel
) -> None:
    ann = await come("Ann")
    bound = (await ann.call("BindIdentity", proof=prove("ann@id"))).account
    assert (bound.player_id, bound.name, bound.issuer) == (ann.player_id, "Ann", issuer.url)
    elsewhere = Guest(channel, "", "")
    signed = await elsewhere.call("SignIn", proof=prove("ann@id"))
    assert signed.account == bound
    again = Guest(channel, ann.player_id, signed.tokens.access_token)
    assert (await again.account()).player_id == ann.player_id


async def test_nothing_of_a_subject_is_stored(app: App, come: Any, prove: Any) -> None:
    await (await come()).call("BindIdentity", proof=prove("ann@example.com"))
    async with app.database.connect() as connection:
        (row,) = (await connection.execute(sa.select(identities))).all()
    assert b"ann" not in bytes(row.subject)
    assert len(row.subject) == 32


async def test_binding_twice_is_binding_once(come: Any, prove: Any) -> None:
    ann = await come()
    first = (await ann.call("BindIdentity", proof=prove("ann"))).account
    assert (await ann.call("BindIdentity", proof=prove("ann"))).account == first


async def test_an_identity_of_another_player_is_refused_or_signs_in(come: Any, prove: Any) -> None:
    ann, bob = await come("Ann"), await come("Bob")
    await ann.call("BindIdentity", proof=prove("ann"))
    assert await refusal(bob.call("BindIdentity", proof=prove("ann"))) == "identity_taken"
    answer = await bob.call("BindIdentity", proof=prove("ann"), or_sign_in=True)
    assert (answer.account.player_id, answer.HasField("tokens")) == (ann.player_id, True)
    assert (await bob.account()).issuer == ""


async def test_asking_to_sign_in_binds_where_nobody_is_bound(come: Any, prove: Any) -> None:
    ann = await come()
    answer = await ann.call("BindIdentity", proof=prove("ann"), or_sign_in=True)
    assert (answer.account.player_id, answer.HasField("tokens")) == (ann.player_id, False)


async def test_a_player_is_bound_to_one_identity_until_it_unbinds(come: Any, prove: Any) -> None:
    ann = await come()
    await ann.call("BindIdentity", proof=prove("ann"))
    assert await refusal(ann.call("BindIdentity", proof=prove("other"))) == "already_bound"
    for _ in range(2):
        assert (await ann.call("UnbindIdentity")).account.issuer == ""
    assert await refusal(ann.call("SignIn", proof=prove("ann"))) == "unknown_identity"
    await ann.call("BindIdentity", proof=prove("other"))


async def test_a_bad_proof_changes_nothing(come: Any, prove: Any) -> None:
    ann = await come()
    bad = IdentityProof(id_token=prove("ann").id_token, raw_nonce="drawn by somebody else")
    for name in ("BindIdentity", "SignIn"):
        assert await refusal(ann.call(name, proof=bad)) == "identity_invalid"
        assert await refusal(ann.call(name)) == "malformed"
    assert (await ann.account()).issuer == ""


async def test_two_devices_of_a_player_bind_one_identity_at_once(come: Any, prove: Any) -> None:
    ann = await come()
    calls = [ann.call("BindIdentity", proof=prove("ann")) for _ in range(8)]
    assert [await outcome(call) for call in asyncio.as_completed(calls)] == [None] * 8


async def test_of_two_identities_at_once_a_player_gets_one(come: Any, prove: Any) -> None:
    ann = await come()
    calls = [outcome(ann.call("BindIdentity", proof=prove(subject))) for subject in ("a", "b", "a", "b")]
    assert sorted(map(str, await asyncio.gather(*calls))) == ["None", "None", "already_bound", "already_bound"]


async def test_of_players_who_bind_one_identity_at_once_one_gets_it(come: Any, prove: Any) -> None:
    guests = [await come() for _ in range(6)]
    calls = [outcome(guest.call("BindIdentity", proof=prove("x"))) for guest in guests]
    assert sorted(map(str, await asyncio.gather(*calls))) == ["None", *["identity_taken"] * 5]


async def test_an_identity_is_free_again_when_its_player_is_deleted_even_at_the_same_moment(
    come: Any, prove: Any
) -> None:
    for subject in "abcd":
        ann, bob = await come(), await come()
        bound, _ = await asyncio.gather(
            outcome(ann.call("BindIdentity", proof=prove(subject))), outcome(ann.call("DeleteAccount"))
        )
        assert bound in (None, "unknown_player")
        await bob.call("BindIdentity", proof=prove(subject))


# Export


async def test_an_export_has_what_is_stored_of_the_caller_alone(app: App, come: Any, prove: Any) -> None:
    ann, bob = await come("Ann"), await come("Bob")
    await ann.call("BindIdentity", proof=prove("ann@example.com"))
    async with app.database.begin() as connection:
        pairs = [(ann.player_id, bob.player_id), (bob.player_id, ann.player_id)]
        rows = [{"player_id": one, "friend_id": other, "created_at": 1_000_000} for one, other in pairs]
        await connection.execute(friends.insert(), rows)
    exported = json.loads(await ann.export())
    assert exported["player_id"] == ann.player_id
    assert [row["name"] for row in exported["players"]] == ["Ann"]
    assert exported["friends"] == [
        {"player_id": ann.player_id, "friend_id": bob.player_id, "created_at": "1970-01-01T00:00:01+00:00"}
    ]
    assert set(exported["identities"][0]) == {"player_id", "issuer", "bound_at"}
    assert set(exported) == {"player_id"} | {table.name for table in OWN}


async def test_a_long_export_comes_in_pieces(app: App, come: Any) -> None:
    ann = await come()
    row = {"table_id": "t", "seat": 0, "player_id": ann.player_id, "preset": "standard", "points": 2, "place": 1}
    async with app.database.begin() as connection:
        await connection.execute(player_points.insert(), [row | {"hand": hand} for hand in range(1, 2001)])
    pieces = [piece.text async for piece in ann.open("ExportAccount")]
    assert len(pieces) > 3
    assert [row["hand"] for row in json.loads("".join(pieces))["player_points"]] == list(range(1, 2001))


NOBODYS = {
    "acts",  # what the staff did; what holds of it for a player stands elsewhere
    "board_counts",
    "board_moves",  # folded into the counts within seconds
    "boards",
    "deletions",  # of nobody who can still ask
    "feed_events",  # results, as in player_points
    "hand_corrections",  # the same
    "hand_results",  # the same
    "match_results",
    "matches",
    "matchmakers",
    "outbox",  # results on their way
    "parties",  # whoever leads is a member
    "paused_queues",
    "queue_leases",
    "rated_matches",
    "rating_revisions",
    "room_tries",  # gone after a minute
    "rooms",  # whoever is host is in it
    "seasons",
    "server_loads",
    "table_commands",  # in the records
    "table_events",  # the same
    "table_servers",
    "table_snapshots",
    "tables",  # named in table_people
    "tickets",  # whoever leads is a member
    "tournament_boards",
    "tournament_entries",  # what happened in the events of tournament_people
    "tournaments",
    "webhook_deliveries",
    "webhook_endpoints",
}
"""Tables with nothing about a player that is not elsewhere."""


def test_every_table_is_exported_or_has_nothing_about_anybody() -> None:
    exported = {table.name for table in OWN}
    assert not exported & NOBODYS
    assert exported | NOBODYS == set(metadata.tables)
