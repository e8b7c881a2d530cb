"""What has happened in a hand, packed once for all who look at it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gouji.engine.history import Step, shown
from gouji.v1 import observation_pb2
from gouji.wire import history_to_proto


@dataclass(slots=True)
class Past:
    """One hand's history. Steps that hide nothing lie ready as bytes; a tribute's are shown to each seat by itself."""

    _parts: list[Step | bytearray] = field(default_factory=list)
    _steps: int = 0

    def follow(self, steps: Sequence[Step]) -> None:
        """Take in what has come since; ``steps`` are all from the deal on."""
        for step in steps[self._steps :]:
            if step.partner is not None:
                self._parts.append(step)
                continue
            last = self._parts[-1] if self._parts else None
            # Messages one after the other are one message that has what all of them have.
            if isinstance(last, bytearray):
                last.extend(_pack(step))
            else:
                self._parts.append(bytearray(_pack(step)))
        self._steps = len(steps)

    def seen_by(self, viewer: int | None) -> observation_pb2.History:
        """Give the history as a seat saw it; None for a spectator."""
        parts = (_pack(shown(part, viewer)) if isinstance(part, Step) else part for part in self._parts)
        return observation_pb2.History.FromString(b"".join(parts))


def _pack(step: Step) -> bytes:
    return history_to_proto((step,)).SerializeToString(deterministic=True)
