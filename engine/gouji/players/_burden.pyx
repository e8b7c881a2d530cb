# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""What a hand still costs: it falls apart into groups, one a rank, and each that does not keep the lead costs it.

The unit is one lead that is lost and has to be won again. A group costs as much of it as it is likely to be beaten, less
what it is likely to go as an answer. The last group costs nothing: it goes out. Jokers, twos and groups that nobody beats
win the lead again, and so make up for what is lost.
"""

from libc.math cimport exp
from libc.stdint cimport uint8_t
from libc.string cimport memset

from gouji.engine._state cimport (
    ACE, BIG, OPEN_ANY, OPEN_PURE, SEATS, SMALL, THREE, TOTAL, TWO, Play, Rules, has, opposite,
)
from gouji.players._chances cimport can_beat, fill_chances, fill_seat

cdef double[N_WEIGHTS] _weights

WEIGHTS = {
    "regain": 0.2,          # what it costs to be without the lead, ...
    "regain_late": 0.6,     # ... and how much more near the end
    "freely": 0.6,          # how freely others spend twos and jokers
    "shed_one": 0.75,       # how likely an ace goes as an answer by itself, ...
    "shed_two": 0.65,       # ... a pair of them, ...
    "shed_three": 0.5,      # ... three, ...
    "shed_more": 0.3,       # ... and more
    "big_saves": 0.95,      # how many leads a big joker wins again, ...
    "small_saves": 0.8,     # ... a small one, ...
    "two_saves": 0.5,       # ... and a two
    "a_group": 0.15,        # what each group costs, and ...
    "a_card": 0.01,         # ... each card, whatever it is
    "a_control": 0.1,      # what each control is worth when nothing is left to save
    "regains": 1.0,         # how far a control makes up for a group that loses the lead
    "wins_one": 0.8,        # how likely an unbeaten card finds a play to answer, ...
    "wins_two": 0.7,        # ... a pair, ...
    "wins_three": 0.6,      # ... three, ...
    "wins_more": 0.4,       # ... and more
    "threes_alone": 2.0,    # what it costs to hold threes alone without the lead
    "stop": 0.1,           # what an opponent's lead costs, and ...
    "stop_near": 1.0,       # ... so much more from one with few cards
    "mate": 0.45,           # what a team-mate's lead is worth, and ...
    "mate_near": 0.8,       # ... so much more of one with few cards
    "out": 2.5,             # what it is worth to go out
    "lets_out": 1.5,        # what it costs that an opponent goes out with its answer
    "opens": 1.0,           # what it is worth to open, and ...
    "keeps_opening": 0.4,   # ... to hold what can
    "choked": 2.0,          # what it costs to be choked, ...
    "struck": 4.0,          # ... and struck
    "burns": 0.5,           # what a burn that succeeds is worth
    "mate_beats": 0.5,      # how surely a team-mate stops an opponent when it can
    "yields": 0.9,          # how likely the last word is left to who yields
    "keeps_fours": 0.3,     # what fours are worth that open
}


cdef double* default_weights() noexcept nogil:
    return _weights


cdef int fill_weights() except -1:
    cdef int i
    for i, value in enumerate(WEIGHTS.values()):
        _weights[i] = value
    return 0

fill_weights()


cdef bint is_gouji_play(const Rules* rules, const Play* play) noexcept nogil:
    """R2.7."""
    if play.z:
        return rules.big_joker_is_gouji
    if play.y:
        return True
    if play.base == TWO and play.n == 1:
        return rules.single_two_is_gouji
    return is_gouji_group(play.base, play.n + play.x)


cdef inline bint is_gouji_group(int base, int cards) noexcept nogil:
    # The least number as a hexadecimal digit for each rank; 0 is never.
    cdef int least = (<unsigned long long>0x1223450000000 >> 4 * base) & 15
    return (least > 0) & (cards >= least)


cdef bint opens_with(const Rules* rules, const Play* play) noexcept nogil:
    """R2.8."""
    if not rules.opening or play.z or not is_gouji_play(rules, play):
        return False
    if rules.open_cards == OPEN_ANY:
        return True
    return not play.y and play.base <= ACE and (not play.x or rules.open_cards != OPEN_PURE)


cdef void begin_plan(Plan* plan, const View* view, const Rules* rules, const double* weights) noexcept nogil:
    """Work out what does not depend on the choice."""
    plan.view = view
    plan.rules = rules
    plan.weights = weights
    plan.shared = False
    plan.decision = 0
    memset(plan.known, 0, sizeof(plan.known))
    fill_chances(view, rules, &plan.chances)
    next_decision(plan)


cdef void next_decision(Plan* plan) noexcept nogil:
    """Forget what was worked out for the seat before."""
    cdef Play play
    plan.decision += 1
    memset(&play, 0, sizeof(Play))
    play.base = SMALL
    play.y = play.total = 1
    plan.small_holds = holds_lead(plan, &play, asked_for(plan, &play, True))


cdef void share_chances(Plan* plan, const View* view, const Rules* rules, const double* weights) noexcept nogil:
    """Begin plans for all seats in turn: each holds as many of ``view.hidden`` as ``view.slots[0]`` says."""
    cdef int rank, cards
    cdef Play play
    plan.view = view
    plan.rules = rules
    plan.weights = weights
    plan.shared = False
    plan.decision = 0
    memset(plan.known, 0, sizeof(plan.known))
    fill_seat(view, rules, 0, &plan.chances)
    memset(&play, 0, sizeof(Play))
    for rank in range(13):
        for cards in range(18):
            play.base = rank
            play.n = play.total = cards
            plan.beats[rank][cards] = can_beat(rules, &plan.chances, 0, cards, &play, weights[FREELY]) if cards else 0
    plan.shared = True


cdef double beaten_by(const Plan* plan, int seat, const Play* play, double free) noexcept nogil:
    """How likely a seat beats a play."""
    cdef int most = plan.view.held[seat]
    if not plan.shared:
        return can_beat(plan.rules, &plan.chances, seat, most, play, free)
    if play.y + play.z or play.base > TWO or play.total > 17:
        return can_beat(plan.rules, &plan.chances, 0, most, play, free)
    return plan.beats[play.base][play.total] if play.total <= most else 0


cdef int asked_for(const Plan* plan, const Play* play, bint lead) noexcept nogil:
    """The seats that may answer a play of the viewer's, burners left out (R4)."""
    cdef const View* view = plan.view
    cdef int others = view.in_mask & ~(1 << view.me)
    cdef int beside = others if lead else others & ~view.passed
    cdef int across = others & (1 << opposite(view.me))
    if view.scramble:
        return others
    if not is_gouji_play(plan.rules, play) or not has(view.headed, view.me):
        return beside | (across if not plan.rules.last_word_yielded else across & beside)
    return across | (beside & ~view.headed)


cdef double holds_lead(const Plan* plan, const Play* play, int seats) noexcept nogil:
    """How likely no opponent among ``seats`` beats a play."""
    cdef double held = 1
    cdef int seat
    seats &= ~plan.view.friends & ~(1 << plan.view.me)
    for seat in range(SEATS):
        if has(seats, seat):
            held *= 1 - beaten_by(plan, seat, play, plan.weights[FREELY])
    return held


cdef inline double goes_as_answer(const Plan* plan, int rank, int cards) noexcept nogil:
    return plan.weights[SHED_ONE + (cards if cards < 4 else 4) - 1] * rank / 11


cdef inline double wins_as_answer(const Plan* plan, int cards) noexcept nogil:
    """How likely a group that nobody beats finds a play of its size to answer."""
    return plan.weights[WINS_ONE + (cards if cards < 4 else 4) - 1]


cdef void look_at_group(Plan* plan, int rank, int cards) noexcept nogil:
    """Work out what a group is worth to the viewer, once a decision."""
    cdef Play play
    cdef double held
    plan.known[rank][cards] = plan.decision
    memset(&play, 0, sizeof(Play))
    play.base = rank
    play.n = play.total = cards
    held = holds_lead(plan, &play, asked_for(plan, &play, True))
    plan.leads[rank][cards] = held
    plan.costs[rank][cards] = (1 - held) * (1 - goes_as_answer(plan, rank, cards))
    plan.wins[rank][cards] = held * wins_as_answer(plan, cards)


cdef double burden(Plan* plan, const uint8_t* cards) noexcept nogil:
    """What a hand costs its player that has the lead."""
    cdef const double* w = plan.weights
    cdef double cost, lost = 0, regained = 0, worst = 0, surest = 0
    cdef int rank, size, n = 0
    cdef bint threes = plan.rules.threes_last and cards[THREE]
    for rank in range(THREE + threes, TWO):
        if not cards[rank]:
            continue
        size = cards[rank] if cards[rank] < 17 else 17
        if plan.known[rank][size] != plan.decision:
            look_at_group(plan, rank, size)
        if plan.leads[rank][size] > surest:
            surest = plan.leads[rank][size]
        cost = plan.costs[rank][size]
        if cost > worst:
            worst = cost
        lost += cost
        regained += plan.wins[rank][size]
        n += 1
    # The last group goes out, whatever it is; with threes last these are it.
    if not threes:
        lost -= worst
    regained += w[BIG_SAVES] * cards[BIG] + w[SMALL_SAVES] * plan.small_holds * cards[SMALL] + w[TWO_SAVES] * cards[TWO]
    cost = w[A_GROUP] * n + w[A_CARD] * cards[TOTAL] - w[A_CONTROL] * regained
    if lost > 0:
        cost += lost * lost / (lost + w[REGAINS] * regained)
    if threes and cards[TOTAL] > cards[THREE]:
        # R9.8: what goes before the threes must not be beaten.
        if cards[BIG]:
            surest = 1
        elif cards[SMALL] and plan.small_holds > surest:
            surest = plan.small_holds
        cost += w[CHOKED] * 0.5 * (1 - surest)
    return cost


cdef double without_lead(const Plan* plan, const uint8_t* cards) noexcept nogil:
    """What it costs a hand more not to have the lead: the more, the nearer it is to its end."""
    cdef const double* w = plan.weights
    if plan.rules.threes_last and cards[THREE] and cards[THREE] == cards[TOTAL]:
        return w[THREES_ALONE]
    return w[REGAIN] + w[REGAIN_LATE] * exp(-cards[TOTAL] / 6.0)
