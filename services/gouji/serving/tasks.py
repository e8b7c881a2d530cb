"""What asyncio does not say of the running task by itself."""

import asyncio


def is_being_cancelled() -> bool:
    """Say whether somebody cancels the running task, or a timeout around what it does has run out.

    If nobody does, a cancellation that comes up is that of something which the task awaited; and if somebody does,
    another error that comes up meanwhile must not take the cancellation's place.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
