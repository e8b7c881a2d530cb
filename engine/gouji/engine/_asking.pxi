# Who is asked: seats and their questions stand in a row, and `ask_next` walks along it.
#
# Some questions are private: who is asked them must not show (R5.2, R9.1). Seats that have no such decision are passed
# over unseen, and a held hand stops behind them until `close_answers`.

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


cdef uint64_t ROWS[SEATS][64]


cdef int fill_rows() noexcept:
    """For each seat and set of seats, these in turn order after it, a byte each, and in the last byte their number."""
    cdef int seat, seats, steps, n
    for seat in range(SEATS):
        for seats in range(64):
            n = 0
            for steps in range(1, SEATS):
                if has(seats, after(seat, steps)):
                    ROWS[seat][seats] |= <uint64_t>after(seat, steps) << 8 * n
                    n += 1
            ROWS[seat][seats] |= <uint64_t>n << 56
    return 0

fill_rows()


cdef inline int ask_if(State* s, int n, bint wanted, int seat, int question) noexcept nogil:
    """Ask a seat after ``n`` in the row, or do not, without a branch; give the new ``n``."""
    s.asks[n] = seat | (question << 3)
    return n + wanted


cdef void ask_from(State* s, int seat, int question) noexcept nogil:
    """Ask all six in turn order."""
    cdef int steps
    for steps in range(SEATS):
        ask(s, after(seat, steps), question)


cdef void ask_alone(State* s, int seat, int question) noexcept nogil:
    """Ask one seat now, beside the row."""
    s.turn = seat
    s.question = question


cdef bint has_decision(const State* s, const Rules* rules, int seat, int question) noexcept nogil:
    """Whether the seat holds what it takes to be asked a private question."""
    if question == Q_BURN:
        return holds_burn(s, rules, seat)
    if question == Q_SINK:
        return s.counts[seat][FOUR] > 0
    if not has(s.in_mask, seat) or jokers(s.counts[seat]) or s.counts[seat][TWO]:
        return False
    return question == Q_REDEAL or rules.revolution != REVOLT_THREELESS or not s.counts[seat][THREE]


cdef inline bint yield_is_open(const State* s, const Rules* rules) noexcept nogil:
    """R4.3, for the seat that is asked now: whether one of the two after it may still answer or burn."""
    # The seats four and five after the table's, a byte for each of these.
    cdef int able = s.in_mask & ~s.passed & ((<uint64_t>0x180C06032130 >> 8 * s.table_seat) & 63)
    if not rules.yields or s.scramble or s.question > Q_GOUJI or s.turn != opposite(s.table_seat):
        return False
    if not s.gouji:
        return s.question != Q_LAST_WORD and able != 0
    if s.question != Q_GOUJI or not rules.burn or rules.burn_order != BURN_IN_TURN:
        return False
    # All that the clause asks for; whether they may burn this very play (R5.6) is not among it.
    able &= headed(s)
    return (able & s.opened if rules.burn_needs_open and not rules.fours_open else able) != 0


cdef bint waits(State* s) noexcept nogil:
    """Whether a held hand stops here: whether anybody was asked in private must not show."""
    if not s.held or not s.window:
        return False
    ask_alone(s, NONE, Q_NOTHING)
    return True


cdef inline bint ask_at_once(State* s) noexcept nogil:
    """Ask the next in the row if that is an open question of the play, by the shortest way."""
    cdef int seat, question
    if s.next_ask >= s.n_asks or (s.held and s.window):
        return False
    seat = s.asks[s.next_ask] & 7
    question = s.asks[s.next_ask] >> 3
    if unlikely(question > Q_GOUJI or not has(s.in_mask, seat)):
        return False
    s.turn = seat
    s.question = question
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
        return True
    return waits(s)
