"""Reasons, statuses, and the way there and back."""

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import code_pb2, error_details_pb2, status_pb2

from gouji.engine import Reason as RuleReason
from gouji.serving.errors import (
    DETAILS_KEY,
    STATUS_OF_REASON,
    ServiceError,
    StorageUnavailable,
    malformed,
    reason_of,
    refusal_of,
    to_status,
)
from gouji.v1 import reasons_pb2

REASONS = [name.removeprefix("REASON_").lower() for name, number in reasons_pb2.Reason.items() if number]


def failed_call(status: status_pb2.Status | None, code: grpc.StatusCode, details: str) -> grpc.aio.AioRpcError:
    """The error that a client gets for such a status."""
    metadata = grpc.aio.Metadata()
    if status is not None:
        metadata.add(DETAILS_KEY, status.SerializeToString())
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), metadata, details)


def there_and_back(error: ServiceError) -> grpc.aio.AioRpcError:
    return failed_call(to_status(error), error.code, error.message)


def test_every_reason_has_a_status_in_the_order_of_the_proto() -> None:
    assert list(STATUS_OF_REASON) == REASONS


def test_every_reason_of_the_rules_has_a_status() -> None:
    assert {reason.value for reason in RuleReason} <= set(STATUS_OF_REASON)


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_arrives_with_its_sentence_and_details(reason: str) -> None:
    refusal = refusal_of(there_and_back(ServiceError(reason, "No.", 1234, {"turn": "5"})))
    assert refusal is not None
    assert (refusal.reason, refusal.message) == (reason, "No.")
    assert (refusal.metadata, refusal.retry_after_ms) == ({"turn": "5"}, 1234)


def test_without_a_delay_none_arrives() -> None:
    refusal = refusal_of(there_and_back(ServiceError("must_lead", "No.")))
    assert refusal is not None
    assert (refusal.metadata, refusal.retry_after_ms) == ({}, None)


def test_a_reason_of_the_engine_is_taken_as_it_is() -> None:
    error = ServiceError(RuleReason.MUST_LEAD, "No.")
    assert (error.reason, error.code) == ("must_lead", grpc.StatusCode.FAILED_PRECONDITION)
    assert str(error) == "must_lead: No."


@pytest.mark.parametrize("reason", ["", "unspecified", "MUST_LEAD", "REASON_MUST_LEAD", "no_such"])
def test_a_reason_that_does_not_exist_is_an_error_at_once(reason: str) -> None:
    with pytest.raises(ValueError, match="no such reason"):
        ServiceError(reason, "No.")


def test_a_malformed_field_is_named() -> None:
    error = malformed("result.seats[2]", "empty")
    assert (error.code, error.message) == (grpc.StatusCode.INVALID_ARGUMENT, "result.seats[2]: empty")
    assert error.metadata == {"field": "result.seats[2]"}


def test_a_database_that_is_away_is_a_service_error() -> None:
    error = StorageUnavailable()
    assert (error.reason, error.code) == ("storage_unavailable", grpc.StatusCode.UNAVAILABLE)


def test_a_failure_of_the_network_has_no_reason() -> None:
    assert reason_of(failed_call(None, grpc.StatusCode.UNAVAILABLE, "failed to connect")) is None


def test_a_refusal_of_another_domain_is_not_ours() -> None:
    detail = AnyMessage()
    detail.Pack(error_details_pb2.ErrorInfo(reason="must_lead", domain="example.com"))
    status = status_pb2.Status(code=code_pb2.UNAVAILABLE, message="x", details=[detail])
    assert reason_of(failed_call(status, grpc.StatusCode.UNAVAILABLE, "x")) is None


def test_a_status_without_details_has_no_reason() -> None:
    status = status_pb2.Status(code=code_pb2.UNAVAILABLE, message="x")
    assert reason_of(failed_call(status, grpc.StatusCode.UNAVAILABLE, "x")) is None
