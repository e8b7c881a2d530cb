// @vitest-environment happy-dom
/** The history on the page: pages one after another, and another wish in place of them. */
import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { en } from "../src/i18n/en";

const asked = vi.hoisted(() => ({ lists: [] as { pageToken: string; filter: { preset: string } }[], fail: false }));

vi.mock("../src/net/session", () => {
  const one = (tableId: string) => ({
    tableId,
    preset: "qingdao",
    seat: 0,
    seats: [{ points: 1n }],
    teamPoints: [],
    hands: 1,
  });
  const history = {
    getStatistics: async () => ({ presets: [] }),
    listHistory: async (request: { pageToken: string; filter: { preset: string } }) => {
      asked.lists.push(request);
      if (asked.fail) throw new Error("out of order");
      if (request.filter.preset) return { matches: [], nextPageToken: "" };
      return request.pageToken
        ? { matches: [one("B")], nextPageToken: "" }
        : { matches: [one("A")], nextPageToken: "after A" };
    },
  };
  return { session: { call: async (run: (options: object) => unknown) => run({}), client: () => history } };
});

const { HistorySection } = await import("../src/screens/HistorySection");

let root: Root;
let place: HTMLElement;

beforeEach(async () => {
  (globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true;
  asked.lists.length = 0;
  asked.fail = false;
  place = document.body.appendChild(document.createElement("div"));
  root = createRoot(place);
  await act(async () => root.render(<HistorySection />));
});

afterEach(async () => {
  await act(async () => root.unmount());
  place.remove();
});

function shown(): string[] {
  return [...place.querySelectorAll<HTMLElement>("[data-match]")].map((line) => line.dataset.match ?? "");
}

async function more(): Promise<void> {
  await act(async () => place.querySelector<HTMLElement>("[data-more]")?.click());
}

describe("the history", () => {
  it("goes on where the page before ended, and says when there is no more", async () => {
    expect(shown()).toEqual(["A"]);
    await more();
    expect(shown()).toEqual(["A", "B"]);
    expect(asked.lists.map((request) => request.pageToken)).toEqual(["", "after A"]);
    expect(place.querySelector("[data-more]")).toBeNull();
  });

  it("keeps what it has when a page fails, and asks for the same page again", async () => {
    asked.fail = true;
    await more();
    expect(shown()).toEqual(["A"]);
    expect(place.querySelector(".warning")?.textContent).toBe(en.common.unreachable);
    asked.fail = false;
    await more();
    expect(shown()).toEqual(["A", "B"]);
    expect(place.querySelector(".warning")).toBeNull();
  });

  it("begins anew for another wish", async () => {
    await more();
    const preset = place.querySelector("select");
    await act(async () => {
      if (preset) preset.value = "japan";
      preset?.dispatchEvent(new Event("change", { bubbles: true }));
    });
    expect(shown()).toEqual([]);
    expect(asked.lists.at(-1)).toMatchObject({ pageToken: "", filter: { preset: "japan" } });
  });
});
