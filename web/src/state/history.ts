/** Matches that are over, as a player looks back on them. Pure. */
import { MatchOutcome, type MatchSummary, type Statistics } from "@gouji/client/v1/history";

/** Which matches somebody wants to see. */
export interface HistoryWish {
  /** A preset's name; empty for any. */
  preset: string;
  /** Matches of queues and tournaments, the others, or both. */
  kind: "all" | "rated" | "casual";
  /** How many days back; 0 for without an end. */
  days: number;
}

/** How far back one can look, in days; 0 is for all. */
export const PERIODS = [0, 7, 30, 365] as const;

/** Which matches the server is asked for. */
export interface HistoryFilter {
  preset: string;
  rated?: boolean;
  since?: { seconds: bigint; nanos: number };
}

/** A wish as the server takes it; `now` in milliseconds since 1970. */
export function filterOf(wish: HistoryWish, now: number): HistoryFilter {
  const since = { seconds: BigInt(Math.floor(now / 1000) - wish.days * 86_400), nanos: 0 };
  return {
    preset: wish.preset,
    ...(wish.kind === "all" ? {} : { rated: wish.kind === "rated" }),
    ...(wish.days ? { since } : {}),
  };
}

const OUTCOMES = {
  [MatchOutcome.WON]: "won",
  [MatchOutcome.DRAWN]: "drawn",
  [MatchOutcome.LOST]: "lost",
  [MatchOutcome.UNSPECIFIED]: "givenUp",
} as const;

/** What became of a match for whoever looks back. */
export type Outcome = (typeof OUTCOMES)[MatchOutcome];

/** A match as its line says it. */
export interface PastMatch {
  tableId: string;
  preset: string;
  /** When it ended, in milliseconds since 1970. */
  ended: number;
  hands: number;
  rated: boolean;
  outcome: Outcome;
  /** The own team's points and the other's, or one's own where there are no teams. */
  score: string;
  /** The other people, by seat; who was deleted has no name and is not among them. */
  people: string[];
  bots: number;
}

/** The line of a match. */
export function pastMatch(match: MatchSummary): PastMatch {
  const { tableId, preset, hands, rated, seat, seats, teamPoints } = match;
  const others = seats.filter((_, at) => at !== seat);
  const score = teamPoints.length === 2 ? [teamPoints[seat % 2], teamPoints[1 - (seat % 2)]] : [seats[seat]?.points];
  return {
    tableId,
    preset,
    hands,
    rated,
    ended: Number(match.ended?.seconds ?? 0n) * 1000,
    outcome: OUTCOMES[match.outcome] ?? "givenUp",
    score: score.join(" : "),
    people: others.filter((held) => !held.botLevel && held.name).map((held) => held.name),
    bots: others.filter((held) => held.botLevel).length,
  };
}

/** Sums over all presets. */
export interface Totals {
  matches: number;
  won: number;
  drawn: number;
  lost: number;
  hands: number;
  points: bigint;
  /** How often one was head, second … last. */
  places: number[];
  /** The mean of these, 1 to 6; 0 without a hand. */
  averagePlace: number;
  burnsTried: number;
  burnsWon: number;
}

/** Add up the sums of the presets. */
export function totalsOf(presets: readonly Statistics[]): Totals {
  const sum = (of: (one: Statistics) => number) => presets.reduce((before, one) => before + of(one), 0);
  const places = [0, 1, 2, 3, 4, 5].map((at) => sum((one) => one.places[at] ?? 0));
  const placed = places.reduce((before, count) => before + count, 0);
  return {
    matches: sum((one) => one.matches),
    won: sum((one) => one.won),
    drawn: sum((one) => one.drawn),
    lost: sum((one) => one.lost),
    hands: sum((one) => one.hands),
    points: presets.reduce((before, one) => before + one.points, 0n),
    places,
    averagePlace: placed ? places.reduce((before, count, at) => before + count * (at + 1), 0) / placed : 0,
    burnsTried: sum((one) => one.burnsTried),
    burnsWon: sum((one) => one.burnsWon),
  };
}
