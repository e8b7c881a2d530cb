# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""One hand of Gouji as a Python object: the door to the compiled rules. Documented in ``hand.pyi``."""

import hashlib

from collections import Counter

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from gouji.engine._answers cimport begin_play
from gouji.engine._codes cimport text_of, text_of_play
from gouji.engine._game cimport apply, check, close_answers, list_actions
from gouji.engine._plays cimport holds_opening, list_bound, read_play
from gouji.engine._prelude cimport enter, tribute_due
from gouji.engine._rules cimport CompiledRules, compiled
from gouji.engine._sanity cimport is_sane
from gouji.engine._scores cimport score
from gouji.engine._state cimport (
    ADVANCE, BIG, BUY, MAX_DEBTS, NONE, OVER, PLAYING, Q_BURN, Q_LAST, Q_LEAD, Q_NOTHING, Q_REDEAL, Q_RETURN,
    Q_REVOLT, Q_SINK, RANKS, SEATS, SMALL, TOTAL, TRIBUTE, TWO, Log, Play, Rules, State, has, has_head, jokers,
    pack, pack_value, same_team,
)

from gouji.engine import events
from gouji.engine._codes import cost_of, decode, encode, return_cost
from gouji.engine.actions import OF_SEAT, Action, ActionKind
from gouji.engine.cards import RANKS as RANK_TEXT
from gouji.engine.cards import Card, counts_of, parse_cards
from gouji.engine.deal import deal_cards
from gouji.engine.errors import IllegalAction, InvalidState
from gouji.engine.observation import Observation, SeatView
from gouji.engine.reasons import Reason
from gouji.engine.rules import RULES_VERSION, RuleSet
from gouji.engine.tribute import KINDS, Aftermath, Debt, owed, tribute_scores

_REASONS = (None, *Reason)
_PHASES = ("advance", "redeal", "tribute", "buy", "call", "sink", "lay_off", "revolt", "play", "last", "over")
_QUESTIONS = ("answer", "last_word", "gouji", "burn", "revolt", "head", "lead", None, "call", "double", "redeal",
              "take", "pay", "return", "accept", "buy", "give", "sink", "lay_off", "contest", "last")
_FROM_HAND = (ActionKind.PLAY, ActionKind.BURN, ActionKind.PAY, ActionKind.RETURN, ActionKind.BUY_WITH, ActionKind.GIVE)
_JUDGED_WHOLE = (ActionKind.LAY_OFF, ActionKind.LAST, ActionKind.ASK)
_FAULTS = (Reason.CARDS_NOT_HELD, Reason.NOT_ONE_BASE, Reason.WRONG_COUNT, Reason.DOES_NOT_BEAT,
           Reason.THREES_LAST, Reason.THREES_WHOLE)
LEADING = int(ActionKind.PLAY)
_MAGIC = b"GJ\x02"
QUESTIONS = tuple([question for question in _QUESTIONS if question])
PHASES = ("play", "revolt", "tribute", "buy", "advance", "call", "sink", "lay_off")
_RANK = tuple(RANK_TEXT)


cdef tuple seats_of(int mask):
    return tuple([seat for seat in range(SEATS) if has(mask, seat)])


cdef object seat_or_none(int seat):
    return None if seat == NONE else seat


cdef class Hand:
    """One hand from the deal to its result; see ``hand.pyi``."""

    cdef State s
    cdef CompiledRules compiled
    cdef readonly object rules

    def __cinit__(self):
        cdef int seat, place
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
    def deal(rules, seed, leader=None, *, held=False, after=None, first_hand=True):
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
        hand.owe(() if after is None else owed(rules, after))
        enter(&hand.s, &hand.compiled.c, ADVANCE, &log)
        return hand

    @staticmethod
    def position(rules, hands, lead, *, finished=(), opened=(), burning=(), revolted=(), phase="play", owed=(),
                 first_hand=False, held=False):
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
            raise InvalidState("no seat holds cards")
        hand.look_at_resisting()
        hand.owe(owed)
        if phase == "play":
            begin_play(&hand.s, &hand.compiled.c, lead, &log)
        else:
            enter(&hand.s, &hand.compiled.c, _PHASES.index(phase), &log)
        return hand

    @staticmethod
    def from_observation(observation):
        return _from_observation(observation)

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
            raise InvalidState(f"more than {MAX_DEBTS} tributes are owed")
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
        return bool(self.s.may_yield)

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
        return tuple([
            Debt(self.s.debts[i].payer, self.s.debts[i].receiver, KINDS[self.s.debts[i].kind], self.s.debts[i].cards)
            for i in range(self.s.next_debt, self.s.n_debts)
        ])

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

    def legal_codes(self):
        cdef uint64_t* found
        cdef int i, n
        if self.s.turn == NONE:
            return []
        found = <uint64_t*>malloc(list_bound(&self.s, self.s.turn) * sizeof(uint64_t))
        if not found:
            raise MemoryError
        try:
            n = list_actions(&self.s, &self.compiled.c, found)
            return [found[i] for i in range(n)]
        finally:
            free(found)

    def legal_actions(self):
        return [self.decode(code) for code in self.legal_codes()]

    def refusal(self, action):
        if isinstance(action, int):
            if not 0 <= action < 1 << 64:
                return Reason.UNKNOWN_ACTION
            return _REASONS[check(&self.s, &self.compiled.c, action)]
        return self.refusal_of(action)

    cdef object refusal_of(self, object action):
        cdef int rank, seat = action.seat
        # What comes before the cards is judged first, on the action without them.
        bare = (pack_value(0, int(action.kind), 0) | ((seat & 7) << (5 if action.kind is ActionKind.RETURN else 25)))
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
        if self.s.phase != TRIBUTE and self.s.phase != BUY:
            apply(&self.s, &self.compiled.c, code, &log)
            return self.told(&log, ())
        before = [Counter(self.cards(seat)) for seat in range(SEATS)]
        apply(&self.s, &self.compiled.c, code, &log)
        return self.told(&log, [Counter(self.cards(seat)) - before[seat] for seat in range(SEATS)])

    cdef uint64_t lawful(self, object action) except? 0xFFFFFFFFFFFFFFFF:
        """Pack an action if it is legal; a fault may cost the turn (R9.13)."""
        cdef Play nothing
        why = self.refusal(action)
        if why is None:
            return action if isinstance(action, int) else encode(action)
        memset(&nothing, 0, sizeof(Play))
        if self.rules["fault_costs_turn"] and why in _FAULTS and self.s.turn != NONE:
            passing = pack(self.s.turn, 0, nothing)
            if check(&self.s, &self.compiled.c, passing) == 0:
                return passing
        raise IllegalAction(why, action if isinstance(action, Action) else None)

    def advance(self, code):
        cdef Log log
        cdef uint64_t packed = code
        cdef int why = check(&self.s, &self.compiled.c, packed)
        log.n = 0
        if why:
            raise IllegalAction(_REASONS[why])
        apply(&self.s, &self.compiled.c, packed, &log)

    def advance_all(self, const uint64_t[::1] codes):
        cdef Py_ssize_t i
        cdef int why = 0
        cdef Log log
        with nogil:
            for i in range(codes.shape[0]):
                why = check(&self.s, &self.compiled.c, codes[i])
                if why:
                    break
                log.n = 0
                apply(&self.s, &self.compiled.c, codes[i], &log)
        if why:
            raise IllegalAction(_REASONS[why])

    def close_answers(self):
        cdef Log log
        log.n = 0
        if not self.s.window or self.s.turn != NONE or self.s.phase == OVER:
            raise ValueError("no answers are waiting to be closed")
        close_answers(&self.s, &self.compiled.c, &log)
        return self.told(&log, ())

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
            return events.SeatStruck(a, text_of(self.s.counts[a]))
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

    cdef int shown_count(self, int seat, object viewer):
        cdef int held = self.s.counts[seat][TOTAL]
        if viewer == seat or held == 0:
            return held
        # R9.11: 36 is every card of four packs, and means always.
        if self.compiled.c.threes_last or (held > self.compiled.c.report_at and self.compiled.c.report_at < 36):
            return -1
        if self.compiled.c.on_request and (viewer is None or not has(self.s.asked[<int>viewer], seat)):
            return -1
        return held

    cdef tuple may_ask(self, int viewer):
        """Whose counts a seat may still ask for (R9.11)."""
        if not self.compiled.c.on_request or self.s.phase != PLAYING:
            return ()
        asked = self.s.asked[viewer] | (1 << viewer)
        return tuple([seat for seat in range(SEATS) if has(self.s.in_mask, seat) and not has(asked, seat)])

    cdef str shown_hand(self, int seat, object viewer):
        """R9.12: a team-mate's hand, for who has finished, or once it holds few cards; else nothing."""
        cdef int place = -1 if viewer is None else viewer
        if place < 0 or not self.rules["coach"] or place == seat or not same_team(place, seat):
            return ""
        if not self.compiled.c.teams or not has(self.s.in_mask, seat):
            return ""
        finished = place in self.finished
        few = self.s.counts[seat][TOTAL] <= self.compiled.c.report_at
        return text_of(self.s.counts[seat]) if finished or few else ""

    # Copies and bytes

    def clone(self):
        cdef Hand other = Hand.__new__(Hand)
        memcpy(&other.s, &self.s, sizeof(State))
        other.compiled = self.compiled
        other.rules = self.rules
        return other

    __copy__ = clone

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return Hand.from_bytes, (self.to_bytes(), self.rules)

    def to_bytes(self):
        return _MAGIC + self.compiled.tag + (<char*>&self.s)[:sizeof(State)]

    def digest(self):
        return hashlib.sha256(self.to_bytes()).hexdigest()

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
        with nogil:
            before = play_out(&self.s, &self.compiled.c, &chance, PLAYING)
            after = play_out(&self.s, &self.compiled.c, &chance, OVER) if before >= 0 else 0
        if before < 0 or after < 0:
            raise InvalidState("a seat is asked and can do nothing: the state was not reached by play")
        return before + after


cdef tuple in_order(object cards):
    return tuple(sorted(cards.elements(), reverse=True))


cdef object tell_of_prelude(int kind, int a, int b, int c, object gained):
    if kind == 10:
        return events.TributePaid(a, b, in_order(gained[b]))
    if kind == 11:
        return events.TributeReturned(a, b, in_order(gained[b]))
    if kind == 12:
        return events.CardBought(a, b, in_order(gained[a]), in_order(gained[b]))
    if kind == 13:
        return events.TributeResisted(a, b, KINDS[c])
    if kind == 14:
        return events.FoursSunk(a)
    return events.RanksLaidOff(("", "3", "4", "34")[a & 3])


cdef int play_out(State* s, const Rules* rules, uint64_t* chance, int until) noexcept nogil:
    """Play uniformly at random until a phase begins; count the actions, or give -1 if that is not possible."""
    cdef uint64_t* found = NULL
    cdef int seat, room = 0, most, n, actions = 0
    while s.phase < until:
        # Hands grow before the play, and only shrink in it.
        if s.phase < PLAYING or not room:
            most = 16
            for seat in range(SEATS):
                most = max(most, list_bound(s, seat))
            if most > room:
                free(found)
                room = most
                found = <uint64_t*>malloc(room * sizeof(uint64_t))
        if found == NULL:
            return -1
        n = random_action(s, rules, chance, found)
        if n < 0:
            free(found)
            return -1
        actions += n
    free(found)
    return actions


cdef int random_action(State* s, const Rules* rules, uint64_t* chance, uint64_t* found) noexcept nogil:
    cdef Log log
    cdef int n
    log.n = 0
    if s.turn == NONE:
        close_answers(s, rules, &log)
        return 0
    n = list_actions(s, rules, found)
    if not n:
        return -1
    chance[0] ^= chance[0] << 13
    chance[0] ^= chance[0] >> 7
    chance[0] ^= chance[0] << 17
    apply(s, rules, found[(chance[0] >> 11) % <uint64_t>n], &log)
    return 1


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
            raise InvalidState(f"hand {seat} holds more than six packs have, or over 252 cards")
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
            raise InvalidState("one seat may have revolted, or two with `two_revolts: allow` (R9.1)")
        s.order[place] = seat
        s.revolted |= 1 << seat
        s.in_mask &= ~(1 << seat)
    for seat in finished:
        if s.counts[_seat(seat)][TOTAL] or seat in hand.places_taken():
            raise InvalidState(f"seat {seat} cannot have finished: it holds cards, or stands twice")
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
        if rank >= SMALL:
            cards += [Card(rank, -1)] * left
            continue
        for suit in range(3, -1, -1):
            of_suit = min(left, (s.suits[seat][rank] >> (4 * suit)) & 15)
            cards += [Card(rank, suit)] * of_suit
            left -= of_suit
        # A position seen from a seat knows no suits of what others hold.
        cards += [Card(rank, 0)] * left
    return tuple(cards)


def _view(Hand hand, int seat, viewer):
    cdef State* s = &hand.s
    return SeatView(
        cards_left=hand.shown_count(seat, viewer),
        is_in=bool(has(s.in_mask, seat)),
        place=hand.places[seat],
        passed=bool(has(s.passed, seat)),
        has_head=bool(has_head(s, seat)),
        # What a deal means by itself shows with the deal.
        opened=bool(has(s.opened, seat)) and s.phase != ADVANCE,
        burning=bool(has(s.burning, seat)),
        revolted=bool(has(s.revolted, seat)),
        struck=bool(has(s.struck, seat)),
        choked_by=dict(hand.choked).get(seat),
        stuck=bool(has(s.stuck, seat)),
        played=text_of(s.played[seat]),
        kept_head=s.kept[seat],
        shown=hand.shown_hand(seat, viewer),
    )


def _observe(Hand hand, viewer):
    asked = hand.turn
    if viewer is not None:
        _seat(viewer)
    mine = asked is not None and asked == viewer
    return Observation(
        rules=hand.rules,
        seat=viewer,
        phase=hand.phase,
        cards=() if viewer is None or hand.s.phase == ADVANCE else hand.cards(viewer),
        seats=tuple([_view(hand, seat, viewer) for seat in range(SEATS)]),
        table=hand.table,
        table_seat=hand.table_seat,
        table_is_gouji=hand.table_is_gouji,
        trick_leader=hand.trick_leader,
        scramble=hand.scramble,
        turn=asked if mine or not hand.private else None,
        answers_open=(hand.s.held and hand.window) or hand.private,
        question=hand.question if mine else None,
        may_yield=mine and hand.may_yield,
        finished=hand.finished,
        felt=None if viewer is None else seat_or_none(hand.s.felt[<int>viewer]),
        choices=tuple(hand.legal_actions()) if mine and (hand.s.phase != PLAYING or hand.s.fours_due != NONE) else (),
        may_feel=mine and hand.s.feels[<int>viewer] < hand.compiled.c.feel,
        may_ask=hand.may_ask(viewer) if mine else (),
        debt=hand.debt,
    )


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
        s.may_yield = seen.may_yield
        s.feels[<int>seen.seat] = 0 if seen.may_feel else 255
        s.asked[<int>seen.seat] = 63 & ~sum([1 << _seat(seat) for seat in seen.may_ask])
        if s.question > Q_BURN and s.question != Q_LEAD or (s.question == Q_LEAD) != (not seen.table):
            raise InvalidState("only a lead has no play to beat")
    return hand
