from libc.stdint cimport uint64_t

from gouji.engine._state cimport Log, Play, Rules, State

cdef void begin_play(State* s, const Rules* rules, int leader, Log* log) noexcept nogil
cdef int check_play(const State* s, const Rules* rules, int seat, int kind, const Play* play) noexcept nogil
cdef void take_cards(State* s, int seat, const Play* play) noexcept nogil
cdef void clear_trick(State* s, int leader) noexcept nogil
cdef void open_seat(State* s, int seat, Log* log) noexcept nogil
cdef void proceed(State* s, const Rules* rules, Log* log) noexcept nogil
cdef void answer(State* s, const Rules* rules, int kind, Play play, Log* log) noexcept nogil
cdef int list_answers_of(const State* s, const Rules* rules, uint64_t* out) noexcept nogil
