"""Why a server does not serve a table just now, and where to ask instead."""

from gouji.serving.errors import ServiceError


def unknown() -> ServiceError:
    """Make the error for a table that there is not."""
    return ServiceError("unknown_table", "There is no such table.")


def moving() -> ServiceError:
    """Make the error for a table that no server has just now."""
    return ServiceError("table_moving", "The table is on its way to a server.", retry_after_ms=200)


def draining() -> ServiceError:
    """Make the error of a server that lets its tables go."""
    return ServiceError("draining", "This server is stopping; locate the table anew.", retry_after_ms=200)


def wrong_server(address: str) -> ServiceError:
    """Make the error for a table that another server has."""
    return ServiceError("wrong_server", f"The table is at {address}.", metadata={"address": address})


def full() -> ServiceError:
    """Make the error of a server that has no room for another table."""
    return ServiceError("overloaded", "This server has no room for another table.", retry_after_ms=1000)


def busy() -> ServiceError:
    """Make the error for a command too many."""
    return ServiceError("overloaded", "Too many commands wait here.", retry_after_ms=500)


def resume_from(sequence: int) -> ServiceError:
    """Make the error that tells a watcher to come back and from which event on."""
    return ServiceError("resume_from", f"Watch again from event {sequence}.", metadata={"from_sequence": str(sequence)})


def moved(sequence: int, address: str, wait_ms: int) -> ServiceError:
    """Make the error that tells a watcher from which event on, where, and when to watch again."""
    return ServiceError(
        "resume_from",
        f"Watch again from event {sequence}, at {address}.",
        retry_after_ms=wait_ms,
        metadata={"from_sequence": str(sequence), "address": address},
    )
