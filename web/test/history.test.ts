/** What a player looks back on: lines of matches, sums, and which are asked for. */
import { create } from "@bufbuild/protobuf";
import { MatchOutcome, MatchSummarySchema, StatisticsSchema } from "@gouji/client/v1/history";
import { describe, expect, it } from "vitest";
import { en } from "../src/i18n/en";
import { zh } from "../src/i18n/zh";
import { filterOf, pastMatch, totalsOf } from "../src/state/history";

const NOW = 1_800_000_000_000;

const SEATS = [
  { playerId: "p0", name: "Ben", points: 3n },
  { playerId: "p1", name: "Ann", points: -3n },
  { botLevel: "greedy", points: 1n },
  { botLevel: "planner", points: -2n },
  { playerId: "p4", name: "", points: 2n },
  { botLevel: "greedy", points: -1n },
];

describe("a match that is over", () => {
  it("shows the own team's points first, and who else sat there", () => {
    const match = create(MatchSummarySchema, {
      tableId: "T",
      preset: "standard",
      hands: 3,
      rated: true,
      seats: SEATS,
      seat: 1,
      teamPoints: [6n, -6n],
      outcome: MatchOutcome.LOST,
      ended: { seconds: 1_700_000_000n },
    });
    expect(pastMatch(match)).toEqual({
      tableId: "T",
      preset: "standard",
      hands: 3,
      rated: true,
      ended: 1_700_000_000_000,
      outcome: "lost",
      score: "-6 : 6",
      people: ["Ben"],
      bots: 3,
    });
  });

  it("shows one's own points where there are no teams, and that it was given up", () => {
    const match = pastMatch(create(MatchSummarySchema, { seats: SEATS, seat: 0 }));
    expect([match.score, match.outcome]).toEqual(["3", "givenUp"]);
  });

  it("names people before bots in both languages", () => {
    expect(en.me.company(["Ben"], 1)).toBe("with Ben, 1 bot");
    expect(en.me.company([], 5)).toBe("with 5 bots");
    expect(zh.me.company(["阿本"], 4)).toBe("同桌：阿本、4 个机器人");
  });
});

describe("which matches", () => {
  it("are all without a wish", () => {
    expect(filterOf({ preset: "", kind: "all", days: 0 }, NOW)).toEqual({ preset: "" });
  });

  it("are those of some rules, of a kind, of some days", () => {
    expect(filterOf({ preset: "qingdao", kind: "casual", days: 7 }, NOW)).toEqual({
      preset: "qingdao",
      rated: false,
      since: { seconds: 1_800_000_000n - 604_800n, nanos: 0 },
    });
    expect(filterOf({ preset: "", kind: "rated", days: 0 }, NOW).rated).toBe(true);
  });
});

describe("sums", () => {
  it("are over all presets, with the mean of all places", () => {
    const one = create(StatisticsSchema, {
      matches: 2,
      won: 1,
      lost: 1,
      hands: 3,
      points: 4n,
      places: [2, 1, 0, 0, 0, 0],
    });
    const other = create(StatisticsSchema, {
      matches: 1,
      drawn: 1,
      hands: 1,
      points: -6n,
      places: [0, 0, 0, 0, 0, 1],
      burnsTried: 2,
      burnsWon: 1,
    });
    expect(totalsOf([one, other])).toEqual({
      matches: 3,
      won: 1,
      drawn: 1,
      lost: 1,
      hands: 4,
      points: -2n,
      places: [2, 1, 0, 0, 0, 1],
      averagePlace: 2.5,
      burnsTried: 2,
      burnsWon: 1,
    });
  });

  it("have no mean place without a hand", () => {
    expect(totalsOf([]).averagePlace).toBe(0);
  });
});
