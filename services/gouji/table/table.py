"""A table: a plain object whose state is the fold of its log.

It does no I/O and reads no clock: `decide` judges what a seat wants, `follow` says what comes by itself, and
both only make events or answers; `fold` and `seal` (`state.py`) change the state. Times are microseconds from 1970 on.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from gouji.engine import RULES_VERSION, Hand
from gouji.engine.cards import SEATS
from gouji.table import bodies, deals, timing
from gouji.table.asking import Act, Asking, Refused
from gouji.table.collecting import Collecting
from gouji.table.company import given_up, people
from gouji.table.presence import PLAYER
from gouji.table.state import TableState
from gouji.table.window import Answer, Window
from gouji.v1 import events_pb2, rules_pb2, table_pb2
from gouji.v1.events_pb2 import Event
from gouji.wire import consequences_to_proto, match_from_proto, rules_from_proto

DrawSecret = Callable[[], bytes]
"""Gives 32 bytes that nobody can guess."""

CLOCK: Final = events_pb2.DECIDED_BY_CLOCK
"""Who decides when a seat's time is over."""


class Table(TableState):
    """One table's match: what may be done now, and what comes by itself."""

    # What is asked

    @property
    def asking(self) -> Asking:
        """Who is asked what now."""
        if self.collecting is not None and not self.ended:
            return Asking(self.turn, deadline=self.collecting.until)
        if self.ended or self._recorded or self.hand is None or self.hand.over:
            return Asking(self.turn)
        if self.window is not None:
            return Asking(self.turn, None, True, self.window.questions, self.window.until)
        seat = self.hand.turn
        questions = {} if seat is None else {seat: str(self.hand.question)}
        return Asking(self.turn, seat, False, questions, self._deadline)

    def hand_asking(self, seat: int) -> Hand | None:
        """Give the hand as it stands for a seat that is asked, in public or private; None for all others."""
        if self.ended or self._recorded or self.hand is None:
            return None
        if self.window is not None:
            return self.window.asking(seat)
        return self.hand if self.hand.turn == seat else None

    def chance_for(self, seat: int) -> int:
        """64 bits of chance for the bot that decides for this seat now."""
        return deals.bot_seed(self._secret, self.turn, seat)

    def thought_for(self, seat: int) -> float:
        """How long a bot seems to think now, in its typical times."""
        return deals.thought(self._secret, self.turn, seat)

    @property
    def next_moment(self) -> int | None:
        """When something may come by itself, if nothing is done before; None when nothing will."""
        deadline, gone = self.asking.deadline, self.presence.next_moment(self.clock)
        if self.ended or deadline is None:
            return None if self.ended else gone
        return min(deadline + self._allowance_us, gone or sys.maxsize)

    @property
    def _allowance_us(self) -> int:
        return self.clock.allowance_ms * 1000

    @property
    def _deadline(self) -> int | None:
        if self.hand is None or self.hand.turn is None:
            return None
        return timing.deadline(self.began, self.clock.turn_ms, self._banks_us[self.hand.turn])

    # Deciding

    def open(self, spec: table_pb2.TableSpec, clock: rules_pb2.Clock, now: int) -> Event:
        """Make the first event of a log. ``clock`` holds the times in full.

        Raises `RuleSetError` or `MalformedMessage` for a spec that cannot be played.
        """
        match_from_proto(rules_from_proto(spec.rules), spec.length)
        if len(spec.seats) != SEATS:
            raise ValueError("a table has six seats")
        opened = events_pb2.TableOpened(
            table_id=self.table_id,
            rules=spec.rules,
            length=spec.length,
            clock=clock,
            seats=spec.seats,
            rules_version=RULES_VERSION,
            queue=spec.queue,
            match=self.match_number,
            tournament=spec.tournament,
            board=spec.board if spec.HasField("board") else None,
        )
        return self._event(now, table_opened=opened)

    def resume(self, now: int) -> Event:
        """Make the event by which a server takes the table up again."""
        return self._event(now, table_resumed=events_pb2.TableResumed())

    def freeze(self, reference: str, now: int, reason: str = "") -> Event:
        """Make the event that stops the table until it is resumed, or given up."""
        return self._event(now, table_frozen=events_pb2.TableFrozen(reference=reference, reason=reason))

    def abandon(self, reason: str, now: int, secret: bytes, hands: Iterable[events_pb2.DealtHand]) -> Event:
        """Make the last event of a table that is given up; secret and cards are those of the hand that was not over."""
        return self._event(now, table_abandoned=events_pb2.TableAbandoned(reason=reason, secret=secret, hands=hands))

    def change_seat(self, seat: int, now: int, **changes: int) -> Event:
        """Make the event that shows who plays a seat; ``changes`` are fields of `SeatChanged`, the rest stands."""
        return self._event(now, seat_changed=self.presence.change(seat, changes))

    def take_seat(self, seat: int, now: int) -> Refused | Event | None:
        """Make the event by which a player takes its seat back; why not, or None when no bot plays."""
        if self.over or self.presence[seat].left:
            return Refused("table_over" if self.over else "seat_left", self.turn)
        return self.change_seat(seat, now, bot_plays=0) if self.presence[seat].bot_plays else None

    def leave_seat(self, seat: int, penalty: int, now: int) -> Refused | Event | None:
        """Make the event by which a player leaves for good; why not, or None when it has left."""
        if self.presence[seat].left:
            return None
        if self.over:
            return Refused("table_over", self.turn)
        return self.change_seat(seat, now, connected=0, bot_plays=1, left=1, penalty=penalty)

    def credit(self, pause_us: int, now: int) -> Event:
        """Make the event by which what the server took is counted as nobody's time."""
        return self._event(now, clocks_credited=events_pb2.ClocksCredited(pause_ms=pause_us // 1000))

    def say(self, seat: int, phrase: str, now: int) -> Refused | Event:
        """Make the event by which a seat says something; why not, if it has said too much lately."""
        reason = self._keeps_out(seat) or ("" if self.company.may_say(seat, now) else "too_often")
        if reason:
            return Refused(reason, self.turn)
        return self._event(now, said=events_pb2.Said(seat=seat, phrase=phrase))

    def vote(self, seat: int, hand: int, now: int, *, agree: bool) -> Refused | Event | None:
        """Make the event by which a seat votes to give the hand up or takes its vote back; None if it stands so."""
        reason = self._keeps_out(seat) or ("hand_over" if self._recorded or hand != self.hand_number else "")
        if reason:
            return Refused(reason, self.turn)
        if (seat in self.company.votes) == agree:
            return None
        return self._event(now, hand_vote=events_pb2.HandVote(seat=seat, agree=agree))

    def _keeps_out(self, seat: int) -> str:
        """Say why a player has nothing to do here any more; empty when it has."""
        return "table_over" if self.ended else "seat_left" if self.presence[seat].left else ""

    def decide(self, act: Act, now: int) -> Refused | Answer | Event:
        """Judge what a seat wants: why not, or an answer to seal, or the event to fold; nothing changes."""
        reason = self.refusal(act)
        if reason:
            return Refused(reason, self.turn)
        answer = Answer(act.seat, act.action, act.by)
        return self._action_taken(answer, (), now) if self.window is None else answer

    def refusal(self, act: Act) -> str:
        """Say why a seat may not do that now; empty when it may."""
        if self.frozen:
            return "table_frozen"
        if self.over:
            return "table_over"
        if act.by == PLAYER and self.presence[act.seat].left:
            return "seat_left"
        if act.turn != self.turn:
            return "stale_turn"
        if self.hand is None:
            return "wrong_phase"
        # While answers are open, all who are not asked hear the same, whoever else is asked.
        hand = self.hand if self.window is None else self.window.asking(act.seat)
        return "not_your_turn" if hand is None else hand.refusal(act.action) or ""

    def follow(self, now: int, draw_secret: DrawSecret) -> Event | None:
        """Make the event that comes by itself now: the next hand, the end, a bot for who is away, the clock's choice.

        None when nothing does.
        """
        if self.ended:
            return None
        if self._recorded:
            return self._next_hand(now, draw_secret)
        if self.hand is None or self.hand.over:
            return self._hand_ended(now)
        present = self.presence.present.intersection(people(self.seats))
        if self.company.gives_up(present, teams=bool(self.hand.rules["teams"])):
            return self._hand_given_up(now)
        change = self.presence.due(now, self.clock)
        if change is not None:
            return self.change_seat(change[0], now, bot_plays=change[1])
        return self._clock_decides(now) if self.window is None else self._answered(self.window, now)

    def _clock_decides(self, now: int) -> Event | None:
        """Decide for whoever has let the time run out."""
        deadline = self._deadline
        if self.hand is None or deadline is None or now < deadline + self._allowance_us:
            return None
        action = self.hand.default_action()
        return self._action_taken(Answer(action.seat, action, CLOCK), (), now)

    def _next_hand(self, now: int, draw_secret: DrawSecret) -> Event | None:
        if self.collecting is not None:
            return self._hand_dealt(now, self.collecting) if self.collecting.complete(now) else None
        return self._match_ended(now) if self.match.over else self._hand_committed(now, draw_secret())

    def _answered(self, window: Window, now: int) -> Event | None:
        outcome = window.outcome(now - self._allowance_us)
        if outcome is None:
            return None
        if outcome.taken is not None:
            return self._action_taken(outcome.taken, outcome.declines, now)
        hand = self._declined(answer.seat for answer in outcome.declines)
        consequences = consequences_to_proto(hand.close_answers())
        closed = events_pb2.AnswersClosed(declines=bodies.declines(outcome.declines), consequences=consequences)
        return self._event(now, answers_closed=closed)

    def _action_taken(self, answer: Answer, declines: Sequence[Answer], now: int) -> Event:
        hand = self._declined(declined.seat for declined in declines)
        return self._event(now, action_taken=bodies.taken(hand, answer, declines))

    def refuses_contribution(self, seat: int, hand: int) -> str:
        """Say why a seat's contribution to a hand's deal is not taken; empty when it is."""
        if self.ended:
            return "table_frozen" if self.frozen else "table_over"
        return "" if self.collecting is not None and self.collecting.takes(seat, hand) else "not_collecting"

    def _hand_committed(self, now: int, secret: bytes) -> Event:
        number, wait_ms = self.hand_number + 1, self.clock.contributions_ms
        people = [seat for seat, held in enumerate(self.seats) if not held.bot_level and not self.presence[seat].gone]
        awaited = people if wait_ms and not self.board else []
        committed = events_pb2.HandCommitted(
            commitment=self.commitment(secret, number),
            secret=secret,
            awaited=awaited,
        )
        committed.until.FromMicroseconds(max(now, self.at) + (wait_ms * 1000 if awaited else 0))
        return self._event(now, number, hand_committed=committed)

    def _hand_dealt(self, now: int, collecting: Collecting) -> Event:
        commitment = self.commitment(collecting.secret, self.hand_number)
        hand = self.deal(collecting.secret, collecting.contributions)
        return self._event(now, hand_dealt=bodies.dealt(hand, commitment, collecting.contributions))

    def _hand_ended(self, now: int) -> Event:
        if self.hand is None:
            raise ValueError("no hand is being played")
        return self._event(now, hand_ended=bodies.ended(self.hand, self._secret))

    def _hand_given_up(self, now: int) -> Event:
        if self.hand is None:
            raise ValueError("no hand is being played")
        return self._event(now, hand_ended=given_up(self.hand, self._secret, bodies.as_dealt(self.hand)))

    def _match_ended(self, now: int) -> Event:
        ended = events_pb2.MatchEnded(
            scores=self.match.scores, team_scores=self.match.team_scores or (), digest=self.match.digest
        )
        return self._event(now, match_ended=ended)

    def _event(self, now: int, hand: int | None = None, **body: Any) -> Event:
        event = Event(sequence=self.sequence + 1, hand=self.hand_number if hand is None else hand, **body)
        event.at.FromMicroseconds(max(now, self.at))
        return event
