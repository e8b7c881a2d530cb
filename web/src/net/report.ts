/** Telling moderators of somebody. */
import { type ReportKind, ReportService } from "@gouji/client/v1/moderation";
import { session } from "./session";

/** Report a player whom one sits with at a table, or sat with; again, that changes nothing. Throws `ClientError`. */
export async function reportPlayer(playerId: string, tableId: string, kind: ReportKind): Promise<void> {
  await session.call((options) => session.client(ReportService).reportPlayer({ playerId, tableId, kind }, options));
}
