from libc.stdint cimport uint64_t

from gouji.engine._state cimport Rules

cdef int keep_compact(const Rules* rules, uint64_t* codes, int n) noexcept nogil
