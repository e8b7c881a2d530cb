from gouji.engine._state cimport State

cdef bint is_sane(const State* s) noexcept
