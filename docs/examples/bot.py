"""A whole bot: sits down with five others and always plays the cheapest lawful move."""

import asyncio
import os
import sys
from contextlib import suppress
from datetime import timedelta

from gouji.client import ClientError, Queue, Session, TableClient
from gouji.v1.rules_pb2 import MatchLength
from gouji.wire import action_from_proto, observation_from_proto


async def play(address: str, credential: str | None, name: str) -> None:
    """Play one hand at the server at ``address``, as a bot or for want of a credential as a guest; print the points."""
    opening = Session.open_bot(address, credential) if credential else Session.open(address, name)
    async with await opening as session:
        queue = Queue(session)
        made = await queue.create_ticket("local/quick", length=MatchLength(hands=1), bots_after=timedelta(0))
        table = TableClient(session, (await queue.settled(made.ticket.ticket_id)).table_id)
        async for event in table.watch():
            if table.view.asked and event.sequence == table.view.sequence:
                seen = await table.observe()
                seat = observation_from_proto(seen.observation).seat or 0
                moves = [action_from_proto(seat, action) for action in seen.legal_actions]
                with suppress(ClientError, ValueError):  # the clock, or another event, was faster
                    await table.act(min(moves, key=lambda move: len(move.cards)), seen.turn.number)
        print("over:", *(table.view.ended.scores if table.view.ended else ()))


if __name__ == "__main__":
    given = sys.argv[1:] or ["127.0.0.1:8080", "Cheapskate"]
    try:
        asyncio.run(play(given[0], os.environ.get("GOUJI_CREDENTIAL"), given[1]))
    except ClientError as error:
        sys.exit(str(error))
