"""The audit log: what moderators, operators and directors did, and which hidden cards directors opened.

Which calls those are is marked in the protos (`options.proto`). A call is put down before it is done, in a transaction
of its own, and with its outcome afterwards: what cannot be put down is not done, and what a process died over stands
there without an outcome.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final

import sqlalchemy as sa
from google.protobuf import descriptor_pool, json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from gouji.serving.auth import STAFF, Caller, Role, caller
from gouji.serving.database import Database
from gouji.serving.errors import ServiceError, StorageUnavailable
from gouji.serving.interceptors import Call, Proceed
from gouji.serving.schema import acts
from gouji.v1 import options_pb2

DONE: Final = "done"
"""The outcome of a call that was answered."""

LONGEST: Final = 200
"""Characters of a text that are kept."""

MOST: Final = 20
"""Values of a list that are kept."""

_OWN_COLUMNS: Final = ("player_id", "table_id", "reason")
_TOLD: Final = frozenset({"google.protobuf.Timestamp", "google.protobuf.Duration"})


@dataclass(frozen=True, slots=True)
class Act:
    """A call to be put down; empty texts where there is nothing to say."""

    actor: str
    role: str
    method: str
    player_id: str
    table_id: str
    reason: str
    details: str
    server: str

    @classmethod
    def of(cls, who: Caller, method: str, request: Message, server: str) -> "Act":
        """Say what a call is about, by what stands in the request itself."""
        said = {name: _short(value) for name in _OWN_COLUMNS if (value := getattr(request, name, ""))}
        named = {name: said.get(name, "") for name in _OWN_COLUMNS}
        return cls(_short(who.player_id), who.role, method, **named, details=_details(request), server=server)


class AuditLog:
    """The log in the database. Every method raises `StorageUnavailable` when it cannot be reached, or is none."""

    def __init__(self, database: Callable[[], Database | None]) -> None:
        self._database = database

    async def begin(self, act: Act) -> int:
        """Put down a call that is to be done; returns its number."""
        database = self._own()
        row = sa.insert(acts).values(**asdict(act), at=database.now(), outcome="").returning(acts.c.act_id)
        async with database.begin() as connection:
            number: int = (await connection.execute(row)).scalar_one()
        return number

    async def end(self, number: int, outcome: str) -> None:
        """Put down what became of it."""
        async with self._own().begin() as connection:
            await connection.execute(sa.update(acts).where(acts.c.act_id == number).values(outcome=outcome))

    def _own(self) -> Database:
        database = self._database()
        if database is None:
            raise StorageUnavailable("There is no database for the audit log here.")
        return database


class Audit:
    """Puts down the calls that the audit log is to have; a layer of `gouji.serving.interceptors`, the innermost."""

    def __init__(self, log: AuditLog, address: Callable[[], str]) -> None:
        self._log = log
        self._address = address

    async def around(self, proceed: Proceed, call: Call) -> Any:
        """Put the call down, do it, put down what became of it."""
        who = caller()
        if not _is_act(who, call):
            return await proceed(call)
        number = await self._log.begin(Act.of(who, call.method, call.request, self._address()))
        outcome = "internal"
        try:
            answer = await proceed(call)
            outcome = DONE
        except ServiceError as error:
            outcome = error.reason
            raise
        except asyncio.CancelledError:
            # A stream showed what it showed; of another call nobody knows.
            outcome = DONE if call.streaming else ""
            raise
        finally:
            with suppress(StorageUnavailable):  # what was done stays done
                await self._log.end(number, outcome)
        return answer


def _is_act(who: Caller, call: Call) -> bool:
    if who.role not in STAFF or not isinstance(call.request, Message):
        return False
    kind = audit_of(call.service, call.method)
    if kind == options_pb2.AUDIT_CARDS:
        return who.role is Role.DIRECTOR and not getattr(call.request, "spectate", False)
    return kind == options_pb2.AUDIT_ACT


@cache
def audit_of(service: str, method: str) -> options_pb2.Audit.ValueType:
    """Say what the audit log has of a method, by its service's full name."""
    methods: Mapping[str, Any] = descriptor_pool.Default().FindServiceByName(service).methods_by_name
    kind: options_pb2.Audit.ValueType = methods[method].GetOptions().Extensions[options_pb2.audit]
    return kind


def _details(request: Message) -> str:
    """Write down the numbers, texts and times of a request itself: nothing within it, and no bytes."""
    told = type(request)()
    told.CopyFrom(request)
    for field, value in request.ListFields():
        if field.name in _OWN_COLUMNS or not _is_told(field, value):
            told.ClearField(field.name)
    said = json_format.MessageToDict(told, preserving_proto_field_name=True)
    return json.dumps({name: _brief(value) for name, value in said.items()}, ensure_ascii=False) if said else ""


def _is_told(field: Any, value: Any) -> bool:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        return field.message_type.full_name in _TOLD and _can_be_said(value)
    return bool(field.type != FieldDescriptor.TYPE_BYTES)


def _can_be_said(time: Any) -> bool:
    """Whether a time is one at all; whoever is asked refuses what is none."""
    try:
        time.ToJsonString()
    except ValueError:
        return False
    return True


def _brief(value: Any) -> Any:
    if isinstance(value, list):
        return [_brief(one) for one in value[:MOST]]
    return _short(value) if isinstance(value, str) else value


def _short(text: str) -> str:
    """Take what PostgreSQL takes, and not too much of it."""
    return text.replace("\0", "")[:LONGEST]
