"""Cards that somebody may not see change nothing of what it receives: not a byte, and not when it comes."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from gouji.engine import Action
from gouji.engine.secret import NO_CONTRIBUTIONS, deal_seed
from gouji.serving.spans import Spans
from gouji.serving.testing import ManualClock
from gouji.table import projection
from gouji.table.asking import Act
from gouji.table.projection import turn
from gouji.table.table import Table
from gouji.v1 import rules_pb2

from .replay import BEGAN, CLOCK, PLAYER, RULES, Line, Play, Swap, dealing, do, follow, opened
from .swaps import Comparison
from .witness import TIMES, VIEWER, Script, Witness, kinds
from .witness import Line as Heard

SECRET = bytes(range(32))


@dataclass
class Account:
    """What was received at one table."""

    seen: list[Heard]
    operators: list[Heard]
    log: list[str]
    metrics: list[str]
    spans: list[str]
    dealt: list[Any]


@pytest.fixture
def account(serve_sqlite: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Plays a script at a table of its own and gives the account; every draw of chance is the same each time."""
    same = SimpleNamespace(token_bytes=lambda size: SECRET[:size], token_hex=lambda size: "0" * 2 * size)
    for module in ("host", "lease", "quarantine"):
        monkeypatch.setattr(f"gouji.table.{module}.secrets", same)
    number = iter(range(100))

    async def play(moves: Sequence[Action | None], *, ask_every: int = 9, **spec: Any) -> Account:
        clock = ManualClock()
        url = f"sqlite:///{tmp_path}/{next(number)}.sqlite"
        exporter = InMemorySpanExporter()
        tracing = Spans(SimpleSpanProcessor(exporter), "test", 100)
        async with serve_sqlite(clock=clock, tracing=tracing, database_url=url, **TIMES) as running:
            witness = Witness(running, clock, exporter)
            script = Script(witness, running)
            await script.begin(**spec)
            await script.play(moves, ask_every=ask_every)
            log, metrics = witness.log_lines(), await witness.metrics()
            with monkeypatch.context() as patch:
                patch.setattr(Table, "decide", fail)
                await script.stopped()
            dealt = [event.hand_dealt for event in await running.rows.log("t1") if event.HasField("hand_dealt")]
            # What the fault has added, without the moments at which streams noticed.
            log += [line for line in witness.log_lines() if "table_" in line]
            return Account(witness.seen, witness.operators, log, metrics, witness.spans(), dealt)

    return play


def fail(table: Table, *_: Any) -> None:
    """Fail with a text that quotes all hands."""
    assert table.hand is not None
    raise RuntimeError(f"cannot decide between {table.hand.hands}")


def assert_same(one: Sequence[Any], other: Sequence[Any]) -> None:
    """Compare line by line, so that the first that differs is told."""
    for mine, again in zip(one, other, strict=False):
        assert mine == again
    assert len(one) == len(other)


@dataclass
class Deals:
    """Two deals of the same rules on which the same moves are lawful, and open the same."""

    moves: list[Action | None]
    seed: bytes
    swap: Swap

    def dealing(self, *, swapped: bool) -> AbstractContextManager[None]:
        """Have one of the two dealt."""
        return dealing(self.swap if swapped else None, always=self.seed)


def two_deals(rules: str, seed: int, count: int) -> Deals:
    """Find a swap after which so many moves are taken, or refused, as before."""
    chance = random.Random(seed)
    play = Play(lambda: opened(RULES[rules]), BEGAN, chance, idle=0)
    moves = play.moves[:count]
    while True:
        swap = play.draw_swap(chance, VIEWER, late=True)
        if swap is not None and swap[1].rank != swap[3].rank and all(taken_alike(play, swap, moves)):
            dealt_from = deal_seed(play.secret, "t1", 1, 1, NO_CONTRIBUTIONS)
            return Deals([act.action if act else None for _, act in moves], dealt_from, swap)


def taken_alike(play: Play, swap: Swap, moves: Sequence[Any]) -> Iterator[bool]:
    original, twin = Line(play, None), Line(play, swap)
    for move in moves:
        yield original.do(move) == twin.do(move) and twin.shows_the_same(original)


@pytest.mark.parametrize(
    ("rules", "spec"),
    [
        ("standard", {}),
        ("lianzhong", {}),
        ("shandong_64", {"spectator_delay": rules_pb2.Delay(moves=2)}),
    ],
    ids=["standard", "lianzhong", "shandong_64, spectators behind"],
)
async def test_cards_swapped_between_others_change_nothing_that_anybody_else_receives(
    account: Any, rules: str, spec: Any
) -> None:
    deals = two_deals(rules, 5, 18)
    accounts = []
    for swapped in (False, True):
        with deals.dealing(swapped=swapped):
            accounts.append(await account(deals.moves, rules=rules, **spec))
    one, other = accounts
    assert one.dealt != other.dealt
    assert_same(one.seen, other.seen)
    assert_same(one.operators, other.operators)
    assert_same(one.log, other.log)
    assert_same(one.metrics, other.metrics)
    assert_same(one.spans, other.spans)
    assert_full(one)
    assert_no_hand(one)


def assert_no_hand(account: Account) -> None:
    """No line or span quotes a hand, or any cards at all: their words are written nowhere."""
    quoted = re.compile(r"cards|action|\bhands?\b(?!', \d)|b'[^']")
    assert [line for line in account.log + account.spans if quoted.search(line.replace("cards_not_held", ""))] == []


def assert_full(account: Account) -> None:
    """An account has all kinds of answers, messages and refusals, so that none is left out unseen."""
    assert kinds(account.seen) >= RECEIVED
    assert kinds(account.operators) >= {"ListTables operator", "ShowTable operator", "ExportTable operator"}
    said = b"".join(text for _, _, text in account.seen).decode(errors="replace")
    assert [reason for reason in REFUSED if reason not in said] == []
    [failed] = [line for line in account.log if "table_failed" in line]
    assert all(f"('{name}', " in failed for name in ("table", "hand", "turn"))
    assert any("'Act'" in line and "('turn', " in line and "('table', 't1')" in line for line in account.log)
    assert any("TableService/Act" in span for span in account.spans)


RECEIVED = {
    *(
        "watch seat",
        "watch spectator",
        "watch again",
        "watch from 3",
        "watch spectator now",
        "end seat",
        "end spectator",
    ),
    *(f"Observe {who}" for who in (f"p{VIEWER}", "stranger", "nobody", "forger", "service")),
    *(f"{method} p{VIEWER}" for method in ("Act", "Say", "Mute", "VoteHand", "Ready", "TakeSeat", "Leave")),
    *(f"{method} p{VIEWER}" for method in ("Contribute", "ListPhrases", "ListTables", "ShowTable", "ExportTable")),
    *(f"{method} stranger" for method in ("Contribute", "TakeSeat", "Leave")),
}
"""What a seat, spectators and strangers are sent, by kind and by whom."""

REFUSED = (
    *("not_your_turn", "stale_turn", "other_device", "not_seated", "not_collecting", "contribution_given", "malformed"),
    *("too_often", "command_id_reused", "match_not_over", "hand_over", "forbidden", "token_missing", "token_invalid"),
    "table_frozen",
)
"""Reasons that a script of `Script` is refused with."""

POSITIONS = {
    "a burn": (
        ["KK3", "AAw5599", "3345", "224567", "3399", "3388"],
        ["KK3", "AA35599", "3345", "224567", "w399", "3388"],
    ),
    "a revolt": (["wKK3", "3456", "w345", "w345", "w345", "ww35"], ["wKK3", "w456", "w345", "w345", "w345", "w335"]),
}
"""Hands in which seat 1 may burn what seat 0 leads, or revolt, and the same but for a swap, so that nobody may."""

PHASES = {"a burn": "play", "a revolt": "revolt"}

MOVES = {
    "a burn": ([Action.parse("0 play KK")], Action.parse("1 pass"), Action.parse("3 pass")),
    "a revolt": ([], Action.parse("1 stay"), Action.parse("0 play KK")),
}
"""What comes before the private question, how it is declined, and what comes after."""


@pytest.mark.parametrize("question", ["a burn", "a revolt"])
@pytest.mark.parametrize("answered", [False, True], ids=["unanswered", "declined"])
async def test_nobody_else_can_tell_whether_a_seat_may_burn_or_revolt(
    account: Any, fixed_deal: Callable[..., None], question: str, answered: bool
) -> None:
    accounts = []
    for hands in POSITIONS[question]:
        fixed_deal(hands, phase=PHASES[question])
        before, decline, after = MOVES[question]
        moves = [*before, *([decline] if answered else []), None, after]
        accounts.append(await account(moves, ask_every=2, rules="standard"))
    one, other = accounts
    assert one.dealt != other.dealt
    assert_same(one.seen, other.seen)
    assert_same(one.operators, other.operators)
    if not answered:
        # Who answers calls, and that calls are made is the operators' to know.
        assert_same(one.log, other.log)
        assert_same(one.metrics, other.metrics)
        assert_same(one.spans, other.spans)


def times(table: Table, question: str, secret: bytes, answer: str, after_us: int) -> list[int]:
    """Put a question at a table, answer it so long after it was put, and give all moments that show."""
    follow(table, BEGAN, secret)
    if question == "a burn":
        do(table, act(table, "0 play KK"), BEGAN, secret)
    moments = [turn(table.asking, viewer).deadline.ToMicroseconds() for viewer in (VIEWER, None)]
    if answer and table.hand_asking(1) is not None:
        assert do(table, act(table, answer), BEGAN + after_us, secret) == []
    due = table.next_moment
    assert due is not None
    assert follow(table, due - 1, secret) == []
    closed, *_ = follow(table, due, secret)
    return [*moments, due, closed.at.ToMicroseconds(), closed.sequence]


def act(table: Table, text: str) -> Act:
    action = Action.parse(text)
    return Act(action.seat, table.turn, action, PLAYER)


@pytest.mark.parametrize(
    ("question", "answers"),
    [("a burn", ["", "1 pass", "1 burn AA"]), ("a revolt", ["", "1 stay", "1 revolt"])],
    ids=["a burn", "a revolt"],
)
def test_how_long_answers_are_open_hangs_on_the_secret_alone(
    fixed_deal: Callable[..., None], question: str, answers: list[str]
) -> None:
    chance, lengths = random.Random(4), []
    for _ in range(200):
        secret, after = chance.randbytes(32), chance.randrange(1_400_000)
        fixed_deal(POSITIONS[question][1], phase=PHASES[question])
        nobody = times(opened(RULES["standard"]), question, secret, "", 0)
        fixed_deal(POSITIONS[question][0], phase=PHASES[question])
        for answer in answers:
            assert times(opened(RULES["standard"]), question, secret, answer, after) == nobody
        lengths.append((nobody[0] - BEGAN) // 1000)
    assert min(lengths) < CLOCK.answers_least_ms + 50
    assert max(lengths) > CLOCK.answers_most_ms - 50


@pytest.mark.parametrize("rules", ["standard", "free_for_all", "lianzhong"])
def test_at_tables_cards_swapped_between_others_change_nothing_that_a_viewer_can_be_sent(rules: str) -> None:
    comparison = Comparison(rules, 30, dealt=6, late=3, often=0.05)
    comparison.match(1, hands=2)
    for phase in {phase for phase, _ in comparison.counted}:
        assert comparison.counted[phase, "hand_dealt" if phase == "deal" else "observe"] >= 5
    assert comparison.counted["play", "action_taken"] >= 10


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection, "_own", lambda hands, _viewer: hands)
    with pytest.raises(AssertionError, match="hand_dealt"):
        Comparison("standard", 10, dealt=6).match(1, hands=1)
