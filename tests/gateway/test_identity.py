"""ID tokens of a real provider over HTTP: which are taken, and what is kept of them."""

import asyncio
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from aiohttp import web

from gouji.gateway.identity import ASK_AGAIN_SECONDS, KEYS_SECONDS, LEEWAY_SECONDS, Identities
from gouji.serving.errors import ServiceError
from gouji.serving.testing import ManualClock
from gouji.v1.account_pb2 import IdentityProof

KEY = "the identities' secret of the tests, long"
CLIENTS = {"gouji-web", "gouji-phone"}
RAW_NONCE = "drawn by the client"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def now(clock: ManualClock) -> float:
    return clock.now().timestamp()


@pytest.fixture
def identities(issuer: Any, clock: ManualClock) -> Identities:
    return Identities({issuer.url: CLIENTS}, KEY, clock)


async def refusal(work: Any) -> str:
    with pytest.raises(ServiceError) as refused:
        await work
    return refused.value.reason


async def test_a_subject_is_the_same_each_time_and_nothing_of_it_is_kept(
    identities: Identities, issuer: Any, clock: ManualClock, now: float
) -> None:
    first = await identities.prove(issuer.proof("ann@example.com", now))
    assert first == await identities.prove(issuer.proof("ann@example.com", now, aud="gouji-phone"))
    assert first.subject != (await identities.prove(issuer.proof("bob", now))).subject
    other = Identities({issuer.url: CLIENTS}, KEY[::-1], clock)
    assert first.subject != (await other.prove(issuer.proof("ann@example.com", now))).subject
    assert (first.issuer, len(first.subject)) == (issuer.url, 32)


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": "another game"},
        {"aud": ["gouji-web", "another game"]},
        {"azp": "another game"},
        {"azp": ["gouji-web"]},
        {"aud": None},
        {"iss": "https://elsewhere.example"},
        {"iss": None},
        {"sub": None},
        {"sub": ""},
        {"sub": "x" * 256},
        {"nonce": None},
        {"nonce": RAW_NONCE},
        {"nonce": "\ud800"},
        {"exp": None},
        {"exp": "soon"},
        {"iat": None},
    ],
    ids=str,
)
async def test_a_token_that_is_not_for_us_is_refused(
    identities: Identities, issuer: Any, now: float, changes: Any
) -> None:
    assert await refusal(identities.prove(issuer.proof("ann", now, **changes))) == "identity_invalid"


@pytest.mark.parametrize(
    ("changes", "taken"),
    [
        ({"exp": -LEEWAY_SECONDS + 1}, True),
        ({"exp": -LEEWAY_SECONDS}, False),
        ({"iat": LEEWAY_SECONDS}, True),
        ({"iat": LEEWAY_SECONDS + 1}, False),
        ({"nbf": LEEWAY_SECONDS + 1}, False),
        ({"aud": ["gouji-web", "gouji-phone"], "azp": "gouji-phone"}, True),
    ],
    ids=str,
)
async def test_times_are_seen_with_some_leeway(
    identities: Identities, issuer: Any, now: float, changes: dict[str, Any], taken: bool
) -> None:
    moved = {name: value if name in ("aud", "azp") else now + value for name, value in changes.items()}
    proof = issuer.proof("ann", now, **moved)
    if taken:
        await identities.prove(proof)
    else:
        assert await refusal(identities.prove(proof)) == "identity_invalid"


def unsigned(issuer: Any, now: float) -> str:
    return jwt.encode(issuer.claims("ann", now), None, "none", {"kid": "k1"})


def signed_by_another(issuer: Any, now: float) -> str:
    return jwt.encode(issuer.claims("ann", now), issuer.keys["k2"], "RS256", {"kid": "k1"})


def signed_with_what_is_public(issuer: Any, now: float) -> str:
    public = issuer.keys["k1"].public_key().public_numbers().n.to_bytes(256, "big")
    return jwt.encode(issuer.claims("ann", now), public, "HS256", {"kid": "k1"})


def cut(issuer: Any, now: float) -> str:
    return str(issuer.proof("ann", now).id_token[:-9])


@pytest.mark.parametrize("forge", [unsigned, signed_by_another, signed_with_what_is_public, cut])
async def test_a_forged_token_is_refused(
    identities: Identities, issuer: Any, now: float, forge: Callable[..., str]
) -> None:
    proof = IdentityProof(id_token=forge(issuer, now), raw_nonce=RAW_NONCE)
    assert await refusal(identities.prove(proof)) == "identity_invalid"


@pytest.mark.parametrize(
    ("id_token", "raw_nonce", "reason"),
    [
        ("", RAW_NONCE, "malformed"),
        ("x" * 20_000, RAW_NONCE, "malformed"),
        ("a.b.c", "short", "malformed"),
        ("a.b.c", "x" * 129, "malformed"),
        ("a.b.c", RAW_NONCE, "identity_invalid"),
        ("no token", RAW_NONCE, "identity_invalid"),
    ],
)
async def test_what_is_no_token_asks_nobody(
    identities: Identities, issuer: Any, id_token: str, raw_nonce: str, reason: str
) -> None:
    assert await refusal(identities.prove(IdentityProof(id_token=id_token, raw_nonce=raw_nonce))) == reason
    assert issuer.asked == 0


async def test_a_stolen_token_is_of_no_use_without_what_its_client_drew(
    identities: Identities, issuer: Any, now: float
) -> None:
    stolen = issuer.proof("ann", now).id_token
    proof = IdentityProof(id_token=stolen, raw_nonce="drawn by a thief")
    assert await refusal(identities.prove(proof)) == "identity_invalid"


async def test_many_at_once_fetch_the_keys_once_and_so_do_those_who_follow(
    identities: Identities, issuer: Any, now: float
) -> None:
    await asyncio.gather(*(identities.prove(issuer.proof("ann", now)) for _ in range(5)))
    await identities.prove(issuer.proof("bob", now))
    assert issuer.asked == 1


async def test_keys_that_the_issuer_changes_are_found_and_others_do_not_have_it_asked_each_time(
    identities: Identities, issuer: Any, clock: ManualClock, now: float
) -> None:
    await identities.prove(issuer.proof("ann", now))
    issuer.signs, issuer.shown = "k2", ["k1", "k2"]
    for _ in range(3):
        assert await refusal(identities.prove(issuer.proof("ann", now))) == "identity_invalid"
    assert issuer.asked == 1
    await clock.advance(ASK_AGAIN_SECONDS)
    await identities.prove(issuer.proof("ann", now))
    assert issuer.asked == 2


async def test_a_key_that_the_issuer_withdraws_is_good_no_longer_than_an_hour(
    identities: Identities, issuer: Any, clock: ManualClock, now: float
) -> None:
    await identities.prove(issuer.proof("ann", now))
    issuer.shown = ["k2"]
    await clock.advance(KEYS_SECONDS)
    proof = issuer.proof("ann", clock.now().timestamp())
    assert await refusal(identities.prove(proof)) == "identity_invalid"


@pytest.mark.parametrize(
    "answer",
    [
        lambda: web.Response(status=500),
        lambda: web.Response(text="no JSON"),
        lambda: web.json_response([]),
        lambda: web.json_response({"issuer": "https://elsewhere.example", "jwks_uri": "https://elsewhere.example"}),
        lambda: web.Response(status=302, headers={"location": "/elsewhere"}),
        lambda: web.Response(body=b" " * 600_000),
    ],
    ids=["error", "no JSON", "a list", "another's", "redirect", "too long"],
)
async def test_an_issuer_that_does_not_answer_well_is_said_to_be_away(
    identities: Identities, issuer: Any, clock: ManualClock, now: float, answer: Any
) -> None:
    issuer.answer = answer
    assert await refusal(identities.prove(issuer.proof("ann", now))) == "identity_unavailable"
    issuer.answer = None
    await clock.advance(ASK_AGAIN_SECONDS)
    await identities.prove(issuer.proof("ann", now))


@pytest.mark.parametrize("address", ["http://elsewhere.example/jwks", "file:///etc/passwd", "", None])
async def test_keys_come_from_where_nobody_can_change_them_on_the_way(
    identities: Identities, issuer: Any, now: float, address: Any
) -> None:
    issuer.configuration = {"jwks_uri": address}
    assert await refusal(identities.prove(issuer.proof("ann", now))) == "identity_unavailable"


async def test_known_keys_outlive_an_issuer_that_is_away(
    identities: Identities, issuer: Any, clock: ManualClock, now: float
) -> None:
    await identities.prove(issuer.proof("ann", now))
    issuer.answer = lambda: web.Response(status=503)
    await clock.advance(KEYS_SECONDS)
    await identities.prove(issuer.proof("ann", clock.now().timestamp()))
    assert issuer.asked == 2
