"""Another match with the same people and bots, when one is over."""

import asyncio
from typing import Final

from rich.console import Console

from gouji.cli.keyboard import Keyboard
from gouji.cli.sentences import sentence
from gouji.client import ClientError, TableClient

QUESTION: Final = "Another match? [y/N] "

_YES: Final = frozenset({"y", "yes"})


async def rematch(table: TableClient, console: Console, keyboard: Keyboard) -> str:
    """Ask for another match; gives its table's id, or an empty text when there will be none.

    There is none unless the person, and all others at the table, say yes in time. Raises `ClientError` for a server
    that is gone.
    """
    lines: asyncio.Queue[str | None] = asyncio.Queue()
    keyboard.listen(lines.put_nowait)
    console.print(QUESTION, end="", markup=False, highlight=False)
    if (await lines.get() or "").strip().lower() not in _YES:
        return ""
    try:
        return (await table.ready()).rematch_table_id or await _others(table, console, lines)
    except ClientError as error:
        if not error.reason:
            raise
        console.print(sentence(error))
        return ""


async def _others(table: TableClient, console: Console, lines: "asyncio.Queue[str | None]") -> str:
    """Wait until the others want it too; whatever the person types takes its own wish back."""
    console.print("The others are asked; Enter gives up waiting.")
    typed, placed = asyncio.create_task(lines.get()), asyncio.create_task(_placed(table))
    try:
        await asyncio.wait([typed, placed], return_when=asyncio.FIRST_COMPLETED)
        return placed.result() if placed.done() else (await table.ready(ready=False)).rematch_table_id
    finally:
        for task in (typed, placed):
            task.cancel()
        await asyncio.gather(typed, placed, return_exceptions=True)


async def _placed(table: TableClient) -> str:
    async for _ in table.afterwards():
        pass
    return table.view.rematch
