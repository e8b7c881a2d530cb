"""A room: who is in it, in which seats, and who may do what there. Every change gives a new one; no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, Self

from gouji.matchmaking.teams import SEATS
from gouji.serving.errors import ServiceError
from gouji.v1 import events_pb2, matchmaking_pb2, room_pb2

MOST_SPECTATORS: Final = 32
MOST_KICKED: Final = 64
"""How many a room keeps out; those sent away longest ago may come back."""


class RoomState(StrEnum):
    """Where a room is in its life."""

    OPEN = "open"
    PLAYING = "playing"


@dataclass(frozen=True, slots=True)
class RoomPerson:
    """Somebody in a room; without a seat a spectator."""

    player_id: str
    name: str
    seat: int | None


@dataclass(frozen=True, slots=True)
class Room:
    """A private table. ``people`` are in the order in which they came, the host among them.

    ``matches`` have begun so far, the last one at ``table_id``. A room without people is closed.
    """

    room_id: str
    code: str
    host: str
    settings: room_pb2.RoomSettings
    people: tuple[RoomPerson, ...]
    state: RoomState = RoomState.OPEN
    kicked: tuple[str, ...] = ()
    matches: int = 0
    table_id: str = ""
    version: int = 1

    @property
    def player_ids(self) -> frozenset[str]:
        """Who is in it."""
        return frozenset(person.player_id for person in self.people)

    @property
    def seated(self) -> dict[int, RoomPerson]:
        """Who sits in which seat."""
        return {person.seat: person for person in self.people if person.seat is not None}

    def with_person(self, player_id: str, name: str, seat: int | None, *, spectate: bool) -> Self:
        """Let somebody in: to a seat, to any that is free when ``seat`` is None, or without one.

        Refused: `not_welcome` for one who was sent away, `seat_taken`, `room_full`. Who is here stays as it is.
        """
        if player_id in self.player_ids:
            return self
        if player_id in self.kicked:
            raise ServiceError("not_welcome", "You were sent away from this room.")
        chosen = None if spectate else self._free_seat() if seat is None else self._free(seat)
        if spectate:
            self._takes_spectator()
        return replace(self, people=(*self.people, RoomPerson(player_id, name, chosen)))

    def with_move(self, by: str, player_id: str, seat: int | None) -> Self:
        """Give somebody another seat, or none; the host may move others, and has two change seats.

        Refused: `not_host`, `unknown_player`, `seat_taken`, `room_full` where nobody may stand.
        """
        if by != player_id:
            self._hosted_by(by)
        moved = self._person(player_id)
        if seat is None:
            if moved.seat is not None:
                self._takes_spectator()
            return self._reseated({player_id: None})
        other = self.seated.get(seat, moved)
        if other is not moved and by != self.host:
            raise _taken()
        return self._reseated({other.player_id: moved.seat, player_id: seat})

    def with_settings(self, by: str, settings: room_pb2.RoomSettings) -> Self:
        """Play otherwise. Refused: `not_host`."""
        self._hosted_by(by)
        return replace(self, settings=settings)

    def with_kick(self, by: str, player_id: str) -> Self:
        """Send somebody away for good. Refused: `not_host`, `unknown_player` for the host itself."""
        self._hosted_by(by)
        if player_id == by:
            raise ServiceError("unknown_player", "Leave the room, rather than send yourself away.")
        kept_out = (*(one for one in self.kicked if one != player_id), player_id)[-MOST_KICKED:]
        return replace(self.without(player_id), kicked=kept_out) if player_id in self.player_ids else self

    def with_host(self, by: str, player_id: str) -> Self:
        """Hand the room on. Refused: `not_host`, `unknown_player` for one who is not here."""
        self._hosted_by(by)
        return replace(self, host=self._person(player_id).player_id)

    def without(self, player_id: str) -> Self:
        """Let somebody go; if that was the host, the next one who has a seat, or else who came next, is host."""
        left = tuple(person for person in self.people if person.player_id != player_id)
        heirs = sorted(left, key=lambda person: person.seat is None)
        host = heirs[0].player_id if heirs and player_id == self.host else self.host
        return replace(self, people=left, host=host)

    def started(self, by: str, match: int, *, swap_sides: bool) -> Self:
        """Begin a match, of which the table is yet to be named; with ``swap_sides`` everybody moves one seat on.

        Refused: `not_host`, `room_changed` when that match is not the next one, `seats_empty`.
        """
        may = self._person(by).seat is not None and self.settings.starter == room_pb2.STARTER_SEATED
        if not may:
            self._hosted_by(by)
        if self.state is not RoomState.OPEN or match != self.matches + 1:
            raise ServiceError("room_changed", "The room's match goes on, or it has begun others since.")
        if len(self.seated) < (1 if self.settings.bot_level else SEATS):
            raise ServiceError("seats_empty", "Seats are empty, and the room has no bots for them.")
        turned = {person.player_id: (seat + 1) % SEATS for seat, person in self.seated.items()}
        room = self._reseated(turned) if swap_sides else self
        return replace(room, state=RoomState.PLAYING, matches=match)

    def request(self) -> matchmaking_pb2.PlaceTableRequest:
        """Ask for the table of the match that has begun."""
        seated = self.seated
        return matchmaking_pb2.PlaceTableRequest(
            request_id=request_id(self.room_id, self.matches),
            rules=self.settings.rules,
            length=self.settings.length,
            clock=self.settings.clock,
            seats=[self._seat(seated.get(seat)) for seat in range(SEATS)],
            bot_pace_ms=self.settings.bot_pace_ms,
            no_spectators=not self.settings.spectators,
            spectator_delay=self.settings.spectator_delay if self.settings.HasField("spectator_delay") else None,
        )

    def _seat(self, person: RoomPerson | None) -> events_pb2.Seat:
        if person is None:
            return events_pb2.Seat(bot_level=self.settings.bot_level)
        return events_pb2.Seat(player_id=person.player_id, name=person.name)

    def _reseated(self, seats: Mapping[str, int | None]) -> Self:
        moved = (replace(one, seat=seats.get(one.player_id, one.seat)) for one in self.people)
        return replace(self, people=tuple(moved))

    def _person(self, player_id: str) -> RoomPerson:
        for person in self.people:
            if person.player_id == player_id:
                return person
        raise ServiceError("unknown_player", "This player is not in your room.")

    def _free_seat(self) -> int:
        free = [seat for seat in range(SEATS) if seat not in self.seated]
        if not free:
            raise ServiceError("room_full", "All seats are taken.")
        return free[0]

    def _free(self, seat: int) -> int:
        if seat in self.seated:
            raise _taken()
        return seat

    def _takes_spectator(self) -> None:
        if not self.settings.spectators or len(self.people) - len(self.seated) >= MOST_SPECTATORS:
            raise ServiceError("room_full", "The room takes no (more) spectators.")

    def _hosted_by(self, player_id: str) -> None:
        if player_id != self.host:
            raise ServiceError("not_host", "Only the host of the room can do that.")


def request_id(room_id: str, match: int) -> str:
    """Name the table of a room's match, so that there is one."""
    return f"room/{room_id}/{match}"


def _taken() -> ServiceError:
    return ServiceError("seat_taken", "Somebody sits there.")
