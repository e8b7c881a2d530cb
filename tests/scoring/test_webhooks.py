"""Webhooks to a real HTTP server: signed, at least once, with pauses, each endpoint by itself; what operators see."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from typing import Any

import grpc
import pytest
import sqlalchemy as sa
from aiohttp import ClientSession, ClientTimeout, web
from pydantic import SecretStr
from standardwebhooks import Webhook, WebhookVerificationError

from gouji.scoring.deliveries import Deliveries
from gouji.scoring.feed import Feed
from gouji.scoring.metrics import ScoringMetrics
from gouji.scoring.service import bind
from gouji.scoring.webhooks import AT_ONCE, LONGEST_PAUSE_SECONDS, Sender, headers, pause_seconds
from gouji.serving.app import App
from gouji.serving.errors import reason_of
from gouji.serving.outside import Endpoint
from gouji.serving.schema import webhook_deliveries
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app, until
from gouji.v1 import feed_pb2, feed_pb2_grpc

from .desk import SCORES, Desk, last
from .studio import Studio


def secret(byte: bytes) -> str:
    return f"whsec_{base64.b64encode(byte * 24).decode()}"


NEW, OLD, OTHER = secret(b"n"), secret(b"o"), secret(b"x")


class Studios:
    """A scoring service with endpoints, and its operator."""

    def __init__(self, app: App, channel: grpc.aio.Channel) -> None:
        self.app = app
        self._feed: Any = feed_pb2_grpc.FeedServiceStub(channel)
        self.desk = Desk.of(app)

    async def call(self, method: str, **fields: Any) -> Any:
        request = getattr(feed_pb2, f"{method}Request")(**fields)
        metadata = (("authorization", f"Bearer {self.app.tokens.mint_operator('olga')}"),)
        return await getattr(self._feed, method)(request, metadata=metadata)

    async def deliveries(self, **fields: Any) -> list[tuple[int, str, int, str]]:
        found = (await self.call("ListDeliveries", **fields)).deliveries
        return [(one.sequence, one.state, one.tries, one.outcome) for one in found]

    async def settled(self, *states: str) -> None:
        """Wait until all deliveries are in one of these states; what waits for its pause is due at once."""

        async def are() -> bool:
            await self.pass_time()
            return {state for _, state, _, _ in await self.deliveries()} in [{one} for one in states]

        await come(are)

    async def pass_time(self) -> None:
        tried = webhook_deliveries.c.outcome != ""
        async with self.app.database.begin() as connection:
            await connection.execute(sa.update(webhook_deliveries).where(tried).values(due_at=0))


@pytest.fixture
def serve(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs scoring with endpoints: `async with serve("a=http://...", f"a={NEW}") as studios`."""
    monkeypatch.setattr("gouji.scoring.webhooks.POLL_SECONDS", 0.01)

    @asynccontextmanager
    async def run(endpoints: str, secrets: str, **changes: Any) -> AsyncIterator[Studios]:
        own = {"webhook_endpoints": endpoints, "webhook_secrets": SecretStr(secrets)}
        async with (
            running_app(settings.model_copy(update=own | changes), {"scoring": bind}) as app,
            grpc.aio.insecure_channel(app.address) as channel,
        ):
            studios = Studios(app, channel)
            await known(studios, endpoints)
            yield studios

    return run


async def known(studios: Studios, endpoints: str) -> None:
    """Wait until every endpoint gets what happens from now on."""
    names = {part.partition("=")[0] for part in endpoints.split(",")}

    async def there() -> bool:
        return names <= set(await Deliveries(studios.app.database).standing())

    await come(there)


async def come(question: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a question has the answer yes."""
    async with asyncio.timeout(60):
        while not await question():  # noqa: ASYNC110 - a database has no event
            await asyncio.sleep(0.01)


async def test_a_finished_match_is_sent_signed_by_each_secret(serve: Any, studio: Studio) -> None:
    async with serve(f"studio={studio.url}", f"studio={NEW},studio={OLD}") as studios:
        await studios.desk.record(last())
        await until(lambda: studio.received)
        await studios.settled("delivered")
        assert await studios.deliveries() == [(1, "delivered", 1, "204")]
    ((sent, text),) = studio.received
    for good in (NEW, OLD):
        told = Webhook(good).verify(text, sent)
    with pytest.raises(WebhookVerificationError):
        Webhook(OTHER).verify(text, sent)
    with pytest.raises(WebhookVerificationError):
        Webhook(NEW).verify(text.replace("t1", "t2"), sent)
    assert (told["type"], told["sequence"], sent["webhook-id"]) == ("match.finished", 1, "match_t1")
    places = [0, 1, 0, 0, 0, 0]
    bob = {"player_id": "b", "bot_level": "", "score": SCORES[1], "left": False, "places": places}
    assert told["data"]["seats"][1] == bob
    assert told["data"]["team_scores"] == [2, -2]
    assert datetime.fromisoformat(told["timestamp"]).tzinfo is UTC
    assert "digest" not in text


def test_signatures_are_those_of_the_published_scheme() -> None:
    endpoint = Endpoint("x", "https://x.example", ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",))
    at = datetime.fromtimestamp(1614265330, UTC)
    signed = headers(endpoint, "msg_p5jXN8AQM9LWM0D4loKWxJek", '{"test": 2432232314}', at)
    assert signed["webhook-timestamp"] == "1614265330"
    assert signed["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_pauses_grow_up_to_a_bound() -> None:
    assert [pause_seconds(tries) for tries in (1, 2, 3, 4)] == [5, 15, 45, 135]
    assert pause_seconds(9) == pause_seconds(10_000) == LONGEST_PAUSE_SECONDS


async def test_what_fails_is_tried_again_then_parked_and_seen_and_tried_anew_when_told(
    serve: Any, studio: Studio
) -> None:
    async def fail() -> web.Response:
        return web.Response(status=503)

    studio.answer = fail
    async with serve(f"studio={studio.url}", f"studio={NEW}", webhook_tries=3) as studios:
        await studios.desk.record(last())
        await studios.settled("parked")
        assert await studios.deliveries(state="parked", endpoint="studio") == [(1, "parked", 3, "503")]
        assert studio.ids == ["match_t1"] * 3
        (endpoint,) = (await studios.call("ListEndpoints")).endpoints
        assert (endpoint.name, endpoint.url, endpoint.parked, endpoint.pending) == ("studio", studio.url, 1, 0)
        studio.answer = None
        assert (await studios.call("RetryDeliveries", endpoint="studio", sequence=2)).deliveries == 0
        assert (await studios.call("RetryDeliveries", endpoint="studio")).deliveries == 1
        await studios.settled("delivered")
        count = studios.app.metrics.registry.get_sample_value
        for state, times in (("pending", 2), ("parked", 1), ("delivered", 1)):
            labels = {"endpoint": "studio", "state": state}
            assert count("gouji_scoring_webhooks_total", labels) == times
    assert studio.ids == ["match_t1"] * 4


async def test_a_redirect_is_not_followed(serve: Any, studio: Studio) -> None:
    async def redirect() -> web.Response:
        return web.Response(status=302, headers={"location": "/elsewhere"})

    studio.answer = redirect
    async with serve(f"studio={studio.url}", f"studio={NEW}", webhook_tries=1) as studios:
        await studios.desk.record(last())
        await studios.settled("parked")
        assert await studios.deliveries() == [(1, "parked", 1, "302")]
    assert len(studio.received) == 1


async def test_who_wants_nothing_any_more_is_parked_at_once(serve: Any, studio: Studio) -> None:
    async def gone() -> web.Response:
        return web.Response(status=410)

    studio.answer = gone
    async with serve(f"studio={studio.url}", f"studio={NEW}") as studios:
        await studios.desk.record(last())
        await studios.settled("parked")
    assert len(studio.received) == 1


async def test_an_endpoint_that_is_not_there_is_said_to_be_unreachable(serve: Any) -> None:
    async with serve("studio=http://127.0.0.1:1/", f"studio={NEW}", webhook_tries=1) as studios:
        await studios.desk.record(last())
        await studios.settled("parked")
        assert await studios.deliveries() == [(1, "parked", 1, "unreachable")]


async def test_an_endpoint_that_hangs_delays_no_other(serve: Any, studio: Studio, club: Studio) -> None:
    let_go = asyncio.Event()

    async def hang() -> web.Response:
        await let_go.wait()
        return web.Response()

    club.answer = hang
    tables = [f"t{number}" for number in range(2 * AT_ONCE)]
    async with serve(f"studio={studio.url},club={club.url}", f"studio={NEW},club={OTHER}") as studios:
        for table_id in tables:
            await studios.desk.record(last(table_id))
        await until(lambda: len(studio.received) == len(tables) and club.received, 30)
        assert len(club.received) <= AT_ONCE
        let_go.set()
        await until(lambda: len(club.received) == len(tables), 30)
    assert set(studio.ids) == set(club.ids) == {f"match_{table_id}" for table_id in tables}


async def test_an_endpoint_that_never_answers_is_given_up_in_time(serve: Any, studio: Studio) -> None:
    async def hang() -> web.Response:
        await asyncio.Event().wait()
        return web.Response()

    studio.answer = hang
    async with serve(f"studio={studio.url}", f"studio={NEW}", webhook_tries=1, webhook_timeout_seconds=1) as studios:
        await studios.desk.record(last())

        async def parked() -> bool:
            return await studios.deliveries() == [(1, "parked", 1, "timeout")]

        await come(parked)


async def test_a_new_endpoint_gets_what_happens_from_then_on_and_one_that_comes_back_all_of_it(
    serve: Any, studio: Studio, club: Studio
) -> None:
    async with serve(f"studio={studio.url}", f"studio={NEW}") as studios:
        await studios.desk.record(last("t1"))
        await until(lambda: studio.ids == ["match_t1"])
    async with serve(f"club={club.url}", f"club={OTHER}") as studios:
        await studios.desk.record(last("t2"))
        await until(lambda: club.ids == ["match_t2"])
    async with serve(f"studio={studio.url}", f"studio={NEW}"):
        await until(lambda: studio.ids == ["match_t1", "match_t2"])


async def test_what_makes_no_sense_is_malformed(serve: Any, studio: Studio) -> None:
    async with serve(f"studio={studio.url}", f"studio={NEW}") as studios:
        wrong = ({"state": "lost"}, {"endpoint": "a\0b"}, {"limit": 1001})
        calls = [studios.call("ListDeliveries", **fields) for fields in wrong]
        for call in (*calls, studios.call("RetryDeliveries", endpoint="club")):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call
            assert reason_of(refused.value) == "malformed"


# Processes that die, and several of them


class Process:
    """What a process has for sending; as many as there are, on one database."""

    def __init__(self, app: App, studio: Studio) -> None:
        self.endpoint = Endpoint("studio", studio.url, (NEW,))
        self.sender = Sender(app, Feed(app.database), ScoringMetrics(type(app.metrics.registry)()))

    async def send(self) -> int:
        async with ClientSession(timeout=ClientTimeout(total=10)) as http:
            return await self.sender.send_due(http, self.endpoint)


@pytest.fixture
async def told(app: App, studio: Studio) -> App:
    """Twenty events are to be sent."""
    await Deliveries(app.database).spread("studio")
    for number in range(20):
        await Feed(app.database).tell_deletion(f"p{number}")
    return app


async def due_again(app: App) -> None:
    """Have what was begun be due again."""
    async with app.database.begin() as connection:
        await connection.execute(sa.update(webhook_deliveries).values(due_at=0))


@pytest.mark.parametrize("method", ["_send", "_post"])
@pytest.mark.parametrize("done", [False, True], ids=["before", "after"])
async def test_a_process_that_dies_anywhere_has_sent_nothing_too_seldom(
    told: App, studio: Studio, monkeypatch: pytest.MonkeyPatch, method: str, done: bool
) -> None:
    whole = getattr(Sender, method)

    async def die(*arguments: Any) -> Any:
        if done:
            await whole(*arguments)
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(Sender, method, die)
        with suppress(asyncio.CancelledError):
            await Process(told, studio).send()
    await due_again(told)
    while await Process(told, studio).send():
        pass
    assert set(studio.ids) == {f"deleted_p{number}" for number in range(20)}
    assert len(studio.ids) <= 20 + AT_ONCE


async def test_a_process_that_dies_while_it_is_answered_has_another_send_again(told: App, studio: Studio) -> None:
    dying = asyncio.create_task(Process(told, studio).send())

    async def kill() -> web.Response:
        dying.cancel()
        return web.Response()

    studio.answer = kill
    with suppress(asyncio.CancelledError):
        await dying
    studio.answer = None
    assert studio.ids
    assert await Process(told, studio).send() == AT_ONCE  # what nobody has begun
    await due_again(told)
    while await Process(told, studio).send():
        pass
    assert set(studio.ids) == {f"deleted_p{number}" for number in range(20)}


async def test_processes_side_by_side_send_each_event_once(told: App, studio: Studio) -> None:
    while any(await asyncio.gather(*(Process(told, studio).send() for _ in range(4)))):
        pass
    assert sorted(studio.ids) == sorted(f"deleted_p{number}" for number in range(20))
    numbers = [json.loads(text)["sequence"] for _, text in studio.received]
    assert sorted(numbers) == list(range(1, 21))
