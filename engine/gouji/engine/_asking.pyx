# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Who is asked: seats and their questions stand in a row, and `ask_next` walks along it.

Some questions are private: who is asked them must not show (R5.2, R9.1). Seats that have no such decision are passed
over unseen, and a held hand stops behind them until `close_answers`.
"""

from gouji.engine._burns cimport holds_burn
from gouji.engine._state cimport (
    BURN_IN_TURN, FOUR, MAX_ASKS, NONE, Q_ANSWER, Q_BURN, Q_DOUBLE, Q_GOUJI, Q_NOTHING, Q_REDEAL, Q_REVOLT, Q_SINK,
    REVOLT_THREELESS, SEATS, THREE, TWO, Rules, State, after, has, has_head, jokers, opposite,
)


cdef void clear_asks(State* s) noexcept nogil:
    """Ask nobody any more."""
    s.n_asks = 0
    s.next_ask = 0


cdef void ask(State* s, int seat, int question) noexcept nogil:
    """Ask a seat after all that stand in the row."""
    # The row always has room; that of a state read from bytes may be full.
    if s.n_asks < MAX_ASKS:
        s.asks[s.n_asks] = seat | (question << 3)
        s.n_asks += 1


cdef void ask_from(State* s, int seat, int question) noexcept nogil:
    """Ask all six in turn order."""
    cdef int steps
    for steps in range(SEATS):
        ask(s, after(seat, steps), question)


cdef void ask_alone(State* s, int seat, int question) noexcept nogil:
    """Ask one seat now, beside the row."""
    s.turn = seat
    s.question = question
    s.may_yield = False


cdef inline bint is_private(int question) noexcept nogil:
    return question == Q_BURN or question == Q_REVOLT or question == Q_REDEAL or question == Q_SINK


cdef bint has_decision(const State* s, const Rules* rules, int seat, int question) noexcept nogil:
    """Whether the seat holds what it takes to be asked a private question."""
    if question == Q_BURN:
        return holds_burn(s, rules, seat)
    if question == Q_SINK:
        return s.counts[seat][FOUR] > 0
    if not has(s.in_mask, seat) or jokers(s.counts[seat]) or s.counts[seat][TWO]:
        return False
    return question == Q_REDEAL or rules.revolution != REVOLT_THREELESS or not s.counts[seat][THREE]


cdef bint yield_is_open(const State* s, const Rules* rules) noexcept nogil:
    """R4.3, for the seat that is asked now."""
    cdef int steps, seat
    if not rules.yields or s.scramble or s.turn != opposite(s.table_seat):
        return False
    if s.gouji and (s.question != Q_GOUJI or not rules.burn or rules.burn_order != BURN_IN_TURN):
        return False
    for steps in range(4, 6):
        seat = after(s.table_seat, steps)
        if has(s.in_mask, seat) and not has(s.passed, seat) and (not s.gouji or could_be_burner(s, rules, seat)):
            return True
    return False


cdef inline bint could_be_burner(const State* s, const Rules* rules, int seat) noexcept nogil:
    # All that R4.3 asks for; whether it may burn this very play (R5.6) is not among it.
    return has_head(s, seat) and (not rules.burn_needs_open or rules.fours_open or has(s.opened, seat))


cdef bint waits(State* s) noexcept nogil:
    """Whether a held hand stops here: whether anybody was asked in private must not show."""
    if not s.held or not s.window:
        return False
    ask_alone(s, NONE, Q_NOTHING)
    return True


cdef bint ask_next(State* s, const Rules* rules) noexcept nogil:
    """Ask the next in the row that has a decision. False when there is none; true too when the hand waits."""
    cdef int seat, question
    while s.next_ask < s.n_asks:
        seat = s.asks[s.next_ask] & 7
        question = s.asks[s.next_ask] >> 3
        if is_private(question):
            s.window = True
            if not has_decision(s, rules, seat, question):
                s.next_ask += 1
                continue
        elif waits(s):
            return True
        elif not has(s.in_mask, seat) or (question == Q_DOUBLE and has(s.doubled, seat % 2)):
            s.next_ask += 1
            continue
        s.turn = seat
        s.question = question
        s.may_yield = yield_is_open(s, rules) if question == Q_ANSWER or question == Q_GOUJI else False
        return True
    return waits(s)
