"""R4 and R5.2: who is asked about a play, in which order, and what a pass means."""

from gouji.engine.cards import opposite

from .burning import burns_of, may_burn
from .plays import asks_all, cannot_be_beaten
from .state import Question, Table, after


def asked_about_play(table: Table, only: int | None) -> list[Question]:
    """All who may be asked about the play on the table, in order; ``only`` alone may answer it, if given (R4.3)."""
    trick = table.trick
    by = trick.by
    if by is None or cannot_be_beaten(table.rules, trick.cards):
        return []
    if table.scramble:
        return [Question(seat, "answer") for seat in after(by) if table.is_in(seat)]
    if trick.gouji and (trick.dead or table.is_in(opposite(by))):
        return _asked_about_gouji(table, by)
    if trick.dead:
        return []
    if only is not None:
        answers = [only] if table.is_in(only) else []
    else:
        free = asks_all(table.rules, trick.cards)
        answers = [seat for seat in after(by) if table.is_in(seat) and (free or seat not in trick.passed)]
    asked = [Question(seat, "answer") for seat in answers]
    if table.is_in(opposite(by)):
        asked.append(Question(opposite(by), "last_word"))
    return asked


def _asked_about_gouji(table: Table, by: int) -> list[Question]:
    """R4.4-R4.6, R5.1, R5.2."""
    rules = table.rules
    across = opposite(by)
    answers = _answers_to_gouji(table, by)
    burns = [seat for seat in after(by) if seat not in answers and may_burn(table, seat)]
    order = after(by)
    if rules["burn_order"] == "in_turn_team" and rules["teams"]:
        order[0], order[1] = order[1], order[0]  # o+4 is a team-mate already
    kinds = {seat: Question(seat, "burn") for seat in burns}
    as_opposite = table.is_in(by) or by in table.finished[:2]
    kinds |= {seat: Question(seat, "gouji" if seat == across and as_opposite else "answer") for seat in answers}
    if rules["burn_order"] in ("in_turn", "in_turn_team"):
        return [kinds[seat] for seat in order if seat in kinds]
    if rules["burn_order"] == "team_first":
        burns = sorted(burns, key=lambda seat: not table.mates(seat, by))
    return [kinds[seat] for seat in (*burns, *answers)]


def _answers_to_gouji(table: Table, by: int) -> list[int]:
    """Who may answer without burning, in turn order: the opposite, and seats without a head."""
    trick = table.trick
    if trick.dead:
        return []
    across = opposite(by)
    answering = []
    for seat in after(by):
        if not table.is_in(seat):
            continue
        if seat == across:
            # R4.6: the last cards of a third are beaten by seats without a head alone, of which it is now one.
            may = table.is_in(by) or by in table.finished[:2] or seat not in trick.passed
        else:
            may = not table.has_head(seat) and seat not in trick.passed
            may = may and (bool(table.rules["counter_burn"]) or not trick.burning)
        if may:
            answering.append(seat)
    return answering


def question(table: Table) -> Question | None:
    """Who is asked now. Drops those from the list who are not asked after all."""
    trick = table.trick
    while trick.asking:
        first = trick.asking[0]
        no_burn = first.kind == "burn" and not burns_of(table, first.seat)
        no_last_word = first.kind == "last_word" and not _entitled(table, first.seat)
        if no_burn or no_last_word:
            trick.asking.pop(0)
        elif first.kind == "answer" and _nobody_else_left(table) and _is_last_word(table, first.seat):
            return Question(first.seat, "last_word")
        else:
            return first
    return None


def _entitled(table: Table, seat: int) -> bool:
    """R4.2: whether the opposite has the last word, when nobody else is left to ask."""
    trick = table.trick
    if trick.yielder == seat:
        return True
    return table.rules["opposite_last_word"] == "always" or seat in trick.passed_before


def _is_last_word(table: Table, seat: int) -> bool:
    trick = table.trick
    ordinary = not table.scramble and not trick.gouji
    return ordinary and trick.by is not None and seat == opposite(trick.by)


def _nobody_else_left(table: Table) -> bool:
    asking = table.trick.asking
    return all(other.seat == asking[0].seat for other in asking)


def answered(table: Table, asked: Question) -> None:
    """The seat passed, declined a burn or closed: go on to the next. Who declines the last word closes the trick."""
    trick = table.trick
    if asked.kind == "last_word":
        trick.asking.clear()
    else:
        trick.asking.pop(0)


# Yielding


def may_yield(table: Table, asked: Question) -> bool:
    """R4.3."""
    trick = table.trick
    by = trick.by
    if not table.rules["yield"] or table.scramble or by is None or asked.seat != opposite(by):
        return False
    later = [seat for seat in after(by)[3:] if table.is_in(seat) and seat not in trick.passed]
    if trick.gouji:
        in_turn = table.rules["burn"] and table.rules["burn_order"] == "in_turn"
        needs_open = table.rules["burn_needs_open"]
        burners = [seat for seat in later if table.has_head(seat) and (seat in table.opened or not needs_open)]
        return asked.kind == "gouji" and bool(in_turn and burners)
    return asked.kind == "answer" and bool(later)


def yielded(table: Table, asked: Question) -> None:
    """Ask those after it first; then it has the last word."""
    trick = table.trick
    trick.yielder = asked.seat
    trick.asking.pop(0)
    if Question(asked.seat, "last_word") not in trick.asking:
        trick.asking.append(Question(asked.seat, "last_word"))
