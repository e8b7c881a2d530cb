# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""R6, R9.1: places, and when a hand ends."""

from gouji.engine._state cimport (
    N_BURN_SUCCEEDED, N_FINISHED, N_OVER, N_VOID, NONE, OVER, Q_NOTHING, SEATS, TOTAL, Log, Rules, State, has, note,
    number_in,
)


cdef void finish(State* s, int seat, Log* log) noexcept nogil:
    """A seat has played its last card: the best place still free; a burn that it carried through succeeds (R5.6)."""
    cdef int place = 0
    while s.order[place] != NONE:
        place += 1
    s.order[place] = seat
    s.in_mask &= ~(1 << seat)
    s.finished[s.n_finished] = seat
    s.n_finished += 1
    note(log, N_FINISHED, seat, place + 1, 0)
    if has(s.burning, seat):
        s.burning &= ~(1 << seat)
        if s.victims[seat] != NONE and s.n_burns < SEATS:
            s.burners[s.n_burns] = seat
            s.burned[s.n_burns] = s.victims[seat]
            s.burn_doublings[s.n_burns] = s.doublings[seat]
            s.n_burns += 1
            note(log, N_BURN_SUCCEEDED, seat, s.victims[seat], s.doublings[seat])


cdef void leave_last(State* s, int seat) noexcept nogil:
    """A seat leaves with the lowest place still free (R5.5, R9.8)."""
    cdef int place = SEATS - 1
    while s.order[place] != NONE:
        place -= 1
    s.order[place] = seat
    s.in_mask &= ~(1 << seat)
    s.burning &= ~(1 << seat)


cdef void leave_in_revolt(State* s, int seat, Log* log) noexcept nogil:
    """R9.1: a revolter is fourth, unless its team-mates come in first and second; two revolts void the hand."""
    s.revolted |= 1 << seat
    s.in_mask &= ~(1 << seat)
    if s.order[3] != NONE:
        s.void_hand = True
        s.phase = OVER
        s.turn = NONE
        s.question = Q_NOTHING
        note(log, N_VOID, 0, 0, 0)
        return
    s.order[3] = seat


cdef inline bint same_team(int seat, int other) noexcept nogil:
    return (seat - other) % 2 == 0


cdef bint revolter_is_third(const State* s, const Rules* rules) noexcept nogil:
    cdef int seat = s.order[3]
    return (rules.teams and seat != NONE and has(s.revolted, seat) and s.order[0] != NONE and s.order[1] != NONE
            and s.order[2] == NONE and same_team(seat, s.order[0]) and same_team(seat, s.order[1]))


cdef bint hand_ends(const State* s, const Rules* rules) noexcept nogil:
    """R6.2, R6.3."""
    cdef int left = number_in(s)
    if left <= 1:
        return True
    if not rules.teams:
        return False
    if revolter_is_third(s, rules):
        return True
    if (s.order[2] != NONE and same_team(s.order[0], s.order[1]) and same_team(s.order[0], s.order[2])
            and s.order[0] != NONE and s.order[1] != NONE):
        return True
    return not rules.one_left and (not (s.in_mask & 0b010101) or not (s.in_mask & 0b101010))


cdef void end_hand(State* s, const Rules* rules, Log* log) noexcept nogil:
    """Give the seats still in the places left: fewer cards is better, ties to the earlier from the trick's leader."""
    cdef int place, step, seat, best, fewest
    if revolter_is_third(s, rules):
        s.order[2] = s.order[3]
        s.order[3] = NONE
    for place in range(SEATS):
        if s.order[place] != NONE:
            continue
        best = NONE
        fewest = 256
        for step in range(SEATS):
            seat = (s.trick_leader + step) % SEATS
            if has(s.in_mask, seat) and s.counts[seat][TOTAL] < fewest:
                best = seat
                fewest = s.counts[seat][TOTAL]
        s.order[place] = best
        s.in_mask &= ~(1 << best)
    s.phase = OVER
    s.turn = NONE
    s.question = Q_NOTHING
    s.may_yield = False
    s.window = False
    note(log, N_OVER, 0, 0, 0)
