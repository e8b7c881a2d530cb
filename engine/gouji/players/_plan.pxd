from libc.stdint cimport uint64_t

from gouji.players._burden cimport Plan

cdef void weigh(Plan* plan, const uint64_t* codes, int n, double* out) noexcept nogil
