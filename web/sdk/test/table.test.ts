import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { Reason } from "../src/gen/gouji/v1/reasons_pb.js";
import { Outcome } from "../src/gen/gouji/v1/table_pb.js";
import { actionOf, moveOf, SERVER_HEADER, TableClient } from "../src/index.js";
import { failure, last, numbered, sessionAt } from "./fakes.js";

async function numbersOf(client: TableClient): Promise<number[]> {
  const numbers: number[] = [];
  for await (const event of client.watch()) numbers.push(Number(event.sequence));
  return numbers;
}

test("a stream that breaks is resumed after its last event, at the server that has the table then", async () => {
  const opened: [bigint, string | null][] = [];
  let located = 0;
  const session = sessionAt(
    { locateTable: () => ({ serverId: `s${++located}` }) },
    {
      watch: async function* ({ fromSequence }, context) {
        opened.push([fromSequence, context.requestHeader.get(SERVER_HEADER)]);
        if (opened.length === 1) {
          yield { batch: { events: [numbered(1), numbered(2)], lastSequence: 3n } };
          throw failure(Code.Unavailable, "draining");
        }
        yield { batch: { events: [numbered(2), numbered(3), last(4)], lastSequence: 4n } };
      },
    },
  );
  const client = new TableClient(session, "t");
  expect(await numbersOf(client)).toEqual([1, 2, 3, 4]);
  expect(opened).toEqual([
    [1n, "s1"],
    [3n, "s2"],
  ]);
  expect(client.view.over).toBe(true);
});

test("a server that knows where the table went is believed", async () => {
  const servers: (string | null)[] = [];
  const session = sessionAt(
    {},
    {
      act: (_, context) => {
        servers.push(context.requestHeader.get(SERVER_HEADER));
        if (servers.length === 1) throw failure(Code.FailedPrecondition, "wrong_server", { server_id: "s7" });
        return { outcome: Outcome.DONE, sequence: 4n };
      },
    },
  );
  await new TableClient(session, "t").act({ verb: "pass", cards: "" }, 1n);
  expect(servers).toEqual(["s1", "s7"]);
});

test("a stream that falls silent is opened anew", async () => {
  let opened = 0;
  const session = sessionAt(
    {},
    {
      watch: async function* (_, { signal }) {
        opened += 1;
        yield { batch: { events: [opened === 1 ? numbered(1) : last(2)] } };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    },
  );
  const broken: string[] = [];
  const client = new TableClient(session, "t");
  for await (const _ of client.watch({ onBroken: (error) => broken.push(error.message) })) {
    // until the match is over
  }
  expect(opened).toBe(2);
  expect(broken).toHaveLength(1);
});

test("nudging opens a stream anew at once", async () => {
  let opened = 0;
  const session = sessionAt(
    {},
    {
      watch: async function* (_, { signal }) {
        opened += 1;
        yield { batch: { events: [opened === 1 ? numbered(1) : last(2)] } };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    },
  );
  const client = new TableClient(session, "t");
  for await (const event of client.watch()) if (event.sequence === 1n) setTimeout(() => session.nudge(), 0);
  expect(opened).toBe(2);
});

test("a command whose answer was lost is sent again under the same id", async () => {
  const ids: string[] = [];
  const session = sessionAt(
    {},
    {
      act: ({ commandId }) => {
        ids.push(commandId);
        if (ids.length === 1) throw failure(Code.Unavailable, "storage_unavailable");
        return { outcome: Outcome.DUPLICATE, sequence: 9n };
      },
    },
  );
  const answer = await new TableClient(session, "t").act({ verb: "play", cards: "KK2" }, 3n);
  expect(answer.sequence).toBe(9n);
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
});

test("a refusal is thrown with its reason and is not tried again", async () => {
  let tries = 0;
  const session = sessionAt(
    {},
    {
      act: () => {
        tries += 1;
        throw failure(Code.Aborted, "stale_turn", { turn: "7" });
      },
    },
  );
  const acting = new TableClient(session, "t").act({ verb: "pass", cards: "" }, 3n);
  await expect(acting).rejects.toMatchObject({ reason: "stale_turn", details: { turn: "7" } });
  expect(tries).toBe(1);
});

test("what would be refused is asked without doing it", async () => {
  const session = sessionAt(
    {},
    {
      observe: ({ proposed, brief }) => {
        expect(brief).toBe(true);
        return { refusal: moveOf(proposed)?.cards === "33" ? Reason.DOES_NOT_BEAT : Reason.UNSPECIFIED };
      },
    },
  );
  const client = new TableClient(session, "t");
  expect(await client.refusal({ verb: "play", cards: "33" })).toBe("does_not_beat");
  expect(await client.refusal({ verb: "play", cards: "44" })).toBe("");
});

test("a hint is asked for with what the table shows the caller", async () => {
  const session = sessionAt(
    {},
    { observe: ({ brief }) => ({ observation: { hand: brief ? 0 : 7 } }) },
    {
      hint: ({ observation }) => ({ why: `hand ${observation?.hand}`, action: actionOf({ verb: "pass", cards: "" }) }),
    },
  );
  const hint = await new TableClient(session, "t").hint();
  expect([moveOf(hint.action)?.verb, hint.why]).toEqual(["pass", "hand 7"]);
});

test("it contributes to a deal that waits for its seat, and doubts one that leaves that out", async () => {
  const given: Uint8Array[] = [];
  const session = sessionAt(
    {},
    {
      contribute: ({ contribution }) => {
        given.push(contribution);
        return { outcome: Outcome.DONE };
      },
      watch: async function* () {
        const seats = [{ playerId: "p1" }, {}, {}, {}, {}, {}];
        yield { batch: { events: [{ sequence: 1n, body: { case: "tableOpened", value: { tableId: "t", seats } } }] } };
        const committed = { commitment: new Uint8Array(32), awaited: [0] };
        yield {
          batch: {
            events: [{ sequence: 2n, hand: 1, body: { case: "handCommitted", value: committed } }],
            lastSequence: 2n,
          },
        };
        while (!given.length) await new Promise((resolve) => setTimeout(resolve, 1));
        await new Promise((resolve) => setTimeout(resolve, 5));
        const dealt = { commitment: new Uint8Array(32), contributions: [new Uint8Array(32)] };
        const ended = { secret: new Uint8Array(32) };
        yield {
          batch: {
            events: [
              { sequence: 3n, hand: 1, body: { case: "handDealt", value: dealt } },
              { sequence: 4n, hand: 1, body: { case: "handEnded", value: ended } },
              last(5),
            ],
          },
        };
      },
    },
  );
  await session.becomeGuest("Ann");
  const client = new TableClient(session, "t");
  await numbersOf(client);
  expect(given[0]).toHaveLength(32);
  expect(client.deals.doubts).toEqual([
    "Hand 1: your contribution, which the table took, is not part of the deal.",
    "Hand 1: the secret does not fit the commitment.",
  ]);
});

test("the time left is counted by the server's clock", async () => {
  const ahead = 60_000;
  const session = sessionAt(
    {},
    {
      watch: async function* () {
        const turn = { number: 1n, deadline: timestampFromMs(Date.now() + ahead + 5_000) };
        const body = { case: "matchEnded" as const, value: {} };
        yield { batch: { events: [{ sequence: 1n, turn, body }], now: timestampFromMs(Date.now() + ahead) } };
      },
    },
  );
  const client = new TableClient(session, "t");
  await numbersOf(client);
  expect(client.timeLeft).toBeGreaterThan(4_000);
  expect(client.timeLeft).toBeLessThanOrEqual(5_000);
});

test.each([
  { verb: "play", cards: "W2KK" },
  { verb: "burn", cards: "w99" },
  { verb: "pass", cards: "" },
  { verb: "yield", cards: "" },
  { verb: "close", cards: "" },
  { verb: "pay", cards: "W" },
  { verb: "return", cards: "54" },
  { verb: "refuse", cards: "5" },
  { verb: "buy_with", cards: "2" },
  { verb: "give", cards: "3" },
  { verb: "revolt", cards: "" },
  { verb: "revolt", cards: "AA" },
  { verb: "lay_off", cards: "43" },
  { verb: "last", cards: "", target: 4 },
  { verb: "ask", cards: "", target: 2 },
  { verb: "double", cards: "" },
] as const)("$verb $cards reads as it was written", (move) => {
  expect(moveOf(actionOf(move))).toEqual(move);
});
