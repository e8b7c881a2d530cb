/** A player's part in the deals of a table: what it contributes, and whether the table kept its word. */
import type { Event, HandCommitted, HandDealt, TableOpened } from "./gen/gouji/v1/events_pb.js";

const SECRET_BYTES = 32;

interface Deal {
  committed: HandCommitted;
  own: Uint8Array;
  /** The table took it: it must be part of the deal. */
  counts: boolean;
  dealt: HandDealt | null;
}

/**
 * Checks each deal by what was shown of it. Hand it every event in order, from the first on.
 *
 * That the secret gives just these cards is for `gouji verify`, which has the rules.
 */
export class DealWatch {
  /** What a table did that no honest one does, a sentence each. */
  readonly doubts: string[] = [];
  #opened: TableOpened | null = null;
  readonly #deals = new Map<number, Deal>();

  /** Go on by one event. */
  async take(event: Event): Promise<void> {
    const deal = this.#deals.get(event.hand);
    switch (event.body.case) {
      case "tableOpened":
        this.#opened = event.body.value;
        break;
      case "handCommitted": {
        const own = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
        this.#deals.set(event.hand, { committed: event.body.value, own, counts: false, dealt: null });
        break;
      }
      case "handDealt":
        if (deal) this.#dealt(deal, event.hand, event.body.value);
        break;
      case "handEnded":
        this.#deals.delete(event.hand);
        if (deal) await this.#ended(deal, event.hand, event.body.value.secret);
        break;
    }
  }

  /** The hand to whose deal this player is to contribute and has not; 0 when there is none. */
  waitsFor(playerId: string): number {
    const hand = Math.max(0, ...this.#deals.keys());
    const deal = this.#deals.get(hand);
    if (!deal || deal.dealt || deal.counts || !playerId) return 0;
    const seat = this.#opened?.seats.findIndex((held) => held.playerId === playerId) ?? -1;
    return deal.committed.awaited.includes(seat) ? hand : 0;
  }

  /** What this player contributes to a hand that was committed to: drawn once, and kept. */
  own(hand: number): Uint8Array {
    return this.#deals.get(hand)?.own ?? new Uint8Array(SECRET_BYTES);
  }

  /** Note that the table has taken the contribution. */
  given(hand: number): void {
    const deal = this.#deals.get(hand);
    if (deal) deal.counts = true;
  }

  #dealt(deal: Deal, hand: number, dealt: HandDealt): void {
    deal.dealt = dealt;
    if (!sameBytes(dealt.commitment, deal.committed.commitment)) {
      this.doubts.push(`Hand ${hand}: the deal has another commitment than was shown before it.`);
    }
    if (deal.counts && !dealt.contributions.some((given) => sameBytes(given, deal.own))) {
      this.doubts.push(`Hand ${hand}: your contribution, which the table took, is not part of the deal.`);
    }
  }

  async #ended(deal: Deal, hand: number, secret: Uint8Array): Promise<void> {
    // Browsers have SHA-256 on safe origins alone.
    if (!this.#opened || !globalThis.crypto?.subtle) return;
    const place = new TextEncoder().encode(`${this.#opened.tableId}/${this.#opened.match}/${hand}`);
    const said = new Uint8Array([...secret, ...place]);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", said));
    if (!sameBytes(digest, deal.committed.commitment)) {
      this.doubts.push(`Hand ${hand}: the secret does not fit the commitment.`);
    }
  }
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
