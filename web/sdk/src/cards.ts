/** Cards as text, as the rule cases write them: `W` big joker, `w` small joker, `T` ten; `WWw22KKK3`. */
import { create } from "@bufbuild/protobuf";
import { type Card as CardMessage, type Cards, CardsSchema, type Rank } from "./gen/gouji/v1/cards_pb.js";

/** All ranks, low to high (R1.2). */
export const RANKS = "3456789TJQKA2wW";

/** Suits, in the order in which they leave a hand. */
export const SUITS = "SHDC";

/** Seats at a table (R1.1). */
export const SEATS = 6;

/** One card: a letter of `RANKS`, and one of `SUITS` or nothing for a joker. */
export interface Card {
  rank: string;
  suit: string;
}

/** The letter of a rank. */
export function rankText(rank: Rank): string {
  return RANKS[rank - 1] ?? "";
}

/** The number of a rank's letter. */
export function rankOf(letter: string): Rank {
  return RANKS.indexOf(letter) + 1;
}

/** Ranks from the highest to the lowest, as people hold them. */
export function sortCards(text: string): string {
  return [...text].sort((one, other) => RANKS.indexOf(other) - RANKS.indexOf(one)).join("");
}

/** How many of a rank there are. */
export function countOf(text: string, rank: string): number {
  return text.split(rank).length - 1;
}

/** Cards without suits, as text. */
export function cardsText(cards: Cards | undefined): string {
  return sortCards((cards?.ranks ?? []).map(rankText).join(""));
}

/** Text as cards without suits. */
export function cardsOf(text: string): Cards {
  return create(CardsSchema, { ranks: [...text].map(rankOf) });
}

/** One card with its suit. */
export function cardOf(card: CardMessage): Card {
  return { rank: rankText(card.rank), suit: SUITS[card.suit - 1] ?? "" };
}

/** The ranks of cards, high to low. */
export function ranksOf(cards: Iterable<Card>): string {
  return sortCards(Array.from(cards, (card) => card.rank).join(""));
}

/** The seat across the table (R1.1). */
export function oppositeOf(seat: number): number {
  return (seat + 3) % SEATS;
}

/** 0 for the even seats, 1 for the odd ones (R1.1). */
export function teamOf(seat: number): number {
  return seat % 2;
}
