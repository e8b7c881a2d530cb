from libc.stdint cimport uint8_t, uint64_t

from gouji.engine._state cimport Debt, Log, Play, Rules, State


cdef int check(const State* s, const Rules* rules, uint64_t code) noexcept nogil
cdef void apply(State* s, const Rules* rules, uint64_t code, Log* log) noexcept nogil
cdef void close_answers(State* s, const Rules* rules, Log* log) noexcept nogil
cdef int list_actions(const State* s, const Rules* rules, uint64_t* out) noexcept nogil
cdef int list_bound(const State* s, int seat) noexcept nogil
cdef void enter(State* s, const Rules* rules, int phase, Log* log) noexcept nogil
cdef void begin_play(State* s, const Rules* rules, int leader, Log* log) noexcept nogil
cdef void tribute_due(const State* s, const Rules* rules, uint8_t* cards) noexcept nogil
cdef bint read_play(const uint8_t* cards, Play* play) noexcept nogil
cdef bint holds_opening(const uint8_t* cards, const Rules* rules) noexcept nogil
cdef bint is_sweep(const State* s, const Rules* rules) noexcept nogil
cdef int step(State* s, const Rules* rules, uint64_t code) noexcept nogil
cdef int step_all(State* s, const Rules* rules, const uint64_t* codes, Py_ssize_t n) noexcept nogil
cdef int play_out(State* s, const Rules* rules, uint64_t* chance, int until) noexcept nogil
cdef bint yield_is_open(const State* s, const Rules* rules) noexcept nogil
cdef bint declines_privately(const State* s, int kind) noexcept nogil
cdef int check_prelude(const State* s, const Rules* rules, int kind, uint64_t code) noexcept nogil
cdef bint has_decision(const State* s, const Rules* rules, int seat, int question) noexcept nogil
cdef bint may_be_returned(const State* s, int rank) noexcept nogil
cdef int payable(const State* s, const Rules* rules, const Debt* debt) noexcept nogil
cdef bint may_refuse(const State* s, const Rules* rules, int rank) noexcept nogil
cdef int seller_for(const State* s, const Rules* rules, int buyer) noexcept nogil
cdef bint gives_for_nothing(const State* s, const Rules* rules, int buyer) noexcept nogil
cdef int price(const State* s, int buyer) noexcept nogil
cdef bint only_threes(const uint8_t* cards) noexcept nogil
