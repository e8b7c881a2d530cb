"""Structured logs. A logger is made for each process and passed on; only the CLI sets anything globally.

Whoever logs binds `table`, `hand` and `turn`. Cards, tokens and messages never enter a line; an exception is
logged by its types and places (`stack_of`), because its text may quote what it choked on.
"""

import asyncio
import logging
import sys
import traceback
from typing import Any, TextIO

import structlog
from structlog.typing import FilteringBoundLogger, Processor

from gouji.serving.settings import Settings

Log = FilteringBoundLogger
"""A logger: `log.info("event_name", key=value)`, `log.bind(key=value)`."""


def make_log(settings: Settings, stream: TextIO | None = None) -> Log:
    """Make a process's logger, which writes lines to `stream`, or standard error."""
    return _log_through(_processors(settings), settings.log_level, stream or sys.stderr)


def route_standard_logging(log: Log) -> None:
    """Send what libraries say through `logging` to this logger. For the CLI: `logging` is global."""
    root = logging.getLogger()
    root.handlers = [_Bridge(log)]
    root.setLevel(logging.WARNING)


def route_loop_faults(log: Log) -> None:
    """Send what fails in a task or callback of the running event loop, unseen by others, to this logger.

    asyncio's own lines quote exceptions and the arguments of callbacks.
    """

    def report(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        log.error("unseen_fault", **({"stack": stack_of(error)} if error else {"what": context["message"]}))

    asyncio.get_running_loop().set_exception_handler(report)


def stack_of(error: BaseException) -> str:
    """Say what was raised and where, innermost cause first, without any text or value of the exceptions."""
    causes: list[str] = []
    current: BaseException | None = error
    while current is not None and len(causes) < 10:
        frames = traceback.extract_tb(current.__traceback__, limit=-20)
        places = " < ".join(f"{frame.name} {frame.filename}:{frame.lineno}" for frame in reversed(frames))
        causes.append(f"{type(current).__qualname__} at {places or 'unknown'}")
        current = current.__cause__ or current.__context__
    return "; then ".join(reversed(causes))


def _processors(settings: Settings) -> list[Processor]:
    last: Processor = (
        structlog.processors.JSONRenderer()
        if settings.log_format == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        last,
    ]


def _log_through(processors: list[Processor], level: str, stream: TextIO) -> Log:
    log: Log = structlog.wrap_logger(
        structlog.PrintLogger(stream),
        processors=processors,
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    return log


class _Bridge(logging.Handler):
    """Hands the records of `logging` to a structlog logger."""

    def __init__(self, log: Log) -> None:
        super().__init__()
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Pass on the logger's name and the message; of an exception only types and places."""
        facts: dict[str, Any] = {"logger": record.name}
        if record.exc_info and record.exc_info[1]:
            facts["stack"] = stack_of(record.exc_info[1])
        self._log.log(record.levelno, record.getMessage(), **facts)
