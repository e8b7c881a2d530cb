"""Profiles: those that come with the package, and what is wrong with others."""

import random
import statistics

import pytest

from gouji.load.profile import Profile, ProfileError, Range, Think, names, parse, read_profile

SMALL = """
about: A table.
seconds: 10
arrivals: {players: 6, per_second: 6}
"""


def test_all_that_are_promised_are_there_and_say_what_they_are_about() -> None:
    asked = {"lobby-rush", "steady-evening", "reconnect-storm", "rolling-deploy", "slow-database", "soak-short"}
    assert set(names()) == asked
    for name in names():
        profile = read_profile(name)
        assert profile.about.endswith(".")
        assert profile.budgets.latencies
        assert profile.budgets.most_failures == 0


def test_what_is_not_said_is_usual() -> None:
    profile = parse(SMALL)
    assert (profile.warmup, profile.clients, profile.network.share, profile.faults) == (0, 1, 0, ())
    assert profile.length == 10


@pytest.mark.parametrize(
    ("added", "told"),
    [
        ("speed: 3", "speed: Extra inputs are not permitted"),
        ("think: {median: 1, least: 2}", "think: Value error, least, median and most are not in order"),
        ("drops: {away: {least: 5, most: 1}}", "drops.away: Value error, most is below least"),
        ("clients: 2", "each client process needs six players"),
        ("faults: [{at: 10, do: kill, name: table-1}]", "comes after the end: kill table-1"),
        ("faults: [{at: 1, do: slow, name: table-1}]", "faults.0: Value error, only postgres can be slowed"),
        ("cluster: {processes: {tables: 3}}", "cluster: Value error, no such service: tables"),
        ("network: {share: 2}", "network.share: Input should be less than or equal to 1"),
        ("budgets: {latencies: [{kind: act, percentile: 0, milliseconds: 5}]}", "budgets.latencies.0.percentile"),
        ("seconds: [", "this is no YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(added: str, told: str) -> None:
    with pytest.raises(ProfileError) as wrong:
        parse(SMALL + added)
    assert told in str(wrong.value)


def test_a_profile_that_is_nowhere_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(ProfileError, match="give a file, or one of lobby-rush"):
        read_profile("nothing")


def test_people_think_lognormally_within_bounds() -> None:
    chance, think = random.Random(1), Think(median=2, sigma=0.8, least=0.5, most=10)
    drawn = [think.draw(chance) for _ in range(4000)]
    assert (min(drawn), max(drawn)) == (0.5, 10)
    assert statistics.median(drawn) == pytest.approx(2, rel=0.1)
    assert statistics.mean(drawn) > 2.3


def test_a_profile_goes_through_json_unchanged() -> None:
    profile = read_profile("rolling-deploy")
    assert Profile.model_validate_json(profile.model_dump_json()) == profile
    assert Range(least=1, most=1).draw(random.Random(1)) == 1
