"""The recordings that every SDK folds: this one's views are those that they hold."""

import base64
import json
from typing import Any

import pytest

from gouji.client import TableView
from gouji.v1.table_pb2 import EventBatch, WatchResponse

from .recordings import FOLDER, RECORDINGS, told

NAMES = [recording.name for recording in RECORDINGS]


def load(name: str) -> tuple[EventBatch, dict[int, Any], list[WatchResponse]]:
    kept = json.loads((FOLDER / f"{name}.json").read_text())
    begins = [WatchResponse.FromString(base64.b64decode(begin)) for begin in kept["begins"]]
    views = {view["sequence"]: view for view in kept["views"]}
    return EventBatch.FromString(base64.b64decode(kept["events"])), views, begins


@pytest.mark.parametrize("name", NAMES)
def test_folding_a_recording_gives_its_views(name: str) -> None:
    batch, views, _ = load(name)
    view, checked = TableView(), 0
    for event in batch.events:
        view.fold(event)
        if view.sequence in views:
            assert told(view) == views[view.sequence]
            checked += 1
    assert checked == len(views) > 10


@pytest.mark.parametrize("name", NAMES)
def test_a_watch_that_begins_late_goes_on_to_the_same_views(name: str) -> None:
    batch, views, begins = load(name)
    assert begins
    for begin in begins:
        view = TableView()
        view.begin(begin.start, begin.snapshot, begin.presence)
        assert told(view) == views[view.sequence]
        for event in batch.events[view.sequence :]:
            view.fold(event)
        assert told(view) == views[view.sequence]
