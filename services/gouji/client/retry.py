"""Trying again: how long to wait, and for how long it makes sense."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

import grpc
import tenacity
from tenacity.wait import wait_base

from gouji.client.errors import ClientError

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Patience:
    """How a client tries again; all times in seconds.

    Waits are drawn evenly between 0 and a bound that doubles from ``first`` to ``most``, so that many clients
    that lost the same server do not come back together. Where a server says how long to wait, that is the least,
    and twice that (or that and ``first``) the most. ``total`` bounds one call with all its attempts, ``attempt`` one
    attempt, ``silence`` how long a stream may say nothing (heart-beats come every 10 s).
    """

    first: float = 0.1
    most: float = 2.0
    total: float = 30.0
    attempt: float = 10.0
    silence: float = 30.0

    def delay(self, failures: int, asked: float | None = None) -> float:
        """Return the wait after so many failures in a row, at least what the server ``asked`` for."""
        bound = min(self.most, self.first * 2 ** min(failures, 16)) if asked is None else max(asked, self.first)
        return (asked or 0.0) + random.uniform(0, bound)  # noqa: S311  spreads load, guards nothing

    async def call(self, attempt: Callable[[], Awaitable[Answer]]) -> Answer:
        """Await ``attempt()`` until it succeeds or fails for good.

        Raises the `ClientError` of the last attempt. What is called must be safe to repeat.
        """
        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception(lambda error: isinstance(error, ClientError) and error.passing),
            wait=_Wait(self),
            stop=tenacity.stop_after_delay(self.total),
            reraise=True,
        )
        return await retrying(_translated, attempt)


class _Wait(wait_base):
    """`Patience.delay` as tenacity asks for it."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience

    def __call__(self, retry_state: tenacity.RetryCallState) -> float:
        error = retry_state.outcome.exception() if retry_state.outcome else None
        asked = error.retry_after if isinstance(error, ClientError) else None
        return self._patience.delay(retry_state.attempt_number - 1, asked)


async def _translated(attempt: Callable[[], Awaitable[Answer]]) -> Answer:
    """Await once, with gRPC's error turned into ours."""
    try:
        return await attempt()
    except grpc.aio.AioRpcError as error:
        raise ClientError.of(error) from error
