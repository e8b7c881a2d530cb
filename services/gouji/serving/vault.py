"""Encryption at rest of what must not be read in the database: AES-256-GCM under keys that rotate.

Each sealed text names its key and is bound to its place, so that no row can stand in for another. Its length tells
only in which block it falls.
"""

import hashlib
import re
import secrets
import struct
from collections.abc import Sequence
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from gouji.serving.auth import SHORTEST_KEY, DamagedKeyError, read_or_make_key
from gouji.serving.settings import Settings

VERSION: Final = b"\x01"
"""First byte of what is sealed in this form."""

ID_BYTES: Final = 4
"""Length of a key's id, which follows from its secret."""

NONCE_BYTES: Final = 12
"""Length of the number that is drawn for each text."""

BLOCK_BYTES: Final = 64
"""Texts are filled up to a multiple of this."""

_HEAD: Final = len(VERSION) + ID_BYTES + NONCE_BYTES
_LENGTH: Final = struct.Struct(">I")


class Unreadable(ValueError):
    """What was sealed cannot be opened: another place or form, damaged, or its key is not among ours."""


class Vault:
    """Seals under the first of its secrets, opens under all."""

    def __init__(self, keys: Sequence[str]) -> None:
        """Take secrets of 32 characters or more, the newest first; ValueError for none or a shorter one."""
        if not keys or any(len(key) < SHORTEST_KEY for key in keys):
            raise ValueError(f"a key of the log has {SHORTEST_KEY} characters or more")
        self._ciphers = {_id(key): AESGCM(_derived(key)) for key in keys}
        self._head = VERSION + _id(keys[0])
        self._newest = self._ciphers[_id(keys[0])]

    def seal(self, text: bytes, place: str) -> bytes:
        """Encrypt what belongs to a place (`table/t1/5`)."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        filled = _LENGTH.pack(len(text)) + text
        filled += bytes(-len(filled) % BLOCK_BYTES)
        return self._head + nonce + self._newest.encrypt(nonce, filled, place.encode())

    def open(self, sealed: bytes, place: str) -> bytes:
        """Decrypt what was sealed for a place. Raises `Unreadable`, which says nothing of what is in it."""
        version, key_id = sealed[:1], sealed[1 : 1 + ID_BYTES]
        cipher = self._ciphers.get(key_id) if version == VERSION else None
        if cipher is None:
            raise Unreadable(f"{place} is sealed under key {key_id.hex()}, which is not among ours")
        try:
            filled = cipher.decrypt(sealed[1 + ID_BYTES : _HEAD], sealed[_HEAD:], place.encode())
        except (InvalidTag, ValueError) as error:
            raise Unreadable(f"{place} is damaged or from elsewhere") from error
        (length,) = _LENGTH.unpack_from(filled)
        return filled[_LENGTH.size : _LENGTH.size + length]


def board_place(board_id: str) -> str:
    """Name the place for which a duplicate board's secret is sealed, on its way from the organiser to the tables."""
    return f"board/{board_id}"


def vault_for(settings: Settings) -> Vault:
    """Make a process's vault; keys that are not set lie in the data directory, a line each, the newest first.

    Raises `DamagedKeyError` for keys that cannot be used.
    """
    path = settings.data_directory / "log.keys"
    given = settings.log_keys.get_secret_value() if settings.log_keys else read_or_make_key(path)
    try:
        return Vault([key for part in re.split(r"[\n,]", given) if (key := part.strip())])
    except ValueError as error:
        where = "log_keys (GOUJI_LOG_KEYS)" if settings.log_keys else str(path)
        raise DamagedKeyError(f"{where}: {error}.") from error


def _id(key: str) -> bytes:
    return hashlib.sha256(b"gouji log key/" + key.encode()).digest()[:ID_BYTES]


def _derived(key: str) -> bytes:
    return HKDF(hashes.SHA256(), 32, salt=None, info=b"gouji log").derive(key.encode())
