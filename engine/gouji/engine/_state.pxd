# The state of one hand and the rules that it is played under, as plain C data: the one page that shows both.
# A clone is a copy of these bytes. Seats are 0..5, ranks 0 (three) to 14 (big joker), sets of seats are bit masks.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    SEATS = 6
    RANKS = 15
    TOTAL = 15          # counts[seat][TOTAL] is the number of cards held
    NONE = 255          # no seat
    MAX_ASKS = 16
    MAX_DEBTS = 32
    MAX_NOTES = 32

cdef enum:              # ranks that the rules speak of
    THREE = 0
    FOUR = 1
    TEN = 7
    JACK = 8
    QUEEN = 9
    KING = 10
    ACE = 11
    TWO = 12
    SMALL = 13
    BIG = 14

cdef enum:              # phases, in the order of R3.1
    ADVANCE = 0         # calls before the deal (R9.5, R9.7)
    REDEAL = 1          # R3.1 `redeal_on_request`
    TRIBUTE = 2         # R8
    BUY = 3             # R8.7
    CALLING = 4         # R9.5
    SINKING = 5         # R9.9
    LAYING_OFF = 6      # R9.10
    REVOLTS = 7         # R9.1-R9.3
    PLAYING = 8         # R3.3 on
    LASTS = 9           # R6.2 `last_by: choice`
    OVER = 10

cdef enum:              # questions; what is asked in a row stands in `asks` as seat | question << 3
    Q_ANSWER = 0        # beat the play or pass (R4.1, R4.5)
    Q_LAST_WORD = 1     # beat the opposite's play or close (R4.2)
    Q_GOUJI = 2         # answer the opposite's Gouji play (R4.4)
    Q_BURN = 3          # burn or decline (R5); private
    Q_REVOLT = 4        # revolt or stay (R9.1); private
    Q_HEAD = 5          # keep head or not (R9.2)
    Q_LEAD = 6          # lead a trick (R3.3)
    Q_NOTHING = 7       # the hand is over, or waits for `close_answers`
    Q_CALL = 8          # call or not (R9.5)
    Q_DOUBLE = 9        # double the tributes or not (R9.7)
    Q_REDEAL = 10       # ask for a new deal or not (R3.1); private
    Q_TAKE = 11         # take a tribute or let it go (R8.4 `may_decline_tribute`)
    Q_PAY = 12          # pay what is owed (R8.3)
    Q_RETURN = 13       # give cards back (R8.4)
    Q_ACCEPT = 14       # accept what is given back, or refuse a rank (R8.4)
    Q_BUY = 15          # buy a three or four (R8.7)
    Q_GIVE = 16         # give a three or four (R8.7)
    Q_SINK = 17         # sink fours or not (R9.9); private
    Q_LAY_OFF = 18      # have ranks laid off or not (R9.10)
    Q_CONTEST = 19      # beat what a revolter shows, or let it open (R9.3)
    Q_LAST = 20         # say who is last (R6.2)
    Q_DONE = 21         # a phase is over; never seen from outside

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
    PAY = 9
    RETURN = 10
    REFUSE = 11
    ACCEPT = 12
    BUY_WITH = 13
    GIVE = 14
    CALL = 15
    NO_CALL = 16
    ASK_REDEAL = 17
    NAME_LAST = 18
    DECLINE = 19
    SINK = 20
    LAY_OFF = 21
    FEEL = 22
    DOUBLE = 23
    ASK = 24
    LAST_KIND = 24

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
    FOURS_DUE = 12
    YIELD_NOT_ALLOWED = 13
    NOT_HIGHEST_TRIBUTE = 14
    HOLDS_THAT_RANK = 15
    CALL_NOT_ALLOWED = 16
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
    N_PAID = 10         # payer, receiver, cards
    N_RETURNED = 11     # receiver, payer, cards
    N_BOUGHT = 12       # buyer, seller, rank
    N_RESISTED = 13     # seat
    N_SUNK = 14         # seat, cards
    N_LAID_OFF = 15     # ranks
    N_SHOWN = 16        # payer, receiver, rank | cards << 4
    N_LEFT = 17         # seat

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
    REVOLT_OFF = 0
    REVOLT_ANY = 1
    REVOLT_THREELESS = 2
    OPPOSITE_THREE = 0
    OPPOSITE_THREE_OPEN = 1
    OPPOSITE_ALWAYS = 2
    BUY_OPPOSITE_TEAM = 0
    BUY_DOWNSTREAM = 1
    BUY_OWN_TEAM = 2
    RESIST_TEAM_ALL = 0
    RESIST_TEAM_LAST = 1
    RESIST_LAST_ONLY = 2
    RESIST_SEAT = 3
    KIND_POINT = 0
    KIND_CHOKE = 1
    KIND_STUCK = 2
    KIND_BURN = 3
    KIND_LAST = 4
    KIND_SWEEP = 5
    TEAM_NEVER = 0
    TEAM_OPTIONAL = 1
    TEAM_ALWAYS = 2
    EXEMPT = 0
    HIGHEST = 1
    HIGHEST_FOR_POINT = 2
    SLAM_NONE = 0
    SLAM_DOUBLES = 1
    SLAM_KOREAN = 2
    SCORE_TEAM = 0
    SCORE_INDIVIDUAL = 1
    SCORE_TRIBUTES = 2

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
    uint8_t last_by_choice
    uint8_t scoring
    uint8_t drop_negatives
    uint8_t across_doubles
    uint8_t grand_slam
    uint8_t redeal
    uint8_t returns
    uint8_t may_refuse
    uint8_t return_point
    uint8_t may_decline
    uint8_t team_tribute
    uint8_t no_tribute_card
    uint8_t resist
    uint8_t resist_covers
    uint8_t buy_from
    uint8_t buy_after_point
    uint8_t revolution
    uint8_t allow_two_revolts
    uint8_t revolt_contest
    uint8_t opposite_opens
    uint8_t calls
    uint8_t doubles_called
    uint8_t opening
    uint8_t no_open_on_lead
    uint8_t no_open_on_counter
    uint8_t natural_open
    uint8_t threes_last
    uint8_t first_choked_is_last
    uint8_t no_sweep_when_choked
    uint8_t no_bare_joker_lead
    uint8_t fours_open
    uint8_t sink_fours
    uint8_t lay_off
    uint8_t report_at
    uint8_t feel
    uint8_t on_request
    uint8_t coach

cdef struct Play:       # R2.1; a play of jokers alone has n = 0 and base SMALL or BIG
    uint8_t base
    uint8_t n           # cards of the base
    uint8_t x           # twos added to a lower base
    uint8_t y           # small jokers
    uint8_t z           # big jokers
    uint8_t total       # 0: no play
    uint8_t spare[2]    # zero: plays are copied eight bytes at once

cdef struct Debt:       # R8.1
    uint8_t payer
    uint8_t receiver
    uint8_t kind
    uint8_t cards

cdef struct State:
    uint8_t counts[SEATS][16]       # cards held by rank, and their TOTAL
    uint8_t played[SEATS][16]       # cards that everybody has seen, by rank, and their TOTAL
    Play table                      # the play to beat
    uint8_t table_seat              # who made it
    uint8_t phase
    uint8_t turn                    # who is asked, or NONE
    uint8_t question
    uint8_t held                    # wait for `close_answers` after each time private questions may be open
    uint8_t window                  # private questions may be open, by what everybody can see
    uint8_t void_hand
    uint8_t first_hand              # the first of its match (R3.1)
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
    uint8_t laid_open               # left with cards that all have seen: struck, or R9.8, R9.14
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
    uint8_t four_played             # seats that played a four otherwise than to open (R9.9)
    uint8_t fours_due               # who must lead its fours now, or NONE (R9.9)
    uint8_t kept_opening[SEATS]     # how many of the kept plays that won were opening plays (R9.3)
    uint8_t led                     # seats that have led a trick (R7.5)
    uint8_t answered                # of these, seats whose run of leads was answered (R7.5)
    uint8_t slam                    # who played out its hand unanswered, or NONE (R7.5)
    uint8_t feels[SEATS]            # times felt (R9.11)
    uint8_t felt[SEATS]             # cards of the opposite as felt last, to the nearest five, or NONE
    uint8_t asked[SEATS]            # whose counts a seat has asked for (R9.11)
    uint8_t calls[SEATS]            # 0 none, 1 after the deal, 2 before it (R9.5)
    uint8_t doubled                 # teams that doubled: 1 even, 2 odd (R9.7)
    uint8_t aside[SEATS][16]        # cards sunk or laid off, by rank; aside[0][TOTAL]: the ranks laid off (R9.9, R9.10)
    Debt debts[MAX_DEBTS]           # what is owed from the hand before, in order of settling (R8.2)
    uint8_t n_debts
    uint8_t next_debt
    uint8_t bought                  # buying is over
    uint8_t buyer                   # how many seats have been seen for buying
    uint8_t buying_fours
    uint8_t seller                  # whom a buyer buys from, or NONE
    uint8_t due                     # cards that the debt being settled moves
    uint8_t returned[16]            # cards given back for it and not yet taken
    uint8_t refused                 # cards that the receiver has to replace
    uint8_t resisting               # seats that resist (R8.6)
    uint8_t received[SEATS][16]     # tribute received in this settling: not paid on (R8.3)
    uint16_t suits[SEATS][13]       # suits dealt of each rank, four bits a suit

cdef struct Log:        # what followed from one action
    uint8_t n
    uint32_t notes[MAX_NOTES]       # kind | a << 8 | b << 16 | c << 24


cdef extern from *:
    """
    #if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    #error "packed actions are read as bytes, the lowest first"
    #endif
    """
    # Cython's own hint to the compiler.
    bint unlikely(bint condition) nogil

cdef inline int opposite(int seat) noexcept nogil:
    # Seats come in no order that a processor could foresee, so these two read digits instead of branching.
    return (0x210543 >> 4 * seat) & 15

cdef inline int after(int seat, int steps) noexcept nogil:
    return (<uint64_t>0x543210543210 >> 4 * (seat + steps)) & 15

cdef inline bint has(int mask, int seat) noexcept nogil:
    return (mask >> seat) & 1

cdef inline bint has_head(const State* s, int seat) noexcept nogil:
    # R4.5; R9.2: a kept head counts as one.
    return has(s.in_mask, opposite(seat)) or s.kept[seat] > 0

cdef inline bint is_private(int question) noexcept nogil:
    """Whether who is asked this must not show (R3.1, R5.2, R9.1, R9.9)."""
    return question == Q_BURN or question == Q_REVOLT or question == Q_REDEAL or question == Q_SINK

cdef inline int headed(const State* s) noexcept nogil:
    """The seats that have a head."""
    cdef int seat, seats = ((s.in_mask << 3) | (s.in_mask >> 3)) & 63
    if s.revolted:
        for seat in range(SEATS):
            seats |= (s.kept[seat] > 0) << seat
    return seats

cdef inline int team_of(int seat) noexcept nogil:
    """The seats of a seat's team, itself included."""
    return 0b101010 if seat & 1 else 0b010101

cdef inline bint same_team(int seat, int other) noexcept nogil:
    return (seat - other) % 2 == 0

cdef inline int jokers(const uint8_t* cards) noexcept nogil:
    return cards[SMALL] + cards[BIG]

cdef inline bint at_most(int n, int mask) noexcept nogil:
    """Whether a set of seats has at most ``n`` of them, 0 to 4."""
    while n and mask:
        mask &= mask - 1
        n -= 1
    return not mask

cdef inline void note(Log* log, int kind, int a, int b, int c) noexcept nogil:
    if log.n < MAX_NOTES:
        log.notes[log.n] = kind | (a << 8) | (b << 16) | (<uint32_t>c << 24)
        log.n += 1

cdef inline uint64_t pack(int seat, int kind, Play play) noexcept nogil:
    # kind 5 bits, seat 3, then a byte each for base, n, x, y, z and total: the packed form of an action.
    return (kind | (seat << 5) | (<uint64_t>play.base << 8) | (<uint64_t>play.n << 16) | (<uint64_t>play.x << 24)
            | (<uint64_t>play.y << 32) | (<uint64_t>play.z << 40) | (<uint64_t>play.total << 48))

cdef inline uint64_t pack_value(int seat, int kind, int value) noexcept nogil:
    # An action that speaks of a rank, of ranks or of a seat has that in the place of a base.
    return kind | (seat << 5) | (<uint64_t>value << 8)

cdef inline int kind_in(uint64_t code) noexcept nogil:
    return code & 31

cdef inline int seat_in(uint64_t code) noexcept nogil:
    return (code >> 5) & 7

cdef inline int value_in(uint64_t code) noexcept nogil:
    return (code >> 8) & 255

cdef inline int return_base(int rank) noexcept nogil:
    return 14 if rank < SMALL else 8

cdef inline uint64_t pack_return(int seat, const uint8_t* cards) noexcept nogil:
    # Cards of any ranks: kind 5 bits, seat 3, then a number: from W down to three so many of each rank, each below its
    # base. 13 of a rank and 7 jokers of a kind are as many as 56 bits hold.
    cdef uint64_t number = 0
    cdef int rank
    for rank in range(RANKS - 1, -1, -1):
        number = number * return_base(rank) + cards[rank]
    return RETURN | (<uint64_t>seat << 5) | (number << 8)

cdef inline bint unpack_return(uint64_t code, uint8_t* cards) noexcept nogil:
    # False for a number that is none.
    cdef uint64_t number = code >> 8
    cdef int rank
    for rank in range(RANKS):
        cards[rank] = number % return_base(rank)
        number //= return_base(rank)
    return number == 0

cdef inline Play unpack(uint64_t code) noexcept nogil:
    cdef Play play
    code >>= 8
    memcpy(&play, &code, sizeof(Play))
    return play

cdef inline bint adds_up(const Play* play) noexcept nogil:
    """Whether a play that was unpacked has the total that it says."""
    return play.n + play.x + play.y + play.z == play.total
