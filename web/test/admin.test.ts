/** The pages for those who look after the game: whose token is good for what, and how long things last. */
import { describe, expect, it } from "vitest";
import { en } from "../src/admin/en";
import { endOf, LENGTHS, timeText } from "../src/admin/length";
import { type Pass, passFor, readPass, withPass } from "../src/admin/permits";
import { zh } from "../src/admin/zh";

const NOW = 1_800_000_000_000;

function token(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256" })}.${part(claims)}.c2lnbmF0dXJl`;
}

function pass(role: Pass["role"], name: string = role, expires = NOW + 1000): Pass {
  return { role, name, token: `${role}-${name}`, expires };
}

describe("a token", () => {
  it("says who holds it, in which role, and until when, whatever letters the name has", () => {
    const text = token({ aud: "director", sub: "李 Dora", name: "李 Dora", exp: NOW / 1000 + 60 });
    expect(readPass(` ${text}\n`, NOW)).toEqual({
      role: "director",
      name: "李 Dora",
      token: text,
      expires: NOW + 60_000,
    });
  });

  it("is of no use when it is over, a player's, a service's, or none", () => {
    for (const claims of [
      { aud: "director", name: "Dora", exp: NOW / 1000 },
      { aud: "director", name: "Dora" },
      { aud: "player", name: "Ann", exp: NOW },
      { aud: "service", name: "table", exp: NOW },
      { aud: "operator", exp: NOW },
    ]) {
      expect(readPass(token(claims), NOW)).toBeNull();
    }
    for (const text of ["", "a.b.c", "nothing", token({}).slice(0, 30)]) expect(readPass(text, NOW)).toBeNull();
  });
});

describe("what a role may do", () => {
  const moderator = pass("moderator");
  const operator = pass("operator");
  const director = pass("director");

  it("is more for an operator than for a moderator, and cards are a director's alone", () => {
    expect(passFor("operate", [moderator, director], NOW)).toBeNull();
    expect(passFor("operate", [moderator, operator], NOW)).toBe(operator);
    expect(passFor("moderate", [director], NOW)).toBeNull();
    expect(passFor("moderate", [operator, moderator], NOW)).toBe(moderator);
    expect(passFor("openCards", [operator, moderator], NOW)).toBeNull();
    expect(passFor("openCards", [operator, director], NOW)).toBe(director);
    expect(passFor("look", [director], NOW)).toBe(director);
    expect(passFor("look", [], NOW)).toBeNull();
  });

  it("ends with the token", () => {
    expect(passFor("operate", [operator], operator.expires)).toBeNull();
  });

  it("keeps one token of each role, the last", () => {
    const other = pass("operator", "Otto");
    expect(withPass([moderator, operator], other)).toEqual([moderator, other]);
  });
});

describe("a ban's end", () => {
  it("lies as many hours ahead as was chosen, and is not there without one", () => {
    expect(endOf(24, NOW + 999)).toEqual({ seconds: BigInt(NOW / 1000 + 86_400), nanos: 0 });
    expect(endOf(0, NOW)).toBeUndefined();
  });

  it("has words in both languages for each length that is offered", () => {
    for (const texts of [en, zh]) expect(LENGTHS.map((hours) => texts.players.lengths[hours])).not.toContain(undefined);
  });

  it("is written in the page's language", () => {
    expect(timeText(undefined, "en")).toBe("");
    expect(timeText(endOf(24, NOW), "en")).toMatch(/27/);
  });
});

describe("the texts", () => {
  it("name everything that reports and sanctions can be in both languages", () => {
    for (const texts of [en, zh]) {
      expect(Object.keys(texts.reports.kinds)).toEqual(["1", "2", "3", "4", "5"]);
      expect(Object.keys(texts.players.kinds)).toEqual(["1", "2"]);
    }
  });
});
