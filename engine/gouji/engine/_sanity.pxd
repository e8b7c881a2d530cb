from gouji.engine._state cimport Play, State

cdef bint is_sane(const State* s) noexcept
cdef bint play_is_sane(const Play* play) noexcept
