"""`gouji rules`: presets and options, listed, explained and compared."""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Final

import typer
from rich.cells import cell_len, set_cell_size

from gouji.cli.house_rules import HouseRule, find
from gouji.cli.rule_options import parse_rules
from gouji.cli.rules_json import rules_json
from gouji.cli.rules_page import conditions, page
from gouji.engine import RuleSet, RuleSetError
from gouji.engine.rules import CHAPTERS, DECKS, OPTIONS, PRESETS, SOURCES, Chapter, Option, Preset, tell

_MARK: Final = "*"


def rules(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PRESET | OPTION | TERM | diff A B | page | json]", show_default=False),
    ] = None,
) -> None:
    """List presets and options; explain one of them; show what differs between two rule sets.

    A rule set is a preset, or a preset and what differs: qingdao,threes_last=false. TERM is what players call a house
    rule, such as 憋三. `page` prints docs/rules.md, `json` what the web client
    shows.
    """
    try:
        lines = list(_answer(words or []))
    except (RuleSetError, LookupError) as error:
        typer.echo(error.args[0], err=True)
        raise typer.Exit(2) from None
    typer.echo("\n".join(lines))


def _answer(words: list[str]) -> Iterable[str]:
    """Give the lines asked for. Raises `RuleSetError` or LookupError for what there is not."""
    match words:
        case []:
            return _overview()
        case ["page"]:
            return page()
        case ["json"]:
            return [rules_json()]
        case ["diff", first, second]:
            return _difference(first, second)
        case [name] if name != "diff":
            return _explain(name)
        case ["diff", *_]:
            raise LookupError("gouji rules diff takes two rule sets, such as: gouji rules diff standard qingdao,feel=3")
        case _:
            raise LookupError("gouji rules explains one preset, option or term at a time.")


def _columns(rows: Sequence[Sequence[str]], indent: int = 2) -> Iterator[str]:
    """Set rows in columns; a Chinese character is two wide."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (set_cell_size(cell, width) for cell, width in zip(row, widths, strict=True))
        yield " " * indent + "  ".join(cells).rstrip()


def _overview() -> Iterator[str]:
    yield "Presets  (gouji rules PRESET shows all its values)"
    yield from _columns([(preset.name, preset.term, preset.en) for preset in PRESETS.values()])
    yield ""
    yield "Short packs  (--rules deck=NAME)"
    yield from _columns([(deck.name, deck.term, deck.en) for deck in DECKS.values()])
    for chapter in CHAPTERS:
        yield ""
        yield _heading(chapter)
        yield from _columns(
            [(option.name, option.term, option.show(option.default), option.takes) for option in chapter.options]
        )
    yield ""
    yield "The columns: option, 叫法, default, values.  gouji rules OPTION explains one."


def _heading(chapter: Chapter) -> str:
    return f"{chapter.en}  {chapter.zh}"


def _explain(name: str) -> Iterable[str]:
    if name in OPTIONS:
        return _option(OPTIONS[name])
    if name in {"deck", *DECKS}:
        return _columns([(f"deck={deck.name}", deck.term, deck.en, deck.zh) for deck in DECKS.values()], 0)
    if "=" in name or name.partition(",")[0] in PRESETS:
        return _rule_set(parse_rules([name]))
    found = find(name)
    if not found:
        raise LookupError(_nothing(name))
    return _found(found)


def _nothing(name: str) -> str:
    close = difflib.get_close_matches(name, [*PRESETS, *OPTIONS, *DECKS], n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else "`gouji rules` lists what there is."
    return f"No preset, option or house rule is called {name!r}; {hint}"


def _found(found: list[HouseRule]) -> Iterator[str]:
    """Tell the house rules of a name; if all are of one option, that whole."""
    yield from _columns(
        [("、".join(rule.terms), rule.switch or f"always ({rule.clause})", rule.en) for rule in found], 0
    )
    options = {rule.option for rule in found}
    if len(options) == 1 and "" not in options:
        yield ""
        yield from _option(OPTIONS[options.pop()])


def _option(option: Option) -> Iterator[str]:
    yield f"{option.name}  {option.term}  ({option.clause})"
    yield option.en
    yield option.zh
    yield ""
    yield f"Takes {option.takes}; default {option.show(option.default)}."
    if option.means:
        yield from _columns([(choice.word, choice.en, choice.zh, choice.term) for choice in option.means])
    yield from conditions(option, tell, str)
    yield ""
    yield "In the presets:"
    yield from _columns([(name, option.show(RuleSet(name)[option.name])) for name in PRESETS])


def _rule_set(rules: RuleSet) -> Iterator[str]:
    yield from _about(PRESETS[rules.preset])
    if rules.overrides:
        yield f"Here: {rules}"
    yield f"{_MARK} differs from the default"
    for chapter in CHAPTERS:
        yield ""
        yield _heading(chapter)
        yield from _columns([_value(rules, option) for option in chapter.options], 0)


def _about(preset: Preset) -> Iterator[str]:
    yield f"{preset.name}  {preset.term}"
    yield preset.en
    yield preset.zh
    for source in preset.sources:
        yield f"From [{source}] {SOURCES[source]}"


def _value(rules: RuleSet, option: Option) -> tuple[str, ...]:
    value = rules[option.name]
    mark = _MARK if value != option.default else " "
    return f"{mark} {option.name}", option.term, option.show(value)


def _difference(first: str, second: str) -> Iterator[str]:
    one, other = parse_rules([first]), parse_rules([second])
    rows = [
        (option.name, option.show(one[option.name]), option.show(other[option.name]), option.term)
        for option in OPTIONS.values()
        if one[option.name] != other[option.name]
    ]
    if not rows:
        yield "No option differs."
        return
    yield from _columns([("option", first, second, "叫法"), *rows], 0)
