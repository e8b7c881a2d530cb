"""Keys of tokens: pairs with a public half, several at a time, one after another."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from pydantic import SecretStr

from gouji.serving.auth import DamagedKeyError, Tokens, player_ring, service_ring, tokens_for
from gouji.serving.clock import SystemClock
from gouji.serving.errors import ServiceError
from gouji.serving.keys import KeyRing, TokenKey, UnusableKey, jwks, private_keys, read_jwks, shared_keys
from gouji.serving.metrics import Metrics
from gouji.serving.published import PublishedKeys
from gouji.serving.settings import Settings
from gouji.serving.testing import ManualClock, captured_log

KINDS: dict[str, Callable[[], Any]] = {
    "EdDSA": ed25519.Ed25519PrivateKey.generate,
    "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
    "RS256": lambda: rsa.generate_private_key(public_exponent=65537, key_size=2048),
}
SECRET, SERVICES = "p" * 32, "s" * 32


def written(folder: Path, name: str, key: Any) -> Path:
    path = folder / name
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return path


def tokens(*keys: TokenKey) -> Tokens:
    return Tokens(player_ring(keys), service_ring(shared_keys([SERVICES])), ManualClock())


def refused(some: Tokens, token: str) -> str:
    with pytest.raises(ServiceError) as caught:
        some.verify(token)
    return caught.value.reason


@pytest.fixture
def pair(tmp_path: Path) -> TokenKey:
    [key] = private_keys([written(tmp_path, "one.pem", KINDS["EdDSA"]())])
    return key


@pytest.mark.parametrize("algorithm", KINDS)
def test_what_one_signs_all_can_check_who_have_the_public_half(algorithm: str, tmp_path: Path) -> None:
    [key] = private_keys([written(tmp_path, "one.pem", KINDS[algorithm]())])
    token = tokens(key).mint_player("p1", "Ann").access_token
    assert jwt.get_unverified_header(token) == {"alg": algorithm, "kid": key.key_id, "typ": "JWT"}
    other = tokens()
    assert refused(other, token) == "token_invalid"
    other.publish(read_jwks(json.dumps(jwks([key]))))
    assert other.verify(token).player_id == "p1"
    with pytest.raises(RuntimeError, match="no key here"):
        other.mint_player("p2", "Bob")


def test_keys_follow_one_another(pair: TokenKey, tmp_path: Path) -> None:
    [fresh] = private_keys([written(tmp_path, "two.pem", KINDS["ES256"]())])
    before = tokens(pair, fresh).mint_player("p1", "Ann").access_token
    both = tokens(fresh, pair)
    after = both.mint_player("p1", "Ann").access_token
    assert both.verify(before) == both.verify(after)
    assert jwt.get_unverified_header(after)["kid"] == fresh.key_id
    assert refused(tokens(fresh), before) == "token_invalid"


def test_a_key_that_is_published_no_longer_is_good_no_longer(pair: TokenKey) -> None:
    token = tokens(pair).mint_player("p1", "Ann").access_token
    other = tokens()
    other.publish([pair])
    other.verify(token)
    other.publish([])
    assert refused(other, token) == "token_invalid"


def test_secrets_follow_one_another_too() -> None:
    old = tokens(*shared_keys([SECRET])).mint_player("p1", "Ann").access_token
    both = tokens(*shared_keys(["q" * 32, SECRET]))
    assert both.verify(old).player_id == "p1"
    assert refused(tokens(*shared_keys(["q" * 32])), old) == "token_invalid"


def test_the_public_half_is_no_secret_to_sign_with(pair: TokenKey) -> None:
    [shown] = jwks([pair])["keys"]
    claims = {"aud": "player", "sub": "p1", "name": "Ann", "exp": 2**33}
    forged = jwt.encode(claims, shown["x"], algorithm="HS256", headers={"kid": pair.key_id})
    assert refused(tokens(pair), forged) == "token_invalid"
    assert "d" not in shown


def test_players_keys_make_no_operators(pair: TokenKey) -> None:
    claims = {"aud": "operator", "sub": "olga", "name": "olga", "exp": 2**33}
    forged = jwt.encode(claims, pair.signs, algorithm="EdDSA", headers={"kid": pair.key_id})
    assert refused(tokens(pair), forged) == "token_invalid"


def test_secrets_are_not_shown(pair: TokenKey) -> None:
    ring: KeyRing = player_ring([pair, *shared_keys([SECRET])])
    assert [key.key_id for key in ring.public()] == [pair.key_id]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"keys": 5}', '{"keys": [{"kty": "OKP"}]}', '{"keys": ["x"]}'],
)
def test_what_is_no_set_of_keys_is_refused(text: str) -> None:
    with pytest.raises(UnusableKey):
        read_jwks(text)


def test_keys_of_other_kinds_are_left_out_of_a_set(pair: TokenKey) -> None:
    shown = jwks([pair])
    shown["keys"] += [{"kty": "oct", "k": "c2VjcmV0", "kid": "x"}, {"kty": "EC", "crv": "P-384", **P384}]
    assert [key.key_id for key in read_jwks(json.dumps(shown))] == [pair.key_id]


P384 = {
    name: value
    for name, value in jwt.algorithms.ECAlgorithm.to_jwk(
        ec.generate_private_key(ec.SECP384R1()).public_key(), as_dict=True
    ).items()
    if name in ("x", "y")
}


@pytest.mark.parametrize("kind", ["text", "small", "P-384"])
def test_a_file_without_a_good_key_is_named(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "one.pem"
    if kind == "text":
        path.write_text("nonsense")
    else:
        small = rsa.generate_private_key(public_exponent=65537, key_size=1024)
        written(tmp_path, "one.pem", small if kind == "small" else ec.generate_private_key(ec.SECP384R1()))
    with pytest.raises(DamagedKeyError, match=r"one\.pem"):
        tokens_for(Settings(data_directory=tmp_path, player_key_files=str(path)), SystemClock())


def test_a_pair_takes_the_place_of_the_secret_in_the_data_directory(tmp_path: Path) -> None:
    path = written(tmp_path, "one.pem", KINDS["EdDSA"]())
    tokens_for(Settings(data_directory=tmp_path, player_key_files=str(path)), SystemClock())
    assert not (tmp_path / "player.key").exists()


def test_players_and_services_may_not_share_a_secret(tmp_path: Path) -> None:
    same = SecretStr(SECRET)
    with pytest.raises(DamagedKeyError, match="share a secret"):
        tokens_for(Settings(data_directory=tmp_path, player_key=same, service_key=same), SystemClock())


async def test_published_keys_are_read_anew_and_kept_while_they_cannot_be_read(pair: TokenKey, tmp_path: Path) -> None:
    source, other = tmp_path / "jwks.json", tokens()
    token = tokens(pair).mint_player("p1", "Ann").access_token
    log, lines = captured_log()
    metrics = Metrics()
    published = PublishedKeys(str(source), other, log, metrics)
    await published.look()
    assert [line["event"] for line in lines] == ["player_keys_unreadable"]
    assert metrics.registry.get_sample_value("gouji_player_keys_failures_total") == 1
    assert refused(other, token) == "token_invalid"
    source.write_text(json.dumps(jwks([pair])))
    await published.look()
    assert other.verify(token).player_id == "p1"
    source.write_text("half a fi")
    await published.look()
    assert other.verify(token).player_id == "p1"
