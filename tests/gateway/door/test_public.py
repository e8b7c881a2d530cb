"""What the door lets in, against who may call what."""

import pytest

from gouji.cli.serve import SERVICES, find_binds
from gouji.gateway.public import OF_NO_TABLE, SERVED_BY, Method, is_internal, public_methods
from gouji.serving.app import App
from gouji.serving.auth import Role
from gouji.serving.settings import Settings
from gouji.v1 import table_pb2

PREFIX = "gouji.v1."
OPERATORS_AT_THE_SERVER = {"PlaceTable"}
"""Methods of operators that are not for the outside all the same."""


@pytest.fixture
async def roles(sqlite_settings: Settings) -> dict[str, dict[str, dict[str, set[str]]]]:
    """Of each service of ours its gRPC services, their methods and roles."""
    found = {}
    for name in SERVICES:
        app = App(sqlite_settings, name)
        for bind in find_binds(name):
            bind(app)
        found[name] = {full.removeprefix(PREFIX): table for full, table in app._roles.items()}
    return found  # type: ignore[return-value]


def test_what_somebody_outside_may_call_comes_in_and_nothing_else(
    roles: dict[str, dict[str, dict[str, set[str]]]],
) -> None:
    outside = {
        (served, service, method)
        for served, services in roles.items()
        for service, methods in services.items()
        for method, allowed in methods.items()
        if set(allowed) - {Role.SERVICE} and method not in OPERATORS_AT_THE_SERVER
    }
    let_in = {(SERVED_BY[method.service], method.service, method.name) for method in public_methods()}
    assert let_in == outside


def test_methods_are_marked_in_the_protos() -> None:
    methods = table_pb2.DESCRIPTOR.services_by_name["TableService"].methods_by_name
    assert {name for name in methods if is_internal(methods[name])} == {"Open", "Adopt", "Unseat", "RemoveFromTables"}


def test_what_concerns_no_table_goes_to_any_server() -> None:
    names = {method.name for method in public_methods() if method.server == "any_table"}
    assert names == OF_NO_TABLE
    assert Method("TableService", "Watch", stream=True).path == "/gouji.v1.TableService/Watch"
