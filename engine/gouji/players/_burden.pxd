# What a hand still costs to play out, and the weights of the plan.

from libc.stdint cimport uint8_t, uint32_t

from gouji.engine._state cimport Play, Rules
from gouji.players._chances cimport Chances
from gouji.players._view cimport View

cdef enum:                  # weights; `WEIGHTS` in _burden.pyx has a row for each
    REGAIN = 0
    REGAIN_LATE = 1
    FREELY = 2
    SHED_ONE = 3
    SHED_TWO = 4
    SHED_THREE = 5
    SHED_MORE = 6
    BIG_SAVES = 7
    SMALL_SAVES = 8
    TWO_SAVES = 9
    A_GROUP = 10
    A_CARD = 11
    A_CONTROL = 12
    REGAINS = 13
    WINS_ONE = 14
    WINS_TWO = 15
    WINS_THREE = 16
    WINS_MORE = 17
    THREES_ALONE = 18
    STOP = 19
    STOP_NEAR = 20
    MATE = 21
    MATE_NEAR = 22
    OUT = 23
    LETS_OUT = 24
    OPENS = 25
    KEEPS_OPENING = 26
    CHOKED = 27
    STRUCK = 28
    BURNS = 29
    MATE_BEATS = 30
    YIELDS = 31
    KEEPS_FOURS = 32
    N_WEIGHTS = 33

cdef struct Plan:           # what stands for the whole of one decision
    const View* view
    const Rules* rules
    const double* weights
    Chances chances
    bint shared             # every seat has the chances of one, and `beats` holds them for bare plays
    double beats[13][18]
    double leads[13][18]    # that a bare lead of a rank and size keeps the lead, ...
    double costs[13][18]    # ... what the group costs, ...
    double wins[13][18]     # ... and how far it makes up for another, ...
    uint32_t known[13][18]  # ... worked out for this decision if it stands here
    uint32_t decision
    double small_holds      # that a play with a small joker keeps the lead

cdef void next_decision(Plan* plan) noexcept nogil
cdef void begin_plan(Plan* plan, const View* view, const Rules* rules, const double* weights) noexcept nogil
cdef void share_chances(Plan* plan, const View* view, const Rules* rules, const double* weights) noexcept nogil
cdef double beaten_by(const Plan* plan, int seat, const Play* play, double free) noexcept nogil
cdef int asked_for(const Plan* plan, const Play* play, bint lead) noexcept nogil
cdef double holds_lead(const Plan* plan, const Play* play, int seats) noexcept nogil
cdef double burden(Plan* plan, const uint8_t* cards) noexcept nogil
cdef double without_lead(const Plan* plan, const uint8_t* cards) noexcept nogil
cdef bint opens_with(const Rules* rules, const Play* play) noexcept nogil
cdef bint is_gouji_play(const Rules* rules, const Play* play) noexcept nogil
cdef double* default_weights() noexcept nogil
