from gouji.engine._state cimport Log, Rules, State

cdef void finish(State* s, int seat, Log* log) noexcept nogil
cdef void leave_last(State* s, int seat) noexcept nogil
cdef void leave_in_revolt(State* s, int seat, Log* log) noexcept nogil
cdef bint hand_ends(const State* s, const Rules* rules) noexcept nogil
cdef void end_hand(State* s, const Rules* rules, Log* log) noexcept nogil
