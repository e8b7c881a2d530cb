/** Trying again: how long to wait, and for how long it makes sense. */
import { ClientError } from "./errors.js";

/**
 * How a client tries again; all times in milliseconds.
 *
 * Waits are drawn evenly between 0 and a bound that doubles from `first` to `most`, so that many clients that lost the
 * same server do not come back together. Where a server says how long to wait, that is the least, and twice that the
 * most.
 */
export class Patience {
  readonly first: number;
  readonly most: number;
  /** Bounds one call with all its attempts. */
  readonly total: number;
  /** Bounds one attempt. */
  readonly attempt: number;
  /** How long a stream may say nothing; heart-beats come every 10 s. */
  readonly silence: number;
  /** How long a stream that broke is opened again and again. */
  readonly absence: number;

  constructor(given: Partial<Patience> = {}) {
    this.first = given.first ?? 100;
    this.most = given.most ?? 2_000;
    this.total = given.total ?? 30_000;
    this.attempt = given.attempt ?? 10_000;
    this.silence = given.silence ?? 30_000;
    this.absence = given.absence ?? 30_000;
  }

  /** The wait after so many failures in a row, at least what the server `asked` for. */
  delay(failures: number, asked?: number): number {
    const bound = asked === undefined ? Math.min(this.most, this.first * 2 ** failures) : Math.max(asked, this.first);
    return (asked ?? 0) + Math.random() * bound;
  }

  /** Await `attempt()`, which must be safe to repeat, until it succeeds or fails for good with a `ClientError`. */
  async call<T>(attempt: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const begun = Date.now();
    for (let failures = 0; ; failures++) {
      try {
        return await attempt();
      } catch (thrown) {
        const error = ClientError.of(thrown);
        const wait = this.delay(failures, error.retryAfter);
        if (signal?.aborted || !error.passing || Date.now() - begun + wait > this.total) throw error;
        await sleep(wait, signal);
      }
    }
  }
}

/** Wait so many milliseconds, or until the signal; never throws. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
  });
}
