"""Who calls: tokens, and which roles may call which RPC."""

import contextvars
import os
import secrets
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

import jwt
from pydantic import SecretStr

from gouji.serving.clock import Clock
from gouji.serving.errors import ServiceError
from gouji.serving.keys import KeyRing, TokenKey, UnusableKey, private_keys, shared_keys
from gouji.serving.settings import Settings
from gouji.wire.bots import is_bot


class Role(StrEnum):
    """What a caller is; `NOBODY` needs no token."""

    NOBODY = "nobody"
    PLAYER = "player"
    BOT = "bot"
    SERVICE = "service"
    MODERATOR = "moderator"
    OPERATOR = "operator"
    DIRECTOR = "director"


ANYBODY: frozenset[str] = frozenset({Role.NOBODY})
"""Roles of an RPC that needs no token; one that is sent is not looked at."""

PLAYERS: frozenset[str] = frozenset({Role.PLAYER, Role.BOT})
"""Roles of who plays: people, and bots of others' own where these may do what people do."""

STAFF: frozenset[str] = frozenset({Role.MODERATOR, Role.OPERATOR, Role.DIRECTOR})
"""Roles of people who hold power over others; the audit log has what they do."""

ANY_ROLE: frozenset[str] = PLAYERS | STAFF | {Role.SERVICE}
"""Roles of an RPC for everybody with a good token."""

Roles = Mapping[str, Collection[str]]
"""Method name (`Act`) to the roles that may call it."""


@dataclass(frozen=True)
class Caller:
    """Who calls. Without a token: role `nobody`, no id, no name. The id of all but players and bots is their name.

    ``calls_per_second`` is what a bot's credential allows it and the others of its account together.
    """

    role: Role
    player_id: str = ""
    name: str = ""
    expires: datetime | None = None
    calls_per_second: int = 0

    @property
    def plays(self) -> bool:
        """Whether it is a player, a person or a bot: it has seats, and tickets of its own."""
        return self.role in PLAYERS


@dataclass(frozen=True)
class Credential:
    """What an operator lets the author of bots do: as so many bots at a time as there are ``seats``.

    ``account`` names the author, and its bots; ``calls_per_second`` is for all of them, at each process.
    """

    account: str
    seats: int
    calls_per_second: int
    expires: datetime


# Tokens whose signature need not be checked again, which takes as long as half a call: a full table server has 24,000
# players.
_REMEMBERED = 50_000

NOBODY = Caller(Role.NOBODY)
"""A caller without a token."""


@dataclass(frozen=True)
class PlayerTokens:
    """What a player gets: a token for calls, and one for new tokens."""

    access_token: str
    access_expires: datetime
    refresh_token: str
    refresh_expires: datetime


_caller: contextvars.ContextVar[Caller] = contextvars.ContextVar("gouji_caller", default=NOBODY)


def caller(_context: object = None) -> Caller:
    """Say who called the RPC that is being handled; the gRPC context may be passed and is not needed."""
    return _caller.get()


def set_caller(who: Caller) -> None:
    """Remember the caller for the rest of this task."""
    _caller.set(who)


class Tokens:
    """Makes and checks tokens (JWT). The audience says what a token is for, and which ring of keys signs it."""

    def __init__(
        self,
        players: KeyRing,
        services: KeyRing,
        clock: Clock,
        access_token_seconds: int = 3600,
        refresh_token_seconds: int = 30 * 86400,
    ) -> None:
        self.players = players
        self._rings = {audience: ring for ring in (players, services) for audience in ring.audiences}
        self._all = (players, services)
        self._clock = clock
        self._access = timedelta(seconds=access_token_seconds)
        self._refresh = timedelta(seconds=refresh_token_seconds)
        self._read = lru_cache(maxsize=_REMEMBERED)(self._check)

    def publish(self, keys: Iterable[TokenKey]) -> None:
        """Check players' tokens by these keys of others, beside our own; those of before are good no longer."""
        self.players.publish(keys)
        self._read.cache_clear()

    def mint_player(self, player_id: str, name: str) -> PlayerTokens:
        """Make a player's tokens."""
        now = self._clock.now()
        access_expires, refresh_expires = now + self._access, now + self._refresh
        return PlayerTokens(
            self._mint("player", player_id, name, access_expires),
            access_expires,
            self._mint("refresh", player_id, name, refresh_expires),
            refresh_expires,
        )

    def mint_credential(self, credential: Credential) -> str:
        """Make what an author of bots opens them with."""
        quota = {"seats": credential.seats, "calls": credential.calls_per_second}
        return self._mint("credential", credential.account, credential.account, credential.expires, **quota)

    def mint_bot(self, bot_id: str, name: str, calls_per_second: int, until: datetime) -> PlayerTokens:
        """Make a bot's tokens; none is good for longer than the credential, which is good ``until`` then."""
        expires = min(self._clock.now() + self._access, until)
        access = self._mint("bot", bot_id, name, expires, calls=calls_per_second)
        refresh = self._mint("bot-refresh", bot_id, name, until, calls=calls_per_second)
        return PlayerTokens(access, expires, refresh, until)

    def mint_service(self, name: str = "service") -> str:
        """Make a token for calls between services."""
        return self._mint("service", name, name, self._clock.now() + self._access)

    def mint_moderator(self, name: str) -> str:
        """Make a token for somebody who looks after players' conduct."""
        return self._mint("moderator", name, name, self._clock.now() + self._access)

    def mint_operator(self, name: str) -> str:
        """Make a token for an operator."""
        return self._mint("operator", name, name, self._clock.now() + self._access)

    def mint_director(self, name: str) -> str:
        """Make a token for somebody who may see the cards of all seats at every table."""
        return self._mint("director", name, name, self._clock.now() + self._access)

    def verify(self, token: str) -> Caller:
        """Say whose access token it is; refused with `token_invalid` or `token_expired`."""
        return self._verify(token, ANY_ROLE)

    def verify_refresh(self, token: str) -> Caller:
        """Say whose refresh token it is; refused as in `verify`."""
        return self._verify(token, ("refresh", "bot-refresh"))

    def verify_credential(self, token: str) -> Credential:
        """Say what an author of bots may do; refused as in `verify`."""
        self._verify(token, ("credential",))
        claims = self._claims(token)
        expires = datetime.fromtimestamp(claims["exp"], UTC)
        return Credential(claims["sub"], claims["seats"], claims["calls"], expires)

    def seconds_left(self, who: Caller) -> float:
        """For how long the caller's token is still good; for ever without one."""
        return (who.expires - self._clock.now()).total_seconds() if who.expires else float("inf")

    def _mint(self, audience: str, subject: str, name: str, expires: datetime, **more: int) -> str:
        key = self._rings[audience].signer
        if key is None:
            raise RuntimeError(f"there is no key here that signs tokens for {audience}")
        claims = {"aud": audience, "sub": subject, "name": name, "exp": expires, **more}
        return jwt.encode(claims, key.signs, algorithm=key.algorithm, headers={"kid": key.key_id})

    def _verify(self, token: str, audiences: Collection[str]) -> Caller:
        try:
            audience, who = self._read(token)
        except (jwt.InvalidTokenError, TypeError, ValueError) as error:
            raise ServiceError("token_invalid", "The token is not one of ours.") from error
        if audience not in audiences:
            raise ServiceError("token_invalid", "The token is for another use.")
        if self.seconds_left(who) <= 0:
            raise ServiceError("token_expired", "The token has expired; refresh the session.")
        return who

    def _check(self, token: str) -> tuple[str, Caller]:
        """Check the signature, and read what the token is for and whose it is."""
        claims = self._claims(token)
        if not claims["sub"]:
            raise jwt.InvalidTokenError("it names nobody")  # whom the audit log could not name either
        audience = claims["aud"]
        role = _ROLE_OF.get(audience) or Role(audience)
        calls = claims.get("calls", 0)
        if role is Role.BOT and not (calls > 0 and is_bot(claims["sub"])):
            raise jwt.InvalidTokenError("it names no bot, or not how often that may call")
        expires = datetime.fromtimestamp(claims["exp"], UTC)
        return audience, Caller(role, claims["sub"], claims["name"], expires, calls)

    def _claims(self, token: str) -> dict[str, Any]:
        key_id = jwt.get_unverified_header(token).get("kid")
        for ring in self._all:
            key = ring.find(key_id) if isinstance(key_id, str) else None
            if key:
                return jwt.decode(
                    token,
                    key.verifies,
                    algorithms=[key.algorithm],
                    audience=ring.audiences,
                    options={"verify_exp": False, "require": ["aud", "exp", "sub", "name"]},
                )
        raise jwt.InvalidTokenError("unknown key")


_ROLE_OF: Final = {"refresh": Role.PLAYER, "bot-refresh": Role.BOT, "credential": Role.NOBODY}
"""What the bearer of a token for something else than calls is."""

SHORTEST_KEY = 32
"""Characters of a secret that signs tokens, at least."""


class DamagedKeyError(OSError):
    """A key file that cannot be used; the text says what to do."""


def read_or_make_key(path: Path) -> str:
    """Read a secret from a file that only its owner may read; make it first, once, if it is not there."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=path.parent) as fresh:  # made with mode 0600
            fresh.write(secrets.token_urlsafe(32))
            fresh.flush()
            os.fsync(fresh.fileno())
            with suppress(FileExistsError):
                os.link(fresh.name, path)
    key = path.read_text()
    if len(key) < SHORTEST_KEY:
        raise DamagedKeyError(
            f"{path} holds no key of {SHORTEST_KEY} characters or more: remove it to have a new one made."
        )
    return key


def tokens_for(settings: Settings, clock: Clock) -> Tokens:
    """Make the tokens of a process; keys that are not set lie in the data directory.

    Raises `DamagedKeyError` for a key that cannot be used.
    """
    players = _player_keys(settings)
    services = shared_keys(_secrets(settings.service_key, settings.data_directory / "service.key"))
    if {key.key_id for key in players} & {key.key_id for key in services}:
        raise DamagedKeyError("player_key and service_key share a secret: set another for the services.")
    return Tokens(
        player_ring(players),
        service_ring(services),
        clock,
        settings.access_token_seconds,
        settings.refresh_token_seconds,
    )


def player_ring(keys: Iterable[TokenKey]) -> KeyRing:
    """Gather the keys of players' tokens, and of those of bots."""
    return KeyRing(("player", "refresh", "bot", "bot-refresh"), keys)


def service_ring(keys: Iterable[TokenKey]) -> KeyRing:
    """Gather the keys of the tokens of services, of moderators, operators and directors, and of bots' credentials."""
    return KeyRing(("service", "moderator", "operator", "director", "credential"), keys)


def _player_keys(settings: Settings) -> list[TokenKey]:
    """Read the private keys, then the secrets: one in the data directory is for when there is nothing else."""
    paths = [Path(part.strip()) for part in settings.player_key_files.split(",") if part.strip()]
    try:
        keys = private_keys(paths)
    except UnusableKey as error:
        raise DamagedKeyError(str(error)) from error
    if settings.player_key or not (keys or settings.player_jwks):
        keys += shared_keys(_secrets(settings.player_key, settings.data_directory / "player.key"))
    return keys


def _secrets(given: SecretStr | None, path: Path) -> list[str]:
    """Divide secrets at commas; each must be long enough."""
    text = given.get_secret_value() if given else read_or_make_key(path)
    secrets = [part for one in text.split(",") if (part := one.strip())]
    if any(len(secret) < SHORTEST_KEY for secret in secrets):
        raise DamagedKeyError(f"A key of tokens has {SHORTEST_KEY} characters or more, each of them.")
    return secrets
