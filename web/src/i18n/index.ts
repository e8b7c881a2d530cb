/** The language of the page. */
import { createContext, use } from "react";
import type { Texts } from "./en";
import { en } from "./en";
import { zh } from "./zh";

export type Language = "zh" | "en";
export type { Texts };

export const LANGUAGES: Record<Language, Texts> = { zh, en };

/** Chinese for who reads it, else English. */
export function preferredLanguage(languages: readonly string[]): Language {
  return languages.some((language) => language.toLowerCase().startsWith("zh")) ? "zh" : "en";
}

export const TextsContext = createContext<Texts>(en);

/** The texts in the language that is set. */
export function useTexts(): Texts {
  return use(TextsContext);
}
