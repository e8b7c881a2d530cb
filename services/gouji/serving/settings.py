"""All settings of a process, from flags and the environment; the unit is part of the name."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

import platformdirs
from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from gouji.serving.outside import read_endpoints, read_issuers
from gouji.serving.peers import read_networks

Port = Annotated[int, Field(ge=0, le=65535)]
LARGEST = 2**31 - 1
"""Largest number that a setting takes: the wire's numbers hold no more, and it is 24 days in milliseconds."""

Positive = Annotated[int, Field(gt=0, le=LARGEST)]
NotNegative = Annotated[int, Field(ge=0, le=LARGEST)]
_V4, _V6 = r"\d+(\.\d+){3}:\d+", r"\[[\da-fA-F:]+\]:\d+"
Addresses = Annotated[str, Field(pattern=rf"^[^,]+$|^{_V4}(,{_V4})+$|^{_V6}(,{_V6})+$")]
"""One address, or several of numbers, all IPv4 or all IPv6."""

_SEVERAL = "; this process when unset. Several IP addresses with ports, separated by commas, are called in turn."

Key = Annotated[SecretStr, Field(min_length=32)]


def _default_database_url(given: dict[str, Any]) -> str:
    return f"sqlite:///{given['data_directory']}/gouji.sqlite"


class Settings(BaseSettings):
    """One frozen set for a process. `GOUJI_PORT=7200` and `--port 7200` set `port`; a flag wins."""

    model_config = SettingsConfigDict(env_prefix="GOUJI_", frozen=True, env_ignore_empty=True)

    data_directory: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("gouji", appauthor=False),
        json_schema_extra={"default": "~/.local/share/gouji"},
        description="Where the SQLite database and the keys that were not set are kept.",
    )
    database_url: str = Field(
        default_factory=_default_database_url,
        json_schema_extra={"default": "sqlite:///DATA_DIRECTORY/gouji.sqlite"},
        pattern=r"^(sqlite|postgresql)://",
        description="`sqlite:///path/to/file` or `postgresql://user:password@host/name`.",
    )
    database_connections: Positive = Field(
        default=10, description="Most connections of this process to PostgreSQL at a time."
    )

    host: str = Field(default="127.0.0.1", description="Address on which gRPC is served; `0.0.0.0` for all.")
    port: Port = Field(default=7100, description="Port of gRPC; 0 for any that is free.")
    metrics_port: Annotated[int, Field(ge=-1, le=65535)] = Field(
        default=7190,
        description="Port of the Prometheus page, `/livez` and `/readyz`; 0 for any that is free, -1 for none.",
    )
    gateway_address: Addresses | None = Field(default=None, description=f"Where the gateway is dialled{_SEVERAL}")
    matchmaking_address: Addresses | None = Field(default=None, description=f"Where matchmaking is dialled{_SEVERAL}")
    table_address: Addresses | None = Field(default=None, description=f"Where the table service is dialled{_SEVERAL}")
    bot_address: Addresses | None = Field(default=None, description=f"Where the bot service is dialled{_SEVERAL}")
    scoring_address: Addresses | None = Field(default=None, description=f"Where scoring is dialled{_SEVERAL}")
    advertise_address: str | None = Field(
        default=None, description="What clients dial to reach this table server; the bound host and port when unset."
    )

    door_port: Annotated[int, Field(ge=-1, le=65535)] = Field(
        default=-1,
        json_schema_extra={"default": "8080 for `gouji up`, else -1"},
        description="Port of the door, by which browsers and phones come in: gRPC, gRPC-Web and the web client; 0 for "
        "any that is free, -1 for none.",
    )
    door_host: str | None = Field(default=None, description="Address of the door; that of gRPC when unset.")
    door_directory: Path | None = Field(
        default=None,
        description="Where the door's configuration and its list of table servers are written; a directory that goes "
        "with the process when unset.",
    )
    door_origins: str = Field(
        default="",
        description="Origins of pages that may call from elsewhere (CORS), such as `https://play.example`, separated "
        "by commas; `*` for all.",
    )
    door_certificate: Path | None = Field(
        default=None,
        description="The door's certificate, a PEM file that is read anew when it changes; without TLS if unset.",
    )
    door_key: Path | None = Field(default=None, description="The key to the door's certificate, a PEM file.")
    door_client_authority: Path | None = Field(
        default=None, description="Who signs the certificates that clients must show at the door, a PEM file."
    )
    door_proxies: NotNegative = Field(
        default=0, description="How many proxies stand before the door and add to `x-forwarded-for`."
    )
    door_address_calls_per_second: Positive = Field(
        default=200, description="How many calls may come from one address in the long run; twice as many in a burst."
    )
    door_address_guests_per_minute: Positive = Field(
        default=120, description="How many guests may be made from one address."
    )
    door_streams: Positive = Field(
        default=100_000, description="Most calls that the door has open at a time to each service."
    )
    door_connections: Positive = Field(default=20_000, description="Most connections that the door takes.")
    door_memory_mib: Positive = Field(
        default=1024, description="What the door may use, in MiB: it takes no more calls shortly before."
    )
    door_threads: Positive = Field(default=2, description="Threads of the door.")
    web_port: Annotated[int, Field(ge=-1, le=65535)] = Field(
        default=-1,
        json_schema_extra={"default": "0 for `gouji up`, else -1"},
        description="Port at which the door finds the web client; 0 for any that is free, -1 for none.",
    )
    web_address: str | None = Field(
        default=None, description="Where a door apart from the gateway finds the web client; none when unset."
    )

    player_key: Key | None = Field(
        default=None,
        description="Secrets that sign players' tokens, 32 characters or more each, the newest first, separated by "
        "commas, the same in every process; when unset, and no other keys are set, kept in the data directory.",
    )
    player_key_files: str = Field(
        default="",
        description="Private keys that sign players' tokens in the place of secrets: PEM files of Ed25519, P-256 or "
        "RSA keys, the one that signs first, separated by commas. The gateway alone needs them, and shows the public "
        "halves (JWKS).",
    )
    player_jwks: str = Field(
        default="",
        description="Address or file of the public keys (JWKS) by which players' tokens are checked, beside the keys "
        "that are set here; read anew each minute.",
    )
    service_key: Key | None = Field(
        default=None,
        description="Secrets that sign the tokens of services and operators, 32 characters or more each, the newest "
        "first, separated by commas, the same in every process; when unset, kept in the data directory.",
    )
    log_keys: Key | None = Field(
        default=None,
        description="Secrets that encrypt the tables' logs in the database, 32 characters or more each, the newest "
        "first, separated by commas, the same in every process; when unset, kept in the data directory.",
    )
    identity_key: Key | None = Field(
        default=None,
        description="Secret under which players' identities are kept, 32 characters or more, the same in every "
        "gateway; with another one nobody who is bound can sign in. When unset, kept in the data directory.",
    )
    identity_issuers: str = Field(
        default="",
        description="OpenID Connect issuers whose ID tokens are taken, each with our client id there, separated by "
        "commas: `https://id.example.com games-web`.",
    )
    guests_allowed: bool = Field(default=True, description="Whether anybody may become a guest.")
    access_token_seconds: Positive = Field(default=3600, description="How long an access token is good.")
    refresh_token_seconds: Positive = Field(default=30 * 86400, description="How long a refresh token is good.")

    inside_certificate: Path | None = Field(
        default=None,
        description="This process's certificate for gRPC among our own, a PEM file; without it calls are not "
        "encrypted. With it, servers take calls of those alone who show one of the same authority: players come by the "
        "door.",
    )
    inside_key: Path | None = Field(default=None, description="The key to that certificate, a PEM file.")
    inside_authority: Path | None = Field(default=None, description="Who signs such certificates, a PEM file.")
    inside_name: str = Field(default="gouji", description="DNS name that each of these certificates holds.")

    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="The least level that is logged."
    )
    trace_endpoint: str | None = Field(
        default=None,
        pattern=r"^https?://",
        description="Where traces are sent by OTLP over gRPC, such as `http://collector:4317`; none are made when "
        "unset. Needs the extra `gouji[tracing]`.",
    )
    trace_percent: Annotated[float, Field(ge=0, le=100)] = Field(
        default=1.0, description="Of how many calls in a hundred traces are made."
    )
    log_format: Literal["console", "json"] = Field(
        default="console", description="Log lines for people or for machines."
    )
    shutdown_grace_seconds: NotNegative = Field(default=5, description="How long open calls may go on after SIGTERM.")
    request_timeout_seconds: Positive = Field(
        default=30, description="Longest time for a call that is no stream, whatever the client asks."
    )
    player_calls_per_second: Positive = Field(
        default=50,
        description="How many calls a player may make of one process in the long run; twice as many in a burst.",
    )
    returns_at_once: Positive = Field(
        default=4, description="How many players who come back are looked up at a time; the others wait in line."
    )
    arrivals_at_once: Positive = Field(
        default=2, description="How many players are made at a time; the others wait in a line of their own."
    )
    max_message_bytes: Positive = Field(default=256 * 1024, description="Largest message taken or sent.")
    heartbeat_seconds: Positive = Field(default=10, description="Longest silence of a stream.")
    connection_age_seconds: Positive = Field(
        default=3600, description="Age at which a connection is asked to close, so that clients spread anew."
    )
    connection_age_grace_seconds: Positive = Field(
        default=600, description="Time for the streams of such a connection to end."
    )

    commit_interval_ms: NotNegative = Field(
        default=10, description="How long the log writer gathers events for one commit."
    )
    most_commands_waiting: Positive = Field(
        default=5000, description="How many commands may wait for the log at a time; more are refused as `overloaded`."
    )
    table_capacity: Positive = Field(default=4000, description="How many tables a table server takes.")
    table_kept_percent: Annotated[int, Field(ge=0, le=99)] = Field(
        default=10,
        description="Share of its capacity that a table server keeps for tables which lose theirs: no new table goes "
        "there.",
    )
    lease_seconds: Positive = Field(
        default=5, description="How long a table server owns its tables without renewing its lease."
    )
    drain_seconds: Positive = Field(
        default=60, description="How long a table server that stops hands its tables to others; the rest waits for one."
    )
    turn_ms: Positive = Field(default=20_000, description="Time for one decision.")
    bank_ms: NotNegative = Field(default=60_000, description="Time that each seat has beyond that, for one hand.")
    answers_least_ms: NotNegative = Field(
        default=1500, description="Shortest time for which private questions stay open."
    )
    answers_most_ms: NotNegative = Field(
        default=2500, description="Longest time for which private questions stay open."
    )
    rematch_seconds: NotNegative = Field(
        default=60, description="How long after a match its people can say something and ask for a rematch."
    )
    replay_events: Positive = Field(
        default=4096,
        description="Events of the log that a watch sends; one further behind begins at the table as it is now.",
    )
    director_delay_seconds: NotNegative = Field(
        default=60, description="How far behind a table directors are, unless the table says otherwise."
    )
    allowance_ms: NotNegative = Field(
        default=300,
        description="What a command may take on its way: the clock decides only so long after the deadline shown.",
    )
    absent_after_expiries: NotNegative = Field(
        default=2,
        description="Decisions in a row that a person leaves to the clock before a bot plays on; 0 for never.",
    )
    absent_ms: NotNegative = Field(
        default=20_000,
        description="How long a person may be seen to be gone before a bot plays on for it; 0 for ever.",
    )
    stand_in_level: str = Field(default="planner", description="Level of the bots that play on for people.")
    leave_penalty: Annotated[int, Field(ge=0, le=1_000_000)] = Field(
        default=4, description="Points that leaving a match for good costs, beside what the hand brings."
    )
    contributions_ms: NotNegative = Field(
        default=3000, description="How long a deal waits for the players' contributions to its shuffle."
    )
    frozen_seconds: Positive = Field(
        default=86_400, description="Time after which a stopped table that nobody resumes is given up."
    )
    bot_deadline_ms: Positive = Field(default=1000, description="How long a table waits for the bot service's answer.")
    bot_levels: str = Field(
        default="", description="Levels of bots that the bot service offers, divided by commas; all when empty."
    )
    bot_search_threads: NotNegative = Field(
        default=0, description="Searches of the bot service at a time; 0 for as many as there are cores."
    )
    bot_search_ms: Positive = Field(
        default=250, description="Time after which a search takes the best that it has found."
    )
    bot_pace_ms: NotNegative = Field(
        default=600,
        description="How long a bot seems to think: half of its plays take less; 0 for no time.",
    )

    queue_cycle_ms: Positive = Field(default=100, description="How often the queues are looked at.")
    bots_after_seconds: NotNegative = Field(
        default=10, description="Waiting time after which bots fill a table, unless the ticket says otherwise."
    )
    ticket_lease_seconds: Positive = Field(
        default=30, description="How long a ticket that nobody watches stays in its queue."
    )
    queue_lease_seconds: Positive = Field(
        default=3, description="How long a process that died keeps others from making a queue's matches."
    )
    ready_seconds: NotNegative = Field(
        default=10, description="How long the people of a match have to confirm it; 0 for a match at once."
    )
    ticket_keep_seconds: Positive = Field(default=86_400, description="How long ended tickets and matches are kept.")

    tournament_poll_ms: Positive = Field(default=500, description="How often tournaments are looked at.")

    invitation_seconds: Positive = Field(default=300, description="How long an invitation to a party stands.")
    lobby_poll_ms: Positive = Field(
        default=500, description="How often it is looked for changes of parties and rooms that other processes made."
    )
    party_idle_seconds: Positive = Field(
        default=1800, description="How long a party goes on that nobody follows and of which nobody plays."
    )
    room_idle_seconds: Positive = Field(
        default=3600, description="How long a room stays open that nobody follows or changes."
    )
    webhook_endpoints: str = Field(
        default="",
        description="Where finished matches are sent (docs/webhooks.md), separated by commas: "
        "`studio=https://games.example.com/gouji`.",
    )
    webhook_secrets: SecretStr = Field(
        default=SecretStr(""),
        json_schema_extra={"default": ""},
        description="What signs them, separated by commas: `studio=whsec_...`; two for one name while it changes.",
    )
    webhook_tries: Positive = Field(
        default=12, description="After how many tries a webhook is parked until an operator has it tried again."
    )
    webhook_timeout_seconds: Positive = Field(default=15, description="How long an endpoint may take to answer.")
    feed_keep_seconds: Positive = Field(
        default=30 * 86400, description="How long events for studios' own systems are kept."
    )

    seasons: str = Field(
        default="monthly",
        description="When seasons of the leaderboards begin and end, in UTC: `monthly`, `quarterly`, `yearly`, `none`, "
        "or a list such as `Spring 2027 = 2027-03-01/2027-06-01, Cup = 2027-06-01T12:00/2027-06-15`. Seasons that have "
        "begun stay as they are.",
    )
    season_grace_seconds: NotNegative = Field(
        default=86_400,
        description="How long after a season's end results that come late still count in it; then its ranks are final.",
    )
    trusted_proxies: str = Field(
        default="",
        description="Networks, such as `10.0.0.0/8`, separated by commas, whose `x-forwarded-for` is believed when "
        "tries are counted by address.",
    )

    @model_validator(mode="after")
    def _proxies_are_networks(self) -> Self:
        read_networks(self.trusted_proxies)
        return self

    @model_validator(mode="after")
    def _outside_is_there(self) -> Self:
        read_issuers(self.identity_issuers)
        read_endpoints(self.webhook_endpoints, self.webhook_secrets.get_secret_value())
        return self

    @model_validator(mode="after")
    def _certificates_are_whole(self) -> Self:
        inside = (self.inside_certificate, self.inside_key, self.inside_authority)
        if any(inside) and not all(inside):
            raise ValueError("inside_certificate, inside_key and inside_authority go together")
        if (self.door_certificate is None) != (self.door_key is None):
            raise ValueError("door_certificate and door_key go together")
        if self.door_client_authority and not self.door_certificate:
            raise ValueError("door_client_authority needs door_certificate")
        return self

    @model_validator(mode="after")
    def _answers_fit(self) -> Self:
        if self.answers_least_ms > self.answers_most_ms:
            raise ValueError("answers_least_ms is greater than answers_most_ms")
        return self
