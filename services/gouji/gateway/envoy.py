"""The door's configuration: what fills the one template of Envoy (`envoy.yaml.j2`). Pure but for reading that file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import jinja2

from gouji.gateway.endpoints import Address
from gouji.gateway.envoy_process import ADMIN
from gouji.gateway.public import Method, public_methods
from gouji.gateway.replies import Reply, replies
from gouji.serving.errors import DETAILS_KEY
from gouji.serving.interceptors import REQUEST_ID
from gouji.serving.settings import Settings
from gouji.wire.headers import DOOR_HEADER, SERVER_HEADER

BEHIND: Final = ("gateway", "matchmaking", "scoring", "bot")
"""Services that are found by an address of theirs; table servers are told of one by one."""

TABLE_LIST: Final = "tables.json"
"""Name of the file, in Envoy's directory, that lists the table servers."""

HEALTH_PATH: Final = "/healthz"
"""Where the door says to load balancers and kubelets that it takes calls."""

SILENT_HEARTBEATS: Final = 6
"""After how many heart-beats without a byte a stream is given up."""

REQUEST_HEADERS: Final = (
    "authorization",
    "content-type",
    "grpc-timeout",
    SERVER_HEADER,
    REQUEST_ID,
    "x-grpc-web",
    "x-user-agent",
)
"""What a page of another origin may send."""

RESPONSE_HEADERS: Final = ("grpc-status", "grpc-message", DETAILS_KEY)
"""What it may read."""


@dataclass(frozen=True, slots=True)
class Tls:
    """A certificate with its key, and who signs those of the other side, if they must have one; PEM files."""

    certificate: Path
    key: Path
    authority: Path | None = None
    name: str = ""
    """The name that the other side's certificate must hold."""


@dataclass(frozen=True, slots=True)
class Config:
    """All that the template asks for. Paths are absolute."""

    host: str
    port: int
    directory: Path
    services: Mapping[str, Sequence[Address]]
    web: Address | None
    stream_idle_seconds: int
    request_timeout_seconds: int
    connection_age_seconds: int
    most_request_bytes: int
    most_streams: int
    most_connections: int
    memory_bytes: int
    calls_a_second: int
    guests_a_minute: int
    proxies_before: int = 0
    origins: Sequence[str] = ()
    outside: Tls | None = None
    inside: Tls | None = None
    streams_a_connection: int = 1000
    window_bytes: int = 65_536
    addresses_remembered: int = 20_000
    server_header: str = SERVER_HEADER
    door_header: str = DOOR_HEADER
    health_path: str = HEALTH_PATH
    request_headers: Sequence[str] = REQUEST_HEADERS
    response_headers: Sequence[str] = RESPONSE_HEADERS
    methods: Sequence[Method] = field(default_factory=public_methods)
    replies: Sequence[Reply] = field(default_factory=replies)

    @property
    def admin(self) -> str:
        """The socket at which Envoy tells of itself."""
        return str(self.directory / ADMIN)

    @property
    def endpoints(self) -> str:
        """The file that lists the table servers."""
        return str(self.directory / TABLE_LIST)

    @property
    def certificates(self) -> str:
        """The file that says where the door's certificate is."""
        return str(self.directory / "certificate.json")


def config_for(
    settings: Settings, directory: Path, services: Mapping[str, Sequence[Address]], web: Address | None
) -> Config:
    """Fill in what the settings say."""
    return Config(
        host=settings.door_host or settings.host,
        port=settings.door_port,
        directory=directory,
        services=services,
        web=web,
        stream_idle_seconds=SILENT_HEARTBEATS * settings.heartbeat_seconds,
        request_timeout_seconds=settings.request_timeout_seconds,
        connection_age_seconds=settings.connection_age_seconds,
        most_request_bytes=settings.max_message_bytes,
        most_streams=settings.door_streams,
        most_connections=settings.door_connections,
        memory_bytes=settings.door_memory_mib * 2**20,
        calls_a_second=settings.door_address_calls_per_second,
        guests_a_minute=settings.door_address_guests_per_minute,
        proxies_before=settings.door_proxies,
        origins=[origin.strip() for origin in settings.door_origins.split(",") if origin.strip()],
        outside=_tls(settings.door_certificate, settings.door_key, settings.door_client_authority),
        inside=_tls(settings.inside_certificate, settings.inside_key, settings.inside_authority, settings.inside_name),
    )


def _tls(certificate: Path | None, key: Path | None, authority: Path | None, name: str = "") -> Tls | None:
    return Tls(certificate, key, authority, name) if certificate and key else None


def certificate(outside: Tls) -> str:
    """Say where the door's certificate is, as Envoy has itself told of secrets: it then watches their directory."""
    secret = {
        "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret",
        "name": "door",
        "tls_certificate": {
            "certificate_chain": {"filename": str(outside.certificate)},
            "private_key": {"filename": str(outside.key)},
            "watched_directory": {"path": str(outside.certificate.parent)},
        },
    }
    return json.dumps({"resources": [secret]}, indent=1)


def render(config: Config) -> str:
    """Write Envoy's configuration, as YAML."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gouji.gateway", ""),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - YAML, in which every value is quoted by `tojson`
        keep_trailing_newline=True,
    )
    return environment.get_template("envoy.yaml.j2").render(door=config)
