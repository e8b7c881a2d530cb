# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Drawing a whole hand that fits what one seat knows.

The hidden cards are shuffled over the seats' places: every way to deal them is equally likely. Where the seat knows
more (bounds, R5.5, R8, R9.6, R9.8-R9.11), random swaps of two cards that make the deal fit no worse are done until it
fits, and then a walk of swaps that keep it fitting: such a walk favours no fitting deal over another.
"""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy, memset

from gouji.engine._game cimport (
    gives_for_nothing, has_decision, holds_opening, may_refuse, only_threes, payable, price, seller_for,
)
from gouji.engine._sanity cimport is_sane
from gouji.engine._sight cimport Sight
from gouji.engine._state cimport (
    ADVANCE, BIG, BUY, FOUR, MAX_ASKS, MAX_DEBTS, NONE, OVER, Q_ACCEPT, Q_BUY, Q_GIVE, Q_PAY, Q_TAKE, RANKS,
    REVOLT_THREELESS, SEATS, SMALL, THREE, TOTAL, TRIBUTE, TWO, TWOS_ANY, Debt, Rules, State, after, has,
    is_private, jokers, opposite, same_team,
)

cdef enum:
    MOST_SLOTS = 1536
    ATTEMPTS = 200
    STEPS = 20000       # swaps that look for a fitting deal, at most
    MIXING = 400        # swaps that then forget how it was found

cdef struct Deal:       # the hidden cards as they lie: those of each seat in a row
    uint8_t cards[MOST_SLOTS]
    uint8_t owner[MOST_SLOTS]
    int first[SEATS]
    int n
    uint8_t have[SEATS][16]


cdef bint draw(const Sight* sight, const Rules* rules, Bounds* bounds, uint64_t seed, State* out) noexcept:
    """Draw a state that fits. False when none was found: the sight is none of a hand that can be."""
    cdef uint64_t chance = seed | 1
    cdef Deal deal
    cdef int attempt
    if not can_be_drawn(sight):
        return False
    bind(sight, rules, bounds)
    for attempt in range(ATTEMPTS):
        shuffle(sight, &deal, &chance)
        settle_cards(sight, rules, bounds, &deal, &chance)
        build(sight, rules, bounds, &deal, &chance, out)
        # Whoever might be asked in private may turn out to have nothing to decide.
        if fits(sight, rules, out, &chance) and is_sane(out) and ask_privately(sight, rules, out):
            return True
    return False


cdef inline int below(uint64_t* chance, int bound) noexcept nogil:
    chance[0] ^= chance[0] << 13
    chance[0] ^= chance[0] >> 7
    chance[0] ^= chance[0] << 17
    return (chance[0] >> 11) % <uint64_t>bound


cdef bint can_be_drawn(const Sight* sight) noexcept nogil:
    """Whether bytes that claim to be a sight can be worked with at all."""
    cdef const State* s = &sight.s
    cdef int seat, rank, slots = 0, hidden = 0
    for seat in range(SEATS):
        slots += sight.slots[seat]
    for rank in range(RANKS):
        hidden += sight.hidden[rank]
        for seat in range(SEATS):
            if s.counts[seat][rank] > 24:
                return False
    if slots != hidden or hidden != sight.hidden[TOTAL] or slots > MOST_SLOTS:
        return False
    if (sight.viewer > 5 and sight.viewer != NONE) or s.first_leader > 5 or s.buyer > 6 or s.n_asks > MAX_ASKS:
        return False
    if s.n_debts > MAX_DEBTS or s.next_debt > s.n_debts or (s.turn > 5 and s.turn != NONE) or s.n_choked > 6:
        return False
    for rank in range(s.n_debts):
        if s.debts[rank].payer > 5 or s.debts[rank].receiver > 5:
            return False
    for rank in range(s.n_choked):
        if s.choked[rank] > 5:
            return False
    if s.phase == BUY and (s.buyer > 5 or (s.question == Q_GIVE and s.seller > 5)):
        return False
    return s.phase != TRIBUTE or (s.next_debt < s.n_debts and s.turn != NONE)


# What else the viewer knows

cdef void bind(const Sight* sight, const Rules* rules, Bounds* b) noexcept nogil:
    """Add to the bounds what follows from how the hand stands."""
    cdef const State* s = &sight.s
    cdef int seat, i
    for seat in range(SEATS):
        if has(s.revolted, seat):
            at_most(b, seat, TWO, 0)
            at_most(b, seat, SMALL, 0)
            at_most(b, seat, BIG, 0)
            if rules.revolution == REVOLT_THREELESS:
                at_most(b, seat, THREE, 0)
        if has(s.stuck, seat):
            keep_only(sight, b, seat, True)
        # R9.9: who burned held no four.
        if has(s.burning, seat) and rules.burn_needs_open and rules.fours_open and not lies_aside(sight, seat, FOUR):
            at_most(b, seat, FOUR, 0)
        if has(sight.sunk, seat) and seat != sight.viewer:
            at_least(b, seat, FOUR, 1)
    for i in range(s.n_choked):
        keep_only(sight, b, s.choked[i], False)
    if s.phase == BUY:
        bind_sale(sight, rules, b)
    elif s.phase == TRIBUTE:
        bind_return(sight, b)


cdef inline void at_most(Bounds* b, int seat, int rank, int cards) noexcept nogil:
    if b.most[seat][rank] > cards:
        b.most[seat][rank] = cards


cdef inline void at_least(Bounds* b, int seat, int rank, int cards) noexcept nogil:
    if b.least[seat][rank] < cards:
        b.least[seat][rank] = cards


cdef void keep_only(const Sight* sight, Bounds* b, int seat, bint with_jokers) noexcept nogil:
    """R9.8: a choked seat has threes alone, a stuck one threes and jokers; what it laid aside is another matter."""
    cdef int rank
    for rank in range(FOUR, SMALL if with_jokers else RANKS):
        if not lies_aside(sight, seat, rank):
            at_most(b, seat, rank, 0)


cdef void bind_sale(const Sight* sight, const Rules* rules, Bounds* b) noexcept nogil:
    """R8.7: the buyer has none of the rank; who is asked to sell has two."""
    cdef int rank = FOUR if sight.s.buying_fours else THREE
    cdef int buyer = after(sight.s.first_leader, sight.s.buyer)
    at_most(b, buyer, rank, 0)
    if sight.s.question == Q_GIVE:
        at_least(b, sight.s.seller, rank, 2)
        if sight.s.seller != opposite(buyer):
            at_most(b, opposite(buyer), rank, 1)


cdef void bind_return(const Sight* sight, Bounds* b) noexcept nogil:
    """R8.4: what is given back is still in the receiver's hand; what it may replace, the payer has."""
    cdef const Debt* debt = &sight.s.debts[sight.s.next_debt]
    cdef int rank
    for rank in range(RANKS):
        at_least(b, debt.receiver, rank, sight.s.returned[rank])
        if sight.replacing and sight.s.counts[debt.receiver][rank] > sight.s.returned[rank]:
            if (sight.wanted >> rank) & 1:
                at_least(b, debt.payer, rank, 1)
            else:
                at_most(b, debt.payer, rank, 0)


# Giving out the hidden cards

cdef void shuffle(const Sight* sight, Deal* deal, uint64_t* chance) noexcept nogil:
    cdef int seat, rank, i, j, n = 0
    for seat in range(SEATS):
        deal.first[seat] = n
        for i in range(sight.slots[seat]):
            deal.owner[n] = seat
            n += 1
    deal.n = 0
    for rank in range(RANKS):
        for i in range(sight.hidden[rank]):
            deal.cards[deal.n] = rank
            deal.n += 1
    for i in range(deal.n - 1, 0, -1):
        j = below(chance, i + 1)
        deal.cards[i], deal.cards[j] = deal.cards[j], deal.cards[i]
    memset(deal.have, 0, sizeof(deal.have))
    for i in range(deal.n):
        deal.have[deal.owner[i]][deal.cards[i]] += 1


cdef void settle_cards(const Sight* sight, const Rules* rules, const Bounds* b, Deal* deal,
                       uint64_t* chance) noexcept nogil:
    """Swap cards until the deal fits what is known, as far as that can be had; then walk on among those that fit."""
    cdef int bad[6]
    cdef int step, seat, one
    cdef bint all_fit = True
    for seat in range(SEATS):
        bad[seat] = misfit(sight, rules, b, seat, deal.have[seat]) if sight.slots[seat] else 0
        all_fit = all_fit and not bad[seat]
    if deal.n < 2 or (all_fit and not is_bound(sight, rules, b)):
        return
    for step in range(STEPS):
        seat = worst(bad, chance)
        if seat == NONE:
            break
        one = deal.first[seat] + below(chance, sight.slots[seat])
        try_swap(sight, rules, b, deal, bad, one, below(chance, deal.n))
    for step in range(MIXING):
        try_swap(sight, rules, b, deal, bad, below(chance, deal.n), below(chance, deal.n))


cdef inline int worst(const int* bad, uint64_t* chance) noexcept nogil:
    """Give a seat that does not fit, any of them, or NONE."""
    cdef int i, seat, start = below(chance, SEATS)
    for i in range(SEATS):
        seat = after(start, i)
        if bad[seat]:
            return seat
    return NONE


cdef void try_swap(const Sight* sight, const Rules* rules, const Bounds* b, Deal* deal, int* bad, int one,
                   int two) noexcept nogil:
    """Swap two cards of two seats unless the deal then fits worse."""
    cdef int mine = deal.owner[one], other = deal.owner[two], first, second
    if mine == other or deal.cards[one] == deal.cards[two]:
        return
    swap(deal, one, two)
    first = misfit(sight, rules, b, mine, deal.have[mine])
    second = misfit(sight, rules, b, other, deal.have[other])
    if first + second > bad[mine] + bad[other]:
        swap(deal, one, two)
        return
    bad[mine] = first
    bad[other] = second


cdef inline void swap(Deal* deal, int one, int two) noexcept nogil:
    cdef uint8_t card = deal.cards[one]
    deal.have[deal.owner[one]][card] -= 1
    deal.have[deal.owner[two]][card] += 1
    deal.have[deal.owner[two]][deal.cards[two]] -= 1
    deal.have[deal.owner[one]][deal.cards[two]] += 1
    deal.cards[one] = deal.cards[two]
    deal.cards[two] = card


cdef bint is_bound(const Sight* sight, const Rules* rules, const Bounds* b) noexcept nogil:
    """Whether anything but the number of cards is known of a hidden hand."""
    cdef int seat, rank
    if sight.laid or sight.sunk or b.natural or b.unnatural or sight.s.burning:
        return True
    for seat in range(SEATS):
        for rank in range(RANKS):
            if sight.slots[seat] and (b.least[seat][rank] or b.most[seat][rank] != 255):
                return True
    return False


cdef int misfit(const Sight* sight, const Rules* rules, const Bounds* b, int seat, const uint8_t* have) noexcept nogil:
    """How many cards a seat is away from what is known of it."""
    cdef int rank, n = 0
    for rank in range(RANKS):
        if have[rank] < b.least[seat][rank]:
            n += b.least[seat][rank] - have[rank]
        elif have[rank] > b.most[seat][rank]:
            n += have[rank] - b.most[seat][rank]
    if sight.laid or has(sight.sunk, seat):
        n += misfit_aside(sight, rules, seat, have)
    if rules.burn_guard and has(sight.s.burning, seat) and sight.s.table_seat == seat:
        n += misfit_burn(rules, have)
    if has(b.natural | b.unnatural, seat):
        n += misfit_dealt(sight, rules, b, seat, have)
    return n


cdef inline bint lies_aside(const Sight* sight, int seat, int rank) noexcept nogil:
    """Whether all cards of a rank that a seat still had before the play have been laid aside."""
    return (rank <= FOUR and (sight.laid >> rank) & 1) or (rank == FOUR and has(sight.sunk, seat))


cdef inline int aside_of(const Sight* sight, int seat, const uint8_t* have, int rank) noexcept nogil:
    """How many of the hidden cards of a rank a seat has laid aside: all or none."""
    return have[rank] if lies_aside(sight, seat, rank) else 0


cdef int misfit_aside(const Sight* sight, const Rules* rules, int seat, const uint8_t* have) noexcept nogil:
    """R9.11: what was laid aside and what is shown of the count go together."""
    cdef int least = 1 if has(sight.s.in_mask, seat) or has(sight.s.revolted, seat) else 0
    cdef int held = (sight.s.counts[seat][TOTAL] + sight.slots[seat]
                     - aside_of(sight, seat, have, THREE) - aside_of(sight, seat, have, FOUR))
    if sight.s.counts[seat][TOTAL]:
        # A hand that is shown: whatever else the seat had lies aside.
        return held - sight.s.counts[seat][TOTAL]
    if sight.held[seat] != NONE:
        return abs(held - sight.held[seat])
    if few_would_show(sight, rules, seat):
        least = max(least, rules.report_at + 1)
    return least - held if held < least else 0


cdef inline bint few_would_show(const Sight* sight, const Rules* rules, int seat) noexcept nogil:
    """R9.11, R9.12: whether the viewer would be shown the count, or the hand, of a seat with few cards."""
    cdef int viewer = sight.viewer
    if rules.coach and rules.teams and viewer != NONE and same_team(viewer, seat) and has(sight.s.in_mask, seat):
        return True
    if rules.threes_last or rules.report_at >= 36:
        return False
    return not rules.on_request or (viewer != NONE and has(sight.s.asked[viewer], seat))


cdef int misfit_burn(const Rules* rules, const uint8_t* have) noexcept nogil:
    """R5.5: whoever has just burned can carry it out: each base but one goes with a joker."""
    cdef int rank, bases = 0
    for rank in range(TWO):
        bases += have[rank] > 0
    if have[TWO] and (not bases or rules.twos_wild != TWOS_ANY):
        bases += 1
    return max(0, bases - 1 - jokers(have))


cdef int misfit_dealt(const Sight* sight, const Rules* rules, const Bounds* b, int seat,
                      const uint8_t* have) noexcept nogil:
    """R9.6: whether the deal had an opening play; tribute since then is not taken into account."""
    cdef uint8_t dealt[16]
    cdef int rank
    for rank in range(RANKS):
        dealt[rank] = have[rank] + sight.s.played[seat][rank]
    return holds_opening(dealt, rules) != has(b.unnatural, seat)


# The state

cdef void build(const Sight* sight, const Rules* rules, const Bounds* b, const Deal* deal, uint64_t* chance,
                State* out) noexcept nogil:
    """Put the hidden cards where they were drawn, and work out what follows from them alone."""
    cdef int seat, rank, aside
    memcpy(out, &sight.s, sizeof(State))
    for seat in range(SEATS):
        for rank in range(RANKS):
            aside = aside_of(sight, seat, deal.have[seat], rank)
            out.aside[seat][rank] += aside
            out.counts[seat][rank] += deal.have[seat][rank] - aside
            out.counts[seat][TOTAL] += deal.have[seat][rank] - aside
    for seat in range(SEATS):
        if seat == sight.viewer and out.phase != ADVANCE:
            continue
        give_suits(b, seat, chance, out)
        for rank in range(RANKS):
            out.received[seat][rank] = min(b.received[seat][rank], out.counts[seat][rank])
        if out.phase <= BUY and (out.counts[seat][TWO] >= 8 or out.counts[seat][BIG] >= 4):
            out.resisting |= 1 << seat
        if out.phase == ADVANCE and rules.opening and rules.natural_open and not holds_opening(
                out.counts[seat], rules):
            out.opened |= 1 << seat
    if rules.threes_last and out.table.total and out.table_seat <= 5:
        out.choke_due = only_threes(out.counts[out.table_seat])


cdef void give_suits(const Bounds* b, int seat, uint64_t* chance, State* out) noexcept nogil:
    """Suits are for the eye: each card gets one of which a card is left."""
    cdef int rank, suit, i, n
    for rank in range(SMALL):
        n = out.played[seat][rank] + out.aside[seat][rank]
        # What a seat laid open counts as played.
        if not has(out.laid_open, seat):
            n += out.counts[seat][rank]
        suit = below(chance, 4)
        for i in range(n):
            suit = next_suit(b, rank, suit, out)
            if (out.suits[seat][rank] >> (4 * suit)) & 15 == 15:
                break
            out.suits[seat][rank] += 1 << (4 * suit)


cdef inline int next_suit(const Bounds* b, int rank, int suit, const State* out) noexcept nogil:
    """Give the next suit of which a card is left; a position may hold more cards than were ever dealt."""
    cdef int i, seat, taken, other
    for i in range(1, 5):
        other = (suit + i) % 4
        taken = 0
        for seat in range(SEATS):
            taken += (out.suits[seat][rank] >> (4 * other)) & 15
        if taken < b.suits[rank][other]:
            return other
    return (suit + 1) % 4


cdef bint fits(const Sight* sight, const Rules* rules, State* out, uint64_t* chance) noexcept nogil:
    """Whether the question that stands would be asked with these cards (R8); fill in what it goes by."""
    cdef int seat
    for seat in range(SEATS):
        if has(out.in_mask, seat) and not out.counts[seat][TOTAL]:
            return False
        if sight.held[seat] != NONE and out.counts[seat][TOTAL] != sight.held[seat]:
            return False
        if sight.s.counts[seat][TOTAL] and out.counts[seat][TOTAL] != sight.s.counts[seat][TOTAL]:
            return False
    if out.phase == BUY:
        return sale_fits(rules, out)
    if out.phase != TRIBUTE:
        return True
    if out.question == Q_PAY or out.question == Q_TAKE:
        out.due = payable(out, rules, &out.debts[out.next_debt])
        return out.due > 0
    return out.question != Q_ACCEPT or return_fits(sight, rules, out, chance)


cdef bint sale_fits(const Rules* rules, State* out) noexcept nogil:
    cdef int rank = FOUR if out.buying_fours else THREE
    cdef int buyer = after(out.first_leader, out.buyer)
    cdef int seller = seller_for(out, rules, buyer)
    if out.counts[buyer][rank] or seller == NONE or (out.question == Q_GIVE and seller != out.seller):
        return False
    out.seller = seller
    if gives_for_nothing(out, rules, buyer):
        return out.question == Q_GIVE or (out.question == Q_TAKE and out.buying_fours)
    return out.question == Q_BUY and price(out, buyer) != NONE


cdef bint return_fits(const Sight* sight, const Rules* rules, State* out, uint64_t* chance) noexcept nogil:
    """R8.4: the payer is asked because it may refuse something of what is given back."""
    cdef const Debt* debt = &out.debts[out.next_debt]
    cdef bint is_party = sight.viewer == debt.payer or sight.viewer == debt.receiver
    cdef int attempt, rank
    for attempt in range(1 if is_party else 50):
        if not is_party:
            draw_return(out, debt.receiver, chance)
        for rank in range(RANKS):
            if may_refuse(out, rules, rank):
                return True
    return False


cdef void draw_return(State* out, int giver, uint64_t* chance) noexcept nogil:
    """Draw what a seat gives back: any of its cards."""
    cdef int rank, at, i
    memset(out.returned, 0, sizeof(out.returned))
    for i in range(out.due):
        if out.counts[giver][TOTAL] <= i:
            return
        at = below(chance, out.counts[giver][TOTAL] - i)
        for rank in range(RANKS):
            at -= out.counts[giver][rank] - out.returned[rank]
            if at < 0:
                out.returned[rank] += 1
                break


cdef bint ask_privately(const Sight* sight, const Rules* rules, State* out) noexcept nogil:
    """Where answers are open, ask the first other seat that has a private decision; with none, the hand waits."""
    cdef int at, seat
    if out.turn != NONE or out.phase == OVER:
        return True
    for at in range(out.next_ask, out.n_asks):
        if not is_private(out.asks[at] >> 3):
            break
        seat = out.asks[at] & 7
        if seat != sight.viewer and has_decision(out, rules, seat, out.asks[at] >> 3):
            out.turn = seat
            out.question = out.asks[at] >> 3
            out.next_ask = at
            break
    return True
