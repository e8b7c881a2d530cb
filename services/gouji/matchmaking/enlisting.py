"""Who queues: a player alone, a party, or a player for whom a service asks; and what is looked up of them."""

from collections.abc import Sequence

from gouji.matchmaking.parties import Party
from gouji.matchmaking.ratings import Ratings
from gouji.matchmaking.store import Store
from gouji.matchmaking.tickets import Member, State, Ticket, Wish, check_size
from gouji.serving.auth import Caller
from gouji.serving.errors import ServiceError
from gouji.serving.requests import check_id
from gouji.serving.settings import Settings
from gouji.v1 import matchmaking_pb2

Named = tuple[str, str]
"""A player's id and name."""


class Enlisting:
    """Makes new tickets."""

    def __init__(self, store: Store, ratings: Ratings, settings: Settings) -> None:
        self._store = store
        self._ratings = ratings
        self._lease = settings.ticket_lease_seconds * 1_000_000

    async def ticket(
        self, request: matchmaking_pb2.CreateTicketRequest, who: Caller, wish: Wish, ticket_id: str, now: int
    ) -> tuple[Ticket, Party | None]:
        """Make the ticket that is asked for, and give the party that it is for.

        Raises `ServiceError`: `no_party`, `not_leader`, `party_not_ready`, `forbidden` for a player who asks for
        another, `malformed`.
        """
        leader = _leader(request, who)
        party = await self._party(request.party_id, leader[0]) if request.party_id else None
        players = _players(party) if party else [leader]
        check_size(len(players), both_teams=wish.both_teams)
        members = await self._members(players, wish.family, now)
        party_id = party.party_id if party else None
        return Ticket(ticket_id, members, wish, State.WAITING, now, now + self._lease, party_id), party

    async def _party(self, party_id: str, leader: str) -> Party:
        check_id("party_id", party_id)
        party = await self._store.party(party_id)
        if party is None or leader not in {member.player_id for member in party.members}:
            raise ServiceError("no_party", "You are in no such party.")
        if party.leader != leader:
            raise ServiceError("not_leader", "The party's leader queues it.")
        # The leader is ready by asking.
        absent = [member.player_id for member in party.members if not member.ready and member.player_id != leader]
        if absent:
            metadata = {"player_id": absent[0]}
            raise ServiceError("party_not_ready", f"{', '.join(absent)} are not ready.", metadata=metadata)
        return party

    async def _members(self, players: Sequence[Named], family: str, now: int) -> tuple[Member, ...]:
        ids = [player_id for player_id, _ in players]
        ratings = await self._ratings.of(ids, family)
        recent = await self._store.recent_opponents(ids, now)
        return tuple(
            Member(player, name, *ratings[player], recent.get(player, frozenset())) for player, name in players
        )


def _leader(request: matchmaking_pb2.CreateTicketRequest, who: Caller) -> Named:
    if who.plays:
        if request.player_id not in {"", who.player_id}:
            raise ServiceError("forbidden", "Only a service queues somebody else.")
        return who.player_id, who.name
    check_id("player_id", request.player_id)
    if not request.party_id:
        check_id("player_name", request.player_name)
    return request.player_id, request.player_name


def _players(party: Party) -> list[Named]:
    """List a party's players, its leader first."""
    ordered = sorted(party.members, key=lambda member: (member.player_id != party.leader, member.player_id))
    return [(member.player_id, member.name) for member in ordered]
