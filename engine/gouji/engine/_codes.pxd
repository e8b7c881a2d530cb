from libc.stdint cimport uint8_t

from gouji.engine._state cimport Play

cdef str text_of(const uint8_t* counts)
cdef str text_of_play(Play play)
