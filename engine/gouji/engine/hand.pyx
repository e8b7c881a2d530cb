# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""One hand of Gouji as a Python object: the door to the compiled rules. Documented in ``hand.pyi``."""

import hashlib

from collections import Counter

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from gouji.engine._codes cimport text_of, text_of_play
from gouji.engine._compact cimport keep_compact
from gouji.engine._game cimport (
    apply, begin_play, check, close_answers, declines_privately, enter, holds_opening, list_actions, list_bound, play_out, read_play,
    step, step_all, tribute_due, yield_is_open,
)
from gouji.engine._draw cimport Bounds, draw
from gouji.engine._rules cimport CompiledRules, compiled
from gouji.engine._sanity cimport is_sane, play_is_sane
from gouji.engine._scores cimport score
from gouji.engine._sight cimport Sight, is_hidden, look, shown_count, shows_hand
from gouji.engine._state_text cimport state_lines
from gouji.engine._state cimport (
    ADVANCE, BIG, BUY, MAX_DEBTS, NONE, OVER, PLAYING, Q_BURN, Q_LAST, Q_LEAD, Q_NOTHING, Q_RETURN, RANKS, SEATS,
    SMALL, TOTAL, TRIBUTE, TWO, Log, Play, Rules, State, has, has_head, is_private, jokers, kind_in, pack, pack_value,
)

from gouji.engine import events
from gouji.engine._codes import cost_of, decode, encode, return_cost
from gouji.engine._state_text import PHASE_NAMES as _PHASES
from gouji.engine._state_text import QUESTION_NAMES as _QUESTIONS
from gouji.engine.actions import OF_SEAT, Action, ActionKind
from gouji.engine.cards import RANKS as RANK_TEXT
from gouji.engine.cards import Card, counts_of, parse_cards
from gouji.engine.deal import deal_cards, suits_for
from gouji.engine.errors import IllegalAction, InvalidState
from gouji.engine.history import Step, shown
from gouji.engine.knowledge import bounds_of, known_cards, opened_in
from gouji.engine.playouts import Playouts
from gouji.engine.observation import Observation, SeatView
from gouji.engine.reasons import Reason
from gouji.engine.rules import RULES_VERSION, RuleSet
from gouji.engine.spans import write_rules
from gouji.engine.tribute import KINDS, Aftermath, Debt, is_spared, owed, to_settle, tribute_scores

_REASONS = (None, *Reason)
_FROM_HAND = (ActionKind.PLAY, ActionKind.BURN, ActionKind.PAY, ActionKind.RETURN, ActionKind.BUY_WITH, ActionKind.GIVE)
_JUDGED_WHOLE = (ActionKind.LAY_OFF, ActionKind.LAST, ActionKind.ASK)
_FAULTS = (Reason.CARDS_NOT_HELD, Reason.NOT_ONE_BASE, Reason.WRONG_COUNT, Reason.DOES_NOT_BEAT,
           Reason.THREES_LAST, Reason.THREES_WHOLE)
LEADING = int(ActionKind.PLAY)
_MAGIC = b"GJ\x02"
_SIGHT = b"GO\x02"
QUESTIONS = tuple([question for question in _QUESTIONS if question])
PHASES = ("play", "revolt", "tribute", "buy", "advance", "call", "sink", "lay_off")
_RANK = tuple(RANK_TEXT)
_CARDS = tuple([tuple([Card(rank, suit) for suit in range(4)]) for rank in range(13)]) + ((Card(13, -1),), (Card(14, -1),))


cdef tuple seats_of(int mask):
    return tuple([seat for seat in range(SEATS) if has(mask, seat)])


cdef object seat_or_none(int seat):
    return None if seat == NONE else seat


cdef class Hand:
    """One hand from the deal to its result; see ``hand.pyi``."""

    cdef State s
    cdef CompiledRules compiled
    cdef readonly object rules
    cdef readonly tuple at_deal
    # What has happened and what was dealt, or None where no account is kept.
    cdef readonly object steps
    cdef readonly object dealt

    def __cinit__(self):
        cdef int seat, place
        self.at_deal = ()
        memset(&self.s, 0, sizeof(State))
        for seat in range(SEATS):
            self.s.order[seat] = self.s.finished[seat] = self.s.choked[seat] = self.s.chokers[seat] = NONE
            self.s.felt[seat] = NONE
            self.s.victims[seat] = self.s.burners[seat] = self.s.burned[seat] = NONE
        self.s.table_seat = self.s.first_gouji = self.s.yielder = self.s.turn = NONE
        self.s.fours_due = self.s.slam = self.s.seller = NONE
        self.s.question = Q_NOTHING

    # Making one

    def __init__(self):
        raise TypeError("a hand is dealt or set up: Hand.deal, Hand.position, Hand.from_bytes")

    @staticmethod
    def deal(rules, seed, leader=None, *, held=False, after=None, first_hand=True, history=False):
        hands, first = deal_cards(rules, seed, rules["first_leader"] if leader is None else leader)
        cdef Hand hand = new_hand(rules)
        cdef int seat
        cdef Log log
        log.n = 0
        hand.s.held = held
        hand.s.first_leader = hand.s.trick_leader = first
        hand.s.first_hand = first_hand
        for seat in range(SEATS):
            give_cards(&hand.s, seat, hands[seat])
        hand.look_at_deal()
        hand.owe(() if after is None else to_settle(rules, after))
        enter(&hand.s, &hand.compiled.c, ADVANCE, &log)
        hand.at_deal = hand.told(&log, ())
        if history:
            hand.dealt = tuple([held_cards(&hand.s, seat) for seat in range(SEATS)])
            hand.steps = (Step(None, hand.at_deal),) if hand.at_deal else ()
        return hand

    @staticmethod
    def position(rules, hands, lead, *, finished=(), opened=(), burning=(), revolted=(), phase="play", owed=(),
                 first_hand=False, as_dealt=False, held=False, history=False):
        if phase not in PHASES:
            raise InvalidState(f"no phase {phase!r}")
        cdef Hand hand = new_hand(rules)
        cdef Log log
        log.n = 0
        place_cards(&hand.s, hands)
        hand.s.first_leader = hand.s.trick_leader = _seat(lead)
        hand.s.first_hand = first_hand
        hand.s.held = held
        _set_places(hand, finished, revolted)
        for seat in opened:
            hand.s.opened |= 1 << _seat(seat)
        for seat in burning:
            hand.s.burning |= 1 << _seat(seat)
        # A seat that is out burns no longer (R5.6).
        hand.s.burning &= hand.s.in_mask
        if hand.s.in_mask == 0:
            raise InvalidState("no seat holds cards", "hands")
        hand.look_at_resisting()
        if as_dealt:
            hand.look_at_opening()
        hand.owe(owed)
        if phase == "play":
            begin_play(&hand.s, &hand.compiled.c, lead, &log)
        else:
            # What comes first after the deal is the right to ask for another.
            first = "redeal" if as_dealt and phase == "tribute" else phase
            enter(&hand.s, &hand.compiled.c, _PHASES.index(first), &log)
        hand.at_deal = hand.told(&log, ())
        if history:
            hand.dealt = tuple([held_cards(&hand.s, seat) for seat in range(SEATS)])
            hand.steps = ()
        return hand

    @staticmethod
    def from_observation(observation):
        return _from_observation(observation)

    @staticmethod
    def drawn(observation, rng):
        return _drawn(observation, rng.getrandbits(64))

    @staticmethod
    def from_bytes(data, rules):
        cdef Hand hand = new_hand(rules)
        cdef const uint8_t* raw
        data = bytes(data)
        head = _MAGIC + hand.compiled.tag
        if len(data) != len(head) + sizeof(State) or not data.startswith(head):
            raise InvalidState("these bytes are not a hand under these rules")
        raw = data
        memcpy(&hand.s, raw + <size_t>len(head), sizeof(State))
        if not is_sane(&hand.s) or (hand.s.turn != NONE and not hand.legal_codes()):
            raise InvalidState("these bytes are not a possible state of a hand")
        return hand

    cdef void look_at_deal(self):
        """R8.6, R9.6 `natural_open`: what the cards dealt mean by themselves."""
        self.look_at_resisting()
        self.look_at_opening()

    cdef void look_at_opening(self):
        cdef int seat
        for seat in range(SEATS):
            if (self.compiled.c.opening and self.compiled.c.natural_open and has(self.s.in_mask, seat)
                    and not holds_opening(self.s.counts[seat], &self.compiled.c)):
                self.s.opened |= 1 << seat

    cdef void look_at_resisting(self):
        cdef int seat
        for seat in range(SEATS):
            if self.s.counts[seat][TWO] >= 8 or self.s.counts[seat][BIG] >= 4:
                self.s.resisting |= 1 << seat

    cdef int owe(self, debts) except -1:
        if len(debts) > MAX_DEBTS:
            raise InvalidState(f"more than {MAX_DEBTS} tributes are owed", "owed")
        for debt in debts:
            self.s.debts[self.s.n_debts].payer = debt.payer
            self.s.debts[self.s.n_debts].receiver = debt.receiver
            self.s.debts[self.s.n_debts].kind = KINDS.index(debt.kind)
            self.s.debts[self.s.n_debts].cards = debt.cards
            self.s.n_debts += 1
        return 0

    cdef set places_taken(self):
        return {self.s.order[place] for place in range(SEATS) if self.s.order[place] != NONE}

    # What stands

    @property
    def phase(self):
        return _PHASES[self.s.phase]

    @property
    def over(self):
        return self.s.phase == OVER

    @property
    def void(self):
        return bool(self.s.void_hand)

    @property
    def turn(self):
        return seat_or_none(self.s.turn)

    @property
    def question(self):
        return _QUESTIONS[self.s.question]

    @property
    def private(self):
        return bool(is_private(self.s.question))

    @property
    def window(self):
        return bool(self.s.window)

    @property
    def may_yield(self):
        return bool(yield_is_open(&self.s, &self.compiled.c))

    @property
    def lead(self):
        return seat_or_none(self.s.turn) if self.s.question == Q_LEAD else None

    @property
    def trick_leader(self):
        return self.s.trick_leader

    @property
    def first_leader(self):
        return self.s.first_leader

    @property
    def table(self):
        return text_of_play(self.s.table) if self.s.table.total else ""

    @property
    def table_seat(self):
        return seat_or_none(self.s.table_seat)

    @property
    def table_is_gouji(self):
        return bool(self.s.gouji)

    @property
    def hands(self):
        return tuple([text_of(self.s.counts[seat]) for seat in range(SEATS)])

    @property
    def played(self):
        return tuple([text_of(self.s.played[seat]) for seat in range(SEATS)])

    @property
    def aside(self):
        return tuple([text_of(self.s.aside[seat]) for seat in range(SEATS)])

    @property
    def finished(self):
        return tuple([self.s.finished[i] for i in range(self.s.n_finished)])

    @property
    def places(self):
        places = [0] * SEATS
        for place in range(SEATS):
            if self.s.order[place] != NONE:
                places[self.s.order[place]] = place + 1
        return tuple(places)

    @property
    def order(self):
        if self.s.phase != OVER or self.s.void_hand:
            return ()
        return tuple([self.s.order[place] for place in range(SEATS)])

    @property
    def in_seats(self):
        return seats_of(self.s.in_mask)

    @property
    def passed(self):
        return seats_of(self.s.passed)

    @property
    def opened(self):
        return seats_of(self.s.opened)

    @property
    def burning(self):
        return seats_of(self.s.burning)

    @property
    def revolted(self):
        return seats_of(self.s.revolted)

    @property
    def struck(self):
        return seats_of(self.s.struck)

    @property
    def stuck(self):
        return seats_of(self.s.stuck)

    @property
    def choked(self):
        return tuple([(self.s.choked[i], self.s.chokers[i]) for i in range(self.s.n_choked)])

    @property
    def burns(self):
        cdef State* s = &self.s
        return tuple([(s.burners[i], s.burned[i], s.burn_doublings[i]) for i in range(s.n_burns)])

    @property
    def scramble(self):
        return bool(self.s.scramble)

    def has_head(self, seat):
        return bool(has_head(&self.s, _seat(seat)))

    @property
    def calls(self):
        return {seat: ("open", "advance")[self.s.calls[seat] - 1] for seat in range(SEATS) if self.s.calls[seat]}

    @property
    def doubled(self):
        return tuple([team for team in range(2) if has(self.s.doubled, team)])

    @property
    def slam(self):
        return seat_or_none(self.s.slam)

    @property
    def aftermath(self):
        if self.s.phase != OVER or self.s.void_hand:
            return None
        return Aftermath(
            order=self.order,
            opened=frozenset(self.opened),
            burns=self.burns,
            chokes=self.choked,
            stuck=frozenset(self.stuck),
            calls=self.calls,
            doubled=self.s.doubled != 0,
            revolted=frozenset(self.revolted),
        )

    @property
    def debt(self):
        if self.s.phase != TRIBUTE or self.s.next_debt >= self.s.n_debts:
            return None
        debt = self.s.debts[self.s.next_debt]
        return Debt(debt.payer, debt.receiver, KINDS[debt.kind], debt.cards)

    @property
    def partner(self):
        """The other seat of the tribute or sale that is being settled."""
        if self.s.phase == BUY and self.s.turn != NONE:
            buyer = (self.s.first_leader + self.s.buyer) % SEATS
            return self.s.seller if self.s.turn == buyer else buyer
        debt = self.debt
        if debt is None or self.s.turn == NONE:
            return None
        return debt.receiver if self.s.turn == debt.payer else debt.payer

    @property
    def owes(self):
        if self.s.phase == OVER:
            return () if self.s.void_hand else owed(self.rules, self.aftermath)
        left = [
            Debt(self.s.debts[i].payer, self.s.debts[i].receiver, KINDS[self.s.debts[i].kind], self.s.debts[i].cards)
            for i in range(self.s.next_debt, self.s.n_debts)
        ]
        return tuple([debt for debt in left if not is_spared(self.rules, debt)])

    @property
    def scores(self):
        cdef int seats[6]
        cdef int teams[2]
        if self.s.phase != OVER or self.s.void_hand:
            return (0,) * SEATS
        if self.rules["scoring"] == "tributes":
            return tribute_scores(self.rules, self.aftermath)
        score(&self.s, &self.compiled.c, seats, teams)
        return tuple([seats[seat] for seat in range(SEATS)])

    @property
    def team_scores(self):
        cdef int seats[6]
        cdef int teams[2]
        if not self.compiled.c.teams:
            return None
        if self.s.phase != OVER or self.s.void_hand:
            return (0, 0)
        if self.rules["scoring"] == "tributes":
            points = self.scores
            return (sum(points[::2]), sum(points[1::2]))
        score(&self.s, &self.compiled.c, seats, teams)
        return (teams[0], teams[1])

    def cards(self, seat):
        return held_cards(&self.s, _seat(seat))

    def leaving(self, seat, ranks):
        cdef int place = _seat(seat)
        wanted = counts_of(ranks)
        leaving = []
        for card in reversed(held_cards(&self.s, place)):
            if wanted[card.rank]:
                wanted[card.rank] -= 1
                leaving.append(card)
        return tuple(reversed(leaving))

    # Acting

    def legal_codes(self, compact=False):
        cdef uint64_t* found
        cdef int i, n
        if self.s.turn == NONE:
            return []
        found = <uint64_t*>malloc(list_bound(&self.s, self.s.turn) * sizeof(uint64_t))
        if not found:
            raise MemoryError
        try:
            n = list_actions(&self.s, &self.compiled.c, found)
            if compact:
                n = keep_compact(&self.compiled.c, found, n)
            return [found[i] for i in range(n)]
        finally:
            free(found)

    def legal_actions(self, compact=False):
        return [self.decode(code) for code in self.legal_codes(compact)]

    def refusal(self, action):
        if isinstance(action, int):
            if not 0 <= action < 1 << 64:
                return Reason.UNKNOWN_ACTION
            return _REASONS[check(&self.s, &self.compiled.c, action)]
        return self.refusal_of(action)

    cdef object refusal_of(self, object action):
        cdef int rank, seat = action.seat
        # What comes before the cards is judged first, on the action without them.
        bare = pack_value(seat & 7, int(action.kind), 0)
        why = _REASONS[check(&self.s, &self.compiled.c, bare)]
        if why in (Reason.HAND_OVER, Reason.NOT_YOUR_TURN):
            return why
        # An action that names ranks or a seat is nothing without them.
        if why is Reason.WRONG_PHASE and action.kind not in _JUDGED_WHOLE:
            return why
        if action.kind in _FROM_HAND:
            wanted = counts_of(action.cards)
            for rank in range(RANKS):
                if wanted[rank] > self.s.counts[seat][rank]:
                    return Reason.CARDS_NOT_HELD
        if action.kind is ActionKind.PAY and why is None:
            return self.refusal_of_pay(action)
        try:
            return _REASONS[check(&self.s, &self.compiled.c, encode(action))]
        except IllegalAction as illegal:
            return illegal.reason

    cdef object refusal_of_pay(self, object action):
        cdef uint8_t cards[16]
        tribute_due(&self.s, &self.compiled.c, cards)
        if len(action.cards) != self.s.due:
            return Reason.WRONG_COUNT
        return None if action.cards == text_of(cards) else Reason.NOT_HIGHEST_TRIBUTE

    def apply(self, action):
        cdef Log log
        log.n = 0
        code = self.lawful(action)
        done = self.decode(code) if self.steps is not None and not self.declines(code) else None
        partner = self.partner if done is not None else None
        if self.s.phase != TRIBUTE and self.s.phase != BUY:
            apply(&self.s, &self.compiled.c, code, &log)
            followed = self.told(&log, ())
        else:
            before = [Counter(self.cards(seat)) for seat in range(SEATS)]
            apply(&self.s, &self.compiled.c, code, &log)
            followed = self.told(&log, [Counter(self.cards(seat)) - before[seat] for seat in range(SEATS)])
        if done is not None:
            self.keep(done, followed, partner)
        return followed

    cdef bint declines(self, uint64_t code):
        """Whether a lawful action lets a private question go, unseen by all."""
        return declines_privately(&self.s, kind_in(code))

    cdef uint64_t lawful(self, object action) except? 0xFFFFFFFFFFFFFFFF:
        """Pack an action if it is legal; a fault may cost the turn (R9.13)."""
        why = self.refusal(action)
        if why is None:
            return action if isinstance(action, int) else encode(action)
        if self.rules["fault_costs_turn"] and why in _FAULTS and self.s.turn != NONE:
            passing = pack_value(self.s.turn, 0, 0)
            if check(&self.s, &self.compiled.c, passing) == 0:
                return passing
        raise IllegalAction(why, action if isinstance(action, Action) else None)

    def advance(self, code):
        cdef int why
        if self.steps is not None:
            self.apply(code)
            return
        why = step(&self.s, &self.compiled.c, code)
        if why:
            raise IllegalAction(_REASONS[why])

    def advance_all(self, const uint64_t[::1] codes):
        cdef int why = 0
        self.steps = None
        if codes.shape[0]:
            with nogil:
                why = step_all(&self.s, &self.compiled.c, &codes[0], codes.shape[0])
        if why:
            raise IllegalAction(_REASONS[why])

    def close_answers(self):
        cdef Log log
        log.n = 0
        if not self.s.window or self.s.turn != NONE or self.s.phase == OVER:
            raise ValueError("no answers are waiting to be closed")
        close_answers(&self.s, &self.compiled.c, &log)
        followed = self.told(&log, ())
        if self.steps is not None:
            self.keep(None, followed, None)
        return followed

    cdef void keep(self, action, followed, partner):
        """Add to the account; that the hand is over is the phase's to say."""
        if self.s.phase == OVER:
            followed = tuple([each for each in followed if not isinstance(each, events.HandOver)])
        self.steps += (Step(action, followed, partner),)

    cdef tuple told(self, Log* log, object gained):
        """Say what followed; ``gained`` are the cards that each seat got, where cards changed hands."""
        cdef int i
        return tuple([self.tell(log.notes[i], gained) for i in range(log.n)])

    cdef object tell(self, uint32_t item, object gained):
        cdef int kind = item & 255, a = (item >> 8) & 255, b = (item >> 16) & 255, c = item >> 24
        if kind == 0:
            return events.TrickWon(a, b)
        if kind == 1:
            return events.SeatFinished(a, b)
        if kind == 2:
            return events.SeatOpened(a)
        if kind == 3:
            return events.SeatChoked(a, b)
        if kind == 4:
            return events.SeatStruck(a, held_cards(&self.s, a))
        if kind == 5:
            return events.SeatStuck(a)
        if kind == 6:
            return events.BurnSucceeded(a, b, c)
        if kind == 7:
            return events.ScrambleBegan()
        if kind == 8:
            return events.HandVoided()
        if kind == 9:
            return events.HandOver()
        if kind == 17:
            return events.SeatLeft(a, held_cards(&self.s, a))
        if kind == 16:
            return events.TributeShown(a, b, self.leaving(a, _RANK[c & 15] * (c >> 4)))
        return tell_of_prelude(kind, a, b, c, gained)

    def default_action(self):
        codes = self.legal_codes()
        if not codes:
            raise ValueError("nobody is asked")
        if self.s.question == Q_LEAD:
            return self.decode(min([code for code in codes if kind_in(code) == LEADING], key=cost_of))
        if self.s.question == Q_RETURN:
            return decode(min(codes, key=return_cost))
        if self.s.question == Q_LAST:
            return Action(self.s.turn, ActionKind.LAST, target=self.most_cards())
        # Everywhere else the mildest stands first.
        return self.decode(codes[0])

    cdef int most_cards(self):
        """The seat that would be last by cards (R6.2)."""
        cdef int step, seat, worst = 0, most = -1
        for step in range(SEATS):
            seat = (self.s.trick_leader + step) % SEATS
            if has(self.s.in_mask, seat) and self.s.counts[seat][TOTAL] >= most:
                worst = seat
                most = self.s.counts[seat][TOTAL]
        return worst

    cdef object decode(self, code):
        """Unpack one of this state's legal actions; a payment's cards follow from the state."""
        cdef uint8_t cards[16]
        action = decode(code)
        if action.kind is ActionKind.PAY:
            tribute_due(&self.s, &self.compiled.c, cards)
            return Action(action.seat, action.kind, text_of(cards))
        return action

    # Seeing

    def observe(self, seat):
        return _observe(self, seat)

    def determinize(self, seat, rng):
        return _drawn(_observe(self, seat), rng.getrandbits(64))

    cdef tuple may_ask(self, int viewer):
        """Whose counts a seat may still ask for (R9.11)."""
        if not self.compiled.c.on_request or self.s.phase != PLAYING:
            return ()
        asked = self.s.asked[viewer] | (1 << viewer)
        return tuple([seat for seat in range(SEATS) if has(self.s.in_mask, seat) and not has(asked, seat)])

    # Copies and bytes

    def clone(self):
        cdef Hand other = Hand.__new__(Hand)
        memcpy(&other.s, &self.s, sizeof(State))
        other.compiled = self.compiled
        other.rules = self.rules
        other.steps = self.steps
        other.dealt = self.dealt
        return other

    __copy__ = clone

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return Hand.from_bytes, (self.to_bytes(), self.rules)

    def to_bytes(self):
        return _MAGIC + self.compiled.tag + (<char*>&self.s)[:sizeof(State)]

    def state_text(self):
        lines = ["gouji state 1", f"rules: {write_rules(self.rules)}"]
        lines += state_lines(&self.s, [held_cards(&self.s, seat) for seat in range(SEATS)])
        return "\n".join(lines) + "\n"

    def digest(self):
        return hashlib.sha256(self.state_text().encode()).hexdigest()

    def __eq__(self, other):
        if not isinstance(other, Hand):
            return NotImplemented
        cdef Hand that = <Hand>other
        return (self.compiled.tag == that.compiled.tag
                and memcmp(&self.s, &that.s, sizeof(State)) == 0)

    __hash__ = None

    def playout(self, seed):
        cdef uint64_t chance = (<uint64_t>(seed & 0xFFFFFFFFFFFFFFFF)) | 1
        cdef int before, after
        self.steps = None
        with nogil:
            before = play_out(&self.s, &self.compiled.c, &chance, PLAYING)
            after = play_out(&self.s, &self.compiled.c, &chance, OVER) if before >= 0 else 0
        if before < 0 or after < 0:
            raise InvalidState("a seat is asked and can do nothing: the state was not reached by play")
        return before + after

    def playouts(self, int count, seed):
        cdef uint64_t first = seed & 0xFFFFFFFFFFFFFFFF
        cdef State* ends
        cdef int done = 0, some, failed = 0
        cdef Hand end = self.clone()
        sums = Sums(self.compiled.c.teams)
        if count < 1:
            raise ValueError("at least one playout")
        ends = <State*>malloc(min(count, AT_ONCE) * sizeof(State))
        if not ends:
            raise MemoryError
        try:
            while done < count:
                some = min(count - done, AT_ONCE)
                with nogil:
                    failed = play_out_many(&self.s, &self.compiled.c, first + done, ends, some)
                if failed:
                    raise InvalidState("a seat is asked and can do nothing: the state was not reached by play")
                for i in range(some):
                    memcpy(&end.s, &ends[i], sizeof(State))
                    sums.add(end)
                done += some
        finally:
            free(ends)
        return sums.total(count)


include "_setting_up.pxi"
include "_telling.pxi"
include "_observing.pxi"
include "_playouts.pxi"
