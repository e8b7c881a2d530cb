"""Sends events to studios' own systems, signed as Standard Webhooks has it (https://www.standardwebhooks.com).

At least once: a delivery that is being sent is due again unless its outcome is written. Each endpoint is served by
itself, so that one that hangs delays no other. Where to comes from the settings alone; redirects are not followed.
"""

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

import aiohttp
from google.protobuf import json_format
from standardwebhooks import Webhook

from gouji.scoring.deliveries import Claimed, Deliveries, State
from gouji.scoring.feed import Feed
from gouji.scoring.metrics import ScoringMetrics
from gouji.serving.app import App
from gouji.serving.outside import Endpoint
from gouji.v1 import feed_pb2

AT_ONCE: Final = 8
"""Events sent to an endpoint side by side."""

POLL_SECONDS: Final = 1.0
"""How often it is looked for something to send."""

FIRST_PAUSE_SECONDS: Final = 5
"""Pause after the first try that failed; each further one is three times as long."""

LONGEST_PAUSE_SECONDS: Final = 6 * 3600
"""The longest pause."""

PRUNE_SECONDS: Final = 3600.0
"""How often old events are forgotten."""

_WRITING_SECONDS: Final = 30
"""How long it may take to note an outcome."""

_GONE: Final = 410
"""The endpoint wants nothing any more."""


def body(event: feed_pb2.FeedEvent) -> str:
    """Write an event as JSON."""
    kind = event.WhichOneof("body") or ""
    data = json_format.MessageToDict(
        getattr(event, kind), preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    told = {"type": kind.replace("_", "."), "timestamp": event.at.ToJsonString(), "sequence": event.sequence}
    return json.dumps({**told, "data": data}, separators=(",", ":"), ensure_ascii=False)


def headers(endpoint: Endpoint, event_id: str, text: str, now: datetime) -> Mapping[str, str]:
    """Sign what is sent, with every secret of the endpoint."""
    signatures = [Webhook(secret).sign(event_id, now, text) for secret in endpoint.secrets]
    return {
        "content-type": "application/json",
        "user-agent": "gouji",
        "webhook-id": event_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def pause_seconds(tries: int) -> int:
    """Say how long to wait after so many tries, chance aside."""
    return int(min(FIRST_PAUSE_SECONDS * 3 ** min(tries - 1, 20), LONGEST_PAUSE_SECONDS))


def bind_webhooks(app: App, endpoints: Sequence[Endpoint], feed: Feed, metrics: ScoringMetrics) -> None:
    """Have a process send to these endpoints, and forget old events."""
    sender = Sender(app, feed, metrics)
    for endpoint in endpoints:
        app.background(f"webhooks to {endpoint.name}", partial(sender.run, endpoint))
    app.background("old events", sender.prune)


class Sender:
    """Sends what is due; `run` runs for ever, once for each endpoint."""

    def __init__(self, app: App, feed: Feed, metrics: ScoringMetrics) -> None:
        self._feed = feed
        self._deliveries = Deliveries(app.database)
        self._metrics = metrics
        self._clock = app.clock
        self._log = app.log
        self._tries = app.settings.webhook_tries
        self._timeout = app.settings.webhook_timeout_seconds
        self._keep_seconds = app.settings.feed_keep_seconds

    async def run(self, endpoint: Endpoint) -> None:
        """Send to an endpoint for ever. Raises `StorageUnavailable`; whoever runs it then runs it again."""
        async with aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=self._timeout),
            connector=aiohttp.TCPConnector(limit=AT_ONCE),
            cookie_jar=aiohttp.DummyCookieJar(),
        ) as http:
            while True:
                if await self.send_due(http, endpoint) < AT_ONCE:
                    await self._clock.sleep(POLL_SECONDS)

    async def send_due(self, http: aiohttp.ClientSession, endpoint: Endpoint) -> int:
        """Send what is due to an endpoint; returns how many events that were."""
        await self._feed.number()
        await self._deliveries.spread(endpoint.name)
        claimed = await self._deliveries.claim(endpoint.name, AT_ONCE, self._timeout + _WRITING_SECONDS)
        await asyncio.gather(*(self._send(http, endpoint, one) for one in claimed))
        return len(claimed)

    async def prune(self) -> None:
        """Forget old events for ever."""
        while True:
            await self._feed.prune(self._keep_seconds)
            await self._clock.sleep(PRUNE_SECONDS)

    async def _send(self, http: aiohttp.ClientSession, endpoint: Endpoint, claimed: Claimed) -> None:
        outcome = await self._post(http, endpoint, claimed.event)
        if outcome.startswith("2"):
            state, pause = State.DELIVERED, 0.0
        elif claimed.tries >= self._tries or outcome == str(_GONE):
            state, pause = State.PARKED, 0.0
            self._log.warning(
                "webhook_parked", endpoint=endpoint.name, event_id=claimed.event.event_id, outcome=outcome
            )
        else:
            state, pause = State.PENDING, pause_seconds(claimed.tries) * random.uniform(0.8, 1.2)  # noqa: S311
        self._metrics.webhooks.labels(endpoint.name, state).inc()
        await self._deliveries.settle(endpoint.name, claimed, state, outcome, pause)

    async def _post(self, http: aiohttp.ClientSession, endpoint: Endpoint, event: feed_pb2.FeedEvent) -> str:
        """Send one event; returns the status of the answer, or why there is none."""
        text = body(event)
        signed = headers(endpoint, event.event_id, text, self._clock.now())
        try:
            async with http.post(endpoint.url, data=text.encode(), headers=signed, allow_redirects=False) as answer:
                return str(answer.status)
        except TimeoutError:
            return "timeout"
        except (aiohttp.ClientError, OSError):
            return "unreachable"
