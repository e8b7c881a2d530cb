# R3.3, R4, R5.2: who may answer, in which order, and what an answer does.
#
# After each play the seats to ask are lined up; a trick ends when none is left.

# Asking

cdef void ask_all(State* s, bint passed_too) noexcept nogil:
    """Ask in turn order all that are in, and have not passed unless that does not bar them."""
    cdef uint64_t row = ROWS[s.table_seat][s.in_mask & (63 if passed_too else ~s.passed)]
    memcpy(s.asks, &row, 8)
    s.n_asks = row >> 56


cdef void ask_ordinary(State* s, const Rules* rules) noexcept nogil:
    """R4.1, R4.2. Asked when nobody else is left to ask, the opposite has its last word at once."""
    cdef int other = opposite(s.table_seat)
    # R2.7: a play with a big joker that is not Gouji may be answered after passing too.
    ask_all(s, s.table.z > 0 and not rules.big_joker_is_gouji)
    if not has(s.in_mask, other):
        return
    if s.n_asks and s.asks[s.n_asks - 1] & 7 == other:
        s.asks[s.n_asks - 1] = other | (Q_LAST_WORD << 3)
    elif not rules.last_word_yielded or has(s.passed, other):
        ask(s, other, Q_LAST_WORD)


cdef inline int may_beat_gouji(const State* s, const Rules* rules) noexcept nogil:
    """The seats that may answer a Gouji play, but for the opposite of who made it."""
    # R4.5; R5.6: with `counter_burn` off only the opposite answers a burning seat.
    if s.dead or (not rules.counter_burn and has(s.burning, s.table_seat)):
        return 0
    return s.in_mask & ~s.passed & ~headed(s) & ~(1 << s.table_seat)


cdef inline bint opposite_answers(const State* s) noexcept nogil:
    # R4.4. The opposite of a finisher is asked as such once, after head's and second's last cards (R4.6); later ones
    # have no head either.
    return (not s.dead and has(s.in_mask, opposite(s.table_seat))
            and (has(s.in_mask, s.table_seat) or s.n_finished <= 2))


cdef void ask_gouji(State* s, const Rules* rules) noexcept nogil:
    """R4.4-R4.6, R5.2."""
    cdef int steps, seat, n = 0, burners = 0, answerers = may_beat_gouji(s, rules)
    cdef int other = opposite(s.table_seat) if opposite_answers(s) else NONE
    if s.gouji and (has(s.in_mask, s.table_seat) or s.n_finished <= 2 or s.dead):
        burners = may_burn(s, rules)
    if rules.burn_order == BURN_FIRST or rules.burn_order == BURN_TEAM_FIRST:
        n = ask_burners(s, rules, burners)
        burners = 0
    elif rules.burn_order == BURN_IN_TURN_TEAM and rules.teams:
        # Nobody both burns and answers: who may burn has a head.
        seat = after(s.table_seat, 2)
        n = ask_if(s, n, has(burners, seat), seat, Q_BURN)
        n = ask_if(s, n, has(answerers, seat), seat, Q_ANSWER)
        burners &= ~(1 << seat)
        answerers &= ~(1 << seat)
    if burners | answerers:
        for steps in range(1, SEATS):
            seat = after(s.table_seat, steps)
            n = ask_if(s, n, has(burners, seat), seat, Q_BURN)
            n = ask_if(s, n, has(answerers, seat) | (seat == other), seat, Q_GOUJI * (seat == other))
    else:
        n = ask_if(s, n, other != NONE, other & 7, Q_GOUJI)
    s.n_asks = n


cdef inline int ask_burners(State* s, const Rules* rules, int burners) noexcept nogil:
    """Ask all that may burn in turn order, partners first where there are some (R5.2, R7.6); how many."""
    cdef int steps, seat, n = 0, first = 0
    if not burners:
        return 0
    if rules.burn_order == BURN_TEAM_FIRST and rules.teams:
        first = burners & team_of(s.table_seat)
        for steps in range(2, 5, 2):
            seat = after(s.table_seat, steps)
            n = ask_if(s, n, has(first, seat), seat, Q_BURN)
    for steps in range(1, SEATS):
        seat = after(s.table_seat, steps)
        n = ask_if(s, n, has(burners & ~first, seat), seat, Q_BURN)
    return n


cdef void ask_for_answers(State* s, const Rules* rules, bint by_yielder) noexcept nogil:
    """Line up the seats that may answer the play just made."""
    clear_asks(s)
    if not can_be_beaten(&s.table, rules):
        return
    if by_yielder and not s.gouji:
        # R4.3: only its opposite answers what a yielder plays.
        if has(s.in_mask, opposite(s.table_seat)):
            ask(s, opposite(s.table_seat), Q_LAST_WORD)
    elif s.scramble:
        ask_all(s, True)
    elif s.dead or (s.gouji and has_head(s, s.table_seat)):
        ask_gouji(s, rules)
    else:
        ask_ordinary(s, rules)


# Tricks

cdef inline int next_in(const State* s, int seat) noexcept nogil:
    cdef int steps
    for steps in range(1, SEATS):
        if has(s.in_mask, after(seat, steps)):
            return after(seat, steps)
    return seat


cdef void end_trick(State* s, const Rules* rules, Log* log) noexcept nogil:
    """R3.3, R4.7, R9.6: the last play stands; its seat leads next, or the wind is caught."""
    cdef int seat = s.table_seat
    cdef int leader = seat if has(s.in_mask, seat) else next_in(s, seat)
    cdef bint opening
    if s.kept_play:
        s.kept_won[seat] += 1
        s.kept_opening[seat] += is_opening(&s.table, rules)
    note(log, N_TRICK_WON, seat, leader, 0)
    if rules.grand_slam == SLAM_KOREAN and leader != seat and has(s.led, seat) and not has(s.answered, seat):
        s.slam = seat
        end_hand(s, rules, log)
        return
    opening = rules.opening and not has(s.opened, seat) and opens(s, rules, seat)
    if opening and not rules.fours_open:
        open_seat(s, seat, log)
    s.won_with_joker = leader == seat and s.table.y + s.table.z > 0
    give_lead(s, rules, leader, log)
    # R9.9: to open, the winner leads all its fours at once; a burning one has to play a joker.
    if (opening and rules.fours_open and s.turn == seat and s.question == Q_LEAD and s.counts[seat][FOUR]
            and not has(s.four_played, seat) and not has(s.burning, seat)):
        s.fours_due = seat


cdef void open_seat(State* s, int seat, Log* log) noexcept nogil:
    s.opened |= 1 << seat
    note(log, N_OPENED, seat, 0, 0)


cdef bint opens(const State* s, const Rules* rules, int seat) noexcept nogil:
    """R9.6; R9.3 for the opposite of a revolter; R9.9: who sank its fours has accepted its point tribute."""
    if s.scramble or (rules.sink_fours and s.aside[seat][FOUR]):
        return False
    if has(s.revolted, opposite(seat)):
        return s.kept_play and s.n_finished < 2 and (
            (rules.opposite_opens == OPPOSITE_THREE and s.kept_won[seat] == 3)
            or (rules.opposite_opens == OPPOSITE_THREE_OPEN and s.kept_opening[seat] == 3))
    if not has(s.in_mask, seat) or not has_head(s, seat) or not is_opening(&s.table, rules):
        return False
    if rules.no_open_on_lead and s.plays < 2:
        return False
    return not rules.no_open_on_counter or s.first_gouji == seat


cdef void give_lead(State* s, const Rules* rules, int seat, Log* log) noexcept nogil:
    """A new trick; a burning seat that cannot lead is struck, and the lead goes on (R5.5)."""
    cdef int burned
    while True:
        if not s.scramble and at_most(scramble_size(s), s.in_mask):
            s.scramble = True
            s.burning = 0
            note(log, N_SCRAMBLE, 0, 0, 0)
        # R6.2: who cannot lead has led no trick.
        clear_trick(s, s.trick_leader)
        if cannot_go_on(s, rules, seat):
            burned = s.victims[seat]
            strike(s, seat, log)
        elif rules.no_bare_joker_lead and is_stuck(s, rules, seat):
            # R9.14: stuck without a lawful lead.
            burned = NONE
            note_stuck(s, seat, log)
            leave_open(s, seat)
            note(log, N_LEFT, seat, 0, 0)
        else:
            break
        if hand_ends(s, rules):
            end_hand(s, rules, log)
            return
        if burned == NONE:
            burned = seat
        seat = burned if has(s.in_mask, burned) else next_in(s, burned)
        s.won_with_joker = False
    s.trick_leader = seat
    s.turn = seat
    s.question = Q_LEAD
    if not s.won_with_joker and is_stuck(s, rules, seat):
        note_stuck(s, seat, log)


cdef inline int scramble_size(const State* s) noexcept nogil:
    # R9.1: after two revolts the scramble begins at three seats.
    return 3 if s.revolted & (s.revolted - 1) else 4


cdef inline bint is_stuck(const State* s, const Rules* rules, int seat) noexcept nogil:
    # R9.8: jokers and threes, and nothing else.
    return (rules.threes_last and s.counts[seat][THREE] and jokers(s.counts[seat])
            and s.counts[seat][THREE] + jokers(s.counts[seat]) == s.counts[seat][TOTAL])


cdef void note_stuck(State* s, int seat, Log* log) noexcept nogil:
    if not has(s.stuck, seat):
        s.stuck |= 1 << seat
        note(log, N_STUCK, seat, 0, 0)


cdef void clear_trick(State* s, int leader) noexcept nogil:
    memset(&s.table, 0, sizeof(Play))
    s.table_seat = NONE
    s.trick_leader = leader
    s.passed = 0
    s.plays = 0
    s.first_gouji = NONE
    s.gouji = False
    s.dead = False
    s.kept_play = False
    s.choke_due = False
    s.yielder = NONE
    s.fours_due = NONE
    clear_asks(s)


cdef void leave_open(State* s, int seat) noexcept nogil:
    """R5.5, R9.8, R9.14: a seat leaves with the lowest place still free; its cards are shown and dead."""
    cdef int rank
    for rank in range(TOTAL + 1):
        s.played[seat][rank] += s.counts[seat][rank]
    s.laid_open |= 1 << seat
    leave_last(s, seat)


cdef void strike(State* s, int seat, Log* log) noexcept nogil:
    """R5.5; nobody owes for the burn."""
    leave_open(s, seat)
    s.struck |= 1 << seat
    note(log, N_STRUCK, seat, 0, 0)


cdef void begin_play(State* s, const Rules* rules, int leader, Log* log) noexcept nogil:
    """The first trick, led by ``leader`` or the next seat in."""
    s.phase = PLAYING
    s.won_with_joker = False
    s.trick_leader = leader
    if hand_ends(s, rules):
        end_hand(s, rules, log)
    else:
        give_lead(s, rules, leader if has(s.in_mask, leader) else next_in(s, leader), log)


# Actions

cdef inline int check_play(const State* s, const Rules* rules, const Play* play, bint burn) noexcept nogil:
    """Why the seat that is asked may not play this, or burn with it, or 0."""
    cdef int why, seat = s.turn
    if not holds(s.counts[seat], play):
        return CARDS_NOT_HELD
    if not is_play(play, rules):
        return NOT_ONE_BASE
    if s.table.total:
        if not count_fits(play, &s.table, rules):
            return WRONG_COUNT
        if not burn and s.question == Q_BURN:
            return ONLY_OPPOSITE
        if not beats(play, &s.table, rules):
            return DOES_NOT_BEAT
    why = restriction(s, rules, seat, play)
    if burn and why != LEGAL and why < BURN_NOT_ALLOWED:
        return why
    if burn and (s.question != Q_BURN
                         or (rules.burn_guard and not can_carry_out(s, rules, seat, play))):
        return BURN_NOT_ALLOWED
    return why


cdef inline void take_cards(State* s, int seat, const Play* play) noexcept nogil:
    # Two, w, W and the total stand side by side in a play and in a hand: four small numbers without a carry.
    cdef uint32_t beside, held, shown
    memcpy(&beside, &play.x, 4)
    memcpy(&held, &s.counts[seat][TWO], 4)
    memcpy(&shown, &s.played[seat][TWO], 4)
    held -= beside
    shown += beside
    memcpy(&s.counts[seat][TWO], &held, 4)
    memcpy(&s.played[seat][TWO], &shown, 4)
    s.counts[seat][play.base] -= play.n
    s.played[seat][play.base] += play.n


cdef inline int beat_table(State* s, const Rules* rules, int seat, bint burn) noexcept nogil:
    """Free or burn the seat whose play is beaten (R5.3, R5.4) and return the seat that is choked by it, or NONE."""
    cdef int owner = s.table_seat
    cdef bint was_burning = has(s.burning, owner)
    s.burning &= ~(1 << owner)
    if burn:
        s.burning |= 1 << seat
        s.victims[seat] = owner
        s.doublings[seat] = s.doublings[owner] + 1 if was_burning else 0
    if s.yielder != NONE and s.yielder != seat:
        s.passed |= 1 << s.yielder
    s.yielder = NONE
    return owner if s.choke_due and has(s.in_mask, owner) else NONE


cdef void make_play(State* s, const Rules* rules, const Play* play, bint burn, Log* log) noexcept nogil:
    """R3.3, R4, R5: cards go down, to burn or not; seats leave; the next are asked."""
    cdef int seat = s.turn, choked = NONE
    cdef int in_before = s.in_mask
    cdef bint by_yielder = s.yielder == seat
    # R4.6: what the opposite answers to a finisher's last Gouji cards.
    cdef bint dead = (s.gouji and s.table.total and not has(s.in_mask, s.table_seat)
                      and s.question != Q_BURN and seat == opposite(s.table_seat) and s.n_finished <= 2)
    take_cards(s, seat, play)
    if s.table.total:
        choked = beat_table(s, rules, seat, burn)
    elif s.scramble:
        s.passed = 0
    set_table(s, rules, seat, play, dead)
    if unlikely(rules.grand_slam == SLAM_KOREAN):
        note_run(s, seat)
    if unlikely(rules.fours_open):
        note_fours(s, seat, play, log)
    if unlikely(not s.counts[seat][TOTAL]):
        finish(s, seat, log)
    if unlikely(choked != NONE):
        choke(s, rules, choked, seat, log)
    if unlikely(s.in_mask != in_before) and hand_ends(s, rules):
        end_hand(s, rules, log)
        return
    ask_for_answers(s, rules, by_yielder)
    proceed(s, rules, log)


cdef inline void proceed(State* s, const Rules* rules, Log* log) noexcept nogil:
    """Ask the next seat, or end the trick."""
    if not ask_at_once(s) and not ask_next(s, rules):
        end_trick(s, rules, log)


cdef inline void note_run(State* s, int seat) noexcept nogil:
    # R7.5 `korean`: whoever has led is answered by any play of another.
    s.answered |= s.led & ~(1 << seat)
    s.led |= (s.plays == 1) << seat


cdef void note_fours(State* s, int seat, const Play* play, Log* log) noexcept nogil:
    """R9.9: the fours that are due open; others keep from opening."""
    if s.fours_due == seat:
        s.fours_due = NONE
        open_seat(s, seat, log)
    elif play.base == FOUR and play.n:
        s.four_played |= 1 << seat


cdef inline void set_table(State* s, const Rules* rules, int seat, const Play* play, bint dead) noexcept nogil:
    s.table = play[0]
    s.table_seat = seat
    s.plays += s.plays < 255
    s.gouji = not s.scramble and is_gouji(play, rules)
    s.dead = dead
    s.kept_play = False
    if s.scramble:
        s.passed = 0
    if rules.no_open_on_counter and s.gouji and s.first_gouji == NONE:
        s.first_gouji = seat
    if unlikely(s.revolted) and s.gouji and s.kept[seat]:
        s.kept[seat] -= 1
        s.kept_play = True
        s.dead = True
    s.choke_due = rules.threes_last and only_threes(s.counts[seat])


cdef void choke(State* s, const Rules* rules, int seat, int by, Log* log) noexcept nogil:
    """R9.8."""
    if s.n_choked < SEATS:
        s.choked[s.n_choked] = seat
        s.chokers[s.n_choked] = by
        s.n_choked += 1
    note(log, N_CHOKED, seat, by, 0)
    if rules.first_choked_is_last:
        leave_open(s, seat)
        note(log, N_LEFT, seat, 0, 0)


cdef void answer(State* s, const Rules* rules, uint64_t code, Log* log) noexcept nogil:
    """Do what the seat that is asked in play has decided; it is legal."""
    cdef int seat = s.turn, kind = kind_in(code)
    cdef Play play
    if kind == PLAY or kind == BURN:
        play = unpack(code)
        make_play(s, rules, &play, kind == BURN, log)
        return
    if kind == YIELD:
        s.yielder = seat
        if s.asks[s.n_asks - 1] >> 3 != Q_LAST_WORD:
            ask(s, seat, Q_LAST_WORD)
    elif kind == PASS and s.question != Q_BURN:
        s.passed |= 1 << seat
    s.next_ask += 1
    proceed(s, rules, log)


cdef int list_answers_of(const State* s, const Rules* rules, uint64_t* out) noexcept nogil:
    """Write all legal actions of the seat that is asked in play; ``out`` has `list_bound` places."""
    cdef int n = 0, i, kept
    cdef Play play
    if s.question != Q_LEAD:
        out[0] = pack_value(s.turn, PASS, 0)
        n = 1
    if yield_is_open(s, rules):
        out[n] = pack_value(s.turn, YIELD, 0)
        n += 1
    if s.question != Q_BURN:
        return n + list_plays(s, rules, s.turn, PLAY, out + n)
    kept = n
    for i in range(n, n + list_plays(s, rules, s.turn, BURN, out + n)):
        play = unpack(out[i])
        if not rules.burn_guard or can_carry_out(s, rules, s.turn, &play):
            out[kept] = out[i]
            kept += 1
    return kept
