"""Where a client calls: `host:port`, or `https://host`, with TLS, of which the port is 443 unless it is named."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import grpc

_SECURE: Final = "https"
_PORTS: Final = {_SECURE: 443, "http": 80}


def open_channel(
    address: str, options: Sequence[tuple[str, Any]] = (), authority: Path | None = None
) -> grpc.aio.Channel:
    """Open a channel; ``authority`` is a PEM file of who signs the server's certificate, unless it is well known."""
    if "://" not in address:
        return grpc.aio.insecure_channel(address, options=options)
    parts = urlsplit(address)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(f"no address: {address}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    target = f"{host}:{parts.port or _PORTS[parts.scheme]}"
    if parts.scheme != _SECURE:
        return grpc.aio.insecure_channel(target, options=options)
    roots = authority.read_bytes() if authority else None
    return grpc.aio.secure_channel(target, grpc.ssl_channel_credentials(roots), options=options)
