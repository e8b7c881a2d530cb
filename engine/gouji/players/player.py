"""The one interface of all players."""

from typing import ClassVar, Protocol

from gouji.engine import Action, Observation


class Player(Protocol):
    """One way to decide; it keeps nothing from one decision to the next.

    A decision depends on what is handed in, and on nothing else, as long as it needs less than its time: anybody can
    repeat it.
    """

    summary: ClassVar[str]
    """One sentence for people who choose an opponent."""

    def decide(self, observation: Observation, seed: int, budget_seconds: float, /) -> Action:
        """Choose one of the observation's legal actions.

        ``seed`` is where its chance comes from; ``budget_seconds`` is how long it may think, `math.inf` for as long as
        it likes. Raises ValueError when the observation's seat is not asked, and `EngineError` for an observation that
        is no state of a hand.
        """
        ...
