"""What a request may hold, as far as several services ask for it: ids, rules, clocks, pages. Pure."""

from typing import Final, Protocol

from google.protobuf.timestamp_pb2 import Timestamp

from gouji.engine import BadValue, RulesConflict, RuleSet, RuleSetError, UnknownOption
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.pages import Place, read_token
from gouji.v1 import rules_pb2
from gouji.wire import rules_from_proto

LONGEST_ID: Final = 128
"""Characters of an id that somebody else chose."""

USUAL_PAGE: Final = 20
"""Rows of a page when the caller does not say."""

LARGEST_PAGE: Final = 100
"""Most rows of a page."""

_LAST_SECOND: Final = 253_402_300_799


class Paged(Protocol):
    """A request for a page."""

    @property
    def page_size(self) -> int:
        """Rows wanted; 0 for the usual number."""
        ...

    @property
    def page_token(self) -> str:
        """Where the page begins; empty for the first one."""
        ...


_REASONS: Final[dict[type[RuleSetError], str]] = {
    UnknownOption: "unknown_rule_option",
    BadValue: "bad_rule_value",
    RulesConflict: "rules_conflict",
}


def check_id(field: str, given: str) -> None:
    """Take an id that somebody else chose. PostgreSQL refuses NUL, and keys that are too long."""
    check_text(field, given, LONGEST_ID)


def read_id(field: str, given: str) -> str:
    """Take the id, or the name, of what is to be looked for, as `check_id` does."""
    check_id(field, given)
    return given


def read_filter(field: str, given: str) -> str:
    """Take the id, or the name, by which a list is limited; an empty one does not limit it."""
    return read_id(field, given) if given else given


def check_text(field: str, given: str, longest: int) -> None:
    """Take a text of 1 to ``longest`` characters that can be shown, or refuse it with `malformed`."""
    if not 1 <= len(given) <= longest or not given.isprintable():
        raise malformed(field, f"is not 1 to {longest} characters that can be shown")


def check_time(field: str, given: Timestamp) -> None:
    """Take a time from 1970 to 9999, or refuse it with `malformed`: a `Timestamp` can hold what is none."""
    if not (0 <= given.seconds <= _LAST_SECOND and 0 <= given.nanos < 1_000_000_000):
        raise malformed(field, "is no time from 1970 on")


def read_rules(given: rules_pb2.RuleSet, field: str) -> RuleSet:
    """Check a rule set that is to be dealt; a refusal names the ``field`` and the option."""
    try:
        rules = rules_from_proto(given)
    except RuleSetError as error:
        raise ServiceError(_REASONS[type(error)], f"{field}: {error}", metadata={"field": field}) from error
    return rules


def check_clock(field: str, clock: rules_pb2.Clock) -> None:
    """Take a table's clock, or refuse it with `malformed`."""
    if clock.answers_least_ms > clock.answers_most_ms > 0:
        raise malformed(f"{field}.answers_least_ms", "is greater than answers_most_ms")


def read_limit(given: int, usual: int, most: int) -> int:
    """Say how many rows a page has: as many as are ``usual`` where it does not say; refused with `malformed`."""
    if given > most:
        raise malformed("limit", f"is {given}; {most} is the most")
    return given or usual


def read_page(request: Paged) -> tuple[int, Place | None]:
    """Read how many rows are wanted, and after which place; refused with `malformed`."""
    if request.page_size > LARGEST_PAGE:
        raise malformed("page_size", f"is {request.page_size}; {LARGEST_PAGE} is the most")
    return request.page_size or USUAL_PAGE, read_token(request.page_token)
