from gouji.engine._state cimport Play, Rules, State

cdef bint may_burn(const State* s, const Rules* rules, int seat) noexcept nogil
cdef bint can_carry_out(const State* s, const Rules* rules, int seat, const Play* play) noexcept nogil
cdef bint holds_burn(const State* s, const Rules* rules, int seat) noexcept nogil
cdef bint cannot_go_on(const State* s, const Rules* rules, int seat) noexcept nogil
