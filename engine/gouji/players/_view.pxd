# What the planner looks at: one seat's knowledge in plain numbers.

from libc.stdint cimport uint8_t, uint16_t

from gouji.engine._state cimport SEATS, Play, Rules

cdef struct View:
    uint8_t me
    uint8_t question
    uint8_t friends             # the seats of the viewer's team that are in, itself left out
    uint8_t in_mask
    uint8_t passed
    uint8_t opened
    uint8_t burning
    uint8_t headed              # seats that have a head (R4.5)
    uint8_t scramble
    uint8_t gouji               # the table's play is a Gouji play
    uint8_t dead                # and may only be burned
    uint8_t may_yield
    uint8_t table_seat          # NONE at a lead
    Play table
    uint8_t cards[16]           # the viewer's own, and their TOTAL
    uint16_t hidden[16]         # cards that lie with other seats, it cannot say where, and their TOTAL
    uint16_t slots[SEATS]       # how many of these each seat has
    uint16_t held[SEATS]        # cards that each seat holds
    uint8_t known[SEATS][16]    # cards that the viewer knows to be at a seat

cdef int fill_view(object observation, View* view) except -1
