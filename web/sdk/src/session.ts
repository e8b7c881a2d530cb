/** A player's connection: tokens, and calls and streams that are tried again. */
import type { DescService } from "@bufbuild/protobuf";
import { type CallOptions, type Client, Code, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { type Credentials, credentialsOf, inMemory, type Keeper } from "./credentials.js";
import { ClientError } from "./errors.js";
import { type GetSessionResponse, type LocateTableResponse, SessionService } from "./gen/gouji/v1/gateway_pb.js";
import { Patience, sleep } from "./patience.js";

/** How a session is set up. */
export interface SessionOptions {
  /** Where the door is, such as `https://play.example`. */
  baseUrl: string;
  /** Where tokens are kept; in memory unless told otherwise. */
  keeper?: Keeper;
  patience?: Patience;
  /** Another way to make calls, such as Connect's own for Node. */
  transport?: Transport;
}

/** Follows a stream: what `Session.follow` tells of it. */
export interface Following {
  signal?: AbortSignal;
  /** The stream broke; it is opened anew after a while. */
  onBroken?: (error: ClientError) => void;
}

/** Opens a stream of server messages with these call options. */
export type OpenStream<T> = (options: CallOptions) => AsyncIterable<T>;

const UNKNOWN_HERE = new Set(["token_invalid", "token_expired", "unknown_player"]);

// Tokens are renewed a little before they expire, since clocks differ.
const EARLY_MS = 30_000;

/**
 * Who the caller is, at one server.
 *
 * Every call is tried again as `Patience` says, and once more with a fresh token where the old one has expired.
 * Failures throw `ClientError`.
 */
export class Session {
  readonly patience: Patience;
  readonly transport: Transport;
  readonly #keeper: Keeper;
  readonly #clients = new Map<DescService, unknown>();
  readonly #streams = new Set<() => void>();
  #renewing: Promise<void> | null = null;

  constructor(options: SessionOptions) {
    this.patience = options.patience ?? new Patience();
    this.transport = options.transport ?? createGrpcWebTransport({ baseUrl: options.baseUrl });
    this.#keeper = options.keeper ?? inMemory();
  }

  /** Come back as the player whom the keeper remembers, or become a new guest called `name`. */
  static async open(options: SessionOptions & { name: string }): Promise<Session> {
    const session = new Session(options);
    if (!(await session.isKnown())) await session.becomeGuest(options.name);
    return session;
  }

  /** Who plays here; null for nobody yet. */
  get credentials(): Credentials | null {
    return this.#keeper.load();
  }

  /** Make a new player and act as it from now on. */
  async becomeGuest(name: string): Promise<Credentials> {
    const made = await this.patience.call(() =>
      this.client(SessionService).createGuest({ name }, { timeoutMs: this.patience.attempt }),
    );
    return this.#take(credentialsOf(made.playerId, name, made.tokens));
  }

  /** Forget who plays here. */
  forget(): void {
    this.#keeper.save(null);
  }

  /** Whether the server knows the player of the credentials at hand. */
  async isKnown(): Promise<boolean> {
    if (!this.credentials) return false;
    try {
      await this.who();
      return true;
    } catch (error) {
      if (error instanceof ClientError && UNKNOWN_HERE.has(error.reason)) return false;
      throw error;
    }
  }

  /** Ask who the caller is and at which table it sits. */
  who(): Promise<GetSessionResponse> {
    return this.call((options) => this.client(SessionService).getSession({}, options));
  }

  /** Ask which server has a table. */
  locate(tableId: string): Promise<LocateTableResponse> {
    return this.call((options) => this.client(SessionService).locateTable({ tableId }, options));
  }

  /** The client of a service, for calls that this package has no method for: wrap them in `call`. */
  client<S extends DescService>(service: S): Client<S> {
    let client = this.#clients.get(service) as Client<S> | undefined;
    if (!client) {
      client = createClient(service, this.transport);
      this.#clients.set(service, client);
    }
    return client;
  }

  /** Make one call that is safe to repeat; `attempt` passes on the options that it is given. */
  async call<T>(attempt: (options: CallOptions) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const once = async () => attempt({ headers: await this.headers(), timeoutMs: this.patience.attempt, signal });
    try {
      return await this.patience.call(once, signal);
    } catch (thrown) {
      if (!(await this.#renewedAfter(ClientError.of(thrown)))) throw thrown;
      return this.patience.call(once, signal);
    }
  }

  /**
   * Read a stream, and open it anew whenever it ends, breaks or falls silent, until the caller stops.
   *
   * Throws the last `ClientError` when it is no passing one, or nothing was heard for `Patience.absence`.
   */
  async *follow<T>(open: OpenStream<T>, following: Following = {}): AsyncGenerator<T, void> {
    let failures = 0;
    let heard = Date.now();
    while (!following.signal?.aborted) {
      try {
        for await (const message of this.#read(open, following.signal)) {
          failures = 0;
          heard = Date.now();
          yield message;
        }
      } catch (thrown) {
        if (following.signal?.aborted) return;
        const error = ClientError.of(thrown);
        following.onBroken?.(error);
        const renewed = await this.#renewedAfter(error);
        if (!renewed && (!error.passing || Date.now() - heard > this.patience.absence)) throw error;
        await this.#pause(this.patience.delay(failures, error.retryAfter), following.signal);
        failures += 1;
      }
    }
  }

  /** Open all streams anew at once: for when a device has slept or its network is back. */
  nudge(): void {
    for (const wake of [...this.#streams]) wake();
  }

  /** The headers that say who calls, with a token that is still good. */
  async headers(): Promise<Record<string, string>> {
    const stands = this.credentials;
    if (stands?.refreshToken && stands.accessExpires - EARLY_MS < Date.now()) await this.#renew(stands);
    const token = this.credentials?.accessToken;
    return token ? { authorization: `Bearer ${token}` } : {};
  }

  /** Read one stream; however it ends is an error of ours. */
  async *#read<T>(open: OpenStream<T>, signal?: AbortSignal): AsyncGenerator<T, void> {
    const cut = new AbortController();
    const end = () => cut.abort();
    const silent = () => setTimeout(end, this.patience.silence);
    let timer = silent();
    this.#streams.add(end);
    signal?.addEventListener("abort", end);
    try {
      for await (const message of open({ headers: await this.headers(), signal: cut.signal })) {
        clearTimeout(timer);
        yield message;
        timer = silent();
      }
      throw new ClientError({ code: Code.Unavailable, message: "The stream ended." });
    } catch (thrown) {
      if (!cut.signal.aborted) throw thrown;
      throw new ClientError({ code: Code.Unavailable, message: "The stream was silent." });
    } finally {
      clearTimeout(timer);
      this.#streams.delete(end);
      signal?.removeEventListener("abort", end);
      end();
    }
  }

  /** Wait before a stream is opened again, unless `nudge` ends the wait. */
  async #pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const wait = new AbortController();
    const wake = () => wait.abort();
    this.#streams.add(wake);
    signal?.addEventListener("abort", wake);
    await sleep(milliseconds, wait.signal);
    this.#streams.delete(wake);
    signal?.removeEventListener("abort", wake);
  }

  async #renewedAfter(error: ClientError): Promise<boolean> {
    const stands = this.credentials;
    if (error.reason !== "token_expired" || !stands?.refreshToken) return false;
    await this.#renew(stands);
    return true;
  }

  /** Exchange the refresh token, once for all calls that found `seen` expired. */
  async #renew(seen: Credentials): Promise<void> {
    this.#renewing ??= this.#exchange(seen).finally(() => {
      this.#renewing = null;
    });
    await this.#renewing;
  }

  async #exchange(seen: Credentials): Promise<void> {
    if (this.credentials?.accessToken !== seen.accessToken) return;
    const fresh = await this.patience.call(() =>
      this.client(SessionService).refreshSession(
        { refreshToken: seen.refreshToken },
        { timeoutMs: this.patience.attempt },
      ),
    );
    this.#take(credentialsOf(seen.playerId, seen.name, fresh.tokens));
  }

  #take(credentials: Credentials): Credentials {
    this.#keeper.save(credentials);
    return credentials;
  }
}
