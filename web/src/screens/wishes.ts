/** What somebody wants to play, kept in the browser for the next time. */
import { useState } from "react";

export const PRESETS = ["standard", "qingdao", "lianzhong", "free_for_all", "japan", "korea", "shandong_64"] as const;
export const HANDS = ["1", "3", "6"] as const;

/** How long bots seem to think, in milliseconds. */
export const PACES = { slow: 2_500, normal: 1_200, fast: 300, none: 0 } as const;

export interface PlayWish {
  preset: string;
  against: "bots" | "people";
  bots: string;
  pace: keyof typeof PACES;
  hands: (typeof HANDS)[number];
}

const KEY = "gouji.wish";
const USUAL: PlayWish = { preset: "standard", against: "bots", bots: "greedy", pace: "normal", hands: "1" };

function load(): PlayWish {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return USUAL;
  }
}

/** The wish, and a way to change some of it. */
export function usePlayWish(): [PlayWish, (change: Partial<PlayWish>) => void] {
  const [wish, setWish] = useState(load);
  const change = (some: Partial<PlayWish>) => {
    const wanted = { ...wish, ...some };
    setWish(wanted);
    localStorage.setItem(KEY, JSON.stringify(wanted));
  };
  return [wish, change];
}
