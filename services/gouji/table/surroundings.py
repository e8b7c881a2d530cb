"""What the live tables of a process share, and who keeps them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gouji.table.bots import BotQueue
from gouji.table.metrics import TableMetrics
from gouji.table.timing import Timers
from gouji.table.writer import LogWriter
from gouji.v1 import rules_pb2, table_pb2

if TYPE_CHECKING:
    from gouji.table.live import Live


class Keeper(Protocol):
    """Who keeps the live tables and is told what becomes of them."""

    def ended(self, live: "Live") -> None:
        """Hear that the match is over and all of it is written."""

    def lost(self, live: "Live", error: BaseException) -> None:
        """Hear that a step was not written, or that nobody knows whether it was."""

    def failed(self, live: "Live", error: Exception) -> str:
        """Hear of a fault in this table; give a reference to quote."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What all live tables of a process share.

    ``now`` gives microseconds from 1970 on, ``draw_secret`` the secret of a table's next hand.
    """

    keeper: Keeper
    writer: LogWriter
    bots: BotQueue
    timers: Timers
    metrics: TableMetrics
    now: Callable[[], int]
    draw_secret: Callable[[table_pb2.TableSpec], bytes]
    default_clock: rules_pb2.Clock
    absence_seconds: float
    stand_in: str
    leave_penalty: int
