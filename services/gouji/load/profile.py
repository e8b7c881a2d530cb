"""What a run is: who comes, how they play, what is done to the servers, and what must hold. Read from YAML."""

import math
import random
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Final, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from gouji.fleet.faults import Fault
from gouji.fleet.layout import PROCESSES

PROFILES: Final = "gouji.load.profiles"
"""Where those are that come with the package."""

Seconds = Annotated[float, Field(ge=0, le=86_400)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=1_000_000)]


class ProfileError(Exception):
    """A profile that is not there, or not one; the text says what is wrong, line by line."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Range(_Part):
    """Evenly from ``least`` to ``most`` seconds."""

    least: Seconds
    most: Seconds

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.most < self.least:
            raise ValueError("most is below least")
        return self

    def draw(self, chance: random.Random) -> float:
        """Draw one."""
        return chance.uniform(self.least, self.most)


class Think(_Part):
    """How long a person thinks: lognormal, with half of all times below ``median``, cut at ``least`` and ``most``."""

    median: Annotated[float, Field(gt=0, le=600)] = 2.5
    sigma: Annotated[float, Field(ge=0, le=3)] = 0.6
    least: Seconds = 0.4
    most: Seconds = 15.0

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.least <= self.median <= self.most:
            raise ValueError("least, median and most are not in order")
        return self

    def draw(self, chance: random.Random) -> float:
        """Draw one, in seconds."""
        return min(max(chance.lognormvariate(math.log(self.median), self.sigma), self.least), self.most)


class Arrivals(_Part):
    """Who comes: players ``per_second``, at random times of their own, until there are ``players``.

    They come whatever becomes of those before them. Who has played to the end queues ``again``, or goes.
    """

    players: Count
    per_second: Annotated[float, Field(gt=0, le=10_000)]
    again: bool = True


class Drops(_Part):
    """People whose app is closed ``per_minute`` and player, and who come back after a while with nothing kept."""

    per_minute: Annotated[float, Field(ge=0, le=60)] = 0.0
    away: Range = Range(least=1, most=20)


class Network(_Part):
    """A ``share`` of the players is behind a network as phones have it.

    Each way takes ``delay_ms`` and up to ``jitter_ms`` more; it is cut ``cuts_per_minute`` for some seconds.
    """

    share: Share = 0.0
    delay_ms: Annotated[float, Field(ge=0, le=10_000)] = 60.0
    jitter_ms: Annotated[float, Field(ge=0, le=10_000)] = 40.0
    cuts_per_minute: Annotated[float, Field(ge=0, le=60)] = 0.0
    cut: Range = Range(least=1, most=8)


class TimedFault(Fault):
    """Something done to the cluster, so many seconds after the run has begun."""

    at: Seconds


class Budget(_Part):
    """A latency that must not be exceeded. ``kind`` is one of the report's, such as `act`, `act.play`, `shown`."""

    kind: str
    percentile: Annotated[float, Field(gt=0, le=100)] = 99.0
    milliseconds: Annotated[float, Field(gt=0)]


class Budgets(_Part):
    """What must hold besides the checks. A run whose clients lagged more than ``most_lag_ms`` at p99 is void."""

    latencies: tuple[Budget, ...] = ()
    most_failures: Annotated[int, Field(ge=0)] = 0
    least_commands: Annotated[int, Field(ge=0)] = 1
    most_memory_mib_per_minute: Annotated[float, Field(gt=0)] | None = None
    most_lag_ms: Annotated[float, Field(gt=0)] = 50.0


class Cluster(_Part):
    """The cluster that is started where none is named: how many of each process, and settings of all of them."""

    processes: Mapping[str, Count] = PROCESSES
    settings: Mapping[str, str | int | float | bool] = {}

    @model_validator(mode="after")
    def _known(self) -> Self:
        unknown = sorted(set(self.processes) - set(PROCESSES))
        if unknown:
            raise ValueError(f"no such service: {', '.join(unknown)}")
        return self


class Profile(_Part):
    """One run. It is measured from ``warmup`` on for ``seconds``."""

    about: str
    seconds: Annotated[float, Field(gt=0, le=86_400)]
    warmup: Seconds = 0.0
    clients: Annotated[int, Field(ge=1, le=256)] = 1
    seed: int = 1
    hands: Annotated[int, Field(ge=1, le=32)] = 1
    arrivals: Arrivals
    think: Think = Think()
    drops: Drops = Drops()
    network: Network = Network()
    cluster: Cluster = Cluster()
    faults: tuple[TimedFault, ...] = ()
    budgets: Budgets = Budgets()

    @property
    def length(self) -> float:
        """All of it, in seconds."""
        return self.warmup + self.seconds

    @model_validator(mode="after")
    def _faults_are_within(self) -> Self:
        late = [str(fault) for fault in self.faults if fault.at >= self.length]
        if late:
            raise ValueError(f"comes after the end: {', '.join(late)}")
        return self

    @model_validator(mode="after")
    def _six_find_each_other(self) -> Self:
        if self.arrivals.players < 6 * self.clients:
            raise ValueError("each client process needs six players: less would wait for ever")
        return self


def names() -> list[str]:
    """Name the profiles that come with the package."""
    files = [entry.name for entry in resources.files(PROFILES).iterdir()]
    return sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml"))


def read_profile(wanted: str) -> Profile:
    """Read one by its name, or from a file. Raises `ProfileError`."""
    if wanted in names():
        return parse(resources.files(PROFILES).joinpath(f"{wanted}.yaml").read_text(encoding="utf-8"))
    try:
        return parse(Path(wanted).read_text(encoding="utf-8"))
    except OSError:
        raise ProfileError(f"there is no profile {wanted}: give a file, or one of {', '.join(names())}") from None


def parse(text: str) -> Profile:
    """Read one from YAML. Raises `ProfileError`, with the place of each thing that is wrong."""
    try:
        return Profile.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise ProfileError(f"this is no YAML: {error}") from None
    except ValidationError as error:
        told = [f"{'.'.join(map(str, one['loc'])) or 'profile'}: {one['msg']}" for one in error.errors()]
        raise ProfileError("\n".join(told)) from None
