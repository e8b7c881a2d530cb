/** Queueing for a table. */
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { ClientError } from "./errors.js";
import {
  type CreateTicketResponse,
  MatchmakingService,
  type Ticket,
  TicketState,
} from "./gen/gouji/v1/matchmaking_pb.js";
import { type Length, lengthOf, type Rules, rulesOf } from "./rules.js";
import type { Following, Session } from "./session.js";

/** States that a ticket never leaves. */
export const SETTLED: ReadonlySet<TicketState> = new Set([
  TicketState.MATCHED,
  TicketState.CANCELLED,
  TicketState.LAPSED,
  TicketState.MISSED,
]);

/** What somebody wants to play. */
export interface Wanted {
  /** Rule sets accepted, the dearest first; `standard` when empty. */
  rules?: Rules[];
  length?: Length;
  /** Milliseconds after which bots may fill the table; the server's default when unset. */
  botsAfter?: number;
  noBots?: boolean;
  /** The party that the caller leads. */
  partyId?: string;
  bothTeams?: boolean;
}

/** Tickets of the session's player. Failures throw `ClientError`. */
export class Queue {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Queue the player, or the party that it leads; asking again returns the ticket that stands. */
  createTicket(queue: string, wanted: Wanted = {}): Promise<CreateTicketResponse> {
    const request = {
      queue,
      rules: (wanted.rules ?? []).map(rulesOf),
      length: wanted.length && lengthOf(wanted.length),
      botsAfter: wanted.botsAfter === undefined ? undefined : durationFromMs(wanted.botsAfter),
      noBots: wanted.noBots ?? false,
      partyId: wanted.partyId ?? "",
      bothTeams: wanted.bothTeams ?? false,
    };
    return this.#session.call((options) => this.#client.createTicket(request, options));
  }

  /** The tickets in which the player waits or has a match to confirm, whoever made them. */
  async mine(): Promise<Ticket[]> {
    return (await this.#session.call((options) => this.#client.listTickets({}, options))).tickets;
  }

  /** Follow a ticket until it is settled; broken streams are opened again. */
  async *watch(ticketId: string, following: Following = {}): AsyncGenerator<Ticket, void> {
    const open = (options: object) => this.#client.watchTicket({ ticketId }, options);
    for await (const { ticket } of this.#session.follow(open, following)) {
      if (!ticket) continue;
      yield ticket;
      if (SETTLED.has(ticket.state)) return;
    }
  }

  /** Wait until a ticket is settled; a match is confirmed as soon as there is one. */
  async settled(ticketId: string, following: Following = {}): Promise<Ticket | null> {
    let last: Ticket | null = null;
    for await (const ticket of this.watch(ticketId, following)) {
      last = ticket;
      if (ticket.state === TicketState.GATHERING) await this.confirm(ticketId);
    }
    return last;
  }

  /** Say that the player is there; when it is too late, the watch says what has become of the ticket. */
  async confirm(ticketId: string): Promise<void> {
    try {
      await this.#session.call((options) => this.#client.confirmMatch({ ticketId }, options));
    } catch (thrown) {
      if (ClientError.of(thrown).reason !== "not_gathering") throw thrown;
    }
  }

  /** Leave the queue; refused with `ticket_claimed` when the ticket has a match already. */
  async cancel(ticketId: string): Promise<void> {
    await this.#session.call((options) => this.#client.cancelTicket({ ticketId }, options));
  }

  get #client() {
    return this.#session.client(MatchmakingService);
  }
}
