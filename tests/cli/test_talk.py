"""What a person says at the terminal, and how it is told."""

from typing import Any

import grpc
import pytest

from gouji.cli.narrate import Teller
from gouji.cli.talk import talk
from gouji.client import ClientError
from gouji.table.phrases import listed
from gouji.v1.events_pb2 import Event, HandEnded, HandVote, Said


class Desk:
    """A table that notes what is asked of it."""

    def __init__(self, refusal: str | None = None) -> None:
        self.asked: list[Any] = []
        self.view = None
        self._refusal = refusal

    def _note(self, *what: Any) -> None:
        if self._refusal is not None:
            raise ClientError(grpc.StatusCode.RESOURCE_EXHAUSTED, "no", reason=self._refusal)
        self.asked.append(what)

    async def phrases(self) -> Any:
        return listed().phrases

    async def say(self, phrase: str) -> None:
        self._note("say", phrase)

    async def vote(self, *, agree: bool) -> None:
        self._note("vote", agree)

    async def mute(self, seat: int, *, muted: bool) -> list[int]:
        self._note("mute", seat, muted)
        return [seat] if muted else []


@pytest.mark.parametrize(
    ("line", "asked", "told"),
    [
        ("say thanks", ("say", "thanks"), []),
        (" Say  good game", ("say", "good_game"), []),
        ("mute 3", ("mute", 3, True), ["You do not hear 3."]),
        ("unmute 3", ("mute", 3, False), ["You hear everybody."]),
        ("vote", ("vote", True), []),
        ("unvote", ("vote", False), []),
        ("mute", None, ["Name the seat: `mute 3`."]),
    ],
)
async def test_a_line_is_done_and_answered(line: str, asked: Any, told: list[str]) -> None:
    desk: Any = Desk()
    assert await talk(desk, line) == told
    assert desk.asked == ([asked] if asked else [])


async def test_what_can_be_said_is_listed_and_moves_are_left_to_others() -> None:
    desk: Any = Desk()
    lines = await talk(desk, "say")
    assert lines is not None
    assert len(lines) == 1 + len(listed().phrases)
    assert await talk(desk, "pass") is None
    assert desk.asked == []


async def test_a_refusal_is_told_and_a_lost_server_is_not_swallowed() -> None:
    refused: Any = Desk("too_often")
    assert await talk(refused, "say thanks") == ["That was enough for now; wait a little."]
    lost: Any = Desk("")
    with pytest.raises(ClientError):
        await talk(lost, "vote")


def test_what_others_say_and_vote_is_told() -> None:
    teller = Teller(["a", "b", "c", "d", "e", "f"], 0)
    assert teller.tell(Event(said=Said(seat=2, phrase="thanks"))) == ["2 c: Thank you! 謝謝！"]
    assert teller.tell(Event(said=Said(seat=2, phrase="smile"))) == ["2 c smiles 微笑"]
    assert teller.tell(Event(said=Said(seat=2))) == []
    assert teller.tell(Event(hand_vote=HandVote(seat=1, agree=True))) == [
        "1 b wants this hand given up; `vote` agrees."
    ]
    assert teller.tell(Event(hand_vote=HandVote(seat=1))) == ["1 b wants to play this hand on."]
    (ended,) = teller.tell(Event(hand=2, hand_ended=HandEnded(voided=True, given_up=True, digest="d")))
    assert ended == "Hand 2 is given up by its people and dealt anew. Digest d"
