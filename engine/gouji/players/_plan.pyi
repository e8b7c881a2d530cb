from array import array
from collections.abc import Iterable, Sequence

from gouji.engine import Observation

def worths(observation: Observation, codes: list[int]) -> array[float]:
    """Give what each packed action of the play is worth, in the order given. Raises `InvalidState`."""

def burdens(observation: Observation, hands: Iterable[Sequence[int]]) -> list[float]:
    """Give what each of these hands, as counts by rank, would cost the viewer if it had the lead; less is better."""

def outlook(observation: Observation, code: int) -> tuple[float, bool]:
    """Say how likely no opponent beats this play, and whether it opens if nobody does. Raises `InvalidState`."""
