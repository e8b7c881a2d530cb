"""Pages of long lists: where one ends, as a token that a client hands back."""

import base64
import json
from typing import NamedTuple

from gouji.serving.errors import malformed

_LARGEST = 2**63


class Place(NamedTuple):
    """A row of a list that is ordered by a number and then by an id."""

    number: int
    row_id: str

    def token(self) -> str:
        """Write it as a client hands it back."""
        return base64.urlsafe_b64encode(json.dumps(self).encode()).decode()


def read_token(token: str) -> Place | None:
    """Read where a page begins; None for the first one. Raises `ServiceError` `malformed`."""
    if not token:
        return None
    try:
        number, row_id = json.loads(base64.urlsafe_b64decode(token.encode()))
    except (ValueError, TypeError, RecursionError) as error:
        raise malformed("page_token", "is none of this list's") from error
    whole = type(number) is int and -_LARGEST <= number < _LARGEST
    if not whole or type(row_id) is not str or not row_id.isprintable():
        raise malformed("page_token", "is none of this list's")
    return Place(number, row_id)
