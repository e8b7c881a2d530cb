from gouji.engine._state cimport Rules, State

cdef void ask(State* s, int seat, int question) noexcept nogil
cdef void ask_from(State* s, int seat, int question) noexcept nogil
cdef void clear_asks(State* s) noexcept nogil
cdef bint ask_next(State* s, const Rules* rules) noexcept nogil
cdef void ask_alone(State* s, int seat, int question) noexcept nogil
cdef bint has_decision(const State* s, const Rules* rules, int seat, int question) noexcept nogil
