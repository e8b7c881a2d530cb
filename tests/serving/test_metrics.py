"""The Prometheus page, scraped as Prometheus does."""

import asyncio
import socket
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding

from gouji.serving.app import App, Bind, StartError
from gouji.serving.database import Database
from gouji.serving.metrics import Metrics
from gouji.serving.settings import Settings
from gouji.serving.skew import Skew
from gouji.serving.testing import ManualClock, running_app, until
from gouji.v1.table_pb2 import ActRequest, ObserveRequest
from gouji.v1.table_pb2_grpc import TableServiceStub


async def scrape(port: int | None) -> str:
    url = f"http://127.0.0.1:{port}/metrics"
    return await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=5).read().decode())


async def test_the_page_shows_rate_errors_and_duration_of_each_method(
    sqlite_settings: Settings, bind_tiny: Bind
) -> None:
    on = sqlite_settings.model_copy(update={"metrics_port": 0})
    async with running_app(on, {"tiny": bind_tiny}) as app:
        async with grpc.aio.insecure_channel(app.address) as channel:
            stub = TableServiceStub(channel)
            await stub.Observe(ObserveRequest())
            with pytest.raises(grpc.aio.AioRpcError):
                await stub.Act(ActRequest())
        await until(lambda: app.metrics.registry.get_sample_value("gouji_loop_lag_seconds_count"))
        page = await scrape(app.metrics.port)
        port = app.metrics.port
    act, observe = (f'method="{name}",service="gouji.v1.TableService"' for name in ("Act", "Observe"))
    assert f'gouji_rpcs_total{{code="OK",{observe}}} 1.0' in page
    assert f'gouji_rpcs_total{{code="UNAUTHENTICATED",{act}}} 1.0' in page
    assert f"gouji_rpc_seconds_count{{{act}}} 1.0" in page
    assert f"gouji_rpcs_open{{{act}}} 0.0" in page
    assert "process_open_fds" in page
    with pytest.raises(urllib.error.URLError):
        await scrape(port)


async def test_a_page_whose_port_is_taken_stops_the_start_and_says_what_to_do(
    sqlite_settings: Settings,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        app = App(sqlite_settings.model_copy(update={"metrics_port": port}))
        with pytest.raises(StartError, match=rf"Port {port} .*--metrics-port"):
            await app.start()


async def test_two_processes_in_one_have_metrics_of_their_own(sqlite_settings: Settings) -> None:
    async with running_app(sqlite_settings, {}) as one, running_app(sqlite_settings, {}) as two:
        one.metrics.task_failures.labels("x").inc()
        assert two.metrics.registry.get_sample_value("gouji_task_failures_total", {"task": "x"}) is None


async def test_the_database_s_clock_is_compared_with_this_one(database_url: str) -> None:
    metrics, database = Metrics(), Database(database_url)
    behind = ManualClock(datetime.now(UTC) - timedelta(hours=1))
    await Skew(lambda: database, behind, metrics.clock_skew_seconds).look(database)
    await database.close()
    assert metrics.registry.get_sample_value("gouji_clock_skew_seconds") == pytest.approx(3600, abs=60)


def certificate(ends: datetime) -> bytes:
    key, name = ed25519.Ed25519PrivateKey.generate(), x509.Name([])
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, ends - timedelta(days=1), ends)
    return made.sign(key, None).public_bytes(Encoding.PEM)


async def test_it_is_shown_when_certificates_end_and_a_file_that_cannot_be_read_is_no_better(
    sqlite_settings: Settings, tmp_path: Path
) -> None:
    file, ends = tmp_path / "door.pem", datetime(2030, 1, 1, tzinfo=UTC)
    app = App(sqlite_settings.model_copy(update={"door_certificate": file}))

    def shown(use: str) -> float | None:
        return app.metrics.registry.get_sample_value("gouji_certificate_expires_seconds", {"use": use})

    assert (shown("door"), shown("inside")) == (0, None)
    file.write_bytes(certificate(ends))
    assert shown("door") == ends.timestamp()
