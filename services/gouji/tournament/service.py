"""Tournaments over gRPC: `bind` and the servicer, which unpacks, asks the books and the driver, and packs."""

import hashlib
import secrets
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, Final

from google.protobuf.message import Message

from gouji.engine.secret import SECRET_BYTES
from gouji.serving.app import App
from gouji.serving.auth import ANY_ROLE, Role, Roles, caller
from gouji.serving.bot_levels import BotLevels
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.requests import check_id, check_text, read_limit
from gouji.serving.vault import vault_for
from gouji.tournament import chance, course, decisions
from gouji.tournament.books import Author, Books
from gouji.tournament.driver import Driver
from gouji.tournament.entering import Entering
from gouji.tournament.matchpoints import WHOLE
from gouji.tournament.messages import (
    entrant_messages,
    pairing_messages,
    round_message,
    standing_message,
    tournament_message,
)
from gouji.tournament.metrics import TournamentMetrics
from gouji.tournament.placing import STAND_IN, Placing
from gouji.tournament.refusals import Refusal
from gouji.tournament.scores import courses
from gouji.tournament.store import Store
from gouji.tournament.terms import LONGEST_REASON, read_id, read_terms
from gouji.tournament.tournament import Round, Tournament
from gouji.v1 import tournament_log_pb2, tournament_pb2, tournament_pb2_grpc
from gouji.v1.tournament_log_pb2 import TournamentEntry

_DIRECTORS: Final = {Role.DIRECTOR}
_PLAYERS: Final = {Role.PLAYER, Role.DIRECTOR}

ROLES: Final[Roles] = {
    "CreateTournament": _DIRECTORS,
    "ChangeStage": _DIRECTORS,
    "EnterTournament": _PLAYERS,
    "Withdraw": _PLAYERS,
    "CheckIn": _PLAYERS,
    "Substitute": _DIRECTORS,
    "PairAgain": _DIRECTORS,
    "AdjustScore": _DIRECTORS,
    "RuleTable": _DIRECTORS,
    "RuleNoShow": _DIRECTORS,
    "ListTournaments": ANY_ROLE,
    "GetTournament": ANY_ROLE,
    "ListEntrants": ANY_ROLE,
    "ListPairings": ANY_ROLE,
    "GetStandings": ANY_ROLE,
    "ListEntries": _DIRECTORS,
    "RemoveFromTournaments": {Role.SERVICE},
}
"""Who may call what."""

MOST_LISTED: Final = 100
"""Most events in one answer."""

MOST_ROWS: Final = 500
"""Most entrants or standings in one answer."""

MOST_PAIRINGS: Final = 100
"""Most pairings in one answer: each has up to sixteen tables."""

MOST_SWAPS: Final = 16
"""Most swaps of one pairing."""

MOST_POINTS: Final = 10_000_000
"""Most that one correction adds or takes."""


def bind(app: App) -> None:
    """Add tournaments to a process."""
    store, vault = Store(app.database), vault_for(app.settings)
    books = Books(store, vault, app.clock)
    metrics = TournamentMetrics(app.metrics.registry)
    placing = Placing(app.channels, vault, app.clock, metrics, app.log)
    driver = Driver(store, books, placing, clock=app.clock, metrics=metrics, log=app.log)
    levels = BotLevels(app.channels)
    app.add_servicer(
        tournament_pb2_grpc.add_TournamentServiceServicer_to_server,
        TournamentServicer(store, books, driver, levels),
        "gouji.v1.TournamentService",
        roles=ROLES,
    )
    app.background("tournaments", partial(driver.run, app.settings.tournament_poll_ms / 1000))


class TournamentServicer(tournament_pb2_grpc.TournamentServiceServicer):
    """What directors and players do. Every method is refused with `unknown_tournament` for an event there is not."""

    def __init__(self, store: Store, books: Books, driver: Driver, levels: BotLevels) -> None:
        self._store = store
        self._books = books
        self._driver = driver
        self._levels = levels
        self._entering = Entering(store, books, levels)

    async def RemoveFromTournaments(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.RemoveFromTournamentsRequest, _context: Any
    ) -> tournament_pb2.RemoveFromTournamentsResponse:
        """Take a deleted player's name out of all records. Safe to repeat."""
        check_id("player_id", request.player_id)
        await self._books.forget(request.player_id)
        return tournament_pb2.RemoveFromTournamentsResponse()

    # Directors

    async def CreateTournament(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.CreateTournamentRequest, _context: Any
    ) -> tournament_pb2.CreateTournamentResponse:
        """Announce an event.

        Refused with `malformed`, the rules' own reasons, `unknown_bot_level`, and `tournament_exists` for other terms
        under the same id.
        """
        tournament_id, terms = read_id(request.tournament_id), read_terms(request.terms)
        await self._levels.check("terms.stand_in_level", terms.stand_in_level or STAND_IN)
        secret = secrets.token_bytes(SECRET_BYTES)
        announced = tournament_log_pb2.TournamentAnnounced(terms=terms)
        announced.seed_commitment = chance.seed_commitment(chance.seed_of(secret), tournament_id)
        first = TournamentEntry(announced=announced)
        made = await self._books.create(tournament_id, secret, first, Author(_author()))
        event = await self._books.read(tournament_id)
        if event.terms != terms:
            raise ServiceError("tournament_exists", "There is another event of this id.")
        return tournament_pb2.CreateTournamentResponse(tournament=tournament_message(event), stood=not made)

    async def ChangeStage(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.ChangeStageRequest, _context: Any
    ) -> tournament_pb2.ChangeStageResponse:
        """Open registration or check-in, start, pause, resume or cancel.

        Refused with `malformed`, `wrong_stage`, and `too_few_entrants` at the start.
        """
        if request.change not in tournament_pb2.StageChange.values() or not request.change:
            raise malformed("change", "is none of those that there are")
        author = Author(_author(), _reason(request.reason, wanted=False))
        decide = _timeless(lambda event: decisions.change_stage(event, request.change))
        event = await self._books.write(request.tournament_id, author, decide)
        return tournament_pb2.ChangeStageResponse(tournament=tournament_message(event))

    async def Substitute(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.SubstituteRequest, _context: Any
    ) -> tournament_pb2.SubstituteResponse:
        """Put a player in the place of one.

        Refused with `malformed`, `unknown_entrant`, `unknown_player`, `unknown_bot_level`, `already_entered`,
        `wrong_stage`, `command_id_reused`.
        """
        author = _command(request)
        [player] = await self._entering.named("player", [request.player])
        decide = _timeless(lambda event: decisions.substitute(event, request.entrant, request.place, player))
        event = await self._books.write(request.tournament_id, author, decide)
        return tournament_pb2.SubstituteResponse(entrant=entrant_messages(event, [request.entrant])[0])

    async def PairAgain(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.PairAgainRequest, _context: Any
    ) -> tournament_pb2.PairAgainResponse:
        """Pair the last round anew.

        Refused with `malformed`, `unknown_round`, `round_begun`, `unknown_entrant`, `command_id_reused`.
        """
        if len(request.swaps) > MOST_SWAPS:
            raise malformed("swaps", f"are {len(request.swaps)}; {MOST_SWAPS} are the most")
        swaps = [(swap.one, swap.other) for swap in request.swaps]
        event = await self._driver.pair(request.tournament_id, request.round, _command(request), swaps)
        return tournament_pb2.PairAgainResponse(round=round_message(event, _round(event, request.round)))

    async def AdjustScore(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.AdjustScoreRequest, _context: Any
    ) -> tournament_pb2.AdjustScoreResponse:
        """Correct an entrant's score. Refused with `malformed`, `unknown_entrant`, `command_id_reused`."""
        if not 0 < abs(request.points) <= MOST_POINTS:
            raise malformed("points", f"is {request.points}, not up to {MOST_POINTS} more or less")
        decide = _timeless(lambda event: decisions.adjust(event, request.entrant, request.points))
        await self._books.write(request.tournament_id, _command(request), decide)
        return tournament_pb2.AdjustScoreResponse()

    async def RuleTable(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.RuleTableRequest, _context: Any
    ) -> tournament_pb2.RuleTableResponse:
        """Give both sides of a table their scores.

        Refused with `malformed`, `unknown_round`, `wrong_stage`, `command_id_reused`.
        """
        _check_score("even_score", request.even_score)
        _check_score("odd_score", request.odd_score)
        ruled = tournament_log_pb2.TableRuled(
            round=request.round,
            pairing=request.pairing,
            board=request.board,
            even_score=request.even_score,
            odd_score=request.odd_score,
        )
        decide = _timeless(lambda event: decisions.rule_table(event, ruled))
        await self._books.write(request.tournament_id, _command(request), decide)
        return tournament_pb2.RuleTableResponse()

    async def RuleNoShow(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.RuleNoShowRequest, _context: Any
    ) -> tournament_pb2.RuleNoShowResponse:
        """Say what a round is worth to who was not there.

        Refused with `malformed`, `unknown_round`, `unknown_entrant`, `wrong_stage`, `command_id_reused`.
        """
        _check_score("score", request.score)
        ruled = tournament_log_pb2.NoShowRuled(
            round=request.round, entrant=request.entrant, score=request.score, withdraw=request.withdraw
        )
        decide = _timeless(lambda event: decisions.rule_no_show(event, ruled))
        await self._books.write(request.tournament_id, _command(request), decide)
        return tournament_pb2.RuleNoShowResponse()

    async def ListEntries(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.ListEntriesRequest, _context: Any
    ) -> AsyncIterator[tournament_pb2.ListEntriesResponse]:
        """Give an event's record, in order."""
        await self._books.read(request.tournament_id)
        async with self._store.database.connect() as connection:
            entries = await self._store.entries(connection, request.tournament_id, min(request.after, _MOST_SEQUENCE))
        for entry in entries:
            yield tournament_pb2.ListEntriesResponse(entry=entry)

    # Players

    async def EnterTournament(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.EnterTournamentRequest, _context: Any
    ) -> tournament_pb2.EnterTournamentResponse:
        """Enter an event; who is in it with the same players stays so.

        Refused with `malformed`, `wrong_stage`, `already_entered` (metadata `player_id`, or `name` for a name that is
        taken), `tournament_full`, `not_captain`, `unknown_player`, `unknown_bot_level`, `forbidden`.
        """
        event, entrant, stood = await self._entering.enter(request, caller())
        message = entrant_messages(event, [entrant.number])[0]
        return tournament_pb2.EnterTournamentResponse(entrant=message, stood=stood)

    async def Withdraw(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.WithdrawRequest, _context: Any
    ) -> tournament_pb2.WithdrawResponse:
        """Take an entrant out. Refused with `malformed`, `unknown_entrant`, `wrong_stage`."""
        author = Author(_author(), _reason(request.reason, wanted=False))
        decide = _timeless(lambda event: decisions.withdraw(event, _whose(event, request.entrant)))
        await self._books.write(request.tournament_id, author, decide)
        return tournament_pb2.WithdrawResponse()

    async def CheckIn(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.CheckInRequest, _context: Any
    ) -> tournament_pb2.CheckInResponse:
        """Say that an entrant is there. Refused with `unknown_entrant`, `wrong_stage`."""
        decide = _timeless(lambda event: decisions.check_in(event, _whose(event, request.entrant)))
        await self._books.write(request.tournament_id, Author(_author()), decide)
        return tournament_pb2.CheckInResponse()

    # Anybody

    async def ListTournaments(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.ListTournamentsRequest, _context: Any
    ) -> tournament_pb2.ListTournamentsResponse:
        """List events, the newest first. Refused with `malformed`."""
        ids = await self._store.newest(read_limit(request.limit, 20, MOST_LISTED), open_only=request.open)
        events = [await self._books.read(tournament_id) for tournament_id in ids]
        messages = [tournament_message(event, with_rounds=False) for event in events]
        return tournament_pb2.ListTournamentsResponse(tournaments=messages)

    async def GetTournament(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.GetTournamentRequest, _context: Any
    ) -> tournament_pb2.GetTournamentResponse:
        """Say how an event is."""
        event = await self._books.read(request.tournament_id)
        return tournament_pb2.GetTournamentResponse(tournament=tournament_message(event))

    async def ListEntrants(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.ListEntrantsRequest, _context: Any
    ) -> tournament_pb2.ListEntrantsResponse:
        """List entrants by number. Refused with `malformed`."""
        limit = read_limit(request.limit, 100, MOST_ROWS)
        event = await self._books.read(request.tournament_id)
        numbers = [number for number in event.entrants if number > request.after][:limit]
        return tournament_pb2.ListEntrantsResponse(entrants=entrant_messages(event, numbers))

    async def ListPairings(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.ListPairingsRequest, _context: Any
    ) -> tournament_pb2.ListPairingsResponse:
        """List who meets in a round, and what came of it. Refused with `malformed`, `unknown_round`."""
        limit = read_limit(request.limit, 20, MOST_PAIRINGS)
        event = await self._books.read(request.tournament_id)
        one = _round(event, request.round)
        numbers = range(1, len(one.pairings) + 1)[request.after : request.after + limit]
        return tournament_pb2.ListPairingsResponse(
            round=round_message(event, one), pairings=pairing_messages(one, numbers)
        )

    async def GetStandings(  # noqa: N802 - gRPC's name
        self, request: tournament_pb2.GetStandingsRequest, _context: Any
    ) -> tournament_pb2.GetStandingsResponse:
        """Rank the entrants; there is nobody before the start. Refused with `malformed`, `unknown_round`."""
        limit = read_limit(request.limit, 100, MOST_ROWS)
        event = await self._books.read(request.tournament_id)
        over = event.rounds_over
        if request.round > len(over):
            raise ServiceError("unknown_round", "That round is not over, or there is none.")
        rounds = over[: request.round or len(over)]
        seed = chance.seed_of(await self._books.secret(request.tournament_id))
        places, made = course.ranked(event, rounds, seed), courses(event, rounds)
        page = places[request.after : request.after + limit]
        return tournament_pb2.GetStandingsResponse(
            round=len(rounds), standings=[standing_message(event, place, made[place.entrant]) for place in page]
        )


_MOST_SEQUENCE: Final = 2**63 - 1


def _timeless(decide: Callable[[Tournament], TournamentEntry | None]) -> Callable[..., TournamentEntry | None]:
    """Judge without looking at the time."""
    return lambda event, _now: decide(event)


def _round(event: Tournament, number: int) -> Round:
    try:
        return decisions.round_of(event, number)
    except Refusal as refusal:
        raise ServiceError(refusal.reason, refusal.sentence) from refusal


def _author() -> str:
    """Name who calls: a player by its id, a director by its name."""
    return caller().player_id


def _whose(event: Tournament, entrant: int) -> int:
    """Say which entrant is meant: a player's own, whatever it says; a director names one."""
    if caller().role is Role.PLAYER:
        return decisions.own(event, caller().player_id).number
    return entrant


def _command(request: Any) -> Author:
    """Say who gives a command, under which id, and why: directors say that of all that they decide."""
    check_id("command_id", request.command_id)
    message: Message = request
    asked = hashlib.sha256(message.DESCRIPTOR.name.encode() + message.SerializeToString(deterministic=True)).digest()
    return Author(_author(), _reason(request.reason, wanted=True), request.command_id, asked)


def _reason(given: str, *, wanted: bool) -> str:
    if given or wanted:
        check_text("reason", given, LONGEST_REASON)
    return given


def _check_score(field: str, score: int) -> None:
    if not 0 <= score <= WHOLE:
        raise malformed(field, f"is {score}, not 0 to {WHOLE}")
