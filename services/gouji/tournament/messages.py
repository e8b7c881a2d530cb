"""Events as messages. Pure.

What was made at a table is told once its board is open: before, it could tell something of the cards.
"""

from collections.abc import Iterable

from gouji.tournament.chance import board_id
from gouji.tournament.scores import Outing, Scores, board_scores
from gouji.tournament.standings import Place
from gouji.tournament.tournament import Entrant, Round, Sides, Spot, Table, Tournament
from gouji.v1 import tournament_pb2


def tournament_message(event: Tournament, *, with_rounds: bool = True) -> tournament_pb2.Tournament:
    """Say how an event is."""
    candidates, listed = event.candidates, event.listed
    started = bool(event.playing)
    return tournament_pb2.Tournament(
        tournament_id=event.tournament_id,
        terms=event.terms,
        stage=event.stage,
        paused=event.paused,
        entrants=len(event.field) if started else len(listed),
        waiting=0 if started else len(candidates) - len(listed),
        rounds=event.rounds_planned or event.terms.rounds,
        played=[round_message(event, one) for one in event.rounds] if with_rounds else (),
        seed_commitment=event.seed_commitment,
        seed=event.seed,
        version=event.sequence,
    )


def round_message(event: Tournament, one: Round) -> tournament_pb2.TournamentRound:
    """Say how a round is, without its pairings."""
    message = tournament_pb2.TournamentRound(
        round=one.number,
        begun=one.begun,
        over=one.over,
        boards=[
            tournament_pb2.TournamentBoard(
                board_id=board_id(event.tournament_id, one.number, board),
                commitment=one.commitments[board - 1],
                secret=one.secrets.get(board, b""),
            )
            for board in one.boards
        ],
        pairings=len(one.pairings),
        byes=one.byes,
        placed=sum(bool(table.table_id) for table in one.tables.values()),
        ended=sum(table.ended for table in one.tables.values()),
        no_shows=[tournament_pb2.NoShow(entrant=who, score=score) for who, score in sorted(one.no_shows.items())],
    )
    message.begins.FromMicroseconds(one.begins)
    return message


def entrant_messages(event: Tournament, numbers: Iterable[int]) -> list[tournament_pb2.Entrant]:
    """Say who these entrants are."""
    waits = set() if event.playing else set(event.candidates) - set(event.listed)
    return [entrant_message(event.entrants[number], waiting=number in waits) for number in numbers]


def entrant_message(entrant: Entrant, *, waiting: bool) -> tournament_pb2.Entrant:
    """Say who an entrant is."""
    return tournament_pb2.Entrant(
        number=entrant.number,
        name=entrant.name,
        players=entrant.players,
        checked_in=entrant.checked_in,
        withdrawn=entrant.withdrawn,
        waiting=waiting,
    )


def pairing_messages(one: Round, numbers: Iterable[int]) -> list[tournament_pb2.PlayedPairing]:
    """Say who meets in these pairings, at which tables, and what came of the boards that are open."""
    scores = {board: board_scores(one, board) for board in one.secrets}
    return [_pairing(one, number, one.pairings[number - 1], scores) for number in numbers]


def _pairing(
    one: Round, number: int, sides: Sides, scores: dict[int, dict[int, Scores]]
) -> tournament_pb2.PlayedPairing:
    boards = [
        _board(one, (number, board), scores[board].get(number) if board in scores else None) for board in one.boards
    ]
    return tournament_pb2.PlayedPairing(pairing=number, first=sides.first, second=sides.second, boards=boards)


def _board(one: Round, spot: Spot, scores: Scores | None) -> tournament_pb2.PlayedBoard:
    chairs = one.chairs(spot)
    table = one.tables.get(spot, Table())
    return tournament_pb2.PlayedBoard(
        board=spot[1],
        table_id=table.table_id,
        seats=[chair.entrant for chair in chairs],
        places=[chair.place for chair in chairs],
        score=None if scores is None else _score(table, scores),
    )


def _score(table: Table, scores: Scores) -> tournament_pb2.BoardScore:
    even, odd = table.made or (0, 0)
    return tournament_pb2.BoardScore(
        even=even,
        odd=odd,
        even_score=scores[0],
        odd_score=scores[1],
        no_result=table.made is None,
        ruled=table.ruled is not None,
        absent=table.absent,
        hand=table.hand,
        corrected=table.corrected,
    )


def standing_message(event: Tournament, place: Place, course: Iterable[Outing]) -> tournament_pb2.Standing:
    """Say where an entrant stands."""
    entrant = event.entrants[place.entrant]
    return tournament_pb2.Standing(
        rank=place.rank,
        entrant=place.entrant,
        name=entrant.name,
        score=place.score,
        buchholz=place.buchholz,
        median_buchholz=place.median,
        encounter=place.encounter,
        wins=place.wins,
        rounds=[outing.score for outing in course],
        corrections=event.corrections.get(place.entrant, 0),
        withdrawn=entrant.withdrawn,
    )
