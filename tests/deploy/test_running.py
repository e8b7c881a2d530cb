"""How the chart keeps the game going: probes, stopping, disruptions, spread and scale; and settings that exist."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry

from gouji.gateway.envoy import HEALTH_PATH
from gouji.gateway.envoy_process import flags
from gouji.serving.probes import LIVE_PATH, READY_PATH, STUCK_SECONDS
from gouji.serving.settings import Settings
from gouji.table.metrics import TableMetrics

ROOT = Path(__file__).resolve().parent.parent.parent
SERVICES = ("gateway", "matchmaking", "table", "bot", "scoring")
REPLICATED = (*SERVICES, "door")


def running(release: Any) -> Any:
    """Containers that serve: all but those that end by themselves."""
    for name, container, pod in release.containers():
        if container["name"] not in ("migrate", "write"):
            yield name, container, pod


def test_what_serves_has_three_probes(release: Any) -> None:
    for name, container, _ in running(release):
        assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container), name


def test_our_probes_ask_what_we_answer(release: Any) -> None:
    for name, container, _ in running(release):
        if container["name"] in ("envoy", "postgresql"):
            continue
        for probe, path in (("startup", LIVE_PATH), ("liveness", LIVE_PATH), ("readiness", READY_PATH)):
            assert container[f"{probe}Probe"]["httpGet"] == {"path": path, "port": "metrics"}, name
        for probe in ("startup", "liveness"):  # else the kubelet gives up before we have an answer
            assert container[f"{probe}Probe"]["timeoutSeconds"] > STUCK_SECONDS, name


def test_envoy_is_asked_at_its_own_door(render: Any) -> None:
    def ready(*sets: str) -> Any:
        [envoy] = [one for name, one, _ in render(None, *sets).containers() if name.endswith("/envoy")]
        assert "tcpSocket" in envoy["livenessProbe"]  # one that is full is not dead
        return envoy["readinessProbe"]

    assert ready()["httpGet"] == {"path": HEALTH_PATH, "port": "door", "scheme": "HTTP"}
    assert ready("door.tls.existingSecret=x")["httpGet"]["scheme"] == "HTTPS"
    assert "httpGet" not in ready("door.tls.existingSecret=x", "door.tls.clientAuthority=true")


def test_envoy_runs_with_our_flags(render: Any) -> None:
    [(_, envoy, _)] = [one for one in render().containers() if one[0].endswith("/envoy")]
    ours = list(flags(Path("/door"), 2))
    assert envoy["args"][: len(ours)] == ours
    assert envoy["args"][len(ours) :] == ["--drain-time-s", "60"]


def test_envoy_ends_before_its_memory_does(render: Any) -> None:
    for name, container, _ in render().containers():
        if name.endswith("/envoy"):
            assert container["resources"]["limits"]["memory"] == "1Gi"
        for one in container.get("env", ()):
            if one["name"] == "GOUJI_DOOR_MEMORY_MIB":
                assert int(one["value"]) < 1024


@pytest.mark.parametrize("sets", [(), ("table.drainSeconds=300", "preStopSeconds=30", "door.drainSeconds=120")])
def test_there_is_time_to_stop(render: Any, sets: tuple[str, ...]) -> None:
    """What a pod does before it ends takes less than it is given."""
    for name, container, pod in running(render(None, *sets)):
        grace = pod["terminationGracePeriodSeconds"]
        told = {one["name"]: one.get("value") for one in container.get("env", ())}
        before = container.get("lifecycle", {}).get("preStop", {})
        waits = before.get("sleep", {}).get("seconds", 0)
        if "exec" in before:
            waits = int(before["exec"]["command"][-1])
        drains = int(told.get("GOUJI_DRAIN_SECONDS", 0))
        ends = int(told.get("GOUJI_SHUTDOWN_GRACE_SECONDS", 0))
        assert waits + drains + ends + 10 <= grace, name
        assert bool(drains) == (container["name"] == "table")
        assert bool(waits) == (container["name"] != "table"), name


def test_a_new_pod_is_there_before_an_old_one_goes(release: Any) -> None:
    for one in release.of("Deployment"):
        rolling = one["spec"]["strategy"]["rollingUpdate"]
        assert rolling["maxUnavailable"] == 0
        if one["metadata"]["name"] == "gouji-table":
            assert rolling["maxSurge"] == "100%"


def test_what_is_replicated_is_spread_and_goes_one_at_a_time(release: Any) -> None:
    for part in REPLICATED:
        workload = release.get("Deployment", f"gouji-{part}")
        labels = workload["spec"]["selector"]["matchLabels"]
        spread = workload["spec"]["template"]["spec"]["topologySpreadConstraints"]
        assert [one["topologyKey"] for one in spread] == ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]
        for one in spread:
            assert one["labelSelector"]["matchLabels"] == labels
            assert one["matchLabelKeys"] == ["pod-template-hash"]
        budget = release.get("PodDisruptionBudget", f"gouji-{part}")["spec"]
        assert budget["selector"]["matchLabels"] == labels
        assert (budget["maxUnavailable"], budget["unhealthyPodEvictionPolicy"]) == (1, "AlwaysAllow")


def test_a_number_is_either_given_or_scaled(release: Any) -> None:
    scaled = {one["spec"]["scaleTargetRef"]["name"] for one in release.of("HorizontalPodAutoscaler")}
    for one in release.of("Deployment"):
        assert ("replicas" in one["spec"]) == (one["metadata"]["name"] not in scaled)


def test_tables_are_scaled_by_seats_and_the_rest_by_cpu(render: Any) -> None:
    release = render(ROOT / "deploy/helm/gouji/examples/production.yaml")
    scalers = {one["metadata"]["name"]: one["spec"] for one in release.of("HorizontalPodAutoscaler")}
    assert set(scalers) == {"gouji-table", "gouji-bot", "gouji-door"}
    [by_seats] = scalers["gouji-table"]["metrics"]
    metric = by_seats["pods"]["metric"]["name"]
    assert by_seats["pods"]["target"] == {"type": "AverageValue", "averageValue": "700m"}
    registry = CollectorRegistry()
    TableMetrics(registry)
    assert metric in {one.name for one in registry.collect()}
    assert scalers["gouji-table"]["behavior"]["scaleDown"]["policies"] == [
        {"type": "Pods", "value": 1, "periodSeconds": 90}
    ]
    adapter = yaml.safe_load((ROOT / "deploy/helm/prometheus-adapter.yaml").read_text())
    assert [rule["name"]["as"] for rule in adapter["rules"]["custom"]] == [metric]
    for part, container in (("bot", "bot"), ("door", "envoy")):
        [by_cpu] = scalers[f"gouji-{part}"]["metrics"]
        assert by_cpu["containerResource"]["container"] == container
        names = {
            one["name"] for one in release.get("Deployment", f"gouji-{part}")["spec"]["template"]["spec"]["containers"]
        }
        assert container in names


def test_bots_search_on_as_many_threads_as_they_have_cores(release: Any) -> None:
    for _, container, _ in release.containers():
        for one in container.get("env", ()):
            if one["name"] == "GOUJI_BOT_SEARCH_THREADS":
                assert one["valueFrom"]["resourceFieldRef"] == {"resource": "limits.cpu", "containerName": "bot"}
                assert container["resources"]["limits"]["cpu"]


def test_every_variable_is_a_setting_and_has_a_lawful_value(release: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {f"GOUJI_{name.upper()}" for name in Settings.model_fields}
    for name, container, _ in release.containers():
        told = [one["name"] for one in container.get("env", ())]
        assert len(told) == len(set(told)), name
        ours = [one for one in container.get("env", ()) if one["name"].startswith("GOUJI_")]
        assert {one["name"] for one in ours} <= known, name
        with monkeypatch.context() as environment:
            for one in ours:
                if "value" in one:
                    environment.setenv(one["name"], one["value"])
            Settings()  # raises for what no process would take


def test_numbers_stay_as_they_were_written(render: Any) -> None:
    release = render(None, "settings.refresh_token_seconds=7776000", "settings.guests_allowed=false")
    for name, container, _ in release.containers():
        told = {one["name"]: one.get("value") for one in container.get("env", ())}
        if container["name"] in SERVICES:
            assert (told["GOUJI_REFRESH_TOKEN_SECONDS"], told["GOUJI_GUESTS_ALLOWED"]) == ("7776000", "false"), name


def test_a_services_own_settings_win(render: Any) -> None:
    release = render(None, "settings.connection_age_seconds=900", "table.settings.turn_ms=15000")
    ages = {}
    for _, container, _ in release.containers():
        told = {one["name"]: one.get("value") for one in container.get("env", ())}
        ages[container["name"]] = told.get("GOUJI_CONNECTION_AGE_SECONDS")
        assert ("GOUJI_TURN_MS" in told) == (container["name"] == "table")
    assert (ages["bot"], ages["table"]) == ("60", "900")


def test_tables_are_made_before_anything_starts(render: Any) -> None:
    [job] = render().of("Job")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"
    [container] = job["spec"]["template"]["spec"]["containers"]
    assert container["args"] == ["migrate"]
    assert job["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    # The account of the chart is not there when a hook runs before the first install.
    assert job["spec"]["template"]["spec"]["serviceAccountName"] == "default"


def test_with_the_trial_database_pods_make_them(render: Any) -> None:
    release = render(ROOT / "deploy/helm/gouji/examples/trial.yaml")
    assert not release.of("Job")
    for one in release.of("Deployment"):
        began = [each["name"] for each in one["spec"]["template"]["spec"].get("initContainers", ())]
        assert ("migrate" in began) == (one["metadata"]["name"] != "gouji-bot")
