"""Tournaments over real gRPC on each kind of database; tables are placed and end as a test says."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from gouji.bot.service import bind as bind_bot
from gouji.serving.app import App
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError, reason_of
from gouji.serving.schema import hand_results, players, tables, tournament_boards
from gouji.serving.settings import Settings
from gouji.serving.testing import running_app
from gouji.tournament.service import bind
from gouji.v1 import matchmaking_pb2, matchmaking_pb2_grpc, scoring_pb2, table_pb2, tournament_pb2, tournament_pb2_grpc
from gouji.v1.events_pb2 import Seat
from gouji.v1.tournament_log_pb2 import TournamentEntry

from .simulated import SINGLES, terms_of


@dataclass
class Hall(matchmaking_pb2_grpc.MatchmakingServiceServicer):
    """Stands where matchmaking and the tables are: places each request once, and ends tables when told."""

    database: Database | None = None
    elsewhere: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    def bind(self, app: App) -> None:
        self.database = app.database
        methods = matchmaking_pb2.DESCRIPTOR.services_by_name["MatchmakingService"].methods_by_name
        app.add_servicer(
            matchmaking_pb2_grpc.add_MatchmakingServiceServicer_to_server,
            self,
            "gouji.v1.MatchmakingService",
            roles=dict.fromkeys(methods, ()) | {"PlaceTable": {"service"}},
        )

    async def PlaceTable(self, request: Any, context: Any) -> matchmaking_pb2.PlaceTableResponse:  # noqa: N802
        self.asked.append(request.request_id)
        sits = [seat.player_id for seat in request.seats if seat.player_id in self.elsewhere]
        if sits:
            raise ServiceError("already_seated", "Elsewhere.", metadata={"player_id": sits[0]})
        spec = table_pb2.TableSpec(table_id=uuid.uuid4().hex, seats=request.seats, board=request.board)
        row = {"table_id": spec.table_id, "spec": spec.SerializeToString(), "state": "live", "created_at": 0}
        row |= {"request_id": request.request_id, "board_id": request.board.board_id}
        assert self.database
        async with self.database.begin() as connection:
            once = self.database.insert(tables).values(**row).on_conflict_do_nothing(index_elements=["request_id"])
            await connection.execute(once)
            found = sa.select(tables.c.table_id).where(tables.c.request_id == request.request_id)
            return matchmaking_pb2.PlaceTableResponse(table_id=await connection.scalar(found))


@dataclass
class Tables:
    """The tables in the database."""

    database: Database

    async def all(self) -> dict[str, table_pb2.TableSpec]:
        """Every table by the request that it came from."""
        async with self.database.connect() as connection:
            rows = await connection.execute(sa.select(tables))
            return {row.request_id: table_pb2.TableSpec.FromString(row.spec) for row in rows}

    async def end(
        self, made: Callable[[str], tuple[int, int] | None] = lambda _: (2, 0), state: str = "over", **only: str
    ) -> int:
        """End the tables that live, or the one of a ``request``, with what each made; say how many."""
        async with self.database.begin() as connection:
            query = sa.select(tables).where(tables.c.state == "live").order_by(tables.c.request_id)
            rows = (await connection.execute(query)).all()
            rows = [row for row in rows if only.get("request", row.request_id) == row.request_id]
            for row in rows:
                points = made(row.request_id)
                change = sa.update(tables).where(tables.c.table_id == row.table_id)
                await connection.execute(change.values(state=state))
                if points is not None and state == "over":
                    await connection.execute(sa.insert(hand_results).values(**_result(row, points)))
        return len(rows)

    async def open_boards(self) -> set[str]:
        async with self.database.connect() as connection:
            row = tournament_boards.c
            return set(await connection.scalars(sa.select(row.board_id).where(row.opened_at.is_not(None))))


def _result(row: Any, points: tuple[int, int]) -> dict[str, Any]:
    seats = table_pb2.TableSpec.FromString(row.spec).seats
    conduct = [scoring_pb2.Conduct(by_player=int(seat.player_id != "ghost")) for seat in seats]
    result = scoring_pb2.HandResult(
        table_id=row.table_id, hand=1, last=True, results=1, tournament="spring", order=range(6), scores=[0] * 6,
        team_scores=points, match_team_scores=points, seats=seats, conduct=conduct,
    )  # fmt: skip
    payload = {"payload": result.SerializeToString(), "payload_hash": b"", "preset": "standard", "queue": ""}
    return {"table_id": row.table_id, "hand": 1, "ended_at": 0, "recorded_at": 0, **payload}


@dataclass
class Caller:
    """Calls with one token."""

    stub: Any
    token: str

    async def call(self, method: str, **fields: Any) -> Any:
        request = getattr(tournament_pb2, f"{method}Request")(**fields)
        return await getattr(self.stub, method)(request, metadata=(("authorization", f"Bearer {self.token}"),))

    async def refused(self, method: str, **fields: Any) -> str | None:
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await self.call(method, **fields)
        return reason_of(failed.value)

    async def entries(self, event: str = "spring", after: int = 0) -> list[TournamentEntry]:
        request = tournament_pb2.ListEntriesRequest(tournament_id=event, after=after)
        answers = self.stub.ListEntries(request, metadata=(("authorization", f"Bearer {self.token}"),))
        return [answer.entry async for answer in answers]


@dataclass
class Running:
    """A process that runs tournaments."""

    app: App
    hall: Hall
    stub: Any

    @property
    def tables(self) -> Tables:
        return Tables(self.app.database)

    @property
    def director(self) -> Caller:
        return Caller(self.stub, self.app.tokens.mint_director("dora"))

    @property
    def operator(self) -> Caller:
        return Caller(self.stub, self.app.tokens.mint_operator("op"))

    def player(self, player_id: str) -> Caller:
        return Caller(self.stub, self.app.tokens.mint_player(player_id, player_id.title()).access_token)

    async def know(self, *player_ids: str) -> None:
        """Note players as the gateway does."""
        rows = [{"player_id": one, "name": one.title(), "created_at": 0} for one in player_ids]
        async with self.app.database.begin() as connection:
            await connection.execute(sa.insert(players), rows)

    async def create(self, event: str = "spring", **terms: Any) -> Any:
        given = terms_of(**{"entrants": SINGLES, "most_entrants": 18, "rounds": 2, **terms})
        return await self.director.call("CreateTournament", tournament_id=event, terms=given)

    async def change(self, name: str, event: str = "spring") -> Any:
        change = tournament_pb2.StageChange.Value(f"STAGE_CHANGE_{name}")
        return (await self.director.call("ChangeStage", tournament_id=event, change=change)).tournament

    async def enter_bots(self, count: int, event: str = "spring") -> None:
        for number in range(1, count + 1):
            bot = Seat(bot_level="greedy", name=f"Bot {number}")
            await self.director.call("EnterTournament", tournament_id=event, players=[bot])

    async def begin(self, bots: int = 12, **terms: Any) -> None:
        """Announce an event of single bots, and start it."""
        await self.create(**terms)
        await self.change("OPEN_REGISTRATION")
        await self.enter_bots(bots)
        await self.change("START")

    async def event(self, event: str = "spring") -> tournament_pb2.Tournament:
        found: tournament_pb2.Tournament = (await self.director.call("GetTournament", tournament_id=event)).tournament
        return found

    async def come(self, question: Callable[[tournament_pb2.Tournament], object], event: str = "spring") -> Any:
        """Ask until an event is so, some twenty seconds long."""
        async with asyncio.timeout(20):
            while not question(now := await self.event(event)):  # noqa: ASYNC110 - a database has no event
                await asyncio.sleep(0.01)
        return now


Serve = Callable[..., Any]


@pytest.fixture
def serve(settings: Settings) -> Serve:
    """Runs a process: `async with serve() as running`; several share a database."""

    @asynccontextmanager
    async def serve_one(**changes: Any) -> AsyncIterator[Running]:
        quick = settings.model_copy(update={"tournament_poll_ms": 10} | changes)
        hall = Hall()
        binds = {"tournament": bind, "bot": bind_bot, "matchmaking": hall.bind}
        async with running_app(quick, binds) as app, grpc.aio.insecure_channel(app.address) as channel:
            yield Running(app, hall, tournament_pb2_grpc.TournamentServiceStub(channel))

    return serve_one


@pytest.fixture
async def running(serve: Serve) -> AsyncIterator[Running]:
    """One process on each kind of database."""
    async with serve() as one:
        yield one
