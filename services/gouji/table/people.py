"""What people do at a table beside playing: say something, mute one another, vote, ask for a rematch."""

from collections.abc import Sequence

import sqlalchemy as sa

from gouji.serving.auth import caller
from gouji.serving.errors import ServiceError, malformed
from gouji.table import phrases
from gouji.table.afterwards import Afterwards
from gouji.table.commands import Command, Told, check_same
from gouji.table.host import Host
from gouji.table.live import Live
from gouji.table.ownership import Standing
from gouji.table.people_store import PeopleStore
from gouji.table.store import Store
from gouji.v1 import events_pb2, table_pb2


class People:
    """The commands of people who sit at a table; each raises `ServiceError` with the reason of a refusal."""

    def __init__(self, host: Host, store: Store, people_store: PeopleStore, afterwards: Afterwards) -> None:
        self._host = host
        self._store = store
        self._people = people_store
        self._afterwards = afterwards

    async def say(self, request: table_pb2.SayRequest) -> table_pb2.SayResponse:
        """Say a phrase, during the match or shortly after; once for each command id."""
        if request.phrase not in phrases.IDS:
            raise malformed("phrase", "is none that ListPhrases lists")
        await self._people.refuse_muted(caller().player_id)
        table = await self._host.find(request.table_id)
        seat = own_seat(seats_of(table))
        command = Command(seat, request.command_id, 0, request.phrase.encode())
        told = await self._say_live(table, seat, request.phrase, command) if isinstance(table, Live) else None
        told = told or await self._say_afterwards(request.table_id, seat, request.phrase, command)
        return table_pb2.SayResponse(outcome=told.outcome, sequence=told.sequence)

    async def _say_live(self, table: Live, seat: int, phrase: str, command: Command) -> Told | None:
        """Say it while the match goes on; None when it ended meanwhile."""
        try:
            return await table.tell(lambda at_table, now: at_table.say(seat, phrase, now), command)
        except ServiceError as error:
            if error.reason != "table_over":
                raise
            return None

    async def _say_afterwards(self, table_id: str, seat: int, phrase: str, command: Command) -> Told:
        said = await self._said(table_id, command)
        if said is not None:
            return said
        try:
            return await self._afterwards.say(table_id, seat, phrase, command)
        except sa.exc.IntegrityError:
            # The same command came twice at once.
            said = await self._said(table_id, command)
            if said is None:
                raise
            return said

    async def _said(self, table_id: str, command: Command) -> Told | None:
        kept = await self._store.command(table_id, command.seat, command.command_id)
        if kept is None:
            return None
        check_same(kept.accepted, command)
        return Told(table_pb2.OUTCOME_DUPLICATE, kept.accepted.sequence)

    async def vote(self, request: table_pb2.VoteHandRequest) -> table_pb2.VoteHandResponse:
        """Vote that nobody can finish this hand, or take the vote back."""
        table = await self._host.find(request.table_id)
        seat = own_seat(seats_of(table))
        if isinstance(table, Standing):
            raise ServiceError(f"table_{table.state}", "Nothing is played here any more.")
        told = await table.tell(lambda at_table, now: at_table.vote(seat, request.hand, now, agree=request.agree))
        return table_pb2.VoteHandResponse(sequence=told.sequence)

    async def ready(self, request: table_pb2.ReadyRequest) -> table_pb2.ReadyResponse:
        """Want a rematch of a match that is over, or no longer."""
        table = await self._host.find(request.table_id)
        seat = own_seat(seats_of(table))
        if isinstance(table, Standing) and table.state == "frozen":
            raise ServiceError("no_rematch", "The match did not come to its end.")
        return await self._afterwards.ready(request.table_id, seat, ready=request.ready)

    async def mute(self, request: table_pb2.MuteRequest) -> table_pb2.MuteResponse:
        """Not hear a seat's player any more, or again."""
        table = await self._host.find(request.table_id)
        seats = seats_of(table)
        if not (request.seat < len(seats) and seats[request.seat].player_id):
            raise malformed("seat", "is nobody's who can say anything")
        player_id = caller().player_id
        await self._people.mute(player_id, seats[request.seat].player_id, muted=request.muted)
        muted = await self.muted(seats)
        if isinstance(table, Live):
            table.watchers.mute(player_id, muted)
        self._afterwards.mute(request.table_id, player_id, muted)
        return table_pb2.MuteResponse(muted_seats=sorted(muted))

    async def muted(self, seats: Sequence[events_pb2.Seat]) -> set[int]:
        """Say which of these seats the caller does not hear."""
        if not caller().plays:
            return set()
        players = await self._people.muted(caller().player_id)
        return {seat for seat, held in enumerate(seats) if held.player_id and held.player_id in players}


def spec_of(table: Live | Standing) -> table_pb2.TableSpec:
    """Give what a table was placed as."""
    return table.owned.spec if isinstance(table, Live) else table.spec


def seats_of(table: Live | Standing) -> Sequence[events_pb2.Seat]:
    """Say who sits at a table, as it was placed."""
    return spec_of(table).seats


def seat_of(seats: Sequence[events_pb2.Seat]) -> int | None:
    """Say which seat the caller holds, if any."""
    who = caller()
    if not who.plays:
        return None
    return next((seat for seat, held in enumerate(seats) if held.player_id == who.player_id), None)


def own_seat(seats: Sequence[events_pb2.Seat]) -> int:
    """Give the caller's seat; refused with `not_seated` when it has none."""
    seat = seat_of(seats)
    if seat is None:
        raise ServiceError("not_seated", "You do not sit at this table.")
    return seat
