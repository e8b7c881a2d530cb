# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""How likely another seat holds cards that beat a play (R2.4), when the hidden cards lie as they may.

Of each rank a seat has a hypergeometric number; ranks count as independent of each other, which they nearly are.
"""

from gouji.engine._state cimport ACE, BIG, SEATS, SMALL, TOTAL, TWO, Play, Rules, has


cdef void count_of(int all, int of_rank, int drawn, double* out) noexcept nogil:
    """Fill in how likely each number of a rank is among ``drawn`` of ``all`` cards; more than 16 count as 16."""
    cdef int card, k
    cdef double here
    for k in range(MOST):
        out[k] = 0
    out[0] = 1
    # Card by card: the next lies here with the chance of a place that is still free here.
    for card in range(of_rank):
        for k in range(card if card < MOST - 2 else MOST - 2, -1, -1):
            here = <double>(drawn - k) / (all - card) if all > card and drawn > k else 0
            if here > 1:
                here = 1
            out[k + 1] += out[k] * here
            out[k] *= 1 - here


cdef void shift(double* chances, int known) noexcept nogil:
    """Add cards that are known to be there."""
    cdef int k
    if not known:
        return
    for k in range(MOST - 1, -1, -1):
        chances[k] = chances[k - known] if k >= known else 0


cdef void at_least(const double* just, double* out) noexcept nogil:
    cdef int k
    cdef double total = 0
    for k in range(MOST - 1, -1, -1):
        total += just[k]
        out[k] = total


cdef void fill_seat(const View* view, const Rules* rules, int seat, Chances* out) noexcept nogil:
    cdef double just[MOST]
    cdef double least[MOST]
    cdef int rank, k
    cdef const unsigned char* known = view.known[seat]
    cdef int all = view.hidden[TOTAL], slots = view.slots[seat]
    for k in range(MOST):
        out.lacks[seat][k][ACE] = out.lacks[seat][k][TWO] = 1
    for rank in range(ACE, 0, -1):
        count_of(all, view.hidden[rank], slots, just)
        shift(just, known[rank])
        at_least(just, least)
        for k in range(1, MOST):
            out.lacks[seat][k][rank - 1] = out.lacks[seat][k][rank] * (1 - least[k])
    count_of(all, view.hidden[BIG], slots, just)
    shift(just, known[BIG])
    at_least(just, out.big[seat])
    count_of(all, view.hidden[BIG] + view.hidden[SMALL], slots, just)
    shift(just, known[BIG] + known[SMALL])
    at_least(just, out.jokers[seat])
    count_of(all, view.hidden[BIG] + view.hidden[SMALL] + view.hidden[TWO], slots, out.wild[seat])
    shift(out.wild[seat], known[BIG] + known[SMALL] + known[TWO])


cdef void fill_chances(const View* view, const Rules* rules, Chances* out) noexcept nogil:
    """Fill in the chances of all other seats that are in."""
    cdef int seat
    for seat in range(SEATS):
        if seat != view.me and has(view.in_mask, seat):
            fill_seat(view, rules, seat, out)


cdef inline double higher_base(const Chances* chances, int seat, int base, int cards, double free) noexcept nogil:
    """How likely a seat has ``cards`` of a rank above ``base``, twos and jokers added as freely as ``free`` says."""
    cdef double without, lacking = 0
    cdef int wild
    if cards >= MOST:
        return 0
    without = chances.lacks[seat][cards][base]
    for wild in range(cards):
        lacking += chances.wild[seat][wild] * chances.lacks[seat][cards - wild][base]
    return 1 - (free * lacking + (1 - free) * without)


cdef double can_beat(const Rules* rules, const Chances* chances, int seat, int most, const Play* play,
                     double free) noexcept nogil:
    """How likely a seat with ``most`` cards holds what beats a play and would spend it.

    ``free`` is how freely it spends twos and jokers.
    """
    cdef int cards = play.total - play.y - play.z
    if play.z:
        if not rules.two_kills_one or play.total + play.z > most or 2 * play.z + play.y >= MOST:
            return 0
        return chances.big[seat][2 * play.z + play.y] * (
            higher_base(chances, seat, play.base, cards, free) if cards else 1)
    if play.total > most or play.total >= MOST:
        return 0
    if play.y:
        return chances.big[seat][play.y] * (higher_base(chances, seat, play.base, cards, free) if cards else 1)
    if play.base >= TWO:
        return chances.jokers[seat][play.total] * free
    return higher_base(chances, seat, play.base, cards, free)
