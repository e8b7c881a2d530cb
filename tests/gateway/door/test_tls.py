"""Certificates at the door and behind it."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from pydantic import ValidationError

from gouji.client import Session
from gouji.client.addresses import open_channel
from gouji.serving.settings import Settings
from gouji.serving.testing import until
from gouji.v1 import gateway_pb2, gateway_pb2_grpc


class Authority:
    """Signs certificates into a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests")])
        self.file = folder / "authority.pem"
        made = self._builder(self._key.public_key(), self._name)
        made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.file.write_bytes(made.sign(self._key, SHA256()).public_bytes(Encoding.PEM))

    def issue(self, name: str) -> tuple[Path, Path]:
        """Write a certificate and its key, for this machine and for the services' name."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName("localhost"), x509.DNSName("gouji"), x509.IPAddress(ip_address("127.0.0.1"))]
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = self._builder(key.public_key(), subject).add_extension(
            x509.SubjectAlternativeName(names), critical=False
        )
        certificate, private = self._folder / "certificate.pem", self._folder / "key.pem"
        _replace(private, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        _replace(certificate, made.sign(self._key, SHA256()).public_bytes(Encoding.PEM))
        return certificate, private

    def _builder(self, key: ec.EllipticCurvePublicKey, subject: x509.Name) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
        )


def _replace(path: Path, content: bytes) -> None:
    beside = path.with_suffix(".new")
    beside.write_bytes(content)
    beside.replace(path)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    folder = tmp_path / "certificates"
    folder.mkdir()
    return Authority(folder)


def shown(address: str) -> str:
    """The name on the certificate that a server shows."""
    host, _, port = address.removeprefix("https://").partition(":")
    return ssl.get_server_certificate((host, int(port)))


async def create_guest(channel: grpc.aio.Channel) -> str:
    stub: Any = gateway_pb2_grpc.SessionServiceStub(channel)
    made = await stub.CreateGuest(gateway_pb2.CreateGuestRequest(name="Lin"), timeout=5)
    return str(made.player_id)


async def test_a_door_with_a_certificate_is_entered_by_it_alone_and_takes_up_a_new_one(
    doors: Any, authority: Authority
) -> None:
    certificate, key = authority.issue("first")
    async with doors(door_certificate=certificate, door_key=key) as door:
        assert door.address.startswith("https://127.0.0.1:")
        async with await Session.open(door.address, "Lin", authority=authority.file) as session:
            assert (await session.who()).name == "Lin"
        async with open_channel(door.address.replace("https", "http")) as plain:
            with pytest.raises(grpc.aio.AioRpcError):
                await create_guest(plain)
        first = shown(door.address)
        authority.issue("second")
        await until(lambda: shown(door.address) != first)


async def test_a_door_may_ask_clients_for_a_certificate(doors: Any, authority: Authority) -> None:
    certificate, key = authority.issue("door")
    settings = {"door_certificate": certificate, "door_key": key, "door_client_authority": authority.file}
    async with doors(**settings) as door:
        target = door.address.removeprefix("https://")
        root, pair = authority.file.read_bytes(), (key.read_bytes(), certificate.read_bytes())
        async with grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(root, *pair)) as known:
            assert await create_guest(known)
        async with grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(root)) as stranger:
            with pytest.raises(grpc.aio.AioRpcError):
                await create_guest(stranger)


async def test_behind_the_door_nobody_without_a_certificate_gets_an_answer(doors: Any, authority: Authority) -> None:
    certificate, key = authority.issue("services")
    inside = {"inside_certificate": certificate, "inside_key": key, "inside_authority": authority.file}
    async with doors(**inside) as door:
        assert (await door.guest()).player_id
        bots = await door.app.channels.stub("matchmaking", gateway_pb2_grpc.SessionServiceStub).CreateGuest(
            gateway_pb2.CreateGuestRequest(name="Wang")
        )
        assert bots.player_id
        async with grpc.aio.insecure_channel(door.app.address) as stranger:
            with pytest.raises(grpc.aio.AioRpcError):
                await create_guest(stranger)


@pytest.mark.parametrize(
    "lonely", [{"inside_key": "key.pem"}, {"door_certificate": "c.pem"}, {"door_client_authority": "a.pem"}]
)
def test_certificates_without_their_keys_are_refused(lonely: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match=r"door_certificate|go together"):
        Settings(**lonely)  # type: ignore[arg-type]
