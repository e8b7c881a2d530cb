# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""R7.1, R7.2, R7.4, R7.5: what a finished hand is worth. R7.3 counts tributes: ``tribute.py``."""

from gouji.engine._game cimport is_sweep
from gouji.engine._state cimport (
    NONE, SCORE_INDIVIDUAL, SCORE_TEAM, SEATS, SLAM_DOUBLES, SLAM_KOREAN, Rules, State,
)

cdef int* BY_TEAM = [4, 2, 0, 0, -2, -4]
cdef int* BY_SEAT = [2, 1, 0, 0, -1, -2]


cdef bint across(int seat, int other) noexcept nogil:
    """Two places apart (隔山)."""
    return (seat - other) % 6 in (2, 4, -2, -4)


cdef void double_across(const State* s, int* seats) noexcept nogil:
    """R7.4."""
    if across(s.order[0], s.order[5]):
        seats[s.order[0]] *= 2
        seats[s.order[5]] *= 2
    if across(s.order[1], s.order[4]):
        seats[s.order[1]] *= 2
        seats[s.order[4]] *= 2


cdef void score_slam(const State* s, int* seats) noexcept nogil:
    """R7.5 `korean`."""
    cdef int seat
    cdef bint led = s.slam == s.first_leader
    for seat in range(SEATS):
        seats[seat] = -2 if led or seat == s.first_leader else -1
    seats[s.slam] = 10 if led else 6


cdef void score_places(const State* s, const Rules* rules, int* seats) noexcept nogil:
    cdef int place, i
    for place in range(SEATS):
        seats[s.order[place]] = BY_SEAT[place] if rules.scoring == SCORE_INDIVIDUAL else BY_TEAM[place]
    if rules.scoring == SCORE_INDIVIDUAL:
        for i in range(s.n_burns):
            seats[s.burners[i]] += 1
            seats[s.burned[i]] -= 1


cdef void score(const State* s, const Rules* rules, int* seats, int* teams) noexcept nogil:
    """Fill six points and two sums. A sweep doubles team points always, others under R7.5."""
    cdef int seat, i
    teams[0] = teams[1] = 0
    if rules.grand_slam == SLAM_KOREAN and s.slam != NONE:
        score_slam(s, seats)
    else:
        score_places(s, rules, seats)
        if is_sweep(s, rules) and (rules.scoring == SCORE_TEAM or rules.grand_slam == SLAM_DOUBLES):
            for seat in range(SEATS):
                seats[seat] *= 2
        if rules.across_doubles:
            double_across(s, seats)
    for seat in range(SEATS):
        teams[seat % 2] += seats[seat]
    for i in range(2):
        if rules.drop_negatives and rules.scoring == SCORE_TEAM and teams[i] < 0:
            teams[i] = 0
