/** What happened at a table, as text. Pure. */
import { cardOf, moveOf, ranksOf, rankText } from "@gouji/client";
import type { Card } from "@gouji/client/v1/cards";
import type { Consequence } from "@gouji/client/v1/consequences";
import { type ActionTaken, DecidedBy, type Event } from "@gouji/client/v1/events";
import type { Texts } from "../i18n";
import { cardsLabel } from "./cardtext";

/** One line of the log. */
export interface Line {
  key: string;
  hand: number;
  text: string;
  /** What it is about, for how it is shown. */
  kind: "deal" | "play" | "pass" | "follow" | "people";
}

/** Told by what follows from them. */
const SILENT = new Set([
  "stay",
  "no_call",
  "decline",
  "pay",
  "return",
  "accept",
  "buy_with",
  "give",
  "sink",
  "lay_off",
]);

/** Tell all events, oldest first. `names` are the six seats'. */
export function tellAll(events: readonly Event[], names: readonly string[], texts: Texts): Line[] {
  let leading = true;
  return events.flatMap((event) => {
    const told = tell(event, names, texts, leading);
    const { body } = event;
    if (body.case === "actionTaken" && body.value.action?.kind.case === "play") leading = false;
    if (body.case === "handDealt" || consequencesOf(event).some(({ kind }) => kind.case === "trickWon")) leading = true;
    return told.map(([kind, text], at) => ({ key: `${event.sequence}.${at}`, hand: event.hand, kind, text }));
  });
}

type Told = [Line["kind"], string];

function consequencesOf({ body }: Event): Consequence[] {
  return body.case === "actionTaken" || body.case === "answersClosed" || body.case === "handDealt"
    ? body.value.consequences
    : [];
}

function tell(event: Event, names: readonly string[], texts: Texts, leading: boolean): Told[] {
  const who = (seat: number) => names[seat] ?? "";
  const { body } = event;
  const { log } = texts;
  const followed = consequencesOf(event)
    .map((consequence) => follows(consequence, who, texts))
    .filter((text) => text !== "")
    .map((text): Told => ["follow", text]);
  switch (body.case) {
    case "handDealt":
      return [["deal", log.dealt(event.hand, who(body.value.firstLeader))], ...followed];
    case "actionTaken":
      return [...deed(body.value, who, texts, leading), ...followed];
    case "answersClosed":
      return followed;
    case "seatChanged":
      return change(body.value, who(body.value.seat), texts);
    case "handEnded":
      return [["deal", body.value.givenUp ? log.givenUp : body.value.voided ? log.voided : log.ended]];
    case "matchEnded":
      return [["deal", log.matchEnded]];
    case "tableFrozen":
      return [["people", log.frozen]];
    case "tableResumed":
      return [["people", log.resumed]];
    case "clocksCredited":
      return [["people", log.credited(Math.round(body.value.pauseMs / 1000))]];
    case "said":
      return body.value.phrase ? [["people", log.said(who(body.value.seat), phrase(body.value.phrase, texts))]] : [];
    case "handVote":
      return [["people", (body.value.agree ? log.votes : log.unvotes)(who(body.value.seat))]];
    default:
      return [];
  }
}

/** A phrase in the page's language; one that it does not know, by its id. */
export function phrase(id: string, texts: Texts): string {
  return texts.phrases[id] ?? id;
}

function deed(taken: ActionTaken, who: (seat: number) => string, texts: Texts, leading: boolean): Told[] {
  const move = moveOf(taken.action);
  const { log } = texts;
  if (!move) return [];
  const late = taken.decidedBy === DecidedBy.CLOCK ? ` (${log.byClock})` : "";
  const cards = cardsLabel(move.cards, texts);
  const name = who(taken.seat);
  if (move.verb === "play") return [["play", (leading ? log.leads : log.plays)(name, cards) + late]];
  if (move.verb === "burn") return [["play", log.burns(name, cards) + late]];
  if (SILENT.has(move.verb) && taken.consequences.length) return [];
  const kind = move.verb === "pass" || move.verb === "close" || move.verb === "yield" ? "pass" : "play";
  return [[kind, log.did(name, log.does[move.verb] ?? move.verb, cards) + late]];
}

function change(state: { botPlays: boolean; left: boolean; connected: boolean }, who: string, { log }: Texts): Told[] {
  if (state.left) return [["people", log.left(who)]];
  if (state.botPlays) return [["people", log.away(who)]];
  return state.connected ? [["people", log.here(who)]] : [];
}

function follows({ kind }: Consequence, who: (seat: number) => string, texts: Texts): string {
  const { log } = texts;
  const label = (cards: Card[]) => cardsLabel(ranksOf(cards.map(cardOf)), texts);
  switch (kind.case) {
    case "trickWon":
      return kind.value.seat === kind.value.leader
        ? log.wins(who(kind.value.seat))
        : log.wind(who(kind.value.seat), who(kind.value.leader));
    case "seatFinished":
      return log.finished(who(kind.value.seat), texts.titles[kind.value.place] ?? "");
    case "seatOpened":
      return log.opened(who(kind.value.seat));
    case "seatChoked":
      return log.choked(who(kind.value.seat), who(kind.value.by));
    case "seatStruck":
      return log.struck(who(kind.value.seat), label(kind.value.cards));
    case "seatLeft":
      return log.out(who(kind.value.seat), label(kind.value.cards));
    case "seatStuck":
      return log.stuck(who(kind.value.seat));
    case "burnSucceeded":
      return log.burned(who(kind.value.burner), who(kind.value.burned));
    case "scrambleBegan":
      return log.scramble;
    case "handVoided":
      return log.voided;
    case "foursSunk":
      return log.sunk(who(kind.value.seat));
    case "ranksLaidOff":
      return log.laidOff(cardsLabel(kind.value.ranks.map(rankText).join(""), texts));
    default:
      return exchanged(kind, who, label, texts);
  }
}

function exchanged(
  kind: Consequence["kind"],
  who: (seat: number) => string,
  label: (cards: Card[]) => string,
  { log }: Texts,
): string {
  switch (kind.case) {
    case "tributePaid":
      return log.paid(who(kind.value.payer), who(kind.value.receiver), label(kind.value.cards));
    case "tributeReturned":
      return log.returned(who(kind.value.receiver), who(kind.value.payer), label(kind.value.cards) || log.asMany);
    case "cardBought": {
      const { buyer, seller, sold, paid } = kind.value;
      return paid.length
        ? log.bought(who(buyer), who(seller), label(sold), label(paid))
        : log.given(who(buyer), who(seller), label(sold));
    }
    case "tributeResisted":
      return log.resisted(who(kind.value.payer), who(kind.value.receiver));
    case "tributeShown":
      return log.shown(who(kind.value.payer), label(kind.value.cards));
    default:
      return "";
  }
}
