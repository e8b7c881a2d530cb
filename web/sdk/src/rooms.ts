/** Rooms: private tables with an invite code. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { ClientError } from "./errors.js";
import {
  type ListRoomsRequestSchema,
  type Room,
  RoomService,
  type RoomSettingsSchema,
  type RoomSummary,
} from "./gen/gouji/v1/room_pb.js";
import type { Following, Session } from "./session.js";

/** How a room plays: `RoomSettings`, as far as they differ from the server's defaults. */
export type RoomWish = MessageInitShape<typeof RoomSettingsSchema>;

/** The room of the session's player. Every call may be repeated; failures throw `ClientError`. Seats count from 0. */
export class Rooms {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Open a room; whoever is host of one gets that one, as it is. */
  async create(settings: RoomWish): Promise<Room> {
    return here((await this.#session.call((options) => this.#client.createRoom({ settings }, options))).room);
  }

  /** Come in by an invite code: to a seat, to any that is free, or without one. */
  async join(code: string, how: { seat?: number; spectate?: boolean } = {}): Promise<Room> {
    return this.#join({ case: "code", value: code }, how);
  }

  /** Come into a room of the list. */
  async joinListed(roomId: string, how: { seat?: number; spectate?: boolean } = {}): Promise<Room> {
    return this.#join({ case: "roomId", value: roomId }, how);
  }

  /** Follow the room until the player is in it no longer; throws `no_room` when it is in none from the beginning. */
  async *watch(following: Following = {}): AsyncGenerator<Room, void> {
    let begun = false;
    try {
      for await (const { room } of this.#session.follow((options) => this.#client.watchRoom({}, options), following)) {
        if (!room) return;
        begun = true;
        yield room;
      }
    } catch (thrown) {
      if (!begun || ClientError.of(thrown).reason !== "no_room") throw thrown;
    }
  }

  /** Play otherwise from the next match on. */
  async change(settings: RoomWish): Promise<Room> {
    return here((await this.#session.call((options) => this.#client.changeRoom({ settings }, options))).room);
  }

  /** Take another seat, or stand up with null; a host moves others, too. */
  async move(seat: number | null, playerId = ""): Promise<Room> {
    const request = { playerId, seatPlusOne: seat === null ? 0 : seat + 1 };
    return here((await this.#session.call((options) => this.#client.moveSeat(request, options))).room);
  }

  /** Send somebody away for good. */
  async kick(playerId: string): Promise<Room> {
    return here((await this.#session.call((options) => this.#client.kickPlayer({ playerId }, options))).room);
  }

  /** Make another one host. */
  async handOver(playerId: string): Promise<Room> {
    return here((await this.#session.call((options) => this.#client.handOverRoom({ playerId }, options))).room);
  }

  /** Start a match, `Room.matches` plus one; gives its table. With `swapSides` the teams change sides. */
  async start(match: number, swapSides = false): Promise<string> {
    return (await this.#session.call((options) => this.#client.startRoom({ match, swapSides }, options))).tableId;
  }

  /** Leave the room. */
  async leave(): Promise<void> {
    await this.#session.call((options) => this.#client.leaveRoom({}, options));
  }

  /** Open rooms that anybody may join, the newest first. */
  async listed(wanted: MessageInitShape<typeof ListRoomsRequestSchema> = {}): Promise<RoomSummary[]> {
    return (await this.#session.call((options) => this.#client.listRooms(wanted, options))).rooms;
  }

  async #join(
    which: { case: "code"; value: string } | { case: "roomId"; value: string },
    how: { seat?: number; spectate?: boolean },
  ): Promise<Room> {
    const request = {
      which,
      seatPlusOne: how.seat === undefined ? 0 : how.seat + 1,
      spectate: how.spectate ?? false,
    };
    return here((await this.#session.call((options) => this.#client.joinRoom(request, options))).room);
  }

  get #client() {
    return this.#session.client(RoomService);
  }
}

function here(room: Room | undefined): Room {
  if (!room) throw new TypeError("The server sent no room.");
  return room;
}
