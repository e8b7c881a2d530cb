from libc.stdint cimport uint8_t, uint64_t

from gouji.engine._state cimport Play, Rules, State

cdef bint read_play(const uint8_t* cards, Play* play) noexcept nogil
cdef bint is_play(const Play* play, const Rules* rules) noexcept nogil
cdef bint beats(const Play* play, const Play* table, const Rules* rules) noexcept nogil
cdef bint count_fits(const Play* play, const Play* table, const Rules* rules) noexcept nogil
cdef bint can_be_beaten(const Play* play, const Rules* rules) noexcept nogil
cdef bint is_gouji(const Play* play, const Rules* rules) noexcept nogil
cdef bint is_opening(const Play* play, const Rules* rules) noexcept nogil
cdef bint holds(const uint8_t* cards, const Play* play) noexcept nogil
cdef bint is_one_play(const uint8_t* cards, const Rules* rules) noexcept nogil
cdef bint holds_opening(const uint8_t* cards, const Rules* rules) noexcept nogil
cdef bint only_threes(const uint8_t* cards) noexcept nogil
cdef int restriction(const State* s, const Rules* rules, int seat, const Play* play) noexcept nogil
cdef int list_plays(const State* s, const Rules* rules, int seat, int kind, uint64_t* out) noexcept nogil
cdef int list_bound(const State* s, int seat) noexcept nogil
