/** Play Gouji from TypeScript: sessions, queues, rooms and tables. The messages are in `@gouji/client/v1/...`. */
export * from "./cards.js";
export { type Credentials, inMemory, inStorage, type Keeper } from "./credentials.js";
export { DealWatch } from "./deals.js";
export { ClientError, type Failure, reasonWord } from "./errors.js";
export { actionOf, type Move, moveOf, moveText, sameMove, type Verb } from "./moves.js";
export { Patience } from "./patience.js";
export { Queue, SETTLED, type Wanted } from "./queue.js";
export { Rooms, type RoomWish } from "./rooms.js";
export { type Length, lengthOf, type Rules, rulesOf } from "./rules.js";
export { type Following, Session, type SessionOptions } from "./session.js";
export { newId, SERVER_HEADER, TableClient, type TableOptions, type Watching } from "./table.js";
export { type HandState, type SeatState, TableView, type TrickAct } from "./view.js";
