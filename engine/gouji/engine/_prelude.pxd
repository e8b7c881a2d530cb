from libc.stdint cimport uint8_t, uint64_t

from gouji.engine._state cimport Debt, Log, Play, Rules, State

cdef void enter(State* s, const Rules* rules, int phase, Log* log) noexcept nogil
cdef int check_prelude(const State* s, const Rules* rules, int kind, uint64_t code) noexcept nogil
cdef void decide(State* s, const Rules* rules, int kind, uint64_t code, Log* log) noexcept nogil
cdef int list_prelude(const State* s, const Rules* rules, uint64_t* out) noexcept nogil
cdef void tribute_due(const State* s, const Rules* rules, uint8_t* cards) noexcept nogil
cdef bint may_be_returned(const State* s, int rank) noexcept nogil
cdef int payable(const State* s, const Rules* rules, const Debt* debt) noexcept nogil
cdef bint may_refuse(const State* s, const Rules* rules, int rank) noexcept nogil
cdef int seller_for(const State* s, const Rules* rules, int buyer) noexcept nogil
cdef bint gives_for_nothing(const State* s, const Rules* rules, int buyer) noexcept nogil
cdef int price(const State* s, int buyer) noexcept nogil
