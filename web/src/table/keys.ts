/** The keys of the table's page; in a dialogue, a field or on a button the keys are its own. */
import { countOf } from "@gouji/client";
import { useEffect, useRef } from "react";
import { type Selection, tapWhole, WILD, withCount } from "../state/selection";
import type { PanelName } from "./TopBar";

export interface TableKeys {
  selection: Selection;
  held: string;
  select: (selection: Selection) => void;
  play: () => void;
  hint: () => void;
  clear: () => void;
  decline: () => void;
  yield: () => void;
  panel: (name: PanelName) => void;
}

const PANELS: Record<string, PanelName> = { c: "counter", l: "log", t: "trick", s: "chat" };

/** Which rank a key chooses; `W` the big joker if it is held, else the small one. */
export function rankOfKey(key: string, held: string): string | null {
  if (/^[3-9]$/.test(key)) return key;
  if (key === "0") return "T";
  if (key === "2") return "2";
  const upper = key.toUpperCase();
  if ("JQKA".includes(upper) && key.length === 1) return upper;
  if (upper === "W") return held.includes("w") ? "w" : "W";
  return null;
}

export function useTableKeys(keys: TableKeys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isBusy(event)) return;
      if (act(event, latest.current)) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Whether the key belongs to what has the focus. */
function isBusy(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (document.querySelector("dialog[open]")) return true;
  if (target.closest("input, select, textarea")) return true;
  return (event.key === "Enter" || event.key === " ") && target.closest("button, a") !== null;
}

function act(event: KeyboardEvent, keys: TableKeys): boolean {
  const { key } = event;
  const rank = rankOfKey(key, keys.held);
  if (rank && keys.held.includes(rank)) {
    keys.select(chosenByKey(keys, rank));
    return true;
  }
  const named: Record<string, () => void> = {
    Enter: keys.play,
    Escape: keys.clear,
    p: keys.decline,
    y: keys.yield,
    h: keys.hint,
  };
  const lower = key.length === 1 ? key.toLowerCase() : key;
  const panel = PANELS[lower];
  if (panel) keys.panel(panel);
  else if (named[lower]) named[lower]();
  else return false;
  return true;
}

/** A rank is taken whole, and put back when it is; twos and jokers one more with each press, then none. */
function chosenByKey({ selection, held }: TableKeys, rank: string): Selection {
  if (!WILD.includes(rank)) return tapWhole(selection, rank, held);
  const count = selection[rank] ?? 0;
  return withCount(selection, rank, count === countOf(held, rank) ? 0 : count + 1, held);
}
