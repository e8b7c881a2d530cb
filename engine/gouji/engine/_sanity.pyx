# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Whether bytes that claim to be a hand can be played on safely."""

from gouji.engine._state cimport (
    ADVANCE, BIG, BUY, CALLING, FOUR, KIND_SWEEP, LASTS, LAYING_OFF, MAX_ASKS, MAX_DEBTS, NONE, OVER, PLAYING,
    Q_ACCEPT, Q_ANSWER, Q_BURN, Q_BUY, Q_CALL, Q_CONTEST, Q_DOUBLE, Q_GIVE, Q_GOUJI, Q_HEAD, Q_LAST, Q_LAY_OFF,
    Q_LEAD, Q_NOTHING, Q_PAY, Q_REDEAL, Q_RETURN, Q_REVOLT, Q_SINK, Q_TAKE, RANKS, REDEAL, REVOLTS, SEATS, SINKING,
    SMALL, THREE, TOTAL, TRIBUTE, TWO, Debt, Play, State, adds_up, has,
)


cdef bint is_sane(const State* s) noexcept:
    """Whether a state read from bytes can be played on safely; it need not be reachable from a deal."""
    return (seats_are_sane(s) and lists_are_sane(s) and cards_are_sane(s) and play_is_sane(&s.table)
            and (s.phase == OVER or asking_is_sane(s)))


cdef bint lists_are_sane(const State* s) noexcept:
    """What is told of as many entries as are counted must be seats."""
    cdef int i
    if s.n_finished > 6 or s.n_choked > 6 or s.n_burns > 6:
        return False
    for i in range(6):
        if i < s.n_finished and s.finished[i] == NONE:
            return False
        if i < s.n_choked and (s.choked[i] == NONE or s.chokers[i] == NONE):
            return False
        if i < s.n_burns and (s.burners[i] == NONE or s.burned[i] == NONE):
            return False
        if s.phase == OVER and not s.void_hand and s.order[i] == NONE:
            return False
    return s.phase != OVER or (s.turn == NONE and s.question == Q_NOTHING)


cdef bint seats_are_sane(const State* s) noexcept:
    cdef int seat, placed = 0
    for seat in range(SEATS):
        for other in (s.order[seat], s.victims[seat], s.finished[seat], s.choked[seat], s.chokers[seat],
                      s.burners[seat], s.burned[seat]):
            if other > 5 and other != NONE:
                return False
        if s.kept[seat] > 3 or s.kept_won[seat] > 3 or s.kept_opening[seat] > 3 or s.calls[seat] > 2:
            return False
        if s.asked[seat] > 63:
            return False
        if s.order[seat] != NONE:
            if has(placed, s.order[seat]):
                return False
            placed |= 1 << s.order[seat]
    for other in (s.turn, s.table_seat, s.yielder, s.first_gouji, s.fours_due, s.slam, s.seller):
        if other > 5 and other != NONE:
            return False
    for mask in (s.passed, s.opened, s.revolted, s.struck, s.laid_open, s.stuck, s.four_played, s.led, s.answered,
                 s.resisting):
        if mask > 63:
            return False
    for flag in (s.held, s.window, s.void_hand, s.gouji, s.dead, s.kept_play, s.choke_due,
                 s.won_with_joker, s.scramble, s.first_hand):
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
            if s.received[seat][rank] > s.counts[seat][rank]:
                return False
        if total != s.counts[seat][TOTAL] or (has(s.in_mask, seat) and not total and s.phase != OVER):
            return False
    return True


cdef bint play_is_sane(const Play* play) noexcept:
    if play.n > 24 or play.x > 24 or play.y > 6 or play.z > 6 or not adds_up(play) or play.spare[0] or play.spare[1]:
        return False
    if play.n:
        return play.base <= TWO and not (play.x and play.base == TWO)
    return not play.x and play.base == (0 if not play.total else SMALL if play.y else BIG)


cdef bint asking_is_sane(const State* s) noexcept:
    cdef int i, question = s.question
    if s.n_finished > 5 or s.n_asks > MAX_ASKS or s.next_ask > s.n_asks or s.void_hand:
        return False
    if (s.table.total > 0) != (s.table_seat != NONE) or not debts_are_sane(s):
        return False
    for i in range(s.n_asks):
        if (s.asks[i] & 7) > 5 or not may_be_asked(s.phase, s.asks[i] >> 3):
            return False
    if question == Q_NOTHING:
        return (s.turn == NONE and s.held and s.window and may_wait(s.phase)
                and (s.phase != PLAYING or s.table.total > 0))
    if s.turn > 5 or not (has(s.in_mask, s.turn)):
        return False
    if s.phase == LASTS:
        return question == Q_LAST
    if s.phase == PLAYING:
        return (not s.table.total and not s.n_asks) if question == Q_LEAD else s.table.total and is_next(s)
    if question == Q_CONTEST:
        return s.phase == REVOLTS and s.table.total and has(s.revolted, s.table_seat) and s.next_ask < s.n_asks
    if s.table.total:
        return False
    if s.phase == TRIBUTE or s.phase == BUY:
        return not s.n_asks and settling_is_sane(s)
    return is_next(s)


cdef bint is_next(const State* s) noexcept:
    return s.next_ask < s.n_asks and s.asks[s.next_ask] == (s.turn | (s.question << 3))


cdef bint may_wait(int phase) noexcept:
    return phase == PLAYING or phase == REVOLTS or phase == SINKING or phase == REDEAL


cdef bint may_be_asked(int phase, int question) noexcept:
    """Whether a question may stand in the row in this phase."""
    if phase == PLAYING:
        return question <= Q_BURN
    if phase == REVOLTS:
        return question == Q_REVOLT or question == Q_HEAD
    if phase == ADVANCE:
        return question == Q_CALL or question == Q_DOUBLE
    if phase == REDEAL:
        return question == Q_REDEAL
    if phase == CALLING:
        return question == Q_CALL
    if phase == SINKING:
        return question == Q_SINK
    return phase == LAYING_OFF and question == Q_LAY_OFF


cdef bint debts_are_sane(const State* s) noexcept:
    cdef int i
    if s.n_debts > MAX_DEBTS or s.next_debt > s.n_debts or s.buyer > 6 or s.bought > 1 or s.buying_fours > 1:
        return False
    for i in range(s.n_debts):
        if s.debts[i].payer > 5 or s.debts[i].receiver > 5 or s.debts[i].payer == s.debts[i].receiver:
            return False
        if s.debts[i].kind > KIND_SWEEP or not s.debts[i].cards:
            return False
    return True


cdef bint settling_is_sane(const State* s) noexcept:
    cdef const Debt* debt
    cdef int rank, given = 0
    if s.question == Q_BUY or s.question == Q_GIVE or (s.phase == BUY and s.question == Q_TAKE):
        return s.phase == BUY and s.buyer < 6 and s.seller <= 5 and sale_is_sane(s)
    if s.phase != TRIBUTE or s.next_debt >= s.n_debts or not s.due:
        return False
    debt = &s.debts[s.next_debt]
    if s.turn != (debt.receiver if s.question == Q_TAKE or s.question == Q_RETURN else debt.payer):
        return False
    if s.question == Q_TAKE or s.question == Q_PAY:
        return s.due <= s.counts[debt.payer][TOTAL]
    for rank in range(RANKS):
        if s.returned[rank] > s.counts[debt.receiver][rank]:
            return False
        given += s.returned[rank]
    if s.question == Q_RETURN:
        return given + s.refused <= s.due and (s.refused or not given)
    return s.question == Q_ACCEPT and given == s.due and not s.refused


cdef bint sale_is_sane(const State* s) noexcept:
    cdef int rank = FOUR if s.buying_fours else THREE
    cdef int buyer = (s.first_leader + s.buyer) % SEATS
    return (buyer != s.seller and s.counts[s.seller][rank] > 0
            and s.turn == (s.seller if s.question == Q_GIVE else buyer))
