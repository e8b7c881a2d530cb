"""Why the rules refuse an action, in the order in which they are checked (see ``docs/cases.md``)."""

from enum import StrEnum


class Reason(StrEnum):
    """One reason each; where two fit, the one that stands first here is given.

    ``unknown_action``, ``hand_over``, ``wrong_phase`` and ``not_your_turn`` are checked before all others.
    """

    NOT_YOUR_TURN = "not_your_turn"
    """Another seat is asked (R4)."""
    CARDS_NOT_HELD = "cards_not_held"
    """The seat does not hold these cards."""
    NOT_ONE_BASE = "not_one_base"
    """The cards are not one play (R2.1-R2.3)."""
    WRONG_COUNT = "wrong_count"
    """Not as many cards as are asked for (R2.4, R8.4)."""
    ONLY_OPPOSITE = "only_opposite"
    """Only the opposite may answer this Gouji play; the seat is asked whether to burn (R4.4)."""
    DOES_NOT_BEAT = "does_not_beat"
    """The play on the table is not beaten (R2.4)."""
    MUST_LEAD = "must_lead"
    """A lead cannot be passed (R3.3)."""
    BURN_NEEDS_JOKER = "burn_needs_joker"
    """A burning seat's plays hold a joker, but for its last (R5.3)."""
    BURN_NOT_ALLOWED = "burn_not_allowed"
    """The seat may not burn, or could not carry the burn out (R5.1, R5.5)."""
    THREES_LAST = "threes_last"
    """Threes are played last, with nothing added (R9.8)."""
    THREES_WHOLE = "threes_whole"
    """All threes go together (R9.8)."""
    FOURS_DUE = "fours_due"
    """All fours must be led now (R9.9)."""
    YIELD_NOT_ALLOWED = "yield_not_allowed"
    """There is nobody to yield to, or it is not the opposite's play (R4.3)."""
    NOT_HIGHEST_TRIBUTE = "not_highest_tribute"
    """Tribute is paid with the highest cards (R8.3)."""
    HOLDS_THAT_RANK = "holds_that_rank"
    """A returned card of a rank that the payer holds cannot be refused (R8.4)."""
    CALL_NOT_ALLOWED = "call_not_allowed"
    """This call is not open to the seat now (R9.5)."""
    WRONG_PHASE = "wrong_phase"
    """The action belongs to another part of the hand (R3.1)."""
    HAND_OVER = "hand_over"
    """The hand is over (R6)."""
    UNKNOWN_ACTION = "unknown_action"
    """There is no such action."""
