import grpc
import pytest

from gouji.client import ClientError, Patience

QUICK = Patience(first=0.001, most=0.002, total=5)


def failure(reason: str = "", code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE) -> ClientError:
    return ClientError(code, "no", reason=reason)


def test_waits_grow_to_a_bound_and_are_spread() -> None:
    patience = Patience(first=0.1, most=1.0)
    for failures in (0, 3, 50, 5000):
        bound = min(1.0, 0.1 * 2**failures) if failures < 50 else 1.0
        waits = [patience.delay(failures) for _ in range(200)]
        assert 0 <= min(waits) <= max(waits) <= bound
        assert max(waits) - min(waits) > bound / 2


def test_a_server_that_asks_for_time_gets_it_and_no_more_than_twice_that() -> None:
    waits = [Patience().delay(failures, asked=7) for failures in range(50)]
    assert 7 <= min(waits) <= max(waits) <= 14


async def test_a_call_is_tried_until_it_succeeds() -> None:
    outcomes = [failure(), failure("table_moving"), failure("overloaded")]

    async def attempt() -> str:
        if outcomes:
            raise outcomes.pop()
        return "done"

    assert await QUICK.call(attempt) == "done"


@pytest.mark.parametrize("reason", ["not_your_turn", "stale_turn", "token_invalid", "internal"])
async def test_a_refusal_is_not_tried_again(reason: str) -> None:
    tried = 0

    async def attempt() -> None:
        nonlocal tried
        tried += 1
        raise failure(reason)

    with pytest.raises(ClientError, match=reason):
        await QUICK.call(attempt)
    assert tried == 1


@pytest.mark.parametrize(
    ("code", "passing"),
    [
        (grpc.StatusCode.UNAVAILABLE, True),
        (grpc.StatusCode.DEADLINE_EXCEEDED, True),
        (grpc.StatusCode.CANCELLED, True),
        (grpc.StatusCode.UNIMPLEMENTED, False),
        (grpc.StatusCode.PERMISSION_DENIED, False),
    ],
)
def test_without_a_reason_the_status_says_whether_it_passes(code: grpc.StatusCode, *, passing: bool) -> None:
    assert failure(code=code).passing is passing


async def test_the_last_error_is_raised_when_patience_is_at_its_end() -> None:
    with pytest.raises(ClientError, match="unavailable: no"):
        await Patience(first=0.001, most=0.01, total=0.05).call(failing)


async def failing() -> None:
    raise failure()
