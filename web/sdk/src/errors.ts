/** What a call can end with: `ClientError`, the one error of this package. */
import { Code, ConnectError } from "@connectrpc/connect";
import { ErrorInfoSchema, RetryInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import { Reason } from "./gen/gouji/v1/reasons_pb.js";

/** Domain of our reasons in `google.rpc.ErrorInfo`. */
export const DOMAIN = "gouji";

const PASSING_REASONS = new Set([
  "wrong_server",
  "draining",
  "table_moving",
  "resume_from",
  "overloaded",
  "storage_unavailable",
  "deadline",
  "unknown_server",
  "unreachable",
  "rate_limited",
]);

// A burst of connections, or a network that goes away, ends calls with these before they reach a server.
const PASSING_CODES = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Canceled, Code.Internal, Code.Unknown]);

/** What a failure is made of. */
export interface Failure {
  code: Code;
  message: string;
  /** A `gouji.v1.Reason` in lower case; empty where no server of ours answered. */
  reason?: string;
  /** What the server added to the reason, such as the current `turn` of a stale command. */
  details?: Record<string, string>;
  /** Milliseconds that the server asks to wait, if it does. */
  retryAfter?: number;
}

/** A call that failed. Branch on `reason`; `passing` says whether trying again can help. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  readonly code: Code;
  readonly reason: string;
  readonly details: Record<string, string>;
  readonly retryAfter: number | undefined;

  constructor(failure: Failure) {
    super(failure.message);
    this.code = failure.code;
    this.reason = failure.reason ?? "";
    this.details = failure.details ?? {};
    this.retryAfter = failure.retryAfter;
  }

  /** The same call may succeed later or elsewhere; calls of this package may all be repeated. */
  get passing(): boolean {
    return this.reason ? PASSING_REASONS.has(this.reason) : PASSING_CODES.has(this.code);
  }

  /** Read status, reason and delay out of whatever was thrown. */
  static of(thrown: unknown): ClientError {
    if (thrown instanceof ClientError) return thrown;
    const error = ConnectError.from(thrown, Code.Unavailable);
    const info = error.findDetails(ErrorInfoSchema).find((found) => found.domain === DOMAIN);
    const delay = error.findDetails(RetryInfoSchema)[0]?.retryDelay;
    return new ClientError({
      code: error.code,
      message: error.rawMessage,
      reason: info?.reason ?? "",
      details: info?.metadata ?? {},
      retryAfter: delay && Number(delay.seconds) * 1000 + delay.nanos / 1e6,
    });
  }
}

/** The word of a reason, as errors carry it: `stale_turn`; empty for none. */
export function reasonWord(reason: Reason): string {
  return reason === Reason.UNSPECIFIED ? "" : (Reason[reason] ?? "").toLowerCase();
}
