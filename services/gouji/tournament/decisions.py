"""What people may do in an event: each function gives the entry that does it, or raises `Refusal`. Pure.

None stands for what is so already. Entries come without number, time and author.
"""

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

from gouji.engine.cards import SEATS
from gouji.tournament.refusals import Refusal, unknown_entrant, unknown_round, wrong_stage
from gouji.tournament.tournament import (
    ANNOUNCED,
    CANCELLED,
    CHECK_IN,
    OVER,
    REGISTRATION,
    RUNNING,
    SWISS,
    TEAMS,
    Entrant,
    Round,
    Tournament,
    is_named,
)
from gouji.v1 import tournament_log_pb2, tournament_pb2
from gouji.v1.events_pb2 import Seat
from gouji.v1.tournament_log_pb2 import TournamentEntry

MOST_ROUNDS: Final = 32
"""Most rounds of an event."""

MOST_PLAYERS: Final = 3000
"""Most people and bots that play in one event."""

LEAST_SIDES: Final = 4
"""Sides that there must be: two tables, or a board could be compared with none."""

Change = tournament_pb2.StageChange
_Stage: TypeAlias = tournament_log_pb2.TournamentStage.ValueType

_FROM: Final[dict[Change.ValueType, tuple[_Stage, tuple[_Stage, ...]]]] = {
    tournament_pb2.STAGE_CHANGE_OPEN_REGISTRATION: (REGISTRATION, (ANNOUNCED,)),
    tournament_pb2.STAGE_CHANGE_OPEN_CHECK_IN: (CHECK_IN, (REGISTRATION,)),
    tournament_pb2.STAGE_CHANGE_START: (RUNNING, (REGISTRATION, CHECK_IN)),
    tournament_pb2.STAGE_CHANGE_CANCEL: (CANCELLED, (ANNOUNCED, REGISTRATION, CHECK_IN, RUNNING)),
}
"""Where a change leads, and from where."""

_PAUSES: Final = {tournament_pb2.STAGE_CHANGE_PAUSE: True, tournament_pb2.STAGE_CHANGE_RESUME: False}


# Stages


def change_stage(event: Tournament, change: Change.ValueType) -> TournamentEntry | None:
    """Do what a director says with the event as a whole. Refused with `wrong_stage`, `too_few_entrants`."""
    if change in _PAUSES:
        return _pause(event, paused=_PAUSES[change])
    stage, sources = _FROM[change]
    if event.stage == stage:
        return None
    if event.stage not in sources:
        raise wrong_stage(event.stage, "that does not follow")
    return start(event) if stage == RUNNING else at_stage(stage)


def _pause(event: Tournament, *, paused: bool) -> TournamentEntry | None:
    if event.stage != RUNNING:
        raise wrong_stage(event.stage, "only what runs is paused")
    return None if event.paused == paused else at_stage(RUNNING, paused=paused)


def at_stage(stage: _Stage, *, paused: bool = False) -> TournamentEntry:
    """Put the event at another stage."""
    return TournamentEntry(stage_changed=tournament_log_pb2.StageChanged(stage=stage, paused=paused))


def start(event: Tournament) -> TournamentEntry:
    """Begin to play: with those who have a place and, where there was a check-in, are there."""
    there = [number for number in event.candidates if event.stage != CHECK_IN or is_there(event.entrants[number])]
    playing = there[: event.terms.most_entrants]
    least = least_entrants(event.terms)
    if len(playing) < least:
        raise Refusal("too_few_entrants", f"There are {len(playing)} to play, and {least} are needed for two tables.")
    rounds = _rounds(event.terms, len(playing))
    return TournamentEntry(stage_changed=tournament_log_pb2.StageChanged(stage=RUNNING, playing=playing, rounds=rounds))


def is_there(entrant: Entrant) -> bool:
    """Say whether an entrant has checked in; bots are always there."""
    return entrant.checked_in or not any(player.player_id for player in entrant.players)


def least_entrants(terms: tournament_log_pb2.TournamentTerms) -> int:
    """Say how many entrants two tables take."""
    return LEAST_SIDES if terms.entrants == TEAMS else LEAST_SIDES * SEATS // 2


def _rounds(terms: tournament_log_pb2.TournamentTerms, playing: int) -> int:
    """Say how many rounds there will be: in a round robin of teams no more than until all have met."""
    if terms.format == SWISS:
        return terms.rounds or math.ceil(math.log2(playing))
    whole = playing - 1 + playing % 2 if terms.entrants == TEAMS else MOST_ROUNDS
    return min(terms.rounds or whole, whole, MOST_ROUNDS)


# Entrants


def enter(event: Tournament, name: str, players: Sequence[Seat]) -> TournamentEntry | None:
    """Enter somebody. Refused with `wrong_stage`, `already_entered`, `tournament_full`."""
    if event.stage != REGISTRATION:
        raise wrong_stage(event.stage, "registration is not open")
    if standing(event, name, players) is not None:
        return None
    _check_free(event, players)
    if is_named(players) and name in event.named:
        raise Refusal("already_entered", f"The name {name} is taken.", name=name)
    if len(event.entrants) >= 2 * MOST_PLAYERS or len(event.candidates) >= 2 * event.terms.most_entrants:
        raise Refusal("tournament_full", "The event is full, and so is its waiting list.")
    number = len(event.entrants) + 1
    return TournamentEntry(entered=tournament_log_pb2.Entered(entrant=number, name=name, players=players))


def standing(event: Tournament, name: str, players: Sequence[Seat]) -> Entrant | None:
    """Find the entrant that has just this name and these players."""
    number = event.named.get(name) if is_named(players) else event.number_of.get(players[0].player_id)
    entrant = event.entrants.get(number or 0)
    if entrant is None or entrant.name != name or _ids(entrant.players) != _ids(players):
        return None
    return entrant


def _ids(players: Sequence[Seat]) -> list[tuple[str, str]]:
    return [(player.player_id, player.bot_level) for player in players]


def _check_free(event: Tournament, players: Sequence[Seat]) -> None:
    for player in players:
        if player.player_id in event.number_of:
            raise Refusal("already_entered", f"{player.name} is in the event already.", player_id=player.player_id)


def own(event: Tournament, player_id: str) -> Entrant:
    """Find the entrant that a player belongs to. Refused with `unknown_entrant`."""
    return entrant_of(event, event.number_of.get(player_id, 0))


def entrant_of(event: Tournament, number: int) -> Entrant:
    """Find an entrant that is not withdrawn. Refused with `unknown_entrant`."""
    entrant = event.entrants.get(number)
    if entrant is None or entrant.withdrawn:
        raise unknown_entrant()
    return entrant


def withdraw(event: Tournament, number: int) -> TournamentEntry | None:
    """Take an entrant out. Refused with `unknown_entrant`, and `wrong_stage` when the event is over."""
    if number not in event.entrants:
        raise unknown_entrant()
    if event.entrants[number].withdrawn:
        return None
    _check_not_over(event)
    return TournamentEntry(withdrawn=tournament_log_pb2.EntrantWithdrawn(entrant=number))


def check_in(event: Tournament, number: int) -> TournamentEntry | None:
    """Note that an entrant is there. Refused with `unknown_entrant`, `wrong_stage`."""
    entrant = entrant_of(event, number)
    if entrant.checked_in:
        return None
    if event.stage != CHECK_IN:
        raise wrong_stage(event.stage, "nobody is asked to check in")
    return TournamentEntry(checked_in=tournament_log_pb2.CheckedIn(entrant=number))


def substitute(event: Tournament, number: int, place: int, player: Seat) -> TournamentEntry:
    """Put a player in the place of another. Refused with `unknown_entrant`, `already_entered`, `wrong_stage`."""
    _check_not_over(event)
    if place >= len(entrant_of(event, number).players):
        raise unknown_entrant()
    _check_free(event, [player])
    return TournamentEntry(substituted=tournament_log_pb2.PlayerSubstituted(entrant=number, place=place, player=player))


def _check_not_over(event: Tournament) -> None:
    if event.stage in (OVER, CANCELLED):
        raise wrong_stage(event.stage, "it is too late for that")


# Rulings


def adjust(event: Tournament, number: int, points: int) -> TournamentEntry:
    """Correct an entrant's score, also after the end. Refused with `unknown_entrant`."""
    if number not in event.entrants:
        raise unknown_entrant()
    return TournamentEntry(score_adjusted=tournament_log_pb2.ScoreAdjusted(entrant=number, points=points))


def rule_table(event: Tournament, ruled: tournament_log_pb2.TableRuled) -> TournamentEntry:
    """Give both sides of a table their scores. Refused with `unknown_round`, and `wrong_stage` before the round."""
    one = round_of(event, ruled.round)
    if not 1 <= ruled.pairing <= len(one.pairings) or ruled.board not in one.boards:
        raise unknown_round()
    _check_begun(event, one)
    return TournamentEntry(table_ruled=ruled)


def rule_no_show(event: Tournament, ruled: tournament_log_pb2.NoShowRuled) -> TournamentEntry:
    """Say what a round is worth to an entrant. Refused with `unknown_round`, `unknown_entrant`, `wrong_stage`."""
    one = round_of(event, ruled.round)
    if not one.plays(ruled.entrant):
        raise unknown_entrant()
    _check_begun(event, one)
    return TournamentEntry(no_show_ruled=ruled)


def _check_begun(event: Tournament, one: Round) -> None:
    if not one.begun:
        raise wrong_stage(event.stage, f"round {one.number} has not begun")


def round_of(event: Tournament, number: int) -> Round:
    """Find a round. Refused with `unknown_round`."""
    if not 1 <= number <= len(event.rounds):
        raise unknown_round()
    return event.rounds[number - 1]
