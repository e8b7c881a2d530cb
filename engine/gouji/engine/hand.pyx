# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""One hand of Gouji as a Python object: the door to the compiled rules. Documented in ``hand.pyi``."""

import hashlib

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from gouji.engine._answers cimport advance, apply, ask_revolts, begin_play, check, list_actions
from gouji.engine._plays cimport holds_opening, list_bound, read_play
from gouji.engine._scores cimport score
from gouji.engine._state cimport (
    BIG, MAX_ASKS, NONE, OVER, PLAYING, Q_ANSWER, Q_BURN, Q_GOUJI, Q_HEAD, Q_LEAD, Q_NOTHING, Q_REVOLT, RANKS, SEATS, SMALL, TOTAL, TWO,
    Log, Play, Rules, State, has, has_head, jokers, pack, unpack,
)

from gouji.engine import events
from gouji.engine.actions import Action, ActionKind
from gouji.engine.cards import RANKS as RANK_TEXT
from gouji.engine.cards import Card, counts_of, parse_cards
from gouji.engine.deal import deal_cards
from gouji.engine.errors import IllegalAction, InvalidState, NotBuilt
from gouji.engine.observation import Observation, SeatView
from gouji.engine.reasons import Reason
from gouji.engine.rules import RULES_VERSION, RuleSet

_REASONS = (None, *Reason)
_PHASES = ("revolt", "play", "over")
_QUESTIONS = ("answer", "last_word", "gouji", "burn", "revolt", "head", "lead", None)
_KINDS = tuple(ActionKind)
_MAGIC = b"GJ\x01"
PHASES = ("play", "revolt", "tribute", "buy", "advance", "call", "sink", "lay_off")
_RANK = tuple(RANK_TEXT)


cdef class CompiledRules:
    """A rule set's options as the C struct; made once a rule set and kept with it."""

    cdef Rules c
    cdef bytes tag


cdef CompiledRules compiled(object rules):
    made = rules.__dict__.get("_compiled")
    if made is None:
        made = compile_rules(rules)
        rules.__dict__["_compiled"] = made
    return <CompiledRules>made


cdef CompiledRules compile_rules(object rules):
    cdef CompiledRules made = CompiledRules.__new__(CompiledRules)
    cdef Rules* c = &made.c
    value = rules.values
    c.teams = value["teams"]
    c.twos_wild = ("any", "with_joker_only", "never").index(value["twos_wild"])
    c.two_kills_one = value["big_joker_duel"] == "two_kills_one"
    c.swords = value["joker_duel"] == "swords"
    c.single_two_is_gouji = value["single_two_is_gouji"]
    c.big_joker_is_gouji = value["big_joker_is_gouji"]
    c.open_cards = ("pure", "twos_substitute", "any_but_big_joker").index(value["open_cards"])
    c.last_word_yielded = value["opposite_last_word"] == "yielded"
    c.yields = value["yield"]
    c.burn = value["burn"]
    c.burn_guard = value["burn_guard"]
    c.burn_team_mate = value["burn_team_mate"]
    c.counter_burn = value["counter_burn"]
    c.burn_needs_open = value["burn_needs_open"]
    c.burn_order = ("in_turn", "in_turn_team", "burn_first", "team_first").index(value["burn_order"])
    c.one_left = value["end_when"] == "one_left"
    c.individual = value["scoring"] == "individual"
    c.drop_negatives = value["negatives"] == "drop"
    c.revolution = value["revolution"] != "off"
    c.opening = value["opening"]
    c.no_open_on_lead = value["no_open_on_lead"]
    c.no_open_on_counter = value["no_open_on_counter"]
    c.natural_open = value["natural_open"]
    c.threes_last = value["threes_last"]
    c.first_choked_is_last = value["first_choked_is_last"]
    c.report_at = value["report_at"]
    text = f"{RULES_VERSION} {sorted((name, str(value)) for name, value in rules.values.items())}"
    made.tag = hashlib.sha256(text.encode()).digest()[:8]
    return made


cdef str text_of(const uint8_t* counts):
    cdef int rank
    return "".join([_RANK[rank] * counts[rank] for rank in range(RANKS - 1, -1, -1) if counts[rank]])


cdef str text_of_play(Play play):
    base = _RANK[play.base] * play.n if play.n else ""
    return _RANK[BIG] * play.z + _RANK[SMALL] * play.y + _RANK[TWO] * play.x + base


cdef tuple seats_of(int mask):
    return tuple([seat for seat in range(SEATS) if has(mask, seat)])


cdef object seat_or_none(int seat):
    return None if seat == NONE else seat


def decode(code):
    """Unpack an action."""
    cdef uint32_t packed = code
    kind = _KINDS[packed & 31]
    cards = text_of_play(unpack(packed)) if kind in (ActionKind.PLAY, ActionKind.BURN) else ""
    return Action((packed >> 25) & 7, kind, cards)


def encode(action):
    """Pack an action. Raises IllegalAction(not_one_base) for cards that are no play."""
    cdef uint8_t counts[16]
    cdef Play play
    cdef int rank
    memset(&play, 0, sizeof(Play))
    if action.kind in (ActionKind.PLAY, ActionKind.BURN):
        held = counts_of(action.cards)
        for rank in range(RANKS):
            counts[rank] = min(held[rank], 255)
        if not read_play(counts, &play):
            raise IllegalAction(Reason.NOT_ONE_BASE, action)
    return pack(action.seat, int(action.kind), play)


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
            self.s.victims[seat] = self.s.burners[seat] = self.s.burned[seat] = NONE
        self.s.table_seat = self.s.first_gouji = self.s.yielder = self.s.turn = NONE
        self.s.question = Q_NOTHING

    # Making one

    @staticmethod
    def deal(rules, seed, leader=None, *, held=False):
        rules.require_built()
        hands, first = deal_cards(seed, rules["first_leader"] if leader is None else leader)
        cdef Hand hand = new_hand(rules)
        cdef int seat
        cdef Log log
        log.n = 0
        hand.s.held = held
        hand.s.first_leader = first
        for seat in range(SEATS):
            give_cards(&hand.s, seat, hands[seat])
        hand.start(&log)
        return hand

    @staticmethod
    def position(rules, hands, lead, *, finished=(), opened=(), burning=(), revolted=(), phase="play"):
        rules.require_built(position=True)
        if phase not in PHASES:
            raise InvalidState(f"no phase {phase!r}")
        if phase not in ("play", "revolt"):
            raise NotBuilt(f"not built yet: phase {phase} (R3.1)")
        cdef Hand hand = new_hand(rules)
        cdef Log log
        log.n = 0
        place_cards(&hand.s, hands)
        hand.s.first_leader = _seat(lead)
        _set_places(hand, finished, revolted)
        for seat in opened:
            hand.s.opened |= 1 << _seat(seat)
        for seat in burning:
            hand.s.burning |= 1 << _seat(seat)
        if hand.s.in_mask == 0:
            raise InvalidState("no seat holds cards")
        if phase == "revolt":
            ask_revolts(&hand.s, &hand.compiled.c, &log)
        else:
            begin_play(&hand.s, &hand.compiled.c, lead, &log)
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

    cdef void start(self, Log* log):
        cdef int seat
        self.s.trick_leader = self.s.first_leader
        if self.compiled.c.opening and self.compiled.c.natural_open:
            for seat in range(SEATS):
                if not holds_opening(self.s.counts[seat], &self.compiled.c):
                    self.s.opened |= 1 << seat
        if self.compiled.c.revolution:
            ask_revolts(&self.s, &self.compiled.c, log)
        else:
            begin_play(&self.s, &self.compiled.c, self.s.first_leader, log)

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
        return self.s.question == Q_BURN or self.s.question == Q_REVOLT

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
    def scores(self):
        cdef int seats[6]
        cdef int teams[2]
        if self.s.phase != OVER or self.s.void_hand:
            return (0,) * SEATS
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
        cdef uint32_t* found
        cdef int i, n
        if self.s.turn == NONE:
            return []
        found = <uint32_t*>malloc(list_bound(&self.s, self.s.turn) * sizeof(uint32_t))
        if not found:
            raise MemoryError
        try:
            n = list_actions(&self.s, &self.compiled.c, found)
            return [found[i] for i in range(n)]
        finally:
            free(found)

    def legal_actions(self):
        return [decode(code) for code in self.legal_codes()]

    def refusal(self, action):
        cdef int why
        if isinstance(action, int):
            if not 0 <= action < 1 << 32:
                return Reason.UNKNOWN_ACTION
            why = check(&self.s, &self.compiled.c, action)
            return _REASONS[why]
        return self.refusal_of(action)

    cdef object refusal_of(self, object action):
        cdef Play nothing
        cdef int rank, seat = action.seat
        memset(&nothing, 0, sizeof(Play))
        # What comes before the cards is judged first, on the action without them.
        why = _REASONS[check(&self.s, &self.compiled.c, pack(seat & 7, int(action.kind), nothing))]
        if action.kind not in (ActionKind.PLAY, ActionKind.BURN):
            if action.kind is ActionKind.REVOLT and action.cards and why is None:
                return Reason.UNKNOWN_ACTION
            return why
        if why in (Reason.HAND_OVER, Reason.WRONG_PHASE, Reason.NOT_YOUR_TURN):
            return why
        wanted = counts_of(action.cards)
        for rank in range(RANKS):
            if wanted[rank] > self.s.counts[seat][rank]:
                return Reason.CARDS_NOT_HELD
        try:
            return _REASONS[check(&self.s, &self.compiled.c, encode(action))]
        except IllegalAction as illegal:
            return illegal.reason

    def apply(self, action):
        cdef Log log
        log.n = 0
        why = self.refusal(action)
        if why is not None:
            raise IllegalAction(why, action if isinstance(action, Action) else None)
        apply(&self.s, &self.compiled.c, action if isinstance(action, int) else encode(action), &log)
        return self.told(&log)

    def advance(self, code):
        cdef Log log
        cdef uint32_t packed = code
        cdef int why = check(&self.s, &self.compiled.c, packed)
        log.n = 0
        if why:
            raise IllegalAction(_REASONS[why])
        apply(&self.s, &self.compiled.c, packed, &log)

    def advance_all(self, const uint32_t[::1] codes):
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
        self.s.window = False
        advance(&self.s, &self.compiled.c, &log)
        return self.told(&log)

    cdef tuple told(self, Log* log):
        cdef int i
        return tuple([self.tell(log.notes[i]) for i in range(log.n)])

    cdef object tell(self, uint32_t item):
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
        return events.HandVoided() if kind == 8 else events.HandOver()

    def default_action(self):
        codes = self.legal_codes()
        if not codes:
            raise ValueError("nobody is asked")
        if self.s.question == Q_LEAD:
            return decode(min(codes, key=cost_of))
        # Passing stands first; staying and giving up the head come second.
        return decode(codes[1] if self.s.question in (Q_REVOLT, Q_HEAD) else codes[0])

    # Seeing

    def observe(self, seat):
        return _observe(self, seat)

    cdef int shown_count(self, int seat, object viewer):
        cdef int held = self.s.counts[seat][TOTAL]
        if viewer == seat or held == 0:
            return held
        if self.compiled.c.threes_last or held > self.compiled.c.report_at:
            return -1
        return held

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
        cdef uint32_t* found
        cdef int bound = 8, seat, n
        for seat in range(SEATS):
            bound = max(bound, list_bound(&self.s, seat))
        found = <uint32_t*>malloc(bound * sizeof(uint32_t))
        if not found:
            raise MemoryError
        with nogil:
            n = play_out(&self.s, &self.compiled.c, chance, found)
        free(found)
        return n


cdef int play_out(State* s, const Rules* rules, uint64_t chance, uint32_t* found) noexcept nogil:
    """Play uniformly at random to the end and count the actions."""
    cdef Log log
    cdef int n, actions = 0
    while s.phase != OVER:
        log.n = 0
        if s.turn == NONE:
            s.window = False
            advance(s, rules, &log)
            continue
        n = list_actions(s, rules, found)
        chance ^= chance << 13
        chance ^= chance >> 7
        chance ^= chance << 17
        apply(s, rules, found[(chance >> 11) % <uint64_t>n], &log)
        actions += 1
    return actions


cpdef tuple cost_of(code):
    """Order leads by what they give away: jokers, twos, cards, rank."""
    cdef Play play = unpack(code)
    twos = play.x + (play.n if play.base == TWO else 0)
    return (2 * play.z + play.y, twos, play.total, play.base)


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
        if s.order[3] != NONE:
            raise InvalidState("two seats have revolted: R9.1 `two_revolts: allow` is not built")
        s.order[3] = seat
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
        opened=bool(has(s.opened, seat)),
        burning=bool(has(s.burning, seat)),
        revolted=bool(has(s.revolted, seat)),
        struck=bool(has(s.struck, seat)),
        choked_by=dict(hand.choked).get(seat),
        stuck=bool(has(s.stuck, seat)),
        played=text_of(s.played[seat]),
        kept_head=s.kept[seat],
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
        cards=() if viewer is None else hand.cards(viewer),
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
    )


def _from_observation(seen):
    cdef Hand hand = new_hand(seen.rules)
    cdef State* s = &hand.s
    cdef uint8_t counts[16]
    cdef int seat, rank
    s.phase = _PHASES.index(seen.phase)
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
    if seen.question is not None:
        s.question = _QUESTIONS.index(seen.question)
        s.turn = seen.seat
        s.may_yield = seen.may_yield
        if (s.question == Q_LEAD) != (not seen.table) and s.phase == PLAYING:
            raise InvalidState("only a lead has no play to beat")
    return hand


cdef bint is_sane(const State* s) noexcept:
    """Whether a state read from bytes can be played on safely; it need not be reachable from a deal."""
    return (seats_are_sane(s) and cards_are_sane(s) and play_is_sane(&s.table)
            and (s.phase == OVER or asking_is_sane(s)))


cdef bint seats_are_sane(const State* s) noexcept:
    cdef int seat, placed = 0
    for seat in range(SEATS):
        for other in (s.order[seat], s.victims[seat], s.finished[seat], s.choked[seat], s.chokers[seat],
                      s.burners[seat], s.burned[seat]):
            if other > 5 and other != NONE:
                return False
        if s.kept[seat] > 3 or s.kept_won[seat] > 3:
            return False
        if s.order[seat] != NONE:
            if has(placed, s.order[seat]):
                return False
            placed |= 1 << s.order[seat]
    for other in (s.turn, s.table_seat, s.yielder, s.first_gouji):
        if other > 5 and other != NONE:
            return False
    for mask in (s.passed, s.opened, s.revolted, s.struck, s.stuck):
        if mask > 63:
            return False
    for flag in (s.may_yield, s.held, s.window, s.void_hand, s.gouji, s.dead, s.kept_play, s.choke_due,
                 s.won_with_joker, s.scramble):
        if flag > 1:
            return False
    if s.first_leader > 5 or s.trick_leader > 5 or s.burning & ~s.in_mask:
        return False
    # A seat is in or has a place, one of the two, until the hand is over.
    return s.phase == OVER or (s.phase < OVER and s.in_mask == (63 & ~placed) and (s.in_mask & (s.in_mask - 1)))


cdef bint cards_are_sane(const State* s) noexcept:
    cdef int seat, rank, total
    for seat in range(SEATS):
        total = 0
        for rank in range(RANKS):
            total += s.counts[seat][rank]
            if s.counts[seat][rank] > (24 if rank < SMALL else 6):
                return False
        if total != s.counts[seat][TOTAL] or (has(s.in_mask, seat) and not total and s.phase != OVER):
            return False
    return True


cdef bint play_is_sane(const Play* play) noexcept:
    if play.n > 24 or play.x > 24 or play.y > 6 or play.z > 6 or play.total != play.n + play.x + play.y + play.z:
        return False
    if play.n:
        return play.base <= TWO and not (play.x and play.base == TWO)
    return not play.x and play.base == (0 if not play.total else SMALL if play.y else BIG)


cdef bint asking_is_sane(const State* s) noexcept:
    cdef int i
    if s.may_yield and s.question != Q_ANSWER and s.question != Q_GOUJI:
        return False
    if s.n_finished > 5 or s.n_choked > 6 or s.n_burns > 6 or s.n_asks > MAX_ASKS or s.next_ask > s.n_asks:
        return False
    for i in range(s.n_asks):
        if (s.asks[i] & 7) > 5 or (s.asks[i] >> 3) > Q_HEAD or ((s.asks[i] >> 3) >= Q_REVOLT) != (s.phase != PLAYING):
            return False
    if (s.table.total > 0) != (s.table_seat != NONE) or (s.table.total and s.phase != PLAYING):
        return False
    if s.question == Q_LEAD:
        return s.phase == PLAYING and not s.table.total and not s.n_asks and has(s.in_mask, s.turn)
    if s.question == Q_NOTHING:
        return s.turn == NONE and s.held and s.window and (s.phase != PLAYING or s.table.total > 0)
    return (s.question <= Q_HEAD and s.next_ask < s.n_asks and s.turn <= 5 and has(s.in_mask, s.turn)
            and s.asks[s.next_ask] == (s.turn | (s.question << 3)) and (s.phase != PLAYING or s.table.total > 0))
