"""The table servers as Envoy is told of them (EDS): each by its id, at its network address. Pure."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

Address = tuple[str, int]
"""Host and port."""

CLUSTER: Final = "table"
"""The name under which Envoy asks for them."""


def endpoints(addresses: Mapping[str, Address]) -> str:
    """Write the list of table servers: id to IP address and port."""
    resource = {
        "@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment",
        "cluster_name": CLUSTER,
        "endpoints": [{"lb_endpoints": list(_each(addresses))}],
    }
    return json.dumps({"resources": [resource]}, indent=1)


def _each(addresses: Mapping[str, Address]) -> Iterable[dict[str, Any]]:
    for server_id, (host, port) in sorted(addresses.items()):
        yield {
            "endpoint": {"address": {"socket_address": {"address": host, "port_value": port}}},
            "metadata": {"filter_metadata": {"envoy.lb": {"server": server_id}}},
        }


def split(address: str) -> Address:
    """Divide `host:port` or `[host]:port`; `ValueError` for what is neither."""
    host, _, port = address.rpartition(":")
    if not host:
        raise ValueError(f"no address: {address}")
    return host.strip("[]"), int(port)


def split_all(addresses: str) -> list[Address]:
    """Divide one address, or several that are separated by commas."""
    return [split(address) for address in addresses.split(",")]
