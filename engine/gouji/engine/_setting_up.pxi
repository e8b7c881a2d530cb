# A hand from nothing: seats, cards and places as a deal or a position gives them.

cdef Hand new_hand(object rules):
    cdef Hand hand = Hand.__new__(Hand)
    hand.rules = rules
    hand.compiled = compiled(rules)
    return hand


def _seat(seat):
    if not isinstance(seat, int) or not 0 <= seat < SEATS:
        raise InvalidState(f"{seat!r} is not a seat, 0 to 5")
    return seat


cdef int give_cards(State* s, int seat, object cards) except -1:
    cdef int rank, suit
    for card in cards:
        rank, suit = card
        if not (0 <= rank < RANKS and -1 <= suit < 4):
            raise InvalidState("what a hand holds are cards", "hands")
        s.counts[seat][rank] += 1
        s.counts[seat][TOTAL] += 1
        if suit >= 0:
            s.suits[seat][rank] += 1 << (4 * suit)
    s.in_mask |= 1 << seat
    return 0


cdef int place_cards(State* s, object hands) except -1:
    """Take hands as text; suits, which a position does not give, go round."""
    cdef int seat, rank
    if len(hands) != SEATS:
        raise InvalidState(f"a position has 6 hands, not {len(hands)}")
    for seat in range(SEATS):
        counts = counts_of(parse_cards(hands[seat]))
        if sum(counts) > 252 or max(counts[:SMALL]) > 24 or max(counts[SMALL:]) > 6:
            raise InvalidState(f"hand {seat} holds more than six packs have, or over 252 cards", "hands")
        for rank in range(RANKS):
            give_cards(s, seat, [(rank, i % 4 if rank < SMALL else -1) for i in range(counts[rank])])
        if not s.counts[seat][TOTAL]:
            s.in_mask &= ~(1 << seat)
    return 0


def _set_places(Hand hand, finished, revolted):
    cdef State* s = &hand.s
    cdef int place, seat
    for seat in revolted:
        _seat(seat)
        place = 3 if s.order[3] == NONE else 2
        if has(s.revolted, seat) or s.order[place] != NONE or (place == 2 and not hand.compiled.c.allow_two_revolts):
            raise InvalidState("one seat may have revolted, or two with `two_revolts: allow` (R9.1)", "revolted")
        s.order[place] = seat
        s.revolted |= 1 << seat
        s.in_mask &= ~(1 << seat)
    for seat in finished:
        if s.counts[_seat(seat)][TOTAL] or seat in hand.places_taken():
            raise InvalidState(f"seat {seat} cannot have finished: it holds cards, or stands twice", "finished")
        place = 0
        while s.order[place] != NONE:
            place += 1
        s.order[place] = seat
        s.finished[s.n_finished] = seat
        s.n_finished += 1
    for seat in range(SEATS):
        if not s.counts[seat][TOTAL] and seat not in hand.places_taken():
            place = SEATS - 1
            while s.order[place] != NONE:
                place -= 1
            s.order[place] = seat


cdef tuple held_cards(State* s, int seat):
    """A hand high to low: of each rank the highest suits dealt, since the lowest leave first."""
    cdef int rank, suit, left, of_suit
    cards = []
    for rank in range(RANKS - 1, -1, -1):
        left = s.counts[seat][rank]
        if not left:
            continue
        if rank >= SMALL:
            cards += [_CARDS[rank][0]] * left
            continue
        for suit in range(3, -1, -1):
            of_suit = min(left, (s.suits[seat][rank] >> (4 * suit)) & 15)
            if of_suit:
                cards += [_CARDS[rank][suit]] * of_suit
                left -= of_suit
        # A position seen from a seat knows no suits of what others hold.
        if left:
            cards += [_CARDS[rank][0]] * left
    return tuple(cards)
