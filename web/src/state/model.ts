/**
 * What the page shows of a table: made anew from the folded events and the last observation, both of which come from
 * the server. Pure.
 */
import {
  cardsText,
  type Move,
  moveOf,
  oppositeOf,
  ranksOf,
  SEATS,
  type TableView,
  type TrickAct,
  teamOf,
} from "@gouji/client";
import { type Debt, type Observation, Phase, Question } from "@gouji/client/v1/observation";
import type { ObserveResponse } from "@gouji/client/v1/table";

/** What stands beside a seat. */
export type Badge =
  | "leads"
  | "passed"
  | "yielded"
  | "opened"
  | "noHead"
  | "keepsHead"
  | "burning"
  | "revolted"
  | "struck"
  | "choked"
  | "stuck"
  | "called"
  | "bot"
  | "away"
  | "offline"
  | "left";

/** One seat as it is shown. `turned` counts from oneself, in the order of play: 3 is the opposite. */
export interface SeatModel {
  seat: number;
  turned: number;
  name: string;
  /** Empty for a person. */
  botLevel: string;
  playerId: string;
  /** 0 even, 1 odd; null where everybody plays alone. */
  team: number | null;
  /** Of one's own team; oneself too. */
  ally: boolean;
  /** Cards left; null where the rules hide it. */
  count: number | null;
  /** 1 for head; 0 while in. */
  place: number;
  badges: Badge[];
  /** Its last act in this trick. */
  act: TrickAct | null;
  /** It must decide now. */
  asked: boolean;
  /** A team-mate's hand, where one may see it (R9.12). */
  shown: string;
}

/** A question to oneself. */
export interface Ask {
  turn: bigint;
  question: Question;
  /** All that one may do. */
  moves: Move[];
  /** What the table does when the time is over. */
  fallback: Move | null;
  debt: Debt | null;
}

/** The play to beat. */
export interface ToBeat {
  seat: number;
  cards: string;
  gouji: boolean;
  dead: boolean;
}

/** All that a table shows, but for what the person has chosen. */
export interface TableModel {
  sequence: bigint;
  /** One's own seat, or null for who looks on. */
  me: number | null;
  /** In the order of play, oneself first; who looks on sees seat 0 below. */
  seats: SeatModel[];
  hand: number;
  phase: Phase;
  scramble: boolean;
  /** One's cards as text, high to low. */
  held: string;
  trick: TrickAct[];
  toBeat: ToBeat | null;
  ask: Ask | null;
  /** One is asked, but what one may do is not known yet. */
  asking: boolean;
  answersOpen: boolean;
  /** Points before this hand: two numbers by teams, else six. */
  scores: number[];
  mayFeel: boolean;
  felt: number | null;
  mayAsk: number[];
}

/** Make the model. `seen` is the last observation; what it says holds only for its own moment. */
export function modelOf(view: TableView, seen: ObserveResponse | null): TableModel {
  const observation = seen?.observation;
  const below = view.seat ?? 0;
  const current = seen?.turn?.number === view.turn.number;
  const play = current ? observation?.table : undefined;
  return {
    sequence: view.sequence,
    me: view.seat,
    seats: Array.from({ length: SEATS }, (_, turned) => seatModel(view, observation, (below + turned) % SEATS, turned)),
    hand: view.hand.number,
    phase: observation?.phase ?? Phase.UNSPECIFIED,
    scramble: view.hand.scramble,
    held: ranksOf(view.hand.cards),
    trick: [...view.hand.trick],
    toBeat: play ? { seat: play.seat, cards: cardsText(play.cards), gouji: play.gouji, dead: play.dead } : null,
    ask: askOf(view, seen),
    asking: view.asked,
    answersOpen: view.turn.answersOpen,
    scores: observation?.scores ?? [],
    mayFeel: observation?.mayFeel ?? false,
    felt: observation?.feltPlusOne ? observation.feltPlusOne - 1 : null,
    mayAsk: observation?.mayAsk ?? [],
  };
}

function askOf(view: TableView, seen: ObserveResponse | null): Ask | null {
  if (!view.asked || !seen?.turn || seen.turn.number !== view.turn.number) return null;
  if (seen.turn.question === Question.UNSPECIFIED) return null;
  return {
    turn: seen.turn.number,
    question: seen.turn.question,
    moves: seen.legalActions.map(moveOf).filter((move) => move !== null),
    fallback: moveOf(seen.defaultAction),
    debt: seen.observation?.debt ?? null,
  };
}

function seatModel(view: TableView, observation: Observation | undefined, seat: number, turned: number): SeatModel {
  const held = view.opened.seats[seat];
  const seen = observation?.hand === view.hand.number ? observation.seats[seat] : undefined;
  const teams = view.opened.rules ? observation === undefined || teamsOf(observation) : true;
  return {
    seat,
    turned,
    name: held?.name ?? "",
    botLevel: held?.botLevel ?? "",
    playerId: held?.playerId ?? "",
    team: teams ? teamOf(seat) : null,
    ally: teams ? view.seat !== null && teamOf(seat) === teamOf(view.seat) : seat === view.seat,
    count: seen && seen.cardsLeft >= 0 ? seen.cardsLeft : null,
    place: view.seats[seat]?.place ?? 0,
    badges: badgesOf(view, observation, seat),
    act: view.hand.trick.findLast((act) => act.seat === seat) ?? null,
    asked: view.turn.seatPlusOne === seat + 1,
    shown: cardsText(seen?.shown),
  };
}

// Scores stand by team where there are teams, and by seat where there are none.
function teamsOf(observation: Observation): boolean {
  return observation.scores.length !== SEATS;
}

function badgesOf(view: TableView, observation: Observation | undefined, seat: number): Badge[] {
  const state = view.seats[seat]!;
  const seen = observation?.hand === view.hand.number ? observation.seats[seat] : undefined;
  const person = Boolean(view.opened.seats[seat]?.playerId);
  const last = view.hand.trick.findLast((act) => act.seat === seat)?.verb;
  const playing = Boolean(seen?.in) && !state.place;
  const holds: [Badge, boolean][] = [
    ["leads", view.hand.trick.length === 0 && view.turn.seatPlusOne === seat + 1 && observation?.phase === Phase.PLAY],
    ["passed", playing && (last === "pass" || last === "close" || (last === undefined && Boolean(seen?.passed)))],
    ["yielded", playing && last === "yield"],
    ["burning", Boolean(seen?.burning)],
    ["opened", state.opened],
    ["noHead", playing && seen !== undefined && !seen.hasHead && !seen.keptHead],
    ["keepsHead", Boolean(seen?.keptHead)],
    ["called", Boolean(seen?.called)],
    ["revolted", state.revolted],
    ["struck", state.struck],
    ["choked", state.chokedBy !== null],
    ["stuck", state.stuck],
    ["bot", !person],
    ["left", person && state.left],
    ["away", person && state.away && !state.left],
    ["offline", person && !state.connected && !state.away && !state.left && seat !== view.seat],
  ];
  return holds.filter(([, does]) => does).map(([badge]) => badge);
}

/** Whether a seat sits across from another. */
export function facing(one: number, other: number): boolean {
  return oppositeOf(one) === other;
}
