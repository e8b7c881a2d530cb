/** The page's one session: who plays here, and whether the server can be reached. */
import { ClientError, type Credentials, inStorage, Patience, Queue, Rooms, Session } from "@gouji/client";
import { Store } from "./store";

const KEY = "gouji.player";

/** Streams are tried again for as long as the page is open; a single call for 20 s. */
const PATIENCE = new Patience({ total: 20_000, absence: Number.POSITIVE_INFINITY, silence: 25_000 });

// A device that was asleep for longer than this has lost its streams.
const ASLEEP_MS = 12_000;

export const keeper = inStorage(localStorage, KEY);
export const session = new Session({ baseUrl: location.origin, keeper, patience: PATIENCE });
export const queue = new Queue(session);
export const rooms = new Rooms(session);

/** The player who is known here, or null. */
export const player = new Store<Credentials | null>(keeper.load());

/** Why the player may not come in, as long as that is so. */
export const barred = new Store<ClientError | null>(null);

/** Become a guest. */
export async function enter(name: string): Promise<void> {
  player.set(await session.becomeGuest(name));
}

/** Forget who plays here. */
export function forget(): void {
  session.forget();
  player.set(null);
}

/** Ask whether the server knows the player who is remembered, and forget it if not. Gives its table, if it sits. */
export async function comeBack(): Promise<string> {
  if (!player.get()) return "";
  try {
    const { tableId } = await session.who();
    barred.set(null);
    return tableId;
  } catch (thrown) {
    const error = ClientError.of(thrown);
    if (error.reason === "banned") barred.set(error);
    if (error.reason.startsWith("token_") || error.reason === "unknown_player") forget();
    return "";
  }
}

/** Have broken streams opened anew at once when the device wakes up or its network is back. */
export function watchForWaking(): void {
  let last = Date.now();
  setInterval(() => {
    if (Date.now() - last > ASLEEP_MS) session.nudge();
    last = Date.now();
  }, 2_000);
  addEventListener("online", () => session.nudge());
}
