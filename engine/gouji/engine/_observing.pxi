# Observations of a hand, and hands from observations.

cdef object _view(Hand hand, int seat, int viewer, object bounds):
    cdef State* s = &hand.s
    cdef int i
    cdef bint burns = has(s.burning, seat)
    played = text_of(s.played[seat])
    choker = None
    for i in range(s.n_choked):
        if s.choked[i] == seat:
            choker = s.chokers[i]
    return SeatView(
        shown_count(s, &hand.compiled.c, seat, viewer),
        bool(has(s.in_mask, seat)),
        place_of(s, seat),
        bool(has(s.passed, seat)),
        bool(has_head(s, seat)),
        # What a deal means by itself shows with the deal.
        bool(has(s.opened, seat)) and s.phase != ADVANCE,
        burns,
        bool(has(s.revolted, seat)),
        bool(has(s.struck, seat)),
        choker,
        bool(has(s.stuck, seat)),
        played,
        s.kept[seat],
        text_of(s.counts[seat]) if shows_hand(s, &hand.compiled.c, seat, viewer) else "",
        known_cards(bounds[seat], played) if seat in bounds and seat != viewer else "",
        ("", "open", "advance")[s.calls[seat]],
        seat_or_none(s.victims[seat]) if burns else None,
        s.doublings[seat] if burns else 0,
    )


cdef int place_of(const State* s, int seat):
    cdef int place
    for place in range(SEATS):
        if s.order[place] == seat:
            return place + 1
    return 0


def _observe(Hand hand, viewer):
    cdef State* s = &hand.s
    cdef int eye = NONE if viewer is None else _seat(viewer)
    cdef bint hidden = is_hidden(s, eye)
    cdef bint mine = not hidden and s.turn == eye
    cdef bint unseen = s.phase == ADVANCE or viewer is None
    history = None if hand.steps is None else tuple([shown(step, viewer) for step in hand.steps])
    bounds = {} if history is None else bounds_of(history)
    return Observation(
        rules=hand.rules,
        seat=viewer,
        phase=hand.phase,
        cards=() if unseen else hand.cards(viewer),
        seats=tuple([_view(hand, seat, eye, bounds) for seat in range(SEATS)]),
        table=hand.table,
        table_seat=hand.table_seat,
        table_is_gouji=hand.table_is_gouji,
        trick_leader=hand.trick_leader,
        scramble=hand.scramble,
        turn=None if hidden else hand.turn,
        answers_open=bool(s.held and s.window) or (hidden and s.phase != OVER) or (mine and hand.private),
        question=hand.question if mine else None,
        may_yield=mine and hand.may_yield,
        finished=hand.finished,
        felt=None if viewer is None else seat_or_none(s.felt[eye]),
        choices=tuple(hand.legal_actions()) if mine and (s.phase != PLAYING or s.fours_due != NONE) else (),
        may_feel=mine and s.feels[eye] < hand.compiled.c.feel,
        may_ask=hand.may_ask(viewer) if mine else (),
        debt=hand.debt,
        first_leader=hand.first_leader,
        table_is_dead=bool(s.dead),
        aside="" if unseen else text_of(s.aside[eye]),
        laid_off=("", "3", "4", "34")[s.aside[0][TOTAL] & 3],
        doubled=hand.doubled,
        owes=hand.owes,
        burns=hand.burns,
        dealt=() if unseen or hand.dealt is None else hand.dealt[viewer],
        history=history,
        position=_position(hand, eye),
    )


cdef bytes _position(Hand hand, int viewer):
    cdef Sight sight
    look(&hand.s, &hand.compiled.c, viewer, &sight)
    return _SIGHT + hand.compiled.tag + (<char*>&sight)[:sizeof(Sight)]


def _drawn(seen, seed):
    cdef Hand hand = new_hand(seen.rules)
    cdef Sight sight
    cdef Bounds bounds
    cdef const uint8_t* raw
    head = _SIGHT + hand.compiled.tag
    if len(seen.position) != len(head) + sizeof(Sight) or not seen.position.startswith(head):
        raise InvalidState("this observation's position is not one of these rules and this version")
    raw = seen.position
    memcpy(&sight, raw + <size_t>len(head), sizeof(Sight))
    set_bounds(seen, &bounds)
    if not draw(&sight, &hand.compiled.c, &bounds, seed, &hand.s):
        raise InvalidState("no hand was found that fits this observation")
    if seen.history is not None:
        hand.steps = seen.history
        hand.dealt = tuple([seen.dealt if seat == seen.seat else () for seat in range(SEATS)])
    return hand


cdef int set_bounds(seen, Bounds* bounds) except -1:
    """Take over what the history tells of the cards that others hold now (R8, R9.6)."""
    cdef int seat, rank, suit, most
    if not isinstance(seen.seats, tuple) or len(seen.seats) != SEATS:
        raise InvalidState("an observation has six seats")
    memset(bounds, 0, sizeof(Bounds))
    memset(bounds.most, 255, sizeof(bounds.most))
    for (rank, suit), most in suits_for(seen.rules).items():
        bounds.suits[rank][suit] = most
    if seen.rules["natural_open"] and seen.phase != "advance":
        opened = {seat for seat in range(SEATS) if seen.seats[seat].opened}
        bounds.unnatural = sum([1 << seat for seat in range(SEATS) if seat not in opened])
        if seen.history is not None:
            bounds.natural = sum([1 << seat for seat in opened - opened_in(seen.history)])
    if seen.history is None:
        return 0
    for of_seat, known in bounds_of(seen.history).items():
        seat = _seat(of_seat)
        if seat == seen.seat:
            continue
        played = counts_of(seen.seats[seat].played)
        for rank in range(RANKS):
            bounds.least[seat][rank] = min(255, max(0, known.least[rank] - played[rank]))
            most = known.most[rank]
            bounds.most[seat][rank] = 255 if most >= 255 else max(0, most - played[rank])
            bounds.received[seat][rank] = min(255, known.received[rank]) if seen.phase in ("tribute", "buy") else 0
    return 0


def _from_observation(seen):
    cdef Hand hand = new_hand(seen.rules)
    cdef State* s = &hand.s
    cdef uint8_t counts[16]
    cdef int seat, rank
    if seen.phase != "play":
        raise InvalidState("outside the play an observation lists its choices")
    s.phase = PLAYING
    s.trick_leader = s.first_leader = _seat(seen.trick_leader)
    s.scramble = seen.scramble
    if len(seen.seats) != SEATS or len(seen.cards) > 252:
        raise InvalidState("an observation has six seats and one hand")
    for seat in range(SEATS):
        view = seen.seats[seat]
        s.in_mask |= bool(view.is_in) << seat
        s.passed |= bool(view.passed) << seat
        s.opened |= bool(view.opened) << seat
        s.burning |= bool(view.burning) << seat
        s.revolted |= bool(view.revolted) << seat
        s.kept[seat] = min(max(view.kept_head, 0), 3)
    if seen.seat is not None:
        in_before = s.in_mask
        give_cards(s, _seat(seen.seat), seen.cards)
        s.in_mask = in_before
        if any([s.counts[<int>seen.seat][rank] > (24 if rank < SMALL else 6) for rank in range(RANKS)]):
            raise InvalidState("a hand holds more than six packs have")
    if seen.table:
        held = counts_of(seen.table)
        for rank in range(RANKS):
            counts[rank] = min(held[rank], 255)
        if not read_play(counts, &s.table) or not play_is_sane(&s.table):
            raise InvalidState("the table holds no play")
        s.table_seat = _seat(seen.table_seat)
        s.gouji = seen.table_is_gouji
    if seen.question is not None and seen.seat is None:
        raise InvalidState("a spectator is not asked")
    if seen.question is not None:
        s.question = _QUESTIONS.index(seen.question)
        s.turn = seen.seat
        s.feels[<int>seen.seat] = 0 if seen.may_feel else 255
        s.asked[<int>seen.seat] = 63 & ~sum([1 << _seat(seat) for seat in seen.may_ask])
        if s.question > Q_BURN and s.question != Q_LEAD or (s.question == Q_LEAD) != (not seen.table):
            raise InvalidState("only a lead has no play to beat")
    return hand
