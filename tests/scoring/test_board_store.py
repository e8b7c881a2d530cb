"""Leaderboards in both databases: exact at every moment, whatever results and folding do at once."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from gouji.scoring.board_store import FOLDED_AT_ONCE
from gouji.scoring.boards import ALL, Board, Counted, Kind
from gouji.scoring.standing_store import _ahead, _View
from gouji.serving.database import Database
from gouji.serving.pages import Place
from gouji.serving.schema import board_counts, board_entries, board_moves, boards

from .standing import DECEMBER, EVERYBODY, NOVEMBER, Scorer, assert_exact, at

RATINGS = Board(Kind.RATING, ALL, "standard", ALL)
SEASON = EVERYBODY._replace(season="2026-11")
MATCHES = 12


@pytest.fixture
async def scorer(database_url: str) -> AsyncIterator[Scorer]:
    database = Database(database_url)
    yield Scorer(database)
    await database.close()


@pytest.fixture
async def other(database_url: str) -> AsyncIterator[Scorer]:
    """Another process on the same database."""
    database = Database(database_url)
    yield Scorer(database)
    await database.close()


async def count(scorer: Scorer, table: sa.Table) -> int:
    async with scorer.database.connect() as connection:
        return int(await connection.scalar(sa.select(sa.func.count()).select_from(table)) or 0)


def some_points(chance: random.Random) -> dict[str, int]:
    """Points of six among few players, few and far apart, so that many are equal and counts of all widths are used."""
    people = chance.sample([f"p{number:02}" for number in range(15)], 6)
    return {player: chance.choice((-1500, -2, 0, 2, 1500)) for player in people}


async def test_points_are_summed_by_season_preset_and_region(scorer: Scorer) -> None:
    await scorer.add({"ann": 4, "bob": -4})
    await scorer.add({"ann": 2, "cid": 1}, DECEMBER, preset="qingdao")
    await scorer.add({"ann": 1}, region="cn")
    assert await scorer.scores() == {"ann": 7, "cid": 1, "bob": -4}
    assert await scorer.scores(SEASON) == {"ann": 5, "bob": -4}
    assert await scorer.scores(SEASON._replace(season="2026-12")) == {"ann": 2, "cid": 1}
    assert await scorer.scores(EVERYBODY._replace(preset="qingdao")) == {"ann": 2, "cid": 1}
    assert await scorer.scores(EVERYBODY._replace(region="cn")) == {"ann": 1}
    assert await scorer.scores(SEASON._replace(preset="standard", region="eu")) == {"ann": 4, "bob": -4}
    assert await scorer.scores(SEASON._replace(preset="korea")) == {}


async def test_equal_scores_share_a_rank_and_the_next_is_as_much_lower(scorer: Scorer) -> None:
    await scorer.add({"a": 5, "b": 3, "c": 3, "d": 3, "e": 1, "f": 1})
    assert [one.rank for one in (await scorer.page()).standings] == [1, 2, 2, 2, 5, 5]


@pytest.mark.parametrize("folded", [False, True])
async def test_ranks_are_exact_before_and_after_folding(scorer: Scorer, *, folded: bool) -> None:
    chance = random.Random(5)
    expected: Counter[str] = Counter()
    for _ in range(30):
        points = some_points(chance)
        expected.update(points)
        await scorer.add(points)
        if folded and chance.random() < 0.5:
            await scorer.fold()
            assert await count(scorer, board_moves) == 0
    found = await scorer.page()
    assert {one.player_id: one.score for one in found.standings} == expected
    assert sum(one.matches for one in found.standings) == 30 * 6
    assert_exact(found)


async def test_more_moves_than_one_transaction_folds_are_folded_in_several(scorer: Scorer) -> None:
    for start in range(0, FOLDED_AT_ONCE, 1000):
        await scorer.add({f"p{number:05}": number for number in range(start, start + 1000)}, preset="", region="")
    assert await count(scorer, board_moves) == 2 * FOLDED_AT_ONCE  # of all time, and of the season
    assert [await scorer.boards.fold(), await scorer.boards.fold(), await scorer.boards.fold()] == [True, True, False]
    assert await count(scorer, board_moves) == 0
    async with scorer.database.connect() as connection:
        sums = sa.select(sa.func.sum(board_counts.c.players)).group_by(board_counts.c.board_id, board_counts.c.width)
        assert set(await connection.scalars(sums)) == {FOLDED_AT_ONCE}


async def test_ranks_are_exact_at_every_moment_while_processes_record_and_fold(scorer: Scorer, other: Scorer) -> None:
    ended, looks = asyncio.Event(), 0

    async def record(process: Scorer, seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(MATCHES):
            await process.add(some_points(chance))

    async def fold(process: Scorer) -> None:
        while not ended.is_set():
            await process.boards.fold()
            await asyncio.sleep(0)

    async def look() -> None:
        nonlocal looks
        while not ended.is_set():
            assert_exact(await scorer.page())
            looks += 1

    busy = [asyncio.create_task(work) for work in (fold(scorer), fold(other), look())]
    await asyncio.gather(*(record(process, seed) for seed, process in enumerate((scorer, other, scorer, other))))
    ended.set()
    await asyncio.gather(*busy)
    await scorer.fold()
    found = await scorer.page()
    assert_exact(found)
    assert sum(one.matches for one in found.standings) == 4 * MATCHES * 6
    assert looks > 1


async def test_results_without_a_common_player_do_not_wait_for_each_other(postgres_url: str) -> None:
    one, two = Scorer(Database(postgres_url)), Scorer(Database(postgres_url))
    await one.add({"ann": 1, "bob": 1})
    await one.rate({"ann": 1, "bob": 1})
    match = Counted(NOVEMBER, "standard", "eu")
    async with one.database.begin() as first, two.database.begin() as second:
        for process, connection, player in ((one, first, "ann"), (two, second, "bob"), (one, first, "cid")):
            await process.boards.count(connection, match, {player: 1}, {player: 2})
    assert await one.scores() == {"ann": 2, "bob": 2, "cid": 1}
    for process in (one, two):
        await process.database.close()


async def test_pages_and_neighbours_walk_along_an_index(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    view = _View(1, None)
    place = Place(5, "ann")
    async with database.connect() as connection:
        for query in (
            view.rows().order_by(board_entries.c.score.desc(), board_entries.c.player_id.desc()),
            view.rows().order_by(board_entries.c.score).where(view.order > place),
            sa.select(_ahead(1, 5)),
        ):
            text = str(query.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
            plan = [row.detail for row in await connection.execute(sa.text(f"EXPLAIN QUERY PLAN {text}"))]
            assert not [step for step in plan if step.startswith("SCAN") and "CONSTANT" not in step], plan
            assert not [step for step in plan if "TEMP B-TREE" in step], plan
    await database.close()


async def test_a_result_that_is_rolled_back_leaves_the_boards_as_they_were(scorer: Scorer) -> None:
    await scorer.add({"ann": 4})

    async def fail() -> None:
        async with scorer.database.begin() as connection:
            await scorer.boards.count(connection, Counted(NOVEMBER, "standard", "eu"), {"ann": 2, "bob": 2}, {})
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert await scorer.scores() == {"ann": 4}
    assert_exact(await scorer.page())


async def test_a_correction_changes_points_and_no_number_of_matches(scorer: Scorer) -> None:
    await scorer.add({"ann": 4, "bob": -4})
    await scorer.add({"ann": -8, "bob": 8}, matches=0)
    found = await scorer.page()
    assert [(one.player_id, one.score, one.matches) for one in found.standings] == [("bob", 4, 1), ("ann", -4, 1)]


async def test_who_has_no_match_left_after_a_correction_has_no_rank(scorer: Scorer) -> None:
    await scorer.add({"ann": 4, "bob": -4})
    await scorer.add({"ann": 1})
    await scorer.add({"ann": -4, "bob": 4}, matches=-1)
    assert await scorer.scores() == {"ann": 1}
    assert_exact(await scorer.page())


async def test_ratings_replace_one_another_and_provisional_ones_have_no_rank(scorer: Scorer) -> None:
    await scorer.rate({"ann": 1500, "bob": None, "cid": 1200})
    await scorer.rate({"ann": 1400, "bob": 1450, "cid": None})
    found = await scorer.page(RATINGS)
    assert [(one.player_id, one.score, one.matches) for one in found.standings] == [("bob", 1450, 2), ("ann", 1400, 2)]
    await scorer.fold()
    assert_exact(await scorer.page(RATINGS))
    assert await scorer.scores() == {}


async def test_a_match_counts_in_the_season_in_which_it_ended(scorer: Scorer) -> None:
    border = at(2026, 12, 1)
    await scorer.add({"last": 1}, border - 1)
    await scorer.add({"first": 1}, border)
    assert await scorer.scores(SEASON) == {"last": 1}
    assert await scorer.scores(SEASON._replace(season="2026-12")) == {"first": 1}


async def test_late_results_count_until_the_season_is_final_and_for_all_time_afterwards(scorer: Scorer) -> None:
    await scorer.add({"ann": 4, "bob": 2})
    await scorer.seasons.make_final(at(2026, 12, 1) - 1, 0)
    await scorer.add({"ann": 1})
    await scorer.archive(at(2026, 12, 1))
    final = await scorer.page(SEASON)
    await scorer.add({"ann": -9, "cid": 7})
    await scorer.archive(at(2026, 12, 2))
    assert await scorer.page(SEASON) == final
    assert [(one.rank, one.player_id, one.score) for one in final.standings] == [(1, "ann", 5), (2, "bob", 2)]
    assert await scorer.scores() == {"cid": 7, "bob": 2, "ann": -4}


async def test_the_archive_has_the_ranks_that_the_board_had_and_nothing_else_is_kept(scorer: Scorer) -> None:
    chance = random.Random(9)
    for _ in range(12):
        await scorer.add(some_points(chance), preset="standard", region="")
    await scorer.boards.fold()
    await scorer.add(some_points(chance), region="")
    live = await scorer.page(SEASON)
    everybody = await scorer.page()
    await scorer.archive(DECEMBER)
    assert await scorer.page(SEASON) == live
    assert await scorer.page() == everybody
    async with scorer.database.connect() as connection:
        mine = sa.select(boards.c.board_id).where(boards.c.season_id == "2026-11")
        for table in (board_entries, board_moves, board_counts):
            left = sa.select(sa.func.count()).select_from(table).where(table.c.board_id.in_(mine))
            assert await connection.scalar(left) == 0


async def test_processes_that_archive_at_once_write_a_board_once(scorer: Scorer, other: Scorer) -> None:
    await scorer.add({"ann": 4, "bob": 2})
    live = await scorer.page(SEASON)
    await asyncio.gather(*(process.archive(DECEMBER) for process in (scorer, other, scorer)))
    assert await scorer.page(SEASON) == live
    assert await scorer.boards.due() == []


async def test_boards_that_were_not_reached_are_archived_by_the_next_who_looks(scorer: Scorer, other: Scorer) -> None:
    await scorer.add({"ann": 4})
    await scorer.seasons.make_final(DECEMBER, 0)
    first, *others = await scorer.boards.due()
    await scorer.boards.archive(first)
    assert await other.boards.due() == others
    await other.archive(DECEMBER)
    assert await scorer.scores(SEASON) == {"ann": 4}


async def test_a_season_becomes_final_after_the_results_that_are_being_recorded(scorer: Scorer, other: Scorer) -> None:
    await scorer.add({"ann": 4})
    async with scorer.database.begin() as connection:
        await scorer.boards.count(connection, Counted(NOVEMBER, "standard", "eu"), {"ann": 1, "bob": 2}, {})
        ending = asyncio.create_task(other.archive(DECEMBER))
        assert not (await asyncio.wait([ending], timeout=0.2))[0]
    await ending
    assert await scorer.scores(SEASON) == {"ann": 5, "bob": 2}


async def test_grace_is_counted_from_the_seasons_end(scorer: Scorer) -> None:
    hour = 3_600_000_000
    await scorer.add({"ann": 4})
    await scorer.seasons.make_final(at(2026, 12, 1, 0, 59), hour)
    await scorer.add({"ann": 1})
    await scorer.seasons.make_final(at(2026, 12, 1, 1), hour)
    await scorer.add({"ann": 1})
    assert await scorer.scores(SEASON) == {"ann": 5}


async def test_another_schedule_holds_from_the_end_of_what_has_begun(scorer: Scorer) -> None:
    await scorer.add({"ann": 1})
    yearly = Scorer(scorer.database, "yearly")
    await yearly.add({"ann": 2})
    await yearly.add({"ann": 4}, DECEMBER)
    await yearly.add({"ann": 8}, at(2026, 1, 1))
    found = [(stored.season.season_id, stored.season.begins.month) for stored in await yearly.seasons.newest(10, None)]
    assert found == [("2026", 12), ("2026-11", 11)]
    assert await scorer.scores(SEASON) == {"ann": 3}
    assert await scorer.scores(SEASON._replace(season="2026")) == {"ann": 4}
    assert await scorer.scores() == {"ann": 15}


async def test_without_a_schedule_all_counts_for_all_time_alone(scorer: Scorer) -> None:
    never = Scorer(scorer.database, "none")
    await never.add({"ann": 1})
    assert await never.seasons.newest(10, None) == []
    assert await never.scores() == {"ann": 1}


async def test_processes_that_begin_a_season_at_once_begin_one(scorer: Scorer, other: Scorer) -> None:
    quarterly = Scorer(other.database, "quarterly")
    await asyncio.gather(*(process.seasons.begin(NOVEMBER) for process in (scorer, quarterly) * 5))
    assert len(await scorer.seasons.newest(10, None)) == 1
