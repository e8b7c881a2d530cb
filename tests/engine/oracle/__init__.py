"""A second telling of the rules of play, slow and plain, written from the clauses alone: what the engine is held to.

One module a chapter: `plays` (R2), `asking` (R4, R5.2), `burning` (R5), `endings` (R6), `results` (R7, R8.1, R8.2 and
who leads the next hand), `prelude` (R8 and what of R9 comes before revolution). `state` says what a hand consists of,
and `model` puts its play together: positions, lawful actions, reasons, and what an action leads to. `positions` draws
rule sets and positions to play; `shadow` follows a dealt hand from end to end.
"""

from .model import Model
from .plays import plays_in

__all__ = ["Model", "plays_in"]
