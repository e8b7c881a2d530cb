"""From where a call comes."""

import pytest

from gouji.serving.peers import peer_of, read_networks


class Context:
    """A call from somewhere, with what it says of itself."""

    def __init__(self, peer: str, *forwarded: str) -> None:
        self._peer = peer
        self._metadata = [("authorization", "x"), *(("x-forwarded-for", value) for value in forwarded)]

    def peer(self) -> str:
        return self._peer

    def invocation_metadata(self) -> list[tuple[str, str]]:
        return self._metadata


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("ipv4:192.0.2.7:5000", "192.0.2.7"),
        ("ipv6:[2001:db8::7]:5000", "2001:db8::/64"),
        ("ipv6:%5B2001:db8::1:2:3:4%5D:5000", "2001:db8::/64"),
        ("ipv6:[::ffff:192.0.2.7]:5000", "192.0.2.7"),
        ("unix:/tmp/socket", "unknown"),
    ],
)
def test_an_address_is_read_without_its_port(peer: str, address: str) -> None:
    assert peer_of(Context(peer), []) == address


def test_only_what_a_trusted_proxy_says_is_believed() -> None:
    trusted = read_networks("10.0.0.0/8, ::1")
    assert peer_of(Context("ipv4:192.0.2.7:1", "198.51.100.1"), trusted) == "192.0.2.7"
    assert peer_of(Context("ipv4:10.1.1.1:1", "198.51.100.1"), trusted) == "198.51.100.1"
    assert peer_of(Context("ipv4:10.1.1.1:1", "203.0.113.9, 198.51.100.1", "10.2.2.2"), trusted) == "198.51.100.1"
    assert peer_of(Context("ipv6:[::1]:1", "nonsense"), trusted) == "unknown"
    assert peer_of(Context("ipv4:10.1.1.1:1"), trusted) == "10.1.1.1"


def test_what_is_no_network() -> None:
    assert read_networks("") == []
    with pytest.raises(ValueError, match="does not appear"):
        read_networks("10.0.0.0/8, here")
