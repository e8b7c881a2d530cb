/** What a person has set in this browser. */
import { type Language, preferredLanguage } from "../i18n";
import { Store } from "./store";

export interface Settings {
  language: Language;
  /** A second tap sends a play. */
  confirm: boolean;
  fourColours: boolean;
  motion: "system" | "full" | "less";
  sound: boolean;
  size: "small" | "normal" | "large";
  order: "high" | "low";
  hints: boolean;
}

const KEY = "gouji.settings";

function defaults(): Settings {
  return {
    language: preferredLanguage(navigator.languages ?? [navigator.language]),
    confirm: false,
    fourColours: false,
    motion: "system",
    sound: false,
    size: "normal",
    order: "high",
    hints: false,
  };
}

function load(): Settings {
  try {
    return { ...defaults(), ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return defaults();
  }
}

export const settings = new Store<Settings>(load());

/** Change settings, and keep them. */
export function change(wanted: Partial<Settings>): void {
  settings.patch(wanted);
  try {
    localStorage.setItem(KEY, JSON.stringify(settings.get()));
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
}
