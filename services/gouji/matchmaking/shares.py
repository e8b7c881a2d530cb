"""Which of the processes makes the matches of which queue: as many each as can be. Pure, without I/O or clock."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import NamedTuple


class Share(NamedTuple):
    """What one process is to do: queues that it takes, and queues that it holds and gives up."""

    take: list[str]
    give: list[str]


def share_of(me: str, queues: Collection[str], holders: Mapping[str, str], alive: Collection[str]) -> Share:
    """Decide for one process. ``holders`` says who holds a queue; one that nobody does is free.

    Free queues go to whoever has fewest; of several, each thinks that it is the one, and the first to look has the
    queue. When none is free, who has two more than another gives up half of the difference. Processes that differ about
    who is alive may take too few or too many for a moment.
    """
    held = Counter(dict.fromkeys([*alive, me], 0))
    held.update(holders[queue] for queue in queues if holders.get(queue) in held)
    free = sorted(queue for queue in queues if queue not in holders)
    if not free:
        mine = sorted(queue for queue in queues if holders[queue] == me)
        return Share([], mine[: (held[me] - min(held.values())) // 2])
    take = []
    for queue in free:
        least = min(held, key=lambda one: (held[one], one != me, one))
        held[least] += 1
        take += [queue] if least == me else []
    return Share(take, [])
