"""Asking the bot service: decisions that are due at the same moment go out in one call."""

import asyncio
from typing import Final

import grpc

from gouji.serving.channels import Channels
from gouji.serving.errors import STATUS_OF_REASON
from gouji.serving.tracing import OFF, Origin, Tracing
from gouji.v1 import actions_pb2, bot_pb2, bot_pb2_grpc

MOST_IN_A_CALL: Final = 32
"""Decisions in one call, so that the last of them still has time."""


KNOWN: Final = frozenset(["missing", *STATUS_OF_REASON, *(code.name.lower() for code in grpc.StatusCode)])
"""Why there may be no choice."""


class NoChoice(Exception):
    """The bot service made no choice; the text is one of `KNOWN`, or `unknown`."""


_Asked = tuple[bot_pb2.Decision, asyncio.Future[actions_pb2.Action], Origin | None]
"""A decision, the choice that will be made, and for whom it is asked."""


class BotQueue:
    """Gathers decisions until the event loop's next turn, then asks."""

    def __init__(self, channels: Channels, deadline_ms: int, tracing: Tracing = OFF) -> None:
        self._tracing = tracing
        self._channels = channels
        self._deadline_seconds = deadline_ms / 1000
        self._waiting: list[_Asked] = []
        self._calls: set[asyncio.Task[None]] = set()

    def ask(self, decision: bot_pb2.Decision) -> asyncio.Future[actions_pb2.Action]:
        """Ask for one choice; it fails with `NoChoice` when there is none within the deadline."""
        choice: asyncio.Future[actions_pb2.Action] = asyncio.get_running_loop().create_future()
        # Who asked may have gone on, and not look at a failure any more.
        choice.add_done_callback(lambda done: done.cancelled() or done.exception())
        if not self._waiting:
            asyncio.get_running_loop().call_soon(self._send)
        self._waiting.append((decision, choice, self._tracing.here()))
        return choice

    async def close(self) -> None:
        """Give up all calls; choices still awaited are cancelled."""
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        for start in range(0, len(waiting), MOST_IN_A_CALL):
            call = asyncio.create_task(self._call(waiting[start : start + MOST_IN_A_CALL]))
            self._calls.add(call)
            call.add_done_callback(self._calls.discard)

    async def _call(self, asked: list[_Asked]) -> None:
        with self._tracing.joint("ask bots", [origin for *_, origin in asked if origin], decisions=len(asked)):
            choices = await self._choices(asked)
        for (_, future, _), choice in zip(asked, choices, strict=False):
            if not future.done():
                _settle(future, choice)

    async def _choices(self, asked: list[_Asked]) -> list[bot_pb2.Choice]:
        stub: bot_pb2_grpc.BotServiceAsyncStub = self._channels.stub("bot", bot_pb2_grpc.BotServiceStub)
        request = bot_pb2.DecideRequest(decisions=(decision for decision, *_ in asked))
        try:
            response = await stub.Decide(request, timeout=self._deadline_seconds)
            choices = list(response.choices)
        except grpc.aio.AioRpcError as error:
            choices = [bot_pb2.Choice(error=error.code().name.lower())] * len(asked)
        return choices + [bot_pb2.Choice(error="missing")] * (len(asked) - len(choices))


def _settle(future: asyncio.Future[actions_pb2.Action], choice: bot_pb2.Choice) -> None:
    if choice.HasField("action"):
        future.set_result(choice.action)
    else:
        cause = choice.error or "missing"
        future.set_exception(NoChoice(cause if cause in KNOWN else "unknown"))
