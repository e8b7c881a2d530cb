"""The socket by which a fleet that runs is asked and told: a line of JSON each way."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from gouji.fleet.faults import Fault
from gouji.fleet.members import NotPossibleError
from gouji.fleet.process import EndedEarlyError
from gouji.serving.app import StartError

_LONGEST_PATH: Final = 100
"""A socket's path has 108 bytes at most."""


class Request(BaseModel):
    """What is asked: how the fleet stands, after a fault was thrown if there is one."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fault: Fault | None = None


class Control:
    """The control socket of the fleet in a folder, for who serves it and for who calls."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "control"

    async def must_be_free(self) -> None:
        """Raise `StartError` when a fleet runs in this folder already, or its socket could not be made."""
        if len(str(self._path)) > _LONGEST_PATH:
            raise StartError(f"{self._folder} is too long a path for a socket: choose another with --folder.")
        try:
            _, writer = await asyncio.open_unix_connection(self._path)
        except OSError:
            self._path.unlink(missing_ok=True)
            return
        writer.close()
        raise StartError(f"A cluster runs already in {self._folder}: end it, or choose another folder with --folder.")

    @asynccontextmanager
    async def serving(self, answer: Callable[[Request], Awaitable[dict[str, Any]]]) -> AsyncIterator[None]:
        """Answer who calls until the block ends."""

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                told = await answer(Request.model_validate_json(await reader.readline()))
            except (ValidationError, NotPossibleError, EndedEarlyError, TimeoutError, OSError) as error:
                told = {"error": str(error) or type(error).__name__}
            writer.write(json.dumps(told).encode() + b"\n")
            writer.close()

        server = await asyncio.start_unix_server(talk, self._path)
        self._path.chmod(0o600)
        try:
            yield
        finally:
            server.close()
            self._path.unlink(missing_ok=True)

    async def ask(self, fault: Fault | None = None) -> dict[str, Any]:
        """Throw a fault, if there is one, and ask how the fleet stands: `done` are names, `fleet` is all there is.

        `StartError` when no fleet runs here, and when it cannot be done.
        """
        try:
            reader, writer = await asyncio.open_unix_connection(self._path)
        except OSError:
            raise StartError(f"No cluster runs in {self._folder}: `gouji cluster up` starts one.") from None
        writer.write(Request(fault=fault).model_dump_json().encode() + b"\n")
        line = await reader.readline()
        writer.close()
        told: dict[str, Any] = json.loads(line) if line else {"error": "the cluster has ended"}
        if "error" in told:
            raise StartError(f"{fault or 'list'}: {told['error']}.")
        return told
