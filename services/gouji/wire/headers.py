"""Names of the headers (gRPC metadata) that go with calls."""

from typing import Final

SERVER_HEADER: Final = "x-gouji-server"
"""Names the table server that a call is for, by the id that the services told."""

DOOR_HEADER: Final = "x-gouji-door"
"""Stands on each call that has come in by the door, which alone sets it."""
