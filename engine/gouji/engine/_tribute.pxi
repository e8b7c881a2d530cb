# R8: tribute, what is given back for it, and buying.

cdef bint settle(State* s, const Rules* rules, Log* log) noexcept nogil:
    """Go on to the next purchase or debt that needs a decision; False when all is settled."""
    while True:
        if not s.bought and not (rules.buy_after_point and points_are_left(s)):
            s.phase = BUY
            if buy(s, rules):
                return True
            s.bought = True
        s.phase = TRIBUTE
        if s.next_debt >= s.n_debts:
            # What was received may be paid with from now on; nothing of the settling stays.
            memset(s.received, 0, sizeof(s.received))
            memset(s.returned, 0, sizeof(s.returned))
            s.seller = NONE
            return False
        if open_debt(s, rules, log):
            return True
        s.next_debt += 1


cdef bint points_are_left(const State* s) noexcept nogil:
    cdef int i
    for i in range(s.next_debt, s.n_debts):
        if s.debts[i].kind == KIND_POINT:
            return True
    return False


cdef inline const Debt* debt_of(const State* s) noexcept nogil:
    return &s.debts[s.next_debt]


cdef inline bint resists(const State* s, int seat) noexcept nogil:
    return has(s.resisting, seat)


cdef bint is_resisted(const State* s, const Rules* rules, const Debt* debt) noexcept nogil:
    """R8.6."""
    cdef int seat
    if not rules.resist:
        return False
    if rules.resist_covers == RESIST_SEAT:
        return resists(s, debt.payer)
    if rules.resist_covers == RESIST_LAST_ONLY:
        return debt.kind == KIND_LAST and resists(s, debt.payer)
    if rules.resist_covers == RESIST_TEAM_LAST and debt.kind != KIND_LAST:
        return False
    for seat in range(SEATS):
        if resists(s, seat) and (seat == debt.payer or (rules.teams and same_team(seat, debt.payer))):
            return True
    return False


cdef bint pays_any_card(const Rules* rules, const Debt* debt) noexcept nogil:
    """R8.3 `no_tribute_card`."""
    return rules.no_tribute_card == HIGHEST or (rules.no_tribute_card == HIGHEST_FOR_POINT
                                                and debt.kind == KIND_POINT)


cdef int payable(const State* s, const Rules* rules, const Debt* debt) noexcept nogil:
    """How many cards the payer has to pay with, at most what it owes."""
    cdef int rank, n = 0
    for rank in range(0 if pays_any_card(rules, debt) else TWO, RANKS):
        n += s.counts[debt.payer][rank] - s.received[debt.payer][rank]
    return n if n < debt.cards else debt.cards


cdef void tribute_due(const State* s, const Rules* rules, uint8_t* cards) noexcept nogil:
    """R8.3: fill in the cards that are paid for the debt being settled: the highest."""
    cdef const Debt* debt = debt_of(s)
    cdef int rank = BIG, left = s.due, free
    memset(cards, 0, 16)
    while left and rank >= 0:
        free = s.counts[debt.payer][rank] - s.received[debt.payer][rank]
        cards[rank] = free if free < left else left
        left -= cards[rank]
        rank -= 1


cdef bint open_debt(State* s, const Rules* rules, Log* log) noexcept nogil:
    """Ask for the next debt; False when nobody has to."""
    cdef const Debt* debt = debt_of(s)
    if is_spared(rules, debt):
        show_tribute(s, rules, log)
        return False
    if is_resisted(s, rules, debt):
        note(log, N_RESISTED, debt.payer, debt.receiver, debt.kind)
        return False
    s.due = payable(s, rules, debt)
    if not s.due:
        return False
    if rules.may_decline:
        ask_alone(s, debt.receiver, Q_TAKE)
    else:
        ask_alone(s, debt.payer, Q_PAY)
    return True


cdef bint is_spared(const Rules* rules, const Debt* debt) noexcept nogil:
    """R8.5 `never`: what is due between team-mates is shown and not paid."""
    return (rules.team_tribute == TEAM_NEVER and rules.teams and debt.kind == KIND_LAST
            and same_team(debt.payer, debt.receiver))


cdef void show_tribute(State* s, const Rules* rules, Log* log) noexcept nogil:
    """R8.5: show the cards that would have been paid, if the payer does not resist."""
    cdef const Debt* debt = debt_of(s)
    cdef uint8_t cards[16]
    cdef int rank = BIG
    if is_resisted(s, rules, debt):
        return
    s.due = payable(s, rules, debt)
    tribute_due(s, rules, cards)
    s.due = 0
    while rank >= 0:
        if cards[rank]:
            note(log, N_SHOWN, debt.payer, debt.receiver, rank | cards[rank] << 4)
        rank -= 1


cdef void move_card(State* s, int giver, int taker, int rank) noexcept nogil:
    """Move one card, the lowest suit first."""
    cdef int suit
    s.counts[giver][rank] -= 1
    s.counts[giver][TOTAL] -= 1
    # What was received may have gone back.
    if s.received[giver][rank] > s.counts[giver][rank]:
        s.received[giver][rank] = s.counts[giver][rank]
    s.counts[taker][rank] += 1
    s.counts[taker][TOTAL] += 1
    if rank >= SMALL:
        return
    for suit in range(4):
        if (s.suits[giver][rank] >> (4 * suit)) & 15:
            s.suits[giver][rank] -= 1 << (4 * suit)
            s.suits[taker][rank] += 1 << (4 * suit)
            return


cdef void move_cards(State* s, int giver, int taker, const uint8_t* cards) noexcept nogil:
    cdef int rank, i
    for rank in range(RANKS):
        for i in range(cards[rank]):
            move_card(s, giver, taker, rank)


cdef void pay(State* s, const Rules* rules, Log* log) noexcept nogil:
    cdef const Debt* debt = debt_of(s)
    cdef uint8_t cards[16]
    cdef int rank
    tribute_due(s, rules, cards)
    move_cards(s, debt.payer, debt.receiver, cards)
    for rank in range(RANKS):
        s.received[debt.receiver][rank] += cards[rank]
    note(log, N_PAID, debt.payer, debt.receiver, s.due)
    if rules.returns and (debt.kind != KIND_POINT or rules.return_point):
        memset(s.returned, 0, 16)
        s.refused = 0
        ask_alone(s, debt.receiver, Q_RETURN)
        return
    end_debt(s, rules, log)


cdef void end_debt(State* s, const Rules* rules, Log* log) noexcept nogil:
    s.due = 0
    s.next_debt += 1
    go_on_settling(s, rules, log)


cdef bint may_be_returned(const State* s, int rank) noexcept nogil:
    """R8.4: in place of a refused card comes one of a rank that the payer holds."""
    return not s.refused or s.counts[debt_of(s).payer][rank] > 0


cdef int replaceable(const State* s) noexcept nogil:
    """How many cards the receiver has, beside those given back, of ranks that the payer holds."""
    cdef const Debt* debt = debt_of(s)
    cdef int rank, n = 0
    for rank in range(RANKS):
        if s.counts[debt.payer][rank]:
            n += s.counts[debt.receiver][rank] - s.returned[rank]
    return n


cdef bint may_refuse(const State* s, const Rules* rules, int rank) noexcept nogil:
    return (rules.may_refuse and s.returned[rank] and not s.counts[debt_of(s).payer][rank]
            and replaceable(s) > 0)


cdef void return_cards(State* s, const Rules* rules, uint64_t code, Log* log) noexcept nogil:
    cdef uint8_t cards[16]
    cdef int rank
    unpack_return(code, cards)
    for rank in range(RANKS):
        s.returned[rank] += cards[rank]
    s.refused = 0
    look_at_return(s, rules, log)


cdef void look_at_return(State* s, const Rules* rules, Log* log) noexcept nogil:
    """Ask the payer if it may refuse something; else the cards are its own."""
    cdef const Debt* debt = debt_of(s)
    cdef int rank
    for rank in range(RANKS):
        if may_refuse(s, rules, rank):
            ask_alone(s, debt.payer, Q_ACCEPT)
            return
    take_back(s, rules, log)


cdef void take_back(State* s, const Rules* rules, Log* log) noexcept nogil:
    cdef const Debt* debt = debt_of(s)
    move_cards(s, debt.receiver, debt.payer, s.returned)
    note(log, N_RETURNED, debt.receiver, debt.payer, s.due)
    end_debt(s, rules, log)


cdef void refuse(State* s, int rank) noexcept nogil:
    """R8.4: the receiver has to choose another rank for these cards, as far as it has any."""
    cdef int other = replaceable(s)
    s.refused = s.returned[rank] if s.returned[rank] < other else other
    s.returned[rank] -= s.refused
    ask_alone(s, debt_of(s).receiver, Q_RETURN)


cdef int rank_for_sale(const State* s) noexcept nogil:
    return FOUR if s.buying_fours else THREE


cdef int seller_for(const State* s, const Rules* rules, int buyer) noexcept nogil:
    """R8.7: who sells to a seat without a three (or four), or NONE."""
    cdef int steps, seat, rank = rank_for_sale(s)
    if s.counts[opposite(buyer)][rank] >= 2:
        return opposite(buyer)
    for steps in range(1, SEATS):
        seat = after(buyer, steps)
        if s.counts[seat][rank] < 2:
            continue
        if rules.buy_from == BUY_DOWNSTREAM or same_team(seat, buyer) == (rules.buy_from == BUY_OWN_TEAM):
            return seat
    return NONE


cdef bint gives_for_nothing(const State* s, const Rules* rules, int buyer) noexcept nogil:
    return rules.buy_from == BUY_OWN_TEAM and s.seller != opposite(buyer)


cdef int price(const State* s, int buyer) noexcept nogil:
    """The rank that a buyer pays with: a two, else w, else W; NONE when it has none of them."""
    if s.counts[buyer][TWO]:
        return TWO
    if s.counts[buyer][SMALL]:
        return SMALL
    return BIG if s.counts[buyer][BIG] else NONE


cdef bint buy(State* s, const Rules* rules) noexcept nogil:
    """Ask the next seat that has to buy a three, or may buy a four; False when there is none."""
    cdef int seat
    while True:
        while s.buyer < SEATS:
            seat = after(s.first_leader, s.buyer)
            if offer(s, rules, seat):
                return True
            s.buyer += 1
        if s.buying_fours or not rules.fours_open:
            return False
        s.buying_fours = True
        s.buyer = 0


cdef bint offer(State* s, const Rules* rules, int buyer) noexcept nogil:
    if s.counts[buyer][rank_for_sale(s)] or not (rules.threes_last or s.buying_fours):
        return False
    s.seller = seller_for(s, rules, buyer)
    if s.seller == NONE:
        return False
    if gives_for_nothing(s, rules, buyer):
        # A three has to be had; a four is the buyer's to want.
        if s.buying_fours:
            ask_alone(s, buyer, Q_TAKE)
        else:
            ask_alone(s, s.seller, Q_GIVE)
        return True
    if price(s, buyer) == NONE:
        return False
    ask_alone(s, buyer, Q_BUY)
    return True


cdef void end_purchase(State* s, const Rules* rules, Log* log) noexcept nogil:
    s.buyer += 1
    go_on_settling(s, rules, log)


cdef void sell(State* s, const Rules* rules, int paid, Log* log) noexcept nogil:
    cdef int buyer = after(s.first_leader, s.buyer)
    if paid != NONE:
        move_card(s, buyer, s.seller, paid)
    move_card(s, s.seller, buyer, rank_for_sale(s))
    note(log, N_BOUGHT, buyer, s.seller, rank_for_sale(s))
    end_purchase(s, rules, log)


# Judging

cdef int check_return(const State* s, uint64_t code) noexcept nogil:
    cdef const Debt* debt = debt_of(s)
    cdef uint8_t cards[16]
    cdef int rank, n = 0
    unpack_return(code, cards)
    for rank in range(RANKS):
        n += cards[rank]
        if cards[rank] > s.counts[debt.receiver][rank] - s.returned[rank]:
            return CARDS_NOT_HELD
        if cards[rank] and not may_be_returned(s, rank):
            return CARDS_NOT_HELD
    return LEGAL if n == (s.refused if s.refused else s.due) else WRONG_COUNT


cdef int check_refuse(const State* s, const Rules* rules, int rank) noexcept nogil:
    if rank >= RANKS or not s.returned[rank]:
        return HOLDS_THAT_RANK if rank < RANKS and s.counts[s.turn][rank] else CARDS_NOT_HELD
    return LEGAL if may_refuse(s, rules, rank) else HOLDS_THAT_RANK


cdef int check_sale(const State* s, int seat, int rank, int due) noexcept nogil:
    """R8.7: what is given for a three, and what is given for nothing, is no choice."""
    if rank >= RANKS or not s.counts[seat][rank]:
        return CARDS_NOT_HELD
    return LEGAL if rank == due else NOT_HIGHEST_TRIBUTE


cdef int check_settling(const State* s, const Rules* rules, int kind, uint64_t code) noexcept nogil:
    """Judge what belongs to tribute and buying."""
    cdef int value = value_in(code)
    if s.question == Q_TAKE and (kind == ACCEPT or kind == DECLINE):
        return LEGAL
    if s.question == Q_PAY and (kind == PAY or (kind == DECLINE and pay_is_optional(s, rules))):
        return LEGAL
    if s.question == Q_RETURN and kind == RETURN:
        return check_return(s, code)
    if s.question == Q_ACCEPT and kind == ACCEPT:
        return LEGAL
    if s.question == Q_ACCEPT and kind == REFUSE:
        return check_refuse(s, rules, value)
    if s.question == Q_BUY and kind == BUY_WITH:
        return check_sale(s, s.turn, value, price(s, s.turn))
    if s.question == Q_GIVE and kind == GIVE:
        return check_sale(s, s.turn, value, rank_for_sale(s))
    if (s.question == Q_BUY or s.question == Q_GIVE) and kind == DECLINE and s.buying_fours:
        return LEGAL
    return WRONG_PHASE


cdef bint pay_is_optional(const State* s, const Rules* rules) noexcept nogil:
    """R8.5."""
    cdef const Debt* debt = debt_of(s)
    return (rules.team_tribute == TEAM_OPTIONAL and rules.teams and debt.kind == KIND_LAST
            and same_team(debt.payer, debt.receiver))


# Doing and listing

cdef void decide_settling(State* s, const Rules* rules, int kind, uint64_t code, Log* log) noexcept nogil:
    cdef int value = value_in(code)
    if kind == PAY:
        pay(s, rules, log)
    elif kind == RETURN:
        return_cards(s, rules, code, log)
    elif kind == REFUSE:
        refuse(s, value)
    elif kind == BUY_WITH:
        sell(s, rules, value, log)
    elif kind == GIVE:
        sell(s, rules, NONE, log)
    elif s.phase == BUY and kind == ACCEPT:
        ask_alone(s, s.seller, Q_GIVE)
    elif s.phase == BUY:
        end_purchase(s, rules, log)
    elif s.question == Q_TAKE and kind == ACCEPT:
        ask_alone(s, debt_of(s).payer, Q_PAY)
    elif kind == ACCEPT:
        take_back(s, rules, log)
    else:
        end_debt(s, rules, log)


cdef int list_returns(const State* s, uint64_t* out) noexcept nogil:
    """List what may be given back: every choice of one or two cards, of more those of one or two ranks."""
    cdef const Debt* debt = debt_of(s)
    cdef uint8_t cards[16]
    cdef int n = s.refused if s.refused else s.due
    cdef int low, high, of_low, found = 0
    memset(cards, 0, 16)
    for low in range(RANKS):
        for high in range(low, RANKS):
            for of_low in range(1 if low < high else n, n if low < high else n + 1):
                cards[low] += of_low
                cards[high] += n - of_low
                if fits_return(s, cards, low) and fits_return(s, cards, high):
                    out[found] = pack_return(debt.receiver, cards)
                    found += 1
                cards[low] = 0
                cards[high] = 0
    return found if found else list_lowest_return(s, n, out)


cdef int list_lowest_return(const State* s, int n, uint64_t* out) noexcept nogil:
    """Many cards cannot come from two ranks: list the lowest that there are."""
    cdef const Debt* debt = debt_of(s)
    cdef uint8_t cards[16]
    cdef int rank
    memset(cards, 0, 16)
    for rank in range(RANKS):
        while n and cards[rank] < 24 and may_be_returned(s, rank):
            cards[rank] += 1
            if not fits_return(s, cards, rank):
                cards[rank] -= 1
                break
            n -= 1
    out[0] = pack_return(debt.receiver, cards)
    return 1


cdef inline bint fits_return(const State* s, const uint8_t* cards, int rank) noexcept nogil:
    return (may_be_returned(s, rank) and cards[rank] < return_base(rank)
            and cards[rank] <= s.counts[debt_of(s).receiver][rank] - s.returned[rank])


cdef int list_settling(const State* s, const Rules* rules, uint64_t* out) noexcept nogil:
    cdef int rank, n = 1
    if s.question == Q_RETURN:
        return list_returns(s, out)
    if s.question == Q_TAKE:
        # A tribute is taken if nothing is said, a four is not.
        out[s.phase == BUY] = pack_value(s.turn, ACCEPT, 0)
        out[s.phase != BUY] = pack_value(s.turn, DECLINE, 0)
        return 2
    if s.question == Q_ACCEPT:
        out[0] = pack_value(s.turn, ACCEPT, 0)
        for rank in range(RANKS):
            if may_refuse(s, rules, rank):
                out[n] = pack_value(s.turn, REFUSE, rank)
                n += 1
        return n
    if s.question == Q_PAY:
        out[0] = pack_value(s.turn, PAY, 0)
        if pay_is_optional(s, rules):
            out[1] = pack_value(s.turn, DECLINE, 0)
            n = 2
        return n
    # A four is offered, never forced: declining is the mildest.
    if s.buying_fours:
        out[0] = pack_value(s.turn, DECLINE, 0)
        n = 2
    if s.question == Q_BUY:
        out[n - 1] = pack_value(s.turn, BUY_WITH, price(s, s.turn))
    else:
        out[n - 1] = pack_value(s.turn, GIVE, rank_for_sale(s))
    return n


cdef int list_two(const State* s, int kind, int other, uint64_t* out) noexcept nogil:
    out[0] = pack_value(s.turn, kind, 0)
    out[1] = pack_value(s.turn, other, 0)
    return 2
