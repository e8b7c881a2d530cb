# What followed from an action before the play, in words.

cdef tuple in_order(object cards):
    return tuple(sorted(cards.elements(), reverse=True))


cdef object tell_of_prelude(int kind, int a, int b, int c, object gained):
    if kind == 10:
        return events.TributePaid(a, b, in_order(gained[b]))
    if kind == 11:
        return events.TributeReturned(a, b, in_order(gained[b]), c)
    if kind == 12:
        return events.CardBought(a, b, in_order(gained[a]), in_order(gained[b]))
    if kind == 13:
        return events.TributeResisted(a, b, KINDS[c])
    if kind == 14:
        return events.FoursSunk(a)
    return events.RanksLaidOff(("", "3", "4", "34")[a & 3])
