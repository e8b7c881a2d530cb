"""The release as it is rendered, in small: every container's command and variables, run as processes on one machine.

Each pod is an address of 127.0.0.0/8, and a Service's name is written as the address of its pod. What this leaves out
is what a cluster does around them: images, volumes' permissions, DNS, kubelets, network policies.
"""

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from gouji.client import Patience, Queue, Session, TableClient
from gouji.gateway.envoy_process import find_envoy

LIMIT = 90
SERVICES = ("gateway", "matchmaking", "table", "bot", "scoring")


def write_certificates(folder: Path) -> None:
    """Write what is mounted from Secrets: a certificate that vouches for itself, and a key for players' tokens."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("gouji")]), critical=False)
        .sign(key, SHA256())
    )
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    signing = ed25519.Ed25519PrivateKey.generate()
    files = {
        "tls/inside/tls.crt": made.public_bytes(Encoding.PEM),
        "tls/inside/tls.key": private,
        "tls/inside/ca.crt": made.public_bytes(Encoding.PEM),
        "keys/player.pem": signing.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    }
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


class Machine:
    """Where the containers of a release run. Nothing is in their environment but what the chart puts there.

    What is mounted in containers lies under ``mounts``.
    """

    def __init__(self, release: Any, database_url: str, mounts: Path) -> None:
        self.release = release
        self._mounts = mounts
        self._secrets = {("gouji-database", "url"): database_url}
        net = f"127.{secrets.randbelow(200) + 20}.{secrets.randbelow(250)}"
        self.address = {name: f"{net}.{at}" for at, name in enumerate((*SERVICES, "door", "migrate"), 1)}

    def container(self, part: str, name: str) -> Any:
        [found] = [one for where, one, _ in self.release.containers() if where == f"gouji-{part}/{name}"]
        return found

    def environment(self, part: str, container: Any) -> dict[str, str]:
        told = {"PATH": "", "HOME": "/nonexistent", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        for one in container.get("env", ()):
            told[one["name"]] = self._here(one["value"] if "value" in one else self._referred(part, one["valueFrom"]))
        told = {name: value.replace("$(POD_IP)", self.address[part]) for name, value in told.items()}
        return {name: self.address[part] if value == "0.0.0.0" else value for name, value in told.items()}

    def _referred(self, part: str, source: dict[str, Any]) -> str:
        if "secretKeyRef" in source:
            key = source["secretKeyRef"]
            return self._secrets.setdefault((key["name"], key["key"]), secrets.token_hex(32))
        if "fieldRef" in source:
            return self.address[part]
        return "1"

    def _here(self, text: str) -> str:
        for name in SERVICES:
            text = text.replace(f"gouji-{name}:", f"{self.address[name]}:")
        return self._mounted(text)

    def _mounted(self, text: str) -> str:
        return f"{self._mounts}{text}" if text.startswith(("/door", "/tls/", "/keys/")) else text

    async def start(self, part: str, name: str, command: list[str] | None = None) -> asyncio.subprocess.Process:
        """Start a container, or a command in one."""
        container = self.container(part, name)
        program = [sys.executable, "-c", "from gouji.cli.main import app; app()"]
        arguments = command[1:] if command else container["args"]
        if container.get("command") == ["/usr/local/bin/envoy"]:
            program = [str(find_envoy())]
        given = [self._mounted(one) for one in arguments]
        return await asyncio.create_subprocess_exec(*program, *given, env=self.environment(part, container))

    @asynccontextmanager
    async def running(self, part: str, name: str) -> AsyncIterator[asyncio.subprocess.Process]:
        """Run a container until the block ends; it must end in good order then."""
        process = await self.start(part, name)
        try:
            await self.passes(part, name, "startupProbe", process)
            await self.passes(part, name, "readinessProbe", process)
            await self.passes(part, name, "livenessProbe", process)
            yield process
            process.terminate()
            assert await asyncio.wait_for(process.wait(), LIMIT) == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def passes(self, part: str, name: str, probe: str, process: asyncio.subprocess.Process) -> None:
        """Ask what a kubelet would, until the answer is good."""
        container = self.container(part, name)
        ports = {one["name"]: one["containerPort"] for one in container["ports"]}
        async with asyncio.timeout(LIMIT):
            while not await _good(container[probe], self.address[part], ports):
                assert process.returncode is None, f"{part}/{name} ended"
                await asyncio.sleep(0.2)


async def _good(probe: dict[str, Any], host: str, ports: dict[str, int]) -> bool:
    try:
        if "tcpSocket" in probe:
            _, writer = await asyncio.open_connection(host, ports[probe["tcpSocket"]["port"]])
            writer.close()
            return True
        asked = probe["httpGet"]
        async with (
            aiohttp.ClientSession() as kubelet,
            kubelet.get(f"http://{host}:{ports[asked['port']]}{asked['path']}") as answer,
        ):
            return answer.status == 200
    except (OSError, aiohttp.ClientError):
        return False


CLOSED = (
    "insideTls.existingSecret=gouji-inside",
    "keys.playerFiles.existingSecret=gouji-player-keys",
    "keys.playerFiles.files={player.pem}",
)
"""Mutual TLS inside, and only the gateway can sign players' tokens."""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("sets", [(), CLOSED], ids=["as-it-comes", "closed"])
async def test_a_release_serves_players(
    render: Any, bare_postgres_url: str, tmp_path: Path, sets: tuple[str, ...]
) -> None:
    (tmp_path / "door").mkdir()
    write_certificates(tmp_path)
    machine = Machine(render(None, "settings.bot_pace_ms=0", *sets), bare_postgres_url, tmp_path)
    migrating = await machine.start("migrate", "migrate")
    assert await asyncio.wait_for(migrating.wait(), LIMIT) == 0
    async with AsyncExitStack() as pods:
        await asyncio.gather(*(pods.enter_async_context(machine.running(part, part)) for part in SERVICES))
        writing = await machine.start("door", "write")
        assert await asyncio.wait_for(writing.wait(), LIMIT) == 0
        await pods.enter_async_context(machine.running("door", "envoy"))
        await pods.enter_async_context(machine.running("door", "follow"))
        door = f"http://{machine.address['door']}:8080"
        session = await Session.open(door, "Lin", patience=Patience(first=0.1, most=1, total=LIMIT))
        async with session:
            queue = Queue(session)
            made = await queue.create_ticket("deploy/lin", bots_after=timedelta(0))
            table = TableClient(session, (await queue.settled(made.ticket.ticket_id)).table_id)
            async with asyncio.timeout(LIMIT):
                async for _ in table.watch():
                    if table.view.asked:
                        break
            assert (await table.observe()).legal_actions
        async with (
            aiohttp.ClientSession() as prometheus,
            prometheus.get(f"http://{machine.address['door']}:7190/metrics") as page,
        ):
            assert "envoy_http_downstream_rq_total" in await page.text()
        hook = machine.container("door", "follow")["lifecycle"]["preStop"]["exec"]["command"]
        leaving = await machine.start("door", "follow", hook)
        assert await asyncio.wait_for(leaving.wait(), LIMIT) == 0
