from gouji.engine._state cimport Rules, State

cdef void score(const State* s, const Rules* rules, int* seats, int* teams) noexcept nogil
