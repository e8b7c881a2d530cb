"""R6, R9.1: who leaves with which place, and when a hand is over."""

from .results import Outcome
from .state import SEATS, Table, after


def free_places(table: Table) -> list[int]:
    return [place for place in range(1, 7) if place not in table.places]


def finish(table: Table, seat: int) -> None:
    """R6.1: the seat played its last card."""
    table.places[seat] = free_places(table)[0]
    table.finished.append(seat)
    if seat in table.burning:
        burn = table.burning.pop(seat)
        if burn.burned is not None:
            table.burns.append((seat, burn.burned, burn.doublings))
    _revolter_is_third(table)


def leave(table: Table, seat: int) -> None:
    """R5.5, R9.8: the seat leaves at once with the lowest place still free."""
    table.places[seat] = free_places(table)[-1]
    table.burning.pop(seat, None)
    _revolter_is_third(table)


def revolt(table: Table, seat: int) -> None:
    """R9.1: fourth, unless its team-mates come in first and second."""
    table.revolted.append(seat)
    table.places[seat] = 4


def _revolter_is_third(table: Table) -> None:
    for seat in table.revolted:
        first, second = (table.places.index(place) if place in table.places else None for place in (1, 2))
        if first is None or second is None or table.places[seat] != 4:
            continue
        if table.mates(seat, first) and table.mates(seat, second):
            # Who has left as third before them is fourth then.
            if 3 in table.places:
                table.places[table.places.index(3)] = 4
            table.places[seat] = 3


def sweep(table: Table) -> int | None:
    """R6.3: the team of the first three places."""
    if not table.rules["teams"]:
        return None
    teams = {seat % 2 for seat in SEATS if table.places[seat] in (1, 2, 3)}
    taken = {1, 2, 3} <= set(table.places)
    # R9.8: where it does not count as one, the hand goes on (R6.3).
    if table.rules["no_sweep_when_choked"] and any(table.places[seat] not in (1, 2, 3) for seat, _ in table.choked):
        return None
    return teams.pop() if taken and len(teams) == 1 else None


def end_if_over(table: Table, last_leader: int) -> bool:
    """R6.2, R6.3: close the hand when it is over; the seats still in take the places left."""
    left = table.seats_in()
    one_left = len(left) <= 1
    one_team = table.rules["end_when"] == "one_team_left" and len({seat % 2 for seat in left}) <= 1
    if not (one_left or one_team or sweep(table) is not None):
        return False
    place_the_rest(table, last_leader)
    return True


def place_the_rest(table: Table, last_leader: int) -> None:
    """R6.2, `cards`: more cards is lower; ties to the later seat counted from the last trick's leader."""
    order = [last_leader, *after(last_leader)]
    for seat in sorted(table.seats_in(), key=lambda seat: (len(table.hands[seat]), order.index(seat))):
        table.places[seat] = free_places(table)[0]
    _revolter_is_third(table)
    table.phase = "over"
    table.over = True


def order_of(table: Table) -> tuple[int, ...]:
    """R6.1: the seats by place, when the hand is over."""
    if not table.over or table.void:
        return ()
    return tuple(sorted(SEATS, key=lambda seat: table.places[seat]))


def outcome(table: Table, first_leader: int = 0) -> Outcome:
    """What a finished hand comes to."""
    return Outcome(
        table.rules,
        order_of(table),
        opened=table.opened,
        burns=table.burns,
        chokes=table.choked,
        stuck=table.stuck,
        revolted=table.revolted,
        first_leader=first_leader,
    )
