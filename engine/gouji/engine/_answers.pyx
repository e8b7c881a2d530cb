# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""R3.3, R4, R5.2, R9.1: who is asked, in which order, and what an answer does.

After each play the seats to ask stand in ``asks``; `advance` walks along them, and a trick ends when none is left.
"""

from libc.stdint cimport uint32_t

from gouji.engine._burns cimport can_carry_out, cannot_go_on, holds_burn, may_burn
from gouji.engine._endings cimport end_hand, finish, hand_ends, leave_in_revolt, leave_last
from gouji.engine._plays cimport (
    beats, can_be_beaten, count_fits, holds, is_gouji, is_opening, is_play, list_plays, only_threes, restriction,
)
from gouji.engine._state cimport (
    BIG, BURN, BURN_FIRST, BURN_IN_TURN, BURN_IN_TURN_TEAM, BURN_NOT_ALLOWED, CARDS_NOT_HELD, CLOSE, DOES_NOT_BEAT,
    HAND_OVER, KEEP_HEAD, LAST_KIND, LEGAL, MAX_ASKS, MUST_LEAD, N_CHOKED, N_OPENED, N_SCRAMBLE, N_STRUCK, N_STUCK, N_TRICK_WON,
    NO_HEAD, NONE, NOT_ONE_BASE, NOT_YOUR_TURN, ONLY_OPPOSITE, OVER, PASS, PLAY, PLAYING, Q_ANSWER, Q_BURN, Q_GOUJI,
    Q_HEAD, Q_LAST_WORD, Q_LEAD, Q_NOTHING, Q_REVOLT, RANKS, REVOLT, REVOLTS, SEATS, SMALL, STAY, THREE, TOTAL, TWO,
    UNKNOWN_ACTION, WRONG_COUNT, WRONG_PHASE, YIELD, YIELD_NOT_ALLOWED, Log, Play, Rules, State, after, has, has_head,
    jokers, note, number_in, opposite, pack, unpack,
)

cdef uint32_t CARD_BITS = 0x1FFFFE0
cdef int* TURN_ORDER = [1, 2, 3, 4, 5]
cdef int* TEAM_ORDER = [2, 1, 3, 4, 5]
cdef int* TEAM_FIRST = [2, 4, 1, 5]
cdef int* OTHERS = [1, 2, 4, 5]


# Asking

cdef inline void ask(State* s, int seat, int kind) noexcept nogil:
    # Six seats and their opposites, or five and a last word, always fit; a state read from bytes may hold more.
    if s.n_asks < MAX_ASKS:
        s.asks[s.n_asks] = seat | (kind << 3)
        s.n_asks += 1


cdef inline int ask_seat(const State* s, int i) noexcept nogil:
    return s.asks[i] & 7


cdef inline int ask_kind(const State* s, int i) noexcept nogil:
    return s.asks[i] >> 3


cdef void ask_all(State* s, bint passed_too) noexcept nogil:
    """Ask in turn order all that are in, and have not passed unless that does not bar them."""
    cdef int i, seat
    for i in range(5):
        seat = after(s.table_seat, TURN_ORDER[i])
        if has(s.in_mask, seat) and (passed_too or not has(s.passed, seat)):
            ask(s, seat, Q_ANSWER)


cdef void ask_ordinary(State* s, const Rules* rules) noexcept nogil:
    """R4.1, R4.2. Asked when nobody else is left to ask, the opposite has its last word at once."""
    cdef int other = opposite(s.table_seat)
    # R2.7: a play with a big joker that is not Gouji may be answered after passing too.
    ask_all(s, s.table.z > 0)
    if not has(s.in_mask, other):
        return
    if s.n_asks and ask_seat(s, s.n_asks - 1) == other:
        s.asks[s.n_asks - 1] = other | (Q_LAST_WORD << 3)
    elif not rules.last_word_yielded or has(s.passed, other):
        ask(s, other, Q_LAST_WORD)


cdef inline bint may_beat_gouji(const State* s, const Rules* rules, int seat) noexcept nogil:
    # R4.5; R5.6: with `counter_burn` off only the opposite answers a burning seat.
    return (has(s.in_mask, seat) and not has_head(s, seat) and not has(s.passed, seat)
            and (rules.counter_burn or not has(s.burning, s.table_seat)))


cdef inline void ask_to_answer(State* s, const Rules* rules, int steps) noexcept nogil:
    # R4.4 and R4.5: the opposite, or a seat without a head. Only head's and second's last Gouji cards may be answered
    # by the opposite (R4.6).
    cdef int seat = after(s.table_seat, steps)
    if steps == 3:
        if has(s.in_mask, seat) and (has(s.in_mask, s.table_seat) or s.n_finished <= 2):
            ask(s, seat, Q_GOUJI)
    elif may_beat_gouji(s, rules, seat):
        ask(s, seat, Q_ANSWER)


cdef inline void ask_to_burn(State* s, const Rules* rules, int steps) noexcept nogil:
    cdef int seat = after(s.table_seat, steps)
    if may_burn(s, rules, seat):
        ask(s, seat, Q_BURN)


cdef void ask_gouji(State* s, const Rules* rules) noexcept nogil:
    """R4.4-R4.6, R5.2."""
    cdef int i
    cdef int* order
    cdef bint burnable = has(s.in_mask, s.table_seat) or s.n_finished <= 2 or s.dead
    if rules.burn_order == BURN_IN_TURN or rules.burn_order == BURN_IN_TURN_TEAM:
        order = TURN_ORDER if rules.burn_order == BURN_IN_TURN else TEAM_ORDER
        for i in range(5):
            if burnable and order[i] != 3:
                ask_to_burn(s, rules, order[i])
            if not s.dead:
                ask_to_answer(s, rules, order[i])
        return
    order = OTHERS if rules.burn_order == BURN_FIRST else TEAM_FIRST
    for i in range(4):
        if burnable:
            ask_to_burn(s, rules, order[i])
    for i in range(5):
        if not s.dead:
            ask_to_answer(s, rules, TURN_ORDER[i])


cdef void ask_for_answers(State* s, const Rules* rules) noexcept nogil:
    """Line up the seats that may answer the play just made."""
    s.n_asks = 0
    s.next_ask = 0
    if not can_be_beaten(&s.table, rules):
        return
    if s.scramble:
        ask_all(s, True)
    elif s.gouji and (s.dead or has_head(s, s.table_seat)):
        ask_gouji(s, rules)
    else:
        ask_ordinary(s, rules)


cdef bint yield_is_open(const State* s, const Rules* rules) noexcept nogil:
    """R4.3, for the seat that is asked now."""
    cdef int steps, seat
    if not rules.yields or s.scramble or s.turn != opposite(s.table_seat):
        return False
    for steps in range(4, 6):
        seat = after(s.table_seat, steps)
        if s.question == Q_ANSWER and not s.gouji:
            if has(s.in_mask, seat) and not has(s.passed, seat):
                return True
        elif s.question == Q_GOUJI and rules.burn_order == BURN_IN_TURN:
            if may_burn(s, rules, seat):
                return True
    return False


cdef inline bint can_revolt(const State* s, int seat) noexcept nogil:
    return has(s.in_mask, seat) and not jokers(s.counts[seat]) and not s.counts[seat][TWO]


cdef void advance(State* s, const Rules* rules, Log* log) noexcept nogil:
    """Ask the next seat that has a decision, or end the trick (or the time of revolutions)."""
    cdef int seat, kind
    while s.next_ask < s.n_asks:
        seat = ask_seat(s, s.next_ask)
        kind = ask_kind(s, s.next_ask)
        if kind == Q_BURN or kind == Q_REVOLT:
            s.window = True
            if not (holds_burn(s, rules, seat) if kind == Q_BURN else can_revolt(s, seat)):
                s.next_ask += 1
                continue
        elif waits(s):
            return
        elif not has(s.in_mask, seat):
            s.next_ask += 1
            continue
        s.turn = seat
        s.question = kind
        s.may_yield = yield_is_open(s, rules)
        return
    if waits(s):
        return
    if s.phase == REVOLTS:
        begin_play(s, rules, s.first_leader, log)
    else:
        end_trick(s, rules, log)


cdef inline bint waits(State* s) noexcept nogil:
    # Whether anybody was asked in private must not show: a held hand stops here until `close_answers`.
    if not s.held or not s.window:
        return False
    s.turn = NONE
    s.question = Q_NOTHING
    s.may_yield = False
    return True


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
    if s.kept_play:
        s.kept_won[seat] += 1
    note(log, N_TRICK_WON, seat, leader, 0)
    if rules.opening and not has(s.opened, seat) and opens(s, rules, seat):
        s.opened |= 1 << seat
        note(log, N_OPENED, seat, 0, 0)
    s.won_with_joker = leader == seat and s.table.y + s.table.z > 0
    give_lead(s, rules, leader, log)


cdef bint opens(const State* s, const Rules* rules, int seat) noexcept nogil:
    """R9.6; R9.3 for the opposite of a revolter."""
    if s.scramble or not has(s.in_mask, seat):
        return False
    if has(s.revolted, opposite(seat)):
        return s.kept_play and s.kept_won[seat] == 3 and s.n_finished < 2
    if not has_head(s, seat) or not is_opening(&s.table, rules):
        return False
    if rules.no_open_on_lead and s.plays < 2:
        return False
    return not rules.no_open_on_counter or s.first_gouji == seat


cdef void give_lead(State* s, const Rules* rules, int seat, Log* log) noexcept nogil:
    """A new trick; a burning seat that cannot lead is struck, and the lead goes on (R5.5)."""
    cdef int burned
    while True:
        if not s.scramble and number_in(s) <= 4:
            s.scramble = True
            s.burning = 0
            note(log, N_SCRAMBLE, 0, 0, 0)
        clear_trick(s, seat)
        if not cannot_go_on(s, rules, seat):
            break
        burned = s.victims[seat]
        strike(s, seat, log)
        if hand_ends(s, rules):
            end_hand(s, rules, log)
            return
        if burned == NONE:
            burned = seat
        seat = burned if has(s.in_mask, burned) else next_in(s, burned)
        s.won_with_joker = False
    s.turn = seat
    s.question = Q_LEAD
    if (rules.threes_last and not s.won_with_joker and s.counts[seat][THREE] and jokers(s.counts[seat])
            and s.counts[seat][THREE] + jokers(s.counts[seat]) == s.counts[seat][TOTAL]
            and not has(s.stuck, seat)):
        s.stuck |= 1 << seat
        note(log, N_STUCK, seat, 0, 0)


cdef void clear_trick(State* s, int leader) noexcept nogil:
    s.table.total = 0
    s.table.base = 0
    s.table.n = s.table.x = s.table.y = s.table.z = 0
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
    s.may_yield = False
    s.n_asks = 0
    s.next_ask = 0


cdef void strike(State* s, int seat, Log* log) noexcept nogil:
    """R5.5: the seat's cards are shown and dead; nobody owes for the burn."""
    cdef int rank
    for rank in range(RANKS):
        s.played[seat][rank] += s.counts[seat][rank]
    leave_last(s, seat)
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


cdef void ask_revolts(State* s, const Rules* rules, Log* log) noexcept nogil:
    """R9.1: all seats that may are asked, from the first leader on."""
    cdef int steps
    s.phase = REVOLTS
    s.n_asks = 0
    s.next_ask = 0
    for steps in range(SEATS):
        ask(s, after(s.first_leader, steps), Q_REVOLT)
    advance(s, rules, log)


# Actions

cdef int check_play(const State* s, const Rules* rules, int seat, int kind, const Play* play) noexcept nogil:
    cdef int why
    if not holds(s.counts[seat], play):
        return CARDS_NOT_HELD
    if not is_play(play, rules):
        return NOT_ONE_BASE
    if s.table.total:
        if not count_fits(play, &s.table, rules):
            return WRONG_COUNT
        if kind == PLAY and s.question == Q_BURN:
            return ONLY_OPPOSITE
        if not beats(play, &s.table, rules):
            return DOES_NOT_BEAT
    why = restriction(s, rules, seat, play)
    if kind == BURN and why != LEGAL and why < BURN_NOT_ALLOWED:
        return why
    if kind == BURN and (s.question != Q_BURN
                         or (rules.burn_guard and not can_carry_out(s, rules, seat, play))):
        return BURN_NOT_ALLOWED
    return why


cdef int check_revolting(const State* s, int kind) noexcept nogil:
    if s.question == Q_REVOLT and (kind == REVOLT or kind == STAY):
        return LEGAL
    if s.question == Q_HEAD and (kind == KEEP_HEAD or kind == NO_HEAD):
        return LEGAL
    return WRONG_PHASE


cdef int check(const State* s, const Rules* rules, uint32_t code) noexcept nogil:
    """Why a packed action would be refused now, or 0. Reasons are tried in the order of reasons.py."""
    cdef int kind = code & 31
    cdef int seat = (code >> 25) & 7
    cdef Play play
    if kind > LAST_KIND or code >> 28 or (kind != PLAY and kind != BURN and code & CARD_BITS):
        return UNKNOWN_ACTION
    if s.phase == OVER:
        return HAND_OVER
    if (kind > NO_HEAD) or ((s.phase == REVOLTS) != (REVOLT <= kind <= NO_HEAD)):
        return WRONG_PHASE
    if seat != s.turn:
        return NOT_YOUR_TURN
    if s.phase == REVOLTS:
        return check_revolting(s, kind)
    if kind == PLAY or kind == BURN:
        play = unpack(code)
        return check_play(s, rules, seat, kind, &play)
    if kind == YIELD:
        return LEGAL if s.may_yield else YIELD_NOT_ALLOWED
    if s.question == Q_LEAD:
        return MUST_LEAD
    return LEGAL if kind == PASS or s.question == Q_LAST_WORD else WRONG_PHASE


cdef void take_cards(State* s, int seat, const Play* play) noexcept nogil:
    if play.n:
        s.counts[seat][play.base] -= play.n
        s.played[seat][play.base] += play.n
    s.counts[seat][TWO] -= play.x
    s.played[seat][TWO] += play.x
    s.counts[seat][SMALL] -= play.y
    s.played[seat][SMALL] += play.y
    s.counts[seat][BIG] -= play.z
    s.played[seat][BIG] += play.z
    s.counts[seat][TOTAL] -= play.total


cdef int beat_table(State* s, const Rules* rules, int seat, bint burn) noexcept nogil:
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


cdef void make_play(State* s, const Rules* rules, int seat, bint burn, Play play, Log* log) noexcept nogil:
    """R3.3, R4, R5: cards go down; seats leave; the next are asked."""
    cdef int choked = NONE
    cdef bint dead = s.question == Q_GOUJI and not has(s.in_mask, s.table_seat)
    take_cards(s, seat, &play)
    if s.table.total:
        choked = beat_table(s, rules, seat, burn)
    elif s.scramble:
        s.passed = 0
    set_table(s, rules, seat, play, dead)
    if not s.counts[seat][TOTAL]:
        finish(s, seat, log)
    if choked != NONE:
        choke(s, rules, choked, seat, log)
    if hand_ends(s, rules):
        end_hand(s, rules, log)
        return
    ask_for_answers(s, rules)
    advance(s, rules, log)


cdef void set_table(State* s, const Rules* rules, int seat, Play play, bint dead) noexcept nogil:
    s.table = play
    s.table_seat = seat
    s.plays += s.plays < 255
    s.gouji = not s.scramble and is_gouji(&play, rules)
    s.dead = dead and s.gouji
    s.kept_play = False
    if s.scramble:
        s.passed = 0
    if s.gouji and s.first_gouji == NONE:
        s.first_gouji = seat
    if s.gouji and s.kept[seat]:
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
        leave_last(s, seat)


cdef void apply(State* s, const Rules* rules, uint32_t code, Log* log) noexcept nogil:
    """Do a packed action that `check` has found legal."""
    cdef int kind = code & 31
    cdef int seat = s.turn
    if not (kind == STAY or (kind == PASS and s.question == Q_BURN)):
        s.window = False
    s.may_yield = False
    if kind == PLAY or kind == BURN:
        make_play(s, rules, seat, kind == BURN, unpack(code), log)
        return
    if kind == YIELD:
        s.yielder = seat
        if ask_kind(s, s.n_asks - 1) != Q_LAST_WORD:
            ask(s, seat, Q_LAST_WORD)
    elif kind == REVOLT:
        leave_in_revolt(s, seat, log)
        if s.void_hand:
            return
        ask(s, opposite(seat), Q_HEAD)
    elif kind == KEEP_HEAD:
        s.kept[seat] = 3
    elif s.question != Q_BURN and kind == PASS:
        s.passed |= 1 << seat
    s.next_ask += 1
    advance(s, rules, log)


cdef int list_actions(const State* s, const Rules* rules, uint32_t* out) noexcept nogil:
    """Write all legal actions of the seat that is asked, packed; ``out`` has `list_bound` places."""
    cdef int n = 0, i, kept
    cdef Play nothing
    cdef Play play
    nothing.base = nothing.n = nothing.x = nothing.y = nothing.z = nothing.total = 0
    if s.turn == NONE:
        return 0
    if s.question == Q_REVOLT or s.question == Q_HEAD:
        out[0] = pack(s.turn, REVOLT if s.question == Q_REVOLT else KEEP_HEAD, nothing)
        out[1] = pack(s.turn, STAY if s.question == Q_REVOLT else NO_HEAD, nothing)
        return 2
    if s.question != Q_LEAD:
        out[0] = pack(s.turn, PASS, nothing)
        n = 1
    if s.may_yield:
        out[n] = pack(s.turn, YIELD, nothing)
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
