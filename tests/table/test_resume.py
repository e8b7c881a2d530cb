"""Whatever becomes of streams and commands on their way, all who watch end with the same table."""

import asyncio
import hashlib
import random
from collections.abc import Callable, Iterable
from typing import Any

import grpc
import pytest

from gouji.serving.errors import Refusal, reason_of, refusal_of
from gouji.table.live import Live
from gouji.table.projection import project
from gouji.v1 import table_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import action_to_proto


def digest(events: Iterable[Event], *, public: bool) -> str:
    """Hash what was shown: all of it but for the turns, which are told once; or what everybody is shown the same."""
    found = hashlib.sha256()
    for event in events:
        shown = Event()
        shown.CopyFrom(event)
        shown.ClearField("turn")
        if public and shown.HasField("hand_dealt"):
            shown.hand_dealt.ClearField("hands")
        found.update(shown.SerializeToString(deterministic=True))
    return found.hexdigest()


def told(error: grpc.aio.AioRpcError) -> Refusal:
    """Read why a call was refused; nothing else may go wrong."""
    refusal = refusal_of(error)
    assert refusal is not None, error
    return refusal


class Follower:
    """One device that follows the table over connections that break, and keeps what it was shown."""

    def __init__(self, running: Any, who: Any, device: str, chance: random.Random) -> None:
        self.events: list[Event] = []
        self.refusals: dict[str, int] = {}
        self._bad = running._caller("no.such.token")
        self._who = who
        self._device = device
        self._chance = chance

    async def follow(self) -> None:
        while not self.events or not self.events[-1].HasField("match_ended"):
            try:
                await self._read_for_a_while()
            except grpc.aio.AioRpcError as error:
                refusal = told(error)
                self.refusals[refusal.reason] = self.refusals.get(refusal.reason, 0) + 1
                if refusal.reason == "resume_from":
                    # Never is anybody sent on past what it has, unless it asked for that.
                    assert int(refusal.metadata["from_sequence"]) > len(self.events)
                else:
                    assert refusal.reason == "token_invalid"

    async def _read_for_a_while(self) -> None:
        who = self._bad if self._chance.random() < 0.1 else self._who
        ahead = self._chance.choice((1, 1, 1, 1 - len(self.events) // 2, -3, 500))
        stream = who.watch("t1", max(len(self.events) + ahead, 0), device=self._device)
        wanted = self._chance.randrange(1, 25)
        try:
            while wanted and (message := await stream.read()) is not grpc.aio.EOF:
                self._take(message.batch)
                wanted -= 1
        finally:
            stream.cancel()

    def _take(self, batch: Any) -> None:
        for event in batch.events:
            assert event.sequence <= len(self.events) + 1
            if event.sequence <= len(self.events):
                # Shown again, it is what it was.
                assert digest([event], public=False) == digest([self.events[event.sequence - 1]], public=False)
            else:
                self.events.append(event)
        assert batch.last_sequence >= (batch.events[-1].sequence if batch.events else 0)


class Players:
    """Six people who decide at random, and whose commands come twice, late, out of order and under wrong tokens."""

    def __init__(self, running: Any, chance: random.Random) -> None:
        self._running = running
        self._chance = chance
        self._sent: list[tuple[int, table_pb2.ActRequest, int]] = []
        self.other_devices = 0

    async def play(self) -> None:
        while isinstance(live := await self._running.host.find("t1"), Live):
            seats = list(live.table.asking.questions)
            hand = live.table.hand_asking(self._chance.choice(seats)) if seats else None
            if hand is None or live.writing:
                await asyncio.sleep(0.002)
                continue
            seat = next(seat for seat in seats if live.table.hand_asking(seat) is hand)
            action = self._chance.choice(hand.legal_actions())
            await self._send(seat, live.table.turn, action_to_proto(action))

    async def _send(self, seat: int, turn: int, action: Any) -> None:
        player = self._running.player(f"p{seat}")
        request = table_pb2.ActRequest(table_id="t1", command_id=f"c{len(self._sent)}", turn=turn, action=action)
        for request.device in self._chance.sample(["a", "b"], 2):
            wrong = self._running._caller("no.such.token").send(request) if self._chance.random() < 0.1 else None
            stale = table_pb2.ActRequest()
            stale.CopyFrom(request)
            stale.command_id, stale.turn = "stale", turn + self._chance.choice((-1, 1, 7))
            again = [player.send(request) for _ in range(self._chance.choice((1, 1, 2, 3)))]
            answers = await asyncio.gather(player.send(stale), *again, return_exceptions=True)
            if wrong is not None:
                with pytest.raises(grpc.aio.AioRpcError) as failed:
                    await wrong
                assert reason_of(failed.value) == "token_invalid"
            assert isinstance(answers[0], grpc.aio.AioRpcError)
            if self._done(seat, request, answers[1:]):
                break
            self.other_devices += 1
        if self._sent and self._chance.random() < 0.3:
            await self._repeat(*self._chance.choice(self._sent))

    def _done(self, seat: int, request: table_pb2.ActRequest, answers: list[Any]) -> bool:
        """Say whether a device's command was taken: once, with one answer for all."""
        refused = {reason_of(answer) for answer in answers if isinstance(answer, grpc.aio.AioRpcError)}
        taken = [answer for answer in answers if not isinstance(answer, BaseException)]
        if not taken:
            # A window may have closed meanwhile.
            assert refused <= {"other_device", "stale_turn", "not_your_turn", "table_over"}, refused
            return "other_device" not in refused
        assert len({answer.sequence for answer in taken}) == 1
        assert sum(answer.outcome == table_pb2.OUTCOME_DONE for answer in taken) <= 1
        kept = table_pb2.ActRequest()
        kept.CopyFrom(request)
        self._sent.append((seat, kept, taken[0].sequence))
        return True

    async def _repeat(self, seat: int, request: table_pb2.ActRequest, sequence: int) -> None:
        answer = await self._running.player(f"p{seat}").send(request)
        assert (answer.outcome, answer.sequence) == (table_pb2.OUTCOME_DUPLICATE, sequence)


async def test_all_who_watch_agree_however_streams_break_and_commands_come(
    serve: Any, fixed_deal: Callable[..., None]
) -> None:
    fixed_deal(["WKK3456789", "wAAKK55992", "2AQJT98743", "WW224567KK", "3344556677", "AAKKQQJJTT"])
    chance = random.Random(1)
    async with serve(answers_least_ms=5, answers_most_ms=20) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        seats = [0, 4, None]
        names = [f"p{seat}" if seat is not None else f"stranger{n}" for n, seat in enumerate(seats)]
        watching = [(seat, name, device) for seat, name in zip(seats, names, strict=True) for device in "ab"]
        followers = [
            (seat, Follower(running, running.player(name), device, random.Random(chance.random())))
            for seat, name, device in watching
        ]
        players = Players(running, chance)
        async with asyncio.timeout(200):
            await asyncio.gather(players.play(), *(follower.follow() for _, follower in followers))
        log = await running.rows.log("t1")
        for seat, follower in followers:
            shown = [project(event, seat, None) for event in log]
            assert digest(follower.events, public=False) == digest(shown, public=False)
        public = {digest(follower.events, public=True) for _, follower in followers}
        assert public == {digest((project(event, None, None) for event in log), public=True)}
        refusals = {reason for _, follower in followers for reason in follower.refusals}
        assert refusals == {"resume_from", "token_invalid"}
        assert players.other_devices > 0
