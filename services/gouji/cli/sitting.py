"""One person at one table: shows what happens, asks for moves, sends them."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from rich.console import Console
from rich.text import Text

from gouji.cli import render
from gouji.cli.keyboard import Keyboard
from gouji.cli.moves import HELP, NotUnderstood, Wish, read, suggest
from gouji.cli.narrate import BOT_PLAYS, Teller, header, seat_name
from gouji.cli.sentences import SENTENCES, sentence
from gouji.cli.talk import talk
from gouji.client import ClientError, TableClient
from gouji.engine import Action, Observation
from gouji.engine.cards import RANKS
from gouji.v1.events_pb2 import Event
from gouji.v1.table_pb2 import ObserveResponse
from gouji.wire import action_from_proto, observation_from_proto

PROMPT: Final = "your play> "

_ASKED: Final = {
    "lead": "You lead: any cards of one rank.",
    "answer": "Beat it or pass.",
    "last_word": "The last word (扣牌): beat it or close.",
    "gouji": "Your opposite's Gouji play (够级): beat it or pass.",
    "burn": "You may burn this play (烧牌) or pass; nobody sees that you are asked.",
    "revolt": "You may leave this hand (革命): revolt or stay; nobody sees that you are asked.",
    "head": "Your opposite has revolted: keep a head (keep) or not (nohead).",
    "call": "You may call that your opposite will not open (宣点): call, or pass.",
    "double": "You may double your team's tributes (明上): double, or pass.",
    "redeal": "You hold neither twos nor jokers: redeal, or pass; nobody sees that you are asked.",
    "take": "A tribute is yours (吃贡): accept, or pass to let it go.",
    "pay": "You owe a tribute (进贡): your highest cards.",
    "return": "Give as many cards back (还贡): type them.",
    "accept": "Cards come back to you (还贡): accept, or refuse a rank that you hold none of.",
    "buy": "You hold none of them (买): pay with your cheapest of two, w, W.",
    "give": "A team-mate needs a card of yours: give it.",
    "sink": "You may sink your fours (沉4): sink, or pass; nobody sees that you are asked.",
    "lay_off": "You may have ranks laid off (烩牌): lay_off 3, 4 or 34, or pass.",
    "contest": "Your opposite revolts and shows this to open (开点): beat it or pass.",
    "last": "Your team is left: say who is last (大落), such as `last 2`.",
}
_DARK: Final = "Before you see your cards: "


def _asked(observation: Observation) -> str:
    """Put the question in words: what is asked, and of which tribute it is."""
    dark = _DARK if observation.phase == "advance" else ""
    debt = observation.debt
    about = ""
    if debt is not None:
        cards = f"{debt.cards} card" + ("" if debt.cards == 1 else "s")
        about = f"{debt.payer} owes {debt.receiver} {cards} of {debt.kind} tribute. "
    return dark + about + _ASKED[observation.question or ""]


_HINTED: Final = frozenset(_ASKED) - {"lead", "answer", "last_word", "gouji", "return"}
"""Questions that come with their few answers."""

_LEAVING: Final = "Leaving is for good, and it costs you points. `leave` again does it; `quit` lets you come back."

_TIRED: Final = frozenset({"stale_turn", "table_over", "hand_over", "table_frozen"})


class Ending(Enum):
    """How somebody's time at a table ends."""

    OVER = "over"
    AWAY = "away"
    LEFT = "left"


@dataclass(slots=True)
class Asked:
    """A question that waits for the person, and the suggestions on the screen."""

    turn: int
    observation: Observation
    legal: list[Action]
    listed: Sequence[Action] = field(default=())

    @property
    def held(self) -> str:
        """The person's cards."""
        return "".join(RANKS[card.rank] for card in self.observation.cards)

    @property
    def question(self) -> str:
        """What is asked."""
        return self.observation.question or ""


class Sitting:
    """Runs until the match is over or the person leaves."""

    def __init__(
        self,
        table: TableClient,
        player_id: str,
        console: Console,
        keyboard: Keyboard,
    ) -> None:
        """Show things on ``console``, and do what is typed."""
        self._table = table
        self._player_id = player_id
        self._console = console
        self._inbox: asyncio.Queue[Event | ClientError | str | None] = asyncio.Queue()
        self._teller = Teller([""] * 6)
        self._names = [""] * 6
        self._asked: Asked | None = None
        self._answered = 0
        self._prompting = False
        self._leaving = False
        keyboard.listen(self._inbox.put_nowait)

    async def run(self) -> Ending:
        """Return how it ended: with the match, or before because the person went. Raises `ClientError`."""
        joined = await self._table.observe()
        self._sit_down(joined)
        following = asyncio.create_task(self._follow())
        try:
            return await self._converse(joined.last_sequence)
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    def _sit_down(self, joined: ObserveResponse) -> None:
        own = [player.player_id for player in joined.seats].index(self._player_id)
        self._names = ["you" if seat == own else seat_name(held) for seat, held in enumerate(joined.seats)]
        short = ["you" if seat == own else held.name for seat, held in enumerate(joined.seats)]
        self._teller = Teller(short, own)

    async def _follow(self) -> None:
        """Put the table's events into the inbox, and what ends them."""
        try:
            async for event in self._table.watch():
                self._inbox.put_nowait(event)
            self._inbox.put_nowait(None)
        except ClientError as error:
            self._inbox.put_nowait(error)

    async def _converse(self, known: int) -> Ending:
        """Go on until one side ends; events up to number ``known`` happened before and are not told."""
        while True:
            item = await self._inbox.get()
            if isinstance(item, ClientError):
                raise item
            if item is None:
                return Ending.LEFT if self._table.view.left else Ending.AWAY
            if isinstance(item, str):
                self._prompting = False
                ending = await self._typed(item)
                if ending is not None:
                    return ending
            elif self._happened(item, known):
                return Ending.OVER
            if self._inbox.empty():
                await self._ask()

    def _happened(self, event: Event, known: int) -> bool:
        """Tell an event; say whether it was the last."""
        lines = self._teller.tell(event)
        if event.WhichOneof("body") == "table_opened":
            self._say(*header(event.table_opened), "Type ? for help.")
        elif event.sequence > known:
            self._say(*lines)
        elif event.sequence == known and self._table.view.away:
            self._say(BOT_PLAYS)
        if self._asked and self._asked.turn != event.turn.number:
            self._asked = None
        return event.WhichOneof("body") in ("match_ended", "table_abandoned")

    async def _ask(self) -> None:
        """Ask the person if it is asked something new, and show the prompt while it is."""
        view = self._table.view
        if self._asked is None and view.asked and view.turn.number != self._answered and not view.away:
            await self._open_question()
        if (self._asked or view.away) and not self._prompting:
            self._console.print(PROMPT, end="", markup=False, highlight=False)
            self._prompting = True

    async def _open_question(self) -> None:
        seen = await self._table.observe()
        observation = observation_from_proto(seen.observation)
        stands = seen.turn.number == self._table.view.turn.number
        if not stands or not observation.question or observation.seat is None:
            return
        legal = [action_from_proto(observation.seat, action) for action in seen.legal_actions]
        self._asked = Asked(seen.turn.number, observation, legal)
        self._show(self._asked)

    def _show(self, asked: Asked) -> None:
        """Show the table as it stands, the hand, and the question."""
        view, observation = self._table.view, asked.observation
        away = [seat for seat, state in enumerate(view.seats) if state.away]
        self._say("")
        self._console.print(render.seats_table(observation, self._names, away), highlight=False)
        acts = [f"{act.seat} {render.deed(act, leads=n == 0)}" for n, act in enumerate(view.hand.trick)]
        self._say(f"trick: {render.DOT.join(acts)}" if acts else "", render.table_line(observation))
        if asked.held:
            self._say(f"your hand ({len(asked.held)}): {render.by_rank(asked.held)}")
        left = self._table.seconds_left
        self._say(_asked(observation) + (f" {max(left, 0):.0f} s left." if left is not None else ""))
        if asked.question in _HINTED:
            self._hint(asked)

    def _hint(self, asked: Asked) -> None:
        asked.listed = suggest(asked.legal, asked.held)
        self._say(*(f"  {number}  {action.verb}" for number, action in enumerate(asked.listed, start=1)))

    async def _advise(self, asked: Asked) -> None:
        """Show what the planner would do, for the person to pick, and why."""
        hint = await self._table.hint()
        asked.listed = [action_from_proto(asked.observation.seat or 0, hint.action)]
        self._say(f"  1  {asked.listed[0].verb}", hint.english)

    async def _typed(self, line: str) -> Ending | None:
        """Do what the person typed; say how it ends here, if it does."""
        told = await talk(self._table, line)
        if told is not None:
            self._say(*told)
            return None
        asked = self._asked
        seat = asked.observation.seat if asked and asked.observation.seat is not None else 0
        listed, question = (asked.listed, asked.question) if asked else ((), "")
        try:
            wanted = read(line, seat, question, listed)
        except NotUnderstood as unclear:
            self._say(str(unclear))
            return None
        sure, self._leaving = self._leaving, wanted is Wish.LEAVE
        if wanted is Wish.QUIT:
            return Ending.AWAY
        if wanted is Wish.LEAVE and sure:
            return await self._leave()
        if wanted is Wish.LEAVE:
            self._say(_LEAVING)
        elif wanted is Wish.HELP:
            self._say(HELP)
        elif wanted is Wish.BACK:
            await self._try(self._table.take_seat())
        elif asked is None:
            self._say(SENTENCES["not_your_turn"])
        else:
            await self._answer(wanted, asked)
        return None

    async def _answer(self, wanted: Action | Wish, asked: Asked) -> None:
        """Do what was typed in answer to a question, or help with it."""
        if isinstance(wanted, Action):
            await self._act(wanted, asked)
        elif wanted is Wish.ADVICE:
            await self._try(self._advise(asked))
        else:
            self._hint(asked)

    async def _leave(self) -> Ending | None:
        return Ending.LEFT if await self._try(self._table.leave()) else None

    async def _try(self, call: Awaitable[object]) -> bool:
        """Do what the table may refuse, and say why if it does; say whether it was done."""
        try:
            await call
        except ClientError as error:
            if not error.reason:
                raise
            self._say(sentence(error))
            return False
        return True

    async def _act(self, action: Action, asked: Asked) -> None:
        """Send a move, and say why if it is refused."""
        asked.listed = ()
        try:
            answer = await self._table.act(action, asked.turn)
        except ClientError as error:
            if not error.reason:
                raise
            self._say(sentence(error))
            if error.reason in _TIRED:
                self._asked = None
            return
        self._answered, self._asked = asked.turn, None
        if not answer.sequence:
            self._say("Noted; nobody sees it.")

    def _say(self, *lines: str) -> None:
        if self._prompting and lines:
            self._console.print()
            self._prompting = False
        for line in lines:
            self._console.print(Text(line), highlight=False, soft_wrap=True)
