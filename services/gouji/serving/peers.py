"""From where a call comes: the network address behind the proxies that we trust."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Final
from urllib.parse import unquote

from gouji.wire.headers import DOOR_HEADER

Network = IPv4Network | IPv6Network

_FORWARDED: Final = "x-forwarded-for"
_ONE_SITE: Final = 64
"""Bits of an IPv6 address that tell sites apart: the rest is for its user to choose."""


def read_networks(text: str) -> list[Network]:
    """Read networks, such as `10.0.0.0/8, ::1`; `ValueError` for what is none."""
    return [ip_network(part.strip()) for part in text.split(",") if part.strip()]


def peer_of(context: Any, trusted: Sequence[Network]) -> str:
    """Say from which address a gRPC call comes: of IPv6 the network of a site, as text.

    What a proxy in ``trusted`` says of the address before it is believed, and of nobody else.
    """
    address = _host(unquote(context.peer()))
    forwarded = [value for name, value in context.invocation_metadata() or () if name == _FORWARDED]
    before = [part.strip() for value in forwarded for part in str(value).split(",")]
    while before and _among(address, trusted):
        address = before.pop()
    return _site(address)


def came_by_door(context: Any) -> bool:
    """Say whether a gRPC call came in by the door, from outside."""
    return any(name == DOOR_HEADER for name, _ in context.invocation_metadata() or ())


def _host(peer: str) -> str:
    """Take the address out of `ipv4:127.0.0.1:5000` and `ipv6:[::1]:5000`."""
    kind, _, rest = peer.partition(":")
    return rest.rpartition(":")[0].strip("[]") if kind in ("ipv4", "ipv6") else peer


def _among(address: str, networks: Sequence[Network]) -> bool:
    try:
        read = ip_address(address)
    except ValueError:
        return False
    return any(read in network for network in networks)


def _site(address: str) -> str:
    try:
        read = ip_address(address)
    except ValueError:
        return "unknown"
    if not isinstance(read, IPv6Address):
        return str(read)
    mapped = read.ipv4_mapped
    return str(mapped or ip_network((read, _ONE_SITE), strict=False))
