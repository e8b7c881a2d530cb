/** What seats are called. */
import type { Seat } from "@gouji/client/v1/events";
import type { Texts } from "../i18n";

/** A person's name, or a bot's in the language of the page. */
export function seatName(held: Pick<Seat, "name" | "botLevel"> | undefined, texts: Texts): string {
  if (!held?.botLevel) return held?.name || texts.common.bot;
  return (texts.botNames[held.name] ?? held.name) || texts.common.bot;
}

/** The names of six seats; one's own is `you` where `me` is given. */
export function seatNames(seats: readonly Seat[], texts: Texts, me: number | null = null): string[] {
  return Array.from({ length: 6 }, (_, seat) => (seat === me ? texts.common.you : seatName(seats[seat], texts)));
}
