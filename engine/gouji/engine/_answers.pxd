from libc.stdint cimport uint32_t

from gouji.engine._state cimport Log, Rules, State

cdef void ask_revolts(State* s, const Rules* rules, Log* log) noexcept nogil
cdef void begin_play(State* s, const Rules* rules, int leader, Log* log) noexcept nogil
cdef int check(const State* s, const Rules* rules, uint32_t code) noexcept nogil
cdef void apply(State* s, const Rules* rules, uint32_t code, Log* log) noexcept nogil
cdef void advance(State* s, const Rules* rules, Log* log) noexcept nogil
cdef int list_actions(const State* s, const Rules* rules, uint32_t* out) noexcept nogil
