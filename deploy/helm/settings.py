"""Write the settings into the schema of the chart's values: `.venv/bin/python deploy/helm/settings.py`."""

import json
from pathlib import Path
from typing import Any, Final

from gouji.serving.settings import Settings

SCHEMA: Final = Path(__file__).with_name("gouji") / "values.schema.json"

SET_BY_THE_CHART: Final = {
    *("data_directory", "database_url", "host", "port", "metrics_port", "advertise_address", "log_format"),
    *("gateway_address", "matchmaking_address", "table_address", "bot_address", "scoring_address", "web_address"),
    *("door_port", "door_host", "door_directory", "door_origins", "door_certificate", "door_key", "web_port"),
    *("door_client_authority", "door_proxies", "door_memory_mib", "door_threads", "bot_search_threads"),
    *("player_key", "player_key_files", "player_jwks", "service_key", "log_keys", "identity_key"),
    *("inside_certificate", "inside_key", "inside_authority", "inside_name", "trusted_proxies"),
    *("webhook_endpoints", "webhook_secrets", "drain_seconds", "shutdown_grace_seconds"),
}
"""Settings that have values of their own, or none; all others may stand under `settings`."""

BOUNDS: Final = ("type", "minimum", "maximum", "exclusiveMinimum", "enum", "pattern")
"""What a schema takes over of a setting's own."""


def settings() -> dict[str, Any]:
    """Describe every setting that operators may name in the values."""
    described = Settings.model_json_schema()["properties"]
    return {
        name: {bound: described[name][bound] for bound in BOUNDS if bound in described[name]}
        for name in Settings.model_fields
        if name not in SET_BY_THE_CHART
    }


def main() -> None:
    """Put them into the schema; all else in it is written by hand."""
    schema = json.loads(SCHEMA.read_text())
    schema["$defs"]["settings"]["properties"] = settings()
    SCHEMA.write_text(json.dumps(schema, indent=2) + "\n")


if __name__ == "__main__":
    main()
