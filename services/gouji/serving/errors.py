"""Refusals and failures as gRPC statuses, and back: the only place that knows status codes.

Every refusal has a reason (`reasons.proto`), which travels in `google.rpc.ErrorInfo` with domain `gouji`, and
a sentence for people. `RetryInfo` says when to try again, where that helps.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

import grpc
from google.protobuf.any_pb2 import Any
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

DOMAIN = "gouji"
"""Domain of the `ErrorInfo` of every refusal."""

DETAILS_KEY = "grpc-status-details-bin"
"""Trailing metadata that holds the `google.rpc.Status`."""

_REFUSED = grpc.StatusCode.FAILED_PRECONDITION
_BAD = grpc.StatusCode.INVALID_ARGUMENT
_MISSING = grpc.StatusCode.NOT_FOUND
_WHO = grpc.StatusCode.UNAUTHENTICATED
_AWAY = grpc.StatusCode.UNAVAILABLE
_FULL = grpc.StatusCode.RESOURCE_EXHAUSTED

STATUS_OF_REASON: Mapping[str, grpc.StatusCode] = {
    "not_your_turn": _REFUSED,
    "cards_not_held": _BAD,
    "not_one_base": _BAD,
    "wrong_count": _BAD,
    "only_opposite": _REFUSED,
    "does_not_beat": _REFUSED,
    "must_lead": _REFUSED,
    "burn_needs_joker": _REFUSED,
    "burn_not_allowed": _REFUSED,
    "threes_last": _REFUSED,
    "threes_whole": _REFUSED,
    "fours_due": _REFUSED,
    "yield_not_allowed": _REFUSED,
    "not_highest_tribute": _REFUSED,
    "holds_that_rank": _REFUSED,
    "call_not_allowed": _REFUSED,
    "wrong_phase": _REFUSED,
    "hand_over": _REFUSED,
    "unknown_action": _BAD,
    "stale_turn": grpc.StatusCode.ABORTED,
    "command_id_reused": _BAD,
    "unknown_table": _MISSING,
    "table_over": _REFUSED,
    "not_seated": grpc.StatusCode.PERMISSION_DENIED,
    "wrong_server": _REFUSED,
    "table_frozen": _REFUSED,
    "resume_from": grpc.StatusCode.OUT_OF_RANGE,
    "draining": _AWAY,
    "table_moving": _AWAY,
    "too_often": _FULL,
    "other_device": _REFUSED,
    "match_not_over": _REFUSED,
    "no_rematch": _REFUSED,
    "seat_left": _REFUSED,
    "not_collecting": _REFUSED,
    "contribution_given": _REFUSED,
    "not_frozen": _REFUSED,
    "unknown_server": _AWAY,
    "malformed": _BAD,
    "unknown_rule_option": _BAD,
    "bad_rule_value": _BAD,
    "rules_conflict": _BAD,
    "unknown_bot_level": _BAD,
    "unknown_method": grpc.StatusCode.UNIMPLEMENTED,
    "too_large": _FULL,
    "token_missing": _WHO,
    "token_invalid": _WHO,
    "token_expired": _WHO,
    "forbidden": grpc.StatusCode.PERMISSION_DENIED,
    "client_too_old": _REFUSED,
    "too_many_bots": _FULL,
    "unknown_ticket": _MISSING,
    "already_seated": _REFUSED,
    "ticket_claimed": _REFUSED,
    "unknown_queue": _MISSING,
    "queue_paused": _REFUSED,
    "player_paused": _REFUSED,
    "too_many_queues": _REFUSED,
    "already_queued": _REFUSED,
    "not_gathering": _REFUSED,
    "party_not_ready": _REFUSED,
    "unknown_player": _MISSING,
    "unknown_match": _MISSING,
    "result_conflict": _REFUSED,
    "unknown_result": _MISSING,
    "result_changed": grpc.StatusCode.ABORTED,
    "unknown_season": _MISSING,
    "overloaded": _FULL,
    "storage_unavailable": _AWAY,
    "internal": grpc.StatusCode.INTERNAL,
    "deadline": grpc.StatusCode.DEADLINE_EXCEEDED,
    "rate_limited": _FULL,
    "unreachable": _AWAY,
    "no_party": _REFUSED,
    "no_room": _REFUSED,
    "in_party": _REFUSED,
    "in_room": _REFUSED,
    "not_leader": grpc.StatusCode.PERMISSION_DENIED,
    "not_host": grpc.StatusCode.PERMISSION_DENIED,
    "party_full": _REFUSED,
    "room_full": _REFUSED,
    "no_invitation": _MISSING,
    "not_welcome": grpc.StatusCode.PERMISSION_DENIED,
    "unknown_room": _MISSING,
    "seat_taken": _REFUSED,
    "seats_empty": _REFUSED,
    "room_changed": _REFUSED,
    "identity_invalid": _WHO,
    "identity_unavailable": _AWAY,
    "unknown_identity": _MISSING,
    "identity_taken": _REFUSED,
    "already_bound": _REFUSED,
    "banned": grpc.StatusCode.PERMISSION_DENIED,
    "muted": grpc.StatusCode.PERMISSION_DENIED,
    "removed": _REFUSED,
    "unknown_report": _MISSING,
    "unknown_tournament": _MISSING,
    "unknown_entrant": _MISSING,
    "unknown_round": _MISSING,
    "tournament_exists": _REFUSED,
    "wrong_stage": _REFUSED,
    "already_entered": _REFUSED,
    "tournament_full": _REFUSED,
    "not_captain": grpc.StatusCode.PERMISSION_DENIED,
    "too_few_entrants": _REFUSED,
    "round_begun": _REFUSED,
    "board_shut": _REFUSED,
}
"""The status of each reason, in the order of `reasons.proto`."""


class ServiceError(Exception):
    """A refusal or failure that the caller is told about.

    `reason` is a name of `reasons.proto` without prefix, in lower case; another one is a `ValueError`.
    `message` is a sentence for people and may reach logs: no cards. `metadata` goes into the `ErrorInfo`.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        retry_after_ms: int | None = None,
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        if reason not in STATUS_OF_REASON:
            raise ValueError(f"no such reason: {reason}")
        super().__init__(reason, message)
        self.reason = str(reason)
        self.message = message
        self.retry_after_ms = retry_after_ms
        self.metadata = dict(metadata or {})

    def __str__(self) -> str:
        return f"{self.reason}: {self.message}"

    @property
    def code(self) -> grpc.StatusCode:
        """The gRPC status of the reason."""
        return STATUS_OF_REASON[self.reason]


def malformed(path: str, problem: str) -> ServiceError:
    """Make the refusal of one field of a request; its path (`result.seats[2]`) is the detail `field`, too."""
    return ServiceError("malformed", f"{path}: {problem}", metadata={"field": path})


class StorageUnavailable(ServiceError):
    """The database cannot be reached or broke off; the transaction may or may not be committed."""

    def __init__(self, message: str = "The database does not answer.") -> None:
        super().__init__("storage_unavailable", message, retry_after_ms=500)


@dataclass(frozen=True)
class Refusal:
    """What a client can read from a failed call."""

    reason: str
    message: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    retry_after_ms: int | None = None


LONGEST_TEXT = 300
"""Characters of an error's sentence, and of each detail; the rest is cut off."""


INSIDE: Final = frozenset({"address"})
"""Details that nobody outside the door can use."""


def to_status(error: ServiceError, hidden: Collection[str] = ()) -> status_pb2.Status:
    """Make the rich status of an error, without the details that are hidden from the caller."""
    # What a request said may stand in both, and all of it travels in headers, which have little room.
    metadata = {key: _short(value) for key, value in error.metadata.items() if key not in hidden}
    info = error_details_pb2.ErrorInfo(reason=error.reason, domain=DOMAIN, metadata=metadata)
    status = status_pb2.Status(code=code_pb2.Code.Value(error.code.name), message=_short(error.message))
    status.details.append(_packed(info))
    if error.retry_after_ms is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(error.retry_after_ms)
        status.details.append(_packed(retry))
    return status


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def _packed(message: error_details_pb2.ErrorInfo | error_details_pb2.RetryInfo) -> Any:
    packed = Any()
    packed.Pack(message)
    return packed


def refusal_of(error: grpc.RpcError) -> Refusal | None:
    """Read what a server of ours said; None when the failure comes from elsewhere (the network, a proxy)."""
    try:
        status = rpc_status.from_call(error)
    except ValueError:  # the details were lost on the way
        return None
    if status is None:
        return None
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    found = [detail.Unpack(info) or detail.Unpack(retry) for detail in status.details]
    if not any(found) or info.domain != DOMAIN:
        return None
    delay = retry.retry_delay.ToMilliseconds() if retry.HasField("retry_delay") else None
    return Refusal(info.reason, status.message, dict(info.metadata), delay)


def reason_of(error: grpc.RpcError) -> str | None:
    """Read the reason (`not_your_turn`) of a failed call; None when it has none of ours."""
    refusal = refusal_of(error)
    return refusal.reason if refusal else None
