"""The list of table servers that Envoy reads."""

import json

import pytest

from gouji.gateway.endpoints import endpoints, split


def test_each_server_stands_under_its_id_whatever_the_order() -> None:
    listed = endpoints({"b": ("10.0.0.2", 7100), "a": ("::1", 7101)})
    assert listed == endpoints({"a": ("::1", 7101), "b": ("10.0.0.2", 7100)})
    [resource] = json.loads(listed)["resources"]
    [locality] = resource["endpoints"]
    found = {
        one["metadata"]["filter_metadata"]["envoy.lb"]["server"]: one["endpoint"]["address"]["socket_address"]
        for one in locality["lb_endpoints"]
    }
    assert found == {
        "a": {"address": "::1", "port_value": 7101},
        "b": {"address": "10.0.0.2", "port_value": 7100},
    }


def test_an_address_is_divided_into_host_and_port() -> None:
    assert split("tables-0.tables:7100") == ("tables-0.tables", 7100)
    assert split("[::1]:7100") == ("::1", 7100)


@pytest.mark.parametrize("address", ["", "host", ":7100", "host:port"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"address|invalid literal"):
        split(address)
