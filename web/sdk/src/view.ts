/**
 * A table as its events tell it: the fold of what one watcher is shown.
 *
 * It holds what events state and nothing that would take the rules to work out; for that (what is lawful, who has a
 * head) there is `TableClient.observe`. The Python SDK folds the same way, and the same recordings test both.
 */
import { create } from "@bufbuild/protobuf";
import { type Card, cardOf, cardsText, SEATS, sortCards } from "./cards.js";
import type { Card as CardMessage } from "./gen/gouji/v1/cards_pb.js";
import type { Consequence } from "./gen/gouji/v1/consequences_pb.js";
import {
  type ActionTaken,
  type DealtHand,
  type Event,
  type HandDealt,
  type HandEnded,
  type MatchEnded,
  type TableAbandoned,
  type TableFrozen,
  type TableOpened,
  TableOpenedSchema,
  type Turn,
  TurnSchema,
} from "./gen/gouji/v1/events_pb.js";
import { type Observation, Phase, Question, type SeatView } from "./gen/gouji/v1/observation_pb.js";
import type { Presence, WatchStart } from "./gen/gouji/v1/table_pb.js";
import { type Move, moveOf } from "./moves.js";

/** What events said of one seat in this hand. */
export interface SeatState {
  connected: boolean;
  /** A bot plays for its absent player. */
  away: boolean;
  /** The player has left for good. */
  left: boolean;
  /** Cards that everybody has seen of it, high to low. */
  played: string;
  /** 1 for head; 0 while in. */
  place: number;
  opened: boolean;
  revolted: boolean;
  struck: boolean;
  chokedBy: number | null;
  stuck: boolean;
}

/** One act within a trick. */
export interface TrickAct extends Move {
  seat: number;
  /** The cards with their suits; empty where they were not seen to be played. */
  suited: Card[];
}

/** The hand that is played, or was last. */
export interface HandState {
  number: number;
  firstLeader: number;
  /** The watcher's own cards, dead ones too when it was struck; empty for a spectator. */
  cards: Card[];
  /** Its acts so far, oldest first. */
  trick: TrickAct[];
  finished: number[];
  scramble: boolean;
  /** A revolter has shown what it would open with; what its opposite answers is no part of a trick (R9.3). */
  contested: boolean;
}

const IN_A_TRICK = new Set(["play", "burn", "pass", "yield", "close"]);

/**
 * What one watcher knows of a table after event `sequence`. Fold events in order, each once.
 *
 * `seat` is the watcher's own, or null for a spectator; it is known from the first hand on.
 */
export class TableView {
  seat: number | null = null;
  sequence = 0n;
  opened: TableOpened = create(TableOpenedSchema);
  seats: SeatState[] = Array.from({ length: SEATS }, () => freshSeat());
  hand: HandState = freshHand(0, 0);
  turn: Turn = create(TurnSchema);
  /** The trick before this one, if it was seen. */
  lastTrick: TrickAct[] = [];
  results: HandEnded[] = [];
  ended: MatchEnded | null = null;
  frozen: TableFrozen | null = null;
  abandoned: TableAbandoned | null = null;
  /** Seats that want this hand given up. */
  votes = new Set<number>();
  /** Seats that want a rematch. */
  ready = new Set<number>();
  /** The rematch's table, once it is placed. */
  rematch = "";

  /** The match has ended, or the table was given up: no hand follows. */
  get over(): boolean {
    return this.ended !== null || this.abandoned !== null;
  }

  /** The watcher itself must decide. */
  get asked(): boolean {
    return this.turn.question !== Question.UNSPECIFIED;
  }

  /** A bot plays the watcher's own seat. */
  get away(): boolean {
    return this.seat !== null && this.seats[this.seat]!.away;
  }

  /** The watcher has left its seat for good. */
  get left(): boolean {
    return this.seat !== null && this.seats[this.seat]!.left;
  }

  /** The play to beat; null at a lead. */
  get table(): TrickAct | null {
    return this.hand.trick.findLast((act) => act.verb === "play" || act.verb === "burn") ?? null;
  }

  /**
   * Take up the table as a watch that begins there shows it, if events before were left out.
   *
   * The hands' `results` before, and votes and wishes, are not known then.
   */
  begin(start: WatchStart, snapshot: Observation | undefined, presence: Presence[] = []): void {
    if (start.fromSequence <= this.sequence + 1n) return;
    this.sequence = start.fromSequence - 1n;
    if (start.turn) this.turn = start.turn;
    if (start.opened) this.opened = start.opened;
    if (snapshot) this.#takeUp(snapshot);
    presence.forEach((there, seat) => {
      const state = this.seats[seat];
      if (state) Object.assign(state, { connected: there.connected, away: there.botPlays, left: there.left });
    });
  }

  /** Take in the next event. Throws RangeError for one that does not follow. */
  fold(event: Event): void {
    if (event.sequence !== this.sequence + 1n) {
      throw new RangeError(`event ${event.sequence} does not follow ${this.sequence}`);
    }
    this.sequence = event.sequence;
    this.turn = event.turn ?? create(TurnSchema);
    switch (event.body.case) {
      case "tableOpened":
        this.opened = event.body.value;
        break;
      case "handDealt":
        this.#dealt(event.hand, event.body.value);
        break;
      case "actionTaken":
        this.#acted(event.body.value);
        this.#followed(event.body.value.consequences);
        break;
      case "answersClosed":
        this.#followed(event.body.value.consequences);
        break;
      default:
        this.#wentOn(event);
    }
  }

  /** Take in what is no part of the play of a hand. */
  #wentOn({ body }: Event): void {
    switch (body.case) {
      case "handEnded":
        this.results.push(body.value);
        this.votes.clear();
        break;
      case "matchEnded":
        this.ended = body.value;
        break;
      case "seatChanged": {
        const { seat, connected, botPlays, left } = body.value;
        Object.assign(this.seats[seat]!, { connected, away: botPlays, left });
        break;
      }
      case "tableAbandoned":
        this.abandoned = body.value;
        break;
      case "tableResumed":
        this.frozen = null;
        for (const seat of this.seats) seat.connected = false;
        this.votes.clear();
        break;
      case "tableFrozen":
        this.frozen = body.value;
        break;
      case "handVote":
        toggle(this.votes, body.value.seat, body.value.agree);
        break;
      case "rematchWish":
        toggle(this.ready, body.value.seat, body.value.ready);
        break;
      case "rematchPlaced":
        this.rematch = body.value.tableId;
        break;
    }
  }

  #takeUp(snapshot: Observation): void {
    this.seat = snapshot.viewerPlusOne ? snapshot.viewerPlusOne - 1 : null;
    this.hand = handOf(snapshot);
    this.seats = snapshot.seats.map(seatOf);
    for (const seat of snapshot.finished) this.seats[seat]!.place = snapshot.seats[seat]!.place;
  }

  #dealt(number: number, dealt: HandDealt): void {
    this.hand = freshHand(number, dealt.firstLeader);
    this.lastTrick = [];
    this.seats = this.seats.map(freshSeat);
    this.#see(dealt.hands);
  }

  /** Take up the watcher's own cards, if they are shown here. */
  #see(hands: DealtHand[]): void {
    const shown = hands.flatMap((hand, seat) => (hand.cards.length ? [seat] : []));
    if (shown.length !== 1) return;
    this.seat = shown[0]!;
    this.hand.cards = hands[this.seat]!.cards.map(cardOf);
  }

  #acted(taken: ActionTaken): void {
    const move = moveOf(taken.action);
    this.#see(taken.hands);
    const seat = this.seats[taken.seat]!;
    const gone = taken.cards.map(cardOf);
    seat.played = sortCards(seat.played + gone.map((card) => card.rank).join(""));
    if (move?.verb === "revolt") seat.revolted = true;
    if (move && IN_A_TRICK.has(move.verb) && !this.hand.contested) {
      this.hand.trick.push({ seat: taken.seat, ...move, suited: gone });
    }
    this.hand.contested = move?.verb === "revolt" && move.cards !== "";
    if (this.seat === taken.seat) this.#lose(gone);
  }

  #followed(consequences: Consequence[]): void {
    for (const { kind } of consequences) {
      switch (kind.case) {
        case "trickWon":
          this.lastTrick = this.hand.trick;
          this.hand.trick = [];
          break;
        case "scrambleBegan":
          this.hand.scramble = true;
          break;
        case "seatFinished":
          this.hand.finished.push(kind.value.seat);
          this.seats[kind.value.seat]!.place = kind.value.place;
          break;
        default:
          this.#changedHands(kind);
          this.#marked(kind);
      }
    }
  }

  /** Take in what becomes of cards before the play. */
  #changedHands(kind: Consequence["kind"]): void {
    switch (kind.case) {
      case "tributePaid":
        this.#move(kind.value.payer, kind.value.receiver, kind.value.cards);
        break;
      case "tributeReturned":
        this.#move(kind.value.receiver, kind.value.payer, kind.value.cards);
        break;
      case "cardBought":
        this.#move(kind.value.seller, kind.value.buyer, kind.value.sold);
        this.#move(kind.value.buyer, kind.value.seller, kind.value.paid);
        break;
      case "foursSunk":
        if (kind.value.seat === this.seat) this.#layAside("4");
        break;
      case "ranksLaidOff":
        this.#layAside(cardsText({ ranks: kind.value.ranks } as Parameters<typeof cardsText>[0]));
        break;
    }
  }

  /** Take in what stays with one seat for the rest of the hand. */
  #marked(kind: Consequence["kind"]): void {
    switch (kind.case) {
      case "seatOpened":
        this.seats[kind.value.seat]!.opened = true;
        break;
      case "seatChoked":
        this.seats[kind.value.seat]!.chokedBy = kind.value.by;
        break;
      case "seatStuck":
        this.seats[kind.value.seat]!.stuck = true;
        break;
      case "seatStruck":
      case "seatLeft": {
        const seat = this.seats[kind.value.seat]!;
        if (kind.case === "seatStruck") seat.struck = true;
        seat.played = sortCards(seat.played + kind.value.cards.map((card) => cardOf(card).rank).join(""));
        break;
      }
    }
  }

  #move(giver: number, taker: number, cards: CardMessage[]): void {
    const moved = cards.map(cardOf);
    if (giver === this.seat) this.#lose(moved);
    if (taker === this.seat) this.hand.cards.push(...moved);
  }

  #lose(cards: Card[]): void {
    for (const card of cards) {
      const at = this.hand.cards.findIndex((held) => held.rank === card.rank && held.suit === card.suit);
      if (at >= 0) this.hand.cards.splice(at, 1);
    }
  }

  #layAside(ranks: string): void {
    this.hand.cards = this.hand.cards.filter((card) => !ranks.includes(card.rank));
  }
}

/** A seat at the start of a hand: who is there stays as it is. */
function freshSeat(before?: SeatState): SeatState {
  return {
    connected: before?.connected ?? false,
    away: before?.away ?? false,
    left: before?.left ?? false,
    played: "",
    place: 0,
    opened: false,
    revolted: false,
    struck: false,
    chokedBy: null,
    stuck: false,
  };
}

function freshHand(number: number, firstLeader: number): HandState {
  return { number, firstLeader, cards: [], trick: [], finished: [], scramble: false, contested: false };
}

function handOf(snapshot: Observation): HandState {
  return {
    number: snapshot.hand,
    firstLeader: snapshot.firstLeader,
    cards: snapshot.cards.map(cardOf),
    trick: snapshot.trick.flatMap((act) => {
      const move = moveOf(act.action);
      return move ? [{ seat: act.seat, ...move, suited: [] }] : [];
    }),
    finished: [...snapshot.finished],
    scramble: snapshot.scramble,
    // A contest is a part of the time for revolts, in which a play stands on the table.
    contested: snapshot.phase === Phase.REVOLT && snapshot.table !== undefined,
  };
}

function seatOf(seen: SeatView): SeatState {
  return {
    ...freshSeat(),
    played: cardsText(seen.played),
    opened: seen.opened,
    revolted: seen.revolted,
    struck: seen.struck,
    chokedBy: seen.chokedByPlusOne ? seen.chokedByPlusOne - 1 : null,
    stuck: seen.stuck,
  };
}

function toggle(set: Set<number>, seat: number, on: boolean): void {
  if (on) set.add(seat);
  else set.delete(seat);
}
