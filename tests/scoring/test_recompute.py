"""Points and ratings made anew: equal to what stands, to the last digit; and whatever is otherwise is found."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import sqlalchemy as sa
from recompute import play
from typer.testing import CliRunner

from gouji.cli.main import app as gouji
from gouji.scoring import board_rebuild, rating, recompute
from gouji.scoring import rewrite as rewriting
from gouji.scoring.boards import ALL, Board, Kind, scores_of
from gouji.scoring.intake import Intake, Ruling
from gouji.scoring.rating import Skill
from gouji.scoring.recompute import Compared, differences
from gouji.scoring.rewrite import rewrite
from gouji.scoring.seasons import Schedule
from gouji.scoring.standing_store import Found
from gouji.serving.database import Database
from gouji.serving.schema import (
    board_entries,
    boards,
    hand_corrections,
    match_results,
    match_seats,
    player_points,
    rated_matches,
    rating_changes,
    rating_revisions,
    ratings,
)
from gouji.v1.scoring_pb2 import HandResult

from .standing import Scorer, assert_exact

MATCHES = 30
PEOPLE = 20
MONTHLY = Schedule.parse("monthly")
DERIVED = (match_results, match_seats, player_points, ratings)


@asynccontextmanager
async def played_on(url: str) -> AsyncIterator[Database]:
    database = Database(url)
    await play(database, MATCHES, PEOPLE, random.Random(8), corrected=0.1)
    yield database
    await database.close()


@pytest.fixture(autouse=True)
def in_small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recompute, "AT_ONCE", 7)
    monkeypatch.setattr(rewriting, "AT_ONCE", 7)


@pytest.fixture
async def played(database_url: str) -> AsyncIterator[Database]:
    """A database of each kind with simulated matches and corrections."""
    async with played_on(database_url) as database:
        yield database


@pytest.fixture
async def played_sqlite(sqlite_url: str) -> AsyncIterator[Database]:
    async with played_on(sqlite_url) as database:
        yield database


async def found(database: Database) -> list[str]:
    async with database.snapshot() as connection:
        return [str(difference) async for difference in differences(connection, Compared())]


async def rows(database: Database, table: sa.Table) -> list[tuple[object, ...]]:
    async with database.connect() as connection:
        return [tuple(row) for row in await connection.execute(sa.select(table).order_by(*table.primary_key))]


async def rated_in(database: Database, revision: int) -> list[str]:
    """The matches of a revision of all ratings, in the order in which they were rated."""
    mine = rated_matches.c
    query = sa.select(mine.table_id).where(mine.revision == revision).order_by(mine.number)
    async with database.connect() as connection:
        return list(await connection.scalars(query))


async def test_what_is_made_anew_is_what_stands_to_the_last_digit(played: Database) -> None:
    compared = Compared()
    async with played.snapshot() as connection:
        assert [str(difference) async for difference in differences(connection, compared)] == []
    assert compared.matches == MATCHES
    assert compared.hands > MATCHES
    assert compared.changes > MATCHES / 2
    assert await rows(played, hand_corrections)


async def test_whatever_stands_otherwise_is_found(played_sqlite: Database) -> None:
    played = played_sqlite
    tiny = 2.0**-50
    for table, change in (
        (ratings, {"mu": ratings.c.mu * (1 + tiny)}),
        (ratings, {"sigma": ratings.c.sigma * (1 + tiny)}),
        (rating_changes, {"mu_before": rating_changes.c.mu_before * (1 + tiny)}),
        (board_entries, {"score": board_entries.c.score + 1}),
        (board_entries, {"listed": False}),
        (player_points, {"place": 7}),
        (match_seats, {"absent_us": match_seats.c.absent_us + 1}),
        (match_results, {"voided": ~match_results.c.voided}),
        (rated_matches, {"model": "another"}),
    ):
        async with played.begin() as connection:
            await connection.execute(sa.update(table).values(**change))
            told = [str(difference) async for difference in differences(connection, Compared())]
            await connection.rollback()
        assert told, table.name
    assert await found(played) == []


async def test_what_is_missing_or_too_much_is_found(played_sqlite: Database) -> None:
    played = played_sqlite
    for table in (ratings, board_entries, match_results, rated_matches):
        async with played.begin() as connection:
            await connection.execute(sa.delete(table))
            assert [str(difference) async for difference in differences(connection, Compared())], table.name
            await connection.rollback()
    async with played.begin() as connection:
        extra = {"player_id": "zoe", "family": "standard", "mu": 1, "sigma": 1, "matches": 1, "updated_at": 1}
        await connection.execute(sa.insert(ratings).values(**extra))
    assert [text.partition(":")[0] for text in await found(played)] == ["ratings zoe, standard"]


async def test_a_new_revision_rates_each_match_once_and_puts_everything_right(played: Database) -> None:
    before = {table.name: await rows(played, table) for table in DERIVED}
    async with played.begin() as connection:
        await connection.execute(sa.update(ratings).values(mu=0.0))
        await connection.execute(sa.delete(match_seats))
    assert await rewrite(played, "ann") == 2
    assert await found(played) == []
    after = {table.name: await rows(played, table) for table in DERIVED}
    assert {name: after[name] for name in after if name != "ratings"} == {
        name: before[name] for name in before if name != "ratings"
    }
    ((revision, model, by, _),) = await rows(played, rating_revisions)
    assert (revision, model, by) == (2, rating.MODEL, "ann")
    first, second = [await rated_in(played, number) for number in (1, 2)]
    assert sorted(set(second)) == sorted(second)
    assert second == [table_id for table_id in dict.fromkeys(first) if table_id in second]
    await Intake(played, MONTHLY).correct(Ruling(second[-1], 1, 1, HandResult(voided=True), "void", "dora"))
    assert await found(played) == []


@pytest.fixture
def soon_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few matches do not make a rating sure."""
    for module in (rating, board_rebuild):
        monkeypatch.setattr(module, "SETTLED", 8.3)


async def test_leaderboards_follow_a_new_revision(soon_settled: None, played: Database) -> None:
    scorer = Scorer(played)
    await scorer.fold()
    before = await standings(scorer)
    async with played.begin() as connection:
        await connection.execute(sa.update(board_entries).values(score=board_entries.c.score * 2 + 1))
    await rewrite(played, "ann")
    after = await standings(scorer)
    assert after.keys() == before.keys()
    assert {board for board in before if board.kind is Kind.POINTS and after[board] != before[board]} == set()
    for board, found in after.items():
        assert_exact(found)
        if board.kind is Kind.RATING and (board.season, board.region) == (ALL, ALL):
            assert {one.player_id: one.score for one in found.standings} == await settled(played, board.preset)
    assert any(found.players for board, found in after.items() if board.kind is Kind.RATING)


async def standings(scorer: Scorer) -> dict[Board, Found]:
    """All boards, whole."""
    async with scorer.database.connect() as connection:
        found = await connection.execute(sa.select(boards))
        named = [Board(Kind(row.kind), row.season_id, row.preset, row.region) for row in found]
    return {board: await scorer.page(board) for board in named}


async def settled(database: Database, family: str) -> dict[str, int]:
    """The scores of people's ratings that are not provisional."""
    async with database.connect() as connection:
        query = sa.select(ratings).where(ratings.c.family == family, ratings.c.matches > 0)
        skills = {row.player_id: Skill(row.mu, row.sigma, row.matches) for row in await connection.execute(query)}
    return {one: score for one, score in scores_of(skills).items() if score is not None}


async def test_without_corrections_a_new_revision_changes_no_digit(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    await play(database, 20, 12, random.Random(3), corrected=0)
    before = await rows(database, ratings)
    await rewrite(database, "ann")
    assert await rows(database, ratings) == before
    await database.close()


async def test_matches_that_were_never_rated_come_first_by_their_ends(played_sqlite: Database) -> None:
    played = played_sqlite
    async with played.begin() as connection:
        for table in (rated_matches, rating_changes, ratings, match_results):
            await connection.execute(sa.delete(table))
    await rewrite(played, "ann")
    assert await found(played) == []
    async with played.connect() as connection:
        ends = list(await connection.scalars(sa.select(rated_matches.c.ended_at).order_by(rated_matches.c.number)))
    assert ends == sorted(ends)


def test_the_command_says_what_differs_and_ends_with_1(sqlite_url: str) -> None:
    run = CliRunner()
    command = ["ratings", "recompute", "--database-url", sqlite_url]
    fine = run.invoke(gouji, command)
    assert (fine.exit_code, "to the last digit" in fine.output) == (0, True)
    engine = sa.create_engine(sqlite_url)
    with engine.begin() as connection:
        row = {"player_id": "zoe", "family": "standard", "mu": 1, "sigma": 1, "matches": 1, "updated_at": 1}
        connection.execute(sa.insert(ratings).values(**row))
    engine.dispose()
    wrong = run.invoke(gouji, command)
    assert wrong.exit_code == 1
    assert "ratings zoe, standard" in wrong.output
    written = run.invoke(gouji, [*command, "--write"])
    assert (written.exit_code, "revision 2" in written.output) == (0, True)
    assert run.invoke(gouji, command).exit_code == 0
