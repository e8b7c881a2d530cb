/** How long a mute or a ban lasts. Pure. */

/** Lengths to choose from, in hours; 0 is without an end. */
export const LENGTHS = [1, 24, 168, 720, 0] as const;

/** A moment as the protos have it. */
export interface Moment {
  seconds: bigint;
  nanos: number;
}

/** When something ends that begins `now` (milliseconds since 1970); undefined for what has no end. */
export function endOf(hours: number, now: number): Moment | undefined {
  return hours ? { seconds: BigInt(Math.floor(now / 1000) + hours * 3600), nanos: 0 } : undefined;
}

/** A moment as people write it, in the page's language; empty for none. */
export function timeText(moment: Moment | undefined, language: string): string {
  if (!moment) return "";
  return new Date(Number(moment.seconds) * 1000).toLocaleString(language, { dateStyle: "short", timeStyle: "medium" });
}
