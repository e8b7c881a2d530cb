/** One table: finding it, following it, acting at it. */
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { CallOptions, Client } from "@connectrpc/connect";
import { DealWatch } from "./deals.js";
import { ClientError, reasonWord } from "./errors.js";
import { BotService, type HintResponse } from "./gen/gouji/v1/bot_pb.js";
import type { Event } from "./gen/gouji/v1/events_pb.js";
import {
  type ActResponse,
  type LeaveResponse,
  type ObserveResponse,
  type Phrase,
  type ReadyResponse,
  type SayResponse,
  TableService,
  type TakeSeatResponse,
  type VoteHandResponse,
  type WatchRequest,
  type WatchResponse,
} from "./gen/gouji/v1/table_pb.js";
import { actionOf, type Move } from "./moves.js";
import type { Session } from "./session.js";
import { TableView } from "./view.js";

/** The header that leads a call to the server that has the table; its value is `LocateTableResponse.server_id`. */
export const SERVER_HEADER = "x-gouji-server";

/** How a table is watched. */
export interface TableOptions {
  /** Watch from outside even if seated. */
  spectate?: boolean;
  /** Up to 64 characters by which the device is known again; else one is made up. */
  device?: string;
}

/** How a watch goes. */
export interface Watching {
  signal?: AbortSignal;
  /** The stream broke; it is opened anew after a while, wherever the table is then. */
  onBroken?: (error: ClientError) => void;
  /** Something came, if only a heart-beat: the view is what the table has shown. */
  onHeard?: () => void;
  /** Go on after the match, for what people say and a rematch. */
  stay?: boolean;
}

/**
 * One table for one session.
 *
 * Each client is a device of its own: of a player's devices that watch, the one that came last acts, and another's
 * command fails with `other_device` until it calls `takeOver`.
 *
 * The server that has the table may change at any time: after a failure the next one is looked up anew. Failures that
 * stay throw `ClientError`. While it is watched, it contributes to each deal that asks its seat, by itself, and
 * `deals.doubts` tells what was wrong with any.
 */
export class TableClient {
  readonly tableId: string;
  readonly device: string;
  readonly view = new TableView();
  readonly deals = new DealWatch();
  /** Seats that the watcher had muted when it came. */
  muted: number[] = [];
  readonly #session: Session;
  readonly #spectate: boolean;
  #serverId: string | null = null;
  #ahead = 0;
  #left = false;
  #contributing = false;

  constructor(session: Session, tableId: string, options: TableOptions = {}) {
    this.#session = session;
    this.tableId = tableId;
    this.device = options.device ?? newId();
    this.#spectate = options.spectate ?? false;
  }

  /** The server's time, in milliseconds since 1970. */
  get now(): number {
    return Date.now() + this.#ahead;
  }

  /** Milliseconds until the table decides in place of whoever is asked; null where no clock runs. */
  get timeLeft(): number | null {
    const { deadline } = this.view.turn;
    return deadline ? timestampMs(deadline) - this.now : null;
  }

  /** The match is over for this watcher, or it has given its seat up. */
  get done(): boolean {
    return this.view.over || (!this.#spectate && (this.#left || this.view.left));
  }

  /**
   * Follow the table from the event after `view.sequence` to the match's last, each folded first.
   *
   * A broken, silent or lagging stream is opened anew where it stopped: no event is doubled or left out. It ends early
   * when the watcher leaves its seat for good.
   */
  async *watch(watching: Watching = {}): AsyncGenerator<Event, void> {
    const stay = watching.stay ?? false;
    const follow = {
      signal: watching.signal,
      onBroken: (error: ClientError) => {
        this.#note(error);
        watching.onBroken?.(error);
      },
    };
    if (this.done && !stay) return;
    for await (const response of this.#session.follow((options) => this.#open(options, { stay }), follow)) {
      this.#takeUp(response);
      watching.onHeard?.();
      for (const event of response.batch?.events ?? []) {
        if (event.sequence <= this.view.sequence) continue;
        this.view.fold(event);
        await this.deals.take(event);
        if (event.sequence === response.batch?.lastSequence) this.#contributeSoon();
        yield event;
      }
      if (this.done && !stay) return;
    }
  }

  /** Act from this device from now on, though another came later. */
  async takeOver(): Promise<void> {
    const cut = new AbortController();
    await this.#session.call(async (options) => {
      for await (const _ of this.#open({ ...options, signal: cut.signal }, { takeOver: true })) break;
    });
    cut.abort();
  }

  /**
   * Do one move in answer to a turn, `Turn.number`; the seat is the caller's own.
   *
   * Tried again under the same command id when the answer is lost: it is done once. A refusal throws `ClientError` with
   * its reason; nothing has changed then.
   */
  act(move: Move, turn: bigint, commandId: string = newId()): Promise<ActResponse> {
    const request = { tableId: this.tableId, commandId, turn, action: actionOf(move), device: this.device };
    return this.#call((client, options) => client.act(request, options));
  }

  /** What the caller may know and do now, without what only bots read. */
  observe(signal?: AbortSignal): Promise<ObserveResponse> {
    const request = { tableId: this.tableId, spectate: this.#spectate, brief: true };
    return this.#call((client, options) => client.observe(request, options), signal);
  }

  /** Why a move would be refused now, such as `does_not_beat`; empty if it would be taken. Nothing is done. */
  async refusal(move: Move, signal?: AbortSignal): Promise<string> {
    const request = { tableId: this.tableId, brief: true, proposed: actionOf(move) };
    const answer = await this.#call((client, options) => client.observe(request, options), signal);
    return reasonWord(answer.refusal);
  }

  /** What a good bot would do in the caller's seat now, and why. It is told what the caller may know, and no more. */
  async hint(signal?: AbortSignal): Promise<HintResponse> {
    const seen = await this.#call((client, options) => client.observe({ tableId: this.tableId }, options), signal);
    const bots = this.#session.client(BotService);
    return this.#session.call((options) => bots.hint({ observation: seen.observation }, options), signal);
  }

  /** Play one's seat again after a bot has; nothing happens when none does. A public move does the same by itself. */
  takeSeat(): Promise<TakeSeatResponse> {
    const request = { tableId: this.tableId, device: this.device };
    return this.#call((client, options) => client.takeSeat(request, options));
  }

  /** Leave the match for good, whatever that costs; a bot plays on. */
  async leave(): Promise<LeaveResponse> {
    const request = { tableId: this.tableId, device: this.device };
    const answer = await this.#call((client, options) => client.leave(request, options));
    this.#left = true;
    return answer;
  }

  /** What can be said. */
  async phrases(): Promise<Phrase[]> {
    return (await this.#call((client, options) => client.listPhrases({}, options))).phrases;
  }

  /** Say one of the phrases, by its id; once, however often it is tried. */
  say(phrase: string, commandId: string = newId()): Promise<SayResponse> {
    const request = { tableId: this.tableId, commandId, phrase };
    return this.#call((client, options) => client.say(request, options));
  }

  /** Not hear the player of a seat any more, or again; gives the seats that are muted. */
  async mute(seat: number, muted = true): Promise<number[]> {
    const request = { tableId: this.tableId, seat, muted };
    this.muted = (await this.#call((client, options) => client.mute(request, options))).mutedSeats;
    return this.muted;
  }

  /** Vote that the hand be given up, or take the vote back. */
  vote(agree = true): Promise<VoteHandResponse> {
    const request = { tableId: this.tableId, agree, hand: this.view.hand.number };
    return this.#call((client, options) => client.voteHand(request, options));
  }

  /** Want a rematch after the match, or no longer. */
  ready(ready = true): Promise<ReadyResponse> {
    return this.#call((client, options) => client.ready({ tableId: this.tableId, ready }, options));
  }

  #takeUp(response: WatchResponse): void {
    if (response.batch?.now) this.#ahead = timestampMs(response.batch.now) - Date.now();
    if (!response.start) return;
    this.muted = response.start.mutedSeats;
    this.view.begin(response.start, response.snapshot, response.presence);
  }

  /** Contribute to the deal that waits for the caller's seat, if there is one, beside all else. */
  #contributeSoon(): void {
    const hand = this.#spectate ? 0 : this.deals.waitsFor(this.#session.credentials?.playerId ?? "");
    if (!hand || this.#contributing) return;
    this.#contributing = true;
    const request = { tableId: this.tableId, hand, contribution: this.deals.own(hand) };
    this.#call((client, options) => client.contribute(request, options))
      .then(() => this.deals.given(hand))
      // Where it fails or comes too late, the deal goes on with the default.
      .catch(() => undefined)
      .finally(() => {
        this.#contributing = false;
      });
  }

  async *#open(options: CallOptions, how: Partial<WatchRequest>): AsyncGenerator<WatchResponse, void> {
    const request = {
      tableId: this.tableId,
      fromSequence: this.view.sequence + 1n,
      spectate: this.#spectate,
      device: this.device,
      stay: how.stay ?? false,
      takeOver: how.takeOver ?? false,
    };
    yield* this.#client.watch(request, await this.#there(options));
  }

  get #client(): Client<typeof TableService> {
    return this.#session.client(TableService);
  }

  /** Make one call at the server that has the table. */
  #call<T>(
    method: (client: Client<typeof TableService>, options: CallOptions) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#session.call(async (options) => {
      try {
        return await method(this.#client, await this.#there(options));
      } catch (thrown) {
        this.#note(ClientError.of(thrown));
        throw thrown;
      }
    }, signal);
  }

  /** The options that lead a call to the server that has the table. */
  async #there(options: CallOptions): Promise<CallOptions> {
    this.#serverId ??= (await this.#session.locate(this.tableId)).serverId;
    return { ...options, headers: { ...(options.headers as Record<string, string>), [SERVER_HEADER]: this.#serverId } };
  }

  /** Go where the error says that the table is; else look it up anew, unless asking elsewhere cannot help. */
  #note(error: ClientError): void {
    if (error.passing) this.#serverId = error.details.server_id || null;
  }
}

/** An id that nobody else makes up. */
export function newId(): string {
  // `randomUUID` is there on safe origins alone.
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
