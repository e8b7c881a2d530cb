"""Who a client is, and the file that remembers it."""

import json
import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from gouji.v1 import gateway_pb2

_SOON_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Credentials:
    """A player and its tokens. Times are seconds since 1970; an empty ``refresh_token`` is none."""

    access_token: str
    player_id: str = ""
    name: str = ""
    access_expires: float = float("inf")
    refresh_token: str = ""

    @property
    def stale(self) -> bool:
        """The access token has run out, or will within half a minute, and can be exchanged."""
        return bool(self.refresh_token) and time.time() > self.access_expires - _SOON_SECONDS

    @classmethod
    def of(cls, player_id: str, name: str, tokens: gateway_pb2.Tokens) -> "Credentials":
        """Take what the gateway issued."""
        expires = tokens.access_expires.ToNanoseconds() / 1e9
        return cls(tokens.access_token, player_id, name, expires, tokens.refresh_token)


class CredentialsFile:
    """Credentials in a file that only its owner may read (mode 0600)."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def named(cls, server: str, directory: Path | None = None) -> "CredentialsFile":
        """Return the file for one server, such as its address; None is the user's data directory."""
        safe = "".join(char if char.isalnum() or char in ".-" else "_" for char in server)
        folder = directory or platformdirs.user_data_path("gouji", appauthor=False)
        return cls(folder / f"session-{safe}.json")

    def load(self) -> Credentials | None:
        """Read them; None where there is no such file, or it holds something else."""
        try:
            return Credentials(**json.loads(self.path.read_text(encoding="utf-8")))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def save(self, credentials: Credentials) -> None:
        """Write them whole or not at all; makes the folder where it is missing."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(f".{os.getpid()}")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(credentials), file)
        beside.replace(self.path)
