"""A crowd at a real server: it plays, and finds what a server shows that it must not."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from gouji.load.player import NO_DOOR, Watcher
from gouji.load.profile import Drops, Network, Profile, Range
from gouji.load.worker import Crowd, Job, new_run
from gouji.serving.app import App
from gouji.v1.cards_pb2 import Card
from gouji.v1.events_pb2 import DECIDED_BY_CLOCK
from gouji.v1.table_pb2 import WatchResponse

LIMIT = 60


async def crowd_until(done: Callable[[Crowd], bool], address: str, profile: Profile, folder: Path) -> Crowd:
    """Have a crowd play until it has come so far."""
    crowd = Crowd(Job(profile=profile, address=address, number=0, began=time.time(), run=new_run()), folder)
    playing = asyncio.create_task(crowd.run())
    try:
        async with asyncio.timeout(LIMIT):
            while not done(crowd) and not playing.done():  # noqa: ASYNC110 - counts have no event
                await asyncio.sleep(0.05)
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing
    return crowd


async def test_six_people_sit_down_and_play_and_nothing_is_wrong(address: str, small: Profile, tmp_path: Path) -> None:
    crowd = await crowd_until(lambda crowd: crowd.notes.commands >= 40, address, small, tmp_path)
    notes = crowd.notes
    assert (notes.violations, dict(notes.failures)) == ([], {})
    times = notes.latencies
    assert {"guest", "queue", "watch", "observe", "act", "shown", "act.play"} <= set(times.kinds())
    assert times.seen("guest").count == times.seen("queue").count == times.seen("watch").count == 6
    assert times.seen("act").count == notes.commands == notes.actions.total()
    assert notes.events >= 6 * 40


async def test_who_drops_comes_back_and_who_is_cut_off_too(address: str, small: Profile, tmp_path: Path) -> None:
    rough = small.model_copy(
        update={
            "drops": Drops(per_minute=20, away=Range(least=0.1, most=0.5)),
            "network": Network(share=0.5, delay_ms=5, jitter_ms=5, cuts_per_minute=20, cut=Range(least=0.1, most=0.5)),
        }
    )
    crowd = await crowd_until(
        lambda crowd: crowd.notes.drops >= 3 and {"back/mobile", "act/mobile"} <= set(crowd.notes.latencies.kinds()),
        address,
        rough,
        tmp_path,
    )
    assert (crowd.notes.violations, dict(crowd.notes.failures)) == ([], {})
    assert crowd.notes.drops >= 3
    assert crowd.notes.cuts


def gap(message: WatchResponse, _seat: int) -> None:
    if message.batch.events and message.batch.events[0].sequence % 4 == 0:
        del message.batch.events[0]


def repetition(message: WatchResponse, _seat: int) -> None:
    if message.batch.events:
        message.batch.events.append(message.batch.events[-1])


def leak(message: WatchResponse, seat: int) -> None:
    for event in message.batch.events:
        if event.HasField("hand_dealt"):
            event.hand_dealt.hands[(seat + 1) % 6].cards.append(Card(rank=5))


def difference(message: WatchResponse, seat: int) -> None:
    for event in message.batch.events:
        if event.HasField("action_taken") and seat == 3:
            event.action_taken.decided_by = DECIDED_BY_CLOCK


PLANTS = {
    "was to come: a gap": gap,
    "was to come: again, or out of order": repetition,
    "the cards of seat": leak,
    "is another to seat": difference,
}


@pytest.mark.parametrize("told", PLANTS)
async def test_what_a_server_must_not_show_is_found(
    told: str,
    address: str,
    small: Profile,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = Watcher._heard

    def tampered(self: Watcher, response: WatchResponse) -> None:
        message = WatchResponse.FromString(response.SerializeToString())
        PLANTS[told](message, self.seat)
        real(self, message)

    monkeypatch.setattr(Watcher, "_heard", tampered)
    crowd = await crowd_until(lambda crowd: crowd.notes.violated > 0, address, small, tmp_path)
    assert any(told in sentence for sentence in crowd.notes.violations)


async def test_phones_need_a_door_and_say_so(app: App, small: Profile, tmp_path: Path) -> None:
    phones = small.model_copy(update={"network": Network(share=1, delay_ms=1, jitter_ms=0)})
    crowd = await crowd_until(lambda crowd: crowd.notes.failures.total() == 6, app.address, phones, tmp_path)
    assert dict(crowd.notes.failures) == {NO_DOOR: 6}
