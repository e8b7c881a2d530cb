/** Tables of one's own: five bots, at once. */
import type { RoomWish } from "@gouji/client";
import { PACES } from "../screens/wishes";
import { rooms } from "./session";

const PRACTICE = "gouji.practice";

/** Start a match with bots in a room of one's own; gives its table. A room that stands is used as it is wanted now. */
export async function playWithBots(settings: RoomWish): Promise<string> {
  const room = await rooms.create(settings);
  await rooms.change(settings);
  return rooms.start(room.matches + 1);
}

/** Start a practice match: weak bots that take their time, and no clock to speak of. */
export async function practise(preset = "standard"): Promise<string> {
  const table = await playWithBots({
    rules: { preset },
    length: { until: { case: "hands", value: 1 } },
    clock: { turnMs: 3_600_000, answersLeastMs: 20_000, answersMostMs: 25_000 },
    botLevel: "random",
    botPaceMs: PACES.slow,
  });
  sessionStorage.setItem(PRACTICE, table);
  return table;
}

/** Whether hints are shown at a table whatever is set. */
export function isPractice(tableId: string): boolean {
  return sessionStorage.getItem(PRACTICE) === tableId;
}
