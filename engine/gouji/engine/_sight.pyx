# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""R3.1, R8.4, R9.1, R9.9-R9.12: what one seat may know of a hand, as plain C data.

`look` starts from nothing and shows field by field, so that a new field of the state stays hidden until it is shown
here. Where other seats may be asked in private, the row of questions is shown from the first of them on, whoever of
them is asked.
"""

from libc.string cimport memcpy, memset

from gouji.engine._state cimport (
    ADVANCE, FOUR, NONE, OVER, PLAYING, Q_ACCEPT, Q_GIVE, Q_NOTHING, Q_RETURN, Q_SINK, RANKS, SEATS, TOTAL,
    TRIBUTE, Debt, Rules, State, has, is_private, same_team,
)


cdef int shown_count(const State* s, const Rules* rules, int seat, int viewer) noexcept nogil:
    """R9.11: how many cards a seat holds as a viewer may know it, or -1."""
    cdef int held = s.counts[seat][TOTAL]
    if viewer == seat or held == 0:
        return held
    # 36 is every card of four packs, and means always.
    if held > rules.report_at and rules.report_at < 36:
        return -1
    if rules.on_request and (viewer == NONE or not has(s.asked[viewer], seat)):
        return -1
    return held


cdef bint shows_hand(const State* s, const Rules* rules, int seat, int viewer) noexcept nogil:
    """R9.12: a team-mate's hand, for who has finished, or once it holds few cards."""
    cdef int i
    if viewer == NONE or viewer == seat or not rules.coach or not rules.teams or not same_team(seat, viewer):
        return False
    if not has(s.in_mask, seat):
        return False
    for i in range(s.n_finished):
        if s.finished[i] == viewer:
            return True
    return s.counts[seat][TOTAL] <= rules.report_at


cdef void look(const State* s, const Rules* rules, int viewer, Sight* out) noexcept nogil:
    """Fill in all and only what a seat may know of a hand; ``viewer`` is NONE for a spectator."""
    memset(out, 0, sizeof(Sight))
    out.viewer = viewer
    show_standing(s, &out.s)
    show_trick(s, &out.s)
    show_settling(s, out)
    show_asking(s, out)
    if viewer != NONE and s.phase != ADVANCE:
        show_own(s, viewer, &out.s)
    show_others(s, rules, out)


cdef void show_standing(const State* s, State* out) noexcept nogil:
    """Show who stands how: what everybody has seen happen."""
    out.phase = s.phase
    out.void_hand = s.void_hand
    out.first_hand = s.first_hand
    out.first_leader = s.first_leader
    out.in_mask = s.in_mask
    # What a deal means by itself shows with the deal.
    out.opened = s.opened if s.phase != ADVANCE else 0
    out.burning = s.burning
    out.revolted = s.revolted
    out.struck = s.struck
    out.laid_open = s.laid_open
    out.stuck = s.stuck
    out.four_played = s.four_played
    out.led = s.led
    out.answered = s.answered
    out.slam = s.slam
    out.doubled = s.doubled
    out.n_finished = s.n_finished
    out.n_choked = s.n_choked
    out.n_burns = s.n_burns
    memcpy(out.played, s.played, sizeof(s.played))
    memcpy(out.order, s.order, SEATS)
    memcpy(out.finished, s.finished, SEATS)
    memcpy(out.choked, s.choked, SEATS)
    memcpy(out.chokers, s.chokers, SEATS)
    memcpy(out.victims, s.victims, SEATS)
    memcpy(out.doublings, s.doublings, SEATS)
    memcpy(out.burners, s.burners, SEATS)
    memcpy(out.burned, s.burned, SEATS)
    memcpy(out.burn_doublings, s.burn_doublings, SEATS)
    memcpy(out.kept, s.kept, SEATS)
    memcpy(out.kept_won, s.kept_won, SEATS)
    memcpy(out.kept_opening, s.kept_opening, SEATS)
    memcpy(out.feels, s.feels, SEATS)
    memcpy(out.asked, s.asked, SEATS)
    memcpy(out.calls, s.calls, SEATS)


cdef void show_trick(const State* s, State* out) noexcept nogil:
    out.table = s.table
    out.table_seat = s.table_seat
    out.trick_leader = s.trick_leader
    out.plays = s.plays
    out.first_gouji = s.first_gouji
    out.gouji = s.gouji
    out.dead = s.dead
    out.kept_play = s.kept_play
    out.won_with_joker = s.won_with_joker
    out.scramble = s.scramble
    out.yielder = s.yielder
    out.passed = s.passed


cdef void show_settling(const State* s, Sight* out) noexcept nogil:
    """R8: debts lie open; how much is paid shows when it is, what goes back to the two alone."""
    cdef const Debt* debt = &s.debts[s.next_debt]
    cdef int rank
    cdef bint going_back = s.question == Q_RETURN or s.question == Q_ACCEPT
    out.s.n_debts = s.n_debts
    out.s.next_debt = s.next_debt
    memcpy(out.s.debts, s.debts, s.n_debts * sizeof(Debt))
    out.s.bought = s.bought
    out.s.buyer = s.buyer
    out.s.buying_fours = s.buying_fours
    out.s.seller = s.seller if s.question == Q_GIVE else NONE
    if s.phase != TRIBUTE:
        return
    if going_back or out.viewer == debt.payer:
        out.s.due = s.due
    if not going_back or (out.viewer != debt.payer and out.viewer != debt.receiver):
        return
    memcpy(out.s.returned, s.returned, RANKS)
    out.s.refused = s.refused
    if s.refused and out.viewer == debt.receiver:
        # The receiver chooses among the ranks that the payer holds.
        out.replacing = True
        for rank in range(RANKS):
            if s.counts[debt.receiver][rank] > s.returned[rank] and s.counts[debt.payer][rank]:
                out.wanted |= 1 << rank


cdef void show_asking(const State* s, Sight* out) noexcept nogil:
    """Show who is asked, unless that is a private matter of others."""
    cdef State* t = &out.s
    t.turn = NONE
    t.question = Q_NOTHING
    t.n_asks = s.n_asks
    memcpy(t.asks, s.asks, s.n_asks)
    if s.phase == OVER:
        t.held = s.held
    elif is_hidden(s, out.viewer):
        # Held or not, a viewer sees only that answers are open.
        t.held = True
        t.window = True
        t.next_ask = first_open(s)
    else:
        t.held = s.held
        t.window = s.window
        t.turn = s.turn
        t.question = s.question
        t.next_ask = s.next_ask


cdef int first_open(const State* s) noexcept nogil:
    """Give the place in the row of the first private question that is open."""
    cdef int seat, at = s.next_ask
    while at and is_private(s.asks[at - 1] >> 3):
        seat = s.asks[at - 1] & 7
        # Who has revolted or sunk fours has answered, for all to see.
        if has(s.revolted, seat) or (s.asks[at - 1] >> 3 == Q_SINK and s.aside[seat][FOUR]):
            return at
        at -= 1
    return at


cdef void show_own(const State* s, int viewer, State* out) noexcept nogil:
    memcpy(out.counts[viewer], s.counts[viewer], 16)
    memcpy(out.aside[viewer], s.aside[viewer], RANKS)
    memcpy(out.received[viewer], s.received[viewer], 16)
    memcpy(out.suits[viewer], s.suits[viewer], sizeof(s.suits[0]))
    out.resisting = s.resisting & (1 << viewer)
    out.choke_due = s.choke_due and s.table_seat == viewer
    if s.fours_due == viewer:
        out.fours_due = viewer


cdef void show_others(const State* s, const Rules* rules, Sight* out) noexcept nogil:
    """Show how many cards the others have, and which these are all in all."""
    cdef int seat, count
    out.laid = s.aside[0][TOTAL]
    out.s.aside[0][TOTAL] = out.laid
    if s.fours_due != out.viewer or out.viewer == NONE:
        out.s.fours_due = NONE
    for seat in range(SEATS):
        out.s.felt[seat] = s.felt[seat] if seat == out.viewer else NONE
        if s.aside[seat][FOUR] and not out.laid & 2:
            out.sunk |= 1 << seat
        count = shown_count(s, rules, seat, out.viewer)
        out.held[seat] = NONE if count < 0 else count
        if seat == out.viewer and s.phase != ADVANCE:
            continue
        if has(s.laid_open, seat) or shows_hand(s, rules, seat, out.viewer):
            memcpy(out.s.counts[seat], s.counts[seat], 16)
        else:
            hide(s.counts[seat], seat, out)
        hide(s.aside[seat], seat, out)


cdef inline void hide(const unsigned char* cards, int seat, Sight* out) noexcept nogil:
    cdef int rank
    for rank in range(RANKS):
        out.slots[seat] += cards[rank]
        out.hidden[rank] += cards[rank]
        out.hidden[TOTAL] += cards[rank]
