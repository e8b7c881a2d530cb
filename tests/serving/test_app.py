"""A process from start to stop."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from gouji.serving.app import App, Bind, StartError
from gouji.serving.errors import StorageUnavailable
from gouji.serving.settings import Settings
from gouji.serving.testing import captured_log, running_app, until
from gouji.v1 import bot_pb2, bot_pb2_grpc, table_pb2, table_pb2_grpc

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def health_of(app: App, service: str = "") -> Any:
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        return (await stub.Check(health_pb2.HealthCheckRequest(service=service))).status


def noting(notes: list[str], note: str) -> Callable[[], Awaitable[None]]:
    async def step() -> None:
        notes.append(note)

    return step


def failing(notes: list[str], note: str) -> Callable[[], Awaitable[None]]:
    async def step() -> None:
        notes.append(note)
        raise RuntimeError(note)

    return step


async def test_steps_run_in_order_at_start_and_in_reverse_at_stop(sqlite_settings: Settings) -> None:
    notes: list[str] = []

    def bind(app: App) -> None:
        for name in ("store", "host"):
            app.on_start(noting(notes, f"{name} starts"))
            app.on_stop(noting(notes, f"{name} stops"))

    async with running_app(sqlite_settings, {"x": bind}):
        assert notes == ["store starts", "host starts"]
    assert notes[2:] == ["host stops", "store stops"]


async def test_the_address_is_known_to_start_steps_and_not_before(sqlite_settings: Settings) -> None:
    known: list[str] = []
    app = App(sqlite_settings)

    async def step() -> None:
        known.append(app.address)

    app.on_start(step)
    with pytest.raises(StartError):
        _ = app.address
    await app.start()
    await app.stop(0)
    assert known[0].startswith("127.0.0.1:")


async def test_a_failed_stop_step_does_not_keep_the_rest_open_and_the_first_error_is_raised(
    sqlite_settings: Settings,
) -> None:
    notes: list[str] = []
    app = App(sqlite_settings)
    app.on_stop(noting(notes, "last"))
    app.on_stop(failing(notes, "second"))
    app.on_stop(failing(notes, "first"))
    await app.start(migrate=True)
    with pytest.raises(RuntimeError, match="first"):
        await app.stop(0)
    assert notes == ["first", "second", "last"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", int(app.address.rpartition(":")[2])))


async def test_stopping_twice_is_stopping_once(sqlite_settings: Settings) -> None:
    notes: list[str] = []
    app = App(sqlite_settings)
    app.on_stop(noting(notes, "stop"))
    await app.start()
    await app.stop(0)
    await app.stop(0)
    assert notes == ["stop"]


async def test_a_failed_start_closes_what_was_opened(sqlite_settings: Settings) -> None:
    notes: list[str] = []
    app = App(sqlite_settings)
    app.on_start(failing(notes, "start"))
    app.on_stop(noting(notes, "stop"))
    with pytest.raises(RuntimeError, match="start"):
        await app.start()
    assert notes == ["start", "stop"]
    assert app.draining


async def test_a_failed_stop_does_not_hide_why_the_start_failed(sqlite_settings: Settings) -> None:
    app = App(sqlite_settings)
    app.on_start(failing([], "start"))
    app.on_stop(failing([], "stop"))
    with pytest.raises(RuntimeError, match="start"):
        await app.start()


async def test_a_start_that_fails_before_its_steps_runs_no_stop_steps(settings: Settings) -> None:
    notes: list[str] = []
    app = App(settings)
    _ = app.database
    app.on_stop(noting(notes, "stop"))
    with pytest.raises(StartError, match="has no tables"):
        await app.start()
    assert notes == []


async def test_at_stop_health_says_so_first_while_calls_and_tasks_still_go_on(
    sqlite_settings: Settings, bind_tiny: Bind
) -> None:
    seen: list[Any] = []
    working, ended = asyncio.Event(), asyncio.Event()

    def bind(app: App) -> None:
        bind_tiny(app)

        async def work() -> None:
            working.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        async def stop() -> None:
            seen.append(await health_of(app))
            seen.append(await health_of(app, "gouji.v1.TableService"))
            async with grpc.aio.insecure_channel(app.address) as channel:
                await table_pb2_grpc.TableServiceStub(channel).Observe(table_pb2.ObserveRequest())
            seen.extend([app.draining, ended.is_set()])

        app.background("work", work)
        app.on_stop(stop)

    async with running_app(sqlite_settings, {"tiny": bind}) as app:
        await working.wait()
        assert await health_of(app) == SERVING
        assert await health_of(app, "gouji.v1.TableService") == SERVING
        async with grpc.aio.insecure_channel(app.address) as channel:
            listed = await health_pb2_grpc.HealthStub(channel).List(health_pb2.HealthListRequest())
        assert {"", "gouji.v1.TableService"} <= set(listed.statuses)
        assert {one.status for one in listed.statuses.values()} == {SERVING}
    assert seen == [NOT_SERVING, NOT_SERVING, True, False]
    assert ended.is_set()


async def test_a_call_under_way_is_answered_within_the_grace(
    sqlite_settings: Settings, bind_tiny: Bind, servicer: Any
) -> None:
    entered, leave = asyncio.Event(), asyncio.Event()

    async def act(_context: Any) -> None:
        entered.set()
        await leave.wait()

    app = App(sqlite_settings)
    servicer.act = act
    bind_tiny(app)
    await app.start()
    token = (("authorization", f"Bearer {app.tokens.mint_player('p1', 'Ann').access_token}"),)
    async with grpc.aio.insecure_channel(app.address) as channel:
        stub: Any = table_pb2_grpc.TableServiceStub(channel)
        under_way = asyncio.ensure_future(stub.Act(table_pb2.ActRequest(), metadata=token))
        await entered.wait()
        stopping = asyncio.create_task(app.stop(grace=30))
        await until(lambda: app.draining)
        leave.set()
        assert (await under_way).sequence == 7
        await asyncio.wait_for(stopping, 10)


async def test_the_health_of_an_unknown_service_is_not_found(sqlite_settings: Settings) -> None:
    async with running_app(sqlite_settings, {}) as app:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await health_of(app, "gouji.v1.Nothing")
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND


async def test_one_service_may_say_that_it_does_not_serve(sqlite_settings: Settings, bind_tiny: Bind) -> None:
    async with running_app(sqlite_settings, {"tiny": bind_tiny}) as app:
        await app.health.set("gouji.v1.TableService", serving=False)
        assert await health_of(app, "gouji.v1.TableService") == NOT_SERVING
        assert await health_of(app) == SERVING


async def test_reflection_lists_and_describes_what_is_served(sqlite_settings: Settings, bind_tiny: Bind) -> None:
    Request = reflection_pb2.ServerReflectionRequest  # noqa: N806
    asked = [Request(list_services=""), Request(file_containing_symbol="gouji.v1.TableService")]
    async with (
        running_app(sqlite_settings, {"tiny": bind_tiny}) as app,
        grpc.aio.insecure_channel(app.address) as channel,
    ):
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        listed, described = [answer async for answer in stub.ServerReflectionInfo(iter(asked))]
    names = {service.name for service in listed.list_services_response.service}
    assert names == {
        "gouji.v1.TableService",
        "grpc.health.v1.Health",
        "grpc.reflection.v1alpha.ServerReflection",
    }
    file = descriptor_pb2.FileDescriptorProto.FromString(described.file_descriptor_response.file_descriptor_proto[0])
    assert file.name == "gouji/v1/table.proto"


@pytest.mark.parametrize("roles", [{"ListBots": {"player"}}, {"ListBots": set(), "Decide": set(), "Cheat": set()}])
async def test_roles_that_do_not_fit_the_service_are_an_error_at_once(sqlite_settings: Settings, roles: Any) -> None:
    class Bots(bot_pb2_grpc.BotServiceServicer):
        async def ListBots(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
            return bot_pb2.ListBotsResponse()

        async def Decide(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
            return bot_pb2.DecideResponse()

    app = App(sqlite_settings)
    with pytest.raises(ValueError, match=r"gouji\.v1\.BotService: methods and roles differ"):
        app.add_servicer(bot_pb2_grpc.add_BotServiceServicer_to_server, Bots(), "gouji.v1.BotService", roles=roles)
    await app.stop(0)


async def test_a_taken_port_is_refused_with_what_to_do(sqlite_settings: Settings) -> None:
    async with running_app(sqlite_settings, {}) as app:
        port = int(app.address.rpartition(":")[2])
        second = App(sqlite_settings.model_copy(update={"port": port}))
        with pytest.raises(StartError, match=rf"Port {port} .*--port"):
            await second.start()


async def test_a_database_without_tables_is_refused_with_what_to_do(settings: Settings) -> None:
    app = App(settings)
    _ = app.database
    with pytest.raises(StartError, match="run `gouji migrate` first"):
        await app.start()


async def test_a_database_that_is_not_there_is_refused_without_its_password(
    sqlite_settings: Settings,
) -> None:
    nowhere = "postgresql://ann:hush@127.0.0.1:1/gouji"
    app = App(sqlite_settings.model_copy(update={"database_url": nowhere}))
    _ = app.database
    with pytest.raises(StartError, match="cannot be reached") as caught:
        await app.start()
    assert "127.0.0.1:1" in str(caught.value)
    assert "hush" not in str(caught.value)


async def test_a_process_whose_services_use_no_database_opens_none(sqlite_settings: Settings) -> None:
    nowhere = sqlite_settings.model_copy(update={"database_url": "postgresql://127.0.0.1:1/gouji"})
    app = App(nowhere)
    await app.start()
    await app.stop(0)


@pytest.mark.parametrize("error", [KeyError, asyncio.CancelledError])
async def test_a_background_task_that_dies_is_logged_and_runs_again(
    sqlite_settings: Settings, error: type[BaseException]
) -> None:
    log, lines = captured_log()
    runs: list[int] = []
    again = asyncio.Event()

    async def work() -> None:
        runs.append(1)
        if len(runs) < 3:
            raise error("hidden cards")
        again.set()
        await asyncio.Event().wait()

    async with running_app(sqlite_settings, {"x": lambda app: app.background("work", work)}, log=log) as app:
        await asyncio.wait_for(again.wait(), 10)
        died = [line for line in lines if line["event"] == "task_died"]
        failures = app.metrics.registry.get_sample_value("gouji_task_failures_total", {"task": "work"})
    assert failures == 2
    assert [line["again_in_seconds"] for line in died] == [0.1, 0.2]
    assert all(f"{error.__name__} at work" in line["stack"] for line in died)
    assert "hidden cards" not in str(lines)


async def test_a_task_whose_database_is_away_warns_once_and_goes_on_when_it_is_back(sqlite_settings: Settings) -> None:
    log, lines = captured_log()
    runs: list[int] = []
    back = asyncio.Event()

    async def work() -> None:
        runs.append(1)
        if len(runs) < 4:
            raise StorageUnavailable
        back.set()
        await asyncio.Event().wait()

    async with running_app(sqlite_settings, {"x": lambda app: app.background("work", work)}, log=log) as app:
        await asyncio.wait_for(back.wait(), 30)
        failures = app.metrics.registry.get_sample_value("gouji_task_failures_total", {"task": "work"})
    told = [(line["event"], line["log_level"]) for line in lines if line.get("task") == "work"]
    assert (told, failures) == ([("storage_away", "warning")], None)


async def test_a_background_task_that_returns_is_done(sqlite_settings: Settings) -> None:
    notes: list[str] = []
    async with running_app(sqlite_settings, {"x": lambda app: app.background("work", noting(notes, "ran"))}):
        await until(lambda: notes)
        await asyncio.sleep(0.3)
    assert notes == ["ran"]


async def test_an_event_loop_that_is_held_up_shows_in_the_average(sqlite_settings: Settings) -> None:
    async with running_app(sqlite_settings, {}) as app:
        await until(lambda: app.lag_seconds > 0)
        before = app.lag_seconds
        time.sleep(2)  # noqa: ASYNC251 - that is what holds the loop up
        await until(lambda: app.lag_seconds > before + 0.1)


async def test_a_signal_during_the_start_is_heeded_when_it_is_done(sqlite_settings: Settings) -> None:
    notes: list[str] = []

    async def start() -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.05)
        notes.append("started")

    app = App(sqlite_settings)
    app.on_start(start)
    app.on_stop(noting(notes, "stopped"))
    await asyncio.wait_for(app.run_until_signal(lambda _: notes.append("ready")), 10)
    assert notes == ["started", "ready", "stopped"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_stops_the_process_in_order(sqlite_settings: Settings, number: int) -> None:
    notes: list[str] = []
    app = App(sqlite_settings)
    app.on_stop(noting(notes, "stopped"))
    running = app.run_until_signal(lambda _: os.kill(os.getpid(), number))
    await asyncio.wait_for(running, 10)
    assert notes == ["stopped"]
    assert signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler)


async def test_thousands_of_streams_that_come_back_at_once_are_all_served(sqlite_settings: Settings) -> None:
    async def open_stream(channel: grpc.aio.Channel) -> Any:
        call = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        return await call.read()

    apart = [("grpc.use_local_subchannel_pool", 1)]  # else they would share one connection
    async with running_app(sqlite_settings, {}) as app:
        channels = [grpc.aio.insecure_channel(app.address, options=apart) for _ in range(10)]
        streams = [open_stream(channels[number % 10]) for number in range(3000)]
        outcomes = await asyncio.gather(*streams, return_exceptions=True)
        for channel in channels:
            await channel.close()
    assert [outcome for outcome in outcomes if isinstance(outcome, Exception)] == []
