"""An event written down: as JSON that can be read again, and as tables for a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from google.protobuf import json_format

from gouji.v1.tournament_pb2 import PlayedBoard, Standing, TournamentExport

WHOLE_FILE: Final = "tournament.json"
"""Name of the file that holds everything."""

_RESULTS: Final = (
    "round",
    "board",
    "pairing",
    "table_id",
    "even_entrants",
    "odd_entrants",
    "even",
    "odd",
    "even_score",
    "odd_score",
    "hand",
    "no_result",
    "ruled",
    "absent_seats",
    "corrected",
)
_STANDINGS: Final = (
    "rank",
    "entrant",
    "name",
    "score",
    "buchholz",
    "median_buchholz",
    "encounter",
    "wins",
    "corrections",
    "withdrawn",
)


def to_json(export: TournamentExport) -> str:
    """Write everything."""
    return json_format.MessageToJson(export, preserving_proto_field_name=True, indent=1) + "\n"


def from_json(text: str) -> TournamentExport:
    """Read what `to_json` wrote. Raises ValueError for anything else."""
    try:
        return json_format.Parse(text, TournamentExport())
    except json_format.ParseError as error:
        raise ValueError(str(error)) from error


def results_csv(export: TournamentExport) -> str:
    """Write a row for each table whose board is open."""
    return _csv(_RESULTS, _results(export))


def standings_csv(export: TournamentExport) -> str:
    """Write a row for each entrant, with its score of each round at the end."""
    rounds = len(export.standings[0].rounds) if export.standings else 0
    names = (*_STANDINGS, *(f"round_{number + 1}" for number in range(rounds)))
    return _csv(names, map(_standing, export.standings))


def write(export: TournamentExport, directory: Path, *, as_csv: bool, as_json: bool) -> list[Path]:
    """Write files into a directory, which is made if it is not there; gives their paths. Raises `OSError`."""
    texts: dict[str, str] = {WHOLE_FILE: to_json(export)} if as_json else {}
    if as_csv:
        texts |= {"results.csv": results_csv(export), "standings.csv": standings_csv(export)}
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")
    return [directory / name for name in texts]


def _results(export: TournamentExport) -> Iterator[Mapping[str, object]]:
    for one in export.rounds:
        for pairing in one.pairings:
            for played in pairing.boards:
                if played.HasField("score"):
                    yield {"round": one.round, "pairing": pairing.pairing, **_result(played)}


def _result(played: PlayedBoard) -> dict[str, object]:
    score, seats = played.score, list(played.seats)
    return {
        "board": played.board,
        "table_id": played.table_id,
        "even_entrants": " ".join(map(str, seats[::2])),
        "odd_entrants": " ".join(map(str, seats[1::2])),
        "even": score.even,
        "odd": score.odd,
        "even_score": score.even_score,
        "odd_score": score.odd_score,
        "hand": score.hand,
        "no_result": int(score.no_result),
        "ruled": int(score.ruled),
        "absent_seats": " ".join(map(str, score.absent)),
        "corrected": int(score.corrected),
    }


def _standing(row: Standing) -> Mapping[str, object]:
    rounds = {f"round_{number}": score for number, score in enumerate(row.rounds, start=1)}
    return {name: _plain(getattr(row, name)) for name in _STANDINGS} | rounds


def _plain(value: object) -> object:
    """Give what a spreadsheet takes; a name that it would take for a formula is made a text."""
    if isinstance(value, bool):
        return int(value)
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@" else value


def _csv(names: Iterable[str], rows: Iterable[Mapping[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(names), restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
