# R2: what a play is, what beats what, and the list of a seat's plays.

cdef bint read_play(const uint8_t* cards, Play* play) noexcept nogil:
    """Read 15 counts by rank as one play (R2.2). False when they have no cards or more than one base."""
    cdef int rank, base = -1
    for rank in range(TWO):
        if cards[rank]:
            if base >= 0:
                return False
            base = rank
    play.y = cards[SMALL]
    play.z = cards[BIG]
    play.x = 0
    if base >= 0:
        play.base = base
        play.n = cards[base]
        play.x = cards[TWO]
    elif cards[TWO]:
        play.base = TWO
        play.n = cards[TWO]
    else:
        play.base = SMALL if play.y else BIG
        play.n = 0
    play.total = play.n + play.x + play.y + play.z
    # The packed form has room for 31 cards of a rank and 7 jokers of a kind: more than six packs hold.
    return 0 < play.total and play.n < 32 and play.x < 32 and play.y < 8 and play.z < 8


cdef inline bint is_play(const Play* play, const Rules* rules) noexcept nogil:
    """Whether this is a play in its one form (R2.1, R2.2), and twos may join the base as they do here (R2.3)."""
    if not play.n:
        return not play.x and play.total and play.base == (SMALL if play.y else BIG)
    if play.base > TWO or (play.x and play.base == TWO):
        return False
    if not play.x or rules.twos_wild == TWOS_ANY:
        return True
    return rules.twos_wild != TWOS_NEVER and (play.y or play.z)


cdef inline bint higher(const Play* play, const Play* table) noexcept nogil:
    # The cards other than jokers: none left to compare, or a higher base.
    return play.n + play.x == 0 or play.base > table.base


cdef bint swords(const Play* play, const Play* table) noexcept nogil:
    """R2.6: groups of two or more w for each w, two or more W (or three or more w) for each W, all jokers used."""
    cdef int by_big
    if play.n + play.x != table.n + table.x or not higher(play, table):
        return False
    for by_big in range(table.z + 1):
        if (play.z >= 2 * by_big and (by_big or not play.z)
                and play.y >= 2 * table.y + 3 * (table.z - by_big)
                and (table.y or by_big < table.z or not play.y)):
            return True
    return False


cdef inline bint beats(const Play* play, const Play* table, const Rules* rules) noexcept nogil:
    """R2.4, R2.5, R2.6. Sorted high to low, every card is strictly higher than the card in its place.

    Jokers stand first, so each w of the table needs a W of the play, and what follows is a matter of bases.
    """
    cdef int killed = table.z
    if killed and not rules.two_kills_one:
        return rules.swords and swords(play, table)
    if (play.total == table.total + killed and play.z >= table.y + 2 * killed
            and (higher(play, table) if killed + table.y < table.total else play.z + play.y == play.total)):
        return True
    return rules.swords and table.y + table.z > 0 and swords(play, table)


cdef inline bint count_fits(const Play* play, const Play* table, const Rules* rules) noexcept nogil:
    """Whether that many cards could beat the table at all."""
    # R2.6 gives two jokers or more for each.
    if rules.swords and table.y + table.z and play.total >= table.total + table.y + table.z:
        return True
    if table.z:
        return rules.two_kills_one and play.total == table.total + table.z
    return play.total == table.total


cdef inline bint can_be_beaten(const Play* play, const Rules* rules) noexcept nogil:
    """R2.4: nothing beats a big joker unless a duel is on."""
    return not play.z or rules.two_kills_one or rules.swords


cdef inline bint is_gouji_of(int base, int cards) noexcept nogil:
    # The least number as a hexadecimal digit for each rank; 0 is never.
    cdef int least = (<uint64_t>0x1223450000000 >> 4 * base) & 15
    return (least > 0) & (cards >= least)


cdef inline bint is_gouji(const Play* play, const Rules* rules) noexcept nogil:
    """R2.7."""
    if play.z:
        return rules.big_joker_is_gouji
    if play.y:
        return True
    if play.base == TWO and play.n == 1:
        return rules.single_two_is_gouji
    return is_gouji_of(play.base, play.n + play.x)


cdef bint is_opening(const Play* play, const Rules* rules) noexcept nogil:
    """R2.8."""
    if play.z or not is_gouji(play, rules):
        return False
    if rules.open_cards == OPEN_ANY:
        return True
    return not play.y and play.base <= ACE and (not play.x or rules.open_cards != OPEN_PURE)


cdef inline bint holds(const uint8_t* cards, const Play* play) noexcept nogil:
    """Whether a hand holds the cards of a play."""
    return (play.y <= cards[SMALL] and play.z <= cards[BIG] and play.x <= cards[TWO]
            and (play.n == 0 or play.n <= cards[play.base]))


cdef bint is_one_play(const uint8_t* cards, const Rules* rules) noexcept nogil:
    """Whether a whole hand is one play that may be made now: its last."""
    cdef Play play
    if not read_play(cards, &play) or not is_play(&play, rules):
        return False
    return not (rules.threes_last and play.base == THREE and play.n < play.total)


cdef bint holds_opening(const uint8_t* cards, const Rules* rules) noexcept nogil:
    """R9.6 `natural_open`: whether a hand holds an opening play."""
    cdef int base, twos = 0
    if rules.open_cards == OPEN_ANY:
        if cards[SMALL] or cards[TWO] > 1 or (cards[TWO] and rules.single_two_is_gouji):
            return True
    if rules.open_cards != OPEN_PURE and rules.twos_wild == TWOS_ANY:
        twos = cards[TWO]
    for base in range(TEN, TWO):
        if cards[base] and is_gouji_of(base, cards[base] + twos):
            return True
    return False


cdef inline bint only_threes(const uint8_t* cards) noexcept nogil:
    """Whether a hand is threes and nothing else."""
    return cards[THREE] and cards[THREE] == cards[TOTAL]


cdef inline int restriction(const State* s, const Rules* rules, int seat, const Play* play) noexcept nogil:
    """What a seat's state forbids of a play that is otherwise one: R5.3, R9.8, R9.9. 0 when nothing."""
    cdef const uint8_t* cards = s.counts[seat]
    if has(s.burning, seat) and not (play.y or play.z) and play.total != cards[TOTAL]:
        return BURN_NEEDS_JOKER
    if rules.threes_last and play.base == THREE:
        if not only_threes(cards) or play.n != play.total:
            return THREES_LAST
        if play.n != cards[THREE]:
            return THREES_WHOLE
    if s.fours_due == seat and (play.base != FOUR or play.n != play.total or play.n != cards[FOUR]):
        return FOURS_DUE
    return LEGAL


cdef inline int emit(const State* s, const Rules* rules, int seat, int kind, Play* play, uint64_t* out,
                     int n) noexcept nogil:
    if not is_play(play, rules) or restriction(s, rules, seat, play) != LEGAL:
        return n
    out[n] = pack(seat, kind, play[0])
    return n + 1


cdef int list_hung(const State* s, const Rules* rules, int seat, int kind, int base, int naturals, int twos,
                   uint64_t* out, int n) noexcept nogil:
    """List the plays of given cards other than jokers, with every number of jokers hung on them."""
    cdef const uint8_t* cards = s.counts[seat]
    cdef int small, big
    cdef Play play
    play.n = naturals
    play.x = twos
    for small in range(cards[SMALL] + 1):
        for big in range(cards[BIG] + 1):
            play.y = small
            play.z = big
            play.total = naturals + twos + small + big
            play.base = base if naturals else (SMALL if small else BIG)
            if play.total:
                n = emit(s, rules, seat, kind, &play, out, n)
    return n


cdef int list_leads(const State* s, const Rules* rules, int seat, int kind, uint64_t* out) noexcept nogil:
    cdef const uint8_t* cards = s.counts[seat]
    cdef int base, naturals, twos, n = 0
    cdef int most_twos = 0 if rules.twos_wild == TWOS_NEVER else cards[TWO]
    for base in range(SMALL):
        for naturals in range(1, cards[base] + 1):
            for twos in range((most_twos if base < TWO else 0) + 1):
                n = list_hung(s, rules, seat, kind, base, naturals, twos, out, n)
    return list_hung(s, rules, seat, kind, BIG, 0, 0, out, n)


cdef int list_with(const State* s, const Rules* rules, int seat, int kind, int small, int big, int rest,
                   uint64_t* out, int n) noexcept nogil:
    """List the plays of given jokers and ``rest`` other cards on a base above the table's."""
    cdef const uint8_t* cards = s.counts[seat]
    cdef int base, naturals, least
    cdef Play play
    play.y = small
    play.z = big
    play.total = small + big + rest
    if rest == 0:
        play.base = SMALL if small else BIG
        play.n = 0
        play.x = 0
        return emit(s, rules, seat, kind, &play, out, n)
    for base in range(s.table.base + 1, TWO):
        if not cards[base]:
            continue
        least = rest - cards[TWO] if rules.twos_wild != TWOS_NEVER else rest
        for naturals in range(least if least > 1 else 1, (cards[base] if cards[base] < rest else rest) + 1):
            play.base = base
            play.n = naturals
            play.x = rest - naturals
            n = emit(s, rules, seat, kind, &play, out, n)
    if s.table.base < TWO and rest <= cards[TWO]:
        play.base = TWO
        play.n = rest
        play.x = 0
        n = emit(s, rules, seat, kind, &play, out, n)
    return n


cdef int list_answers(const State* s, const Rules* rules, int seat, int kind, uint64_t* out) noexcept nogil:
    cdef const uint8_t* cards = s.counts[seat]
    cdef const Play* table = &s.table
    cdef int small, big, rest, n = 0
    cdef int total = table.total + table.z
    cdef int least_big = table.y + 2 * table.z
    if table.z and not rules.two_kills_one:
        return 0
    if cards[TOTAL] < total:
        return 0
    for big in range(least_big, cards[BIG] + 1):
        for small in range(cards[SMALL] + 1):
            rest = total - big - small
            if rest < 0:
                break
            if rest == 0 or table.n:
                n = list_with(s, rules, seat, kind, small, big, rest, out, n)
    return n


cdef int list_swords(const State* s, const Rules* rules, int seat, int kind, uint64_t* out, int n) noexcept nogil:
    cdef const uint8_t* cards = s.counts[seat]
    cdef int small, big, start = n, i, kept
    cdef int rest = s.table.n + s.table.x
    cdef Play play, plain
    cdef Rules without = rules[0]
    without.swords = False
    for small in range(cards[SMALL] + 1):
        for big in range(cards[BIG] + 1):
            if small + big:
                n = list_with(s, rules, seat, kind, small, big, rest, out, n)
    kept = start
    for i in range(start, n):
        play = unpack(out[i])
        if swords(&play, &s.table) and not beats(&play, &s.table, &without):
            out[kept] = out[i]
            kept += 1
    return kept


cdef int list_plays(const State* s, const Rules* rules, int seat, int kind, uint64_t* out) noexcept nogil:
    """Write every play with which a seat may lead or beat the table, packed; ``out`` has `list_bound` places."""
    cdef int n
    if not s.table.total:
        return list_leads(s, rules, seat, kind, out)
    n = list_answers(s, rules, seat, kind, out)
    if rules.swords and s.table.y + s.table.z:
        n = list_swords(s, rules, seat, kind, out, n)
    return n


cdef int list_bound(const State* s, int seat) noexcept nogil:
    """No list of a seat's actions is longer, passing and yielding included."""
    cdef const uint8_t* cards = s.counts[seat]
    return (cards[TOTAL] + 2) * (cards[TWO] + 1) * (cards[SMALL] + 1) * (cards[BIG] + 1) * 2 + 16 * cards[TOTAL] + 16
