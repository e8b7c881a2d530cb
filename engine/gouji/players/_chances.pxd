# How likely the others are to hold cards that beat a play.

from gouji.engine._state cimport SEATS, Play, Rules
from gouji.players._view cimport View

cdef enum:
    MOST = 17               # numbers of cards are looked at up to 16

cdef struct Chances:
    double lacks[SEATS][MOST][13]   # that a seat has so many of no rank above this one, up to aces
    double wild[SEATS][MOST]        # that it has just so many twos and jokers
    double jokers[SEATS][MOST]      # at least so many jokers
    double big[SEATS][MOST]         # at least so many big jokers

cdef void fill_chances(const View* view, const Rules* rules, Chances* out) noexcept nogil
cdef void fill_seat(const View* view, const Rules* rules, int seat, Chances* out) noexcept nogil
cdef double can_beat(const Rules* rules, const Chances* chances, int seat, int most, const Play* play,
                     double free) noexcept nogil
