"""A game told from its events, as people write it down: a trick a line.

Pure: events go in, lines come out. `Scribe` writes a game down a trick a line, for those who watch from
outside or read a log; `Teller` tells it to somebody who sits at the table, an act a line.
"""

from collections.abc import Iterable, Sequence

from gouji.cli import render
from gouji.cli.talk import said, voted
from gouji.engine import ActionKind
from gouji.engine.cards import RANKS
from gouji.engine.events import HandVoided, ScrambleBegan, TrickWon
from gouji.v1.consequences_pb2 import Consequence
from gouji.v1.events_pb2 import (
    DECIDED_BY_CLOCK,
    ActionTaken,
    DealtHand,
    Event,
    HandDealt,
    HandEnded,
    MatchEnded,
    Seat,
    SeatChanged,
    TableOpened,
)
from gouji.v1.rules_pb2 import MatchLength
from gouji.wire import action_from_proto, card_from_proto, consequence_from_proto, rules_from_proto

LEGEND = "A trick a line; N is normal play, S the scramble (四人乱缠). Passes are left out."

STILL_PLAYED = "  This hand is still being played; its cards are shown when it is over."

NOT_OVER = "The match is not over."

BOT_PLAYS = "A bot plays on for you; `back` gives you your seat again."

_UNSAID = (ActionKind.PASS, ActionKind.CLOSE, ActionKind.FEEL, ActionKind.ASK)
_IN_PLAY = (ActionKind.PLAY, ActionKind.BURN, ActionKind.YIELD)
_TOLD_BY_WHAT_FOLLOWS = (
    ActionKind.STAY,
    ActionKind.NO_CALL,
    ActionKind.DECLINE,
    ActionKind.PAY,
    ActionKind.RETURN,
    ActionKind.ACCEPT,
    ActionKind.BUY_WITH,
    ActionKind.GIVE,
    ActionKind.SINK,
    ActionKind.LAY_OFF,
)


class Scribe:
    """Writes one table's game down. Hand it every event in order."""

    def __init__(self) -> None:
        self._trick: list[str] = []
        self._tricks = 0
        self._label = ""
        self._scramble = False

    def write(self, event: Event) -> list[str]:
        """Return the lines that an event finishes; none while a trick goes on."""
        match event.WhichOneof("body"):
            case "hand_dealt":
                return self._deal(event.hand, event.hand_dealt)
            case "action_taken":
                return self._act(event.action_taken)
            case "answers_closed":
                return self._followed(event.answers_closed.consequences)
            case "hand_ended":
                return [*self._end_trick(), *hand_result(event.hand, event.hand_ended)]
            case _:
                return around(event)

    def _deal(self, number: int, dealt: HandDealt) -> list[str]:
        self._tricks, self._scramble = 0, False
        committed = f" Commitment {dealt.commitment.hex()}" if dealt.commitment else ""
        return ["", f"Hand {number}: {dealt.first_leader} leads.{committed}", *self._followed(dealt.consequences)]

    def _act(self, taken: ActionTaken) -> list[str]:
        action = action_from_proto(taken.seat, taken.action)
        if action.kind in _IN_PLAY:
            self._note(f"{action.seat} {render.deed(action, leads=not self._trick)}")
        elif action.kind not in _UNSAID and action.kind not in _TOLD_BY_WHAT_FOLLOWS:
            return [f"{action.seat} {render.deed(action)}", *self._followed(taken.consequences)]
        return self._followed(taken.consequences)

    def _followed(self, consequences: Iterable[Consequence]) -> list[str]:
        lines = []
        for message in consequences:
            consequence = consequence_from_proto(message)
            if isinstance(consequence, ScrambleBegan | HandVoided):
                self._scramble = True
                lines.append(render.follows(consequence))
            elif isinstance(consequence, TrickWon):
                self._note(render.follows(consequence))
                lines += self._end_trick()
            elif self._trick:
                self._note(render.follows(consequence))
            else:
                lines.append(render.follows(consequence))
        return lines

    def _note(self, text: str) -> None:
        if not self._trick:
            self._tricks += 1
            self._label = f"{'S' if self._scramble else 'N'}{self._tricks}"
        self._trick.append(text)

    def _end_trick(self) -> list[str]:
        """Give the trick's line, if one was begun."""
        trick, self._trick = self._trick, []
        return [render.trick_line(self._label, trick)] if trick else []


class Teller:
    """Tells one table's game act by act to whoever sits on ``own``. Hand it every event in order."""

    def __init__(self, names: Sequence[str], own: int | None = None) -> None:
        self._names = names
        self._own = own
        self._leading = True
        self._seats = [SeatChanged(seat=seat) for seat in range(len(names))]

    def tell(self, event: Event) -> list[str]:
        """Return the lines that tell an event; none for what does not show."""
        match event.WhichOneof("body"):
            case "hand_dealt":
                return self._deal(event.hand, event.hand_dealt)
            case "action_taken":
                return self._act(event.action_taken)
            case "answers_closed":
                return self._followed(event.answers_closed.consequences)
            case "seat_changed":
                return self._change(event.seat_changed)
            case "hand_ended":
                return hand_result(event.hand, event.hand_ended)
            case _:
                return self._talk(event) or around(event)

    def _talk(self, event: Event) -> list[str]:
        match event.WhichOneof("body"):
            case "said":
                return said(event.said, self._who(event.said.seat))
            case "hand_vote":
                return voted(event.hand_vote, self._who(event.hand_vote.seat))
            case _:
                return []

    def _deal(self, number: int, dealt: HandDealt) -> list[str]:
        self._leading = True
        shown = [_text(hand) for hand in dealt.hands if hand.cards]
        return [
            "",
            f"Hand {number} is dealt; {self._who(dealt.first_leader)} leads.",
            *(["Calls come before anybody sees a card."] if dealt.unseen else []),
            *self._followed(dealt.consequences),
            *_own(shown),
        ]

    def _who(self, seat: int) -> str:
        return f"{seat} {self._names[seat]}"

    def _act(self, taken: ActionTaken) -> list[str]:
        action = action_from_proto(taken.seat, taken.action)
        done = render.deed(action, leads=self._leading and action.kind is ActionKind.PLAY)
        self._leading &= action.kind is not ActionKind.PLAY
        late = " (time ran out)" if taken.decided_by == DECIDED_BY_CLOCK else ""
        seen = [_text(hand) for hand in taken.hands if hand.cards]
        followed = self._followed(taken.consequences)
        if followed and action.kind in _TOLD_BY_WHAT_FOLLOWS:
            return [*followed, *_own(seen)]
        return [f"{self._who(action.seat)}: {done}{late}", *followed, *_own(seen)]

    def _followed(self, messages: Iterable[Consequence]) -> list[str]:
        consequences = [consequence_from_proto(message) for message in messages]
        self._leading |= any(isinstance(consequence, TrickWon) for consequence in consequences)
        return [f"  {said}" for said in map(render.follows, consequences) if said]

    def _change(self, change: SeatChanged) -> list[str]:
        before, self._seats[change.seat] = self._seats[change.seat], change
        own, who = change.seat == self._own, self._who(change.seat)
        if change.left:
            return [] if before.left or own else [f"{who} has left for good; a bot plays on."]
        if change.bot_plays:
            told = BOT_PLAYS if own else f"{who} is away; a bot plays on."
            return [] if before.bot_plays else [told]
        if before.bot_plays:
            return ["You play again."] if own else [f"{who} is here."]
        return [f"{who} is here."] if change.connected and not before.connected and not own else []


def _own(shown: Iterable[str]) -> list[str]:
    return [f"your hand ({len(cards)}): {render.by_rank(cards)}" for cards in shown]


def around(event: Event) -> list[str]:
    """Tell what happens around the hands: who sits down, how the match ends, a stop."""
    match event.WhichOneof("body"):
        case "table_opened":
            return header(event.table_opened)
        case "match_ended":
            return match_result(event.match_ended)
        case "table_frozen":
            said = event.table_frozen.reason or "a fault"
            return [f"The table stopped: {said}. Reference {event.table_frozen.reference}."]
        case "table_abandoned":
            return [f"The table was given up: {event.table_abandoned.reason or 'nobody resumed it'}."]
        case _:
            return []


def header(opened: TableOpened) -> list[str]:
    """Say what is played and who sits where."""
    rules = rules_from_proto(opened.rules)
    return [
        f"Table {opened.table_id}: {rules}, {length(opened.length)}",
        *(f"  {seat} {seat_name(player)}" for seat, player in enumerate(opened.seats)),
    ]


def length(until: MatchLength) -> str:
    """Say how long a match is."""
    if until.WhichOneof("until") == "target":
        return f"to {until.target} points"
    return "1 hand" if until.hands == 1 else f"{until.hands} hands"


def seat_name(seat: Seat) -> str:
    """Name who sits there."""
    bot = f"{seat.bot_level} bot" if seat.bot_level else ""
    return f"{seat.name} ({bot})" if seat.name and bot else seat.name or bot or seat.player_id


def deal(hands: Iterable[DealtHand]) -> list[str]:
    """Write down six hands as dealt."""
    return [f"  {seat} holds {render.by_rank(_text(hand))}" for seat, hand in enumerate(hands)]


def _text(hand: DealtHand) -> str:
    return "".join(RANKS[card_from_proto(card).rank] for card in hand.cards)


def hand_result(number: int, ended: HandEnded) -> list[str]:
    """Say how a hand ended."""
    if ended.voided:
        void = "given up by its people" if ended.given_up else "void"
        return [f"Hand {number} is {void} and dealt anew. Digest {ended.digest}"]
    return [
        f"Places: {render.order_line(ended.order)}",
        f"Scores: {render.scores_line(ended.scores, ended.team_scores)}",
        f"Digest of hand {number}: {ended.digest}",
    ]


def match_result(ended: MatchEnded) -> list[str]:
    """Say how the match ended."""
    return [
        "",
        f"Total: {render.scores_line(ended.scores, ended.team_scores)}",
        f"Digest of the match: {ended.digest}",
    ]
