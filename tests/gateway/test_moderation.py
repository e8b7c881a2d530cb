"""What moderators do with players, and what the log shows of it."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from google.protobuf import message_factory
from google.protobuf.timestamp_pb2 import Timestamp

from gouji.bot.service import bind as bind_bot
from gouji.gateway.service import bind as bind_gateway
from gouji.matchmaking.service import bind as bind_matchmaking
from gouji.serving.app import App
from gouji.serving.barred import LOOK_SECONDS
from gouji.serving.errors import reason_of, refusal_of
from gouji.serving.schema import active_seats, reports, sanctions, table_servers, tables
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.table.service import bind as bind_table
from gouji.v1 import (
    account_pb2,
    account_pb2_grpc,
    events_pb2,
    gateway_pb2,
    gateway_pb2_grpc,
    matchmaking_pb2,
    matchmaking_pb2_grpc,
    moderation_pb2,
    moderation_pb2_grpc,
    rules_pb2,
    table_pb2,
    table_pb2_grpc,
)

BINDS = {"gateway": bind_gateway, "matchmaking": bind_matchmaking, "table": bind_table, "bot": bind_bot}
BAN, MUTE = moderation_pb2.SANCTION_KIND_BAN, moderation_pb2.SANCTION_KIND_MUTE
METHODS = moderation_pb2.DESCRIPTOR.services_by_name["ModerationService"].methods_by_name


def bearer(token: str) -> Any:
    return (("authorization", f"Bearer {token}"),)


class World:
    """A gateway, players, and people who look after them."""

    def __init__(self, app: App, channel: grpc.aio.Channel) -> None:
        self.app = app
        self.channel = channel
        self.sessions: Any = gateway_pb2_grpc.SessionServiceStub(channel)
        self.accounts: Any = account_pb2_grpc.AccountServiceStub(channel)
        self.reports: Any = moderation_pb2_grpc.ReportServiceStub(channel)
        self.tables: Any = table_pb2_grpc.TableServiceStub(channel)
        self.admin: Any = account_pb2_grpc.AccountAdminServiceStub(channel)
        self._moderation: Any = moderation_pb2_grpc.ModerationServiceStub(channel)
        self.moderator = bearer(app.tokens.mint_moderator("Mo"))
        self.operator = bearer(app.tokens.mint_operator("Olga"))
        self.director = bearer(app.tokens.mint_director("Dora"))

    async def guest(self, name: str = "Ann") -> Any:
        """A new player, as `CreateGuest` answers."""
        return await self.sessions.CreateGuest(gateway_pb2.CreateGuestRequest(name=name))

    async def place(self, *players: Any) -> str:
        """A live table with these players and bots."""
        people = [events_pb2.Seat(player_id=one.player_id, name="P") for one in players]
        seats = [*people, *[events_pb2.Seat(bot_level="random")] * (6 - len(people))]
        request = matchmaking_pb2.PlaceTableRequest(
            request_id=uuid.uuid4().hex, seats=seats, length=rules_pb2.MatchLength(hands=1)
        )
        stub: Any = matchmaking_pb2_grpc.MatchmakingServiceStub(self.channel)
        placed = await stub.PlaceTable(request, metadata=bearer(self.app.tokens.mint_service()))
        await come(lambda: self.address_of(placed.table_id))
        return str(placed.table_id)

    async def address_of(self, table_id: str) -> str:
        """Where a table is served; empty when it is not yet."""
        query = sa.select(table_servers.c.address).join(tables, tables.c.owner == table_servers.c.server_id)
        async with self.app.database.connect() as connection:
            return await connection.scalar(query.where(tables.c.table_id == table_id)) or ""

    async def do(self, method: str, /, by: Any = None, **fields: Any) -> Any:
        """Call a method of `ModerationService`, as a moderator unless told otherwise."""
        request = message_factory.GetMessageClass(METHODS[method].input_type)(**fields)
        return await getattr(self._moderation, method)(request, metadata=by or self.moderator)


def soon(seconds: float = 3600) -> Timestamp:
    moment = Timestamp()
    moment.GetCurrentTime()
    moment.FromSeconds(moment.seconds + round(seconds))
    return moment


async def come(question: Any) -> None:
    """Wait until a question has an answer other than no."""
    async with asyncio.timeout(60):
        while not await question():  # noqa: ASYNC110 - a database has no event
            await asyncio.sleep(0.02)


async def end_of(stream: Any) -> str | None:
    """Read a stream to its end; the reason for it, None for a good one."""
    async with asyncio.timeout(60):
        try:
            while await stream.read() is not grpc.aio.EOF:
                pass
        except grpc.aio.AioRpcError as error:
            return reason_of(error)
    return None


async def refused(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


@pytest.fixture
async def world(settings: Settings) -> AsyncIterator[World]:
    async with running_app(settings, BINDS) as app, grpc.aio.insecure_channel(app.address) as channel:
        yield World(app, channel)


async def test_the_log_is_listed_the_newest_first_page_by_page(world: World) -> None:
    gone = [(await world.guest()).player_id for _ in range(3)]
    for player_id in gone:
        request = account_pb2.DeletePlayerRequest(player_id=player_id, reason="asked by letter")
        await world.admin.DeletePlayer(request, metadata=world.operator)
    page = await world.do("ListActs", limit=2)
    assert [act.player_id for act in page.acts] == gone[:0:-1]
    assert page.more
    rest = await world.do("ListActs", before=page.acts[-1].act_id)
    assert [(act.player_id, act.actor, act.role, act.method, act.reason, act.outcome) for act in rest.acts] == [
        (gone[0], "Olga", "operator", "DeletePlayer", "asked by letter", "done")
    ]
    assert not rest.more
    for wanted, count in (
        ({"actor": "Olga"}, 3),
        ({"player_id": gone[1]}, 1),
        ({"method": "FreezeTable"}, 0),
        ({"table_id": "t1"}, 0),
    ):
        assert len((await world.do("ListActs", **wanted)).acts) == count


async def test_only_moderators_and_operators_read_the_log(world: World) -> None:
    player = bearer((await world.guest()).tokens.access_token)
    for who in (player, world.director):
        assert await refused(world.do("ListActs", by=who)) == "forbidden"
    assert await refused(world.do("ListActs", limit=1001)) == "malformed"
    assert await refused(world.do("ListActs", actor="a\0b")) == "malformed"
    assert list((await world.do("ListActs", by=world.operator)).acts) == []


async def test_a_muted_player_says_nothing_at_any_table_until_it_may(world: World) -> None:
    ann = await world.guest()
    table_id, own = await world.place(ann), bearer(ann.tokens.access_token)

    async def say(phrase: str = "hello") -> Any:
        request = table_pb2.SayRequest(table_id=table_id, command_id=uuid.uuid4().hex, phrase=phrase)
        return await world.tables.Say(request, metadata=own)

    muted = await world.do("MutePlayer", player_id=ann.player_id, until=soon(), reason="insults")
    assert (muted.sanction.kind, muted.sanction.reason) == (MUTE, "insults")
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await say()
    refusal = refusal_of(failed.value)
    assert refusal
    assert (refusal.reason, refusal.metadata["why"], "until" in refusal.metadata) == ("muted", "insults", True)
    assert [one.player_id for one in (await world.do("ListSanctions", kind=MUTE)).sanctions] == [ann.player_id]
    assert (await world.do("UnmutePlayer", player_id=ann.player_id, reason="a mistake")).lifted
    assert not (await world.do("UnmutePlayer", player_id=ann.player_id, reason="a mistake")).lifted
    await say()
    acts = (await world.do("ListActs", player_id=ann.player_id)).acts
    assert [(act.method, act.actor, act.reason) for act in acts] == [
        ("UnmutePlayer", "Mo", "a mistake"),
        ("UnmutePlayer", "Mo", "a mistake"),
        ("MutePlayer", "Mo", "insults"),
    ]


async def test_a_removed_player_loses_its_seat_and_its_streams_and_may_come_back(world: World) -> None:
    ann, bob = await world.guest("Ann"), await world.guest("Bob")
    table_id = await world.place(ann, bob)
    streams = [
        world.tables.Watch(table_pb2.WatchRequest(table_id=table_id), metadata=bearer(one.tokens.access_token))
        for one in (ann, bob)
    ]
    for stream in streams:
        await stream.read()
    removed = await world.do("RemovePlayer", player_id=ann.player_id, reason="stalling")
    assert removed.table_id == table_id
    assert await end_of(streams[0]) == "removed"
    changed: Any = None
    while not (changed and changed.left):
        events = (await streams[1].read()).batch.events
        changed = next((one.seat_changed for one in events if one.HasField("seat_changed")), changed)
    assert (changed.seat, changed.bot_plays) == (0, True)
    streams[1].cancel()
    session = await world.sessions.GetSession(gateway_pb2.GetSessionRequest(), metadata=bearer(ann.tokens.access_token))
    assert session.table_id == ""
    assert (await world.do("RemovePlayer", player_id=ann.player_id, reason="stalling")).table_id == ""


async def test_a_banned_player_is_kept_out_everywhere_until_it_is_let_in(world: World) -> None:
    ann = await world.guest()
    own, refresh = bearer(ann.tokens.access_token), gateway_pb2.RefreshSessionRequest()
    refresh.refresh_token = ann.tokens.refresh_token
    table_id = await world.place(ann)
    stream = world.tables.Watch(table_pb2.WatchRequest(table_id=table_id), metadata=own)
    await stream.read()
    ban = await world.do("BanPlayer", player_id=ann.player_id, until=soon(), reason="cheating")
    assert (ban.table_id, ban.sanction.kind) == (table_id, BAN)
    assert await end_of(stream) == "banned"
    for call in (
        world.sessions.RefreshSession(refresh),
        world.sessions.GetSession(gateway_pb2.GetSessionRequest(), metadata=own),
        world.tables.Observe(table_pb2.ObserveRequest(table_id=table_id), metadata=own),
        world.accounts.GetAccount(account_pb2.GetAccountRequest(), metadata=own),
    ):
        assert await refused(call) == "banned"
    assert (await world.do("UnbanPlayer", player_id=ann.player_id, reason="appeal")).lifted
    assert (await world.sessions.RefreshSession(refresh)).tokens.access_token
    await world.accounts.GetAccount(account_pb2.GetAccountRequest(), metadata=own)


async def test_a_ban_ends_by_itself_and_the_last_one_said_holds(world: World) -> None:
    ann = await world.guest()
    await world.do("BanPlayer", player_id=ann.player_id, reason="for good")
    ban = (await world.do("BanPlayer", player_id=ann.player_id, until=soon(), reason="an hour")).sanction
    assert ban.HasField("until")
    (held,) = (await world.do("ListSanctions", player_id=ann.player_id)).sanctions
    assert held == ban
    past = sanctions.update().values(until_at=world.app.database.now() - 1)
    async with world.app.database.begin() as connection:
        await connection.execute(past)
    refresh = gateway_pb2.RefreshSessionRequest(refresh_token=ann.tokens.refresh_token)
    await world.sessions.RefreshSession(refresh)
    assert list((await world.do("ListSanctions")).sanctions) == []


async def test_a_ban_may_last_to_the_end_of_all_times_that_can_be_said(world: World) -> None:
    ann, last = await world.guest(), Timestamp(seconds=253_402_300_799, nanos=999_999_000)
    ban = await world.do("BanPlayer", player_id=ann.player_id, until=last, reason="cheating")
    assert ban.sanction.until == last
    refresh = gateway_pb2.RefreshSessionRequest(refresh_token=ann.tokens.refresh_token)
    assert await refused(world.sessions.RefreshSession(refresh)) == "banned"


async def test_what_makes_no_sense_is_refused(world: World) -> None:
    ann = await world.guest()
    for fields, reason in (
        ({"player_id": "nobody", "reason": "x"}, "unknown_player"),
        ({"player_id": ann.player_id}, "malformed"),
        ({"player_id": ann.player_id, "reason": 201 * "x"}, "malformed"),
        ({"player_id": ann.player_id, "reason": "x", "until": soon(-60)}, "malformed"),
        ({"player_id": ann.player_id, "reason": "x", "until": Timestamp(seconds=2**62)}, "malformed"),
        ({"player_id": ann.player_id, "reason": "x", "until": Timestamp(seconds=2**33, nanos=-1)}, "malformed"),
        ({"reason": "x"}, "malformed"),
    ):
        assert await refused(world.do("BanPlayer", **fields)) == reason
    for who in (world.director, bearer(ann.tokens.access_token)):
        assert await refused(world.do("BanPlayer", by=who, player_id=ann.player_id, reason="x")) == "forbidden"


async def test_a_ban_holds_at_other_servers_within_seconds_and_a_seat_there_is_left_when_it_can_be(
    sqlite_settings: Settings, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gouji.gateway.unseating.LOOK_SECONDS", 0.05)
    monkeypatch.setattr("gouji.serving.barred.LOOK_SECONDS", LOOK_SECONDS / 20)
    shared = sqlite_settings.model_copy(update={"database_url": postgres_url})
    alone = {name: bind for name, bind in BINDS.items() if name != "table"}
    async with (
        running_app(shared, alone) as app,
        running_app(shared, {"table": bind_table, "bot": bind_bot}) as far,
        grpc.aio.insecure_channel(app.address) as channel,
        grpc.aio.insecure_channel(far.address) as far_channel,
    ):
        world = World(app, channel)
        ann = await world.guest()
        table_id = await world.place(ann)
        stub: Any = table_pb2_grpc.TableServiceStub(far_channel)
        stream = stub.Watch(table_pb2.WatchRequest(table_id=table_id), metadata=bearer(ann.tokens.access_token))
        await stream.read()
        row = {"player_id": ann.player_id, "kind": "ban", "since_at": app.database.now(), "reason": "cheating"}
        async with app.database.begin() as connection:  # as by a gateway that died before it told the table
            await connection.execute(sanctions.insert().values(**row))
        # Whichever comes first: the seat is left, which ends its streams well, or the server sees the ban.
        assert await end_of(stream) in ("banned", None)
        await come(lambda: is_free(world, ann.player_id))
        refresh = gateway_pb2.RefreshSessionRequest(refresh_token=ann.tokens.refresh_token)
        assert await refused(world.sessions.RefreshSession(refresh)) == "banned"


async def is_free(world: World, player_id: str) -> bool:
    """Whether a player sits nowhere."""
    query = sa.select(active_seats.c.seat).where(active_seats.c.player_id == player_id)
    async with world.app.database.connect() as connection:
        return await connection.scalar(query) is None


def report(world: World, who: Any, whom: Any, table_id: str, kind: int = 2) -> Any:
    """Have one player report another; a call to be awaited."""
    request = moderation_pb2.ReportPlayerRequest(player_id=whom.player_id, table_id=table_id)
    request.kind = moderation_pb2.ReportKind.Name(kind)
    return world.reports.ReportPlayer(request, metadata=bearer(who.tokens.access_token))


async def test_a_report_is_kept_once_and_closed_once_by_whom_and_how(world: World) -> None:
    ann, bob = await world.guest("Ann"), await world.guest("Bob")
    table_id = await world.place(ann, bob)
    first = await report(world, ann, bob, table_id)
    again = await report(world, ann, bob, table_id, kind=3)
    assert (again.report_id, first.already_reported, again.already_reported) == (first.report_id, False, True)
    await report(world, bob, ann, table_id)
    found = (await world.do("ListReports", player_id=bob.player_id)).reports
    assert [(one.reporter_id, one.table_id, one.kind) for one in found] == [
        (ann.player_id, table_id, moderation_pb2.REPORT_KIND_ABUSE)
    ]
    assert not found[0].HasField("closed")
    for reason in ("muted for a day", "nothing in it"):
        closed = (await world.do("CloseReport", report_id=first.report_id, reason=reason)).report
        assert (closed.closed_by, closed.outcome, closed.HasField("closed")) == ("Mo", "muted for a day", True)
    assert len((await world.do("ListReports")).reports) == 1
    assert [one.report_id for one in (await world.do("ListReports", closed=True)).reports] == [first.report_id]
    assert await refused(world.do("CloseReport", report_id="none", reason="x")) == "unknown_report"
    assert [act.method for act in (await world.do("ListActs", method="CloseReport")).acts] == 3 * ["CloseReport"]


async def test_only_who_sat_there_is_reported_by_who_sat_there_and_not_too_often(world: World) -> None:
    ann, bob, eve = [await world.guest(name) for name in ("Ann", "Bob", "Eve")]
    table_id = await world.place(ann, bob)
    assert await refused(report(world, eve, bob, table_id)) == "not_seated"
    assert await refused(report(world, ann, eve, table_id)) == "unknown_player"
    assert await refused(report(world, ann, bob, "none")) == "unknown_table"
    assert await refused(report(world, ann, ann, table_id)) == "malformed"
    assert await refused(report(world, ann, bob, table_id, kind=0)) == "malformed"
    old = {"player_id": "x", "reporter_id": ann.player_id, "kind": 1, "closed_by": "", "outcome": ""}
    rows = [
        old | {"report_id": str(one), "table_id": str(one), "created_at": soon(-60).ToMicroseconds()}
        for one in range(10)
    ]
    async with world.app.database.begin() as connection:
        await connection.execute(reports.insert(), rows)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await report(world, ann, bob, table_id)
    refusal = refusal_of(failed.value)
    assert refusal
    assert refusal.reason == "too_often"
    assert 3_000_000 < (refusal.retry_after_ms or 0) <= 3_600_000
    async with world.app.database.begin() as connection:
        await connection.execute(reports.update().values(created_at=soon(-3601).ToMicroseconds()))
    await report(world, ann, bob, table_id)
