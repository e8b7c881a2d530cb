"""The Python SDK: a typed, asynchronous client that comes back by itself and never does a command twice.

async with await Session.open("127.0.0.1:7100", "Lin") as session:
queued = await Queue(session).create_ticket("local/quick")
seated = await Queue(session).settled(queued.ticket.ticket_id)
table = TableClient(session, seated.table_id)
async for event in table.watch():
if table.view.asked:
asked = await table.observe()
"""

from gouji.client.accounts import Accounts, draw_nonce
from gouji.client.credentials import Credentials, CredentialsFile
from gouji.client.errors import ClientError
from gouji.client.parties import Friends, Parties
from gouji.client.retry import Patience
from gouji.client.rooms import Rooms
from gouji.client.session import Session
from gouji.client.tables import TableClient
from gouji.client.tickets import Queue
from gouji.client.view import HandState, SeatState, TableView

__all__ = [
    "Accounts",
    "ClientError",
    "Credentials",
    "CredentialsFile",
    "Friends",
    "HandState",
    "Parties",
    "Patience",
    "Queue",
    "Rooms",
    "SeatState",
    "Session",
    "TableClient",
    "TableView",
    "draw_nonce",
]
