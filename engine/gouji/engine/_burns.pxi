# R5: who may burn, who can, and who is struck.

cdef int may_burn(const State* s, const Rules* rules) noexcept nogil:
    """R5.1, R5.6: the seats that may burn the table's play, by what everybody can see."""
    cdef int owner = s.table_seat
    cdef int seats = s.in_mask & ~s.passed & headed(s) & ~(1 << owner) & ~(1 << opposite(owner))
    if not rules.burn or (not rules.counter_burn and has(s.burning, owner)):
        return 0
    # R9.9 asks for a hand without fours instead, which not everybody can see.
    if rules.burn_needs_open and not rules.fours_open:
        seats &= s.opened
    if not rules.burn_team_mate and rules.teams:
        seats &= ~team_of(owner)
    return seats


cdef bint can_carry_out(const State* s, const Rules* rules, int seat, const Play* play) noexcept nogil:
    """R5.5 `burn_guard`: whether the cards left after a burn can each go with a joker, but for the last play."""
    cdef uint8_t left[16]
    cdef int rank, bases = 0, joinable = 0, left_jokers
    memcpy(left, s.counts[seat], 16)
    if play.n:
        left[play.base] -= play.n
    left[TWO] -= play.x
    left[SMALL] -= play.y
    left[BIG] -= play.z
    for rank in range(TWO):
        if left[rank]:
            bases += 1
            joinable += not (rules.threes_last and rank == THREE)
    left_jokers = jokers(left)
    if left[TWO] and not twos_may_join(rules, joinable, left_jokers):
        bases += 1
    return left_jokers >= bases - 1


cdef inline bint twos_may_join(const Rules* rules, int joinable, int left_jokers) noexcept nogil:
    if not joinable or rules.twos_wild == TWOS_NEVER:
        return False
    return rules.twos_wild == TWOS_ANY or left_jokers > 0


cdef bint holds_burn(const State* s, const Rules* rules, int seat) noexcept nogil:
    """R5.2: whether a seat that may burn holds a legal burn."""
    cdef uint64_t found[25600]
    cdef int i, n
    cdef Play play
    # Room for the answers of the largest hand there is: 252 cards, six jokers of a kind, both duels.
    if s.counts[seat][TOTAL] < s.table.total or not could_burn(s, rules, seat):
        return False
    if rules.burn_needs_open and rules.fours_open and s.counts[seat][FOUR]:
        return False
    n = list_plays(s, rules, seat, BURN, found)
    if not rules.burn_guard:
        return n > 0
    for i in range(n):
        play = unpack(found[i])
        if can_carry_out(s, rules, seat, &play):
            return True
    return False


cdef bint could_burn(const State* s, const Rules* rules, int seat) noexcept nogil:
    """A quick look that spares most seats the list."""
    cdef const uint8_t* cards = s.counts[seat]
    cdef int rank, bases = 0
    for rank in range(TWO):
        bases += cards[rank] > 0
    # A burn uses up one base at the most, and every other play but the last takes a joker.
    if rules.burn_guard and bases > jokers(cards) + 2:
        return False
    if jokers(cards) or cards[TWO] >= s.table.total:
        return True
    for rank in range(s.table.base + 1, TWO):
        if cards[rank] and cards[rank] + cards[TWO] >= s.table.total:
            return True
    return False


cdef bint cannot_go_on(const State* s, const Rules* rules, int seat) noexcept nogil:
    """R5.5: a burning seat that must lead, has no joker and more than one play's worth of cards."""
    return has(s.burning, seat) and not jokers(s.counts[seat]) and not is_one_play(s.counts[seat], rules)
