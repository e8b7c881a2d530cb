/** A server in this process, for tests of what a client does when calls fail. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Code, ConnectError, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { ErrorInfoSchema } from "../src/gen/google/rpc/error_details_pb.js";
import { BotService } from "../src/gen/gouji/v1/bot_pb.js";
import type { EventSchema } from "../src/gen/gouji/v1/events_pb.js";
import { SessionService } from "../src/gen/gouji/v1/gateway_pb.js";
import { TableService } from "../src/gen/gouji/v1/table_pb.js";
import { Patience, Session } from "../src/index.js";

/** A failure of ours, as servers send it. */
export function failure(code: Code, reason: string, metadata: Record<string, string> = {}): ConnectError {
  return new ConnectError(reason, code, undefined, [
    { desc: ErrorInfoSchema, value: create(ErrorInfoSchema, { domain: "gouji", reason, metadata }) },
  ]);
}

/** Tokens that are good for so long. */
export function tokens(name: string, milliseconds = 3_600_000) {
  return {
    accessToken: name,
    accessExpires: timestampFromMs(Date.now() + milliseconds),
    refreshToken: `refresh ${name}`,
  };
}

/** Short waits, so that tests take none. */
export const HASTY = { first: 1, most: 2, total: 500, attempt: 500, silence: 200, absence: 500 };

/** A session at a server with these methods. */
export function sessionAt(
  gateway: Partial<ServiceImpl<typeof SessionService>>,
  table: Partial<ServiceImpl<typeof TableService>> = {},
  bot: Partial<ServiceImpl<typeof BotService>> = {},
): Session {
  const transport = createRouterTransport(({ service }) => {
    service(SessionService, {
      createGuest: () => ({ playerId: "p1", tokens: tokens("first") }),
      locateTable: () => ({ serverId: "s1" }),
      ...gateway,
    });
    service(TableService, table);
    service(BotService, bot);
  });
  return new Session({ baseUrl: "http://here", transport, patience: new Patience(HASTY) });
}

/** An event that says nothing but its number. */
export function numbered(sequence: number): MessageInitShape<typeof EventSchema> {
  return { sequence: BigInt(sequence), body: { case: "clocksCredited", value: { pauseMs: 0 } } };
}

/** The last event of a match. */
export function last(sequence: number): MessageInitShape<typeof EventSchema> {
  return { sequence: BigInt(sequence), body: { case: "matchEnded", value: {} } };
}
