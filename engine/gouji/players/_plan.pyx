# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""What each play, burn or pass is worth to its player, by the plan of its hand."""

from cpython.array cimport array
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from gouji.engine._rules cimport CompiledRules, compiled
from gouji.engine._state cimport (
    BIG, BURN, CLOSE, FOUR, NONE, PASS, PLAY, Q_LEAD, RANKS, SEATS, SMALL, TEN, THREE, TOTAL, TWO, YIELD, Play, after,
    has, kind_in, opposite, unpack,
)
from gouji.players._burden cimport (
    BURNS, CHOKED, FREELY, KEEPS_FOURS, KEEPS_OPENING, LETS_OUT, MATE, MATE_BEATS, MATE_NEAR, OPENS, OUT, STOP,
    STOP_NEAR, STRUCK, YIELDS, Plan, asked_for, beaten_by, begin_plan, burden, default_weights, holds_lead, opens_with,
    without_lead,
)
from gouji.players._view cimport View, fill_view


cdef double near_end(int cards) noexcept nogil:
    """How near to its end a hand of so many cards is: 0 for ten and more, nearly 1 for one card."""
    return (10 - cards) / 10.0 if cards < 10 else 0


cdef double worth_of_lead(const Plan* plan, int seat) noexcept nogil:
    """What it is worth to the viewer that a seat gets the lead: less than nothing if it is an opponent."""
    cdef const double* w = plan.weights
    cdef double near = near_end(plan.view.held[seat])
    if has(plan.view.friends, seat):
        return w[MATE] + w[MATE_NEAR] * near
    return -w[STOP] - w[STOP_NEAR] * near


cdef int next_in(const View* view, int seat) noexcept nogil:
    cdef int steps
    for steps in range(1, SEATS):
        if has(view.in_mask, after(seat, steps)):
            return after(seat, steps)
    return seat


cdef int still_asked(const Plan* plan) noexcept nogil:
    """The seats that may answer the table's play after the viewer, as far as it can say."""
    cdef const View* view = plan.view
    cdef int owner = view.table_seat
    cdef int others = view.in_mask & ~(1 << view.me) & ~(1 << owner)
    cdef int across = others & (1 << opposite(owner))
    cdef int steps, later = 0
    if view.scramble:
        return others & ~view.passed
    if view.gouji and has(view.headed, owner):
        return across | (others & ~view.passed & ~view.headed)
    for steps in range(1, SEATS):
        if after(view.me, steps) == owner:
            break
        later |= 1 << after(view.me, steps)
    return (others & ~view.passed & later) | across


cdef double goes_out_on(const Plan* plan, const Play* play, int seats) noexcept nogil:
    """How likely an opponent among ``seats`` beats a play with all that it holds."""
    cdef const View* view = plan.view
    cdef int seat
    cdef double none = 1
    seats &= ~view.friends & ~(1 << view.me)
    for seat in range(SEATS):
        if has(seats, seat) and view.held[seat] == play.total:
            none *= 1 - beaten_by(plan, seat, play, 1)
    return 1 - none


cdef double worth_of_pass(Plan* plan) noexcept nogil:
    """What it is worth to let the table's play stand."""
    cdef const View* view = plan.view
    cdef const double* w = plan.weights
    cdef int seats = still_asked(plan)
    cdef int leader = view.table_seat
    cdef int seat
    cdef double stands = holds_lead(plan, &view.table, seats)
    cdef double worth = -burden(plan, view.cards)
    cdef double without = without_lead(plan, view.cards)
    cdef double lets = goes_out_on(plan, &view.table, seats)
    if not has(view.in_mask, leader):
        leader = next_in(view, leader)
    for seat in range(SEATS):
        if has(seats & view.friends, seat) and not has(view.friends, leader):
            stands *= 1 - w[MATE_BEATS] * beaten_by(plan, seat, &view.table, w[FREELY])
    if leader == view.me:
        return worth - (1 - stands) * without
    worth += stands * worth_of_lead(plan, leader) - (1 - stands) * w[STOP] * (leader % 2 == view.me % 2)
    return worth - without - lets * w[LETS_OUT]


cdef bint holds_opening(const Plan* plan, const uint8_t* cards) noexcept nogil:
    """Whether a hand holds a group that opens (R2.8)."""
    cdef int rank
    cdef Play play
    memset(&play, 0, sizeof(Play))
    for rank in range(TEN, TWO):
        play.base = rank
        play.n = play.total = cards[rank]
        if cards[rank] and opens_with(plan.rules, &play):
            return True
    return False


cdef bint may_open(const Plan* plan) noexcept nogil:
    """R9.6: whether the viewer can open still."""
    cdef const View* view = plan.view
    return (plan.rules.opening and not has(view.opened, view.me) and has(view.headed, view.me)
            and not view.scramble)


cdef double worth_of_opening(const Plan* plan, const Play* play, const uint8_t* left, double held) noexcept nogil:
    """R9.6: what a play does for opening."""
    if not may_open(plan):
        return 0
    if opens_with(plan.rules, play) and left[TOTAL]:
        return plan.weights[OPENS] * held
    if holds_opening(plan, plan.view.cards) and not holds_opening(plan, left):
        return -plan.weights[KEEPS_OPENING]
    if plan.rules.fours_open and play.base == FOUR:
        return -plan.weights[KEEPS_FOURS]
    return 0


cdef double worth_under_threes(const Plan* plan, const Play* play, const uint8_t* left, double held) noexcept nogil:
    """R9.8: being choked, and being stuck."""
    cdef int jokers = left[SMALL] + left[BIG]
    if not plan.rules.threes_last or not left[THREE] or left[THREE] + jokers != left[TOTAL]:
        return 0
    if not jokers:
        return -plan.weights[CHOKED] * (1 - held)
    return 0 if play.y + play.z else -plan.weights[CHOKED] * (1 if plan.rules.no_bare_joker_lead else 0.5)


cdef double run_while_burning(const Plan* plan, const uint8_t* left, double held) noexcept nogil:
    """R5.3: how likely a burning hand goes out play by play, or -1 when its jokers are too few."""
    cdef int rank, groups = 0, jokers = left[SMALL] + left[BIG], needed
    cdef bint joinable = False
    for rank in range(TWO):
        groups += left[rank] > 0
        if left[rank] and not (plan.rules.threes_last and rank == THREE):
            joinable = True
    if left[TWO] and not joinable:
        groups += 1
    needed = groups - 1
    if needed > jokers:
        return -1
    needed -= left[BIG]
    while needed > 0:
        held *= plan.small_holds
        needed -= 1
    return held


cdef double worth_of_play(Plan* plan, const Play* play, bint burn, int seats) noexcept nogil:
    """What it is worth to play these cards when ``seats`` may answer."""
    cdef const View* view = plan.view
    cdef const double* w = plan.weights
    cdef uint8_t left[16]
    cdef int owner = view.table_seat
    cdef double held, worth, without, run
    cdef bint burning = burn or has(view.burning, view.me)
    memcpy(left, view.cards, 16)
    left[play.base] -= play.n
    left[TWO] -= play.x
    left[SMALL] -= play.y
    left[BIG] -= play.z
    left[TOTAL] -= play.total
    if not left[TOTAL]:
        return w[OUT] + (w[BURNS] if burning else 0)
    held = holds_lead(plan, play, seats)
    without = without_lead(plan, left)
    worth = -burden(plan, left) - (1 - held) * (without + w[STOP] * (view.friends > 0))
    if burning:
        run = run_while_burning(plan, left, held)
        if run < 0:
            return worth - w[STRUCK] * held
        worth = run * w[BURNS] - (1 - run) * (burden(plan, left) + without)
    if owner != NONE and has(view.friends, owner):
        worth -= worth_of_lead(plan, owner) * holds_lead(plan, &view.table, still_asked(plan))
    worth -= goes_out_on(plan, play, seats) * w[LETS_OUT]
    return worth + worth_of_opening(plan, play, left, held) + worth_under_threes(plan, play, left, held)


cdef double worth_of_yield(Plan* plan, const uint64_t* codes, int n, double passing) noexcept nogil:
    """R4.3: who yields plays after two others, and its opposite alone may answer; or a team-mate beats it first."""
    cdef Play play
    cdef double worth, best = passing
    cdef int i
    for i in range(n):
        if kind_in(codes[i]) == PLAY:
            play = unpack(codes[i])
            worth = worth_of_play(plan, &play, False, 1 << plan.view.table_seat & plan.view.in_mask)
            if worth > best:
                best = worth
    return plan.weights[YIELDS] * best + (1 - plan.weights[YIELDS]) * passing + 0.01


cdef void weigh(Plan* plan, const uint64_t* codes, int n, double* out) noexcept nogil:
    """Fill in what each choice is worth."""
    cdef double passing = worth_of_pass(plan) if plan.view.table_seat != NONE else 0
    cdef int i, kind
    cdef Play play
    for i in range(n):
        kind = kind_in(codes[i])
        if kind == PLAY or kind == BURN:
            play = unpack(codes[i])
            out[i] = worth_of_play(plan, &play, kind == BURN, asked_for(plan, &play, plan.view.question == Q_LEAD))
        elif kind == YIELD:
            out[i] = worth_of_yield(plan, codes, n, passing)
        else:
            # To feel or to ask costs nothing and brings nothing (R9.11).
            out[i] = passing if kind == PASS or kind == CLOSE else -1000


cdef Plan* planned(object observation, View* view, Plan* plan) except NULL:
    """Begin the plan of an observation."""
    cdef CompiledRules rules = compiled(observation.rules)
    fill_view(observation, view)
    begin_plan(plan, view, &rules.c, default_weights())
    return plan


def worths(observation, list codes):
    """Give what each packed action of the play is worth, in the order given. Raises `InvalidState`."""
    cdef View view
    cdef Plan plan
    cdef array numbers = array("Q", codes)
    cdef array values = array("d", bytes(8 * len(codes)))
    planned(observation, &view, &plan)
    weigh(&plan, numbers.data.as_ulonglongs, len(codes), values.data.as_doubles)
    return values


def burdens(observation, hands):
    """Give what each of these hands, as counts by rank, would cost the viewer if it had the lead; less is better."""
    cdef View view
    cdef Plan plan
    cdef uint8_t cards[16]
    cdef int rank
    found = []
    planned(observation, &view, &plan)
    for counts in hands:
        cards[TOTAL] = 0
        for rank in range(RANKS):
            cards[rank] = counts[rank]
            cards[TOTAL] += cards[rank]
        found.append(burden(&plan, cards))
    return found


def outlook(observation, uint64_t code):
    """Say how likely no opponent beats this play, and whether it opens if nobody does. Raises `InvalidState`."""
    cdef View view
    cdef Plan plan
    cdef Play play = unpack(code)
    planned(observation, &view, &plan)
    opens = may_open(&plan) and opens_with(plan.rules, &play) and play.total < view.cards[TOTAL]
    return holds_lead(&plan, &play, asked_for(&plan, &play, view.question == Q_LEAD)), opens
