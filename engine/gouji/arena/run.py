"""Playing many deals on all cores, a few at a time, so that what is done is kept."""

import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Final

from gouji.arena.play import Contest, Duel, Tally, play_deal
from gouji.arena.results import Pairing, Results
from gouji.players import Player, find_player

AT_ONCE: Final = 5
"""Deals that a process is given at a time."""

SAVE_SECONDS: Final = 10.0
"""How often the results are written while it runs."""

Played = list[tuple[Duel, tuple[Tally, Tally]]]


def play(results: Results, deals: int, jobs: int, out: Path | None, told: Callable[[int, int], None]) -> None:
    """Play every pairing's deals from 0 on that have not been played yet, in so many processes.

    ``out`` is written now and then, and at the end, whatever ends it; ``told`` hears how many deals of how many are
    done.
    """
    wanted = [(pairing, chunk) for pairing in results.pairings for chunk in _missing(pairing, deals)]
    total = len(results.pairings) * deals
    saved = time.monotonic()
    try:
        for pairing, played in _played(wanted, jobs):
            for duel, tallies in played:
                pairing.add(duel, tallies)
            told(sum(len(each.duels) for each in results.pairings), total)
            if out and time.monotonic() - saved > SAVE_SECONDS:
                results.save(out)
                saved = time.monotonic()
    finally:
        if out:
            results.save(out)


def _missing(pairing: Pairing, deals: int) -> Iterator[list[int]]:
    missing = [deal for deal in range(deals) if deal not in pairing.duels]
    for at in range(0, len(missing), AT_ONCE):
        yield missing[at : at + AT_ONCE]


def _played(wanted: list[tuple[Pairing, list[int]]], jobs: int) -> Iterator[tuple[Pairing, Played]]:
    # Whoever is at the keyboard interrupts this process, which ends the others.
    executor = ProcessPoolExecutor(jobs, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        futures = {executor.submit(play_some, pairing.contest, chunk): pairing for pairing, chunk in wanted}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        executor.shutdown(cancel_futures=True)


def play_some(contest: Contest, deals: list[int]) -> Played:
    """Play some deals in this process."""
    players: tuple[Player, Player] = (find_player(contest.a), find_player(contest.b))
    return [play_deal(contest, players, deal) for deal in deals]
