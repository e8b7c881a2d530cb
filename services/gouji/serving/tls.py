"""TLS between our own processes: each shows a certificate of our own authority and asks the other for one (mTLS)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import grpc
from cryptography import x509

from gouji.serving.settings import Settings


def server_credentials(settings: Settings) -> grpc.ServerCredentials | None:
    """Make what a server shows and asks for; None without TLS. `OSError` for a file that cannot be read."""
    if not (settings.inside_certificate and settings.inside_key and settings.inside_authority):
        return None
    pair = settings.inside_key.read_bytes(), settings.inside_certificate.read_bytes()
    authority = settings.inside_authority.read_bytes()
    return grpc.ssl_server_credentials([pair], root_certificates=authority, require_client_auth=True)


IN_TURN: Final = ("grpc.service_config", '{"loadBalancingConfig": [{"round_robin": {}}]}')
"""Each call goes to the next of several addresses, which may be those of one name; one that cannot be reached is passed
over."""


def ends_at(certificate: Path) -> float:
    """Say when a certificate ends, in seconds from 1970 on; 0 when the file cannot be read, which is no better."""
    try:
        return x509.load_pem_x509_certificate(certificate.read_bytes()).not_valid_after_utc.timestamp()
    except (OSError, ValueError):
        return 0.0


def dial(
    settings: Settings, address: str, options: Sequence[tuple[str, Any]] = (), interceptors: Sequence[Any] = ()
) -> grpc.aio.Channel:
    """Open a channel to one of our processes, as the settings say; `OSError` for a file that cannot be read.

    ``address`` may be several, of numbers alone and separated by commas, or a name that stands for several, as a
    headless Service's does: they are called in turn.
    """
    options = [*options, IN_TURN]
    if "," in address:
        address = ("ipv6:" if "[" in address else "ipv4:") + address
    if not (settings.inside_certificate and settings.inside_key and settings.inside_authority):
        return grpc.aio.insecure_channel(address, options=options, interceptors=interceptors)
    credentials = grpc.ssl_channel_credentials(
        settings.inside_authority.read_bytes(),
        settings.inside_key.read_bytes(),
        settings.inside_certificate.read_bytes(),
    )
    # Table servers come and go at addresses that no certificate can name beforehand.
    named = [*options, ("grpc.ssl_target_name_override", settings.inside_name)]
    return grpc.aio.secure_channel(address, credentials, options=named, interceptors=interceptors)
