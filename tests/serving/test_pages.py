"""Tokens of pages: what a client hands back is read as it was written, and nothing else is."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gouji.serving.errors import ServiceError
from gouji.serving.pages import Place, read_token

IDS = st.text().filter(str.isprintable)


@given(st.integers(-(2**63), 2**63 - 1), IDS)
def test_a_token_is_read_as_it_was_written(number: int, row_id: str) -> None:
    assert read_token(Place(number, row_id).token()) == Place(number, row_id)


def test_the_first_page_has_no_token() -> None:
    assert read_token("") is None


def token_of(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()


@pytest.mark.parametrize(
    "token",
    [
        "?",
        "漢",
        "AAAA",
        *map(token_of, ([], [1], {"a": 1}, None, ["1", "a"], [True, "a"], [1.5, "a"], [1, None], [1, "a", 2])),
        *map(token_of, ([2**63, "a"], [-(2**63) - 1, "a"], [1, "a\0"], [1, "\ud800"], "ab")),
        token_of([int("9" * 4300), "a"]),
    ],
)
def test_what_is_no_token_is_refused(token: str) -> None:
    with pytest.raises(ServiceError, match="page_token") as refused:
        read_token(token)
    assert refused.value.reason == "malformed"


@given(st.text())
def test_whatever_comes_is_read_or_refused(token: str) -> None:
    try:
        read_token(token)
    except ServiceError as error:
        assert error.reason == "malformed"  # noqa: PT017 - either way is right
