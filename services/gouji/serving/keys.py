"""Keys of tokens: shared secrets, and pairs of which the public half is for everybody (JWKS). Each has a name.

A token names the key that signed it, so that several are good at a time and one can follow another.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

PrivateKey = Ed25519PrivateKey | EllipticCurvePrivateKey | RSAPrivateKey
PublicKey = Ed25519PublicKey | EllipticCurvePublicKey | RSAPublicKey

SHORTEST_RSA_BITS: Final = 2048

_MEMBERS: Final = {"OKP": ("crv", "kty", "x"), "EC": ("crv", "kty", "x", "y"), "RSA": ("e", "kty", "n")}


class UnusableKey(ValueError):
    """A key that signs no token; the text says why."""


@dataclass(frozen=True, slots=True)
class TokenKey:
    """One key. ``signs`` is None where only the public half is known."""

    key_id: str
    algorithm: str
    verifies: Any
    signs: Any = None


class KeyRing:
    """The keys for some audiences: the first that can sign does, all verify."""

    def __init__(self, audiences: Collection[str], keys: Iterable[TokenKey] = ()) -> None:
        self.audiences = tuple(audiences)
        self._own = {key.key_id: key for key in keys}
        self._published: dict[str, TokenKey] = {}

    def publish(self, keys: Iterable[TokenKey]) -> None:
        """Take these keys of others, and those of before no longer."""
        self._published = {key.key_id: key for key in keys}

    def find(self, key_id: str) -> TokenKey | None:
        """Find a key by its name."""
        return self._own.get(key_id) or self._published.get(key_id)

    @property
    def signer(self) -> TokenKey | None:
        """The key that signs; None when there is none here."""
        return next((key for key in self._own.values() if key.signs is not None), None)

    def public(self) -> list[TokenKey]:
        """List the keys whose public half may be shown."""
        return [key for key in self._own.values() if key.algorithm != "HS256"]


def shared_keys(secrets: Sequence[str]) -> list[TokenKey]:
    """Make keys of secrets that all processes share (HS256)."""
    return [TokenKey(_secret_id(secret), "HS256", secret, secret) for secret in secrets]


def private_keys(paths: Sequence[Path]) -> list[TokenKey]:
    """Read PEM files with one private key each; `UnusableKey` for what is none, `OSError` for what cannot be read."""
    return [_pair(path) for path in paths]


def _pair(path: Path) -> TokenKey:
    try:
        private: Any = load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError) as error:
        raise UnusableKey(f"{path} holds no private key without a password, in PEM.") from error
    public = private.public_key()
    algorithm = _algorithm(public)
    if algorithm is None:
        raise UnusableKey(f"{path} holds no key of Ed25519, P-256, or RSA with {SHORTEST_RSA_BITS} bits or more.")
    return TokenKey(thumbprint(_jwk(public)), algorithm, public, private)


def jwks(keys: Iterable[TokenKey]) -> dict[str, Any]:
    """Write public keys as a JWK Set (RFC 7517)."""
    return {"keys": [_jwk(key.verifies) | _use(key) for key in keys]}


def read_jwks(text: str | bytes) -> list[TokenKey]:
    """Read a JWK Set; keys that sign otherwise than ours are left out. `UnusableKey` for what is no set."""
    try:
        listed = json.loads(text)["keys"]
        found = [jwt.PyJWK(one) for one in listed if one.get("kty") in _MEMBERS]
    except (ValueError, TypeError, KeyError, AttributeError, jwt.InvalidKeyError, jwt.PyJWKError) as error:
        raise UnusableKey("This is no set of public keys (JWKS).") from error
    return [key for one in found if (key := _published(one))]


def thumbprint(jwk: Mapping[str, str]) -> str:
    """Name a public key by what it is (RFC 7638)."""
    needed = {name: jwk[name] for name in _MEMBERS[jwk["kty"]]}
    text = json.dumps(needed, sort_keys=True, separators=(",", ":"))
    return jwt.utils.base64url_encode(hashlib.sha256(text.encode()).digest()).decode()


def _published(one: jwt.PyJWK) -> TokenKey | None:
    algorithm = _algorithm(one.key)
    return TokenKey(one.key_id or thumbprint(_jwk(one.key)), algorithm, one.key) if algorithm else None


def _use(key: TokenKey) -> dict[str, str]:
    return {"kid": key.key_id, "alg": key.algorithm, "use": "sig"}


def _algorithm(key: object) -> str | None:
    """Say how a public key signs; None for a kind that is not taken."""
    match key:
        case Ed25519PublicKey():
            return "EdDSA"
        case EllipticCurvePublicKey() if isinstance(key.curve, SECP256R1):
            return "ES256"
        case RSAPublicKey() if key.key_size >= SHORTEST_RSA_BITS:
            return "RS256"
    return None


def _jwk(key: PublicKey) -> dict[str, Any]:
    match key:
        case Ed25519PublicKey():
            return OKPAlgorithm.to_jwk(key, as_dict=True)
        case EllipticCurvePublicKey():
            return ECAlgorithm.to_jwk(key, as_dict=True)
        case RSAPublicKey():
            return RSAAlgorithm.to_jwk(key, as_dict=True)


def _secret_id(secret: str) -> str:
    return hashlib.sha256(b"gouji token key/" + secret.encode()).hexdigest()[:12]
