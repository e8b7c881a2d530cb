from gouji.engine._state cimport State

cdef list state_lines(const State* s, object cards)
