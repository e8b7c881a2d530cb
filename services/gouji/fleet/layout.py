"""Which processes there are, and at which ports. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, count
from typing import Final

ORDER: Final = ("scoring", "bot", "matchmaking", "gateway", "table")
"""In which services are started; they are ended the other way round, so that tables still find all that they need."""

PROCESSES: Final = {"scoring": 1, "bot": 2, "matchmaking": 2, "gateway": 1, "table": 2}
"""How many of each, unless told otherwise."""

_HOST: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Place:
    """One process: ``name`` is its service and its number from 1; a ``metrics_port`` of -1 is none."""

    name: str
    service: str
    port: int
    metrics_port: int

    @property
    def address(self) -> str:
        """What others dial."""
        return f"{_HOST}:{self.port}"

    @property
    def has_door(self) -> bool:
        """The door belongs to the first gateway."""
        return self.name == "gateway-1"


def lay_out(processes: Mapping[str, int], ports: Iterator[int], metrics_ports: Iterator[int]) -> list[Place]:
    """Give each process its name and its ports, in the order in which they are started.

    `ValueError` for a service without a process: the others could not do without it.
    """
    missing = [service for service in ORDER if processes.get(service, 0) < 1]
    if missing:
        raise ValueError(f"there must be a process of {', '.join(missing)}")
    return [
        Place(f"{service}-{number}", service, next(ports), next(metrics_ports))
        for service in ORDER
        for number in range(1, processes[service] + 1)
    ]


def addresses(places: Iterable[Place]) -> dict[str, str]:
    """Say by variables of the environment where each service is dialled."""
    found: dict[str, list[str]] = {}
    for place in places:
        found.setdefault(place.service, []).append(place.address)
    return {f"GOUJI_{service.upper()}_ADDRESS": ",".join(each) for service, each in found.items()}


def in_turn(first: int, free: Iterator[int], taken: Iterable[int] = ()) -> Iterator[int]:
    """Give ports from ``first`` on without those ``taken``; ``free`` ones when it is 0, and none (-1) when it is -1."""
    if first > 0:
        reserved = set(taken)
        return (port for port in count(first) if port not in reserved)
    return free if first == 0 else chain.from_iterable([-1] for _ in count())
