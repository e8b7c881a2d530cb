"""What can be asked for by name, and what cannot."""

import pytest
from pydantic import ValidationError

from gouji.fleet.faults import Do, Fault


def test_a_fault_is_told_in_words() -> None:
    assert str(Fault(do=Do.RESTART, name="table-*")) == "restart table-*"
    assert str(Fault(do=Do.SLOW, name="postgres", milliseconds=30)) == "slow postgres by 30 ms"


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"do": "slow", "name": "table-1", "milliseconds": 5}, "only postgres can be slowed"),
        ({"do": "kill", "name": "table-1", "milliseconds": 5}, "milliseconds belong to `slow` alone"),
        ({"do": "slow", "name": "postgres", "milliseconds": 101}, "less than or equal to 100"),
        ({"do": "annoy", "name": "table-1"}, "Input should be"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        Fault.model_validate(wrong)
