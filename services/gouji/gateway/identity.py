"""Who somebody is at an identity provider: checks OpenID Connect ID tokens.

An issuer's keys are fetched when a token names one that is not here, not too often, and without holding up other
calls. Of a subject nothing but a keyed hash leaves this module: it is enough to find a player again, and who reads
the database learns nobody's account with the provider.
"""

import asyncio
import hashlib
import hmac
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import aiohttp
import jwt

from gouji.serving.clock import Clock
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.outside import is_private
from gouji.v1 import account_pb2

ALGORITHMS: Final = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that are taken: those with a key that the issuer alone has."""

LONGEST_TOKEN: Final = 16 * 1024
LONGEST_SUBJECT: Final = 255
SHORTEST_NONCE, LONGEST_NONCE = 16, 128

LEEWAY_SECONDS: Final = 60
"""By how much the provider's clock may differ."""

KEYS_SECONDS: Final = 3600.0
"""How long an issuer's keys are used before they are fetched again."""

ASK_AGAIN_SECONDS: Final = 30.0
"""How long an issuer is not asked again, whatever keys are named."""

FETCH_SECONDS: Final = 5.0
MOST_BYTES: Final = 512 * 1024
"""Longest time, and longest answer, of an issuer."""

_CLAIMS: Final = ("iss", "sub", "aud", "exp", "iat", "nonce")


@dataclass(frozen=True, slots=True)
class Identity:
    """An account at a provider: the issuer, and a keyed hash of the subject."""

    issuer: str
    subject: bytes


class Identities:
    """The issuers that we trust; none when the settings name none."""

    def __init__(self, issuers: Mapping[str, Collection[str]], key: str, clock: Clock) -> None:
        """Take our client ids by issuer, and the key under which subjects are hashed."""
        self._clients = issuers
        self._keys = {issuer: IssuerKeys(issuer, clock) for issuer in issuers}
        self._key = key.encode()
        self._clock = clock

    async def prove(self, proof: account_pb2.IdentityProof) -> Identity:
        """Say whose token it is.

        Raises `ServiceError`: `malformed`; `identity_invalid` for a token that is not to be taken, which the sentence
        says why; `identity_unavailable` when the issuer's keys cannot be had.
        """
        _check_form(proof)
        try:
            issuer, key_id = self._named(proof.id_token)
            claims = self._claims(proof.id_token, issuer, await self._keys[issuer].named(key_id))
            self._check_claims(claims, issuer, proof.raw_nonce)
            subject = f"{issuer}\n{claims['sub']}".encode()
        except (jwt.InvalidTokenError, ValueError, TypeError) as error:
            raise invalid("The token is not signed by an issuer that we know, or is not for us.") from error
        return Identity(issuer, hmac.digest(self._key, subject, hashlib.sha256))

    def _named(self, token: str) -> tuple[str, str]:
        """Say which issuer and key a token names, before anything of it is believed."""
        issuer = jwt.decode(token, options={"verify_signature": False}).get("iss")
        if not isinstance(issuer, str) or issuer not in self._keys:
            raise invalid("We do not know the token's issuer.")
        return issuer, str(jwt.get_unverified_header(token).get("kid", ""))

    def _claims(self, token: str, issuer: str, key: jwt.PyJWK) -> dict[str, Any]:
        # Times are checked by the clock that we are given, below.
        options: Any = {"verify_exp": False, "verify_iat": False, "verify_nbf": False, "require": list(_CLAIMS)}
        algorithms = [key.algorithm_name] if key.algorithm_name in ALGORITHMS else []
        return jwt.decode(
            token, key, algorithms=algorithms, audience=self._clients[issuer], issuer=issuer, options=options
        )

    def _check_claims(self, claims: Mapping[str, Any], issuer: str, raw_nonce: str) -> None:
        now = self._clock.now().timestamp()
        audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
        if not {*audiences, claims.get("azp", audiences[0])} <= set(self._clients[issuer]):
            raise invalid("The token is for others, too.")
        if not all(isinstance(claims.get(name, 0), int | float) for name in ("exp", "iat", "nbf")):
            raise invalid("The token says no times.")
        if claims["exp"] + LEEWAY_SECONDS <= now:
            raise invalid("The token has expired.")
        if max(claims["iat"], claims.get("nbf", 0)) - LEEWAY_SECONDS > now:
            raise invalid("The token is from the future.")
        if not isinstance(claims["sub"], str) or not 1 <= len(claims["sub"]) <= LONGEST_SUBJECT:
            raise invalid("The token names nobody.")
        if not hmac.compare_digest(str(claims["nonce"]).encode(), nonce_of(raw_nonce).encode()):
            raise invalid("The token was asked for by somebody else: its nonce does not fit.")


class IssuerKeys:
    """The keys with which an issuer signs, as far as they have been fetched."""

    def __init__(self, issuer: str, clock: Clock) -> None:
        self._issuer = issuer
        self._clock = clock
        self._keys: dict[str, jwt.PyJWK] = {}
        self._asked_at = float("-inf")
        self._had_at = float("-inf")
        self._asking = asyncio.Lock()

    async def named(self, key_id: str) -> jwt.PyJWK:
        """Give a key; with an empty id the only one that there is.

        Raises `ServiceError`: `identity_invalid` for an unknown one, `identity_unavailable`. A known one is given
        even if the issuer cannot be asked.
        """
        async with self._asking:  # who comes meanwhile finds what the first one fetched
            now = self._clock.monotonic()
            fresh = key_id in self._keys and now - self._had_at < KEYS_SECONDS
            if not fresh and now - self._asked_at >= ASK_AGAIN_SECONDS:
                await self._fetch(now)
        if key_id not in self._keys and self._had_at != self._asked_at:
            raise ServiceError("identity_unavailable", "The token's issuer does not answer.", retry_after_ms=5000)
        if key_id not in self._keys:
            raise invalid("The token is signed with a key that its issuer does not have.")
        return self._keys[key_id]

    async def _fetch(self, now: float) -> None:
        self._asked_at = now
        try:
            keys = await fetch_keys(self._issuer)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError, jwt.PyJWTError):
            return
        self._keys, self._had_at = keys, now


async def fetch_keys(issuer: str) -> dict[str, jwt.PyJWK]:
    """Ask an issuer for its keys, by id; an only one has the empty id, too.

    Raises aiohttp.ClientError, OSError, TimeoutError, ValueError or jwt.PyJWTError.
    """
    timeout = aiohttp.ClientTimeout(total=FETCH_SECONDS)
    async with aiohttp.ClientSession(timeout=timeout, raise_for_status=True) as http:
        about = await _get(http, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if about.get("issuer") != issuer or not is_private(str(about.get("jwks_uri"))):
            raise ValueError("the configuration is another issuer's")
        keys = jwt.PyJWKSet.from_dict(await _get(http, about["jwks_uri"])).keys
    signing = [key for key in keys if key.public_key_use in (None, "sig")]
    found = {key.key_id: key for key in signing if key.key_id}
    return found | {"": signing[0]} if len(signing) == 1 else found


async def _get(http: aiohttp.ClientSession, url: str) -> dict[str, Any]:
    """Fetch a JSON object that is not too long."""
    text = b""
    async with http.get(url, allow_redirects=False) as answer:
        async for piece in answer.content.iter_chunked(MOST_BYTES):
            text += piece
            if len(text) > MOST_BYTES:
                raise ValueError("too long")
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def nonce_of(raw_nonce: str) -> str:
    """Give the nonce that a provider is asked for by who has drawn this."""
    return hashlib.sha256(raw_nonce.encode()).hexdigest()


def invalid(sentence: str) -> ServiceError:
    """Refuse a token."""
    return ServiceError("identity_invalid", sentence)


def _check_form(proof: account_pb2.IdentityProof) -> None:
    if not 1 <= len(proof.id_token) <= LONGEST_TOKEN:
        raise malformed("proof.id_token", f"has {len(proof.id_token)} characters, not 1 to {LONGEST_TOKEN}")
    if not SHORTEST_NONCE <= len(proof.raw_nonce) <= LONGEST_NONCE:
        raise malformed("proof.raw_nonce", f"has not {SHORTEST_NONCE} to {LONGEST_NONCE} characters")
