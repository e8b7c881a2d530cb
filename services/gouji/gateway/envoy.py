"""The door's configuration: what fills the one template of Envoy (`envoy.yaml.j2`). Pure but for reading that file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import jinja2

from gouji.gateway.public import Method, public_methods
from gouji.wire.headers import DOOR_HEADER, SERVER_HEADER

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Config:
    """All that the template asks for. Paths are absolute."""

    host: str
    port: int
    directory: Path
    services: Mapping[str, Address]
    web: Address | None
    stream_idle_seconds: int
    request_timeout_seconds: int
    server_header: str = SERVER_HEADER
    door_header: str = DOOR_HEADER
    methods: Sequence[Method] = field(default_factory=public_methods)

    @property
    def admin(self) -> str:
        """The socket at which Envoy tells of itself."""
        return str(self.directory / "admin")

    @property
    def endpoints(self) -> str:
        """The file that lists the table servers."""
        return str(self.directory / "tables.json")


def render(config: Config) -> str:
    """Write Envoy's configuration, as YAML."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gouji.gateway", ""),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701 - YAML, in which every value is quoted by `tojson`
        keep_trailing_newline=True,
    )
    return environment.get_template("envoy.yaml.j2").render(door=config)
