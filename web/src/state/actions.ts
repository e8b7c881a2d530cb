/** Which buttons a question has, and which of them can be pressed. Pure. */
import type { Move, Verb } from "@gouji/client";
import { Question } from "@gouji/client/v1/observation";
import type { Ask } from "./model";
import { chosen, type Selection, sizeOf } from "./selection";

/** Questions that are answered from one's hand, in the bar below it; the others have a dialogue. */
const IN_THE_BAR: ReadonlySet<Question> = new Set([
  Question.LEAD,
  Question.ANSWER,
  Question.LAST_WORD,
  Question.GOUJI,
  Question.BURN,
  Question.CONTEST,
]);

/** Verbs that put cards on the table. */
const PLAYS: ReadonlySet<Verb> = new Set<Verb>(["play", "burn"]);

/** Verbs that may be sent beside the question that stands, or that cost nothing. */
const ASIDE: ReadonlySet<Verb> = new Set<Verb>(["feel", "ask"]);

/** Whether a question is answered in the bar. */
export function inTheBar(question: Question): boolean {
  return IN_THE_BAR.has(question);
}

/** Lawful plays of a question. */
export function playsOf(ask: Ask): Move[] {
  return ask.moves.filter((move) => PLAYS.has(move.verb));
}

/** Lawful moves without cards, in the order of their buttons. */
export function otherMoves(ask: Ask): Move[] {
  return ask.moves.filter((move) => !PLAYS.has(move.verb) && !ASIDE.has(move.verb));
}

/** The lawful play of the chosen cards; null if there is none. */
export function playOf(ask: Ask, selection: Selection): Move | null {
  const cards = chosen(selection);
  return playsOf(ask).find((move) => move.cards === cards) ?? null;
}

/** How many cards an answer takes: that of all lawful plays if they agree; 0 when any number goes. */
export function wantedCount(ask: Ask | null): number {
  if (!ask) return 0;
  const sizes = new Set(playsOf(ask).map((move) => move.cards.length));
  return sizes.size === 1 ? [...sizes][0]! : 0;
}

/** Why nothing is to be played as the choice stands, as far as no rule is needed to say so; null to ask the table. */
export type Greyed = "notAsked" | "nothingChosen" | "noPlays" | "wrongCount";

/** Say it. */
export function greyedBecause(ask: Ask | null, selection: Selection): Greyed | null {
  if (!ask) return "notAsked";
  if (playsOf(ask).length === 0) return "noPlays";
  if (sizeOf(selection) === 0) return "nothingChosen";
  const wanted = wantedCount(ask);
  return wanted && sizeOf(selection) !== wanted ? "wrongCount" : null;
}

/** What passing ahead answers a question with; null where it does not: it never declines a burn or closes blindly. */
export function passingAhead(ask: Ask): Move | null {
  if (ask.question !== Question.ANSWER && ask.question !== Question.GOUJI && ask.question !== Question.LAST_WORD) {
    return null;
  }
  return ask.moves.find((move) => move.verb === "pass" || move.verb === "close") ?? null;
}

/** The lawful move of a kind with these cards; null if there is none. */
export function playOfKind(ask: Ask, verb: Verb, cards: string): Move | null {
  return ask.moves.find((move) => move.verb === verb && move.cards === cards) ?? null;
}
