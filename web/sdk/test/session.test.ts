import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { ClientError, inStorage, Patience } from "../src/index.js";
import { failure, sessionAt, tokens } from "./fakes.js";

test("a guest is kept, and its token sent with every call", async () => {
  const sent: (string | null)[] = [];
  const session = sessionAt({
    getSession: (_, context) => {
      sent.push(context.requestHeader.get("authorization"));
      return { playerId: "p1" };
    },
  });
  await session.becomeGuest("Ann");
  await session.who();
  expect(session.credentials).toMatchObject({ playerId: "p1", name: "Ann", refreshToken: "refresh first" });
  expect(sent).toEqual(["Bearer first"]);
});

test("what passes is tried again, what does not is thrown with its reason", async () => {
  let tries = 0;
  const session = sessionAt({
    getSession: () => {
      tries += 1;
      if (tries < 3) throw new ConnectError("gone", Code.Unavailable);
      throw failure(Code.NotFound, "unknown_player");
    },
  });
  await expect(session.who()).rejects.toMatchObject({ reason: "unknown_player", passing: false });
  expect(tries).toBe(3);
});

test("an expired token is exchanged once for all calls that found it so", async () => {
  let exchanges = 0;
  const session = sessionAt({
    refreshSession: ({ refreshToken }) => {
      exchanges += 1;
      expect(refreshToken).toBe("refresh first");
      return { tokens: tokens("second") };
    },
    getSession: (_, context) => {
      if (context.requestHeader.get("authorization") !== "Bearer second") {
        throw failure(Code.Unauthenticated, "token_expired");
      }
      return { playerId: "p1" };
    },
  });
  await session.becomeGuest("Ann");
  await Promise.all([session.who(), session.who(), session.who()]);
  expect(exchanges).toBe(1);
});

test("a token that is about to expire is exchanged beforehand", async () => {
  const session = sessionAt({
    createGuest: () => ({ playerId: "p1", tokens: tokens("first", 1000) }),
    refreshSession: () => ({ tokens: tokens("second") }),
    getSession: (_, context) => ({ name: context.requestHeader.get("authorization") ?? "" }),
  });
  await session.becomeGuest("Ann");
  expect((await session.who()).name).toBe("Bearer second");
});

test("waits are below a bound that doubles, and never shorter than a server asks", () => {
  const patience = new Patience({ first: 100, most: 400 });
  for (let failures = 0; failures < 8; failures++) {
    expect(patience.delay(failures)).toBeLessThanOrEqual(Math.min(400, 100 * 2 ** failures));
    expect(patience.delay(failures, 1000)).toBeGreaterThanOrEqual(1000);
    expect(patience.delay(failures, 1000)).toBeLessThanOrEqual(2000);
  }
});

test("an error without a reason of ours is judged by its code", () => {
  expect(ClientError.of(new ConnectError("cut", Code.Unknown)).passing).toBe(true);
  expect(ClientError.of(new TypeError("fetch failed")).passing).toBe(true);
  expect(ClientError.of(new ConnectError("no", Code.InvalidArgument)).passing).toBe(false);
});

test("credentials that cannot be read count as none", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const keeper = inStorage(storage, "k");
  expect(keeper.load()).toBeNull();
  for (const text of ["nonsense", "3", '{"playerId":"p"}']) {
    kept.set("k", text);
    expect(keeper.load()).toBeNull();
  }
  const credentials = { playerId: "p", name: "n", accessToken: "a", accessExpires: 1, refreshToken: "r" };
  keeper.save(credentials);
  expect(keeper.load()).toEqual(credentials);
  keeper.save(null);
  expect(kept.size).toBe(0);
});
