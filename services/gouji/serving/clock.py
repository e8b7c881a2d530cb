"""Time as a thing that is passed in: the system's here, one driven by hand in `testing`."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from google.protobuf.timestamp_pb2 import Timestamp

_EPOCH: Final = datetime.fromtimestamp(0, UTC)


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Wall time, in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds from some moment on; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds; at once, but after other tasks, for zero or less."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """Wall time, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds from some moment on; never goes back."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Return after so many seconds."""
        await asyncio.sleep(max(seconds, 0))


def microseconds(moment: datetime) -> int:
    """Give a time as the database keeps it: microseconds from 1970 on."""
    return round(moment.timestamp() * 1_000_000)


def moment(microseconds: int) -> datetime:
    """Read a time that the database keeps, in UTC."""
    return _EPOCH + timedelta(microseconds=microseconds)  # a float would round the last moments of 9999 into 10000


def timestamp(microseconds: int) -> Timestamp:
    """Put a time that the database keeps into a message."""
    message = Timestamp()
    message.FromMicroseconds(microseconds)
    return message
