# Many random playouts of one position, and what they sum up to.

cdef enum:
    AT_ONCE = 256       # playouts whose ends are kept before they are summed up


class Sums:
    """Adds up how hands end."""

    def __init__(self, teams):
        self.void = 0
        self.places = [[0] * SEATS for _ in range(SEATS)]
        self.scores = [0] * SEATS
        self.team_scores = [0, 0] if teams else None

    def add(self, hand):
        if hand.void:
            self.void += 1
            return
        for place, seat in enumerate(hand.order):
            self.places[seat][place] += 1
        self.scores = [total + points for total, points in zip(self.scores, hand.scores)]
        if self.team_scores is not None:
            self.team_scores = [total + points for total, points in zip(self.team_scores, hand.team_scores)]

    def total(self, count):
        teams = None if self.team_scores is None else tuple(self.team_scores)
        return Playouts(count, self.void, tuple(map(tuple, self.places)), tuple(self.scores), teams)


cdef int play_out_many(const State* start, const Rules* rules, uint64_t seed, State* ends, int count) noexcept nogil:
    """Play a position to its end again and again, each time with a chance of its own; 0, or 1 if that cannot be."""
    cdef uint64_t chance
    cdef int i
    for i in range(count):
        ends[i] = start[0]
        chance = scattered(seed + i) | 1
        if play_out(&ends[i], rules, &chance, PLAYING) < 0 or play_out(&ends[i], rules, &chance, OVER) < 0:
            return 1
    return 0


cdef inline uint64_t scattered(uint64_t seed) noexcept nogil:
    # SplitMix64: neighbouring seeds give chances that have nothing in common.
    seed += <uint64_t>0x9E3779B97F4A7C15
    seed = (seed ^ (seed >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    seed = (seed ^ (seed >> 27)) * <uint64_t>0x94D049BB133111EB
    return seed ^ (seed >> 31)
