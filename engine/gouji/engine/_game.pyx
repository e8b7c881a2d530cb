# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""R3.1: a hand as one game: every action is judged, done and listed here, by the phase that it belongs to."""

from libc.stdint cimport uint8_t, uint64_t

from gouji.engine._answers cimport answer, check_play, list_answers_of, proceed
from gouji.engine._asking cimport ask_next
from gouji.engine._endings cimport name_last
from gouji.engine._prelude cimport check_prelude, decide, enter, list_prelude
from gouji.engine._state cimport (
    ACCEPT, ADVANCE, ASK, ASK_REDEAL, BURN, BUY, BUY_WITH, CALL, CALLING, CLOSE, DECLINE, DOUBLE, FEEL, GIVE,
    HAND_OVER, LASTS, LAST_KIND, LAY_OFF, LEGAL, MUST_LEAD, NAME_LAST, NONE, NOT_YOUR_TURN, NO_CALL, NO_HEAD, OVER,
    PASS, PAY, PLAY, PLAYING, Q_BURN, Q_CONTEST, Q_LAST_WORD, Q_LEAD, Q_REDEAL, Q_REVOLT, Q_SINK, REDEAL, REFUSE,
    RETURN, REVOLT, REVOLTS, SEATS, SINK, SINKING, STAY, TOTAL, TRIBUTE, UNKNOWN_ACTION, WRONG_PHASE, YIELD,
    YIELD_NOT_ALLOWED, Log, Play, Rules, State, has, opposite, pack_value, unpack, unpack_return,
)

cdef uint64_t CARD_BITS = 0x1FFFFE0
cdef uint64_t VALUE_BITS = 0x1E0


cdef inline int seat_in(uint64_t code) noexcept nogil:
    return (code >> 5) & 7 if code & 31 == RETURN else (code >> 25) & 7


cdef inline bint is_well_formed(uint64_t code) noexcept nogil:
    """Whether a packed action has no bits beside those that its kind uses."""
    cdef int kind = code & 31
    cdef uint8_t cards[16]
    if kind > LAST_KIND:
        return False
    if kind == RETURN:
        return unpack_return(code, cards)
    if kind == PLAY or kind == BURN or kind == REVOLT:
        return not code >> 28
    return not code >> 28 and not code & CARD_BITS & ~VALUE_BITS and (takes_value(kind) or not code & VALUE_BITS)


cdef inline bint takes_value(int kind) noexcept nogil:
    return (kind == REFUSE or kind == BUY_WITH or kind == GIVE or kind == NAME_LAST or kind == LAY_OFF
            or kind == ASK)


cdef bint belongs(const State* s, int kind) noexcept nogil:
    """Whether an action of this kind can be done in this phase at all."""
    if s.phase == PLAYING:
        return kind <= CLOSE or kind == FEEL or kind == ASK
    if s.phase == LASTS:
        return kind == NAME_LAST
    if s.phase == REVOLTS:
        return REVOLT <= kind <= NO_HEAD or (s.question == Q_CONTEST and (kind == PASS or kind == PLAY))
    if s.phase == ADVANCE:
        return kind == CALL or kind == NO_CALL or kind == DOUBLE or kind == DECLINE
    if s.phase == TRIBUTE:
        return PAY <= kind <= ACCEPT or kind == DECLINE
    if s.phase == BUY:
        return kind == BUY_WITH or kind == GIVE or kind == ACCEPT or kind == DECLINE
    if s.phase == CALLING:
        return kind == CALL or kind == NO_CALL
    return kind == DECLINE or kind == (
        ASK_REDEAL if s.phase == REDEAL else SINK if s.phase == SINKING else LAY_OFF)


cdef bint may_learn(const State* s, const Rules* rules, int kind, int other) noexcept nogil:
    """R9.11: whether the seat that is asked may feel its opposite's cards, or ask another seat for its count."""
    if kind == FEEL:
        return s.feels[s.turn] < rules.feel
    return (rules.on_request and other < SEATS and other != s.turn and not has(s.asked[s.turn], other)
            and has(s.in_mask, other))


cdef void learn(State* s, int kind, int other) noexcept nogil:
    if kind == ASK:
        s.asked[s.turn] |= 1 << other
        return
    s.feels[s.turn] += 1
    s.felt[s.turn] = (s.counts[opposite(s.turn)][TOTAL] + 2) // 5 * 5


cdef int check_playing(const State* s, const Rules* rules, int kind, uint64_t code) noexcept nogil:
    cdef Play play
    if kind == PLAY or kind == BURN:
        play = unpack(code)
        return check_play(s, rules, s.turn, kind, &play)
    if kind == FEEL or kind == ASK:
        return LEGAL if may_learn(s, rules, kind, (code >> 5) & 15) else WRONG_PHASE
    if s.question == Q_LEAD:
        return MUST_LEAD
    if kind == YIELD:
        return LEGAL if s.may_yield else YIELD_NOT_ALLOWED
    return LEGAL if kind == PASS or s.question == Q_LAST_WORD else WRONG_PHASE


cdef int check(const State* s, const Rules* rules, uint64_t code) noexcept nogil:
    """Why a packed action would be refused now, or 0. Reasons are tried in the order of reasons.py."""
    cdef int kind = code & 31
    if not is_well_formed(code):
        return UNKNOWN_ACTION
    if s.phase == OVER:
        return HAND_OVER
    if not belongs(s, kind):
        return WRONG_PHASE
    if seat_in(code) != s.turn:
        return NOT_YOUR_TURN
    if s.phase == PLAYING:
        return check_playing(s, rules, kind, code)
    if s.phase == LASTS:
        return LEGAL if ((code >> 5) & 15) < SEATS and has(s.in_mask, (code >> 5) & 15) else WRONG_PHASE
    return check_prelude(s, rules, kind, code)


cdef inline bint declines_privately(const State* s, int kind) noexcept nogil:
    if s.question == Q_BURN:
        return kind == PASS
    return (s.question == Q_REVOLT and kind == STAY) or (
        (s.question == Q_REDEAL or s.question == Q_SINK) and kind == DECLINE)


cdef void apply(State* s, const Rules* rules, uint64_t code, Log* log) noexcept nogil:
    """Do a packed action that `check` has found legal."""
    cdef int kind = code & 31
    if kind == FEEL or kind == ASK:
        learn(s, kind, (code >> 5) & 15)
        return
    if not declines_privately(s, kind):
        s.window = False
    s.may_yield = False
    if s.phase == PLAYING:
        answer(s, rules, kind, unpack(code), log)
    elif s.phase == LASTS:
        name_last(s, (code >> 5) & 15, log)
    else:
        decide(s, rules, kind, code, log)


cdef void close_answers(State* s, const Rules* rules, Log* log) noexcept nogil:
    """Go on in a held hand that waits."""
    s.window = False
    if s.phase == PLAYING:
        proceed(s, rules, log)
    elif not ask_next(s, rules):
        enter(s, rules, s.phase + 1, log)


cdef int list_lasts(const State* s, uint64_t* out) noexcept nogil:
    cdef int seat, n = 0
    for seat in range(SEATS):
        if has(s.in_mask, seat):
            out[n] = pack_value(s.turn, NAME_LAST, seat)
            n += 1
    return n


cdef int list_actions(const State* s, const Rules* rules, uint64_t* out) noexcept nogil:
    """Write all legal actions of the seat that is asked, packed; ``out`` has `list_bound` places."""
    if s.turn == NONE:
        return 0
    if s.phase == LASTS:
        return list_lasts(s, out)
    if s.phase != PLAYING:
        return list_prelude(s, rules, out)
    return list_learning(s, rules, out, list_answers_of(s, rules, out))


cdef int list_learning(const State* s, const Rules* rules, uint64_t* out, int n) noexcept nogil:
    cdef int seat
    if may_learn(s, rules, FEEL, 0):
        out[n] = pack_value(s.turn, FEEL, 0)
        n += 1
    if rules.on_request:
        for seat in range(SEATS):
            if may_learn(s, rules, ASK, seat):
                out[n] = pack_value(s.turn, ASK, seat)
                n += 1
    return n
