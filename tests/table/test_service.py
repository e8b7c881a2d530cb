"""Commands and questions over real gRPC: each answer and each refusal by status and reason."""

import asyncio
import random
from collections.abc import Callable, Sequence
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.engine import Action
from gouji.serving.errors import Refusal, ServiceError, refusal_of
from gouji.serving.schema import table_servers, tables
from gouji.serving.testing import until
from gouji.table.commands import CommandQueue
from gouji.v1 import actions_pb2, cards_pb2, observation_pb2, reasons_pb2, table_pb2
from gouji.wire import action_to_proto

ONE_BURNER = ["KK3", "AAw5599", "3", "224567", "3", "3"]
LEAD, PASS = Action.parse("0 play KK"), Action.parse("0 pass")


async def refused(call: Any) -> tuple[grpc.StatusCode, str]:
    """Give status and reason of a call that fails."""
    error, refusal = await refusal_from(call)
    return error.code(), refusal.reason


async def refusal_from(call: Any) -> tuple[grpc.aio.AioRpcError, Refusal]:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    refusal = refusal_of(failed.value)
    assert refusal is not None, failed.value
    return failed.value, refusal


async def kept(running: Any, table_id: str) -> tuple[Sequence[Any], Sequence[Any]]:
    return await running.rows.log(table_id), await running.rows.commands(table_id)


@pytest.fixture
async def people(serve: Any, fixed_deal: Callable[..., None]) -> Any:
    """A server with table t1, where six people hold the cards of ONE_BURNER and p0 is to lead."""
    fixed_deal(ONE_BURNER)
    async with serve(answers_least_ms=60_000, answers_most_ms=60_000) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        await running.player("p0").observe("t1")  # answered once what opens the table is in the log
        yield running


async def test_a_command_is_done_once_and_answered_the_same_again(people: Any) -> None:
    player = people.player("p0")
    done = await player.act("t1", 1, LEAD)
    assert done.outcome == table_pb2.OUTCOME_DONE
    log = await people.rows.log("t1")
    assert (done.sequence, log[-1].action_taken.seat) == (log[-1].sequence, 0)
    before = await kept(people, "t1")
    again = await player.act("t1", 1, LEAD)
    assert (again.outcome, again.sequence) == (table_pb2.OUTCOME_DUPLICATE, done.sequence)
    assert await kept(people, "t1") == before


async def test_the_same_command_sent_many_times_at_once_is_done_once(people: Any) -> None:
    player = people.player("p0")
    answers = await asyncio.gather(*(player.act("t1", 1, LEAD) for _ in range(30)))
    outcomes = sorted(answer.outcome for answer in answers)
    assert outcomes == [table_pb2.OUTCOME_DONE, *[table_pb2.OUTCOME_DUPLICATE] * 29]
    assert len({answer.sequence for answer in answers}) == 1


async def test_another_command_under_the_same_id_is_refused(people: Any) -> None:
    player = people.player("p0")
    await player.act("t1", 1, LEAD)
    before = await kept(people, "t1")
    reused = (grpc.StatusCode.INVALID_ARGUMENT, "command_id_reused")
    assert await refused(player.act("t1", 2, LEAD)) == reused
    assert await refused(player.act("t1", 1, PASS)) == reused
    assert await kept(people, "t1") == before


async def test_ids_are_each_seats_own(people: Any) -> None:
    await people.player("p0").act("t1", 1, LEAD)
    answer = await people.player("p1").act("t1", 2, Action.parse("1 pass"))
    assert (answer.outcome, answer.sequence) == (table_pb2.OUTCOME_DONE, 0)


@pytest.mark.parametrize("turn", [0, 2, 99])
async def test_a_command_for_another_turn_is_stale_and_told_the_turn(people: Any, turn: int) -> None:
    before = await kept(people, "t1")
    error, refusal = await refusal_from(people.player("p0").act("t1", turn, LEAD))
    assert (error.code(), refusal.reason) == (grpc.StatusCode.ABORTED, "stale_turn")
    assert refusal.metadata["turn"] == "1"
    assert await kept(people, "t1") == before


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        ("1 play AA", grpc.StatusCode.FAILED_PRECONDITION, "not_your_turn"),
        ("0 play AA", grpc.StatusCode.INVALID_ARGUMENT, "cards_not_held"),
        ("0 play KK3", grpc.StatusCode.INVALID_ARGUMENT, "not_one_base"),
        ("0 pass", grpc.StatusCode.FAILED_PRECONDITION, "must_lead"),
        ("0 feel", grpc.StatusCode.FAILED_PRECONDITION, "wrong_phase"),
        ("0 pay W", grpc.StatusCode.FAILED_PRECONDITION, "wrong_phase"),
        ("0 burn KK", grpc.StatusCode.FAILED_PRECONDITION, "burn_not_allowed"),
    ],
)
async def test_what_the_rules_refuse_leaves_no_trace_and_is_judged_anew(
    people: Any, text: str, status: grpc.StatusCode, reason: str
) -> None:
    action = Action.parse(text)
    before = await kept(people, "t1")
    assert await refused(people.player(f"p{action.seat}").act("t1", 1, action)) == (status, reason)
    assert await kept(people, "t1") == before
    if action.seat == 0:
        assert (await people.player("p0").act("t1", 1, LEAD)).outcome == table_pb2.OUTCOME_DONE


def command(**changes: Any) -> table_pb2.ActRequest:
    plain: dict[str, Any] = {"table_id": "t1", "command_id": "c1", "turn": 1, "action": action_to_proto(LEAD)}
    return table_pb2.ActRequest(**(plain | changes))


def play(*ranks: int) -> actions_pb2.Action:
    return actions_pb2.Action(play=actions_pb2.Play(cards=cards_pb2.Cards(ranks=ranks)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "request_",
    [
        command(command_id=""),
        command(command_id="x" * 65),
        command(command_id="a\0b"),
        command(action=None),
        command(action=actions_pb2.Action()),
        command(action=play()),
        command(action=play(0)),
        command(action=play(1, 16)),
        command(action=play(*[11] * 55)),
        command(action=actions_pb2.Action(choose_last=actions_pb2.ChooseLast(seat=6))),
    ],
)
async def test_what_cannot_be_read_is_malformed(people: Any, request_: table_pb2.ActRequest) -> None:
    before = await kept(people, "t1")
    malformed = (grpc.StatusCode.INVALID_ARGUMENT, "malformed")
    assert await refused(people.player("p0").send(request_)) == malformed
    assert await kept(people, "t1") == before


async def test_who_does_not_sit_there_may_watch_and_not_act(people: Any) -> None:
    stranger = people.player("stranger")
    not_seated = (grpc.StatusCode.PERMISSION_DENIED, "not_seated")
    assert await refused(stranger.act("t1", 1, LEAD)) == not_seated
    seen = await stranger.observe("t1")
    assert (seen.observation.viewer_plus_one, list(seen.observation.cards)) == (0, [])
    assert not seen.legal_actions


async def test_a_table_that_is_not_there_is_unknown(people: Any) -> None:
    unknown = (grpc.StatusCode.NOT_FOUND, "unknown_table")
    player = people.player("p0")
    assert await refused(player.act("t9", 1, LEAD)) == unknown
    assert await refused(player.observe("t9")) == unknown
    assert await refused(player.watch("t9").read()) == unknown
    assert not (await people.service().open("t9")).already_open


async def test_a_table_of_another_server_is_refused_with_its_address(people: Any) -> None:
    await people.rows.place("t2", people=6)
    lease = {"server_id": "other", "address": "far.example:7100", "capacity": 1, "expires_at": 2**62}
    await people.rows.execute(sa.insert(table_servers).values(**lease))
    await people.rows.execute(
        sa.update(tables).where(tables.c.table_id == "t2").values(owner="other", state="live", fence=5)
    )
    for call in (people.player("p0").act("t2", 1, LEAD), people.player("p0").observe("t2")):
        error, refusal = await refusal_from(call)
        assert (error.code(), refusal.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "wrong_server")
        assert refusal.metadata["address"] == "far.example:7100"


async def test_roles_decide_who_may_call_what(people: Any) -> None:
    forbidden = (grpc.StatusCode.PERMISSION_DENIED, "forbidden")
    assert await refused(people.player("p0").open("t1")) == forbidden
    assert await refused(people.service().observe("t1")) == forbidden
    assert await refused(people.operator().act("t1", 1, LEAD)) == forbidden
    assert (await people.service().open("t1")).already_open
    assert (await people.operator().observe("t1")).observation.viewer_plus_one == 0


async def test_a_seat_observes_its_cards_and_what_it_may_do(people: Any) -> None:
    seen = await people.player("p0").observe("t1")
    assert (seen.turn.number, seen.turn.seat_plus_one) == (1, 1)
    assert seen.turn.question == observation_pb2.QUESTION_LEAD
    assert action_to_proto(LEAD) in seen.legal_actions
    assert len(seen.observation.cards) == 3
    assert [seat.player_id for seat in seen.seats] == [f"p{n}" for n in range(6)]
    assert (seen.last_sequence, seen.over) == (3, False)
    other = await people.player("p1").observe("t1")
    assert (other.turn.seat_plus_one, other.turn.question, list(other.legal_actions)) == (1, 0, [])
    spectated = await people.player("p0").observe("t1", spectate=True)
    assert (spectated.observation.viewer_plus_one, list(spectated.legal_actions)) == (0, [])


async def test_a_page_asks_briefly_and_learns_what_would_become_of_a_move(people: Any) -> None:
    whole = await people.player("p0").observe("t1")
    assert whole.observation.HasField("history")
    assert whole.observation.position
    assert whole.default_action in whole.legal_actions
    lawful = await people.player("p0").observe("t1", brief=True, proposed=action_to_proto(LEAD))
    assert lawful.refusal == reasons_pb2.REASON_UNSPECIFIED
    assert not lawful.observation.HasField("history")
    assert not lawful.observation.position
    passing = action_to_proto(Action.parse("0 pass"))
    assert (await people.player("p0").observe("t1", proposed=passing)).refusal == reasons_pb2.REASON_MUST_LEAD
    for other in (people.player("p1"), people.operator()):
        seen = await other.observe("t1", proposed=action_to_proto(LEAD))
        assert seen.refusal == reasons_pb2.REASON_NOT_YOUR_TURN
        assert not seen.HasField("default_action")
    assert await refused(people.player("p0").observe("t1", proposed=actions_pb2.Action())) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "malformed",
    )


async def test_a_private_question_is_seen_by_its_seat_alone(people: Any) -> None:
    await people.player("p0").act("t1", 1, LEAD)
    for seat in range(6):
        seen = await people.player(f"p{seat}").observe("t1")
        assert seen.turn.answers_open
        assert seen.observation.answers_open
        assert (seen.turn.seat_plus_one, bool(seen.legal_actions)) == ((2, True) if seat == 1 else (0, False))
    assert await refused(people.player("p3").act("t1", 2, Action.parse("3 play 22"))) == (
        grpc.StatusCode.FAILED_PRECONDITION,
        "not_your_turn",
    )
    burn = Action.parse("1 burn AA")
    done = await people.player("p1").act("t1", 2, burn)
    assert (done.outcome, done.sequence) == (table_pb2.OUTCOME_DONE, 0)
    await people.end_answers("t1")
    log = await people.rows.log("t1")
    assert (log[-1].action_taken.seat, log[-1].action_taken.action) == (1, action_to_proto(burn))


async def test_a_decline_is_kept_and_shown_to_nobody(people: Any) -> None:
    await people.player("p0").act("t1", 1, LEAD)
    before = await people.rows.log("t1")
    decline = Action.parse("1 pass")
    first = await people.player("p1").act("t1", 2, decline)
    again = await people.player("p1").act("t1", 2, decline)
    assert (first.outcome, first.sequence) == (table_pb2.OUTCOME_DONE, 0)
    assert (again.outcome, again.sequence) == (table_pb2.OUTCOME_DUPLICATE, 0)
    assert await people.rows.log("t1") == before
    assert [(row.seat, row.seq) for row in await people.rows.commands("t1") if row.seat == 1] == [(1, 0)]
    assert not (await people.player("p1").observe("t1")).turn.question


async def test_while_a_sealed_answer_is_written_others_wait_for_nothing(
    people: Any, hold_commits: Callable[[], asyncio.Event]
) -> None:
    await people.player("p0").act("t1", 1, LEAD)
    may_commit = hold_commits()
    decline = Action.parse("1 pass")
    declining = [asyncio.create_task(people.player("p1").act("t1", 2, decline)) for _ in range(2)]
    live = await people.host.find("t1")
    await until(lambda: not live.table.asking.questions)
    assert (await people.player("p2").observe("t1")).turn.answers_open
    refusal = await refused(people.player("p2").act("t1", 2, Action.parse("2 pass")))
    assert refusal == (grpc.StatusCode.FAILED_PRECONDITION, "not_your_turn")
    assert not any(task.done() for task in declining)
    may_commit.set()
    outcomes = {(await task).outcome for task in declining}
    assert outcomes == {table_pb2.OUTCOME_DONE, table_pb2.OUTCOME_DUPLICATE}


@pytest.fixture
async def over(serve: Any, fixed_deal: Callable[..., None]) -> Any:
    """A server with table t1, whose match p0 has ended with its one play; `last` is that command."""
    fixed_deal(["K", "", "3", "5", "", "4"], finished=[4, 1])
    async with serve() as running:
        await running.rows.place("t1", people=6, rules={"revolution": "off"})
        player, turn = running.player("p0"), 1
        while (await running.rows.table("t1")).state != "over":
            for seat in range(6):
                seen = await running.player(f"p{seat}").observe("t1")
                if seen.turn.question and not seen.over:
                    turn = seen.turn.number
                    request = command(command_id=f"c{turn}", turn=turn, action=seen.legal_actions[0])
                    player = running.player(f"p{seat}")
                    await player.send(request)
        yield running, player, request


async def test_a_table_that_is_over_takes_no_command_but_knows_those_it_took(over: Any) -> None:
    running, player, last = over
    refusal = (grpc.StatusCode.FAILED_PRECONDITION, "table_over")
    assert await refused(player.act("t1", 99, LEAD, command_id="new")) == refusal
    again = await player.send(last)
    assert (again.outcome, again.sequence > 0) == (table_pb2.OUTCOME_DUPLICATE, True)
    changed = table_pb2.ActRequest(table_id="t1", command_id=last.command_id, turn=1, action=play(1))
    assert (await refused(player.send(changed)))[1] == "command_id_reused"
    assert (await refused(running.player("stranger").act("t1", 1, LEAD)))[1] == "not_seated"


async def test_a_table_that_is_over_is_observed_and_watched_from_its_log(over: Any) -> None:
    running, _, _ = over
    log = await running.rows.log("t1")
    seen = await running.player("p2").observe("t1")
    assert seen.over
    assert seen.observation.phase == observation_pb2.PHASE_OVER
    assert seen.last_sequence == len(log)
    events = await running.player("p2").events("t1", 3)
    assert [event.sequence for event in events] == list(range(3, len(log) + 1))
    assert (await running.operator().events("t1", len(log) + 1)) == []
    assert (await refused(running.player("p2").watch("t1", len(log) + 2).read()))[1] == "resume_from"


async def test_commands_are_counted_by_outcome_and_reason(people: Any) -> None:
    player = people.player("p0")
    await refused(player.act("t1", 9, LEAD))
    await player.act("t1", 1, LEAD)
    await player.act("t1", 1, LEAD)
    for outcome in ("stale_turn", "OUTCOME_DONE", "OUTCOME_DUPLICATE"):
        assert people.metric("gouji_table_commands_total", outcome=outcome) == 1


async def test_no_log_line_names_a_card(people: Any) -> None:
    player, chance = people.player("p0"), random.Random(1)
    await player.act("t1", *(await player.legal("t1", chance)))
    await refused(player.act("t1", 1, PASS, command_id="c2"))
    text = str(people.lines)
    assert "Act" in text
    assert not any(word in text for word in ("KK", "RANK_", "AAw", "cards"))


async def test_a_command_too_many_is_refused_with_a_delay_and_leaves_no_trace(
    serve: Any, fixed_deal: Callable[..., None], hold_commits: Callable[[], asyncio.Event]
) -> None:
    fixed_deal(ONE_BURNER)
    async with serve(most_commands_waiting=2) as running:
        await running.rows.place("t1", people=6)
        await running.service().open("t1")
        player = running.player("p0")
        may_commit = hold_commits()
        calls = [asyncio.create_task(player.act("t1", 1, LEAD, "c1")) for _ in range(2)]
        here = {"service": "gouji.v1.TableService", "method": "Act"}
        await until(lambda: running.metric("gouji_rpcs_open", **here) == 2)
        error, refusal = await refusal_from(player.act("t1", 1, LEAD, "c2"))
        assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert (refusal.reason, refusal.retry_after_ms) == ("overloaded", 500)
        may_commit.set()
        outcomes = sorted([(await call).outcome for call in calls])
        assert outcomes == [table_pb2.OUTCOME_DONE, table_pb2.OUTCOME_DUPLICATE]
        assert [row.command_id for row in await running.rows.commands("t1")] == ["c1"]


def test_commands_that_wait_are_bounded_in_the_process_and_at_each_table() -> None:
    queue = CommandQueue(most=3, most_at_a_table=2)
    with queue.waiting("t1"), queue.waiting("t1"):
        with pytest.raises(ServiceError, match="overloaded"), queue.waiting("t1"):
            pass
        with queue.waiting("t2"), pytest.raises(ServiceError, match="overloaded"), queue.waiting("t3"):
            pass
        with queue.waiting("t3"):
            pass
    with queue.waiting("t1"):
        pass
