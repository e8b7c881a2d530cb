"""Deals to which the seats contribute: unseen until all are in, and for who is late the default."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from google.protobuf.message import DecodeError

from gouji.client import Credentials, Patience, Session, TableClient
from gouji.client.deals import DealWatch
from gouji.client.tables import Server
from gouji.engine import Action, RuleSet
from gouji.engine.deal import deal_cards
from gouji.engine.records import verify
from gouji.engine.secret import DEFAULT_CONTRIBUTION, NO_CONTRIBUTIONS, commitment, deal_seed
from gouji.serving.errors import reason_of
from gouji.serving.schema import table_commands, table_events
from gouji.table.collecting import Collecting, Contribution
from gouji.table.commands import contribution_id
from gouji.table.records import record_of
from gouji.v1 import events_pb2, table_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import card_to_proto

DONE, DUPLICATE = table_pb2.OUTCOME_DONE, table_pb2.OUTCOME_DUPLICATE
MINE, YOURS = b"m" * 32, b"y" * 32
LONG = {"contributions_ms": 60_000, "turn_ms": 60_000}


async def refused(call: Any) -> str | None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return reason_of(failed.value)


async def wait_for(running: Any, kind: str, table_id: str = "t1") -> Event:
    async with asyncio.timeout(20):
        while True:
            found = [event for event in await running.rows.log(table_id) if event.HasField(kind)]
            if found:
                return found[-1]
            await asyncio.sleep(0.01)


# One deal, by itself


def test_a_deal_waits_for_all_that_are_awaited_or_its_time() -> None:
    collecting = Collecting(bytes(32), 1, [0, 2], until=100)
    collecting.seal(Contribution(0, 1, MINE))
    assert not collecting.complete(99)
    assert collecting.complete(100)
    collecting.seal(Contribution(2, 1, YOURS))
    assert collecting.complete(0)
    assert collecting.contributions == (MINE, b"", YOURS, b"", b"", b"")


def test_a_seat_that_is_gone_is_not_waited_for_and_what_it_gave_counts() -> None:
    collecting = Collecting(bytes(32), 1, [0, 2], until=100)
    collecting.seal(Contribution(0, 1, MINE))
    collecting.miss(2)
    assert collecting.complete(0)
    collecting.seal(Contribution(2, 1, YOURS))
    collecting.miss(0)
    assert collecting.contributions[:3] == (MINE, b"", YOURS)


@pytest.mark.parametrize("given", [Contribution(1, 1, MINE), Contribution(0, 2, MINE), Contribution(0, 1, MINE[1:])])
def test_a_contribution_that_is_not_asked_for_is_not_kept(given: Contribution) -> None:
    collecting = Collecting(bytes(32), 1, [0], until=100)
    with pytest.raises(ValueError, match="not asked"):
        collecting.seal(given)
    assert collecting.contributions == NO_CONTRIBUTIONS


# At a table


async def test_contributions_are_unseen_until_all_are_in_and_then_make_the_deal(serve: Any) -> None:
    async with serve(**LONG) as running:
        await running.rows.place("t1", people=2)
        await running.service().open("t1")
        committed = (await wait_for(running, "hand_committed")).hand_committed
        assert list(committed.awaited) == [0, 1]
        stream = running.player("p1").watch("t1")
        shown = (await stream.read()).batch.events
        assert [event.WhichOneof("body") for event in shown] == ["table_opened", "hand_committed"]
        assert (shown[1].hand_committed.commitment, shown[1].hand_committed.secret) == (committed.commitment, b"")
        assert await running.player("p0").contribute("t1", 1, MINE) == DONE
        assert not any(event.HasField("hand_dealt") for event in await running.rows.log("t1"))
        assert await running.player("p1").contribute("t1", 1, YOURS) == DONE
        dealt = (await wait_for(running, "hand_dealt")).hand_dealt
        assert list(dealt.contributions) == [MINE, YOURS, b"", b"", b"", b""]
        seen: list[Event] = []
        while not any(event.HasField("hand_dealt") for event in seen):
            seen += (await stream.read()).batch.events
        for event in seen[:-1]:
            assert MINE not in event.SerializeToString()
        assert list(seen[-1].hand_dealt.contributions) == list(dealt.contributions)
        table = await running.rows.folded("t1")
        assert commitment(committed.secret, "t1", 1, 1) == committed.commitment
        seed = deal_seed(committed.secret, "t1", 1, 1, dealt.contributions)
        assert [table.match.deal(seed, held=True).cards(seat) for seat in range(6)] == [
            table.deal(committed.secret, dealt.contributions).cards(seat) for seat in range(6)
        ]


async def test_a_contribution_is_taken_once_and_only_when_it_is_asked_for(serve: Any) -> None:
    async with serve(**LONG) as running:
        await running.rows.place("t1", people=2)
        await running.service().open("t1")
        one, two = running.player("p0"), running.player("p1")
        await wait_for(running, "hand_committed")
        assert await refused(one.contribute("t1", 1, MINE[1:])) == "malformed"
        assert await refused(one.contribute("t1", 2, MINE)) == "not_collecting"
        assert await refused(running.player("stranger").contribute("t1", 1, MINE)) == "not_seated"
        assert await refused(running.operator().contribute("t1", 1, MINE)) == "forbidden"
        assert [await one.contribute("t1", 1, MINE) for _ in range(2)] == [DONE, DUPLICATE]
        assert await refused(one.contribute("t1", 1, YOURS)) == "contribution_given"
        assert await two.contribute("t1", 1, YOURS) == DONE
        await wait_for(running, "hand_dealt")
        assert await one.contribute("t1", 1, MINE) == DUPLICATE
        assert await refused(one.contribute("t1", 1, YOURS)) == "contribution_given"
        assert await refused(running.player("p1").contribute("t1", 2, YOURS)) == "not_collecting"


async def test_who_is_too_late_has_the_default(serve: Any) -> None:
    async with serve(contributions_ms=300) as running:
        await running.rows.place("t1", people=3)
        await running.service().open("t1")
        await running.player("p1").contribute("t1", 1, MINE)
        dealt = await wait_for(running, "hand_dealt")
        committed = await wait_for(running, "hand_committed")
        assert list(dealt.hand_dealt.contributions) == [b"", MINE, b"", b"", b"", b""]
        assert dealt.at.ToMicroseconds() >= committed.hand_committed.until.ToMicroseconds()
        assert await refused(running.player("p0").contribute("t1", 1, YOURS)) == "not_collecting"


async def test_bots_among_themselves_wait_for_nothing(serve: Any) -> None:
    async with serve(**LONG) as running:
        await running.rows.place("t1", people=0)
        await running.service().open("t1")
        dealt, committed = await wait_for(running, "hand_dealt"), await wait_for(running, "hand_committed")
        assert dealt.at == committed.at == committed.hand_committed.until
        assert not committed.hand_committed.awaited


async def test_a_player_who_leaves_is_not_waited_for(serve: Any) -> None:
    async with serve(heartbeat_seconds=1, **LONG) as running:
        await running.rows.place("t1", people=2)
        await running.service().open("t1")
        await running.player("p0").contribute("t1", 1, MINE)
        stream = running.player("p1").watch("t1")
        await stream.read()
        stream.cancel()
        dealt = await wait_for(running, "hand_dealt")
        assert list(dealt.hand_dealt.contributions)[:2] == [MINE, b""]


async def test_contributions_outlive_their_server(serve: Any, rows: Any) -> None:
    async with serve(**LONG) as running:
        await rows.place("t1", people=2)
        await running.service().open("t1")
        await running.player("p0").contribute("t1", 1, MINE)
    async with serve(**LONG) as running:
        await running.service().open("t1")
        assert await running.player("p0").contribute("t1", 1, MINE) == DUPLICATE
        assert await refused(running.player("p0").contribute("t1", 1, YOURS)) == "contribution_given"
        await running.player("p1").contribute("t1", 1, YOURS)
        dealt = await wait_for(running, "hand_dealt")
        assert list(dealt.hand_dealt.contributions)[:2] == [MINE, YOURS]


async def test_contributions_are_no_answers_to_the_first_question_of_the_hand(serve: Any, rows: Any) -> None:
    windows = {"answers_least_ms": 60_000, "answers_most_ms": 60_000}
    async with serve(**LONG, **windows) as running:
        await rows.place("t1", people=2)
        await running.service().open("t1")
        await running.player("p0").contribute("t1", 1, MINE)
        await running.player("p1").contribute("t1", 1, YOURS)
        await wait_for(running, "hand_dealt")
    before = await rows.folded("t1")
    assert (before.turn, before.hand_number) == (1, 1)
    assert before.window is not None
    async with serve(**LONG, **windows) as running:
        await running.service().open("t1")
        assert (await running.player("p0").observe("t1")).turn.number == 1


async def test_between_hands_nobody_is_asked_anything(serve_sqlite: Any) -> None:
    async with serve_sqlite(**LONG) as running:
        await running.rows.place("t1", people=1)
        await running.service().open("t1")
        seen = await running.player("p0").observe("t1")
        assert (seen.HasField("observation"), list(seen.legal_actions)) == (False, [])
        assert (seen.turn.seat_plus_one, seen.turn.HasField("deadline")) == (0, True)
        act = running.player("p0").act("t1", seen.turn.number, Action.parse("0 pass"))
        assert await refused(act) == "wrong_phase"


# At rest


async def test_the_database_holds_nothing_hidden_in_clear(serve_sqlite: Any, tmp_path: Path) -> None:
    async with serve_sqlite(**LONG) as running:
        await running.rows.place("t1", people=2)
        await running.service().open("t1")
        await running.player("p0").contribute("t1", 1, MINE)
        assert MINE not in at_rest(tmp_path)
        await running.player("p1").contribute("t1", 1, YOURS)
        dealt = (await wait_for(running, "hand_dealt")).hand_dealt
        secret = (await wait_for(running, "hand_committed")).hand_committed.secret
        kept = at_rest(tmp_path)
        for hidden in (secret, MINE, *(hand.SerializeToString()[:40] for hand in dealt.hands)):
            assert hidden not in kept
        assert b"t1" in kept


def at_rest(folder: Path) -> bytes:
    """All that the database's files hold."""
    return b"".join(file.read_bytes() for file in folder.glob("test.sqlite*"))


async def test_a_private_answer_cannot_be_told_from_its_row(serve: Any, fixed_deal: Any) -> None:
    fixed_deal(["KK3", "AAw5", "3", "224567", "AAw5", "3"])
    async with serve(answers_least_ms=60_000, answers_most_ms=60_000) as running:
        for table_id, answer in (("t1", "1 pass"), ("t2", "1 burn AA")):
            await running.rows.place(table_id, people=6)
            await running.service().open(table_id)
            await running.player("p0").act(table_id, 1, Action.parse("0 play KK"))
            await running.player("p1").act(table_id, 2, Action.parse(answer))
        rows = await running.rows.all(sa.select(table_commands).where(table_commands.c.seat == 1))
        assert len({(row.command_id, row.turn, row.seq, len(row.payload)) for row in rows}) == 1
        events = await running.rows.all(sa.select(table_events.c.event).where(table_events.c.table_id == "t1"))
        assert all(not readable(row.event) for row in events)


def readable(sealed: bytes) -> bool:
    """It is an event in clear."""
    try:
        return Event.FromString(sealed).WhichOneof("body") is not None
    except DecodeError:
        return False


# The client, and the record


async def test_clients_contribute_by_themselves_and_the_record_proves_the_deal(serve: Any) -> None:
    # Nobody acts here, and a seat that a bot plays on for is not waited for.
    quick = {"answers_least_ms": 0, "answers_most_ms": 1, "turn_ms": 20, "bank_ms": 0, "absent_after_expiries": 0}
    async with serve(contributions_ms=20_000, **quick) as running:
        await running.rows.place("t1", people=2, length={"hands": 2})
        clients = []
        for player in ("p0", "p1"):
            tokens = running.app.tokens.mint_player(player, player)
            who = Credentials(tokens.access_token, player_id=player)
            session = Session(running.app.address, who, patience=Patience(total=20))
            clients.append((session, At(session, "t1", running.app.address)))

        async def watch(client: TableClient) -> None:
            async for _ in client.watch():
                pass

        try:
            async with asyncio.timeout(60):
                await asyncio.gather(*(watch(client) for _, client in clients))
        finally:
            for session, _ in clients:
                await session.close()
        log = await running.rows.log("t1")
        record = record_of(log)
        for played in record.hands:
            assert [bool(given) for given in played.contributions] == [True, True, False, False, False, False]
        assert verify(record) == []
        assert [client.deals.doubts for _, client in clients] == [[], []]
        waits = [
            dealt.at.ToMicroseconds() - committed.at.ToMicroseconds()
            for committed, dealt in zip(kinds(log, "hand_committed"), kinds(log, "hand_dealt"), strict=True)
        ]
        assert max(waits) < 15_000_000


class At(TableClient):
    """A client that knows where the table is: there is no gateway here."""

    def __init__(self, session: Session, table_id: str, address: str) -> None:
        super().__init__(session, table_id)
        self._there = address

    async def locate(self) -> Server:
        return Server("", self._there)


def kinds(log: list[Event], kind: str) -> list[Event]:
    return [event for event in log if event.HasField(kind)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("forge", "doubt"),
    [
        (lambda log: None, ""),
        (lambda log: setattr(log[2].hand_dealt, "commitment", bytes(32)), "another commitment"),
        (lambda log: log[2].hand_dealt.contributions.__setitem__(1, YOURS), "not part of the deal"),
        (lambda log: setattr(log[3].hand_ended, "secret", bytes(32)), "does not fit the commitment"),
        (lambda log: log[3].hand_ended.hands[0].cards.pop(), "other cards than were dealt"),
    ],
)
def test_a_client_notices_a_table_that_breaks_its_word(forge: Any, doubt: str) -> None:
    watch, log = DealWatch(), honest_log()
    watch.take(log[0])
    watch.take(log[1])
    assert watch.waits_for("p1") == 1
    assert watch.waits_for("p0") == watch.waits_for("") == 0
    given = [b"", watch.own(1), *[b""] * 4]
    finish(log, given)
    watch.given(1)
    assert watch.waits_for("p1") == 0
    forge(log)
    for event in log[2:]:
        watch.take(event)
    assert bool(watch.doubts) == bool(doubt)
    assert doubt in "".join(watch.doubts)


SECRET = bytes(range(32))


def honest_log() -> list[Event]:
    """The beginning of a match, up to the commitment."""
    seats = [events_pb2.Seat(player_id=f"p{seat}") for seat in range(6)]
    opened = events_pb2.TableOpened(table_id="t1", match=1, seats=seats)
    committed = events_pb2.HandCommitted(commitment=commitment(SECRET, "t1", 1, 1), awaited=[1])
    return [Event(sequence=1, table_opened=opened), Event(sequence=2, hand=1, hand_committed=committed)]


def finish(log: list[Event], given: list[bytes]) -> None:
    """Deal and end the hand."""
    cards, _ = deal_cards(RuleSet.parse("standard"), deal_seed(SECRET, "t1", 1, 1, given), 0)
    dealt = events_pb2.HandDealt(commitment=commitment(SECRET, "t1", 1, 1), contributions=given)
    hands = [events_pb2.DealtHand(cards=map(card_to_proto, hand)) for hand in cards]
    log.append(Event(sequence=3, hand=1, hand_dealt=dealt))
    log.append(Event(sequence=4, hand=1, hand_ended=events_pb2.HandEnded(secret=SECRET, hands=hands)))


def test_no_client_can_choose_the_id_of_a_contribution() -> None:
    assert not contribution_id(1).isprintable()
    assert bytes(32) == DEFAULT_CONTRIBUTION
