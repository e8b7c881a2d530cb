# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""R3.1: a hand as one game: every action is judged, done and listed here, by the phase that it belongs to."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from gouji.engine._state cimport *

# One unit, so that the compiler sees the way of an action whole: calls between modules cost three times the rules.
include "_plays.pxi"
include "_burns.pxi"
include "_asking.pxi"
include "_endings.pxi"
include "_answers.pxi"
include "_tribute.pxi"
include "_prelude.pxi"


cdef inline bint is_well_formed(uint64_t code) noexcept nogil:
    """Whether a packed action has no bits beside those that its kind uses."""
    cdef int kind = kind_in(code)
    cdef Play play
    cdef uint8_t cards[16]
    if kind == PLAY or kind == BURN or kind == REVOLT:
        play = unpack(code)
        return not code >> 56 and adds_up(&play)
    if takes_value(kind):
        return not code >> 16
    if kind == RETURN:
        return unpack_return(code, cards)
    return kind <= LAST_KIND and not code >> 8


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
        return check_play(s, rules, &play, kind == BURN)
    if kind == FEEL or kind == ASK:
        return LEGAL if may_learn(s, rules, kind, value_in(code)) else WRONG_PHASE
    if s.question == Q_LEAD:
        return MUST_LEAD
    if kind == YIELD:
        return LEGAL if yield_is_open(s, rules) else YIELD_NOT_ALLOWED
    return LEGAL if kind == PASS or s.question == Q_LAST_WORD else WRONG_PHASE


cdef int check(const State* s, const Rules* rules, uint64_t code) noexcept nogil:
    """Why a packed action would be refused now, or 0. Reasons are tried in the order of reasons.py."""
    cdef int kind = kind_in(code)
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
        return LEGAL if value_in(code) < SEATS and has(s.in_mask, value_in(code)) else WRONG_PHASE
    return check_prelude(s, rules, kind, code)


cdef bint declines_privately(const State* s, int kind) noexcept nogil:
    if s.question == Q_BURN:
        return kind == PASS
    return (s.question == Q_REVOLT and kind == STAY) or (
        (s.question == Q_REDEAL or s.question == Q_SINK) and kind == DECLINE)


cdef void apply(State* s, const Rules* rules, uint64_t code, Log* log) noexcept nogil:
    """Do a packed action that `check` has found legal."""
    cdef int kind = kind_in(code)
    if kind == FEEL or kind == ASK:
        learn(s, kind, value_in(code))
        return
    s.window &= declines_privately(s, kind)
    if s.phase == PLAYING:
        answer(s, rules, code, log)
    elif s.phase == LASTS:
        name_last(s, value_in(code), log)
    else:
        decide(s, rules, kind, code, log)


cdef inline int step(State* s, const Rules* rules, uint64_t code) noexcept nogil:
    """Judge a packed action and do it, telling nothing of what followed; why it is refused, or 0."""
    cdef Log log
    cdef Play play
    cdef int why
    log.n = 0
    # Nearly every action passes or plays: these two go by the shortest way.
    if code == pack_value(s.turn, PASS, 0) and s.question <= Q_BURN:
        s.window &= s.question == Q_BURN
        s.passed |= (s.question != Q_BURN) << s.turn
        s.next_ask += 1
        proceed(s, rules, &log)
        return LEGAL
    play = unpack(code)
    if is_play_of(s.turn, code) and adds_up(&play) and s.phase == PLAYING:
        why = check_play(s, rules, &play, False)
        if why == LEGAL:
            s.window = False
            make_play(s, rules, &play, False, &log)
        return why
    why = check(s, rules, code)
    if why == LEGAL:
        apply(s, rules, code, &log)
    return why


cdef inline bint is_play_of(int seat, uint64_t code) noexcept nogil:
    """Whether this is a play of a seat's, without bits that a play does not use."""
    return code & <uint64_t>0xFF000000000000FF == pack_value(seat, PLAY, 0)


cdef int step_all(State* s, const Rules* rules, const uint64_t* codes, Py_ssize_t n) noexcept nogil:
    """Judge and do packed actions until one is refused: why, or 0."""
    cdef Py_ssize_t i
    cdef int why
    for i in range(n):
        why = step(s, rules, codes[i])
        if why:
            return why
    return LEGAL


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
