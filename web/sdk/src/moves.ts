/** What a seat decides, as text: `play KK2`, `pass`, `last 3` ⇄ `Action` of the protos. */
import { create } from "@bufbuild/protobuf";
import { cardsOf, cardsText, rankOf, rankText, sortCards } from "./cards.js";
import { type Action, ActionSchema } from "./gen/gouji/v1/actions_pb.js";

/** The words of the rule cases. */
export type Verb =
  | "play"
  | "pass"
  | "yield"
  | "burn"
  | "close"
  | "pay"
  | "return"
  | "refuse"
  | "accept"
  | "buy_with"
  | "give"
  | "revolt"
  | "stay"
  | "keep_head"
  | "no_head"
  | "call"
  | "no_call"
  | "redeal"
  | "last"
  | "decline"
  | "sink"
  | "lay_off"
  | "feel"
  | "double"
  | "ask";

/** One decision: the verb, the cards that it names (high to low; empty for none), and the seat that it speaks of. */
export interface Move {
  verb: Verb;
  cards: string;
  target?: number;
}

type Case = NonNullable<Action["kind"]["case"]>;

const VERBS: Record<Case, Verb> = {
  play: "play",
  passTurn: "pass",
  yieldTurn: "yield",
  burn: "burn",
  close: "close",
  pay: "pay",
  returnCards: "return",
  refuse: "refuse",
  accept: "accept",
  buyWith: "buy_with",
  give: "give",
  revolt: "revolt",
  stay: "stay",
  keepHead: "keep_head",
  noHead: "no_head",
  call: "call",
  noCall: "no_call",
  redeal: "redeal",
  chooseLast: "last",
  decline: "decline",
  sink: "sink",
  layOff: "lay_off",
  feel: "feel",
  double: "double",
  ask: "ask",
};

const CASES = Object.fromEntries(Object.entries(VERBS).map(([name, verb]) => [verb, name])) as Record<Verb, Case>;

/** Read an action; null for one of a kind that this version does not know. */
export function moveOf(action: Action | undefined): Move | null {
  const kind = action?.kind;
  if (kind?.case === undefined) return null;
  switch (kind.case) {
    case "play":
    case "burn":
    case "pay":
    case "returnCards":
      return { verb: VERBS[kind.case], cards: cardsText(kind.value.cards) };
    case "revolt":
      return { verb: "revolt", cards: cardsText(kind.value.shown) };
    case "refuse":
    case "buyWith":
    case "give":
      return { verb: VERBS[kind.case], cards: rankText(kind.value.rank) };
    case "layOff":
      return { verb: "lay_off", cards: sortCards(kind.value.ranks.map(rankText).join("")) };
    case "chooseLast":
    case "ask":
      return { verb: VERBS[kind.case], cards: "", target: kind.value.seat };
    default:
      return { verb: VERBS[kind.case], cards: "" };
  }
}

/** Make the action of a move. */
export function actionOf(move: Move): Action {
  const cards = move.cards ? cardsOf(move.cards) : undefined;
  switch (move.verb) {
    case "play":
    case "burn":
    case "pay":
      return create(ActionSchema, { kind: { case: move.verb, value: { cards } } });
    case "return":
      return create(ActionSchema, { kind: { case: "returnCards", value: { cards } } });
    case "revolt":
      return create(ActionSchema, { kind: { case: "revolt", value: { shown: cards } } });
    case "refuse":
    case "give":
      return create(ActionSchema, { kind: { case: move.verb, value: { rank: rankOf(move.cards) } } });
    case "buy_with":
      return create(ActionSchema, { kind: { case: "buyWith", value: { rank: rankOf(move.cards) } } });
    case "lay_off":
      return create(ActionSchema, { kind: { case: "layOff", value: { ranks: [...move.cards].map(rankOf) } } });
    case "last":
      return create(ActionSchema, { kind: { case: "chooseLast", value: { seat: move.target ?? 0 } } });
    case "ask":
      return create(ActionSchema, { kind: { case: "ask", value: { seat: move.target ?? 0 } } });
    default:
      return create(ActionSchema, { kind: { case: CASES[move.verb], value: {} } as Action["kind"] });
  }
}

/** The text of a move: `play KK2`. */
export function moveText(move: Move): string {
  return [move.verb, move.cards, move.target ?? ""].filter((part) => part !== "").join(" ");
}

/** Whether two moves are the same. */
export function sameMove(one: Move, other: Move): boolean {
  return moveText(one) === moveText(other);
}
