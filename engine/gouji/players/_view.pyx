# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""An observation in numbers: who stands how, what is held, and which cards the others may have."""

from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcpy, memset

from gouji.engine._game cimport read_play
from gouji.engine._rules cimport compiled
from gouji.engine._sight cimport Sight
from gouji.engine._state cimport BIG, NONE, RANKS, SEATS, SMALL, TOTAL, has, team_of
from gouji.engine._state_text import QUESTION_NAMES
from gouji.engine.cards import counts_of
from gouji.engine.deal import suits_for
from gouji.engine.errors import InvalidState

cdef enum:
    MOST_OF_RANK = 24       # six packs
    MOST_HELD = 252         # six packs less what the others hold at least

cdef dict _QUESTIONS = {name: number for number, name in enumerate(QUESTION_NAMES) if name}


cdef int fill_view(object observation, View* view) except -1:
    """Fill in a view for the seat that is asked. Raises `InvalidState` for what is no state of a hand."""
    memset(view, 0, sizeof(View))
    if len(observation.seats) != SEATS or observation.seat not in range(SEATS):
        raise InvalidState("an observation to decide on is one of six seats'")
    view.me = observation.seat
    view.question = _QUESTIONS[observation.question]
    view.scramble = observation.scramble
    view.may_yield = observation.may_yield
    fill_seats(observation, view)
    fill_table(observation, view)
    fill_hands(observation, view)
    return 0


cdef int fill_seats(object observation, View* view) except -1:
    cdef int seat
    for seat in range(SEATS):
        of_seat = observation.seats[seat]
        view.in_mask |= bool(of_seat.is_in) << seat
        view.passed |= bool(of_seat.passed) << seat
        view.opened |= bool(of_seat.opened) << seat
        view.burning |= bool(of_seat.burning) << seat
        view.headed |= bool(of_seat.has_head) << seat
    if observation.rules["teams"]:
        view.friends = team_of(view.me) & view.in_mask & ~(1 << view.me)
    return 0


cdef int fill_table(object observation, View* view) except -1:
    cdef uint8_t counts[16]
    cdef int rank
    view.table_seat = NONE
    if not observation.table:
        return 0
    held = counts_of(observation.table)
    for rank in range(RANKS):
        counts[rank] = min(held[rank], 255)
    if not read_play(counts, &view.table) or observation.table_seat not in range(SEATS):
        raise InvalidState("the table holds no play")
    view.table_seat = observation.table_seat
    view.gouji = observation.table_is_gouji
    view.dead = observation.table_is_dead
    return 0


cdef int fill_hands(object observation, View* view) except -1:
    cdef int seat, rank
    if len(observation.cards) > MOST_HELD:
        raise InvalidState("more cards than a hand can hold")
    for card in observation.cards:
        view.cards[<int>card.rank] += 1
        view.cards[TOTAL] += 1
    if not read_position(observation, view):
        count_hidden(observation, view)
    for rank in range(RANKS):
        if view.cards[rank] > MOST_OF_RANK or view.hidden[rank] > 6 * MOST_OF_RANK:
            raise InvalidState("more cards than six packs have")
    for seat in range(SEATS):
        view.held[seat] = view.slots[seat]
        for rank in range(RANKS):
            view.held[seat] += view.known[seat][rank]
    view.held[view.me] = view.cards[TOTAL]
    return 0


cdef bint read_position(object observation, View* view) except -1:
    """Take over which cards are hidden and how many each seat has of them, as the engine counts them."""
    cdef Sight sight
    cdef const uint8_t* raw
    cdef int seat, rank
    cdef uint16_t total = 0
    tag = compiled(observation.rules).tag
    cdef Py_ssize_t head = len(observation.position) - <Py_ssize_t>sizeof(Sight)
    if head < <Py_ssize_t>len(tag) or not observation.position[:head].endswith(tag):
        return False
    raw = observation.position
    memcpy(&sight, raw + head, sizeof(Sight))
    if sight.viewer != view.me:
        return False
    memcpy(view.hidden, sight.hidden, sizeof(view.hidden))
    for seat in range(SEATS):
        view.slots[seat] = sight.slots[seat]
        total += sight.slots[seat]
        for rank in range(RANKS):
            if seat != view.me and has(view.in_mask, seat):
                view.known[seat][rank] = sight.s.counts[seat][rank]
    return total == view.hidden[TOTAL]


cdef int count_hidden(object observation, View* view) except -1:
    """Count what is neither played nor held, and share it out as far as the counts of seats are hidden."""
    cdef int rank, seat, left, unknown = 0
    cdef bint is_hidden[SEATS]
    memset(view.hidden, 0, sizeof(view.hidden))
    for (rank, _suit), cards in suits_for(observation.rules).items():
        view.hidden[rank] += cards
    view.hidden[SMALL] = view.hidden[BIG] = observation.rules["decks"]
    seen = counts_of("".join([of_seat.played for of_seat in observation.seats]) + observation.aside)
    for rank in range(RANKS):
        left = view.hidden[rank] - view.cards[rank] - seen[rank]
        view.hidden[rank] = left if left > 0 else 0
        view.hidden[TOTAL] += view.hidden[rank]
    left = view.hidden[TOTAL]
    for seat in range(SEATS):
        count = observation.seats[seat].cards_left
        if seat == view.me or not has(view.in_mask, seat):
            view.slots[seat] = 0
        elif count >= 0:
            view.slots[seat] = min(count, 255)
            left -= view.slots[seat]
        else:
            unknown += 1
        is_hidden[seat] = count < 0 and seat != view.me and has(view.in_mask, seat)
    for seat in range(SEATS):
        if is_hidden[seat]:
            view.slots[seat] = max(left // unknown, 1)
        memset(view.known[seat], 0, 16)
    return 0
