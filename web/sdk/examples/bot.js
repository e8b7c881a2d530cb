// A whole bot: sits down with five others and always plays the cheapest lawful move.
import { moveOf, Queue, Session, TableClient } from "@gouji/client";

const [baseUrl = "http://127.0.0.1:8080", name = "Cheapskate"] = process.argv.slice(2);

const session = await Session.open({ baseUrl, name });
const queue = new Queue(session);
const { ticket } = await queue.createTicket("local/quick", { length: { hands: 1 }, botsAfter: 0 });
const seated = await queue.settled(ticket.ticketId);
const table = new TableClient(session, seated.tableId);

/** Answers the turn that stands, if it is this seat's. */
async function answer() {
  const { turn, legalActions } = await table.observe();
  const [move] = legalActions.map(moveOf).sort((one, other) => one.cards.length - other.cards.length);
  if (!move) return;
  try {
    await table.act(move, turn.number);
  } catch (error) {
    if (error.reason !== "stale_turn") throw error; // the clock, or another event, was faster
  }
}

for await (const event of table.watch()) {
  if (table.view.asked && event.sequence === table.view.sequence) await answer();
}
console.log(`over: ${table.view.ended.scores}`);
