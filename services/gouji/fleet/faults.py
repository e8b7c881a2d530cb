"""What can be done to one process of a fleet, or to its PostgreSQL: said the same way by people, tests and profiles."""

from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from gouji.fleet.postgres import MOST_SLOW_MS

DATABASE: Final = "postgres"
"""The name of the fleet's own PostgreSQL."""

DOOR: Final = "door"
"""The name of the Envoy that the first gateway has started."""


class Do(StrEnum):
    """What is done."""

    KILL = "kill"
    """SIGKILL, or PostgreSQL's immediate stop: as when a machine dies. It is started again."""
    STOP = "stop"
    """SIGSTOP, as when a machine hangs; PostgreSQL stops, without tidying up. Until `continue`."""
    CONTINUE = "continue"
    """End what `stop` began."""
    RESTART = "restart"
    """SIGTERM, the end in order, and a new start; of several one after another, as a deployment does."""
    START = "start"
    """Start what has ended, and was not started again."""
    SLOW = "slow"
    """Hold up each commit of PostgreSQL, as a slow disk does; with 0 milliseconds no longer."""


class Fault(BaseModel):
    """One deed. ``name`` is a process's, `door`, `postgres`, or a pattern such as `table-*` for services."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    do: Do
    name: str
    milliseconds: Annotated[int, Field(ge=0, le=MOST_SLOW_MS)] = 0

    @model_validator(mode="after")
    def _slow_is_the_database(self) -> Self:
        if self.do is Do.SLOW and self.name != DATABASE:
            raise ValueError(f"only {DATABASE} can be slowed")
        if self.milliseconds and self.do is not Do.SLOW:
            raise ValueError("milliseconds belong to `slow` alone")
        return self

    def __str__(self) -> str:
        return f"{self.do} {self.name}" + (f" by {self.milliseconds} ms" if self.do is Do.SLOW else "")
