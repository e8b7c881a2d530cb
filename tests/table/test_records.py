"""A table's log as a record: all of a hand once it is over, and nothing hidden before."""

from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from gouji.engine import EngineError
from gouji.engine.record_text import format_record, parse_record
from gouji.engine.records import HandRecord, Player, examine, verify
from gouji.table.records import record_of
from gouji.v1 import events_pb2
from gouji.v1.events_pb2 import Event

RANDOM = ("random", "random", "random")
RULES = [
    {"preset": "standard", "opening": "true", "calls": "true", "tribute_kinds": "point burn", "doubles_called": "true"},
    {"preset": "qingdao", "redeal_on_request": "true", "may_decline_tribute": "true"},
    {"preset": "free_for_all", "lay_off": "true", "feel": "2", "report": "on_request"},
    {"preset": "standard", "last_by": "choice", "decks": "6"},
]


@pytest.fixture(scope="module")
def tables(load_script: Callable[[Path], ModuleType]) -> ModuleType:
    """The tables in memory at which the golden records were made."""
    return load_script(Path(__file__).resolve().parents[1] / "records/make.py")


def played_out(tables: ModuleType, rules: object = "standard", **game: Any) -> list[Event]:
    playing = tables.Playing("t1", tables.Game(rules, **game))
    while not playing.table.ended:
        playing.move()
    log: list[Event] = playing.log
    return log


@pytest.mark.parametrize("rules", RULES, ids=",".join)
@pytest.mark.parametrize("people", [0, 3])
def test_the_record_of_a_log_is_right(tables: ModuleType, rules: dict[str, str], people: int) -> None:
    for chance in range(3):
        game = {"secrets": chance, "chance": chance, "people": people, "hands": 2, "levels": RANDOM}
        record = record_of(played_out(tables, rules, **game))
        assert verify(record) == []
        assert [check for check in examine(record) if check.skipped] == []
        assert parse_record(format_record(record)) == record


def test_a_hand_that_is_still_played_shows_its_commitment_and_leader_alone(tables: ModuleType) -> None:
    playing = tables.Playing("t1", tables.Game("qingdao", hands=2, people=3, levels=RANDOM))
    seen = set()
    while not playing.table.ended:
        playing.move()
        last = playing.log[-1]
        if playing.table.ended or len(playing.log) % 23:
            continue
        dealt = [event for event in playing.log if event.HasField("hand_dealt")][-1]
        committed = [event for event in playing.log if event.HasField("hand_committed")][-1]
        record = record_of(playing.log)
        assert record.total is None
        shown = HandRecord(
            last.hand,
            dealt.hand_dealt.first_leader,
            dealt.hand_dealt.commitment,
            contributions=tuple(dealt.hand_dealt.contributions),
            began=dealt.at.ToDatetime(UTC),
        )
        assert record.hands[-1] == shown
        assert committed.hand_committed.secret.hex() not in format_record(record)
        assert verify(record) == []
        seen.add(last.hand)
    assert seen == {1, 2}


def test_the_cards_of_a_running_hand_do_not_change_its_record(tables: ModuleType) -> None:
    texts = set()
    for secrets in (1, 2):
        playing = tables.Playing("t1", tables.Game("lianzhong", secrets=secrets, people=3))
        text = format_record(record_of(playing.log))
        texts.add(text.replace(playing.log[-1].hand_dealt.commitment.hex(), "the commitment"))
    assert len(texts) == 1


def test_a_stopped_table_tells_no_more_than_it_showed(tables: ModuleType) -> None:
    playing = tables.Playing("t1", tables.Game("standard"))
    for _ in range(30):
        playing.move()
    frozen = playing.table.freeze("abc", playing.now)
    record = record_of([*playing.log, frozen])
    assert (record.hands[-1].result, record.total) == (None, None)


def test_who_decided_in_a_seats_place_is_written_down(tables: ModuleType) -> None:
    log = played_out(tables, people=3, levels=RANDOM)
    record = record_of(log)
    decided = [entry for event in log for entry in (event.action_taken, *event.action_taken.declines,
               *event.answers_closed.declines) if entry.decided_by]  # fmt: skip
    marks = [move.by for move in record.hands[0].moves if move.action]
    assert marks.count("clock") == sum(entry.decided_by == events_pb2.DECIDED_BY_CLOCK for entry in decided) > 0
    assert marks.count("bot") == sum(
        entry.decided_by == events_pb2.DECIDED_BY_BOT and entry.seat < 3 for entry in decided
    ) > 0  # fmt: skip
    assert marks.count("player") == 0


def test_the_header_says_who_played_what(tables: ModuleType) -> None:
    log = played_out(tables, people=1)
    log[0].table_opened.seats[0].name = ""
    log[0].table_opened.length.target = 1
    log[0].table_opened.rules_version = 7
    record = record_of(log)
    assert record.players[:2] == (Player("p0"), Player("", "greedy"))
    assert (record.table, record.length, record.target, record.rules_version) == ("t1", None, 1, 7)
    assert record.started is not None
    assert record.started.isoformat() == "2025-11-30T08:00:00+00:00"


def test_what_a_log_says_of_scores_is_checked(tables: ModuleType) -> None:
    log = played_out(tables)
    next(event for event in log if event.HasField("hand_ended")).hand_ended.scores[0] += 1
    assert {check.what for check in verify(record_of(log))} == {"scores"}


def test_what_is_no_log_has_no_record(tables: ModuleType) -> None:
    log = played_out(tables)
    for broken in ([], log[1:], [log[0], *log[2:]], [*log[:3], *log[4:]]):
        with pytest.raises((ValueError, EngineError)):
            record_of(broken)
