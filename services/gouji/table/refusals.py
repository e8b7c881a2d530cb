"""The errors that tables answer with: why not, and where or when to ask instead."""

from typing import Final

from gouji.serving.errors import ServiceError
from gouji.table.asking import Refused

SPEAK_AGAIN_MS: Final = 3000
"""When somebody who said too much should try again."""


def unknown() -> ServiceError:
    """Make the error for a table that there is not."""
    return ServiceError("unknown_table", "There is no such table.")


def moving() -> ServiceError:
    """Make the error for a table that no server has just now."""
    return ServiceError("table_moving", "The table is on its way to a server.", retry_after_ms=200)


def draining() -> ServiceError:
    """Make the error of a server that lets its tables go."""
    return ServiceError("draining", "This server is stopping; locate the table anew.", retry_after_ms=200)


def wrong_server(server_id: str, address: str) -> ServiceError:
    """Make the error for a table that another server has."""
    where = {"server_id": server_id, "address": address}
    return ServiceError("wrong_server", "Another server has the table.", metadata=where)


def full() -> ServiceError:
    """Make the error of a server that has no room for another table."""
    return ServiceError("overloaded", "This server has no room for another table.", retry_after_ms=1000)


def busy() -> ServiceError:
    """Make the error for a command too many."""
    return ServiceError("overloaded", "Too many commands wait here.", retry_after_ms=500)


def resume_from(sequence: int) -> ServiceError:
    """Make the error that tells a watcher to come back and from which event on."""
    return ServiceError("resume_from", f"Watch again from event {sequence}.", metadata={"from_sequence": str(sequence)})


def moved(sequence: int, server_id: str, address: str, wait_ms: int) -> ServiceError:
    """Make the error that tells a watcher from which event on, where, and when to watch again."""
    return ServiceError(
        "resume_from",
        f"Watch again from event {sequence}, at another server.",
        retry_after_ms=wait_ms,
        metadata={"from_sequence": str(sequence), "server_id": server_id, "address": address},
    )


def frozen(reference: str) -> ServiceError:
    """Make the error that says that a table stands still for a fault."""
    return ServiceError("table_frozen", f"The table has stopped; quote {reference}.", metadata={"reference": reference})


def refusal(refused: Refused) -> ServiceError:
    """Make the error of a command that was refused."""
    retry = SPEAK_AGAIN_MS if refused.reason == "too_often" else None
    return ServiceError(refused.reason, f"Refused: {refused.reason}.", retry, metadata={"turn": str(refused.turn)})
