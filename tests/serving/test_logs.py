"""What log lines hold, and what they never do."""

import asyncio
import gc
import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from gouji.serving.logs import make_log, route_loop_faults, route_standard_logging, stack_of
from gouji.serving.settings import Settings
from gouji.serving.testing import captured_log

SECRET = "W2222 hidden cards"


def caught(error: Exception) -> Exception:
    try:
        try:
            raise KeyError(SECRET)
        except KeyError as cause:
            raise error from cause
    except type(error) as raised:
        return raised


def test_a_line_for_machines_is_json_with_time_level_and_what_was_bound(sqlite_settings: Settings) -> None:
    stream = io.StringIO()
    log = make_log(sqlite_settings.model_copy(update={"log_format": "json"}), stream)
    log.bind(table="t1", hand=2, turn=3).warning("slow", seconds=1.5)
    line = json.loads(stream.getvalue())
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "slow", "level": "warning", "table": "t1", "hand": 2, "turn": 3, "seconds": 1.5}


def test_lines_below_the_level_are_left_out(sqlite_settings: Settings) -> None:
    stream = io.StringIO()
    log = make_log(sqlite_settings.model_copy(update={"log_level": "warning"}), stream)
    log.info("small")
    log.error("great")
    assert "great" in stream.getvalue()
    assert "small" not in stream.getvalue()


def test_a_stack_names_types_and_places_from_the_cause_on_and_no_text() -> None:
    stack = stack_of(caught(ValueError(SECRET)))
    cause, _, last = stack.partition("; then ")
    assert cause.startswith("KeyError at caught ")
    assert last.startswith("ValueError at caught ")
    assert f"{__file__}:" in cause
    assert SECRET not in stack


def test_an_exception_that_was_never_raised_has_no_place() -> None:
    assert stack_of(ValueError(SECRET)) == "ValueError at unknown"


@pytest.fixture
def root() -> Iterator[logging.Logger]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    yield root
    root.handlers, root.level = handlers, level


def test_what_libraries_log_goes_the_same_way_without_the_text_of_exceptions(root: logging.Logger) -> None:
    log, lines = captured_log()
    route_standard_logging(log)
    logging.getLogger("some.library").info("left out")
    try:
        raise caught(ValueError(SECRET))
    except ValueError:
        logging.getLogger("some.library").exception("It %s", "broke")
    [line] = lines
    facts: dict[str, Any] = {key: line[key] for key in ("event", "logger", "log_level")}
    assert facts == {"event": "It broke", "logger": "some.library", "log_level": "error"}
    assert "ValueError" in line["stack"]
    assert SECRET not in str(line)


async def test_what_fails_unseen_in_the_event_loop_is_logged_by_place_and_never_by_its_text() -> None:
    log, lines = captured_log()
    route_loop_faults(log)

    async def fail() -> None:
        raise ValueError(SECRET)

    def call_back(_argument: str) -> None:
        raise KeyError(SECRET)

    task = asyncio.create_task(fail())
    asyncio.get_running_loop().call_soon(call_back, SECRET)
    await asyncio.wait([task])
    del task
    gc.collect()
    await asyncio.sleep(0)
    assert [line["event"] for line in lines] == ["unseen_fault"] * 2
    assert "KeyError at call_back" in lines[0]["stack"]
    assert "ValueError at fail" in lines[1]["stack"]
    assert SECRET not in str(lines)
