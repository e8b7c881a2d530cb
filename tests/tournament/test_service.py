"""Tournaments over real gRPC, on both databases: who may do what, and that it is done once."""

import asyncio
import hashlib
from typing import Any

import pytest
import sqlalchemy as sa

from gouji.serving.errors import ServiceError
from gouji.serving.schema import tournament_entries
from gouji.tournament.names import NOBODY
from gouji.tournament.service import ROLES
from gouji.tournament.terms import read_terms
from gouji.v1 import tournament_log_pb2, tournament_pb2
from gouji.v1.events_pb2 import Seat

from .conftest import Caller
from .simulated import ROUND_ROBIN, SINGLES, TEAMS, terms_of

BOARD = 10_000


async def test_an_event_is_announced_once(running: Any) -> None:
    made = await running.create()
    assert not made.stood
    again = await running.create()
    assert again.stood
    assert again.tournament == made.tournament
    assert len(made.tournament.seed_commitment) == 32
    other = terms_of(name="Autumn")
    assert (
        await running.director.refused("CreateTournament", tournament_id="spring", terms=other) == "tournament_exists"
    )
    listed = await running.player("ann").call("ListTournaments")
    assert [one.tournament_id for one in listed.tournaments] == ["spring"]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"name": ""}, "malformed"),
        ({"name": "a\0b"}, "malformed"),
        ({"name": "x" * 81}, "malformed"),
        ({"format": 9}, "malformed"),
        ({"entrants": 0}, "malformed"),
        ({"rounds": 33}, "malformed"),
        ({"rounds": 0, "format": ROUND_ROBIN, "entrants": SINGLES}, "malformed"),
        ({"boards": 0}, "malformed"),
        ({"boards": 17}, "malformed"),
        ({"most_entrants": 3}, "malformed"),
        ({"most_entrants": 1001}, "malformed"),
        ({"break_seconds": 2**32 - 1}, "malformed"),
        ({"stand_in_seconds": 3601}, "malformed"),
        ({"bot_pace_ms": 2**31}, "malformed"),
        ({"starts": {"seconds": -5}}, "malformed"),
        ({"starts": {"seconds": 10}, "check_in_opens": {"seconds": 20}}, "malformed"),
        ({"rules": {"preset": "nowhere"}}, "unknown_rule_option"),
        ({"rules": {"preset": "free_for_all"}}, "malformed"),
    ],
    ids=str,
)
def test_terms_that_make_no_sense_are_refused(fields: Any, reason: str) -> None:
    with pytest.raises(ServiceError) as refusal:
        read_terms(terms_of(**fields))
    assert refusal.value.reason == reason


async def test_ids_have_a_form_and_others_are_unknown(running: Any) -> None:
    for event in ("", "Spring", "-a", "a-", "a/b", "a" * 33, "a\0"):
        assert await running.director.refused("CreateTournament", tournament_id=event, terms=terms_of()) == "malformed"
        assert await running.player("ann").refused("GetTournament", tournament_id=event) == "unknown_tournament"
        assert await running.player("ann").refused("Withdraw", tournament_id=event) == "unknown_tournament"
        pairing = {"tournament_id": event, "command_id": "c1", "reason": "x", "round": 1}
        assert await running.director.refused("PairAgain", **pairing) == "unknown_tournament"
    terms = terms_of(stand_in_level="grandmaster")
    assert await running.director.refused("CreateTournament", tournament_id="a", terms=terms) == "unknown_bot_level"


async def test_only_directors_direct(running: Any) -> None:
    directors = [name for name, roles in ROLES.items() if roles == {"director"} and name != "ListEntries"]
    assert len(directors) == 7
    for method in directors:
        for caller in (running.player("ann"), running.operator):
            assert await caller.refused(method, tournament_id="spring") == "forbidden"


async def test_players_enter_themselves_and_captains_their_teams(running: Any) -> None:
    await running.create(entrants=TEAMS)
    team = [Seat(player_id=player_id) for player_id in ("ann", "bob", "cas")]
    ann, bob = running.player("ann"), running.player("bob")
    entry = {"tournament_id": "spring", "name": "Reds", "players": team}
    assert await ann.refused("EnterTournament", **entry) == "unknown_player"
    await running.know("ann", "bob", "cas")
    assert await ann.refused("EnterTournament", **entry) == "wrong_stage"
    await running.change("OPEN_REGISTRATION")
    assert await bob.refused("EnterTournament", **entry) == "not_captain"
    assert await ann.refused("EnterTournament", tournament_id="spring", name="Reds") == "malformed"
    mixed = [team[0], team[1], Seat(bot_level="greedy")]
    assert await ann.refused("EnterTournament", tournament_id="spring", name="Reds", players=mixed) == "forbidden"
    twice = [team[0], team[1], team[1]]
    assert await ann.refused("EnterTournament", tournament_id="spring", name="Reds", players=twice) == "malformed"
    answers = [await ann.call("EnterTournament", **entry) for _ in range(2)]
    assert [answer.stood for answer in answers] == [False, True]
    assert [player.name for player in answers[0].entrant.players] == ["Ann", "Bob", "Cas"]
    assert await running.player("dan").refused("Withdraw", tournament_id="spring", entrant=1) == "unknown_entrant"
    await bob.call("Withdraw", tournament_id="spring")
    (entrant,) = (await bob.call("ListEntrants", tournament_id="spring")).entrants
    assert entrant.withdrawn
    last = (await running.director.entries())[-1]
    assert (last.actor, last.withdrawn.entrant) == ("bob", 1)


async def test_single_players_enter_and_check_in_by_themselves(running: Any) -> None:
    await running.create()
    await running.change("OPEN_REGISTRATION")
    await asyncio.gather(*(running.player(f"p{n}").call("EnterTournament", tournament_id="spring") for n in range(20)))
    entrants = (await running.operator.call("ListEntrants", tournament_id="spring", limit=500)).entrants
    assert [entrant.number for entrant in entrants] == list(range(1, 21))
    assert len({entrant.name for entrant in entrants}) == 20
    assert [entrant.waiting for entrant in entrants] == [False] * 18 + [True] * 2
    page = await running.operator.call("ListEntrants", tournament_id="spring", after=18, limit=5)
    assert [entrant.number for entrant in page.entrants] == [19, 20]
    await running.change("OPEN_CHECK_IN")
    for number in range(12):
        await running.player(f"p{number}").call("CheckIn", tournament_id="spring")
    await running.director.call("CheckIn", tournament_id="spring", entrant=20)
    event = await running.change("START")
    assert (event.entrants, event.stage) == (13, tournament_log_pb2.TOURNAMENT_STAGE_RUNNING)


async def test_an_event_runs_from_registration_to_its_standings(running: Any) -> None:
    await running.begin(bots=14, boards=1)

    def made(request: str) -> tuple[int, int]:
        drawn = hashlib.sha256(request.encode()).digest()[0]
        return (drawn % 5, 0) if drawn % 2 else (0, drawn % 7)

    for number in (1, 2):
        await running.come(lambda event, number=number: len(event.played) == number and event.played[-1].placed == 2)
        shut = await running.player("ann").call("ListPairings", tournament_id="spring", round=number)
        assert not any(board.HasField("score") for pairing in shut.pairings for board in pairing.boards)
        assert not shut.round.boards[0].secret
        assert await running.tables.end(made) == 2
    event = await running.come(lambda event: event.stage == tournament_log_pb2.TOURNAMENT_STAGE_OVER)
    assert [len(one.byes) for one in event.played] == [2, 2]
    assert await running.tables.open_boards() == {"spring/1/1", "spring/2/1"}
    for one in event.played:
        for board in one.boards:
            assert hashlib.sha256(board.secret + board.board_id.encode()).digest() == board.commitment
    assert hashlib.sha256(event.seed + b"spring").digest() == event.seed_commitment
    standings = (await running.player("ann").call("GetStandings", tournament_id="spring")).standings
    assert [row.rank for row in standings] == list(range(1, 15))
    assert all(row.score == sum(row.rounds) for row in standings)
    assert sum(row.score for row in standings) == 2 * (12 * BOARD // 2 + 2 * 6000)
    first = await running.player("ann").call("GetStandings", tournament_id="spring", round=1, after=3, limit=2)
    assert [(row.rank, len(row.rounds)) for row in first.standings] == [(4, 1), (5, 1)]
    specs = await running.tables.all()
    assert all(len(spec.seats) == 6 and spec.board.commitment for spec in specs.values())
    async with asyncio.timeout(20):  # the event is put away a moment after its end
        while (await running.director.call("ListTournaments", open=True)).tournaments:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.01)


async def test_what_a_director_decides_is_done_once_and_written_down(running: Any) -> None:
    await running.begin()
    wanted = {"tournament_id": "spring", "command_id": "c1", "reason": "spoke at the table", "entrant": 3}
    await asyncio.gather(*(running.director.call("AdjustScore", points=-500, **wanted) for _ in range(8)))
    assert await running.director.refused("AdjustScore", points=-400, **wanted) == "command_id_reused"
    assert await running.director.refused("AdjustScore", points=-500, **wanted | {"reason": ""}) == "malformed"
    assert await running.director.refused("AdjustScore", points=0, **wanted) == "malformed"
    unknown = wanted | {"command_id": "c2", "entrant": 99}
    assert await running.director.refused("AdjustScore", points=5, **unknown) == "unknown_entrant"
    assert await running.director.refused("AdjustScore", points=5, **wanted | {"command_id": "a\0"}) == "malformed"
    adjusted = [entry for entry in await running.director.entries() if entry.HasField("score_adjusted")]
    assert [(entry.actor, entry.reason) for entry in adjusted] == [("dora", "spoke at the table")]
    rows = (await running.director.call("GetStandings", tournament_id="spring")).standings
    assert [row.entrant for row in rows][-1] == 3
    assert [row.score for row in rows] == [0] * 11 + [-500]
    async with running.app.database.connect() as connection:
        query = sa.select(tournament_entries.c.seq).order_by(tournament_entries.c.seq)
        sequences = list(await connection.scalars(query))
    assert sequences == list(range(1, len(sequences) + 1))


async def test_a_round_is_paired_anew_while_it_has_not_begun(running: Any) -> None:
    await running.begin(break_seconds=3600)
    event = await running.come(lambda event: event.played)
    before = (await running.director.call("ListPairings", tournament_id="spring", round=1)).pairings
    one, other = before[0].first[0], before[1].first[0]
    wanted = {"tournament_id": "spring", "command_id": "c1", "reason": "brothers", "round": 1}
    swaps = [tournament_pb2.EntrantSwap(one=one, other=other)]
    for _ in range(2):
        paired = await running.director.call("PairAgain", swaps=swaps, **wanted)
    assert paired.round.pairings == 2
    after = (await running.director.call("ListPairings", tournament_id="spring", round=1)).pairings
    assert (after[0].first[0], after[1].first[0]) == (other, one)
    assert [board.commitment for board in paired.round.boards] == [board.commitment for board in event.played[0].boards]
    nobody = [tournament_pb2.EntrantSwap(one=one, other=99)]
    more = wanted | {"command_id": "c2"}
    assert await running.director.refused("PairAgain", swaps=nobody, **more) == "unknown_entrant"
    assert await running.director.refused("PairAgain", swaps=swaps * 17, **more) == "malformed"
    assert await running.director.refused("PairAgain", **more | {"round": 2}) == "unknown_round"
    assert len([entry for entry in await running.director.entries() if entry.HasField("round_paired")]) == 2


async def test_rulings_on_tables_and_no_shows_count(running: Any) -> None:
    await running.begin(rounds=1, boards=1)
    await running.come(lambda event: event.played and event.played[0].placed == 2)
    tables = sorted(await running.tables.all())
    command = {"tournament_id": "spring", "reason": "the table stands still", "round": 1}
    ruled = {"pairing": 1, "board": 1, "even_score": 6000, "odd_score": 4000}
    refused = running.director.refused
    assert await refused("RuleTable", command_id="r0", **command, **ruled | {"even_score": 10_001}) == "malformed"
    assert await refused("RuleTable", command_id="r0", **command, **ruled | {"pairing": 3}) == "unknown_round"
    assert await refused("RuleNoShow", command_id="r0", **command, entrant=13) == "unknown_entrant"
    await running.director.call("RuleTable", command_id="r1", **command, **ruled)
    await running.tables.end(state="frozen", request=tables[0])
    await running.tables.end()
    await running.come(lambda event: event.stage == tournament_log_pb2.TOURNAMENT_STAGE_OVER)
    pairings = (await running.director.call("ListPairings", tournament_id="spring", round=1)).pairings
    scores = [pairing.boards[0].score for pairing in pairings]
    assert [(score.even_score, score.odd_score, score.ruled) for score in scores] == [
        (6000, 4000, True),
        (5000, 5000, False),
    ]
    absent = pairings[1].first[0]
    await running.director.call("RuleNoShow", command_id="r2", **command, entrant=absent, score=1000)
    rows = (await running.director.call("GetStandings", tournament_id="spring")).standings
    assert [row.score for row in rows if row.entrant == absent] == [1000]


async def test_pages_and_rounds_that_there_are_not_are_refused(running: Any) -> None:
    await running.begin(break_seconds=3600)
    player = running.player("ann")
    assert await player.refused("ListEntrants", tournament_id="spring", limit=501) == "malformed"
    assert await player.refused("GetStandings", tournament_id="spring", limit=501) == "malformed"
    assert await player.refused("GetStandings", tournament_id="spring", round=1) == "unknown_round"
    assert await player.refused("ListPairings", tournament_id="spring", round=2) == "unknown_round"
    assert await player.refused("ListPairings", tournament_id="spring", limit=101) == "malformed"
    assert await player.refused("ListTournaments", limit=101) == "malformed"
    assert (await player.call("ListEntrants", tournament_id="spring", after=2**32 - 1)).entrants == []
    assert await running.director.entries(after=2**64 - 1) == []


async def test_a_deleted_player_leaves_its_id_alone_in_records(running: Any) -> None:
    await running.know("ann", "bob")
    await running.create()
    await running.change("OPEN_REGISTRATION")
    for player in ("ann", "bob"):
        await running.player(player).call("EnterTournament", tournament_id="spring")
    service = Caller(running.stub, running.app.tokens.mint_service())
    assert await running.director.refused("RemoveFromTournaments", player_id="ann") == "forbidden"
    for _ in range(2):
        await service.call("RemoveFromTournaments", player_id="ann")
    assert "Ann" not in str(await running.director.entries())
    listed = await running.player("bob").call("ListEntrants", tournament_id="spring")
    named = [(one.name, one.players[0].player_id, one.players[0].name) for one in listed.entrants]
    assert named == [(NOBODY, "ann", ""), ("Bob", "bob", "Bob")]
    async with running.app.database.connect() as connection:
        entries = await connection.scalars(sa.select(tournament_entries.c.entry))
        assert not [entry for entry in entries if b"Ann" in entry]
