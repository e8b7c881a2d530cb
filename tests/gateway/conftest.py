"""A clock and a channel to the server under test, and an identity provider with real keys behind real HTTP."""

import hashlib
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import jwt
import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from gouji.serving.app import App
from gouji.serving.testing import ManualClock
from gouji.v1.account_pb2 import IdentityProof

RAW_NONCE = "drawn by the client"
CLIENT_ID = "gouji-web"


@dataclass
class Issuer:
    """A provider. ``signs`` names the key of new tokens, ``shown`` those in its JWKS; ``asked`` counts fetches."""

    keys: dict[str, Any]
    signs: str = "k1"
    shown: list[str] = field(default_factory=lambda: ["k1"])
    asked: int = 0
    url: str = ""
    configuration: dict[str, Any] = field(default_factory=dict)
    answer: Callable[[], web.StreamResponse] | None = None

    def claims(self, subject: str, now: float, **changes: Any) -> dict[str, Any]:
        nonce = hashlib.sha256(RAW_NONCE.encode()).hexdigest()
        usual = {"iss": self.url, "sub": subject, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": nonce}
        return {name: value for name, value in (usual | changes).items() if value is not None}

    def proof(self, subject: str, now: float, **changes: Any) -> IdentityProof:
        token = jwt.encode(self.claims(subject, now, **changes), self.keys[self.signs], "RS256", {"kid": self.signs})
        return IdentityProof(id_token=token, raw_nonce=RAW_NONCE)

    async def _configuration(self, _request: web.Request) -> web.StreamResponse:
        self.asked += 1
        if self.answer:
            return self.answer()
        return web.json_response({"issuer": self.url, "jwks_uri": f"{self.url}/jwks"} | self.configuration)

    async def _jwks(self, _request: web.Request) -> web.StreamResponse:
        public = {name: json.loads(RSAAlgorithm.to_jwk(self.keys[name].public_key())) for name in self.shown}
        return web.json_response({"keys": [{**key, "kid": name, "use": "sig"} for name, key in public.items()]})

    def app(self) -> web.Application:
        made = web.Application()
        made.router.add_get("/.well-known/openid-configuration", self._configuration)
        made.router.add_get("/jwks", self._jwks)
        return made


@pytest.fixture(scope="session")
def rsa_keys() -> dict[str, Any]:
    """Two keys; making them takes a while."""
    return {name: rsa.generate_private_key(65537, 2048) for name in ("k1", "k2")}


@pytest.fixture
async def issuer(rsa_keys: dict[str, Any]) -> AsyncIterator[Issuer]:
    made = Issuer(rsa_keys)
    runner = web.AppRunner(made.app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def channel(app: App) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to the test's own ``app``."""
    async with grpc.aio.insecure_channel(app.address) as opened:
        yield opened
