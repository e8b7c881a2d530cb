"""`gouji rules`: what it prints, and the page that is made from it."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gouji.cli.house_rules import find, house_rules, simplified
from gouji.cli.main import app
from gouji.cli.rule_options import parse_rules
from gouji.engine import OPTIONS, PRESETS, RuleSet

PAGE = (Path(__file__).parents[2] / "docs/rules.md").read_text()


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["rules", *words])
    return result.exit_code, result.output


def rows(text: str) -> dict[str, str]:
    """Lines by their first word, the mark of a value that differs left out."""
    lines = [line.removeprefix("*").strip() for line in text.splitlines()]
    return {line.split()[0]: line for line in lines if line}


def test_the_page_is_what_the_command_prints() -> None:
    assert run("page") == (0, PAGE)


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_the_page_has_every_option_in_both_languages_with_all_its_values(option: object) -> None:
    told = PAGE.partition(f"#### `{option.name}`\n")[2].partition("\n#### ")[0]
    assert option.en in told
    assert f"**{option.term}** {option.zh}" in told
    assert [choice for choice in option.means if f"| `{choice.word}` | {choice.en} | {choice.zh} |" not in told] == []


def test_the_page_has_every_preset_with_its_source() -> None:
    for preset in PRESETS.values():
        assert f"| `{preset.name}` | {preset.term} | {preset.en}<br>{preset.zh} | [" in PAGE


def test_the_pages_links_within_lead_to_headings() -> None:
    headings = re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors


def test_the_pages_example_can_be_played() -> None:
    spec = re.search(r"gouji play --rules (\S+,\S+)", PAGE)
    assert spec
    assert str(parse_rules([spec[1]])) == "qingdao (feel: 3, no_open_on_lead: true)"


def test_the_list_has_every_preset_and_option() -> None:
    code, text = run()
    assert code == 0
    assert {*PRESETS, *OPTIONS} <= set(rows(text))
    assert rows(text)["feel"].split() == ["feel", "摸班", "0", "a", "number", "from", "0", "to", "9"]


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_shows_all_its_values_and_marks_those_that_differ_from_the_defaults(name: str) -> None:
    code, text = run(name)
    shown = rows(text)
    assert code == 0
    assert [
        option for option in OPTIONS if not shown[option].endswith(OPTIONS[option].show(RuleSet(name)[option]))
    ] == []
    marked = {line.split()[1] for line in text.splitlines() if line.startswith("* ")} - {"differs"}
    assert marked == {option for option in OPTIONS if RuleSet(name)[option] != OPTIONS[option].default}


def test_a_rule_set_shows_what_it_changes_and_what_gives_way() -> None:
    shown = rows(run("qingdao,opening=false")[1])
    assert shown["Here:"] == "Here: qingdao (opening: false)"
    assert shown["burn_needs_open"].endswith("false")


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_explained(name: str) -> None:
    code, text = run(name)
    option = OPTIONS[name]
    assert code == 0
    for told in (option.en, option.zh, option.clause, option.takes, *option.choices):
        assert told in text
    shown = rows(text.partition("In the presets:\n")[2])
    assert [shown[preset].split(maxsplit=1)[1] for preset in PRESETS] == [
        option.show(RuleSet(preset)[name]) for preset in PRESETS
    ]


def test_an_option_tells_what_it_needs_and_excludes() -> None:
    assert "Acts with threes_last (R9.8) or fours_open (R9.9).\nown_team acts with teams (R7.6)." in run("buy_from")[1]
    assert "Excludes threes_last (R9.8)." in run("lay_off")[1]
    assert "Needs opening (R9.6)." in run("calls")[1]


@pytest.mark.parametrize("term", ["開點發4", "开点发4", "开点发四", " 悶 四"])
def test_an_option_is_found_by_what_players_call_it(term: str) -> None:
    assert "fours_open  開點發4" in run(term)[1]


def test_a_name_of_several_things_shows_each() -> None:
    text = run("满贯")[1]
    assert "grand_slam=…" in text
    assert "always (R6.3)" in text


def test_part_of_a_name_is_enough() -> None:
    assert "  qingdao  " in run("青岛")[1]


def test_what_differs_between_two_rule_sets() -> None:
    assert run("diff", "lianzhong", "lianzhong,calls=false,report_at=36") == (
        0,
        "option     lianzhong  lianzhong,calls=false,report_at=36  叫法\n"
        "calls      true       false                               宣點、明點、預點\n"
        "report_at  10         36                                  報牌、報戶、報警\n",
    )
    assert run("diff", "japan", "japan") == (0, "No option differs.\n")


def test_short_packs_are_told() -> None:
    assert run("deck") == run("six_three_six_four")
    assert "deck=six_three_eight_four  六3八4" in run("deck")[1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["burnt"], "No preset, option or house rule is called 'burnt'; did you mean burn?"),
        (["麻將"], "No preset, option or house rule is called '麻將'; `gouji rules` lists what there is."),
        (["diff", "standard", "jinan"], "no preset 'jinan'; there are standard, qingdao"),
        (["diff", "standard"], "gouji rules diff takes two rule sets"),
        (["standard", "qingdao"], "gouji rules explains one preset, option or term at a time."),
        (["qingdao,fly=true"], "no option 'fly'"),
        (["qingdao,feel=99"], "feel (R9.11) takes a number from 0 to 9, not '99'"),
        (["standard,calls=true"], "calls (R9.5) needs opening (R9.6)"),
    ],
)
def test_what_there_is_not_ends_the_command_with_a_sentence(words: list[str], told: str) -> None:
    code, text = run(*words)
    assert code == 2
    assert text.startswith(told)
    assert text.count("\n") == 1


def test_rules_are_typed_in_one_word_or_several() -> None:
    one = parse_rules(["lianzhong,tribute_kinds=point,last, report_at = 36"])
    assert one == parse_rules(["lianzhong", "report_at=36", "tribute_kinds=point last"])
    assert one["tribute_kinds"] == ("point", "last")


def test_every_house_rule_has_a_simplified_name_and_is_found_by_both() -> None:
    for rule in house_rules():
        for term in rule.terms:
            simplified(term).encode("gb2312")
            assert rule in find(term)
            assert rule in find(simplified(term))


def test_every_house_rule_that_names_a_value_can_be_switched_on() -> None:
    switches = [rule.switch for rule in house_rules() if not re.search("NUMBER|…|^$", rule.switch)]
    for switch in switches:
        name, _, value = switch.partition("=")
        assert (name in PRESETS and not value) or name == "deck" or OPTIONS[name].read(value) is not None


def test_the_rules_of_the_web_client_are_what_the_command_prints() -> None:
    kept = (Path(__file__).parents[2] / "web/src/rules.json").read_text()
    assert run("json") == (0, kept)
    table = json.loads(kept)
    assert [preset["name"] for preset in table["presets"]] == list(PRESETS)
    assert [option["name"] for chapter in table["chapters"] for option in chapter["options"]] == list(OPTIONS)
