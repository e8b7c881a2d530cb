import { readdirSync, readFileSync } from "node:fs";
import { fromBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import { describe, expect, test } from "vitest";
import { EventBatchSchema, WatchResponseSchema } from "../src/gen/gouji/v1/table_pb.js";
import { moveText, ranksOf, TableView } from "../src/index.js";

const FOLDER = new URL("../../../tests/client/recordings/", import.meta.url);

interface Recording {
  events: string;
  views: Record<string, unknown>[];
  begins: string[];
}

function load(name: string) {
  const kept: Recording = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
  return {
    events: fromBinary(EventBatchSchema, base64Decode(kept.events)).events,
    views: new Map(kept.views.map((view) => [Number(view.sequence), view])),
    begins: kept.begins.map((begin) => fromBinary(WatchResponseSchema, base64Decode(begin))),
  };
}

/** A view as the recordings have it. */
function told(view: TableView): Record<string, unknown> {
  const marks = ["connected", "away", "left", "opened", "revolted", "struck", "stuck"] as const;
  return {
    sequence: Number(view.sequence),
    seat: view.seat,
    turn: [Number(view.turn.number), view.turn.seatPlusOne, view.turn.question],
    hand: view.hand.number,
    cards: ranksOf(view.hand.cards),
    trick: view.hand.trick.map((act) => `${act.seat} ${moveText(act)}`),
    finished: view.hand.finished,
    scramble: view.hand.scramble,
    contested: view.hand.contested,
    played: view.seats.map((seat) => seat.played),
    places: view.seats.map((seat) => seat.place),
    marks: view.seats.map(
      (seat) =>
        marks
          .filter((mark) => seat[mark])
          .map((mark) => `${mark} `)
          .join("") + (seat.chokedBy === null ? "" : `choked by ${seat.chokedBy}`),
    ),
    over: view.over,
  };
}

describe.each(readdirSync(FOLDER))("%s", (name) => {
  const { events, views, begins } = load(name);

  test("folding it gives its views", () => {
    const view = new TableView();
    let checked = 0;
    for (const event of events) {
      view.fold(event);
      const kept = views.get(Number(view.sequence));
      if (!kept) continue;
      expect(told(view)).toEqual(kept);
      checked += 1;
    }
    expect(checked).toBe(views.size);
    expect(checked).toBeGreaterThan(10);
  });

  test("a watch that begins late goes on to the same views", () => {
    expect(begins.length).toBeGreaterThan(0);
    for (const { start, snapshot, presence } of begins) {
      const view = new TableView();
      if (start) view.begin(start, snapshot, presence);
      expect(told(view)).toEqual(views.get(Number(view.sequence)));
      for (const event of events.slice(Number(view.sequence))) view.fold(event);
      expect(told(view)).toEqual(views.get(Number(view.sequence)));
    }
  });
});

test("an event that does not follow is refused", () => {
  const { events } = load("standard.json");
  expect(() => new TableView().fold(events[1]!)).toThrow("event 2 does not follow 0");
});
