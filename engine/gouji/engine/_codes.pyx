# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Actions as packed integers, and cards of the compiled state as text."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from gouji.engine._game cimport read_play
from gouji.engine._state cimport (
    BIG, RANKS, SMALL, TWO, Play, kind_in, pack, pack_return, pack_value, return_base, seat_in, unpack, unpack_return,
    value_in,
)

from gouji.engine.actions import OF_SEAT, Action, ActionKind
from gouji.engine.cards import RANKS as RANK_TEXT
from gouji.engine.cards import counts_of
from gouji.engine.errors import IllegalAction
from gouji.engine.reasons import Reason

_RANK = tuple(RANK_TEXT)
_KINDS = tuple(ActionKind)
_PLAYS = (ActionKind.PLAY, ActionKind.BURN, ActionKind.REVOLT)
_OF_RANK = (ActionKind.REFUSE, ActionKind.BUY_WITH, ActionKind.GIVE)


cdef str text_of(const uint8_t* counts):
    cdef int rank
    return "".join([_RANK[rank] * counts[rank] for rank in range(RANKS - 1, -1, -1) if counts[rank]])


cdef str text_of_play(Play play):
    base = _RANK[play.base] * play.n if play.n else ""
    return _RANK[BIG] * play.z + _RANK[SMALL] * play.y + _RANK[TWO] * play.x + base


def decode(code):
    """Unpack an action. A payment has no cards: they follow from the state."""
    cdef uint64_t packed = code
    kind = _KINDS[kind_in(packed)]
    seat = seat_in(packed)
    value = value_in(packed)
    if kind is ActionKind.RETURN:
        return Action(seat, kind, returned_text(packed))
    if kind in _PLAYS:
        return Action(seat, kind, text_of_play(unpack(packed)))
    if kind in _OF_RANK:
        return Action(seat, kind, _RANK[value])
    if kind is ActionKind.LAY_OFF:
        return Action(seat, kind, ("", "3", "4", "43")[value & 3])
    return Action(seat, kind, target=value) if kind in OF_SEAT else Action(seat, kind)


cdef str returned_text(uint64_t code):
    cdef uint8_t cards[16]
    unpack_return(code, cards)
    return text_of(cards)


def encode(action):
    """Pack an action. Raises IllegalAction for cards that cannot be what the action speaks of."""
    cdef uint8_t counts[16]
    cdef Play play
    cdef int rank
    kind = action.kind
    memset(&play, 0, sizeof(Play))
    held = counts_of(action.cards)
    for rank in range(RANKS):
        counts[rank] = min(held[rank], 255)
    if kind in _PLAYS:
        if not read_play(counts, &play) and (action.cards or kind is not ActionKind.REVOLT):
            raise IllegalAction(Reason.NOT_ONE_BASE, action)
        return pack(action.seat, int(kind), play)
    if kind is ActionKind.RETURN:
        if any(held[rank] >= return_base(rank) for rank in range(RANKS)):
            raise IllegalAction(Reason.WRONG_COUNT, action)
        return pack_return(action.seat, counts)
    if kind in _OF_RANK:
        if len(action.cards) != 1:
            raise IllegalAction(Reason.WRONG_COUNT, action)
        return pack_value(action.seat, int(kind), RANK_TEXT.index(action.cards))
    if kind is ActionKind.LAY_OFF:
        if set(action.cards) - {"3", "4"} or len(set(action.cards)) != len(action.cards):
            raise IllegalAction(Reason.NOT_ONE_BASE, action)
        return pack_value(action.seat, int(kind), ("3" in action.cards) + 2 * ("4" in action.cards))
    return pack_value(action.seat, int(kind), max(action.target, 0))


cpdef tuple cost_of(code):
    """Order leads by what they give away: jokers, twos, cards, rank."""
    cdef Play play = unpack(code)
    twos = play.x + (play.n if play.base == TWO else 0)
    return (2 * play.z + play.y, twos, play.total, play.base)


def return_cost(code):
    """Order what may be given back: the lowest cards first."""
    return sorted([RANK_TEXT.index(rank) for rank in returned_text(code)], reverse=True)
