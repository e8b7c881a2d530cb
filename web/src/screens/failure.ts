/** Failures in words. */
import { ClientError } from "@gouji/client";
import type { Texts } from "../i18n";

/** Why something failed, in the person's language. */
export function failureText(thrown: unknown, texts: Texts): string {
  const error = ClientError.of(thrown);
  if (!error.reason) return error.passing ? texts.common.unreachable : texts.common.failed(error.message);
  const said = texts.reasons[error.reason] ?? texts.common.failed(error.message);
  const { why, until } = error.details;
  return why ? `${said} ${texts.moderated(why, until ? new Date(until).toLocaleString() : "")}` : said;
}
