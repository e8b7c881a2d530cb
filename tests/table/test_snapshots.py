"""A long match is taken up from its last hand's end, and stands then as its whole log says."""

from typing import Any

import pytest
import sqlalchemy as sa

from gouji.serving.schema import table_events, table_snapshots
from gouji.table.loading import load
from gouji.table.state import SNAPSHOT_VERSION
from gouji.table.store import Store
from gouji.table.table import Table
from gouji.v1 import snapshot_pb2
from gouji.v1.events_pb2 import Event


def state(table: Table) -> dict[str, Any]:
    """All that a table knows, the hand by its digest; the last hand's conduct and account went with its result."""
    known = dict(vars(table))
    del known["conduct"], known["account"]
    known["_match"] = vars(table.match)
    known["hand"] = table.hand and (table.hand.digest(), table.hand.turn, table.hand.window)
    known["collecting"] = table.collecting and vars(table.collecting)
    known["window"] = table.window and (table.window.until, table.window.questions)
    return known


async def played(serve: Any, come: Any, **spec: Any) -> list[Event]:
    """Have bots play a match; give its log."""
    async with serve() as running:
        await running.rows.place("t1", **spec)
        await running.service().open("t1")

        async def over() -> bool:
            return bool((await running.rows.table("t1")).state == "over")

        await come(over)
        assert await running.rows.all(sa.select(table_snapshots)) == []
        log: list[Event] = await running.rows.log("t1")
        return log


@pytest.mark.parametrize("rules", ["standard", "qingdao", {"teams": "false"}], ids=str)
async def test_a_table_restored_between_hands_folds_on_as_its_whole_log_says(
    serve_sqlite: Any, come: Any, rules: Any
) -> None:
    log = await played(serve_sqlite, come, rules=rules, length={"hands": 4})
    whole = Table("t1")
    restored: list[Table] = []
    compared = 0
    for event in log:
        whole.fold(event)
        for table in restored:
            table.fold(event)
            compared += 1
            assert state(table) == state(whole)
        if event.HasField("hand_ended") and not whole.match.over:
            kept = whole.snapshot().SerializeToString()
            restored.append(Table.restored("t1", snapshot_pb2.TableSnapshot.FromString(kept)))
    assert compared > 300


def test_there_is_no_snapshot_within_a_hand() -> None:
    with pytest.raises(ValueError, match="being played"):
        Table("t1").snapshot()


async def test_a_table_in_its_second_hand_is_taken_up_from_its_snapshot(serve: Any, come: Any) -> None:
    async with serve() as running:
        await running.rows.place("t1", length={"hands": 40})
        await running.service().open("t1")

        async def second_hand() -> bool:
            return bool(await running.rows.all(sa.select(table_snapshots)))

        await come(second_hand)
    async with serve() as running:
        snapshot = await Store(running.rows.database, running.rows.vault).snapshot("t1")
        assert snapshot is not None
        await running.rows.execute(sa.delete(table_events).where(table_events.c.seq <= snapshot.sequence))
        await running.host.open("t1")
        live = await running.host.find("t1")
        assert live.table.hand_number > snapshot.hand

        async def third_hand() -> bool:
            newer = await Store(running.rows.database, running.rows.vault).snapshot("t1")
            return newer is not None and newer.sequence > snapshot.sequence

        await come(third_hand)


@pytest.mark.parametrize("version", [0, SNAPSHOT_VERSION + 1])
async def test_a_snapshot_of_another_form_is_passed_over(rows: Any, version: int) -> None:
    store = Store(rows.database, rows.vault)
    await rows.place("t1")
    other = snapshot_pb2.TableSnapshot(version=version, sequence=77).SerializeToString()
    await rows.execute(sa.insert(table_snapshots).values(table_id="t1", snapshot=other))
    assert (await load(store, "t1")).sequence == 0
