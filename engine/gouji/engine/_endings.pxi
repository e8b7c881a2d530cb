# R6, R9.1: places, and when a hand ends.

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


cdef void void_hand(State* s, Log* log) noexcept nogil:
    """The hand is dealt anew (R3.1, R9.1)."""
    s.void_hand = True
    stop(s, OVER)
    note(log, N_VOID, 0, 0, 0)


cdef void stop(State* s, int phase) noexcept nogil:
    s.phase = phase
    s.turn = NONE
    s.question = Q_NOTHING
    s.window = False
    s.n_asks = 0
    s.next_ask = 0


cdef void leave_in_revolt(State* s, const Rules* rules, int seat, Log* log) noexcept nogil:
    """R9.1: a revolter is fourth, a second one third where two may; else two revolts void the hand."""
    s.revolted |= 1 << seat
    s.in_mask &= ~(1 << seat)
    if s.order[3] == NONE:
        s.order[3] = seat
    elif rules.allow_two_revolts and s.order[2] == NONE:
        s.order[2] = seat
    else:
        void_hand(s, log)


cdef bint joins_sweep(const State* s, const Rules* rules, int place) noexcept nogil:
    """Whether the revolter at this place has both team-mates first and second (R9.1)."""
    cdef int seat = s.order[place]
    return (rules.teams and seat != NONE and has(s.revolted, seat) and s.order[0] != NONE and s.order[1] != NONE
            and same_team(seat, s.order[0]) and same_team(seat, s.order[1]))


cdef bint is_choked(const State* s, int seat) noexcept nogil:
    cdef int i
    for i in range(s.n_choked):
        if s.choked[i] == seat:
            return True
    return False


cdef bint sweep_counts(const State* s, const Rules* rules, int team) noexcept nogil:
    """R9.8 `no_sweep_when_choked`: whether a sweep by this team counts as one."""
    cdef int seat
    if not rules.no_sweep_when_choked:
        return True
    for seat in range(SEATS):
        if seat % 2 != team and is_choked(s, seat):
            return False
    return True


cdef bint is_sweep(const State* s, const Rules* rules) noexcept nogil:
    """R6.3: one team has the first three places."""
    return (rules.teams and s.order[0] != NONE and s.order[1] != NONE and s.order[2] != NONE
            and same_team(s.order[0], s.order[1]) and same_team(s.order[0], s.order[2])
            and sweep_counts(s, rules, s.order[0] % 2))


cdef bint sweeps_past_revolters(const State* s, const Rules* rules) noexcept nogil:
    """R9.1: two revolters of one team do not hinder the other team's sweep, though one of them is third."""
    return (rules.teams and s.n_finished >= 3 and s.order[2] != NONE and has(s.revolted, s.order[2])
            and s.order[4] == s.finished[2] and same_team(s.finished[0], s.finished[1])
            and same_team(s.finished[0], s.finished[2]) and sweep_counts(s, rules, s.finished[0] % 2))


cdef bint hand_ends(const State* s, const Rules* rules) noexcept nogil:
    """R6.2, R6.3."""
    if at_most(1, s.in_mask):
        return True
    if not rules.teams:
        return False
    if (joins_sweep(s, rules, 3) or joins_sweep(s, rules, 2)) and sweep_counts(s, rules, s.order[0] % 2):
        return True
    if is_sweep(s, rules) or sweeps_past_revolters(s, rules):
        return True
    return not rules.one_left and (not (s.in_mask & 0b010101) or not (s.in_mask & 0b101010))


cdef void end_hand(State* s, const Rules* rules, Log* log) noexcept nogil:
    """Place the seats still in, or ask their team who is last (R6.2)."""
    cdef int third = s.order[3]
    if joins_sweep(s, rules, 3):
        s.order[3] = s.order[2]
        s.order[2] = third
    elif sweeps_past_revolters(s, rules):
        third = s.order[4]
        s.order[4] = s.order[3]
        s.order[3] = s.order[2]
        s.order[2] = third
    if (rules.last_by_choice and rules.teams and not at_most(1, s.in_mask)
            and (not (s.in_mask & 0b010101) or not (s.in_mask & 0b101010))):
        stop(s, LASTS)
        s.turn = best_left(s)
        s.question = Q_LAST
        return
    place_the_rest(s)
    if joins_sweep(s, rules, 3):
        # The last seat in has come second: who had left as third is fourth.
        third = s.order[3]
        s.order[3] = s.order[2]
        s.order[2] = third
    stop(s, OVER)
    note(log, N_OVER, 0, 0, 0)


cdef void name_last(State* s, int seat, Log* log) noexcept nogil:
    """R6.2: the losing team has said who is last."""
    leave_last(s, seat)
    place_the_rest(s)
    stop(s, OVER)
    note(log, N_OVER, 0, 0, 0)


cdef int best_left(const State* s) noexcept nogil:
    """Of the seats still in, the one with the fewest cards; ties go to the earlier from the trick's leader."""
    cdef int step, seat, best = NONE, fewest = 256
    for step in range(SEATS):
        seat = (s.trick_leader + step) % SEATS
        if has(s.in_mask, seat) and s.counts[seat][TOTAL] < fewest:
            best = seat
            fewest = s.counts[seat][TOTAL]
    return best


cdef void place_the_rest(State* s) noexcept nogil:
    cdef int place, seat
    for place in range(SEATS):
        if s.order[place] == NONE:
            seat = best_left(s)
            if seat == NONE:
                return
            s.order[place] = seat
            s.in_mask &= ~(1 << seat)
