"""What the settings say of systems outside."""

import base64
from typing import Any

import pytest
from pydantic import ValidationError

from gouji.serving.outside import Endpoint, read_endpoints, read_issuers
from gouji.serving.settings import Settings


def secret(byte: bytes = b"k", length: int = 24) -> str:
    return f"whsec_{base64.b64encode(byte * length).decode()}"


def test_issuers_are_read_with_all_client_ids() -> None:
    text = "https://a.example web, https://a.example phone,https://b.example/x games , http://127.0.0.1:90 c"
    assert read_issuers(text) == {
        "https://a.example": {"web", "phone"},
        "https://b.example/x": {"games"},
        "http://127.0.0.1:90": {"c"},
    }
    assert read_issuers("") == {}


@pytest.mark.parametrize("text", ["https://a.example", "http://a.example web", "a.example web", "https:// web", "web"])
def test_what_is_no_issuer_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"https address|client id"):
        read_issuers(text)


def test_endpoints_are_read_with_all_their_secrets() -> None:
    new, old, other = secret(b"n"), secret(b"o"), secret(b"x", 64)
    read = read_endpoints(
        "club=http://inside:80/hook, studio=https://u:p@s.example/h?key=1", f"studio={new},studio={old},club={other}"
    )
    assert read == [
        Endpoint("club", "http://inside:80/hook", (other,)),
        Endpoint("studio", "https://u:p@s.example/h?key=1", (new, old)),
    ]
    assert [one.shown_url for one in read] == ["http://inside:80/hook", "https://s.example/h"]


@pytest.mark.parametrize(
    ("endpoints", "secrets", "problem"),
    [
        ("a=https://a.example", "", "without a secret: a"),
        ("", f"a={secret()}", "without an address or"),
        ("a=ftp://a.example", f"a={secret()}", "none of http"),
        ("a=https://", f"a={secret()}", "none of http"),
        ("a=https://a.example,a=https://b.example", f"a={secret()}", "two addresses"),
        ("A=https://a.example", f"A={secret()}", "not NAME="),
        ("https://a.example", f"a={secret()}", "not NAME="),
        ("a=https://a.example", "a=whsec_Zm9v", "24 to 64 bytes"),
        ("a=https://a.example", f"a={secret(length=65)}", "24 to 64 bytes"),
        ("a=https://a.example", f"a={secret().removeprefix('whsec_')}", "24 to 64 bytes"),
        ("a=https://a.example", f"a={secret()}!", "24 to 64 bytes"),
    ],
)
def test_what_is_no_endpoint_is_refused_without_a_word_of_secrets(endpoints: str, secrets: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as refused:
        read_endpoints(endpoints, secrets)
    assert "whsec_" not in str(refused.value).replace("not whsec_", "")


@pytest.mark.parametrize(
    "wrong", [{"identity_issuers": "https://a.example"}, {"webhook_endpoints": "a=https://a.example"}]
)
def test_a_process_does_not_start_with_them(wrong: Any) -> None:
    with pytest.raises(ValidationError):
        Settings(**wrong)
