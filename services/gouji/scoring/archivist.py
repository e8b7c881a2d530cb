"""The record of a match, which the table service writes from its log, and whether results are what it says.

The record is checked by the engine alone, as `gouji verify` does; then each recorded result by the record.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import grpc

from gouji.engine.record_text import MalformedNotation, parse_record
from gouji.engine.records import Record, verify
from gouji.scoring.hands import read_hands_of
from gouji.serving.channels import Channels
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError, refusal_of
from gouji.v1 import admin_pb2, admin_pb2_grpc
from gouji.v1.scoring_pb2 import HandResult

MOST_PROBLEMS: Final = 100
"""Most problems that are told."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with a match, and how many hands were checked."""

    problems: Sequence[str]
    hands: int


class Archivist:
    """Asks the table service for records."""

    def __init__(self, channels: Channels, database: Database) -> None:
        self._channels = channels
        self._database = database

    async def record(self, table_id: str) -> AsyncGenerator[str, None]:
        """Give a record in pieces. Raises `ServiceError`: `unknown_match`, or what the table service says."""
        stub = self._channels.stub("table", admin_pb2_grpc.TableAdminServiceStub)
        form = admin_pb2.EXPORT_FORM_RECORD
        try:
            async for piece in stub.ExportTable(admin_pb2.ExportTableRequest(table_id=table_id, form=form)):
                yield piece.text
        except grpc.aio.AioRpcError as error:
            raise _translated(error) from error

    async def verify(self, table_id: str) -> Verdict:
        """Check a record, and the results as they came from the table. Raises `ServiceError`, as `record` does."""
        async with self._database.connect() as connection:
            results = (await read_hands_of(connection, table_id)).results
        if not results:
            raise ServiceError("unknown_match", f"No hand of match {table_id} is recorded.")
        text = "".join([piece async for piece in self.record(table_id)])
        return await asyncio.to_thread(judge, text, results)


def judge(text: str, results: Sequence[HandResult]) -> Verdict:
    """Check a record by the rules, and results by the record."""
    try:
        record = parse_record(text)
    except MalformedNotation as error:
        return Verdict([f"The record cannot be read: {error}."], 0)
    wrong = [str(check) for check in verify(record) if check.problem]
    wrong += _differences(record, {result.hand: result for result in results if not result.abandoned})
    return Verdict(wrong[:MOST_PROBLEMS], len(record.hands))


def _differences(record: Record, results: Mapping[int, HandResult]) -> Iterator[str]:
    """Find hands whose recorded result is not that of the record. One that was voided has none (R9.1)."""
    played = {hand.number: hand.result for hand in record.hands if hand.result and hand.result.order}
    for number in sorted(played.keys() | results.keys()):
        said, found = results.get(number), played.get(number)
        if said is None:
            yield f"hand {number}: no result is recorded"
        elif found is None:
            yield f"hand {number}: a result is recorded, and the record has none"
        elif (tuple(said.order), tuple(said.scores), said.digest) != (found.order, found.scores, found.digest):
            yield f"hand {number}: the recorded result is another than the record's"


def _translated(error: grpc.aio.AioRpcError) -> ServiceError:
    refusal = refusal_of(error)
    if refusal is None:
        return ServiceError("overloaded", "The table service does not answer.", retry_after_ms=1000)
    if refusal.reason == "unknown_table":
        return ServiceError("unknown_match", "There is no such match.")
    return ServiceError(refusal.reason, refusal.message, refusal.retry_after_ms, refusal.metadata)
