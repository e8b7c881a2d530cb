import { actionOf, type Move } from "@gouji/client";
import { Question } from "@gouji/client/v1/observation";
import { Reason } from "@gouji/client/v1/reasons";
import { describe, expect, test } from "vitest";
import { LANGUAGES, preferredLanguage } from "../src/i18n";
import { en } from "../src/i18n/en";
import { zh } from "../src/i18n/zh";
import { greyedBecause, otherMoves, passingAhead, playOf, wantedCount } from "../src/state/actions";
import { cardsLabel } from "../src/state/cardtext";
import { count, deckOf } from "../src/state/counter";
import type { Ask } from "../src/state/model";
import { chosen, groupsOf, kept, NOTHING, selectionOf, tap, tapWhole, withCount } from "../src/state/selection";
import { baseOf, suggestions } from "../src/state/suggest";
import { rankOfKey } from "../src/table/keys";

const plays = (...cards: string[]): Move[] => cards.map((each) => ({ verb: "play", cards: each }));

function asked(moves: Move[], question = Question.ANSWER): Ask {
  return { turn: 1n, question, moves, fallback: null, debt: null };
}

test("a debt is told to whoever owes or is owed", () => {
  expect(en.debt("You", "Ben", 1, "tribute")).toBe("You owe Ben 1 card: tribute.");
  expect(en.debt("Ben", "You", 2, "tribute")).toBe("Ben owes you 2 cards: tribute.");
});

describe("choosing cards", () => {
  const held = "Ww2AAAKK9996";

  test("they stand in groups, high to low", () => {
    expect(groupsOf(held).map((group) => `${group.rank}${group.held}`)).toEqual([
      "W1",
      "w1",
      "21",
      "A3",
      "K2",
      "93",
      "61",
    ]);
  });

  test("a tap takes a group whole at a lead, and as many as are wanted at an answer", () => {
    expect(chosen(tap(NOTHING, "9", 0, held, 0))).toBe("999");
    expect(chosen(tap(NOTHING, "9", 0, held, 2))).toBe("99");
    expect(chosen(tap(selectionOf("2"), "9", 0, held, 3))).toBe("299");
  });

  test("then a tap on a chosen card puts one back, and on another takes one more", () => {
    const two = selectionOf("99");
    expect(chosen(tap(two, "9", 0, held, 0))).toBe("9");
    expect(chosen(tap(two, "9", 2, held, 0))).toBe("999");
  });

  test("another base lets the one before go, but not what is added to it", () => {
    expect(chosen(tap(selectionOf("W299"), "K", 0, held, 0))).toBe("W2KK");
  });

  test("twos and jokers go one by one", () => {
    expect(chosen(tap(selectionOf("KK"), "W", 0, held, 0))).toBe("WKK");
    expect(chosen(tap(selectionOf("WKK"), "W", 0, held, 0))).toBe("KK");
  });

  test("a whole group is put back by the same key", () => {
    expect(chosen(tapWhole(NOTHING, "A", held))).toBe("AAA");
    expect(chosen(tapWhole(selectionOf("AAA"), "A", held))).toBe("");
    expect(chosen(tapWhole(selectionOf("A"), "A", held))).toBe("AAA");
  });

  test("no more can be chosen than is held, and what is played is chosen no longer", () => {
    expect(chosen(withCount(NOTHING, "K", 9, held))).toBe("KK");
    const standing = selectionOf("KK");
    expect(kept(standing, held)).toBe(standing);
    expect(chosen(kept(selectionOf("KKAA"), "KA"))).toBe("AK");
  });

  test("keys name ranks, tens by nought, and w the small joker first", () => {
    expect(["3", "0", "j", "K", "2", "w"].map((key) => rankOfKey(key, held))).toEqual(["3", "T", "J", "K", "2", "w"]);
    expect(rankOfKey("w", "W99")).toBe("W");
    expect(rankOfKey("p", held)).toBeNull();
  });
});

describe("suggesting", () => {
  test("cards that end the hand first, then the cheapest of each base, then the rest", () => {
    const found = suggestions(plays("WKK", "2KK", "KKK", "999", "299", "AAA"), "W2AAAKKK999").map((move) => move.cards);
    expect(found).toEqual(["999", "KKK", "AAA", "299", "2KK", "WKK"]);
    expect(suggestions(plays("K", "KK"), "KK").map((move) => move.cards)).toEqual(["KK", "K"]);
  });

  test("breaking a group costs more than a higher rank that is whole", () => {
    expect(suggestions(plays("77", "KK"), "KK777").map((move) => move.cards)).toEqual(["KK", "77"]);
  });

  test("the base of a play is its lowest rank", () => {
    expect(["2KK", "W", "Ww", "22", "W2"].map(baseOf)).toEqual(["K", "W", "w", "2", "2"]);
  });
});

describe("buttons", () => {
  const ask = asked([...plays("KKK", "AAA"), { verb: "pass", cards: "" }, { verb: "yield", cards: "" }]);

  test("lawful moves without cards have one each; a lawful choice can be played", () => {
    expect(otherMoves(ask).map((move) => move.verb)).toEqual(["pass", "yield"]);
    expect(playOf(ask, selectionOf("AAA"))?.cards).toBe("AAA");
    expect(playOf(ask, selectionOf("AA"))).toBeNull();
    expect(wantedCount(ask)).toBe(3);
  });

  test("a grey one says why, as far as no rule is needed for that", () => {
    expect(greyedBecause(null, NOTHING)).toBe("notAsked");
    expect(greyedBecause(ask, NOTHING)).toBe("nothingChosen");
    expect(greyedBecause(ask, selectionOf("99"))).toBe("wrongCount");
    expect(greyedBecause(ask, selectionOf("999"))).toBeNull();
    expect(greyedBecause(asked([{ verb: "pass", cards: "" }]), selectionOf("9"))).toBe("noPlays");
  });

  test("passing ahead passes, and lets a burn be asked", () => {
    expect(passingAhead(ask)?.verb).toBe("pass");
    expect(passingAhead(asked([{ verb: "close", cards: "" }], Question.LAST_WORD))?.verb).toBe("close");
    expect(passingAhead(asked([{ verb: "pass", cards: "" }], Question.BURN))).toBeNull();
  });
});

describe("the counter", () => {
  test("counts what nobody has seen and one does not hold", () => {
    const counted = count(deckOf(4, 0, 0), "WKK", ["W", "KKK", "", "", "", ""]);
    expect(counted[0]).toEqual({ rank: "W", total: 4, mine: 1, out: 2 });
    expect(counted.find((row) => row.rank === "K")).toMatchObject({ total: 16, mine: 2, out: 11 });
    expect(counted.at(-1)).toMatchObject({ rank: "3", out: 16 });
  });

  test("knows short packs", () => {
    const deck = deckOf(4, 6, 8);
    expect([deck["3"], deck["4"], deck["5"], deck.W]).toEqual([6, 8, 16, 4]);
  });
});

describe("languages", () => {
  test("say every reason, in both", () => {
    const words = Object.values(Reason)
      .filter((value): value is string => typeof value === "string" && value !== "UNSPECIFIED")
      .map((value) => value.toLowerCase());
    for (const texts of Object.values(LANGUAGES)) expect(words.filter((word) => !texts.reasons[word])).toEqual([]);
  });

  test("say every question, and have lists of the same length", () => {
    const questions = Object.values(Question).filter((value) => typeof value === "number");
    for (const texts of [en, zh]) for (const question of questions) expect(texts.ask[question]).toBeDefined();
    expect(zh.tutorial.steps).toHaveLength(en.tutorial.steps.length);
    expect(zh.settings.keyList).toHaveLength(en.settings.keyList.length);

    expect(Object.keys(zh.actions.verb)).toEqual(expect.arrayContaining(Object.keys(en.actions.verb)));
  });

  test("are chosen by what the reader reads", () => {
    expect(preferredLanguage(["de", "zh-CN"])).toBe("zh");
    expect(preferredLanguage(["en-GB"])).toBe("en");
  });

  test("write cards in groups", () => {
    expect(cardsLabel("WwAAT", en)).toBe("Big Small A×2 10");
    expect(cardsLabel("WwAAT", zh)).toBe("大王 小王 A×2 10");
  });
});

test("an action that is asked about is the move that is chosen", () => {
  expect(actionOf({ verb: "play", cards: "KK" }).kind.case).toBe("play");
});
