from libc.stdint cimport uint64_t

from gouji.engine._state cimport Log, Rules, State

cdef int check(const State* s, const Rules* rules, uint64_t code) noexcept nogil
cdef void apply(State* s, const Rules* rules, uint64_t code, Log* log) noexcept nogil
cdef void close_answers(State* s, const Rules* rules, Log* log) noexcept nogil
cdef int list_actions(const State* s, const Rules* rules, uint64_t* out) noexcept nogil
cdef bint declines_privately(const State* s, int kind) noexcept nogil
