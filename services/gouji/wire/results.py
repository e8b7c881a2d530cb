"""How a hand ended, as a snapshot keeps it: `HandResult` of the engine ⇄ `HandOutcome`."""

from gouji.engine import Aftermath, HandResult
from gouji.v1 import snapshot_pb2


def result_to_proto(result: HandResult) -> snapshot_pb2.HandOutcome:
    """Pack a result, with what of it matters to the next hand."""
    return snapshot_pb2.HandOutcome(
        scores=result.scores,
        team_scores=result.team_scores or (),
        first_leader=result.first_leader,
        digest=result.digest,
        after=_aftermath_to_proto(result.after) if result.after else None,
    )


def result_from_proto(message: snapshot_pb2.HandOutcome) -> HandResult:
    """Read a result."""
    even_odd = tuple(message.team_scores)
    return HandResult(
        scores=tuple(message.scores),
        team_scores=(even_odd[0], even_odd[1]) if even_odd else None,
        after=_aftermath_from_proto(message.after) if message.HasField("after") else None,
        first_leader=message.first_leader,
        digest=message.digest,
    )


def _aftermath_to_proto(after: Aftermath) -> snapshot_pb2.Aftermath:
    return snapshot_pb2.Aftermath(
        order=after.order,
        opened=sorted(after.opened),
        burns=[snapshot_pb2.BurnDone(burner=by, burned=who, counter_burns=n) for by, who, n in after.burns],
        chokes=[snapshot_pb2.ChokeDone(choked=who, choker=by) for who, by in after.chokes],
        stuck=sorted(after.stuck),
        calls=after.calls,
        doubled=after.doubled,
        revolted=sorted(after.revolted),
    )


def _aftermath_from_proto(message: snapshot_pb2.Aftermath) -> Aftermath:
    return Aftermath(
        order=tuple(message.order),
        opened=frozenset(message.opened),
        burns=tuple((burn.burner, burn.burned, burn.counter_burns) for burn in message.burns),
        chokes=tuple((choke.choked, choke.choker) for choke in message.chokes),
        stuck=frozenset(message.stuck),
        calls=dict(message.calls),
        doubled=message.doubled,
        revolted=frozenset(message.revolted),
    )
