/** Matches that were played in this browser, the latest first. */

export interface Played {
  tableId: string;
  preset: string;
  /** When it was opened, in milliseconds since 1970. */
  at: number;
  /** Once it is over: one's own points and, with teams, the two teams'. */
  points?: number;
  teams?: [number, number];
  seat?: number;
}

const KEY = "gouji.played";
const MOST = 50;

/** What was played. */
export function played(): Played[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}

/** Note a match, or what became of it. */
export function note(match: Pick<Played, "tableId"> & Partial<Played>): void {
  const before = played().find((known) => known.tableId === match.tableId);
  const others = played().filter((known) => known.tableId !== match.tableId);
  const entry = { preset: "standard", at: Date.now(), ...before, ...match };
  try {
    localStorage.setItem(
      KEY,
      JSON.stringify([entry, ...others].sort((one, other) => other.at - one.at).slice(0, MOST)),
    );
  } catch {
    // A browser that keeps nothing has no history.
  }
}
