"""What is sealed is opened in its place alone, under any of our keys, and tells nothing otherwise."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from gouji.serving.auth import DamagedKeyError
from gouji.serving.settings import Settings
from gouji.serving.vault import BLOCK_BYTES, ID_BYTES, Unreadable, Vault, vault_for

OLD, NEW, OTHER = (f"{name} key of the tests that is long enough" for name in ("old", "new", "other"))


@pytest.mark.parametrize("text", [b"", b"W", b"hidden cards", bytes(range(256)) * 40])
def test_what_is_sealed_is_opened_again_and_does_not_show(text: bytes) -> None:
    sealed = Vault([OLD]).seal(text, "event/t1/2")
    assert Vault([OLD]).open(sealed, "event/t1/2") == text
    assert len(text) < 5 or text not in sealed
    assert Vault([OLD]).seal(text, "event/t1/2") != sealed


@pytest.mark.parametrize("place", ["event/t1/3", "event/t2/2", "command/t1/2", ""])
def test_a_row_cannot_stand_in_for_another(place: str) -> None:
    sealed = Vault([OLD]).seal(b"hidden", "event/t1/2")
    with pytest.raises(Unreadable, match="damaged or from elsewhere"):
        Vault([OLD]).open(sealed, place)


def test_each_byte_that_is_changed_or_cut_off_is_noticed() -> None:
    sealed = Vault([OLD]).seal(b"hidden", "place")
    broken = [sealed[:n] + bytes([sealed[n] ^ 1]) + sealed[n + 1 :] for n in range(len(sealed))]
    for text in (*broken, *(sealed[:n] for n in range(len(sealed))), sealed + b"x"):
        with pytest.raises(Unreadable):
            Vault([OLD]).open(text, "place")


def test_keys_rotate_by_their_ids() -> None:
    before, rotated = Vault([OLD]), Vault([NEW, OLD])
    sealed, fresh = before.seal(b"hidden", "place"), rotated.seal(b"hidden", "place")
    assert rotated.open(sealed, "place") == rotated.open(fresh, "place") == b"hidden"
    assert Vault([NEW]).open(fresh, "place") == b"hidden"
    with pytest.raises(Unreadable, match=f"under key {fresh[1 : 1 + ID_BYTES].hex()}, which is not among ours"):
        before.open(fresh, "place")


def test_the_length_tells_only_the_block() -> None:
    lengths = {len(Vault([OLD]).seal(bytes(n), "place")) for n in range(BLOCK_BYTES - 3)}
    assert len(lengths) == 1


def test_keys_that_are_not_set_lie_in_the_data_directory(tmp_path: Path) -> None:
    settings = Settings(data_directory=tmp_path)
    sealed = vault_for(settings).seal(b"hidden", "place")
    assert (tmp_path / "log.keys").stat().st_mode & 0o077 == 0
    key = (tmp_path / "log.keys").read_text()
    (tmp_path / "log.keys").write_text(f"{NEW}\n{key}\n")
    assert vault_for(settings).open(sealed, "place") == b"hidden"


@pytest.mark.parametrize("separator", [",", ", ", "\n"])
def test_several_keys_are_set_the_newest_first(separator: str, tmp_path: Path) -> None:
    vault = vault_for(Settings(data_directory=tmp_path, log_keys=SecretStr(f"{NEW}{separator}{OLD}")))
    assert Vault([NEW]).open(vault.seal(b"new", "place"), "place") == b"new"
    assert vault.open(Vault([OLD]).seal(b"old", "place"), "place") == b"old"


def test_a_key_that_is_too_short_is_named_by_where_it_stands(tmp_path: Path) -> None:
    short = SecretStr(f"{'x' * 40},short")
    with pytest.raises(DamagedKeyError, match=r"log_keys \(GOUJI_LOG_KEYS\): a key of the log has 32 characters"):
        vault_for(Settings(data_directory=tmp_path, log_keys=short))
    with pytest.raises(ValueError, match="32 characters"):
        Vault([])
