"""What a policy makes of a crowd, before it ships: waits and imbalance by rating and by size of party.

    .venv/bin/python loadtest/matchmaking.py                                  # the policy as shipped
    .venv/bin/python loadtest/matchmaking.py --against band=8,band_growth=0.2 --chart waits.png

Plays arrivals, drawn or recorded, through `gouji.matchmaking.policy`, in simulated time, with no server: every cycle
it asks for tables, as matchmaking does. Then prints how long one look takes at 100, 1,000 and 50,000 tickets. The
chart needs `pip install -r loadtest/requirements.txt`.
"""

import argparse
import random
import time
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import islice
from pathlib import Path

from arrivals import Arrival, Crowd, read, write
from waits import Outcome, Seat, draw, report

from gouji.matchmaking.policy import DEFAULT, Hall, Member, Policy, Proposal, Waiting

SECOND = 1_000_000
RECENT_OPPONENTS = 9
"""Opponents who count as recent: those of the last three matches."""

SNAPSHOTS = (100, 1000, 50_000)
"""Tickets in the looks that are timed."""

LOOKS = 5
"""Looks of each, of which the quickest counts."""


@dataclass
class Simulation:
    """One queue under one policy. Times are microseconds since it began."""

    hall: Hall
    bots_after: int | None
    waiting: dict[str, Waiting] = field(default_factory=dict)
    until: dict[str, float] = field(default_factory=dict)
    here: set[str] = field(default_factory=set)
    recent: defaultdict[str, deque[str]] = field(
        default_factory=lambda: defaultdict(partial(deque, maxlen=RECENT_OPPONENTS))
    )
    outcome: Outcome = field(default_factory=Outcome)

    def run(self, arrivals: Iterable[Arrival], cycle: int) -> Outcome:
        """Let all arrive, look once a cycle, and go on until nobody waits."""
        coming = deque(enumerate(arrivals))
        now = 0
        while coming or self.waiting:
            now += cycle
            while coming and coming[0][1].second * SECOND <= now:
                self._enter(*coming.popleft())
            for ticket_id in [ticket_id for ticket_id, until in self.until.items() if until <= now]:
                self._leave(ticket_id, now)
            for proposal in self.hall.propose(now):
                self._play(proposal, now)
        return self.outcome

    def _enter(self, number: int, arrival: Arrival) -> None:
        """Queue a ticket, unless one of its people waits already."""
        members = tuple(
            Member(str(person), "", rating, deviation, recent=frozenset(self.recent[str(person)]))
            for person, rating, deviation in arrival.people
        )
        if self.here.isdisjoint(member.player_id for member in members):
            self.here.update(member.player_id for member in members)
            ticket_id, since = f"t{number:08}", int(arrival.second * SECOND)
            both = len(members) > 3
            ticket = Waiting(ticket_id, "simulated", members, both, ("standard",), "3 hands", since, self.bots_after)
            self.waiting[ticket_id] = ticket
            self.hall.add(ticket)
            self.until[ticket_id] = since + arrival.leaves_after * SECOND

    def _leave(self, ticket_id: str, now: int) -> None:
        ticket = self._take(ticket_id)
        self.hall.remove(ticket_id)
        wait = (now - ticket.since) / SECOND
        self.outcome.left += [Seat(member.rating, len(ticket.members), wait) for member in ticket.members]

    def _take(self, ticket_id: str) -> Waiting:
        ticket = self.waiting.pop(ticket_id)
        del self.until[ticket_id]
        self.here.difference_update(member.player_id for member in ticket.members)
        return ticket

    def _play(self, proposal: Proposal, now: int) -> None:
        """Seat a table; who played against whom is remembered."""
        self.outcome.tables += 1
        self.outcome.with_bots += None in proposal.seats
        imbalance = abs(proposal.quality.win_chance - 0.5)
        for ticket in proposal.tickets:
            self._take(ticket.ticket_id)
        for number, seated in enumerate(proposal.seats):
            if seated is not None:
                ticket, member = seated
                wait = (now - ticket.since) / SECOND
                self.outcome.seated.append(Seat(member.rating, len(ticket.members), wait, imbalance))
                opponents = proposal.seats[1 - number % 2 :: 2]
                self.recent[member.player_id].extend(one.member.player_id for one in opponents if one is not None)


def look_times(policy: Policy, crowd: Crowd, chance: random.Random) -> None:
    """Print how long a look takes: all tickets new, then with what the looks before have left."""
    print("\nOne look, processor time: tickets, milliseconds, tables; and with pairs alone, of whom none can play")
    for count in SNAPSHOTS:
        people = Crowd(people=8 * count, rate=float(count), spread=crowd.spread)
        arrivals = islice(people.arrivals(chance), count)
        tickets = [_ticket(number, arrival) for number, arrival in enumerate(arrivals)]
        pairs = [ticket._replace(members=(ticket.members * 2)[:2], both_teams=False) for ticket in tickets]
        taken, tables = _time(tickets, policy)
        stuck, _ = _time(pairs, policy)
        print(f"{count:8}{taken * 1000:10.1f} ms{tables:8}{stuck * 1000:14.1f} ms")


def _ticket(number: int, arrival: Arrival) -> Waiting:
    """Make a ticket that has waited for up to half a minute; its people have played of late."""
    members = tuple(
        Member(f"{number}.{n}", "", rating, deviation, recent=frozenset(f"{number + step}.0" for step in range(1, 10)))
        for n, (_, rating, deviation) in enumerate(arrival.people)
    )
    since = number * 7919 % (30 * SECOND)
    return Waiting(f"t{number:08}", "simulated", members, len(members) > 3, ("standard",), "3 hands", since, None)


def _time(tickets: list[Waiting], policy: Policy) -> tuple[float, int]:
    """Give the seconds of the quickest look, and the tables that it makes; all wait again before the next."""
    hall, quickest, made = Hall(policy), float("inf"), []
    for ticket in tickets:
        hall.add(ticket)
    for _ in range(LOOKS):
        began = time.process_time()
        made = hall.propose(30 * SECOND)
        quickest = min(quickest, time.process_time() - began)
        for ticket in (ticket for proposal in made for ticket in proposal.tickets):
            hall.add(ticket)
    return quickest, len(made)


def policy_of(text: str) -> Policy:
    """Read a policy written as `band=8,band_growth=0.2`; what is not named is as shipped."""
    known = {one.name for one in fields(Policy)} - {"levels", "earned"}
    given = dict(part.split("=", 1) for part in text.split(",") if part)
    if unknown := given.keys() - known:
        raise argparse.ArgumentTypeError(
            f"no such part of a policy: {', '.join(unknown)}; there are {', '.join(known)}"
        )
    return Policy(**{name: type(getattr(DEFAULT, name))(value) for name, value in given.items()})


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--policy", type=policy_of, default=DEFAULT, help="as name=value,...")
    parser.add_argument("--against", type=policy_of, help="another, for the same arrivals")
    parser.add_argument("--bots-after", type=float, help="seconds after which bots may fill; people alone by default")
    parser.add_argument("--cycle-ms", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--arrivals", type=Path, help="CSV of recorded arrivals; drawn by default")
    parser.add_argument("--record", type=Path, help="where to write the arrivals")
    parser.add_argument("--chart", type=Path, help="where to draw a PNG")
    for one in fields(Crowd):
        parser.add_argument(f"--{one.name}", type=type(one.default), default=one.default)
    return parser.parse_args()


def main() -> None:
    """Simulate, print, draw."""
    asked = options()
    crowd = Crowd(**{one.name: getattr(asked, one.name) for one in fields(Crowd)})
    arrivals = list(read(asked.arrivals) if asked.arrivals else crowd.arrivals(random.Random(asked.seed)))
    if asked.record:
        write(asked.record, arrivals)
    bots_after = None if asked.bots_after is None else int(asked.bots_after * SECOND)
    policies = {"policy": asked.policy} | ({"against": asked.against} if asked.against else {})
    outcomes = {}
    for name, policy in policies.items():
        outcomes[name] = Simulation(Hall(policy), bots_after).run(arrivals, asked.cycle_ms * 1000)
        print(f"\n{name}: {policy}", *report(outcomes[name]), sep="\n")
    if asked.chart:
        draw(asked.chart, outcomes)
    look_times(asked.policy, crowd, random.Random(asked.seed))


if __name__ == "__main__":
    main()
