# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Playing drawn hands to their end by the planner's own plan, made quicker, without the GIL.

All seats count the others' cards alike here: as cards lie on average at a seat, when the rollout began.
"""

from cpython.array cimport array
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from gouji.engine._game cimport check, close_answers, list_actions, list_bound, step, yield_is_open
from gouji.engine._rules cimport CompiledRules, compiled
from gouji.engine._scores cimport score
from gouji.engine._state cimport (
    BIG, BURN, NONE, OVER, PASS, PLAY, PLAYING, Q_BURN, Q_LEAD, RANKS, SCORE_TRIBUTES, SEATS, SMALL, TOTAL, TWO,
    YIELD, Log, Play, Rules, State, has, headed, pack, pack_value, team_of,
)
from gouji.players._burden cimport Plan, default_weights, next_decision, share_chances
from gouji.players._plan cimport weigh
from gouji.players._view cimport View

from gouji.engine.errors import InvalidState

cdef enum:
    MOST_CHOICES = 256
    MOST_ACTIONS = 3000     # more than any hand takes in play

cdef int* PLACE_POINTS = [5, 3, 1, -1, -3, -5]
cdef double POINTS_COUNT = 2        # the preset's own points beside places
cdef double A_TRIBUTE = 1.5         # a card of tribute, as the next hand feels it


cdef void view_state(const State* s, const Rules* rules, View* view) noexcept nogil:
    """Show a whole hand as the seat that is asked plans by it: its own cards, and how many the others hold."""
    cdef int seat
    view.me = s.turn
    view.question = s.question
    view.friends = team_of(s.turn) & s.in_mask & ~(1 << s.turn) if rules.teams else 0
    view.in_mask = s.in_mask
    view.passed = s.passed
    view.opened = s.opened
    view.burning = s.burning
    view.headed = headed(s)
    view.scramble = s.scramble
    view.gouji = s.gouji
    view.dead = s.dead
    view.may_yield = False
    view.table_seat = s.table_seat if s.table.total else NONE
    view.table = s.table
    memcpy(view.cards, s.counts[s.turn], 16)
    for seat in range(SEATS):
        view.held[seat] = s.counts[seat][TOTAL]


cdef void show_average(const State* s, View* view) noexcept nogil:
    """Fill in all cards that are still held, and how many of them a seat holds on average."""
    cdef int seat, rank, seats = 0
    memset(view, 0, sizeof(View))
    for seat in range(SEATS):
        if not has(s.in_mask, seat):
            continue
        seats += 1
        for rank in range(RANKS):
            view.hidden[rank] += s.counts[seat][rank]
        view.hidden[TOTAL] += s.counts[seat][TOTAL]
    view.slots[0] = view.hidden[TOTAL] // seats if seats else 0


cdef inline int add(const State* s, const Rules* rules, int kind, Play* play, uint64_t* out, int n) noexcept nogil:
    cdef uint64_t code
    if n >= MOST_CHOICES:
        return n
    play.total = play.n + play.x + play.y + play.z
    code = pack(s.turn, kind, play[0])
    if check(s, rules, code):
        return n
    out[n] = code
    return n + 1


cdef int list_leads(const State* s, const Rules* rules, uint64_t* out) noexcept nogil:
    """List the leads that a plan would think of: whole groups, alone, with one joker, or with twos that end it."""
    cdef const uint8_t* cards = s.counts[s.turn]
    cdef int rank, n = 0
    cdef Play play
    memset(&play, 0, sizeof(Play))
    for rank in range(TWO + 1):
        if not cards[rank]:
            continue
        play.base = rank
        play.n = cards[rank]
        play.x = play.y = play.z = 0
        n = add(s, rules, PLAY, &play, out, n)
        if cards[BIG]:
            play.z = 1
            n = add(s, rules, PLAY, &play, out, n)
            play.z = 0
        if cards[SMALL]:
            play.y = 1
            n = add(s, rules, PLAY, &play, out, n)
        if rank < TWO and cards[rank] + cards[TWO] + cards[SMALL] + cards[BIG] == cards[TOTAL]:
            play.x = cards[TWO]
            play.y = cards[SMALL]
            play.z = cards[BIG]
            n = add(s, rules, PLAY, &play, out, n)
    memset(&play, 0, sizeof(Play))
    if cards[SMALL]:
        play.base = SMALL
        play.y = 1
        n = add(s, rules, PLAY, &play, out, n)
        play.y = 0
    if cards[BIG]:
        play.base = BIG
        play.z = 1
        n = add(s, rules, PLAY, &play, out, n)
    return n


cdef int list_answers(const State* s, const Rules* rules, int kind, uint64_t* out, int n) noexcept nogil:
    """List answers of each base, with as few twos as will do and at most one joker more than it takes."""
    cdef const uint8_t* cards = s.counts[s.turn]
    cdef const Play* table = &s.table
    cdef int total = table.total + table.z
    cdef int big = table.y + 2 * table.z
    cdef int more, rank, rest, small
    cdef Play play
    if total > cards[TOTAL]:
        return n
    for more in range(3):
        small = more == 1
        rest = total - big - (more == 2) - small
        if big + (more == 2) > cards[BIG] or small > cards[SMALL] or rest < 0:
            continue
        memset(&play, 0, sizeof(Play))
        play.z = big + (more == 2)
        play.y = small
        if not rest:
            play.base = SMALL if small else BIG
            n = add(s, rules, kind, &play, out, n)
            continue
        for rank in range(table.base + 1, TWO + 1):
            if not cards[rank]:
                continue
            play.base = rank
            play.n = cards[rank] if cards[rank] < rest else rest
            play.x = rest - play.n
            if rank == TWO and play.x or play.x > cards[TWO]:
                continue
            n = add(s, rules, kind, &play, out, n)
    return n


cdef int list_choices(const State* s, const Rules* rules, uint64_t* out) noexcept nogil:
    cdef int n = 1
    if s.question == Q_LEAD:
        return list_leads(s, rules, out)
    out[0] = pack_value(s.turn, PASS, 0)
    if yield_is_open(s, rules):
        out[1] = pack_value(s.turn, YIELD, 0)
        n = 2
    return list_answers(s, rules, BURN if s.question == Q_BURN else PLAY, out, n)


cdef int play_first(State* s, const Rules* rules) noexcept nogil:
    """Do the first action that the rules list."""
    cdef uint64_t* found = <uint64_t*>malloc(list_bound(s, s.turn) * sizeof(uint64_t))
    cdef int n
    if found == NULL:
        return 1
    n = list_actions(s, rules, found)
    n = step(s, rules, found[0]) if n else 1
    free(found)
    return n


cdef int play_on(State* s, const Rules* rules, Plan* plan, View* view) noexcept nogil:
    """Play a hand to its end; 0, or 1 if it does not come to one."""
    cdef uint64_t codes[MOST_CHOICES]
    cdef double worths[MOST_CHOICES]
    cdef int i, n, best, actions
    cdef Log log
    for actions in range(MOST_ACTIONS):
        if s.phase == OVER:
            return 0
        if s.turn == NONE:
            log.n = 0
            close_answers(s, rules, &log)
            continue
        n = list_choices(s, rules, codes) if s.phase == PLAYING and s.fours_due == NONE else 0
        if n == 1:
            step(s, rules, codes[0])
            continue
        if not n:
            if play_first(s, rules):
                return 1
            continue
        view_state(s, rules, view)
        next_decision(plan)
        weigh(plan, codes, n, worths)
        best = 0
        for i in range(1, n):
            if worths[i] > worths[best]:
                best = i
        step(s, rules, codes[best])
    return 1


cdef double outcome(const State* s, const Rules* rules, int seat) noexcept nogil:
    """What a hand's end is worth to a seat: places, the preset's own points, and the tribute that will be owed."""
    cdef int points[SEATS]
    cdef int teams[2]
    cdef int place, other
    cdef double worth = 0
    if s.void_hand:
        return 0
    for place in range(SEATS):
        other = s.order[place]
        if rules.teams or other == seat:
            worth += side(rules, seat, other) * PLACE_POINTS[place]
    if rules.scoring != SCORE_TRIBUTES:
        score(s, rules, points, teams)
        worth += POINTS_COUNT * (teams[seat % 2] - teams[1 - seat % 2] if rules.teams else points[seat])
    return worth + A_TRIBUTE * tributes(s, rules, seat)


cdef inline int side(const Rules* rules, int seat, int other) noexcept nogil:
    """Give 1 for a seat of one's own side, else -1."""
    return 1 if other == seat or (rules.teams and (other - seat) % 2 == 0) else -1


cdef int tributes(const State* s, const Rules* rules, int seat) noexcept nogil:
    """R8.1: cards that a seat's side will be owed less those that it owes, for opening, burns and chokes."""
    cdef int i, cards = 0
    if rules.opening:
        for i in range(SEATS):
            if not has(s.opened, i):
                cards -= side(rules, seat, i)
    for i in range(s.n_burns):
        cards += (side(rules, seat, s.burners[i]) - side(rules, seat, s.burned[i])) // 2 << min(s.burn_doublings[i], 4)
    for i in range(s.n_choked):
        cards += (side(rules, seat, s.chokers[i]) - side(rules, seat, s.choked[i])) // 2
    return cards


def play_out(rules, list drawn, list codes):
    """Do each packed action in each drawn hand, play on to the end, and give what came of it, hand by hand.

    ``drawn`` are hands as `Hand.to_bytes` writes them, all with the same seat asked. Raises ValueError where an action
    is not lawful or a hand does not end.
    """
    cdef CompiledRules made = compiled(rules)
    cdef const Rules* r = &made.c
    cdef int hands = len(drawn), choices = len(codes), i, failed
    cdef array numbers = array("Q", codes)
    cdef array worths = array("d", bytes(8 * hands * choices))
    cdef State* starts
    cdef const uint8_t* raw
    if any([len(data) < <Py_ssize_t>sizeof(State) for data in drawn]):
        raise InvalidState("these bytes are not a hand under these rules")
    starts = <State*>malloc(hands * sizeof(State))
    if starts == NULL:
        raise MemoryError
    for i, data in enumerate(drawn):
        raw = data
        memcpy(&starts[i], raw + <size_t>(len(data) - <Py_ssize_t>sizeof(State)), sizeof(State))
    with nogil:
        failed = play_all(starts, hands, r, numbers.data.as_ulonglongs, choices, worths.data.as_doubles)
    free(starts)
    if failed:
        raise ValueError("a hand could not be played out")
    return worths


cdef int play_all(const State* starts, int hands, const Rules* rules, const uint64_t* codes, int choices,
                  double* worths) noexcept nogil:
    cdef Plan plan
    cdef View view
    cdef State s
    cdef int hand, choice, seat
    for hand in range(hands):
        seat = starts[hand].turn
        show_average(&starts[hand], &view)
        share_chances(&plan, &view, rules, default_weights())
        for choice in range(choices):
            s = starts[hand]
            if step(&s, rules, codes[choice]) or play_on(&s, rules, &plan, &view):
                return 1
            worths[hand * choices + choice] = outcome(&s, rules, seat)
    return 0
