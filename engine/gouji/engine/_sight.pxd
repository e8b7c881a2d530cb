from libc.stdint cimport uint8_t, uint16_t

from gouji.engine._state cimport NONE, SEATS, Rules, State, is_private

cdef struct Sight:                  # a hand as one viewer may know it
    State s                         # what is hidden is blank
    uint8_t viewer                  # NONE: a spectator
    uint8_t slots[SEATS]            # cards of each seat that the viewer cannot place, held or aside
    uint16_t hidden[16]             # these cards by rank, and their TOTAL
    uint8_t held[SEATS]             # cards held as far as shown (R9.11), or NONE
    uint8_t laid                    # ranks laid off (R9.10)
    uint8_t sunk                    # seats that sank fours (R9.9)
    uint8_t replacing               # the viewer replaces cards that were refused (R8.4)
    uint16_t wanted                 # ranks that the payer then holds, of those that the viewer has

cdef inline bint is_hidden(const State* s, int viewer) noexcept nogil:
    # Whether the question that stands is a private one of others, or none while answers are open.
    return s.turn == NONE or (s.turn != viewer and is_private(s.question))

cdef int shown_count(const State* s, const Rules* rules, int seat, int viewer) noexcept nogil
cdef bint shows_hand(const State* s, const Rules* rules, int seat, int viewer) noexcept nogil
cdef void look(const State* s, const Rules* rules, int viewer, Sight* out) noexcept nogil
