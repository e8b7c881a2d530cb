/** The card counter: what of each rank is still in other hands, by what everybody can see. Pure. */
import { countOf, RANKS } from "@gouji/client";

/** How many cards of each rank there were; a rank is left out where a short pack leaves the number open. */
export type Deck = Readonly<Record<string, number>>;

/** One line of the counter. */
export interface Counted {
  rank: string;
  /** With the others; those of who has left the hand too, as long as they are unseen. */
  out: number;
  mine: number;
  total: number;
}

/** The deck of a rule set: packs, and how many threes and fours stay in (0 for all). */
export function deckOf(packs: number, threes: number, fours: number): Deck {
  const deck: Record<string, number> = {};
  for (const rank of RANKS) deck[rank] = packs * (rank === "w" || rank === "W" ? 1 : 4);
  if (threes) deck["3"] = threes;
  if (fours) deck["4"] = fours;
  return deck;
}

/** Count what is out, from the highest rank to the lowest. */
export function count(deck: Deck, mine: string, seen: readonly string[]): Counted[] {
  const gone = seen.join("");
  return [...RANKS].reverse().map((rank) => {
    const total = deck[rank] ?? 0;
    const held = countOf(mine, rank);
    return { rank, total, mine: held, out: Math.max(0, total - held - countOf(gone, rank)) };
  });
}
