"""What every container may do, and which secrets it sees."""

import re
from typing import Any

import pytest

from gouji.serving.settings import Settings

SECRET = {"GOUJI_DATABASE_URL", "GOUJI_WEBHOOK_ENDPOINTS", "POSTGRES_PASSWORD"} | {
    f"GOUJI_{name.upper()}" for name in ("player_key", "service_key", "log_keys", "identity_key", "webhook_secrets")
}
"""Variables that hold secrets: never written out in a manifest."""


def test_no_container_is_root_or_can_become_more(release: Any) -> None:
    for name, container, pod in release.containers():
        own, shared = container["securityContext"], pod["securityContext"]
        assert own["runAsNonRoot"] is shared["runAsNonRoot"] is True, name
        assert shared["runAsUser"] > 0, name
        assert shared["runAsGroup"] > 0, name
        assert own["allowPrivilegeEscalation"] is own["privileged"] is False, name
        assert own["readOnlyRootFilesystem"] is True, name
        assert own["capabilities"] == {"drop": ["ALL"]}, name
        assert own["seccompProfile"] == shared["seccompProfile"] == {"type": "RuntimeDefault"}, name


def test_no_pod_touches_its_node(release: Any) -> None:
    for name, container, pod in release.containers():
        assert not {"hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace"} & set(pod), name
        assert not [port for port in container.get("ports", ()) if "hostPort" in port], name
        kinds = {kind for volume in pod.get("volumes", ()) for kind in volume} - {"name"}
        assert kinds <= {"emptyDir", "secret"}, name


def test_no_pod_gets_a_token_of_the_cluster_and_there_are_no_rights(release: Any) -> None:
    for name, _, pod in release.containers():
        assert pod["automountServiceAccountToken"] is False, name
    [account] = release.of("ServiceAccount")
    assert account["automountServiceAccountToken"] is False
    assert not release.of("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")


def test_services_leave_nothing_in_the_environment(release: Any) -> None:
    """A Service named `gouji` would set GOUJI_PORT to an address."""
    for name, _, pod in release.containers():
        assert pod["enableServiceLinks"] is False, name


def test_secrets_are_given_by_reference(release: Any) -> None:
    assert not release.of("Secret")
    for name, container, _ in release.containers():
        for variable in container.get("env", ()):
            if variable["name"] in SECRET:
                assert set(variable) == {"name", "valueFrom"}, name
                assert set(variable["valueFrom"]["secretKeyRef"]) == {"name", "key"}, name


def test_all_settings_that_are_secret_are_known_here() -> None:
    hidden = [name for name, field in Settings.model_fields.items() if "Secret" in str(field.annotation)]
    assert {f"GOUJI_{name.upper()}" for name in hidden} <= SECRET


WHO_READS = {
    "GOUJI_DATABASE_URL": {"gateway", "matchmaking", "table", "scoring", "follow", "migrate"},
    "GOUJI_SERVICE_KEY": {"gateway", "matchmaking", "table", "bot", "scoring"},
    "GOUJI_PLAYER_KEY": {"gateway", "matchmaking", "table", "bot", "scoring"},
    "GOUJI_LOG_KEYS": {"table", "scoring"},
    "GOUJI_IDENTITY_KEY": {"gateway"},
    "GOUJI_WEBHOOK_ENDPOINTS": {"scoring"},
    "GOUJI_WEBHOOK_SECRETS": {"scoring"},
    "POSTGRES_PASSWORD": {"postgresql"},
}


def test_each_container_sees_the_secrets_that_it_reads(release: Any) -> None:
    for name, container, _ in release.containers():
        seen = {variable["name"] for variable in container.get("env", ())} & SECRET
        assert all(container["name"] in WHO_READS[one] for one in seen), name
        if container["name"] in ("envoy", "write"):
            assert not seen


def test_with_a_key_pair_only_the_gateway_can_sign(render: Any) -> None:
    sets = ("keys.playerFiles.existingSecret=pair", "keys.playerFiles.files={new.pem,old.pem}")
    for name, container, pod in render(None, *sets).containers():
        told = {one["name"]: one.get("value") for one in container.get("env", ())}
        assert "GOUJI_PLAYER_KEY" not in told
        mounts = {one["mountPath"] for one in container.get("volumeMounts", ())}
        if container["name"] == "gateway":
            assert told["GOUJI_PLAYER_KEY_FILES"] == "/keys/new.pem,/keys/old.pem"
            assert "/keys" in mounts
            assert {"name": "player-keys", "secret": {"secretName": "pair", "defaultMode": 0o440}} in pod["volumes"]
        elif container["name"] in ("matchmaking", "table", "bot", "scoring"):
            assert told["GOUJI_PLAYER_JWKS"] == "http://gouji-gateway:7180/.well-known/jwks.json", name
        if container["name"] != "gateway":
            assert "/keys" not in mounts


@pytest.mark.parametrize("secret", ["insideTls", "door.tls"])
def test_certificates_are_mounted_where_the_settings_say(render: Any, secret: str) -> None:
    release = render(None, f"{secret}.existingSecret=certificates")
    for name, container, _ in release.containers():
        mounts = {one["mountPath"]: one for one in container.get("volumeMounts", ())}
        paths = [
            one.get("value") for one in container.get("env", ()) if re.search("CERTIFICATE|AUTHORITY", one["name"])
        ]
        if container["name"] == "write":  # it names the files to Envoy, and reads none
            assert paths
            assert not [path for path in mounts if path.startswith("/tls")]
            continue
        for path in paths:
            assert mounts[path.rpartition("/")[0]]["readOnly"] is True, name
    [envoy] = [one for name, one, _ in release.containers() if name.endswith("/envoy")]
    assert [path for path in (one["mountPath"] for one in envoy["volumeMounts"]) if path.startswith("/tls")]


def test_what_containers_write_goes_to_volumes_that_have_a_size(release: Any) -> None:
    for name, _, pod in release.containers():
        for volume in pod.get("volumes", ()):
            if "emptyDir" in volume:
                assert volume["emptyDir"]["sizeLimit"], name


def test_every_container_says_what_it_needs(release: Any) -> None:
    for name, container, _ in release.containers():
        needs = container["resources"]
        assert {"cpu", "memory"} <= set(needs["requests"]), name
        assert "memory" in needs["limits"], name
