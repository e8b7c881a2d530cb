"""A deal made again as docs/notation.md tells it, without the engine's own shuffle."""

import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path

import pytest

from gouji.engine.record_text import parse_record
from gouji.engine.records import Record

RECORDS = Path(__file__).parents[1] / "records"


def mac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


def numbers(seed: bytes) -> Iterator[int]:
    """HMAC-DRBG, 1024 bytes a request, two bytes a number."""
    key, value = bytes(32), b"\x01" * 32
    for mark, data in ((b"\x00", seed), (b"\x01", seed)):
        key = mac(key, value + mark + data)
        value = mac(key, value)
    while True:
        out = b""
        while len(out) < 1024:
            value = mac(key, value)
            out += value
        key = mac(key, value + b"\x00")
        value = mac(key, value)
        yield from (out[at] * 256 + out[at + 1] for at in range(0, 1024, 2))


def below(source: Iterator[int], bound: int) -> int:
    return next(number for number in source if number < 65536 // bound * bound) % bound


def deck(record: Record) -> list[str]:
    cards = [*(rank + suit for rank in "3456789TJQKA2" for suit in "SHDC"), "w", "W"] * int(str(record.rules["decks"]))
    for rank, option in (("3", "threes"), ("4", "fours")):
        stay = int(str(record.rules[option]))
        if stay:
            cards = [card for card in cards if card[0] != rank] + [rank + "SHDC"[i % 4] for i in range(stay)]
    return cards


@pytest.mark.parametrize("name", ["korea", "shandong_64", "people"])
def test_the_page_tells_how_to_deal_again(name: str) -> None:
    record = parse_record((RECORDS / f"{name}.txt").read_text(encoding="utf-8"))
    played, cards = record.hands[0], deck(record)
    assert played.secret is not None
    label = f"deal/{record.table}/{record.number}/1/".encode()
    source = numbers(mac(played.secret, label + b"".join(given or bytes(32) for given in played.contributions)))
    for place in range(len(cards) - 1, 0, -1):
        other = below(source, place + 1)
        cards[place], cards[other] = cards[other], cards[place]
    assert [sorted(cards[seat::6]) for seat in range(6)] == [sorted(map(str, hand)) for hand in played.deal]
    if record.rules["first_leader"] == "random":
        assert below(source, 6) == played.leader
