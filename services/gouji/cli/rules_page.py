"""The page docs/rules.md, made from the tables of the engine."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from gouji.cli.house_rules import HouseRule, house_rules, simplified
from gouji.engine import RuleSet
from gouji.engine.options import IDLE
from gouji.engine.rules import CHAPTERS, DECKS, OPTIONS, PRESETS, SOURCES, Chapter, Option, Preset, alternatives

_HEAD: Final = """\
# Rules 規則

This page is what `gouji rules page` prints. The engine follows clauses that code and cases cite as `R4.3`. Where
they leave a choice, there is an **option**; a **preset** picks values for all options, and a rule set is a preset and
what differs from it. Where they say nothing, [Readings](readings.md) tells what is played.

Find your house rule by [what it is called](#house-rules-叫法) or in the [list of options](#options-選項), and switch
it on where rules are given:

各地規矩不同之處都是一個**選項**；一種**打法**是一套選項的取值。先按[叫法](#house-rules-叫法)找到自己的規矩，再寫在給定規則的地方：

```sh
gouji play --rules qingdao                                # a preset 一種打法
gouji play --rules qingdao,no_open_on_lead=true,feel=3    # and what differs 再改幾條
gouji rules 直勾不開點                                    # what is it called here? 在這裡叫什麼？
gouji rules qingdao                                       # all values of a preset 一種打法的全部取值
gouji rules diff qingdao lianzhong                        # what differs? 有何不同？
```

```yaml
rules: {preset: qingdao, no_open_on_lead: true, feel: 3}  # in a case, see docs/cases.md
```

```textproto
rules { preset: "qingdao" overrides { key: "no_open_on_lead" value: "true" } overrides { key: "feel" value: "3" } }
```

What a preset sets beside an option that you switch off gives way. What makes no sense together is refused, with both
options and their clauses: `calls (R9.5) needs opening (R9.6)`.
"""

_OPTIONS_HEAD: Final = """\
## Options 選項

The sentence says what an option does when it is on. A value is one of those listed; `true` or `false` where there is
no list. Several kinds of tribute are written with spaces, `point burn last`, and `none` is none of them.
"""


def page() -> Iterator[str]:
    """Give the lines of the page."""
    yield _HEAD
    yield from _presets()
    yield from _house_rules()
    yield _OPTIONS_HEAD
    for chapter in CHAPTERS:
        yield from _chapter(chapter)
    yield "## Readings"
    yield ""
    yield "What is played where the clauses are silent: [readings.md](readings.md)."


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = list(head)
    yield _row(names)
    yield _row("---" for _ in names)
    yield from map(_row, rows)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


# Presets


def _presets() -> Iterator[str]:
    yield "## Presets 打法"
    yield ""
    yield "`standard` is played unless something else is asked for."
    yield ""
    yield from _table(["preset", "叫法", "", "source"], map(_about, PRESETS.values()))
    yield "Sources:"
    yield ""
    for number, told in SOURCES.items():
        yield f"- [{number}] {told}"
    yield ""
    yield "A short pack is `deck` with one of these:"
    yield ""
    yield from _table(["deck", "叫法", ""], ([_code(deck.name), deck.term, _both(deck)] for deck in DECKS.values()))
    yield "### Where presets differ 各打法的不同"
    yield ""
    yield "An empty place is the default."
    yield ""
    sets = [RuleSet(name) for name in PRESETS]
    differing = [option for option in OPTIONS.values() if any(each[option.name] != option.default for each in sets)]
    rows = ([_link(option.name), _code(option.show(option.default)), *_values(option, sets)] for option in differing)
    yield from _table(["option", "default", *map(_code, PRESETS)], rows)


def _about(preset: Preset) -> list[str]:
    return [_code(preset.name), preset.term, _both(preset), " ".join(f"[{source}]" for source in preset.sources)]


def _both(told: Preset) -> str:
    return f"{told.en}<br>{told.zh}"


def _values(option: Option, sets: list[RuleSet]) -> Iterator[str]:
    for each in sets:
        value = each[option.name]
        yield _code(option.show(value)) if value != option.default else ""


# House rules


def _house_rules() -> Iterator[str]:
    yield "## House rules 叫法"
    yield ""
    yield "By what players call them, in both ways of writing; the last column is what to write after `--rules`."
    yield ""
    yield from _table(["繁體", "简体", "what it is", "clause", "switch"], map(_house_rule, house_rules()))


def _house_rule(rule: HouseRule) -> list[str]:
    terms = "、".join(rule.terms)
    return [terms, simplified(terms), rule.en, rule.clause, _switch(rule)]


def _switch(rule: HouseRule) -> str:
    if not rule.switch:
        return "always"
    return f"[`{rule.switch}`](#{rule.option})" if rule.option else _code(rule.switch)


# Options


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f"### {chapter.en} {chapter.zh}"
    yield ""
    for option in chapter.options:
        yield from _option(option)


def _option(option: Option) -> Iterator[str]:
    yield f"#### `{option.name}`"
    yield ""
    yield f"**{option.term}** {option.zh}"
    yield ""
    yield option.en
    yield ""
    yield " ".join(_facts(option))
    yield ""
    if option.means:
        rows = ([_code(choice.word), choice.en, choice.zh, choice.term] for choice in option.means)
        yield from _table(["value", "", "", "叫法"], rows)


def _facts(option: Option) -> Iterator[str]:
    yield f"{option.clause}."
    yield f"Default `{option.show(option.default)}`."
    if isinstance(option.default, int) and not isinstance(option.default, bool) and not option.means:
        yield f"From {option.least} to {option.most}."
    yield from conditions(option, _need, _code)
    setting = [name for name in PRESETS if RuleSet(name)[option.name] != option.default]
    if setting:
        yield "Set by " + ", ".join(f"`{name}`: `{option.show(RuleSet(name)[option.name])}`" for name in setting) + "."


def conditions(option: Option, tell: Callable[[str], str], name: Callable[[str], str]) -> Iterator[str]:
    """Say what an option hangs on; ``tell`` writes a condition, ``name`` the word of a value."""
    verb = "Acts with" if option.name in IDLE else "Needs"
    for need in option.needs:
        yield f"{verb} {tell(need)}."
    for choice in option.means:
        for need in choice.needs:
            yield f"{name(choice.word)} {verb.lower()} {tell(need)}."
    for other in option.excludes:
        yield f"Excludes {tell(other)}."


def _need(need: str) -> str:
    return " or ".join(_link(name) + (f" `{word}`" if word else "") for name, word in alternatives(need))


def _link(option: str) -> str:
    return f"[`{option}`](#{option})"
