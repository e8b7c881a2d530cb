/** In which order to suggest lawful moves: what costs least first. Pure, and no rule in it. */
import { countOf, type Move, RANKS } from "@gouji/client";

/** The rank that a play is made of (R2.2): its lowest, which a two added to it is not. */
export function baseOf(cards: string): string {
  return [...cards].reduce((low, rank) => (RANKS.indexOf(rank) < RANKS.indexOf(low) ? rank : low), "W");
}

/**
 * Plays in the order in which to suggest them: what empties the hand, then for each base the cheapest, then the rest.
 *
 * Cheap means few big jokers, then few small ones, then few twos, then no cards of the base left behind, then a low
 * base.
 */
export function suggestions(moves: readonly Move[], held: string): Move[] {
  const plays = moves.filter((move) => move.cards).sort((one, other) => compare(cost(one, held), cost(other, held)));
  const out = plays.filter((move) => move.cards.length === held.length);
  const cheapest = new Map<string, Move>();
  for (const move of plays) if (!cheapest.has(baseOf(move.cards))) cheapest.set(baseOf(move.cards), move);
  return [...new Set([...out, ...cheapest.values(), ...plays])];
}

function cost(move: Move, held: string): number[] {
  const base = baseOf(move.cards);
  const left = countOf(held, base) - countOf(move.cards, base);
  return [
    countOf(move.cards, "W"),
    countOf(move.cards, "w"),
    countOf(move.cards, "2"),
    left,
    RANKS.indexOf(base),
    -move.cards.length,
  ];
}

function compare(one: number[], other: number[]): number {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}
