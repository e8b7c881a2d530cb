/** Which of one's cards are chosen: how many of each rank, since suits never matter. Pure. */
import { countOf, RANKS, sortCards } from "@gouji/client";

/** Chosen cards by rank; a rank that is not in it has none. */
export type Selection = Readonly<Record<string, number>>;

export const NOTHING: Selection = {};

/** One rank in hand. */
export interface Group {
  rank: string;
  held: number;
}

/** Ranks that stand apart and are added to others: twos and jokers. */
export const WILD = "2wW";

/** One's cards by rank, from the highest to the lowest. */
export function groupsOf(held: string): Group[] {
  return [...RANKS]
    .reverse()
    .map((rank) => ({ rank, held: countOf(held, rank) }))
    .filter((group) => group.held > 0);
}

/** The chosen cards as text, high to low. */
export function chosen(selection: Selection): string {
  return sortCards(
    Object.entries(selection)
      .map(([rank, count]) => rank.repeat(count))
      .join(""),
  );
}

/** How many cards are chosen. */
export function sizeOf(selection: Selection): number {
  return Object.values(selection).reduce((sum, count) => sum + count, 0);
}

/** Choose exactly these cards. */
export function selectionOf(cards: string): Selection {
  const selection: Record<string, number> = {};
  for (const rank of cards) selection[rank] = (selection[rank] ?? 0) + 1;
  return selection;
}

/** Choose so many of a rank, as far as they are held. */
export function withCount(selection: Selection, rank: string, count: number, held: string): Selection {
  const { [rank]: _, ...others } = selection;
  const most = Math.max(0, Math.min(count, countOf(held, rank)));
  return most ? { ...others, [rank]: most } : others;
}

/**
 * Tap a card of a rank, counted from the front of its group.
 *
 * The first tap takes the group whole, or as many as are still `wanted` (0 for any number). After that a tap on a
 * chosen card puts one back, and a tap on another takes one more. A two or joker goes one by one, as it is dear.
 * Choosing another rank lets the one before go: a play has one base.
 */
export function tap(selection: Selection, rank: string, fromFront: number, held: string, wanted: number): Selection {
  const count = selection[rank] ?? 0;
  if (count) return withCount(selection, rank, fromFront < count ? count - 1 : count + 1, held);
  if (WILD.includes(rank)) return withCount(selection, rank, 1, held);
  const kept = wildOnly(selection);
  const missing = wanted - sizeOf(kept);
  const whole = countOf(held, rank);
  return withCount(kept, rank, missing > 0 ? Math.min(whole, missing) : whole, held);
}

/** Take a group whole, or put it back when it is. */
export function tapWhole(selection: Selection, rank: string, held: string): Selection {
  const whole = countOf(held, rank);
  const from = WILD.includes(rank) ? selection : { ...wildOnly(selection), [rank]: selection[rank] ?? 0 };
  return withCount(from, rank, selection[rank] === whole ? 0 : whole, held);
}

/** Drop what is held no longer. */
export function kept(selection: Selection, held: string): Selection {
  const entries = Object.entries(selection).map(([rank, count]) => [rank, Math.min(count, countOf(held, rank))]);
  const left = entries.filter(([, count]) => Number(count) > 0);
  return left.length === entries.length && entries.every(([rank, count]) => selection[String(rank)] === count)
    ? selection
    : Object.fromEntries(left);
}

function wildOnly(selection: Selection): Selection {
  return Object.fromEntries(Object.entries(selection).filter(([rank]) => WILD.includes(rank)));
}
