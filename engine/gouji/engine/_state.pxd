# The state of one hand and the rules that it is played under, as plain C data: the one page that shows both.
# A clone is a copy of these bytes. Seats are 0..5, ranks 0 (three) to 14 (big joker), sets of seats are bit masks.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    SEATS = 6
    RANKS = 15
    TOTAL = 15          # counts[seat][TOTAL] is the number of cards held
    NONE = 255          # no seat
    MAX_ASKS = 12
    MAX_NOTES = 24

cdef enum:              # ranks that the rules speak of
    THREE = 0
    TEN = 7
    JACK = 8
    QUEEN = 9
    KING = 10
    ACE = 11
    TWO = 12
    SMALL = 13
    BIG = 14

cdef enum:              # phases
    REVOLTS = 0         # R9.1, R9.2
    PLAYING = 1         # R3.3 on
    OVER = 2

cdef enum:              # questions; the first six are also kinds of asks
    Q_ANSWER = 0        # beat the play or pass (R4.1, R4.5)
    Q_LAST_WORD = 1     # beat the opposite's play or close (R4.2)
    Q_GOUJI = 2         # answer the opposite's Gouji play (R4.4)
    Q_BURN = 3          # burn or decline (R5); private
    Q_REVOLT = 4        # revolt or stay (R9.1); private
    Q_HEAD = 5          # keep head or not (R9.2)
    Q_LEAD = 6          # lead a trick (R3.3)
    Q_NOTHING = 7       # the hand is over, or waits for `close_answers`

cdef enum:              # kinds of actions, as in actions.py
    PASS = 0
    PLAY = 1
    BURN = 2
    YIELD = 3
    CLOSE = 4
    REVOLT = 5
    STAY = 6
    KEEP_HEAD = 7
    NO_HEAD = 8
    LAST_KIND = 22

cdef enum:              # reasons, in the order of reasons.py, from 1
    LEGAL = 0
    NOT_YOUR_TURN = 1
    CARDS_NOT_HELD = 2
    NOT_ONE_BASE = 3
    WRONG_COUNT = 4
    ONLY_OPPOSITE = 5
    DOES_NOT_BEAT = 6
    MUST_LEAD = 7
    BURN_NEEDS_JOKER = 8
    BURN_NOT_ALLOWED = 9
    THREES_LAST = 10
    THREES_WHOLE = 11
    YIELD_NOT_ALLOWED = 13
    WRONG_PHASE = 17
    HAND_OVER = 18
    UNKNOWN_ACTION = 19

cdef enum:              # notes of what followed, as in events.py
    N_TRICK_WON = 0
    N_FINISHED = 1
    N_OPENED = 2
    N_CHOKED = 3
    N_STRUCK = 4
    N_STUCK = 5
    N_BURN_SUCCEEDED = 6
    N_SCRAMBLE = 7
    N_VOID = 8
    N_OVER = 9

cdef enum:              # values of options
    TWOS_ANY = 0
    TWOS_WITH_JOKER = 1
    TWOS_NEVER = 2
    OPEN_PURE = 0
    OPEN_TWOS = 1
    OPEN_ANY = 2
    BURN_IN_TURN = 0
    BURN_IN_TURN_TEAM = 1
    BURN_FIRST = 2
    BURN_TEAM_FIRST = 3

cdef struct Rules:      # one field an option that acts in play
    uint8_t teams
    uint8_t twos_wild
    uint8_t two_kills_one
    uint8_t swords
    uint8_t single_two_is_gouji
    uint8_t big_joker_is_gouji
    uint8_t open_cards
    uint8_t last_word_yielded
    uint8_t yields
    uint8_t burn
    uint8_t burn_guard
    uint8_t burn_team_mate
    uint8_t counter_burn
    uint8_t burn_needs_open
    uint8_t burn_order
    uint8_t one_left
    uint8_t individual
    uint8_t drop_negatives
    uint8_t revolution
    uint8_t opening
    uint8_t no_open_on_lead
    uint8_t no_open_on_counter
    uint8_t natural_open
    uint8_t threes_last
    uint8_t first_choked_is_last
    uint8_t report_at

cdef struct Play:       # R2.1; a play of jokers alone has n = 0 and base SMALL or BIG
    uint8_t base
    uint8_t n           # cards of the base
    uint8_t x           # twos added to a lower base
    uint8_t y           # small jokers
    uint8_t z           # big jokers
    uint8_t total       # 0: no play

cdef struct State:
    uint8_t counts[SEATS][16]       # cards held by rank, and their TOTAL
    uint8_t played[SEATS][16]       # cards that everybody has seen, by rank
    Play table                      # the play to beat
    uint8_t table_seat              # who made it
    uint8_t phase
    uint8_t turn                    # who is asked, or NONE
    uint8_t question
    uint8_t may_yield
    uint8_t held                    # wait for `close_answers` after each time private questions may be open
    uint8_t window                  # private questions may be open, by what everybody can see
    uint8_t void_hand
    uint8_t first_leader
    uint8_t trick_leader
    uint8_t plays                   # plays in this trick so far, at most 255
    uint8_t first_gouji             # who made the trick's first Gouji play
    uint8_t gouji                   # the table's play is a Gouji play (never in a scramble)
    uint8_t dead                    # it may only be burned (R4.6, R9.2)
    uint8_t kept_play               # it is one of the three that keep a head (R9.2)
    uint8_t choke_due               # it left its seat with threes alone (R9.8)
    uint8_t won_with_joker          # the play that won the lead held a joker (R9.8)
    uint8_t scramble
    uint8_t yielder                 # who yielded on this play
    uint8_t in_mask
    uint8_t passed
    uint8_t opened
    uint8_t burning
    uint8_t revolted
    uint8_t struck
    uint8_t stuck
    uint8_t order[SEATS]            # seat of each place, or NONE
    uint8_t finished[SEATS]
    uint8_t n_finished
    uint8_t choked[SEATS]
    uint8_t chokers[SEATS]
    uint8_t n_choked
    uint8_t victims[SEATS]          # whom a burning seat burned, or NONE
    uint8_t doublings[SEATS]        # counter-burns in its chain
    uint8_t burners[SEATS]          # burns that succeeded
    uint8_t burned[SEATS]
    uint8_t burn_doublings[SEATS]
    uint8_t n_burns
    uint8_t kept[SEATS]             # Gouji plays for which a head is still kept (R9.2)
    uint8_t kept_won[SEATS]         # how many of them won
    uint8_t asks[MAX_ASKS]          # who is asked in turn: seat | kind << 3
    uint8_t n_asks
    uint8_t next_ask                # the one that is asked now
    uint16_t suits[SEATS][13]       # suits dealt of each rank, four bits a suit

cdef struct Log:        # what followed from one action
    uint8_t n
    uint32_t notes[MAX_NOTES]       # kind | a << 8 | b << 16 | c << 24


cdef inline int opposite(int seat) noexcept nogil:
    return seat - 3 if seat > 2 else seat + 3

cdef inline int after(int seat, int steps) noexcept nogil:
    cdef int other = seat + steps
    return other - 6 if other > 5 else other

cdef inline bint has(int mask, int seat) noexcept nogil:
    return (mask >> seat) & 1

cdef inline bint has_head(const State* s, int seat) noexcept nogil:
    # R4.5; R9.2: a kept head counts as one.
    return has(s.in_mask, opposite(seat)) or s.kept[seat] > 0

cdef inline int jokers(const uint8_t* cards) noexcept nogil:
    return cards[SMALL] + cards[BIG]

cdef inline int number_in(const State* s) noexcept nogil:
    cdef int mask = s.in_mask, n = 0
    while mask:
        mask &= mask - 1
        n += 1
    return n

cdef inline void note(Log* log, int kind, int a, int b, int c) noexcept nogil:
    if log.n < MAX_NOTES:
        log.notes[log.n] = kind | (a << 8) | (b << 16) | (<uint32_t>c << 24)
        log.n += 1

cdef inline uint32_t pack(int seat, int kind, Play play) noexcept nogil:
    # kind 5 bits, base 4, n 5, x 5, y 3, z 3, seat 3: the packed form of an action.
    return (kind | (<uint32_t>play.base << 5) | (<uint32_t>play.n << 9) | (<uint32_t>play.x << 14)
            | (<uint32_t>play.y << 19) | (<uint32_t>play.z << 22) | (<uint32_t>seat << 25))

cdef inline Play unpack(uint32_t code) noexcept nogil:
    cdef Play play
    play.base = (code >> 5) & 15
    play.n = (code >> 9) & 31
    play.x = (code >> 14) & 31
    play.y = (code >> 19) & 7
    play.z = (code >> 22) & 7
    play.total = play.n + play.x + play.y + play.z
    return play
