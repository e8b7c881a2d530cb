"""The feed over gRPC: unpacks, asks feed and deliveries, packs."""

from collections.abc import Sequence
from typing import Any, Final

from gouji.scoring.deliveries import Deliveries, Kept, Standing, State
from gouji.scoring.feed import Feed
from gouji.scoring.metrics import ScoringMetrics
from gouji.scoring.webhooks import bind_webhooks
from gouji.serving.app import App
from gouji.serving.auth import Role, Roles
from gouji.serving.errors import malformed
from gouji.serving.outside import Endpoint, read_endpoints
from gouji.serving.requests import check_id
from gouji.v1 import feed_pb2, feed_pb2_grpc

ROLES: Final[Roles] = {
    "ListEvents": {Role.SERVICE, Role.OPERATOR},
    "ListEndpoints": {Role.OPERATOR},
    "ListDeliveries": {Role.OPERATOR},
    "RetryDeliveries": {Role.OPERATOR},
    "TellDeletion": {Role.SERVICE},
}
"""Who may call what."""

DEFAULT_LIMIT: Final = 100
"""Events and deliveries in an answer when the caller does not say."""

MOST_LIMIT: Final = 1000
"""Most events and deliveries in an answer."""

_MOST_NUMBER: Final = 2**63 - 1


def bind_feed(app: App, metrics: ScoringMetrics) -> None:
    """Add the feed, and the sending of webhooks, to a process."""
    settings = app.settings
    endpoints = read_endpoints(settings.webhook_endpoints, settings.webhook_secrets.get_secret_value())
    feed = Feed(app.database)
    app.add_servicer(
        feed_pb2_grpc.add_FeedServiceServicer_to_server,
        FeedServicer(feed, Deliveries(app.database), endpoints),
        "gouji.v1.FeedService",
        roles=ROLES,
    )
    bind_webhooks(app, endpoints, feed, metrics)


class FeedServicer(feed_pb2_grpc.FeedServiceServicer):
    """Studios read, operators look after the sending. What makes no sense is refused as `malformed`."""

    def __init__(self, feed: Feed, deliveries: Deliveries, endpoints: Sequence[Endpoint]) -> None:
        self._feed = feed
        self._deliveries = deliveries
        self._endpoints = endpoints

    async def ListEvents(  # noqa: N802 (gRPC's name)
        self, request: feed_pb2.ListEventsRequest, _context: Any
    ) -> feed_pb2.ListEventsResponse:
        """Read the events after a number, in order."""
        events, oldest = await self._feed.after(_number("after", request.after), _limit(request.limit))
        return feed_pb2.ListEventsResponse(events=events, oldest=oldest)

    async def ListEndpoints(  # noqa: N802 (gRPC's name)
        self, _request: feed_pb2.ListEndpointsRequest, _context: Any
    ) -> feed_pb2.ListEndpointsResponse:
        """Say how the sending to the endpoints of the settings stands."""
        standing = await self._deliveries.standing()
        found = [_endpoint(one, standing.get(one.name, Standing())) for one in self._endpoints]
        return feed_pb2.ListEndpointsResponse(endpoints=found)

    async def ListDeliveries(  # noqa: N802 (gRPC's name)
        self, request: feed_pb2.ListDeliveriesRequest, _context: Any
    ) -> feed_pb2.ListDeliveriesResponse:
        """List deliveries, the newest events first."""
        if request.state and request.state not in set(State):
            raise malformed("state", f"is none of {', '.join(State)}")
        if request.endpoint:
            check_id("endpoint", request.endpoint)
        most = _limit(request.limit)
        found = await self._deliveries.find(request.endpoint, request.state, most + 1)
        return feed_pb2.ListDeliveriesResponse(deliveries=map(_delivery, found[:most]), more=len(found) > most)

    async def RetryDeliveries(  # noqa: N802 (gRPC's name)
        self, request: feed_pb2.RetryDeliveriesRequest, _context: Any
    ) -> feed_pb2.RetryDeliveriesResponse:
        """Have parked deliveries tried again; refused as `malformed` for an endpoint that the settings do not have."""
        if request.endpoint not in {endpoint.name for endpoint in self._endpoints}:
            raise malformed("endpoint", "is none of the settings")
        count = await self._deliveries.retry(request.endpoint, _number("sequence", request.sequence))
        return feed_pb2.RetryDeliveriesResponse(deliveries=count)

    async def TellDeletion(  # noqa: N802 (gRPC's name)
        self, request: feed_pb2.TellDeletionRequest, _context: Any
    ) -> feed_pb2.TellDeletionResponse:
        """Have it told that a player was deleted; again, that changes nothing."""
        check_id("player_id", request.player_id)
        await self._feed.tell_deletion(request.player_id)
        return feed_pb2.TellDeletionResponse()


def _limit(given: int) -> int:
    if given > MOST_LIMIT:
        raise malformed("limit", f"is {given}; {MOST_LIMIT} is the most")
    return given or DEFAULT_LIMIT


def _number(field: str, given: int) -> int:
    """Take an event's number, which the database must be able to hold."""
    if given > _MOST_NUMBER:
        raise malformed(field, "is no event's number")
    return given


def _endpoint(endpoint: Endpoint, standing: Standing) -> feed_pb2.Endpoint:
    return feed_pb2.Endpoint(
        name=endpoint.name,
        url=endpoint.shown_url,
        pending=standing.pending,
        parked=standing.parked,
        sequence=standing.sequence,
    )


def _delivery(kept: Kept) -> feed_pb2.Delivery:
    delivery = feed_pb2.Delivery(
        endpoint=kept.endpoint,
        sequence=kept.sequence,
        event_id=kept.event_id,
        state=kept.state,
        tries=kept.tries,
        outcome=kept.outcome,
    )
    delivery.at.FromMicroseconds(kept.due_at)
    return delivery
