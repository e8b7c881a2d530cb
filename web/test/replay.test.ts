import { readdirSync, readFileSync } from "node:fs";
import { fromBinary } from "@bufbuild/protobuf";
import { base64Decode } from "@bufbuild/protobuf/wire";
import type { Event } from "@gouji/client/v1/events";
import { EventBatchSchema } from "@gouji/client/v1/table";
import { describe, expect, test } from "vitest";
import { en } from "../src/i18n/en";
import { zh } from "../src/i18n/zh";
import { tellAll } from "../src/state/log";
import { modelOf } from "../src/state/model";
import { handsAt, modelAt, stepsOf, viewAt } from "../src/state/replay";

const FOLDER = new URL("../../tests/client/recordings/", import.meta.url);

function eventsOf(name: string): Event[] {
  const kept = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
  return fromBinary(EventBatchSchema, base64Decode(kept.events)).events;
}

describe.each(readdirSync(FOLDER))("%s", (name) => {
  const events = eventsOf(name);
  const steps = stepsOf(events);

  test("can be stepped through, with hands that shrink as they are played", () => {
    expect(steps.length).toBeGreaterThan(50);
    const first = steps.find((step) => step.hand === 1)!;
    const dealt = handsAt(events, first)!;
    expect(dealt.map((hand) => hand.length)).toEqual([36, 36, 36, 36, 36, 36]);
    const ends = steps.filter((_, at) => steps[at + 1]?.hand !== steps[at]!.hand);
    for (const end of ends) {
      const hands = handsAt(events, end)!;
      const view = viewAt(events, end.events);
      for (const seat of view.hand.finished) expect(hands[seat]).toBe("");
      expect(modelAt(view, hands).seats).toHaveLength(6);
    }
  });

  test("a hand that is not over shows no cards", () => {
    const cut = events.slice(
      0,
      events.findIndex((event) => event.body.case === "handEnded"),
    );
    const steps = stepsOf(cut);
    expect(handsAt(cut, steps.at(-1)!)).toBeNull();
  });

  test("is told in both languages, a line for each act", () => {
    const names = ["A", "B", "C", "D", "E", "F"];
    const acts = events.filter((event) => event.body.case === "actionTaken").length;
    for (const texts of [en, zh]) {
      const lines = tellAll(events, names, texts);
      expect(lines.length).toBeGreaterThan(acts / 2);
      expect(lines.filter((line) => !line.text || /undefined|\[object/.test(line.text))).toEqual([]);
      expect(new Set(lines.map((line) => line.key)).size).toBe(lines.length);
    }
  });

  test("gives a model at every step", () => {
    for (const step of steps.filter((_, at) => at % 25 === 0)) {
      const model = modelOf(viewAt(events, step.events), null);
      expect(model.seats.map((seat) => seat.turned)).toEqual([0, 1, 2, 3, 4, 5]);
      expect(model.seats[0]!.seat).toBe(model.me ?? 0);
    }
  });
});
