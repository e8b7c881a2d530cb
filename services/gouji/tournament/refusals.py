"""Why something cannot be done in an event. Pure: the service makes gRPC's statuses of it."""

from gouji.v1 import tournament_log_pb2


class Refusal(Exception):
    """A name of `reasons.proto`, a sentence for people, and what else the caller is told."""

    def __init__(self, reason: str, sentence: str, **metadata: str) -> None:
        super().__init__(reason, sentence)
        self.reason = reason
        self.sentence = sentence
        self.metadata = metadata


def unknown_entrant() -> Refusal:
    """Refuse an entrant that is not in the event, or not any more."""
    return Refusal("unknown_entrant", "There is no such entrant in the event.")


def unknown_round() -> Refusal:
    """Refuse a round, pairing or board that there is not."""
    return Refusal("unknown_round", "There is no such round or table in the event.")


def wrong_stage(stage: tournament_log_pb2.TournamentStage.ValueType, problem: str) -> Refusal:
    """Refuse what does not go at this stage of the event."""
    name = tournament_log_pb2.TournamentStage.Name(stage).removeprefix("TOURNAMENT_STAGE_").lower()
    return Refusal("wrong_stage", f"The event is at the stage {name}: {problem}.", stage=name)
