"""What a call can end with.

`ClientError` is the one error of this package. Branch on `reason`, a `gouji.v1.Reason` in lower case; it is
empty where no server of ours answered. `passing` says whether trying again can help.
"""

from typing import Final

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from gouji.v1 import reasons_pb2

DOMAIN: Final = "gouji"
"""Domain of our reasons in `google.rpc.ErrorInfo`."""

REASONS: Final = frozenset(
    name.removeprefix("REASON_").lower() for name, number in reasons_pb2.Reason.items() if number
)
"""Every reason that this version knows."""

_PASSING_REASONS: Final = frozenset(
    {
        "wrong_server",
        "draining",
        "table_moving",
        "resume_from",
        "overloaded",
        "storage_unavailable",
        "deadline",
        "unknown_server",
        "rate_limited",
        "unreachable",
    }
)
_PASSING_CODES: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        # A burst of connections ends some calls with these before they reach a server.
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
    }
)


class ClientError(Exception):
    """A call that failed.

    ``code`` is the gRPC status, ``reason`` our own or empty, ``details`` what the server added to the reason
    (the current ``turn`` of a stale command), ``retry_after`` the seconds that it asks to wait, if it does.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        message: str,
        *,
        reason: str = "",
        details: dict[str, str] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.reason = reason
        self.details = details or {}
        self.retry_after = retry_after

    def __str__(self) -> str:
        """Give the sentence, with the reason or the status in front."""
        return f"{self.reason or self.code.name.lower()}: {self.message}"

    @property
    def passing(self) -> bool:
        """The same call may succeed later or elsewhere; calls of this package may all be repeated."""
        return self.reason in _PASSING_REASONS if self.reason else self.code in _PASSING_CODES

    @classmethod
    def of(cls, error: grpc.aio.AioRpcError) -> "ClientError":
        """Read status, reason and delay out of what gRPC raised."""
        failed = cls(error.code(), error.details() or "no details were given")
        try:
            status = rpc_status.from_call(error)
        except ValueError:
            return failed
        for detail in status.details if status else ():
            info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
            if detail.Unpack(info) and info.domain == DOMAIN:
                failed.reason, failed.details = info.reason, dict(info.metadata)
            elif detail.Unpack(retry):
                failed.retry_after = retry.retry_delay.ToTimedelta().total_seconds()
        return failed
