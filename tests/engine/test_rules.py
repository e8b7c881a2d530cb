"""Rule sets: what options take, what presets set, and what makes no sense together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.engine import OPTIONS, PRESETS, BadValue, Option, RulesConflict, RuleSet, UnknownOption
from gouji.engine.option import alternatives
from gouji.engine.options import IDLE
from gouji.engine.rules import CHAPTERS, DECKS, SOURCES, Value

ALL = pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)


def values_of(option: Option) -> st.SearchStrategy[Value]:
    if isinstance(option.default, bool):
        return st.booleans()
    if isinstance(option.default, tuple):
        return st.lists(st.sampled_from(option.choices), unique=True).map(tuple)
    if option.choices:
        return st.sampled_from([type(option.default)(word) for word in option.choices])
    return st.integers(option.least, option.most)


@given(data=st.data())
def test_an_option_reads_back_every_value_that_it_shows(data: st.DataObject) -> None:
    option = data.draw(st.sampled_from(list(OPTIONS.values())))
    value = data.draw(values_of(option))
    read = option.read(option.show(value))
    assert read == option.read(value) == value
    assert type(read) is type(option.default)


@ALL
@pytest.mark.parametrize("raw", ["perhaps", -1, 100, 1.5, None, "", ["point", "point"], {"a": 1}, [None]])
def test_a_value_that_it_does_not_take_is_refused_with_option_clause_and_what_it_takes(
    option: Option, raw: object
) -> None:
    if isinstance(option.default, tuple) and raw == "":
        return
    with pytest.raises(BadValue) as refused:
        RuleSet.parse({option.name: raw})
    assert str(refused.value) == f"{option.name} ({option.clause}) takes {option.takes}, not {raw!r}"


@pytest.mark.parametrize(
    ("name", "raw", "value"),
    [
        ("burn", "off", False),
        ("burn", "Yes", True),
        ("revolution", False, "off"),
        ("revolution", True, "any"),
        ("revolt_opens", False, "no"),
        ("big_joker_duel", False, "none"),
        ("team_tribute", False, "never"),
        ("tribute_kinds", "none", ()),
        ("tribute_kinds", "point, last", ("point", "last")),
        ("tribute_kinds", ["last"], ("last",)),
        ("feel", "3", 3),
    ],
)
def test_values_are_read_as_people_write_them(name: str, raw: object, value: Value) -> None:
    assert OPTIONS[name].read(raw) == value


@pytest.mark.parametrize("name", ["big_joker_duel", "team_tribute", "revolt_opens"])
def test_true_is_no_word_for_an_option_that_is_off_by_default(name: str) -> None:
    with pytest.raises(BadValue):
        OPTIONS[name].read(True)


@ALL
def test_a_row_is_whole(option: Option) -> None:
    assert option.clause.startswith("R")
    assert option.term
    for en, zh in [(option.en, option.zh)]:
        assert en[0].isupper()
        assert en.endswith(".")
        assert zh.endswith("。")
    assert option.show(option.default) in option.choices or not isinstance(option.default, str)
    assert all(choice.en and choice.zh for choice in option.means)
    conditions = [*option.needs, *option.excludes, *(need for choice in option.means for need in choice.needs)]
    for name, word in (part for need in conditions for part in alternatives(need)):
        assert not word or word in OPTIONS[name].choices


def test_every_option_stands_once_under_its_chapter() -> None:
    rows = [option.name for chapter in CHAPTERS for option in chapter.options]
    assert rows == list(OPTIONS)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_read_and_sets_what_it_says(name: str) -> None:
    preset, rules = PRESETS[name], RuleSet.parse(name)
    assert {option: rules[option] for option in preset.values} == preset.values
    assert {option: OPTIONS[option].read(value) for option, value in preset.values.items()} == preset.values
    assert set(preset.sources) <= set(SOURCES)
    assert preset.sources
    assert RuleSet.parse(rules.spec()) == rules


@pytest.mark.parametrize(
    ("word", "value"), [("true", "any"), ("yes", "any"), (True, "any"), ("off", "off"), ("no", "off"), (False, "off")]
)
def test_a_word_may_be_switched_like_a_switch(word: object, value: str) -> None:
    assert RuleSet.parse({"revolution": word})["revolution"] == value


@pytest.mark.parametrize("name", DECKS)
def test_a_short_pack_goes_by_its_name(name: str) -> None:
    rules = RuleSet.parse({"deck": name})
    assert {option: rules[option] for option in DECKS[name].values} == DECKS[name].values
    assert RuleSet.parse({"deck": name, "threes": 0})["threes"] == 0


@pytest.mark.parametrize(
    ("spec", "error", "told"),
    [
        ("jinan", UnknownOption, "no preset 'jinan'; there are standard, qingdao"),
        ({"fly": True}, UnknownOption, "no option 'fly'"),
        ({"deck": "poker"}, BadValue, "deck (R1.3) takes six_three_six_four or six_three_eight_four, not 'poker'"),
        ({"decks": 5}, BadValue, "decks (R1.2) takes 4 or 6, not 5"),
        (["standard"], BadValue, "a rule set is a preset's name or a mapping"),
    ],
)
def test_what_is_no_rule_set_is_refused(spec: object, error: type[Exception], told: str) -> None:
    with pytest.raises(error) as refused:
        RuleSet.parse(spec)
    assert str(refused.value).startswith(told)


CONFLICTS = [
    ("calls=true", "calls (R9.5) needs opening (R9.6)"),
    ("backfire_doubles=true", "backfire_doubles (R9.5) needs calls (R9.5)"),
    ("natural_open=true", "natural_open (R9.6) needs opening (R9.6)"),
    ("fours_open=true", "fours_open (R9.9) needs opening (R9.6)"),
    ("sink_fours=true", "sink_fours (R9.9) needs opening (R9.6)"),
    ("preset=qingdao burn=false burn_needs_open=true", "burn_needs_open (R5.1) needs burn (R5)"),
    ("burn_needs_open=true", "burn_needs_open (R5.1) needs opening (R9.6)"),
    ("teams=false end_when=one_team_left", "end_when: one_team_left (R6.2) needs teams (R7.6)"),
    ("teams=false scoring=team_points", "scoring: team_points (R7) needs teams (R7.6)"),
    ("teams=false last_by=choice", "last_by: choice (R6.2) needs teams (R7.6)"),
    ("teams=false after_sweep=fresh", "after_sweep: fresh (R6.3) needs teams (R7.6)"),
    ("teams=false sweep_ends_match=true", "sweep_ends_match (R3.1) needs teams (R7.6)"),
    ("teams=false grand_slam=sweep_doubles", "grand_slam: sweep_doubles (R7.5) needs teams (R7.6)"),
    ("teams=false coach=true", "coach (R9.12) needs teams (R7.6)"),
    ("preset=qingdao teams=false no_sweep_when_choked=true", "no_sweep_when_choked (R9.8) needs teams (R7.6)"),
    ("scoring=tributes", "scoring: tributes (R7) needs tribute_kinds (R8.2)"),
    ("preset=lianzhong tribute_kinds=none calls=false", "scoring: tributes (R7) needs tribute_kinds (R8.2)"),
    ("preset=lianzhong grand_slam=korean",
     "grand_slam: korean (R7.5) needs scoring: team_points (R7) or scoring: individual (R7)"),
    ("preset=lianzhong after_sweep=fresh",
     "after_sweep: fresh (R6.3) needs scoring: team_points (R7) or scoring: individual (R7)"),
    ("sweep_ends_match=true after_sweep=fresh",
     "after_sweep: fresh (R6.3) and sweep_ends_match (R3.1) exclude each other"),
    ("first_choked_is_last=true", "first_choked_is_last (R9.8) needs threes_last (R9.8)"),
    ("no_bare_joker_lead=true", "no_bare_joker_lead (R9.14) needs threes_last (R9.8)"),
    ("threes_last=true lay_off=true", "lay_off (R9.10) and threes_last (R9.8) exclude each other"),
    ("opening=true fours_open=true lay_off=true", "lay_off (R9.10) and fours_open (R9.9) exclude each other"),
    ("preset=qingdao lay_off=true", "lay_off (R9.10) and threes_last (R9.8) exclude each other"),
    ("threes=17", "threes: 17 (R1.3) and decks: 4 (R1.2): at most 16 in the packs"),
    ("fours=24", "fours: 24 (R1.3) and decks: 4 (R1.2): at most 16 in the packs"),
    ("min_high=13", "min_high: 13 (R3.1) and decks: 4 (R1.2): at most 12 in every hand"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "told"), CONFLICTS, ids=[words.replace(" ", ",") for words, _ in CONFLICTS])
def test_what_makes_no_sense_together_is_refused_with_both_options_and_their_clauses(words: str, told: str) -> None:
    with pytest.raises(RulesConflict) as refused:
        RuleSet.parse(dict(word.split("=") for word in words.split()))
    assert str(refused.value) == told


ALONE = [
    "open_cards=twos_substitute",
    "opening=true open_cards=twos_substitute twos_wild=never",
    "burn=false burn_guard=false",
    "burn=false burn_order=burn_first",
    "preset=qingdao teams=false buy_from=own_team",
    "preset=qingdao teams=false team_tribute=always",
    "preset=qingdao teams=false doubles_called=true",
    "scoring=individual negatives=drop",
    "tribute_order=last,burn",
    "sweep_replaces_all=true",
    "preset=qingdao after_sweep=fresh sweep_replaces_all=true",
    "no_tribute_card=exempt",
    "return_tribute=false",
    "preset=qingdao return_tribute=false may_refuse=false",
    "tribute_kinds=last return_point=true",
    "may_decline_tribute=true",
    "tribute_kinds=burn team_tribute=optional",
    "resist=true",
    "preset=qingdao resist_covers=seat",
    "doubles_called=true",
    "buy_from=downstream",
    "buy_after_point=true",
    "threes_last=true buy_after_point=true",
    "revolution=off two_revolts=allow",
    "revolt_opens=contest",
    "opposite_opens=always",
    "report_at=0 report=on_request",
]


@pytest.mark.parametrize("words", ALONE, ids=[words.replace(" ", ",") for words in ALONE])
def test_what_would_do_nothing_is_let_be(words: str) -> None:
    given = dict(word.split("=") for word in words.split())
    rules = RuleSet.parse(given)
    assert any(OPTIONS[name].unmet(rules.values) for name in IDLE & given.keys())


def test_every_condition_of_a_row_is_among_those_tried() -> None:
    tried = " ".join([*(words for words, _ in CONFLICTS), *ALONE])
    conditional = [option.name for option in OPTIONS.values() if option.needs or option.excludes]
    untried = {name for name in conditional if f"{name}=" not in tried}
    # These share all their conditions with one that is tried.
    assert untried == {"burn_team_mate", "counter_burn", "no_open_on_lead", "no_open_on_counter"}


@pytest.mark.parametrize(
    "words",
    [
        "opening=true no_open_on_lead=true no_open_on_counter=true",
        "decks=6 threes=24 fours=24 min_high=20",
        "min_high=12",
        "teams=false burn_order=team_first burn_team_mate=false",
        "big_joker_duel=two_kills_one joker_duel=swords big_joker_is_gouji=false",
        "revolution=threeless first_leader=show_fours",
        "opening=true fours_open=true buy_from=downstream",
        "preset=free_for_all opening=true threes_last=true tribute_kinds=point,choke,burn,last",
        "scoring=individual grand_slam=sweep_doubles",
        "end_when=one_left last_by=choice",
        "report_at=0 coach=true feel=3",
        "opening=true calls=true",
    ],
)
def test_what_can_be_played_is_not_refused(words: str) -> None:
    RuleSet.parse(dict(word.split("=") for word in words.split()))


@pytest.mark.parametrize(
    ("words", "given_way"),
    [
        ("preset=standard burn=false", {"burn_order": "in_turn"}),
        ("preset=standard scoring=individual", {"negatives": "keep"}),
        ("preset=standard teams=false", {"end_when": "one_left", "scoring": "individual", "negatives": "keep"}),
        ("preset=qingdao threes_last=false", {"first_choked_is_last": False, "buy_from": "opposite_team"}),
        ("preset=qingdao opening=false", {"burn_needs_open": False, "revolt_opens": "no", "opposite_opens": "three"}),
        ("preset=qingdao teams=false", {"sweep_replaces_all": False, "buy_from": "opposite_team"}),
        ("preset=qingdao after_sweep=fresh", {"sweep_replaces_all": False}),
        ("preset=shandong_64 opening=false", {"fours_open": False, "sink_fours": False, "buy_from": "own_team"}),
        ("preset=shandong_64 opening=false threes_last=false", {"fours_open": False, "buy_from": "opposite_team"}),
        ("preset=shandong_64 threes_last=false", {"fours_open": True, "buy_from": "own_team"}),
    ],
)
def test_what_a_preset_sets_beside_an_option_that_is_off_gives_way(words: str, given_way: dict[str, Value]) -> None:
    rules = RuleSet.parse(dict(word.split("=") for word in words.split()))
    assert {name: rules[name] for name in given_way} == given_way


@given(data=st.data())
def test_any_rule_set_is_refused_or_comes_back_from_its_text(data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(list(OPTIONS)), max_size=4, unique=True))
    spec = {name: data.draw(values_of(OPTIONS[name])) for name in names}
    rules, refused = None, ""
    try:
        rules = RuleSet.parse({"preset": data.draw(st.sampled_from(list(PRESETS))), **spec})
    except RulesConflict as conflict:
        refused = str(conflict)
    if rules is None:
        assert refused.count("(R") >= 2
    else:
        assert RuleSet.parse(rules.spec()) == rules
        assert {name: rules[name] for name in spec} == spec
