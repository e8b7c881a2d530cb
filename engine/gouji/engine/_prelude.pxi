# R3.1, R9.1-R9.3, R9.5, R9.7, R9.9, R9.10: what is decided before the first trick.
#
# `enter` goes through the phases in their order and stops at the first that has something to ask.

# Phases

cdef void line_up(State* s, const Rules* rules, int phase) noexcept nogil:
    """Line up the seats that a phase may ask, but for tribute and buying."""
    cdef int steps, seat
    if phase == ADVANCE:
        if rules.calls:
            ask_from(s, 0, Q_CALL)
        if rules.doubles_called:
            ask_from(s, 0, Q_DOUBLE)
    elif phase == REDEAL and rules.redeal and s.first_hand:
        ask_from(s, s.first_leader, Q_REDEAL)
    elif phase == CALLING and rules.calls:
        for steps in range(SEATS):
            seat = after(s.first_leader, steps)
            if not s.calls[seat]:
                ask(s, seat, Q_CALL)
    elif phase == SINKING and rules.sink_fours:
        ask_from(s, s.first_leader, Q_SINK)
    elif phase == LAYING_OFF and rules.lay_off:
        ask(s, s.first_leader, Q_LAY_OFF)
    elif phase == REVOLTS and rules.revolution != REVOLT_OFF:
        ask_from(s, s.first_leader, Q_REVOLT)


cdef void enter(State* s, const Rules* rules, int phase, Log* log) noexcept nogil:
    """Begin a phase, or the next that has something to ask; the play at last."""
    while phase < PLAYING:
        s.phase = phase
        clear_asks(s)
        if phase == TRIBUTE or phase == BUY:
            if settle(s, rules, log):
                return
            phase = BUY
        else:
            line_up(s, rules, phase)
            if ask_next(s, rules):
                return
        phase += 1
    begin_play(s, rules, s.first_leader, log)


cdef void go_on(State* s, const Rules* rules, Log* log) noexcept nogil:
    """Ask the next seat of this phase, or enter the next."""
    if not ask_next(s, rules):
        enter(s, rules, s.phase + 1, log)


cdef void go_on_settling(State* s, const Rules* rules, Log* log) noexcept nogil:
    if not settle(s, rules, log):
        enter(s, rules, CALLING, log)


# Sinking, laying off

cdef int put_aside(State* s, int seat, int rank) noexcept nogil:
    cdef int n = s.counts[seat][rank]
    s.aside[seat][rank] += n
    s.counts[seat][rank] = 0
    s.counts[seat][TOTAL] -= n
    return n


cdef void let_empty_seats_finish(State* s, Log* log) noexcept nogil:
    cdef int steps, seat
    for steps in range(SEATS):
        seat = after(s.first_leader, steps)
        if has(s.in_mask, seat) and not s.counts[seat][TOTAL]:
            finish(s, seat, log)


cdef void lay_off(State* s, int ranks, Log* log) noexcept nogil:
    """R9.10: every seat lays off its threes (1), fours (2) or both."""
    cdef int seat, rank
    for seat in range(SEATS):
        for rank in range(2):
            if has(ranks, rank):
                put_aside(s, seat, rank)
    s.aside[0][TOTAL] = ranks
    note(log, N_LAID_OFF, ranks, 0, 0)
    let_empty_seats_finish(s, log)


# Revolution

cdef void revolt(State* s, const Rules* rules, Play shown, Log* log) noexcept nogil:
    """R9.1, R9.3."""
    cdef int seat = s.turn
    leave_in_revolt(s, rules, seat, log)
    if s.void_hand:
        return
    ask(s, opposite(seat), Q_HEAD)
    if rules.opening and rules.revolution == REVOLT_THREELESS:
        open_seat(s, seat, log)
    if rules.opening and rules.opposite_opens == OPPOSITE_ALWAYS and has(s.in_mask, opposite(seat)):
        open_seat(s, opposite(seat), log)
    if shown.total and has(s.in_mask, opposite(seat)):
        s.table = shown
        s.table_seat = seat
        ask_alone(s, opposite(seat), Q_CONTEST)
        return
    if shown.total:
        open_seat(s, seat, log)
    s.next_ask += 1
    go_on(s, rules, log)


cdef void contest(State* s, const Rules* rules, int kind, Play play, Log* log) noexcept nogil:
    """R9.3: the revolter opens unless its opposite beats what it shows."""
    cdef int seat = s.turn, revolter = s.table_seat
    clear_row_kept(s)
    if kind == PLAY:
        if play.x or play.y or play.z or play.base == TWO:
            drop_ask(s, seat, Q_REVOLT)
        take_cards(s, seat, &play)
        if not s.counts[seat][TOTAL]:
            finish(s, seat, log)
    elif not has(s.opened, revolter):
        open_seat(s, revolter, log)
    s.next_ask += 1
    go_on(s, rules, log)


cdef void drop_ask(State* s, int seat, int question) noexcept nogil:
    """R9.1: who could not revolt after the tributes may not for having played its twos and jokers since."""
    cdef int i, kept = s.next_ask
    for i in range(s.next_ask, s.n_asks):
        if s.asks[i] != (seat | (question << 3)):
            s.asks[kept] = s.asks[i]
            kept += 1
    s.n_asks = kept


cdef void clear_row_kept(State* s) noexcept nogil:
    # What was shown leaves the table; the row of seats still to ask stays.
    cdef int n = s.n_asks, at = s.next_ask
    clear_trick(s, s.trick_leader)
    s.n_asks = n
    s.next_ask = at


# Judging


cdef int check_shown(const State* s, const Rules* rules, const Play* shown) noexcept nogil:
    """R9.3: what a revolter shows, if anything, is an opening play of its own."""
    if not shown.total:
        return LEGAL
    if not rules.opening or not rules.revolt_contest:
        return WRONG_PHASE
    if not holds(s.counts[s.turn], shown):
        return CARDS_NOT_HELD
    return LEGAL if is_play(shown, rules) and is_opening(shown, rules) else NOT_ONE_BASE


cdef int check_prelude(const State* s, const Rules* rules, int kind, uint64_t code) noexcept nogil:
    """Why an action of the seat that is asked would be refused before the play, or 0."""
    cdef Play play
    cdef int question = s.question
    if s.phase == TRIBUTE or s.phase == BUY:
        return check_settling(s, rules, kind, code)
    if question == Q_CALL and (kind == CALL or kind == NO_CALL):
        return LEGAL
    if question == Q_DOUBLE and kind == CALL:
        return CALL_NOT_ALLOWED
    if question == Q_DOUBLE and (kind == DOUBLE or kind == DECLINE):
        return LEGAL
    if question == Q_REDEAL and (kind == ASK_REDEAL or kind == DECLINE):
        return LEGAL
    if question == Q_SINK and (kind == SINK or kind == DECLINE):
        return LEGAL
    if question == Q_LAY_OFF and (kind == DECLINE or (kind == LAY_OFF and 1 <= (value_in(code)) <= 3)):
        return LEGAL
    if question == Q_HEAD and (kind == KEEP_HEAD or kind == NO_HEAD):
        return LEGAL
    if question == Q_REVOLT and kind == STAY:
        return LEGAL
    if question == Q_REVOLT and kind == REVOLT:
        play = unpack(code)
        return check_shown(s, rules, &play)
    if question == Q_CONTEST and kind == PASS:
        return LEGAL
    if question == Q_CONTEST and kind == PLAY:
        play = unpack(code)
        return check_play(s, rules, &play, False)
    return WRONG_PHASE


# Doing

cdef void decide(State* s, const Rules* rules, int kind, uint64_t code, Log* log) noexcept nogil:
    """Do what the seat that is asked before the play has decided; it is legal."""
    cdef int seat = s.turn
    if s.phase == TRIBUTE or s.phase == BUY:
        decide_settling(s, rules, kind, code, log)
        return
    if kind == REVOLT:
        revolt(s, rules, unpack(code), log)
        return
    if s.question == Q_CONTEST:
        contest(s, rules, kind, unpack(code), log)
        return
    if kind == ASK_REDEAL:
        void_hand(s, log)
        return
    if kind == CALL:
        s.calls[seat] = 2 if s.phase == ADVANCE else 1
    elif kind == DOUBLE:
        s.doubled |= 1 << (seat % 2)
    elif kind == SINK:
        note(log, N_SUNK, seat, put_aside(s, seat, FOUR), 0)
        # It accepts its point tribute, even if it counted as opened (R9.6 `natural_open`).
        s.opened &= ~(1 << seat)
        let_empty_seats_finish(s, log)
    elif kind == LAY_OFF:
        lay_off(s, value_in(code), log)
    elif kind == KEEP_HEAD:
        s.kept[seat] = 3
    s.next_ask += 1
    go_on(s, rules, log)


# Listing

cdef int list_shown(const State* s, const Rules* rules, uint64_t* out) noexcept nogil:
    """List revolts: showing nothing, or an opening play (R9.3)."""
    cdef int i, found, n = 2
    cdef Play play
    list_two(s, STAY, REVOLT, out)
    if not (rules.opening and rules.revolt_contest):
        return n
    found = list_plays(s, rules, s.turn, REVOLT, out + n)
    for i in range(2, 2 + found):
        play = unpack(out[i])
        if is_opening(&play, rules):
            out[n] = out[i]
            n += 1
    return n


cdef int list_prelude(const State* s, const Rules* rules, uint64_t* out) noexcept nogil:
    """Write all legal actions of the seat that is asked before the play; the mildest stands first."""
    cdef int question = s.question
    if s.phase == TRIBUTE or s.phase == BUY:
        return list_settling(s, rules, out)
    if question == Q_CALL:
        return list_two(s, NO_CALL, CALL, out)
    if question == Q_DOUBLE:
        return list_two(s, DECLINE, DOUBLE, out)
    if question == Q_REDEAL:
        return list_two(s, DECLINE, ASK_REDEAL, out)
    if question == Q_SINK:
        return list_two(s, DECLINE, SINK, out)
    if question == Q_HEAD:
        return list_two(s, NO_HEAD, KEEP_HEAD, out)
    if question == Q_REVOLT:
        return list_shown(s, rules, out)
    if question == Q_CONTEST:
        out[0] = pack_value(s.turn, PASS, 0)
        return 1 + list_plays(s, rules, s.turn, PLAY, out + 1)
    list_two(s, DECLINE, LAY_OFF, out)
    out[1] = pack_value(s.turn, LAY_OFF, 1)
    out[2] = pack_value(s.turn, LAY_OFF, 2)
    out[3] = pack_value(s.turn, LAY_OFF, 3)
    return 4
