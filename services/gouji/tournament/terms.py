"""What an event may be, as a director asks for it: read and checked. Pure."""

import re
from typing import Final

from gouji.serving.errors import malformed
from gouji.serving.requests import check_clock, check_text, check_time, read_rules
from gouji.tournament.decisions import MOST_PLAYERS, MOST_ROUNDS, least_entrants
from gouji.tournament.lineups import SIDE
from gouji.tournament.tournament import SWISS, TEAMS
from gouji.v1 import tournament_log_pb2
from gouji.v1.tournament_log_pb2 import TournamentTerms
from gouji.wire import rules_to_proto

LONGEST_NAME: Final = 80
"""Characters of the name of an event, a team or a bot."""

LONGEST_REASON: Final = 500
"""Characters of what a director says."""

MOST_BOARDS: Final = 16
"""Most boards of a round."""

MOST_BREAK_SECONDS: Final = 86_400
MOST_PATIENCE_SECONDS: Final = 3600
MOST_PACE_MS: Final = 60_000

_ID: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")


def read_id(given: str) -> str:
    """Take the id of an event that is to be announced. Raises `ServiceError` `malformed`."""
    if not _ID.fullmatch(given):
        raise malformed("tournament_id", "is not 1 to 32 of a-z, 0-9 and -, with - inside alone")
    return given


def read_terms(given: TournamentTerms) -> TournamentTerms:
    """Check an event's terms, and write its rules in full.

    Raises `ServiceError`: `malformed`, the rules' own reasons.
    """
    terms = TournamentTerms()
    terms.CopyFrom(given)
    check_text("terms.name", terms.name, LONGEST_NAME)
    _check_kind(terms)
    rules = read_rules(terms.rules, "terms.rules")
    if not rules["teams"]:
        raise malformed("terms.rules", "have no teams, whose points could be compared")
    terms.rules.CopyFrom(rules_to_proto(rules))
    check_clock("terms.clock", terms.clock)
    _check_numbers(terms)
    _check_times(terms)
    return terms


def _check_kind(terms: TournamentTerms) -> None:
    if terms.format not in tournament_log_pb2.TournamentFormat.values() or not terms.format:
        raise malformed("terms.format", "is none of those that there are")
    if terms.entrants not in tournament_log_pb2.EntrantKind.values() or not terms.entrants:
        raise malformed("terms.entrants", "is none of those that there are")
    if terms.format != SWISS and terms.entrants != TEAMS and not terms.rounds:
        raise malformed("terms.rounds", "has to be said where single players meet in a round robin")


def _check_numbers(terms: TournamentTerms) -> None:
    size = SIDE if terms.entrants == TEAMS else 1
    bounds = {
        "rounds": (0, MOST_ROUNDS),
        "boards": (1, MOST_BOARDS),
        "most_entrants": (least_entrants(terms), MOST_PLAYERS // size),
        "break_seconds": (0, MOST_BREAK_SECONDS),
        "stand_in_seconds": (0, MOST_PATIENCE_SECONDS),
        "bot_pace_ms": (0, MOST_PACE_MS),
    }
    for name, (least, most) in bounds.items():
        if not least <= getattr(terms, name) <= most:
            raise malformed(f"terms.{name}", f"is {getattr(terms, name)}, not {least} to {most}")


def _check_times(terms: TournamentTerms) -> None:
    names = ("registration_opens", "check_in_opens", "starts")
    moments = {name: getattr(terms, name) for name in names if terms.HasField(name)}  # type: ignore[arg-type]
    for name, moment in moments.items():
        check_time(f"terms.{name}", moment)
    given = [moment.ToMicroseconds() for moment in moments.values()]
    if given != sorted(given):
        raise malformed("terms.starts", "is before registration or check-in opens, or these are not in order")
