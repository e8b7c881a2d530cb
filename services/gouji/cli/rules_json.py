"""The rules for the web client's page of them, made from the tables of the engine (`web/src/rules.json`)."""

import json
from typing import Any

from gouji.cli.house_rules import simplified
from gouji.engine import RuleSet
from gouji.engine.option import Choice
from gouji.engine.rules import CHAPTERS, OPTIONS, PRESETS, Chapter, Option, Preset


def rules_json() -> str:
    """Write presets, chapters and options as JSON, Chinese in simplified characters."""
    table = {"presets": [_preset(each) for each in PRESETS.values()], "chapters": [_chapter(each) for each in CHAPTERS]}
    return json.dumps(table, ensure_ascii=False, indent=1)


def _preset(preset: Preset) -> dict[str, Any]:
    rules = RuleSet(preset.name)
    values = {
        option.name: option.show(rules[option.name])
        for option in OPTIONS.values()
        if rules[option.name] != option.default
    }
    return {"name": preset.name, **_told(preset), "values": values}


def _chapter(chapter: Chapter) -> dict[str, Any]:
    return {"en": chapter.en, "zh": simplified(chapter.zh), "options": [_option(each) for each in chapter.options]}


def _option(option: Option) -> dict[str, Any]:
    bounds = {"least": option.least, "most": option.most} if option.most else {}
    return {
        "name": option.name,
        "clause": option.clause,
        **_told(option),
        "default": option.show(option.default),
        "kind": _kind(option),
        **bounds,
        "choices": [{"word": choice.word, **_told(choice)} for choice in option.means],
    }


def _kind(option: Option) -> str:
    match option.default:
        case bool():
            return "switch"
        case int():
            return "number"
        case tuple():
            return "words"
        case _:
            return "word"


def _told(told: Preset | Option | Choice) -> dict[str, str]:
    return {"en": told.en, "zh": simplified(told.zh), "term": simplified(told.term)}
