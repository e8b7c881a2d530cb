"""Streams of events, and the view that folds from them, for the tests of every SDK.

``python -m tests.client.recordings`` makes the files in ``recordings/`` anew. Each holds what one watcher was sent, its
view after every tenth event, and a few moments at which a watch may begin without what came before.
"""

import base64
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gouji.client import TableView
from gouji.engine.cards import RANKS, sort_cards
from gouji.table import projection
from gouji.v1.events_pb2 import Event
from gouji.v1.rules_pb2 import RuleSet
from gouji.v1.table_pb2 import EventBatch, WatchResponse

from .test_view import play_out

FOLDER: Final = Path(__file__).with_name("recordings")
EVERY: Final = 10
"""Events from one view that is kept to the next."""

BEGINS: Final = 5
"""Views from one at which a watch begins to the next."""


@dataclass(frozen=True)
class Recording:
    """What to record: a rule set, who watches (None from outside), and for how many hands."""

    name: str
    rules: RuleSet
    viewer: int | None
    hands: int = 1


RECORDINGS: Final = (
    Recording("standard", RuleSet(preset="standard", overrides={"burn_guard": "false"}), 0),
    Recording("qingdao", RuleSet(preset="qingdao"), 3, 2),
    Recording("lianzhong", RuleSet(preset="lianzhong"), 1, 2),
    Recording("free_for_all", RuleSet(preset="free_for_all"), None),
)


def told(view: TableView) -> dict[str, Any]:
    """Write a view as the files have it."""
    hand = view.hand
    return {
        "sequence": view.sequence,
        "seat": view.seat,
        "turn": [view.turn.number, view.turn.seat_plus_one, view.turn.question],
        "hand": hand.number,
        "cards": sort_cards("".join(RANKS[card.rank] for card in hand.cards)),
        "trick": [str(act) for act in hand.trick],
        "finished": list(hand.finished),
        "scramble": hand.scramble,
        "contested": hand.contested,
        "played": [seat.played for seat in view.seats],
        "places": [seat.place for seat in view.seats],
        "marks": ["".join(_marks(seat)) for seat in view.seats],
        "over": view.over,
    }


def _marks(seat: Any) -> Iterator[str]:
    names = ("connected", "away", "left", "opened", "revolted", "struck", "stuck")
    yield from (f"{name} " for name in names if getattr(seat, name))
    if seat.choked_by is not None:
        yield f"choked by {seat.choked_by}"


def record(wanted: Recording) -> dict[str, Any]:
    """Play at random and keep what one watcher is sent."""
    view, events, views, begins = TableView(), [], [], []
    for table, event in play_out(wanted.rules, random.Random(wanted.name), wanted.hands):
        shown = projection.project(event, wanted.viewer, table.asking)
        events.append(shown)
        view.fold(shown)
        if event.sequence % EVERY == 0 or table.over:
            views.append(told(view))
            # After a hand's end, the next snapshot is of a hand that is over: the fold goes on from the deal.
            if len(views) % BEGINS == 0 and table.hand is not None and not table.hand.over:
                begins.append(_begin(table, wanted.viewer, event))
    return {"events": _packed(EventBatch(events=events)), "views": views, "begins": begins}


def _begin(table: Any, viewer: int | None, event: Event) -> str:
    response = WatchResponse(
        start=projection.start(table, viewer, event.sequence + 1, ()),
        snapshot=projection.observation(table, viewer),
        presence=table.presence.shown(),
    )
    response.snapshot.ClearField("history")
    response.snapshot.ClearField("position")
    return _packed(response)


def _packed(message: Any) -> str:
    return base64.b64encode(message.SerializeToString(deterministic=True)).decode()


def write() -> None:
    """Make all files anew."""
    FOLDER.mkdir(exist_ok=True)
    for wanted in RECORDINGS:
        (FOLDER / f"{wanted.name}.json").write_text(json.dumps(record(wanted), indent=0) + "\n")


if __name__ == "__main__":
    write()
