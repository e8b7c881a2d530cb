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
from gouji.engine._sanity cimport is_sane
from gouji.engine._scores cimport score
from gouji.engine._sight cimport Sight, is_hidden, look, shown_count, shows_hand
from gouji.engine._state_text cimport state_lines
from gouji.engine._state cimport (
    ADVANCE, BIG, BUY, MAX_DEBTS, NONE, OVER, PLAYING, Q_BURN, Q_LAST, Q_LEAD, Q_NOTHING, Q_REDEAL, Q_RETURN,
    Q_REVOLT, Q_SINK, RANKS, SEATS, SMALL, TOTAL, TRIBUTE, TWO, Log, Play, Rules, State, has, has_head, jokers,
    pack, pack_value,
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
                 first_hand=False, held=False, history=False):
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
        hand.owe(owed)
        if phase == "play":
            begin_play(&hand.s, &hand.compiled.c, lead, &log)
        else:
            enter(&hand.s, &hand.compiled.c, _PHASES.index(phase), &log)
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
        cdef int seat
        self.look_at_resisting()
        for seat in range(SEATS):
            if (self.compiled.c.opening and self.compiled.c.natural_open
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
        return self.s.question in (Q_BURN, Q_REVOLT, Q_REDEAL, Q_SINK)

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
        return declines_privately(&self.s, code & 31)

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
            return self.decode(min([code for code in codes if code & 31 == LEADING], key=cost_of))
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


cdef enum:
    AT_ONCE = 256       # playouts whose ends are kept before they are summed up


class Sums:
    """Adds up how hands end."""

    def __init__(self, teams):
        self.void = 0
        self.places = [[0] * SEATS for _ in range(SEATS)]
        self.scores = [0] * SEATS
        self.team_scores = [0, 0] if teams else None

    def add(self, hand):
        if hand.void:
            self.void += 1
            return
        for place, seat in enumerate(hand.order):
            self.places[seat][place] += 1
        self.scores = [total + points for total, points in zip(self.scores, hand.scores)]
        if self.team_scores is not None:
            self.team_scores = [total + points for total, points in zip(self.team_scores, hand.team_scores)]

    def total(self, count):
        teams = None if self.team_scores is None else tuple(self.team_scores)
        return Playouts(count, self.void, tuple(map(tuple, self.places)), tuple(self.scores), teams)


cdef int play_out_many(const State* start, const Rules* rules, uint64_t seed, State* ends, int count) noexcept nogil:
    """Play a position to its end again and again, each time with a chance of its own; 0, or 1 if that cannot be."""
    cdef uint64_t chance
    cdef int i
    for i in range(count):
        ends[i] = start[0]
        chance = scattered(seed + i) | 1
        if play_out(&ends[i], rules, &chance, PLAYING) < 0 or play_out(&ends[i], rules, &chance, OVER) < 0:
            return 1
    return 0


cdef inline uint64_t scattered(uint64_t seed) noexcept nogil:
    # SplitMix64: neighbouring seeds give chances that have nothing in common.
    seed += <uint64_t>0x9E3779B97F4A7C15
    seed = (seed ^ (seed >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    seed = (seed ^ (seed >> 27)) * <uint64_t>0x94D049BB133111EB
    return seed ^ (seed >> 31)


cdef tuple in_order(object cards):
    return tuple(sorted(cards.elements(), reverse=True))


cdef object tell_of_prelude(int kind, int a, int b, int c, object gained):
    if kind == 10:
        return events.TributePaid(a, b, in_order(gained[b]))
    if kind == 11:
        return events.TributeReturned(a, b, in_order(gained[b]), c)
    if kind == 12:
        return events.CardBought(a, b, in_order(gained[a]), in_order(gained[b]))
    if kind == 13:
        return events.TributeResisted(a, b, KINDS[c])
    if kind == 14:
        return events.FoursSunk(a)
    return events.RanksLaidOff(("", "3", "4", "34")[a & 3])


cdef Hand new_hand(object rules):
    cdef Hand hand = Hand.__new__(Hand)
    hand.rules = rules
    hand.compiled = compiled(rules)
    return hand


def _seat(seat):
    if not isinstance(seat, int) or not 0 <= seat < SEATS:
        raise InvalidState(f"{seat!r} is not a seat, 0 to 5")
    return seat


cdef void give_cards(State* s, int seat, object cards):
    cdef int rank, suit
    for card in cards:
        rank = card[0]
        suit = card[1]
        s.counts[seat][rank] += 1
        s.counts[seat][TOTAL] += 1
        if suit >= 0:
            s.suits[seat][rank] += 1 << (4 * suit)
    s.in_mask |= 1 << seat


cdef int place_cards(State* s, object hands) except -1:
    """Take hands as text; suits, which a position does not give, go round."""
    cdef int seat, rank
    if len(hands) != SEATS:
        raise InvalidState(f"a position has 6 hands, not {len(hands)}")
    for seat in range(SEATS):
        counts = counts_of(parse_cards(hands[seat]))
        if sum(counts) > 252 or max(counts[:SMALL]) > 24 or max(counts[SMALL:]) > 6:
            raise InvalidState(f"hand {seat} holds more than six packs have, or over 252 cards", "hands")
        for rank in range(RANKS):
            give_cards(s, seat, [(rank, i % 4 if rank < SMALL else -1) for i in range(counts[rank])])
        if not s.counts[seat][TOTAL]:
            s.in_mask &= ~(1 << seat)
    return 0


def _set_places(Hand hand, finished, revolted):
    cdef State* s = &hand.s
    cdef int place, seat
    for seat in revolted:
        _seat(seat)
        place = 3 if s.order[3] == NONE else 2
        if has(s.revolted, seat) or s.order[place] != NONE or (place == 2 and not hand.compiled.c.allow_two_revolts):
            raise InvalidState("one seat may have revolted, or two with `two_revolts: allow` (R9.1)", "revolted")
        s.order[place] = seat
        s.revolted |= 1 << seat
        s.in_mask &= ~(1 << seat)
    for seat in finished:
        if s.counts[_seat(seat)][TOTAL] or seat in hand.places_taken():
            raise InvalidState(f"seat {seat} cannot have finished: it holds cards, or stands twice", "finished")
        place = 0
        while s.order[place] != NONE:
            place += 1
        s.order[place] = seat
        s.finished[s.n_finished] = seat
        s.n_finished += 1
    for seat in range(SEATS):
        if not s.counts[seat][TOTAL] and seat not in hand.places_taken():
            place = SEATS - 1
            while s.order[place] != NONE:
                place -= 1
            s.order[place] = seat


cdef tuple held_cards(State* s, int seat):
    """A hand high to low: of each rank the highest suits dealt, since the lowest leave first."""
    cdef int rank, suit, left, of_suit
    cards = []
    for rank in range(RANKS - 1, -1, -1):
        left = s.counts[seat][rank]
        if not left:
            continue
        if rank >= SMALL:
            cards += [_CARDS[rank][0]] * left
            continue
        for suit in range(3, -1, -1):
            of_suit = min(left, (s.suits[seat][rank] >> (4 * suit)) & 15)
            if of_suit:
                cards += [_CARDS[rank][suit]] * of_suit
                left -= of_suit
        # A position seen from a seat knows no suits of what others hold.
        if left:
            cards += [_CARDS[rank][0]] * left
    return tuple(cards)


cdef object _view(Hand hand, int seat, int viewer, object bounds):
    cdef State* s = &hand.s
    cdef int i
    cdef bint burns = has(s.burning, seat)
    played = text_of(s.played[seat])
    choker = None
    for i in range(s.n_choked):
        if s.choked[i] == seat:
            choker = s.chokers[i]
    return SeatView(
        shown_count(s, &hand.compiled.c, seat, viewer),
        bool(has(s.in_mask, seat)),
        place_of(s, seat),
        bool(has(s.passed, seat)),
        bool(has_head(s, seat)),
        # What a deal means by itself shows with the deal.
        bool(has(s.opened, seat)) and s.phase != ADVANCE,
        burns,
        bool(has(s.revolted, seat)),
        bool(has(s.struck, seat)),
        choker,
        bool(has(s.stuck, seat)),
        played,
        s.kept[seat],
        text_of(s.counts[seat]) if shows_hand(s, &hand.compiled.c, seat, viewer) else "",
        known_cards(bounds[seat], played) if seat in bounds and seat != viewer else "",
        ("", "open", "advance")[s.calls[seat]],
        seat_or_none(s.victims[seat]) if burns else None,
        s.doublings[seat] if burns else 0,
    )


cdef int place_of(const State* s, int seat):
    cdef int place
    for place in range(SEATS):
        if s.order[place] == seat:
            return place + 1
    return 0


def _observe(Hand hand, viewer):
    cdef State* s = &hand.s
    cdef int eye = NONE if viewer is None else _seat(viewer)
    cdef bint hidden = is_hidden(s, eye)
    cdef bint mine = not hidden and s.turn == eye
    cdef bint unseen = s.phase == ADVANCE or viewer is None
    history = None if hand.steps is None else tuple([shown(step, viewer) for step in hand.steps])
    bounds = {} if history is None else bounds_of(history)
    return Observation(
        rules=hand.rules,
        seat=viewer,
        phase=hand.phase,
        cards=() if unseen else hand.cards(viewer),
        seats=tuple([_view(hand, seat, eye, bounds) for seat in range(SEATS)]),
        table=hand.table,
        table_seat=hand.table_seat,
        table_is_gouji=hand.table_is_gouji,
        trick_leader=hand.trick_leader,
        scramble=hand.scramble,
        turn=None if hidden else hand.turn,
        answers_open=bool(s.held and s.window) or (hidden and s.phase != OVER) or (mine and hand.private),
        question=hand.question if mine else None,
        may_yield=mine and hand.may_yield,
        finished=hand.finished,
        felt=None if viewer is None else seat_or_none(s.felt[eye]),
        choices=tuple(hand.legal_actions()) if mine and (s.phase != PLAYING or s.fours_due != NONE) else (),
        may_feel=mine and s.feels[eye] < hand.compiled.c.feel,
        may_ask=hand.may_ask(viewer) if mine else (),
        debt=hand.debt,
        first_leader=hand.first_leader,
        table_is_dead=bool(s.dead),
        aside="" if unseen else text_of(s.aside[eye]),
        laid_off=("", "3", "4", "34")[s.aside[0][TOTAL] & 3],
        doubled=hand.doubled,
        owes=hand.owes,
        burns=hand.burns,
        dealt=() if unseen or hand.dealt is None else hand.dealt[viewer],
        history=history,
        position=_position(hand, eye),
    )


cdef bytes _position(Hand hand, int viewer):
    cdef Sight sight
    look(&hand.s, &hand.compiled.c, viewer, &sight)
    return _SIGHT + hand.compiled.tag + (<char*>&sight)[:sizeof(Sight)]


def _drawn(seen, seed):
    cdef Hand hand = new_hand(seen.rules)
    cdef Sight sight
    cdef Bounds bounds
    cdef const uint8_t* raw
    head = _SIGHT + hand.compiled.tag
    if len(seen.position) != len(head) + sizeof(Sight) or not seen.position.startswith(head):
        raise InvalidState("this observation's position is not one of these rules and this version")
    raw = seen.position
    memcpy(&sight, raw + <size_t>len(head), sizeof(Sight))
    set_bounds(seen, &bounds)
    if not draw(&sight, &hand.compiled.c, &bounds, seed, &hand.s):
        raise InvalidState("no hand was found that fits this observation")
    if seen.history is not None:
        hand.steps = seen.history
        hand.dealt = tuple([seen.dealt if seat == seen.seat else () for seat in range(SEATS)])
    return hand


cdef int set_bounds(seen, Bounds* bounds) except -1:
    """Take over what the history tells of the cards that others hold now (R8, R9.6)."""
    cdef int seat, rank, suit, most
    memset(bounds, 0, sizeof(Bounds))
    memset(bounds.most, 255, sizeof(bounds.most))
    for (rank, suit), most in suits_for(seen.rules).items():
        bounds.suits[rank][suit] = most
    if seen.rules["natural_open"] and seen.phase != "advance":
        opened = {seat for seat in range(SEATS) if seen.seats[seat].opened}
        bounds.unnatural = sum([1 << seat for seat in range(SEATS) if seat not in opened])
        if seen.history is not None:
            bounds.natural = sum([1 << seat for seat in opened - opened_in(seen.history)])
    if seen.history is None:
        return 0
    for seat, known in bounds_of(seen.history).items():
        if seat == seen.seat:
            continue
        played = counts_of(seen.seats[seat].played)
        for rank in range(RANKS):
            bounds.least[seat][rank] = min(255, max(0, known.least[rank] - played[rank]))
            most = known.most[rank]
            bounds.most[seat][rank] = 255 if most >= 255 else max(0, most - played[rank])
            bounds.received[seat][rank] = min(255, known.received[rank]) if seen.phase in ("tribute", "buy") else 0
    return 0


def _from_observation(seen):
    cdef Hand hand = new_hand(seen.rules)
    cdef State* s = &hand.s
    cdef uint8_t counts[16]
    cdef int seat, rank
    if seen.phase != "play":
        raise InvalidState("outside the play an observation lists its choices")
    s.phase = PLAYING
    s.trick_leader = s.first_leader = _seat(seen.trick_leader)
    s.scramble = seen.scramble
    if len(seen.seats) != SEATS or len(seen.cards) > 252:
        raise InvalidState("an observation has six seats and one hand")
    for seat in range(SEATS):
        view = seen.seats[seat]
        s.in_mask |= view.is_in << seat
        s.passed |= view.passed << seat
        s.opened |= view.opened << seat
        s.burning |= view.burning << seat
        s.revolted |= view.revolted << seat
        s.kept[seat] = min(max(view.kept_head, 0), 3)
    if seen.seat is not None:
        in_before = s.in_mask
        give_cards(s, _seat(seen.seat), seen.cards)
        s.in_mask = in_before
        if max([s.counts[<int>seen.seat][rank] for rank in range(SMALL)]) > 24 or jokers(s.counts[<int>seen.seat]) > 12:
            raise InvalidState("a hand holds more than six packs have")
    if seen.table:
        held = counts_of(seen.table)
        for rank in range(RANKS):
            counts[rank] = min(held[rank], 255)
        if not read_play(counts, &s.table):
            raise InvalidState("the table holds no play")
        s.table_seat = _seat(seen.table_seat)
        s.gouji = seen.table_is_gouji
    if seen.question is not None and seen.seat is None:
        raise InvalidState("a spectator is not asked")
    if seen.question is not None:
        s.question = _QUESTIONS.index(seen.question)
        s.turn = seen.seat
        s.feels[<int>seen.seat] = 0 if seen.may_feel else 255
        s.asked[<int>seen.seat] = 63 & ~sum([1 << _seat(seat) for seat in seen.may_ask])
        if s.question > Q_BURN and s.question != Q_LEAD or (s.question == Q_LEAD) != (not seen.table):
            raise InvalidState("only a lead has no play to beat")
    return hand
