"""Who plays each seat: its player, or a bot while that is away. Times are microseconds from 1970 on.

All of it follows from what every watcher sees. An answer to a private question is not counted, neither as an expiry nor
as a sign of life: else who was asked would show.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gouji.v1 import events_pb2, rules_pb2, scoring_pb2, snapshot_pb2, table_pb2

PLAYS = ("player", "stand_in", "bot")
"""Who may play a seat: its person, a bot for a person, or a bot of its own."""

PLAYER, BOT, CLOCK = events_pb2.DECIDED_BY_PLAYER, events_pb2.DECIDED_BY_BOT, events_pb2.DECIDED_BY_CLOCK


@dataclass(slots=True)
class Attendance:
    """How one seat is attended.

    ``person`` is False for a seat that the bot service plays, where nothing ever changes; a bot of somebody's own comes
    and goes as people do. ``gone_since`` counts while the player is not connected, ``expiries`` its decisions in a row
    that the clock made, ``returned`` says that it acted although a bot plays, ``gone`` that it was seen to go. The rest
    is kept for the hand's result.
    """

    person: bool
    gone_since: int
    connected: bool = False
    bot_plays: bool = False
    left: bool = False
    expiries: int = 0
    returned: bool = False
    gone: bool = False
    absent: bool = False
    absent_us: int = 0
    penalty: int = 0
    decisions: Counter[int] = field(default_factory=Counter)

    @property
    def plays(self) -> str:
        """Say which of `PLAYS` plays the seat."""
        return ("stand_in" if self.bot_plays else "player") if self.person else "bot"

    def acted(self, by: events_pb2.DecidedBy.ValueType, at: int) -> None:
        """Take in a public decision."""
        self.decisions[by] += 1
        if by == PLAYER:
            self.expiries, self.gone_since, self.returned = 0, at, self.bot_plays
        elif by == CLOCK and self.person and not self.bot_plays:
            self.expiries += 1

    def changed(self, change: events_pb2.SeatChanged, at: int) -> None:
        """Take in how the seat stands now."""
        if self.bot_plays != change.bot_plays:
            self.expiries, self.returned, self.gone_since = 0, False, at
        if self.connected and not change.connected:
            self.gone_since = at
        self.connected, self.bot_plays, self.left = change.connected, change.bot_plays, change.left
        self.gone = change.bot_plays or not change.connected
        self.absent |= change.bot_plays
        self.penalty += change.penalty

    def bot_due(self, now: int, clock: rules_pb2.Clock) -> bool:
        """Say whether a bot should be playing now."""
        if self.bot_plays:
            return self.left or not self.returned
        tired = 0 < clock.expiries <= self.expiries
        moment = self.gone_moment(clock)
        return tired or (moment is not None and now >= moment)

    def gone_moment(self, clock: rules_pb2.Clock) -> int | None:
        """Say when the player will have been gone for too long; None while it is there, or a bot plays already."""
        if not self.person or self.connected or self.bot_plays or not clock.absent_ms:
            return None
        return self.gone_since + clock.absent_ms * 1000

    def conduct(self) -> scoring_pb2.Conduct:
        """Say how the seat was played in this hand."""
        return scoring_pb2.Conduct(
            by_player=self.decisions[PLAYER],
            by_bot=self.decisions[BOT],
            by_clock=self.decisions[CLOCK],
            absent=self.absent,
            absent_us=self.absent_us,
            left=self.left,
            penalty=self.penalty,
        )

    def next_hand(self) -> None:
        """Begin to count anew."""
        self.decisions.clear()
        self.absent, self.absent_us, self.penalty = self.bot_plays, 0, 0

    def kept(self) -> snapshot_pb2.Attendance:
        """Say all of it."""
        kept = snapshot_pb2.Attendance(
            connected=self.connected,
            bot_plays=self.bot_plays,
            expiries=self.expiries,
            returned=self.returned,
            gone=self.gone,
            conduct=self.conduct(),
        )
        kept.gone_since.FromMicroseconds(self.gone_since)
        return kept

    @classmethod
    def restored(cls, seat: events_pb2.Seat, kept: snapshot_pb2.Attendance) -> "Attendance":
        """Make it again from what was kept."""
        conduct = kept.conduct
        counts = {PLAYER: conduct.by_player, BOT: conduct.by_bot, CLOCK: conduct.by_clock}
        return cls(
            person=bool(seat.player_id),
            gone_since=kept.gone_since.ToMicroseconds(),
            connected=kept.connected,
            bot_plays=kept.bot_plays,
            left=conduct.left,
            expiries=kept.expiries,
            returned=kept.returned,
            gone=kept.gone,
            absent=conduct.absent,
            absent_us=conduct.absent_us,
            penalty=conduct.penalty,
            decisions=Counter({by: count for by, count in counts.items() if count}),
        )

    def shown(self) -> table_pb2.Presence:
        """Say what everybody may know."""
        return table_pb2.Presence(connected=self.connected, bot_plays=self.bot_plays, left=self.left)


@dataclass(slots=True)
class Roster:
    """All six seats of a table; none before it has opened."""

    _seats: list[Attendance] = field(default_factory=list)

    @classmethod
    def of(cls, seats: Iterable[events_pb2.Seat], at: int) -> "Roster":
        """Begin with nobody there yet."""
        return cls([Attendance(bool(seat.player_id), at) for seat in seats])

    @classmethod
    def restored(cls, seats: Iterable[events_pb2.Seat], kept: Iterable[snapshot_pb2.Attendance]) -> "Roster":
        """Make it again from a snapshot."""
        return cls([Attendance.restored(*seat) for seat in zip(seats, kept, strict=True)])

    def kept(self) -> Iterator[snapshot_pb2.Attendance]:
        """Say all of it, for a snapshot."""
        return (seat.kept() for seat in self._seats)

    def __getitem__(self, seat: int) -> Attendance:
        return self._seats[seat]

    def __iter__(self) -> Iterator[Attendance]:
        return iter(self._seats)

    @property
    def people(self) -> bool:
        """There is a person among them."""
        return any(seat.person for seat in self._seats)

    @property
    def present(self) -> set[int]:
        """The seats whose players are there."""
        return {seat for seat, held in enumerate(self._seats) if held.person and held.connected and not held.left}

    def due(self, now: int, clock: rules_pb2.Clock) -> tuple[int, bool] | None:
        """Give a seat that a bot should begin or cease to play, and which; None when all is as it should be."""
        for number, seat in enumerate(self._seats):
            if seat.bot_plays != (bot := seat.bot_due(now, clock)):
                return number, bot
        return None

    def next_moment(self, clock: rules_pb2.Clock) -> int | None:
        """Say when the first player will have been gone for too long."""
        moments = (seat.gone_moment(clock) for seat in self._seats)
        return min((moment for moment in moments if moment is not None), default=None)

    def change(self, seat: int, changes: Mapping[str, int]) -> events_pb2.SeatChanged:
        """Say how a seat stands once these fields of `SeatChanged` are so; the others stay as they are."""
        now = self._seats[seat]
        said = events_pb2.SeatChanged(seat=seat, connected=now.connected, bot_plays=now.bot_plays, left=now.left)
        for name, value in changes.items():
            setattr(said, name, value)
        return said

    def passed(self, us: int) -> None:
        """Take in that so much time has passed in which the table was played."""
        for seat in self._seats:
            if seat.bot_plays:
                seat.absent_us += us

    def resumed(self, at: int) -> None:
        """Take in that a server took the table up: all have to come back, and have their full time to do so."""
        for seat in self._seats:
            seat.connected, seat.gone, seat.gone_since = False, seat.bot_plays, at

    def credited(self, pause_us: int, at: int) -> None:
        """Take in that the server held the table up."""
        for seat in self._seats:
            seat.gone_since = min(seat.gone_since + pause_us, at)

    def end_hand(self) -> list[scoring_pb2.Conduct]:
        """Say how the seats were played in a hand that is over, and begin to count anew."""
        conduct = [seat.conduct() for seat in self._seats]
        for seat in self._seats:
            seat.next_hand()
        return conduct

    def shown(self) -> Iterator[table_pb2.Presence]:
        """Say what everybody may know."""
        return (seat.shown() for seat in self._seats)
