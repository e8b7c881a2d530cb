"""`gouji replay FILE`: tell the game of a record."""

from collections.abc import Iterable, Iterator

import typer

from gouji.cli.narrate import LEGEND, NOT_OVER, STILL_PLAYED, Scribe, deal
from gouji.cli.record_file import RecordFile, read_record
from gouji.engine.records import BrokenRecord, HandRecord, Player, Record, Result, Step
from gouji.engine.records import replay as play_again
from gouji.v1.consequences_pb2 import Consequence
from gouji.v1.events_pb2 import (
    ActionTaken,
    AnswersClosed,
    DealtHand,
    Event,
    HandDealt,
    HandEnded,
    MatchEnded,
    Seat,
    TableOpened,
)
from gouji.v1.rules_pb2 import MatchLength
from gouji.wire import action_to_proto, card_to_proto, consequences_to_proto, rules_to_proto


def replay(file: RecordFile) -> None:
    """Play the game of a record again and tell it a trick a line.

    Exits with 1 for a record that cannot be played, 2 for a file that cannot be read. What the record says of deals and
    results is told as it says it: `gouji verify` checks it.
    """
    record = read_record(file)
    typer.echo(LEGEND)
    try:
        for line in tell(record):
            typer.echo(line)
    except BrokenRecord as broken:
        typer.echo(f"The record cannot be played on: {broken}.", err=True)
        raise typer.Exit(1) from None


def tell(record: Record) -> Iterator[str]:
    """Tell a record. Raises `BrokenRecord` where it cannot be played on."""
    scribe = Scribe()
    yield from scribe.write(Event(table_opened=_opened(record)))
    for step in play_again(record):
        yield from scribe.write(_event(step))
        if step.move is None:
            yield from deal(_hands(step.played))
        if step.hand.over and step.played.result:
            yield from scribe.write(Event(hand=step.played.number, hand_ended=_ended(step.played.result)))
    for played in record.hands:
        if played.in_play:
            yield from [*scribe.write(Event(hand=played.number, hand_dealt=_dealt(played))), STILL_PLAYED]
    if record.total is None:
        yield NOT_OVER
    else:
        yield from scribe.write(Event(match_ended=_match_ended(record.total)))


def _opened(record: Record) -> TableOpened:
    length = MatchLength(target=record.target or 0) if record.length is None else MatchLength(hands=record.length)
    return TableOpened(
        table_id=record.table,
        match=record.number,
        rules=rules_to_proto(record.rules),
        length=length,
        seats=map(_seat, record.players),
    )


def _seat(player: Player) -> Seat:
    return Seat(name=player.name, bot_level=player.bot)


def _event(step: Step) -> Event:
    """Give a step as the event by which a table would show it."""
    followed = consequences_to_proto(step.consequences)
    if step.move is None:
        return Event(hand=step.played.number, hand_dealt=_dealt(step.played, followed))
    if step.move.action is None:
        return Event(hand=step.played.number, answers_closed=AnswersClosed(consequences=followed))
    action = step.move.action
    taken = ActionTaken(seat=action.seat, action=action_to_proto(action), consequences=followed)
    return Event(hand=step.played.number, action_taken=taken)


def _dealt(played: HandRecord, followed: Iterable[Consequence] = ()) -> HandDealt:
    return HandDealt(commitment=played.commitment or b"", first_leader=played.leader, consequences=followed)


def _hands(played: HandRecord) -> Iterator[DealtHand]:
    return (DealtHand(cards=map(card_to_proto, cards)) for cards in played.deal)


def _ended(result: Result) -> HandEnded:
    return HandEnded(
        order=result.order,
        scores=result.scores,
        team_scores=result.team_scores or (),
        voided=not result.order,
        digest=result.digest,
    )


def _match_ended(total: Result) -> MatchEnded:
    return MatchEnded(scores=total.scores, team_scores=total.team_scores or (), digest=total.digest)
