from gouji.engine._state cimport Log, Rules, State

cdef void finish(State* s, int seat, Log* log) noexcept nogil
cdef void leave_last(State* s, int seat) noexcept nogil
cdef void leave_in_revolt(State* s, const Rules* rules, int seat, Log* log) noexcept nogil
cdef void void_hand(State* s, Log* log) noexcept nogil
cdef bint hand_ends(const State* s, const Rules* rules) noexcept nogil
cdef bint is_sweep(const State* s, const Rules* rules) noexcept nogil
cdef void end_hand(State* s, const Rules* rules, Log* log) noexcept nogil
cdef void name_last(State* s, int seat, Log* log) noexcept nogil
