"""Bots of others' own in the books: rated each by itself, and on no leaderboard."""

import sqlalchemy as sa

from gouji.scoring.ledger import check, entries
from gouji.scoring.rating import START, match_to_rate, widened
from gouji.scoring.recompute import Compared, differences
from gouji.serving.schema import board_entries, match_seats, player_points
from gouji.v1.events_pb2 import Seat

from .desk import DAY_US, ENDED_US, SIX, Desk, last

BOT = "bot:acme/1"
MADE = last(players=[BOT, *SIX[1:]])


async def test_it_is_rated_under_its_own_id_and_stands_on_no_board(desk: Desk) -> None:
    await desk.record(MADE)
    found = await desk.ratings(BOT, "b")
    assert found[BOT][0] > START.mu > found["b"][0]
    assert found[BOT][2] == 1
    listed = {row.player_id for row in await desk.rows(board_entries)}
    assert set(SIX[1:]) <= listed
    assert BOT not in listed
    assert {row.player_id for row in await desk.rows(player_points)} == set(SIX[1:])
    [seat] = [row for row in await desk.rows(match_seats) if row.seat == 0]
    assert (seat.player_id, seat.bot_level) == (BOT, "external")


async def test_what_is_made_anew_leaves_it_out_likewise(desk: Desk) -> None:
    await desk.record(MADE)
    async with desk.app.database.snapshot() as connection:
        assert [str(one) async for one in differences(connection, Compared())] == []
    async with desk.app.database.begin() as connection:
        await connection.execute(sa.update(match_seats).where(match_seats.c.seat == 0).values(bot_level=None))
    async with desk.app.database.snapshot() as connection:
        assert [str(one) async for one in differences(connection, Compared())] != []


def test_it_has_no_entry_and_its_rating_does_not_widen() -> None:
    check(MADE)
    assert [entry.player_id for entry in entries(MADE)] == list(SIX[1:])
    made = match_to_rate([MADE])
    assert made
    assert made.rated == [BOT, *SIX[1:]]
    known = START._replace(sigma=3.0, at=ENDED_US)
    assert widened(BOT, known, ENDED_US + 99 * DAY_US) == known
    assert MADE.seats[0] == Seat(player_id=BOT, bot_level="external")
