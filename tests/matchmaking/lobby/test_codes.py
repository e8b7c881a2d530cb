"""Invite codes: nobody guesses one, and nobody tries for long."""

from collections.abc import Callable
from typing import Any

import pytest

from gouji.matchmaking import codes
from gouji.matchmaking.codes import ALPHABET, LENGTH, Tries, make_code, read_code, show_code
from gouji.serving.errors import ServiceError
from gouji.serving.schema import room_tries
from gouji.serving.settings import Settings

SPAN = codes.SPAN_SECONDS * 1_000_000


def test_a_code_has_more_than_forty_bits_of_letters_that_look_like_no_others() -> None:
    assert len(ALPHABET) ** LENGTH >= 2**40
    assert len(set(ALPHABET)) == 32
    assert not set("OILU") & set(ALPHABET)


def test_codes_are_drawn_from_all_letters_and_never_twice() -> None:
    drawn = [make_code() for _ in range(2000)]
    assert len(set(drawn)) == len(drawn)
    for place in range(LENGTH):
        assert {code[place] for code in drawn} == set(ALPHABET)


def test_a_code_is_read_however_it_is_written() -> None:
    code = "01ABCDEFGH"
    assert show_code(code) == "01ABC-DEFGH"
    for written in (code, "01abc-defgh", " o1 abcde-fgh", "OIABCDEFGH", "0LABC DEFGH"):
        assert read_code(written) == code


@pytest.mark.parametrize("written", ["", "01ABCDEFG", "01ABCDEFGHJ", "01ABCDEFGU", "01ABCDEFG\0", "夠級ABCDEFGH"])
def test_what_is_no_code(written: str) -> None:
    assert read_code(written) is None


async def tried(tries: Tries, player_id: str, peer: str, now: int) -> str:
    try:
        await tries.count(player_id, peer, now)
    except ServiceError as error:
        return error.reason
    return ""


async def test_tries_of_a_player_are_bounded_in_each_span_of_time(ledger: Any) -> None:
    tries = Tries(ledger.database)
    for _ in range(codes.MOST_TRIES_OF_A_PLAYER):
        assert await tried(tries, "ann", "here", 5) == ""
    with pytest.raises(ServiceError, match="too_often") as refused:
        await tries.count("ann", "there", SPAN - 5000)
    assert refused.value.retry_after_ms == 5
    assert await tried(tries, "bob", "here", 5) == ""
    assert await tried(tries, "ann", "here", 5 + SPAN) == ""


async def test_tries_from_an_address_are_bounded_whoever_makes_them(
    ledger: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "MOST_TRIES_OF_A_PEER", 3)
    tries = Tries(ledger.database)
    answers = [await tried(tries, f"p{n}", "here", 5) for n in range(5)]
    assert answers == ["", "", "", "too_often", "too_often"]
    assert await tried(tries, "p9", "there", 5) == ""


async def test_tries_that_are_over_are_forgotten(ledger: Any) -> None:
    tries = Tries(ledger.database)
    await tries.count("ann", "here", 5)
    await tries.count("ann", "here", 5 + SPAN)
    await tries.sweep(5 + SPAN)
    async with ledger.database.connect() as connection:
        rows = (await connection.execute(room_tries.select())).all()
    assert {row.span for row in rows} == {1}


async def test_a_player_who_guesses_is_stopped_even_with_the_right_code(
    settings: Settings, desks: Callable[..., Any], guests: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "SPAN_SECONDS", 10_000_000)
    monkeypatch.setattr(codes, "MOST_TRIES_OF_A_PLAYER", 5)
    async with desks(settings) as here, desks(settings) as there:
        ann, bob, cid = await guests(here, "ann", "bob", "cid")
        [again] = await guests(there, "bob")
        code = (await ann.call("CreateRoom")).room.code
        for one, guess in zip([bob, again] * 3, ["", "x", "AAAAA-AAAAA", "0000000000", "a\0b"], strict=False):
            assert (await one.refused("JoinRoom", code=guess))[0] == "unknown_room"
        assert (await bob.refused("JoinRoom", code=code))[0] == "too_often"
        assert (await again.refused("JoinRoom", code=code))[0] == "too_often"
        assert await cid.tried("JoinRoom", code=code) == ""
