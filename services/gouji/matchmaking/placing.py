"""Tables to be placed: made of a proposal, or of an operator's request. Pure."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gouji.matchmaking.policy import Member, Proposal, Seated, Waiting
from gouji.matchmaking.teams import SEATS
from gouji.matchmaking.tickets import length_message, read_length, rules_message
from gouji.serving.bot_levels import unknown_level
from gouji.serving.errors import malformed
from gouji.serving.requests import check_clock, check_id, read_rules
from gouji.v1 import events_pb2, matchmaking_pb2, table_pb2
from gouji.wire import rules_to_proto
from gouji.wire.bots import EXTERNAL, is_bot, level_of

BOT_NAMES: Final = (
    "Cangkou",
    "Laoshan",
    "Zhanqiao",
    "Badaguan",
    "Pingdu",
    "Taidong",
    "Jimo",
    "Licun",
    "Fushan",
    "Shilaoren",
    "Huangdao",
    "Laixi",
)
"""What bots are called: places in and around Qingdao. There are as many as seats twice over."""


COMMITMENT_BYTES: Final = 32
"""Length of a board's commitment."""

MOST_SEALED_BYTES: Final = 256
"""Most bytes of a board's secret, sealed."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A table to be placed; the ``proposal`` that it is made of, or the id of the request."""

    spec: table_pb2.TableSpec
    proposal: Proposal | None = None
    request_id: str | None = None

    @property
    def table_id(self) -> str:
        """The table's id, new and unique."""
        return self.spec.table_id

    @property
    def players(self) -> dict[str, int]:
        """The people's ids, each with its seat, in order of id."""
        return dict(sorted((seat.player_id, n) for n, seat in enumerate(self.spec.seats) if seat.player_id))

    @property
    def tickets(self) -> dict[str, Waiting]:
        """The tickets that it is made of, if any, by id."""
        seats = self.proposal.seats if self.proposal else ()
        return {seated.ticket.ticket_id: seated.ticket for seated in seats if seated}

    @property
    def asks(self) -> bool:
        """Whether its people have to confirm: those of a queue do, unless somebody plays with bots alone."""
        return self.proposal is not None and len(self.players) > 1

    @property
    def kind(self) -> str:
        """What it is counted as: ``placed``, ``bots`` or ``people``."""
        if self.request_id is not None:
            return "placed"
        return "bots" if any(seat.bot_level for seat in self.spec.seats) else "people"


def of_proposal(proposal: Proposal, table_id: str, bot_pace_ms: int) -> Placement:
    """Make a table of a proposal; bots take the free seats."""
    seats = [_seat(seated, proposal.bot_level) for seated in proposal.seats]
    spec = table_pb2.TableSpec(
        table_id=table_id,
        rules=rules_message(proposal.rules),
        length=length_message(proposal.length),
        seats=name_bots(seats, table_id),
        queue=proposal.queue,
        bot_pace_ms=bot_pace_ms,
    )
    return Placement(spec, proposal)


def _seat(seated: Seated | None, bot_level: str) -> events_pb2.Seat:
    return events_pb2.Seat(bot_level=bot_level) if seated is None else person(seated.member)


def person(member: Member) -> events_pb2.Seat:
    """Write a player's seat, which says if that is a bot."""
    return events_pb2.Seat(player_id=member.player_id, name=member.name, bot_level=level_of(member.player_id))


def reseated(spec: table_pb2.TableSpec, seats: Mapping[int, events_pb2.Seat]) -> table_pb2.TableSpec:
    """Write a table with other people or bots in some of its seats."""
    changed = table_pb2.TableSpec()
    changed.CopyFrom(spec)
    del changed.seats[:]
    changed.seats.extend(name_bots([seats.get(n, seat) for n, seat in enumerate(spec.seats)], spec.table_id))
    return changed


def of_request(request: matchmaking_pb2.PlaceTableRequest, table_id: str, levels: Collection[str]) -> Placement:
    """Make a table as asked for, with bots of these ``levels``. Raises `ServiceError`."""
    check_id("request_id", request.request_id)
    _check_seats(request.seats, levels)
    check_clock("clock", request.clock)
    _check_board(request)
    rules = read_rules(request.rules, "rules")
    spec = table_pb2.TableSpec(
        table_id=table_id,
        rules=rules_to_proto(rules),
        length=read_length(request.length),
        clock=request.clock,
        seats=name_bots(list(map(_labelled, request.seats)), table_id),
        bot_pace_ms=request.bot_pace_ms,
        no_spectators=request.no_spectators,
        spectator_delay=request.spectator_delay if request.HasField("spectator_delay") else None,
        director_delay=request.director_delay if request.HasField("director_delay") else None,
        tournament=request.tournament,
        board=request.board if request.HasField("board") else None,
        board_secret=request.board_secret,
    )
    return Placement(spec, request_id=request.request_id)


def _check_board(request: matchmaking_pb2.PlaceTableRequest) -> None:
    if request.tournament:
        check_id("tournament", request.tournament)
    if request.HasField("board") != bool(request.board_secret):
        raise malformed("board_secret", "goes with a board, and a board with it")
    if request.HasField("board"):
        check_id("board.board_id", request.board.board_id)
    if request.HasField("board") and len(request.board.commitment) != COMMITMENT_BYTES:
        raise malformed("board.commitment", f"is not {COMMITMENT_BYTES} bytes")
    if len(request.board_secret) > MOST_SEALED_BYTES:
        raise malformed("board_secret", f"is more than {MOST_SEALED_BYTES} bytes")


def _check_seats(seats: Sequence[events_pb2.Seat], levels: Collection[str]) -> None:
    if len(seats) != SEATS:
        raise malformed("seats", f"are {len(seats)}, not {SEATS}")
    for n, seat in enumerate(seats):
        _check_seat(f"seats[{n}]", seat, levels)
    players = [seat.player_id for seat in seats if seat.player_id]
    if len(set(players)) < len(players):
        raise malformed("seats", "have one player twice")


def _check_seat(field: str, seat: events_pb2.Seat, levels: Collection[str]) -> None:
    own = is_bot(seat.player_id) and seat.bot_level == EXTERNAL
    if bool(seat.player_id) == bool(seat.bot_level) and not own:
        raise malformed(field, "has neither or both of player_id and bot_level")
    if seat.player_id:
        check_id(f"{field}.player_id", seat.player_id)
    if seat.player_id or seat.name:
        check_id(f"{field}.name", seat.name)
    if not own and seat.bot_level and seat.bot_level not in levels:
        raise unknown_level(f"{field}.bot_level", levels)


def _labelled(seat: events_pb2.Seat) -> events_pb2.Seat:
    """Have a player's seat say if that is a bot, whoever asks for it."""
    if not seat.player_id:
        return seat
    return events_pb2.Seat(player_id=seat.player_id, name=seat.name, bot_level=level_of(seat.player_id))


def name_bots(seats: Sequence[events_pb2.Seat], table_id: str) -> list[events_pb2.Seat]:
    """Give each bot without a name one that nobody else at the table has. The same table gives the same."""
    taken = {seat.name for seat in seats}

    def draw(name: str) -> bytes:
        return hashlib.sha256(f"{table_id}/{name}".encode()).digest()

    free = iter(sorted(set(BOT_NAMES) - taken, key=draw))
    return [seat if seat.name else events_pb2.Seat(bot_level=seat.bot_level, name=next(free)) for seat in seats]
