# cython: language_level=3
"""The whole state of a hand as lines of text (docs/notation.md, "A hand's digest"): what the digest goes over.

A fact that is empty stands nowhere, so that one which a later release adds changes no digest of an earlier one. What
follows from other facts stands nowhere either.
"""

from gouji.engine._codes cimport text_of, text_of_play
from gouji.engine._state cimport (
    BUY, NONE, OVER, Q_ACCEPT, Q_NOTHING, Q_RETURN, Q_TAKE, SEATS, TRIBUTE, Debt, State, has,
)

from gouji.engine.cards import suited_text
from gouji.engine.tribute import KINDS

PHASE_NAMES = ("advance", "redeal", "tribute", "buy", "call", "sink", "lay_off", "revolt", "play", "last", "over")
QUESTION_NAMES = ("answer", "last_word", "gouji", "burn", "revolt", "head", "lead", None, "call", "double", "redeal",
                  "take", "pay", "return", "accept", "buy", "give", "sink", "lay_off", "contest", "last")
_CALLS = ("", "open", "advance")


cdef list state_lines(const State* s, object cards):
    """Give one line a fact; ``cards`` are the six hands with suits."""
    lines = facts_of_hand(s, cards)
    if s.phase < OVER:
        lines += facts_of_trick(s) + facts_of_asking(s)
    if s.phase <= BUY:
        lines += facts_of_settling(s)
    return [f"{name}: {value}" for name, value in lines if value]


cdef list facts_of_hand(const State* s, object cards):
    """What matters to the end and beyond."""
    cdef int seat
    facts = [
        ("phase", PHASE_NAMES[s.phase]),
        ("void", flag(s.void_hand)),
        ("first_hand", flag(s.first_hand)),
        ("held", flag(s.held)),
        ("first_leader", str(s.first_leader)),
        ("trick_leader", str(s.trick_leader)),
    ]
    facts += [(f"hand {seat}", suited_text(cards[seat])) for seat in range(SEATS)]
    facts += [(f"played {seat}", text_of(s.played[seat])) for seat in range(SEATS)]
    facts += [(f"aside {seat}", text_of(s.aside[seat])) for seat in range(SEATS)]
    facts += [
        ("finished", " ".join([str(s.finished[i]) for i in range(s.n_finished)])),
        ("places", " ".join([seat_text(s.order[place]) for place in range(SEATS)])),
        ("opened", seats(s.opened)),
        ("burning", ", ".join(["%d>%s %d" % (seat, seat_text(s.victims[seat]), s.doublings[seat])
                               for seat in range(SEATS) if has(s.burning, seat)])),
        ("revolted", seats(s.revolted)),
        ("struck", seats(s.struck)),
        ("stuck", seats(s.stuck)),
        ("choked", ", ".join(["%d>%d" % (s.choked[i], s.chokers[i]) for i in range(s.n_choked)])),
        ("burns", ", ".join(["%d>%d %d" % (s.burners[i], s.burned[i], s.burn_doublings[i])
                             for i in range(s.n_burns)])),
        ("calls", ", ".join([f"{seat} {_CALLS[s.calls[seat]]}" for seat in range(SEATS) if s.calls[seat]])),
        ("doubled", seats(s.doubled)),
        ("kept_heads", ", ".join(["%d %d %d %d" % (seat, s.kept[seat], s.kept_won[seat], s.kept_opening[seat])
                                  for seat in range(SEATS) if s.kept[seat] or s.kept_won[seat]])),
        ("four_played", seats(s.four_played)),
        ("led", seats(s.led)),
        ("answered", seats(s.answered)),
        ("slam", seat_or_empty(s.slam)),
        ("felt", ", ".join(["%d %d %d" % (seat, s.feels[seat], s.felt[seat])
                            for seat in range(SEATS) if s.feels[seat]])),
        ("asked", ", ".join([f"{seat} {seats(s.asked[seat])}" for seat in range(SEATS) if s.asked[seat]])),
    ]
    return facts


cdef list facts_of_trick(const State* s):
    return [
        ("table", text_of_play(s.table) if s.table.total else ""),
        ("table_seat", seat_or_empty(s.table_seat)),
        ("plays", str(s.plays) if s.plays else ""),
        ("passed", seats(s.passed)),
        ("first_gouji", seat_or_empty(s.first_gouji)),
        ("dead", flag(s.dead)),
        ("kept_play", flag(s.kept_play)),
        ("choke_due", flag(s.choke_due)),
        ("won_with_joker", flag(s.won_with_joker)),
        ("scramble", flag(s.scramble)),
        ("yielder", seat_or_empty(s.yielder)),
        ("fours_due", seat_or_empty(s.fours_due)),
    ]


cdef list facts_of_asking(const State* s):
    cdef int i
    question = QUESTION_NAMES[s.question] if s.question != Q_NOTHING else ""
    return [
        ("asked_now", f"{s.turn} {question}" if question else ""),
        ("to_ask", ", ".join([f"{s.asks[i] & 7} {QUESTION_NAMES[s.asks[i] >> 3]}"
                              for i in range(s.next_ask, s.n_asks)])),
        ("window", flag(s.window)),
    ]


cdef list facts_of_settling(const State* s):
    """Tribute and buying (R8), which are over when the calls after the deal begin."""
    cdef int i, seat, question = s.question
    cdef bint settling = s.phase == TRIBUTE and Q_TAKE <= question <= Q_ACCEPT
    cdef bint returning = settling and question >= Q_RETURN
    facts = [
        ("owed", ", ".join([debt_text(s.debts[i]) for i in range(s.next_debt, s.n_debts)])),
        ("resisting", seats(s.resisting)),
        ("bought", flag(s.bought)),
        ("buyers_seen", str(s.buyer) if s.buyer else ""),
        ("buying_fours", flag(s.buying_fours)),
        ("seller", seat_or_empty(s.seller) if s.phase == BUY else ""),
        ("due", str(s.due) if settling else ""),
        ("returned", text_of(s.returned) if returning else ""),
        ("refused", str(s.refused) if returning and s.refused else ""),
    ]
    return facts + [(f"received {seat}", text_of(s.received[seat])) for seat in range(SEATS)]


cdef str debt_text(Debt debt):
    return f"{debt.payer}>{debt.receiver} {KINDS[debt.kind]} {debt.cards}"


cdef str flag(int fact):
    return "yes" if fact else ""


cdef str seat_text(int seat):
    return "-" if seat == NONE else str(seat)


cdef str seat_or_empty(int seat):
    return "" if seat == NONE else str(seat)


cdef str seats(int mask):
    return " ".join([str(seat) for seat in range(SEATS) if has(mask, seat)])
