"""Players who play by script, spectators, and what each of them was told: acknowledgements and events."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from uuid import uuid4

from gouji.client import ClientError, Credentials, Patience, Session, TableClient
from gouji.engine import Action
from gouji.serving.auth import Tokens
from gouji.v1 import matchmaking_pb2_grpc, table_pb2
from gouji.v1.events_pb2 import Event, Seat
from gouji.v1.matchmaking_pb2 import PlaceTableRequest
from gouji.v1.rules_pb2 import Clock, MatchLength, RuleSet
from gouji.wire import action_from_proto

PATIENT = Patience(total=120, attempt=5, silence=4)
REPEATED = 0.1
"""Share of the commands that are sent once more after they were answered."""

OVERTAKEN = frozenset({"stale_turn", "not_your_turn", "table_over", "hand_over"})
"""Refusals of a player whom the clock overtook."""


@dataclass(frozen=True)
class Acknowledged:
    """A command that was answered as done, and the event that shows it."""

    command_id: str
    action: Action
    sequence: int


class NotedClient(TableClient):
    """A client that counts what its calls and streams failed with before they were tried again.

    ``sent_away`` are the times at which its stream was sent to another server.
    """

    failures: ClassVar[Counter[str]] = Counter()

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.sent_away: list[float] = []

    def _note(self, error: ClientError) -> None:
        self.failures[error.reason or error.code.name] += 1
        if error.reason == "resume_from":
            self.sent_away.append(time.time())
        super()._note(error)


@dataclass
class Witness:
    """One watcher of one table. ``seat`` is None for a spectator; ``calls`` are times of its commands and answers."""

    table_id: str
    seat: int | None
    client: NotedClient
    events: list[Event] = field(default_factory=list)
    received: list[float] = field(default_factory=list)
    acknowledged: list[Acknowledged] = field(default_factory=list)
    calls: list[tuple[float, float]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    async def watch(self) -> None:
        """Follow the table to the match's end, and keep all that it shows."""
        async for event in self.client.watch():
            self.events.append(event)
            self.received.append(time.time())
            self.react()

    def react(self) -> None:
        """Do something about the newest event."""


class Player(Witness):
    """Plays at random what is lawful, under ids that are known before the command is first sent."""

    def begin(self, seed: str) -> None:
        """Set the player's chance."""
        self.chance = random.Random(seed)
        self.answering: dict[int, asyncio.Task[None]] = {}

    def react(self) -> None:
        """Answer a turn that asks this seat; again after a fail-over, if that has not been done."""
        turn = self.client.view.turn.number
        if self.client.view.asked and (turn not in self.answering or self.answering[turn].done()):
            self.answering[turn] = asyncio.create_task(self._answer(turn))

    async def watch(self) -> None:
        """Play the match to its end."""
        await super().watch()
        await asyncio.gather(*self.answering.values())

    async def _answer(self, turn: int) -> None:
        try:
            seen = await self.client.observe()
            if seen.turn.number != turn or not seen.legal_actions:
                return
            action = action_from_proto(self.seat or 0, self.chance.choice(seen.legal_actions))
            await self._act(turn, action, f"{turn}/{uuid4().hex}")
        except ClientError as error:
            if error.reason not in OVERTAKEN:
                self.problems.append(f"seat {self.seat}: {error}")

    async def _act(self, turn: int, action: Action, command_id: str) -> None:
        began = time.time()
        answer = await self.client.act(action, turn, command_id)
        self.calls.append((began, time.time()))
        self.acknowledged.append(Acknowledged(command_id, action, answer.sequence))
        if self.chance.random() < REPEATED:
            again = await self.client.act(action, turn, command_id)
            first = (table_pb2.OUTCOME_DUPLICATE, answer.sequence)
            if (again.outcome, again.sequence) != first:
                self.problems.append(f"seat {self.seat}: {command_id} got another answer the second time")


@dataclass(frozen=True)
class Match:
    """What is played: hands, how long bots take, how many scripted players a table has."""

    hands: int = 1
    pace_ms: int = 100
    people: int = 2
    turn_ms: int = 15_000


class Crowd:
    """Tables, one after another in each place, each with its players and a spectator."""

    def __init__(self, hub: str, tokens: Tokens, match: Match) -> None:
        self.witnesses: list[Witness] = []
        self.enough = asyncio.Event()
        self.hub = hub
        self._tokens = tokens
        self._match = match
        self._run = uuid4().hex[:8]
        self._operator = Session(hub, Credentials(tokens.mint_operator("faults")), patience=PATIENT)
        NotedClient.failures = Counter()

    @property
    def failures(self) -> Counter[str]:
        """What calls and streams failed with before they were tried again."""
        return NotedClient.failures

    @property
    def tables(self) -> Sequence[str]:
        """All tables placed so far."""
        return list(dict.fromkeys(witness.table_id for witness in self.witnesses))

    async def fill(self, places: int) -> None:
        """Play at so many places at once, at each one match after another until it is enough."""
        async with self._operator, asyncio.TaskGroup() as group:
            for place in range(places):
                group.create_task(self._fill(place))

    async def _fill(self, place: int) -> None:
        number = 0
        while number == 0 or not self.enough.is_set():
            await self._play(f"{self._run}-{place}-{number}")
            number += 1

    async def _play(self, name: str) -> None:
        players = [f"{name}-p{seat}" for seat in range(self._match.people)]
        table_id = await self._place(name, players)
        sessions = [
            Session(self.hub, Credentials(self._tokens.mint_player(one, one).access_token, one), patience=PATIENT)
            for one in players
        ]
        here: list[Witness] = [Witness(table_id, None, NotedClient(self._operator, table_id, spectate=True))]
        for seat, session in enumerate(sessions):
            player = Player(table_id, seat, NotedClient(session, table_id))
            player.begin(players[seat])
            here.append(player)
        self.witnesses += here
        try:
            async with asyncio.TaskGroup() as group:
                for witness in here:
                    group.create_task(witness.watch())
        finally:
            for session in sessions:
                await session.close()

    async def _place(self, name: str, players: Sequence[str]) -> str:
        people = [Seat(player_id=one, name=one) for one in players]
        request = PlaceTableRequest(
            request_id=name,
            rules=RuleSet(preset="standard"),
            length=MatchLength(hands=self._match.hands),
            clock=Clock(turn_ms=self._match.turn_ms, answers_least_ms=20, answers_most_ms=60),
            seats=[*people, *[Seat(bot_level="random")] * (6 - len(people))],
            bot_pace_ms=self._match.pace_ms,
        )
        stub = matchmaking_pb2_grpc.MatchmakingServiceStub(self._operator.channel())
        return (await self._operator.call(stub.PlaceTable, request)).table_id
