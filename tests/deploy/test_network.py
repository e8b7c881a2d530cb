"""Who may speak to whom: worked out from the policies as a cluster would."""

from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "deploy/helm/gouji/examples"
PARTS = ("door", "gateway", "matchmaking", "table", "bot", "scoring", "migrate")

GRPC, WEB, METRICS, DOOR, DATABASE = 7100, 7180, 7190, 8080, 5432

CALLS = {
    ("door", "gateway", GRPC),
    ("door", "matchmaking", GRPC),
    ("door", "table", GRPC),
    ("door", "bot", GRPC),
    ("door", "scoring", GRPC),
    ("door", "gateway", WEB),
    ("gateway", "matchmaking", GRPC),
    ("gateway", "table", GRPC),
    ("gateway", "scoring", GRPC),
    ("matchmaking", "table", GRPC),
    ("matchmaking", "bot", GRPC),
    ("matchmaking", "scoring", GRPC),
    ("table", "table", GRPC),
    ("table", "bot", GRPC),
    ("table", "scoring", GRPC),
    ("scoring", "matchmaking", GRPC),
    ("scoring", "table", GRPC),
    ("scoring", "bot", GRPC),
}
"""All that services/README.md says of calls, and Envoy's."""


class Network:
    """The policies of a release. Peers are labels of pods, or a text for whoever is outside."""

    def __init__(self, release: Any) -> None:
        self.policies = release.of("NetworkPolicy")
        self.pods = {
            one["spec"]["template"]["metadata"]["labels"]["app.kubernetes.io/component"]: one["spec"]["template"][
                "metadata"
            ]["labels"]
            for one in release.workloads
        }

    def rules(self, pod: str, way: str) -> list[Any]:
        """All rules for a pod in one direction; at least one policy must close it."""
        mine = [one["spec"] for one in self.policies if _fits(one["spec"]["podSelector"], self.pods[pod])]
        closing = [one for one in mine if way.title() in one["policyTypes"]]
        assert closing, f"{pod} is open"
        return [rule for one in closing for rule in one.get(way, ())]

    def passes(self, rules: list[Any], peer: str, key: str, port: int) -> bool:
        return any(
            (
                not rule.get(key)
                or any(
                    "podSelector" in one
                    and _fits(one["podSelector"], self.pods[peer])
                    and "namespaceSelector" not in one
                    for one in rule[key]
                )
            )
            and any(one["port"] == port for one in rule["ports"])
            for rule in rules
        )

    def connected(self, caller: str, called: str, port: int) -> bool:
        """Both sides must allow it."""
        out = self.passes(self.rules(caller, "egress"), called, "to", port)
        return out and self.passes(self.rules(called, "ingress"), caller, "from", port)


def _fits(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    return bool(selector.get("matchLabels", {}).items() <= labels.items())


def test_services_reach_whom_they_call_and_nobody_else(render: Any) -> None:
    network = Network(render())
    ports = (GRPC, WEB, METRICS, DOOR)
    parts = [part for part in PARTS if part != "migrate"]
    found = {
        (one, other, port) for one in PARTS for other in parts for port in ports if network.connected(one, other, port)
    }
    assert found == CALLS


def test_players_reach_the_door_alone(render: Any) -> None:
    network = Network(render())
    for part in PARTS:
        open_to_all = [rule for rule in network.rules(part, "ingress") if not rule.get("from")]
        if part == "door":
            [rule] = open_to_all
            assert rule["ports"] == [{"port": DOOR, "protocol": "TCP"}]
        else:
            assert not open_to_all


def test_only_the_doors_service_is_open_to_the_outside(release: Any) -> None:
    for service in release.of("Service"):
        if service["metadata"]["name"] != "gouji-door":
            assert service["spec"]["clusterIP"] == "None"
            assert "type" not in service["spec"]
    for ingress in release.of("Ingress"):
        backends = [path["backend"]["service"] for rule in ingress["spec"]["rules"] for path in rule["http"]["paths"]]
        assert {one["name"] for one in backends} == {"gouji-door"}
    for route in release.of("HTTPRoute", "GRPCRoute"):
        assert {one["name"] for rule in route["spec"]["rules"] for one in rule["backendRefs"]} == {"gouji-door"}


def test_who_comes_to_the_door_can_be_said(render: Any) -> None:
    [rule] = [
        rule
        for rule in Network(render(EXAMPLES / "production.yaml")).rules("door", "ingress")
        if rule["ports"][0]["port"] == DOOR
    ]
    assert rule["from"] == [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress-nginx"}}}]


def test_metrics_are_for_prometheus(render: Any) -> None:
    network = Network(render())
    for part in ("door", "gateway", "matchmaking", "table", "bot", "scoring"):
        [rule] = [one for one in network.rules(part, "ingress") if one["ports"][0]["port"] == METRICS]
        assert rule["from"] == [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]


@pytest.mark.parametrize("part", PARTS)
def test_the_database_is_asked_by_those_that_read_it(render: Any, part: str) -> None:
    rules = Network(render()).rules(part, "egress")
    assert any(one["ports"] == [{"port": DATABASE, "protocol": "TCP"}] for one in rules) == (part != "bot")
    there = Network(render(EXAMPLES / "production.yaml")).rules(part, "egress")
    for rule in there:
        if rule["ports"][0]["port"] == DATABASE:
            assert rule["to"] == [{"ipBlock": {"cidr": "10.20.0.0/24"}}]


def test_the_trial_database_is_closed_but_for_them(render: Any) -> None:
    network = Network(render(EXAMPLES / "trial.yaml"))
    assert "migrate" not in network.pods
    for part in ("door", "gateway", "matchmaking", "table", "scoring"):
        assert network.passes(network.rules("postgresql", "ingress"), part, "from", DATABASE)
        assert network.passes(network.rules(part, "egress"), "postgresql", "to", DATABASE)
    assert not network.passes(network.rules("postgresql", "ingress"), "bot", "from", DATABASE)


def test_only_who_has_business_outside_goes_there(render: Any) -> None:
    for example, business in (("trial.yaml", set()), ("production.yaml", {"gateway", "scoring"})):
        network = Network(render(EXAMPLES / example))
        for part in network.pods:
            outside = [one for one in network.rules(part, "egress") if one["ports"][0]["port"] == 443]
            assert bool(outside) == (part in business), part
            for rule in outside:  # and not to what is inside
                assert all(one["ipBlock"]["except"] for one in rule["to"])


def test_names_can_be_looked_up(render: Any) -> None:
    network = Network(render())
    for part in PARTS:
        [rule] = [one for one in network.rules(part, "egress") if one["ports"][0]["port"] == 53]
        assert {one["protocol"] for one in rule["ports"]} == {"UDP", "TCP"}


def test_public_keys_are_for_all_services_when_there_is_a_key_pair(render: Any) -> None:
    sets = ("keys.playerFiles.existingSecret=pair", "keys.playerFiles.files={a.pem}")
    network = Network(render(None, *sets))
    for part in ("door", "matchmaking", "table", "bot", "scoring"):
        assert network.connected(part, "gateway", WEB)
    assert not network.connected("migrate", "gateway", WEB)


def test_policies_name_ports_that_pods_have(release: Any) -> None:
    for policy in release.of("NetworkPolicy"):
        chosen = policy["spec"]["podSelector"]["matchLabels"]
        pods = [one["spec"]["template"] for one in release.workloads]
        mine = [one["spec"] for one in pods if chosen.items() <= one["metadata"]["labels"].items()]
        has = {port["containerPort"] for pod in mine for each in pod["containers"] for port in each.get("ports", ())}
        asked = {port["port"] for rule in policy["spec"].get("ingress", ()) for port in rule["ports"]}
        assert asked <= has, policy["metadata"]["name"]
