from array import array

from gouji.engine import RuleSet

def play_out(rules: RuleSet, drawn: list[bytes], codes: list[int]) -> array[float]:
    """Do each packed action in each drawn hand, play on to the end, and give what came of it, hand by hand.

    ``drawn`` are hands as `Hand.to_bytes` writes them, all with the same seat asked. What came of it are places and
    points of that seat's team less those of the other. Runs without the GIL. Raises ValueError where an action is not
    lawful or a hand does not end.
    """
