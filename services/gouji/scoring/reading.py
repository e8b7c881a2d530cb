"""What the services of scoring read from requests, checked."""

from typing import Final, Protocol

from gouji.serving.errors import malformed
from gouji.serving.pages import Place, read_token

DEFAULT_PAGE: Final = 20
"""Rows of a page when the caller does not say."""

LARGEST_PAGE: Final = 100
"""Most rows of a page."""

LONGEST_TEXT: Final = 200
"""Most characters of an id or a name to look for: more than any has."""


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


def read_page(request: Paged) -> tuple[int, Place | None]:
    """Read how many rows are wanted, and after which place."""
    if request.page_size > LARGEST_PAGE:
        raise malformed("page_size", f"is {request.page_size}; {LARGEST_PAGE} is the most")
    return request.page_size or DEFAULT_PAGE, read_token(request.page_token)


def read_id(path: str, value: str) -> str:
    """Take an identifier, which must not be empty."""
    if not value:
        raise malformed(path, "is empty")
    return read_text(path, value)


def read_text(path: str, value: str) -> str:
    """Take a text that the database can compare with: PostgreSQL refuses the character NUL."""
    if "\0" in value:
        raise malformed(path, "holds the character NUL")
    if len(value) > LONGEST_TEXT:
        raise malformed(path, f"has {len(value)} characters; {LONGEST_TEXT} is the most")
    return value
