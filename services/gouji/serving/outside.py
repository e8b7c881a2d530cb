"""What the settings say of systems outside: identity providers that we trust, and where webhooks go.

Addresses come from here alone, never from a request.
"""

import base64
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,31}")
_PREFIX: Final = "whsec_"
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where events are sent. Each of ``secrets`` signs, so that one can be changed for another."""

    name: str
    url: str
    secrets: tuple[str, ...]

    @property
    def shown_url(self) -> str:
        """The address without what may be secret in it."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.hostname}{f':{parts.port}' if parts.port else ''}{parts.path}"


def read_issuers(text: str) -> Mapping[str, frozenset[str]]:
    """Read issuers with our client ids there, such as `https://id.example.com games-web`, separated by commas.

    An issuer may stand there several times. Raises ValueError for what is none; a provider is asked by HTTPS, or on
    this machine.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for part in _parts(text):
        issuer, _, client_id = part.partition(" ")
        if not client_id.strip():
            raise ValueError(f"{issuer} has no client id behind it")
        if not is_private(issuer):
            raise ValueError(f"{issuer} is no https address")
        found[issuer].add(client_id.strip())
    return {issuer: frozenset(client_ids) for issuer, client_ids in found.items()}


def read_endpoints(endpoints: str, secrets: str) -> Sequence[Endpoint]:
    """Read endpoints (`NAME=URL`) and their secrets (`NAME=whsec_...`), separated by commas.

    Raises ValueError, which shows no secret: for an endpoint without one, one without an endpoint, what is no address.
    """
    urls, keys = dict[str, str](), defaultdict[str, list[str]](list)
    for name, url in _pairs(endpoints):
        if name in urls:
            raise ValueError(f"{name} has two addresses")
        if urlsplit(url).scheme not in ("https", "http") or not urlsplit(url).hostname:
            raise ValueError(f"the address of {name} is none of http or https")
        urls[name] = url
    for name, secret in _pairs(secrets):
        _check_secret(name, secret)
        keys[name].append(secret)
    if set(urls) != set(keys):
        raise ValueError(f"without an address or without a secret: {', '.join(sorted(set(urls) ^ set(keys)))}")
    return [Endpoint(name, url, tuple(keys[name])) for name, url in sorted(urls.items())]


def is_private(url: str) -> bool:
    """Whether nobody on the way can read or change what comes from an address."""
    parts = urlsplit(url)
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    )


def _parts(text: str) -> Iterator[str]:
    return filter(None, (part.strip() for part in text.split(",")))


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for part in _parts(text):
        name, _, value = part.partition("=")
        if not _NAME.fullmatch(name) or not value:
            raise ValueError("not NAME=..., where a name has 1 to 32 small letters, digits and dashes")
        yield name, value


def _check_secret(name: str, secret: str) -> None:
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except ValueError:
        key = b""
    if not secret.startswith(_PREFIX) or not 24 <= len(key) <= 64:
        raise ValueError(f"a secret of {name} is not {_PREFIX} and 24 to 64 bytes in base64")
