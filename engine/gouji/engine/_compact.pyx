# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The short list of a seat's actions: of plays that are alike the cheapest, and all that is no play.

Two plays are alike when they have the same base and the same number of cards, and the same plays beat them: when they
hold as many small and as many big jokers, or, where no duel is on (R2.5, R2.6), when each holds a big joker (R2.4).
The cheapest has the fewest big jokers, then the fewest small ones, then the fewest added twos: of plays that are alike
just one. So each way to beat the table, each size and each base that there is stays, and so does the play that empties
the hand.
"""

from libc.stdint cimport uint64_t

from gouji.engine._state cimport BURN, PLAY, Play, Rules, kind_in, unpack


cdef inline bint is_played(uint64_t code) noexcept nogil:
    return kind_in(code) == PLAY or kind_in(code) == BURN


cdef inline bint alike(Play one, Play other, bint duel) noexcept nogil:
    if one.base != other.base or one.total != other.total:
        return False
    return (one.y == other.y and one.z == other.z) or (not duel and one.z and other.z)


cdef inline bint is_cheaper(Play one, Play other) noexcept nogil:
    if one.z != other.z:
        return one.z < other.z
    return one.y < other.y if one.y != other.y else one.x < other.x


cdef int keep_compact(const Rules* rules, uint64_t* codes, int n) noexcept nogil:
    """Shorten a list of legal actions in place, and return how many are left."""
    cdef bint duel = rules.two_kills_one or rules.swords
    cdef int i, at, kept = 0
    cdef Play play
    for i in range(n):
        play = unpack(codes[i])
        at = kept - 1 if is_played(codes[i]) else -1
        while at >= 0 and not (is_played(codes[at]) and alike(play, unpack(codes[at]), duel)):
            at -= 1
        if at < 0:
            codes[kept] = codes[i]
            kept += 1
        elif is_cheaper(play, unpack(codes[at])):
            codes[at] = codes[i]
    return kept
