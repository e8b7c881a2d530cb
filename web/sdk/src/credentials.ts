/** Who a player is between two visits. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Tokens } from "./gen/gouji/v1/gateway_pb.js";

/** A player and its tokens; times in milliseconds since 1970. */
export interface Credentials {
  playerId: string;
  name: string;
  accessToken: string;
  accessExpires: number;
  refreshToken: string;
}

/** Where credentials are kept. Keep them where only the player can read them. */
export interface Keeper {
  load(): Credentials | null;
  save(credentials: Credentials | null): void;
}

/** What a server's tokens make of a player. */
export function credentialsOf(playerId: string, name: string, tokens: Tokens | undefined): Credentials {
  return {
    playerId,
    name,
    accessToken: tokens?.accessToken ?? "",
    accessExpires: tokens?.accessExpires ? timestampMs(tokens.accessExpires) : 0,
    refreshToken: tokens?.refreshToken ?? "",
  };
}

/** Keeps credentials for as long as the program runs. */
export function inMemory(first: Credentials | null = null): Keeper {
  let kept = first;
  return {
    load: () => kept,
    save: (credentials) => {
      kept = credentials;
    },
  };
}

/** Keeps credentials in a browser's storage under a key; what cannot be read there counts as nothing. */
export function inStorage(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">, key: string): Keeper {
  return {
    load() {
      try {
        const read = JSON.parse(storage.getItem(key) ?? "null");
        return read && typeof read.refreshToken === "string" && typeof read.playerId === "string" ? read : null;
      } catch {
        return null;
      }
    },
    save(credentials) {
      if (credentials) storage.setItem(key, JSON.stringify(credentials));
      else storage.removeItem(key);
    },
  };
}
