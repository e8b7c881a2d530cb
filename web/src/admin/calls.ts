/** Calls of those who look after the game, each with the token that is good for it. */
import { ClientError, inMemory, Patience, SERVER_HEADER, Session } from "@gouji/client";
import { ExportForm, QueueAdminService, TableAdminService } from "@gouji/client/v1/admin";
import type { DealtHand } from "@gouji/client/v1/events";
import { ModerationService } from "@gouji/client/v1/moderation";
import { type ObserveResponse, TableService } from "@gouji/client/v1/table";
import { Store } from "../net/store";
import { type Deed, type Pass, passFor, readPass, withPass } from "./permits";

const KEY = "gouji.passes";
const PATIENCE = new Patience({ total: 10_000 });

/** The tokens at hand. They are kept for as long as the tab is open, and for no other tab. */
export const passes = new Store<readonly Pass[]>(load());

/** Take a token in; whether it is one of those that are of use here. */
export function takePass(text: string): boolean {
  const pass = readPass(text, Date.now());
  if (pass) keep(withPass(passes.get(), pass));
  return pass !== null;
}

/** Forget a token. */
export function dropPass(pass: Pass): void {
  keep(passes.get().filter((each) => each !== pass));
}

/** Whether some token is good for this. */
export function may(deed: Deed): boolean {
  return passFor(deed, passes.get(), Date.now()) !== null;
}

/** What leads a call to where it is to go, and ends it. */
type CallOptions = Parameters<Parameters<Session["call"]>[0]>[0];

type Attempt<T> = (session: Session, options: CallOptions) => Promise<T>;

/** Make one call, with the token that is good for it. Throws `ClientError`. */
export function call<T>(deed: Deed, attempt: Attempt<T>, signal?: AbortSignal): Promise<T> {
  const session = sessionFor(deed);
  return session.call((options) => attempt(session, options), signal);
}

/** Make one call at the server that has a table, wherever that is. Throws `ClientError`. */
export function callAt<T>(deed: Deed, tableId: string, attempt: Attempt<T>, signal?: AbortSignal): Promise<T> {
  return call(
    deed,
    async (session, options) => attempt(session, at((await session.locate(tableId)).serverId, options)),
    signal,
  );
}

/** The options that lead a call to a table server. */
export function at(serverId: string, options: CallOptions): CallOptions {
  return { ...options, headers: { ...(options.headers as Record<string, string>), [SERVER_HEADER]: serverId } };
}

/** How a table stands, as a spectator sees it. */
export function lookAt(tableId: string, signal?: AbortSignal): Promise<ObserveResponse> {
  const request = { tableId, spectate: true, brief: true };
  return callAt("look", tableId, (session, options) => session.client(TableService).observe(request, options), signal);
}

/** A table's log: a line of JSON each event, without hidden cards. */
export function logOf(tableId: string, signal?: AbortSignal): Promise<string> {
  const request = { tableId, form: ExportForm.LOG };
  const read: Attempt<string> = async (session, options) => {
    const pieces: string[] = [];
    for await (const piece of session.client(TableAdminService).exportTable(request, options)) pieces.push(piece.text);
    return pieces.join("");
  };
  return callAt("look", tableId, read, signal);
}

/** The cards of all six, as late as directors see them; that they were looked at is in the audit log. */
export function openCards(tableId: string): Promise<DealtHand[]> {
  const request = { tableId, fromNow: true };
  return callAt("openCards", tableId, async (session, options) => {
    const cut = new AbortController();
    try {
      for await (const first of session.client(TableService).watch(request, { ...options, signal: cut.signal })) {
        return first.start?.hands ?? [];
      }
      return [];
    } finally {
      cut.abort();
    }
  });
}

/** The clients of these pages' own services. */
export const tables = (session: Session) => session.client(TableAdminService);
export const queues = (session: Session) => session.client(QueueAdminService);
export const moderation = (session: Session) => session.client(ModerationService);

function sessionFor(deed: Deed): Session {
  const pass = passFor(deed, passes.get(), Date.now());
  if (!pass) throw new ClientError({ code: 16, message: "No token for this.", reason: "token_missing" });
  const { token, name, expires } = pass;
  const keeper = inMemory({ playerId: "", name, accessToken: token, accessExpires: expires, refreshToken: "" });
  return new Session({ baseUrl: location.origin, keeper, patience: PATIENCE });
}

function keep(kept: readonly Pass[]): void {
  sessionStorage.setItem(KEY, JSON.stringify(kept.map((pass) => pass.token)));
  passes.set(kept);
}

function load(): readonly Pass[] {
  try {
    const tokens: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    if (!Array.isArray(tokens)) return [];
    return tokens.map((token) => readPass(String(token), Date.now())).filter((pass) => pass !== null);
  } catch {
    return [];
  }
}
