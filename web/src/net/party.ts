/** The party that one is in, as the lobby follows it. */
import type { WatchPartyResponse } from "@gouji/client/v1/party";
import { player } from "./session";
import { Store } from "./store";

export const party = new Store<WatchPartyResponse | null>(null);

/** The id of the party that one leads, to be queued as a whole; empty if there is none. */
export function ownParty(): string {
  const own = party.get()?.party;
  return own && own.leader === player.get()?.playerId ? own.partyId : "";
}
