"""Seasons by a schedule: borders, lists, and what a changed schedule leaves of them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.scoring.seasons import Schedule, Season, between

TICK = timedelta(microseconds=1)
LIST = "Spring 2027 = 2027-03-01/2027-06-01, Cup = 2027-06-01T12:00/2027-06-15"


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("text", "time", "expected"),
    [
        ("monthly", at(2026, 11, 30, 23, 59, 59), Season("2026-11", "2026-11", at(2026, 11, 1), at(2026, 12, 1))),
        ("monthly", at(2026, 12, 1), Season("2026-12", "2026-12", at(2026, 12, 1), at(2027, 1, 1))),
        ("quarterly", at(2026, 11, 30), Season("2026-q4", "2026-q4", at(2026, 10, 1), at(2027, 1, 1))),
        ("quarterly", at(2027, 2, 1), Season("2027-q1", "2027-q1", at(2027, 1, 1), at(2027, 4, 1))),
        ("yearly", at(2026, 1, 1), Season("2026", "2026", at(2026, 1, 1), at(2027, 1, 1))),
        (LIST, at(2027, 3, 1), Season("spring-2027", "Spring 2027", at(2027, 3, 1), at(2027, 6, 1))),
        (LIST, at(2027, 6, 1, 12), Season("cup", "Cup", at(2027, 6, 1, 12), at(2027, 6, 15))),
        (LIST, at(2027, 6, 1, 11), None),
        (LIST, at(2027, 6, 15), None),
        ("none", at(2026, 11, 30), None),
        ("monthly", at(9999, 12, 31), None),
    ],
)
def test_a_moment_has_the_season_that_the_schedule_says(text: str, time: datetime, expected: Season | None) -> None:
    assert Schedule.parse(text).season_at(time) == expected


@given(st.sampled_from(["monthly", "quarterly", "yearly"]), st.datetimes(datetime(1, 1, 1), datetime(9998, 1, 1)))
def test_seasons_follow_one_another_without_a_gap(text: str, naive: datetime) -> None:
    schedule, time = Schedule.parse(text), naive.replace(tzinfo=UTC)
    season = schedule.season_at(time)
    assert season
    assert season.holds(time)
    assert schedule.season_at(season.begins) == schedule.season_at(season.ends - TICK) == season
    following = schedule.season_at(season.ends)
    assert following
    assert following.begins == season.ends


def test_times_of_a_list_may_have_zones() -> None:
    [season] = Schedule.parse("Cup=2027-06-01T02:00+02:00/2027-06-02").listed
    assert season.begins == at(2027, 6, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("weekly", "no date like"),
        ("Cup=2027-06-01", "no date like"),
        ("Cup=2027-06-01/soon", "'soon' is no date"),
        ("Cup=0001-01-01T00:00+01:00/2027-06-01", "no date like"),
        ("=2027-06-01/2027-07-01", "needs a name"),
        ("--=2027-06-01/2027-07-01", "needs a name"),
        ("a\0b=2027-06-01/2027-07-01", "needs a name"),
        (f"{'x' * 65}=2027-06-01/2027-07-01", "needs a name"),
        ("Current=2027-06-01/2027-07-01", "means the one that is on"),
        ("Cup=2027-06-01/2027-06-01", "ends before it begins"),
        ("A=2027-06-01/2027-07-01,B=2027-06-30/2027-08-01", "'B' begins before 'A' ends"),
        ("A=2027-06-01/2027-07-01,a=2027-07-01/2027-08-01", "the same name"),
        ("", "needs a name"),
    ],
)
def test_a_schedule_that_makes_no_sense_is_refused_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Schedule.parse(text)


def test_a_season_has_what_others_leave_of_it() -> None:
    year = Season("2026", "2026", at(2026, 1, 1), at(2027, 1, 1))
    others = [
        Season("a", "A", at(2025, 12, 1), at(2026, 2, 1)),
        Season("b", "B", at(2026, 2, 1), at(2026, 3, 1)),
        Season("c", "C", at(2026, 11, 1), at(2027, 2, 1)),
    ]
    found = between(year, others, at(2026, 6, 1))
    assert (found.begins, found.ends) == (at(2026, 3, 1), at(2026, 11, 1))
    assert between(year, [], at(2026, 6, 1)) == year


def test_a_time_in_another_zone_is_the_same_moment() -> None:
    zone = timezone(timedelta(hours=8))
    season = Schedule.parse("monthly").season_at(datetime(2026, 12, 1, 7, tzinfo=zone).astimezone(UTC))
    assert season
    assert season.season_id == "2026-11"
