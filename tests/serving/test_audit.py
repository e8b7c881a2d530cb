"""What those who hold power do is put down before it is done, with its outcome; nothing of theirs is left out."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.cli.serve import SERVICES, find_binds
from gouji.serving.app import App
from gouji.serving.audit import Act, AuditLog, audit_of
from gouji.serving.auth import STAFF, Caller, Role
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError, StorageUnavailable, reason_of
from gouji.serving.schema import acts
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.v1 import admin_pb2, admin_pb2_grpc, moderation_pb2, options_pb2, table_pb2, table_pb2_grpc, tournament_pb2

READS = ("List", "Get", "Show", "Find", "Export", "Locate", "Verify", "Hint")
"""How methods begin that change nothing."""


class Tables(table_pb2_grpc.TableServiceServicer):
    """Streams and answers whoever asks."""

    async def Watch(self, _request: Any, _context: Any) -> AsyncIterator[Any]:  # noqa: N802 - gRPC's name
        yield table_pb2.WatchResponse()
        await asyncio.Event().wait()

    async def Observe(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - gRPC's name
        return table_pb2.ObserveResponse()


class Queues(admin_pb2_grpc.QueueAdminServiceServicer):
    """Pauses a queue, or says why not; sees what the log has by then."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.seen: list[Any] = []
        self.fault: BaseException | None = None

    async def PauseQueue(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - gRPC's name
        self.seen += await read(self._database)
        if self.fault:
            raise self.fault
        return admin_pb2.PauseQueueResponse()

    async def ListQueues(self, _request: Any, _context: Any) -> Any:  # noqa: N802 - gRPC's name
        return admin_pb2.ListQueuesResponse()


async def read(database: Database) -> list[Any]:
    async with database.connect() as connection:
        return list((await connection.execute(sa.select(acts).order_by(acts.c.act_id))).all())


class World:
    """A process, and callers of every role."""

    def __init__(self, app: App, queues: Queues, channel: grpc.aio.Channel) -> None:
        self.app = app
        self.servicer = queues
        self.tables: Any = table_pb2_grpc.TableServiceStub(channel)
        self.queues: Any = admin_pb2_grpc.QueueAdminServiceStub(channel)

    def by(self, role: Role) -> Any:
        mints = {
            Role.MODERATOR: self.app.tokens.mint_moderator,
            Role.OPERATOR: self.app.tokens.mint_operator,
            Role.DIRECTOR: self.app.tokens.mint_director,
            Role.PLAYER: lambda name: self.app.tokens.mint_player(name, name).access_token,
        }
        return (("authorization", f"Bearer {mints[role](role.title())}"),)

    async def log(self) -> list[Any]:
        return await read(self.app.database)


@pytest.fixture
def database_url(request: pytest.FixtureRequest, sqlite_url: str, bare_database_url: str) -> str:
    """A database of each kind in turn, without tables: the process makes them."""
    return bare_database_url


@pytest.fixture
async def world(settings: Settings) -> AsyncIterator[World]:
    made: list[Queues] = []

    def bind(app: App) -> None:
        made.append(Queues(app.database))
        for add, servicer, name in (
            (table_pb2_grpc.add_TableServiceServicer_to_server, Tables(), "gouji.v1.TableService"),
            (admin_pb2_grpc.add_QueueAdminServiceServicer_to_server, made[0], "gouji.v1.QueueAdminService"),
        ):
            service = name.rpartition(".")[2]
            pb = table_pb2 if service == "TableService" else admin_pb2
            methods = pb.DESCRIPTOR.services_by_name[service].methods_by_name
            app.add_servicer(add, servicer, name, roles=dict.fromkeys(methods, STAFF | {Role.PLAYER}))

    async with running_app(settings, {"both": bind}) as app, grpc.aio.insecure_channel(app.address) as channel:
        yield World(app, made[0], channel)


def pause(**fields: str) -> admin_pb2.PauseQueueRequest:
    return admin_pb2.PauseQueueRequest(**{"queue": "local/quick", "reason": "a look", **fields})


async def failure(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


async def test_an_act_is_put_down_before_it_is_done_and_with_its_outcome_after(world: World) -> None:
    await world.queues.PauseQueue(pause(), metadata=world.by(Role.OPERATOR))
    (before,) = world.servicer.seen
    assert before.outcome == ""
    (act,) = await world.log()
    assert (act.actor, act.role, act.method, act.reason, act.outcome) == (
        "Operator",
        "operator",
        "PauseQueue",
        "a look",
        "done",
    )
    assert json.loads(act.details) == {"queue": "local/quick"}
    assert act.server == world.app.address
    assert act.at > 0


@pytest.mark.parametrize(
    ("fault", "outcome"), [(ServiceError("unknown_queue", "None."), "unknown_queue"), (ValueError(), "internal")]
)
async def test_an_act_that_failed_says_why(world: World, fault: Exception, outcome: str) -> None:
    world.servicer.fault = fault
    assert await failure(world.queues.PauseQueue(pause(), metadata=world.by(Role.OPERATOR))) == outcome
    assert [act.outcome for act in await world.log()] == [outcome]


async def test_what_cannot_be_put_down_is_not_done(world: World) -> None:
    async with world.app.database.begin() as connection:
        await connection.execute(sa.text("ALTER TABLE acts RENAME TO elsewhere"))
    assert await failure(world.queues.PauseQueue(pause(), metadata=world.by(Role.OPERATOR))) is not None
    assert world.servicer.seen == []


async def test_what_players_do_and_what_only_reads_is_not_put_down(world: World) -> None:
    await world.queues.PauseQueue(pause(), metadata=world.by(Role.PLAYER))
    await world.queues.ListQueues(admin_pb2.ListQueuesRequest(), metadata=world.by(Role.OPERATOR))
    assert await world.log() == []


async def test_cards_that_a_director_opens_are_put_down_and_nobody_elses_look(world: World) -> None:
    look, as_spectator = table_pb2.ObserveRequest(table_id="t1"), table_pb2.ObserveRequest(spectate=True)
    await world.tables.Observe(as_spectator, metadata=world.by(Role.DIRECTOR))
    for role in (Role.MODERATOR, Role.OPERATOR, Role.PLAYER):
        await world.tables.Observe(look, metadata=world.by(role))
    assert await world.log() == []
    await world.tables.Observe(look, metadata=world.by(Role.DIRECTOR))
    watch = world.tables.Watch(table_pb2.WatchRequest(table_id="t2"), metadata=world.by(Role.DIRECTOR))
    await watch.read()
    shown = [(act.actor, act.method, act.table_id, act.outcome) for act in await world.log()]
    assert shown == [("Director", "Observe", "t1", "done"), ("Director", "Watch", "t2", "")]
    watch.cancel()
    async with asyncio.timeout(10):
        while (await world.log())[-1].outcome != "done":  # noqa: ASYNC110 - a database has no event
            await asyncio.sleep(0.01)


def test_of_a_request_only_what_it_says_itself_is_kept_and_that_in_short() -> None:
    request = tournament_pb2.CreateTournamentRequest(tournament_id="cup\0" + 300 * "x")
    request.terms.name = "within"
    act = Act.of(Caller(Role.DIRECTOR, "Dora", "Dora"), "CreateTournament", request, "here:1")
    assert json.loads(act.details) == {"tournament_id": ("cup" + 300 * "x")[:200]}
    assert (act.player_id, act.table_id, act.reason) == ("", "", "")


def test_a_time_that_is_none_is_left_out() -> None:
    request = moderation_pb2.BanPlayerRequest(player_id="p", reason="why")
    request.until.seconds = 2**62
    assert Act.of(Caller(Role.MODERATOR, "Mo", "Mo"), "BanPlayer", request, "here:1").details == ""


async def test_everything_that_staff_may_do_is_marked_unless_it_only_reads(sqlite_settings: Settings) -> None:
    unmarked, marked = set(), set()
    for name in SERVICES:
        app = App(sqlite_settings, name)
        for bind in find_binds(name):
            bind(app)
        for service, methods in app._roles.items():
            for method, roles in methods.items():
                kind = audit_of(service, method)
                if set(roles) & STAFF and not method.startswith(READS):
                    (marked if kind else unmarked).add(method)
                else:
                    assert kind == options_pb2.AUDIT_UNSPECIFIED, method
    assert unmarked == set()
    assert {"FreezeTable", "Drain", "Watch", "CorrectHand", "DeletePlayer", "RuleTable"} <= marked


async def test_without_a_database_nothing_can_be_put_down() -> None:
    with pytest.raises(StorageUnavailable):
        await AuditLog(lambda: None).end(1, "done")
