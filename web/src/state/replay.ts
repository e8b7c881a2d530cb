/** A match stepped through: what was seen after each step, and the open hands once they are known. Pure. */
import { cardOf, RANKS, ranksOf, SEATS, sortCards, TableView } from "@gouji/client";
import type { Consequence } from "@gouji/client/v1/consequences";
import type { Event, HandEnded } from "@gouji/client/v1/events";
import { modelOf, type TableModel } from "./model";

/** What can be stepped to: the number of events to fold, and what stands there. */
export interface Step {
  events: number;
  hand: number;
  /** A trick begins with the step that follows. */
  endsTrick: boolean;
}

/** Steps of a match: each deal, each act, each end of a hand. */
export function stepsOf(events: readonly Event[]): Step[] {
  return events.flatMap((event, at) => {
    const { body } = event;
    const acts = body.case === "actionTaken" || (body.case === "answersClosed" && body.value.consequences.length > 0);
    if (!acts && body.case !== "handDealt" && body.case !== "handEnded") return [];
    return [{ events: at + 1, hand: event.hand, endsTrick: body.case !== "handDealt" && trickEnds(event) }];
  });
}

/** The table after so many events. */
export function viewAt(events: readonly Event[], count: number): TableView {
  const view = new TableView();
  for (const event of events.slice(0, count)) view.fold(event);
  return view;
}

/** What to show after a step, with counts where the hands are known. */
export function modelAt(view: TableView, hands: readonly string[] | null): TableModel {
  const model = modelOf(view, null);
  const play = view.table;
  return {
    ...model,
    toBeat: play ? { seat: play.seat, cards: play.cards, gouji: false, dead: false } : null,
    seats: model.seats.map((seat) => ({ ...seat, count: hands ? hands[seat.seat]!.length : null })),
  };
}

/** The six hands after a step, high to low; null while the hand is not over, since its cards are hidden until then. */
export function handsAt(events: readonly Event[], step: Step): string[] | null {
  const ofHand = events.map((event, at) => ({ event, at })).filter(({ event }) => event.hand === step.hand);
  const ended = ofHand.find(({ event }) => event.body.case === "handEnded")?.event.body.value as HandEnded | undefined;
  if (!ended || ended.hands.length !== SEATS) return null;
  const hands = ended.hands.map((hand) => new Pile(ranksOf(hand.cards.map(cardOf))));
  const all = ofHand.map(({ event }) => event);
  const found = foundLater(all, hands);
  for (const { event, at } of ofHand) if (at < step.events) advance(event, hands, found);
  return hands.map((hand) => hand.text);
}

/** Cards of one seat, by rank. */
class Pile {
  text: string;

  constructor(text: string) {
    this.text = sortCards(text);
  }

  add(cards: string): void {
    this.text = sortCards(this.text + cards);
  }

  /** Take out what is there. */
  remove(cards: string): void {
    for (const rank of cards) this.text = this.text.replace(rank, "");
  }

  clone(): Pile {
    return new Pile(this.text);
  }
}

/** Cards given back for tributes, which only their two seats saw: those that a seat played and did not hold. */
type Found = Map<number, string>;

function foundLater(events: readonly Event[], dealt: readonly Pile[]): Found {
  const held = dealt.map((hand) => hand.clone());
  const found: Found = new Map();
  for (const event of events) {
    if (event.body.case === "actionTaken") {
      const { seat } = event.body.value;
      const cards = ranksOf(event.body.value.cards.map(cardOf));
      const missing = lacking(held[seat]!.text, cards);
      if (missing) found.set(seat, sortCards((found.get(seat) ?? "") + missing));
    }
    advance(event, held, new Map());
  }
  return found;
}

function lacking(held: string, cards: string): string {
  return [...RANKS]
    .map((rank) => rank.repeat(Math.max(0, cards.split(rank).length - held.split(rank).length)))
    .join("");
}

/** Go on by one event. */
function advance(event: Event, hands: Pile[], found: Found): void {
  const { body } = event;
  if (body.case !== "actionTaken" && body.case !== "answersClosed" && body.case !== "handDealt") return;
  if (body.case === "actionTaken") hands[body.value.seat]!.remove(ranksOf(body.value.cards.map(cardOf)));
  for (const { kind } of body.value.consequences) exchange(kind, hands, found);
}

function exchange(kind: Consequence["kind"], hands: Pile[], found: Found): void {
  const move = (from: number, to: number, cards: string) => {
    hands[from]!.remove(cards);
    hands[to]!.add(cards);
  };
  switch (kind.case) {
    case "tributePaid":
      move(kind.value.payer, kind.value.receiver, ranksOf(kind.value.cards.map(cardOf)));
      break;
    case "tributeReturned": {
      const shown = ranksOf(kind.value.cards.map(cardOf));
      const unseen = found.get(kind.value.payer) ?? "";
      const cards = shown || unseen.slice(0, kind.value.count);
      if (!shown) found.set(kind.value.payer, unseen.slice(cards.length));
      move(kind.value.receiver, kind.value.payer, cards);
      break;
    }
    case "cardBought":
      move(kind.value.seller, kind.value.buyer, ranksOf(kind.value.sold.map(cardOf)));
      move(kind.value.buyer, kind.value.seller, ranksOf(kind.value.paid.map(cardOf)));
      break;
    case "seatStruck":
    case "seatLeft":
      hands[kind.value.seat]!.remove(ranksOf(kind.value.cards.map(cardOf)));
      break;
  }
}

function trickEnds({ body }: Event): boolean {
  if (body.case !== "actionTaken" && body.case !== "answersClosed") return false;
  return body.value.consequences.some(({ kind }) => kind.case === "trickWon");
}
