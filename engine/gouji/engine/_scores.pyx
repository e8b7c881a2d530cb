# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""R7.1, R7.2: what a finished hand is worth."""

from gouji.engine._state cimport SEATS, Rules, State

cdef int* BY_TEAM = [4, 2, 0, 0, -2, -4]
cdef int* BY_SEAT = [2, 1, 0, 0, -1, -2]


cdef void score(const State* s, const Rules* rules, int* seats, int* teams) noexcept nogil:
    """Fill six points and two sums. A sweep doubles team points; burns count in `individual` alone."""
    cdef int place, seat, i
    cdef bint swept = s.order[0] % 2 == s.order[1] % 2 and s.order[0] % 2 == s.order[2] % 2
    teams[0] = teams[1] = 0
    for place in range(SEATS):
        seat = s.order[place]
        if rules.individual:
            seats[seat] = BY_SEAT[place]
        else:
            seats[seat] = BY_TEAM[place] * (2 if swept and rules.teams else 1)
    if rules.individual:
        for i in range(s.n_burns):
            seats[s.burners[i]] += 1
            seats[s.burned[i]] -= 1
    for seat in range(SEATS):
        teams[seat % 2] += seats[seat]
    for i in range(2):
        if rules.drop_negatives and not rules.individual and teams[i] < 0:
            teams[i] = 0
