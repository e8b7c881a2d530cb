from libc.stdint cimport uint8_t, uint64_t

from gouji.engine._sight cimport Sight
from gouji.engine._state cimport SEATS, Rules, State

cdef struct Bounds:                 # what a viewer has worked out of the cards of each seat that it cannot place
    uint8_t least[SEATS][16]
    uint8_t most[SEATS][16]
    uint8_t received[SEATS][16]     # tribute that may not be paid on (R8.3)
    uint8_t natural                 # seats that were dealt no opening play (R9.6)
    uint8_t unnatural               # seats that were dealt one
    uint8_t suits[13][4]            # suits of all cards that are dealt, by rank

cdef bint draw(const Sight* sight, const Rules* rules, Bounds* bounds, uint64_t seed, State* out) noexcept
