"""A whole event over gRPC, page by page, for the commands that show or export it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

from gouji.v1 import tournament_pb2

_ROWS: Final = 500
_PAIRINGS: Final = 100

Stub = Any
"""A stub of `TournamentService`."""

How = Any
"""The keywords (token, deadline) of a call."""


async def entrants(stub: Stub, how: How, tournament_id: str) -> list[tournament_pb2.Entrant]:
    """List all entrants of an event."""

    async def page(after: int) -> list[tournament_pb2.Entrant]:
        request = tournament_pb2.ListEntrantsRequest(tournament_id=tournament_id, after=after, limit=_ROWS)
        return list((await stub.ListEntrants(request, **how)).entrants)

    return [one async for one in _pages(page, lambda last: int(last.number), _ROWS)]


async def pairings(stub: Stub, how: How, tournament_id: str, number: int) -> list[tournament_pb2.PlayedPairing]:
    """List all pairings of a round."""

    async def page(after: int) -> list[tournament_pb2.PlayedPairing]:
        request = tournament_pb2.ListPairingsRequest(
            tournament_id=tournament_id, round=number, after=after, limit=_PAIRINGS
        )
        return list((await stub.ListPairings(request, **how)).pairings)

    return [one async for one in _pages(page, lambda last: int(last.pairing), _PAIRINGS)]


async def standings(stub: Stub, how: How, tournament_id: str, number: int = 0) -> list[tournament_pb2.Standing]:
    """List the standings after a round; 0 for those by all rounds that are over."""

    async def page(after: int) -> list[tournament_pb2.Standing]:
        request = tournament_pb2.GetStandingsRequest(
            tournament_id=tournament_id, round=number, after=after, limit=_ROWS
        )
        return list((await stub.GetStandings(request, **how)).standings)

    return [one async for one in _pages(page, lambda last: int(last.rank), _ROWS)]


async def export(stub: Stub, how: How, tournament_id: str) -> tournament_pb2.TournamentExport:
    """Read all of an event that is public."""
    request = tournament_pb2.GetTournamentRequest(tournament_id=tournament_id)
    event = (await stub.GetTournament(request, **how)).tournament
    whole = tournament_pb2.TournamentExport(tournament=event)
    whole.entrants.extend(await entrants(stub, how, tournament_id))
    for one in event.played:
        played = await pairings(stub, how, tournament_id, one.round)
        whole.rounds.append(tournament_pb2.ExportedRound(round=one.round, pairings=played))
    whole.standings.extend(await standings(stub, how, tournament_id))
    return whole


async def _pages(
    page: Callable[[int], Awaitable[list[Any]]], key: Callable[[Any], int], full: int
) -> AsyncIterator[Any]:
    after = 0
    while True:
        rows = await page(after)
        for row in rows:
            yield row
        if len(rows) < full:
            return
        after = key(rows[-1])
