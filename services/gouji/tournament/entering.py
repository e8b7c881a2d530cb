"""Who enters an event: people and bots as a request names them, looked up and checked."""

from collections.abc import Sequence

from gouji.serving.auth import Caller, Role
from gouji.serving.bot_levels import BotLevels
from gouji.serving.errors import ServiceError, malformed
from gouji.serving.requests import check_id, check_text
from gouji.tournament import decisions
from gouji.tournament.books import Author, Books
from gouji.tournament.lineups import SIDE
from gouji.tournament.store import Store
from gouji.tournament.terms import LONGEST_NAME
from gouji.tournament.tournament import TEAMS, Entrant, Tournament
from gouji.v1 import tournament_pb2
from gouji.v1.events_pb2 import Seat
from gouji.v1.tournament_log_pb2 import TournamentEntry
from gouji.wire.bots import is_bot


class Entering:
    """Takes people and bots into events."""

    def __init__(self, store: Store, books: Books, levels: BotLevels) -> None:
        self._store = store
        self._books = books
        self._levels = levels

    async def enter(
        self, request: tournament_pb2.EnterTournamentRequest, who: Caller
    ) -> tuple[Tournament, Entrant, bool]:
        """Enter a player or a team; gives the event, the entrant, and whether it was in already."""
        event = await self._books.read(request.tournament_id)
        players = await self.named("players", _asked(request, who), who)
        name = _name(request.name, players, teams=event.terms.entrants == TEAMS)
        fresh: list[TournamentEntry] = []

        def decide(event: Tournament, _now: int) -> TournamentEntry | None:
            entry = decisions.enter(event, name, players)
            fresh.extend([entry] if entry else [])
            return entry

        event = await self._books.write(request.tournament_id, Author(who.player_id), decide)
        entrant = decisions.standing(event, name, players)
        if entrant is None:
            raise ServiceError("unknown_entrant", "The entrant has been withdrawn meanwhile.")
        return event, entrant, not fresh

    async def named(self, field: str, players: Sequence[Seat], who: Caller | None = None) -> list[Seat]:
        """Check who is named, and give people the names by which they are known."""
        for number, player in enumerate(players):
            await self._check(f"{field}[{number}]", player)
        ids = [player.player_id for player in players if player.player_id]
        if len(set(ids)) < len(ids):
            raise malformed(field, "have one player twice")
        known = await self._store.names(ids)
        if who is not None and who.role is Role.PLAYER:
            known[who.player_id] = who.name
        missing = [player_id for player_id in ids if player_id not in known]
        if missing:
            raise ServiceError("unknown_player", "There is no such player.", metadata={"player_id": missing[0]})
        return [
            Seat(player_id=player.player_id, name=known[player.player_id])
            if player.player_id
            else Seat(bot_level=player.bot_level, name=player.name or f"Bot {player.bot_level}")
            for player in players
        ]

    async def _check(self, field: str, player: Seat) -> None:
        if bool(player.player_id) == bool(player.bot_level):
            raise malformed(field, "has neither or both of player_id and bot_level")
        if is_bot(player.player_id):
            raise ServiceError("forbidden", "Bots of others' own play in no tournament.")
        if player.player_id:
            check_id(f"{field}.player_id", player.player_id)
        else:
            await self._levels.check(f"{field}.bot_level", player.bot_level)
        if player.bot_level and player.name:
            check_text(f"{field}.name", player.name, LONGEST_NAME)


def _asked(request: tournament_pb2.EnterTournamentRequest, who: Caller) -> Sequence[Seat]:
    """Say who is to be entered: a player enters itself, or a team of people whose captain it is."""
    if who.role is not Role.PLAYER:
        return request.players
    players = list(request.players) or [Seat(player_id=who.player_id)]
    if players[0].player_id != who.player_id:
        raise ServiceError("not_captain", "You enter yourself, or a team whose captain you are, and so come first.")
    if any(player.bot_level for player in players):
        raise ServiceError("forbidden", "Bots are entered by directors.")
    return players


def _name(given: str, players: Sequence[Seat], *, teams: bool) -> str:
    """Give the entrant's name: a team says its own, a single player has one."""
    size = SIDE if teams else 1
    if len(players) != size:
        raise malformed("players", f"are {len(players)}, not {size}")
    if not teams:
        if given:
            raise malformed("name", "is for teams; a single player goes by its own")
        return players[0].name
    check_text("name", given, LONGEST_NAME)
    return given
