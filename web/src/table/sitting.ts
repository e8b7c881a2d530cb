/**
 * Somebody at a table: follows it, asks what may be done, sends what was chosen.
 *
 * Whatever it shows came from the server: the choice of cards alone is the page's own. A move that was sent shows as
 * `sending` until the table's events say that it was done.
 */
import { ClientError, type Move, moveOf, sameMove, TableClient, type TrickAct } from "@gouji/client";
import type { Event } from "@gouji/client/v1/events";
import type { ObserveResponse } from "@gouji/client/v1/table";
import { session } from "../net/session";
import { settings } from "../net/settings";
import { ring } from "../net/sound";
import { Store } from "../net/store";
import { passingAhead } from "../state/actions";
import { modelOf, type TableModel } from "../state/model";

/** How the connection stands. */
export type Link = "opening" | "live" | "broken" | "moving" | "failed";

/** Something that somebody said, for as long as it shows. */
export interface Speech {
  seat: number;
  phrase: string;
  /** The event, so that the same words said again show anew. */
  sequence: bigint;
}

/** All that the table's page draws. */
export interface Scene {
  link: Link;
  /** The reason or sentence of what went wrong for good. */
  failure: ClientError | null;
  model: TableModel;
  client: TableClient;
  /** All events since one came, for the log. */
  events: readonly Event[];
  lastTrick: readonly TrickAct[];
  speeches: readonly Speech[];
  /** The move that was sent and has no answer yet. */
  sending: Move | null;
  /** The turn that was answered in private: nothing shows until the time is over. */
  sealed: bigint | null;
  /** Why the last move was refused. */
  refused: string;
  passAhead: boolean;
  /** Another device of the same player acts. */
  elsewhere: boolean;
  /** Seats that one does not hear. */
  muted: readonly number[];
}

/** A move that is a good one, and why in a sentence. */
export interface Advice {
  move: Move;
  why: string;
}

const SPEECH_MS = 5_000;

/** One visit to one table. `close` it when the page goes elsewhere. */
export class Sitting {
  readonly scene: Store<Scene>;
  readonly #client: TableClient;
  readonly #closing = new AbortController();
  #seen: ObserveResponse | null = null;
  #observing = false;
  #events: Event[] = [];
  #rung = 0n;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(tableId: string, spectate = false) {
    this.#client = new TableClient(session, tableId, { device: deviceId(), spectate });
    this.scene = new Store<Scene>({
      link: "opening",
      failure: null,
      model: modelOf(this.#client.view, null),
      client: this.#client,
      events: [],
      lastTrick: [],
      speeches: [],
      sending: null,
      sealed: null,
      refused: "",
      passAhead: false,
      elsewhere: false,
      muted: [],
    });
    void this.#follow();
  }

  close(): void {
    this.#closing.abort();
  }

  /** Send a move in answer to the question that stands. */
  async act(move: Move): Promise<void> {
    const { ask } = this.scene.get().model;
    if (!ask || this.scene.get().sending) return;
    this.scene.patch({ sending: move, refused: "" });
    try {
      const answer = await this.#client.act(move, ask.turn);
      if (!answer.sequence) this.scene.patch({ sealed: ask.turn });
    } catch (thrown) {
      this.#refused(ClientError.of(thrown));
    }
    this.scene.patch({ sending: null });
    void this.#observe();
  }

  /** Why a move would be refused; empty if it would not, or if nobody knows. */
  async refusal(move: Move): Promise<string> {
    try {
      return await this.#client.refusal(move, this.#closing.signal);
    } catch {
      return "";
    }
  }

  /** What a good bot would do, and why in the language that is set; null when nobody says. */
  async advice(): Promise<Advice | null> {
    try {
      const hint = await this.#client.hint(this.#closing.signal);
      const move = moveOf(hint.action);
      return move && { move, why: settings.get().language === "zh" ? hint.chinese : hint.english };
    } catch {
      return null;
    }
  }

  /** Pass when one is asked next within this trick, or no longer. */
  setPassAhead(wanted: boolean): void {
    this.scene.patch({ passAhead: wanted });
    this.#passAhead();
  }

  /** Do something beside the game, and show why it was refused if it was. */
  async attempt(wanted: (client: TableClient) => Promise<unknown>): Promise<void> {
    try {
      await wanted(this.#client);
      this.scene.patch({ refused: "", muted: this.#client.muted });
    } catch (thrown) {
      this.#refused(ClientError.of(thrown));
    }
  }

  /** Act from this device from now on. */
  async playHere(): Promise<void> {
    await this.attempt((client) => client.takeOver());
    this.scene.patch({ elsewhere: false });
  }

  /** Leave for good. */
  async leave(): Promise<void> {
    await this.attempt((client) => client.leave());
  }

  async #follow(): Promise<void> {
    const watching = {
      signal: this.#closing.signal,
      stay: true,
      onBroken: (error: ClientError) => this.#broken(error),
      onHeard: () => this.#heard(),
    };
    try {
      for await (const event of this.#client.watch(watching)) this.#happened(event);
    } catch (thrown) {
      if (!this.#closing.signal.aborted) this.#ended(ClientError.of(thrown));
    }
  }

  #broken(error: ClientError): void {
    const moving = ["resume_from", "wrong_server", "draining", "table_moving"].includes(error.reason);
    this.scene.patch({ link: moving ? "moving" : "broken" });
  }

  /** Take a stream's end: after the match it is no failure. */
  #ended(error: ClientError): void {
    if (!this.#client.view.over) this.scene.patch({ link: "failed", failure: error });
  }

  #heard(): void {
    if (this.scene.get().link !== "live") this.scene.patch({ link: "live" });
    this.#showSoon();
  }

  #happened(event: Event): void {
    this.#events.push(event);
    if (event.body.case === "said") this.#say(event.body.value.seat, event.body.value.phrase, event.sequence);
    if (endsTrick(event)) this.scene.patch({ passAhead: false });
    this.#showSoon();
  }

  /** Show what came together at once: a page that comes back folds a whole match. */
  #showSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#show();
      void this.#observe();
    }, 0);
  }

  #say(seat: number, phrase: string, sequence: bigint): void {
    if (!phrase) return;
    this.scene.patch({ speeches: [...this.scene.get().speeches, { seat, phrase, sequence }] });
    setTimeout(() => {
      this.scene.patch({ speeches: this.scene.get().speeches.filter((said) => said.sequence !== sequence) });
    }, SPEECH_MS);
  }

  #show(): void {
    const model = modelOf(this.#client.view, this.#seen);
    const muted = this.#client.muted;
    this.scene.patch({ model, events: [...this.#events], lastTrick: this.#client.view.lastTrick, muted });
    if (model.ask && model.ask.turn !== this.#rung) {
      this.#rung = model.ask.turn;
      if (settings.get().sound) ring();
    }
    this.#passAhead();
  }

  /** Ask what may be known and done now, again if the table has gone on meanwhile. */
  async #observe(): Promise<void> {
    if (this.#observing || this.#closing.signal.aborted) return;
    this.#observing = true;
    try {
      while (this.#seen === null || this.#seen.lastSequence < this.#client.view.sequence || this.#isUnsure()) {
        this.#seen = await this.#client.observe(this.#closing.signal);
        this.#show();
        if (this.#seen.lastSequence >= this.#client.view.sequence) break;
      }
    } catch (thrown) {
      const error = ClientError.of(thrown);
      if (!error.passing && error.reason !== "table_over" && this.scene.get().link === "opening") this.#ended(error);
    } finally {
      this.#observing = false;
    }
  }

  /** An answer of one's own was sealed: the observation tells, no event does. */
  #isUnsure(): boolean {
    return this.scene.get().sealed !== null && this.#client.view.asked;
  }

  #passAhead(): void {
    const { passAhead, model, sending } = this.scene.get();
    if (!passAhead || !model.ask || sending) return;
    const move = passingAhead(model.ask);
    if (move) void this.act(move);
  }

  #refused(error: ClientError): void {
    this.scene.patch({
      refused: error.reason || error.message,
      elsewhere: error.reason === "other_device" || this.scene.get().elsewhere,
    });
  }
}

/** Whether a new trick begins after an event. */
function endsTrick({ body }: Event): boolean {
  if (body.case === "handDealt") return true;
  if (body.case !== "actionTaken" && body.case !== "answersClosed") return false;
  return body.value.consequences.some(({ kind }) => kind.case === "trickWon");
}

/** Whether the player is known at this table as one of its seats. */
export function isSeated(scene: Scene): boolean {
  return scene.model.me !== null;
}

/** Whether a move is the one that is on its way. */
export function isSending(scene: Scene, move: Move): boolean {
  return scene.sending !== null && sameMove(scene.sending, move);
}

/** A name for this tab, by which the table knows it again after a reload. */
function deviceId(): string {
  const key = "gouji.device";
  const known = sessionStorage.getItem(key);
  if (known) return known;
  const made = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36)).join("");
  sessionStorage.setItem(key, made);
  return made;
}
