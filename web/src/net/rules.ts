/** The engine's own table of rules, exported by `gouji rules json`; loaded when it is first wanted. */
import type { RuleSet } from "@gouji/client/v1/rules";
import { useEffect } from "react";
import { Store, useStore } from "./store";

/** Something in both languages. */
export interface Both {
  en: string;
  zh: string;
}

export interface ChoiceRow extends Both {
  word: string;
  term: string;
}

export interface OptionRow extends Both {
  name: string;
  clause: string;
  term: string;
  default: string;
  /** `switch`, `number`, `word` or `words`. */
  kind: "switch" | "number" | "word" | "words";
  least?: number;
  most?: number;
  choices: ChoiceRow[];
}

export interface PresetRow extends Both {
  name: string;
  term: string;
  /** What differs from the defaults. */
  values: Record<string, string>;
}

export interface RuleTable {
  presets: PresetRow[];
  chapters: (Both & { options: OptionRow[] })[];
}

/** The table, and what a rule set makes of it. */
export class Rules {
  readonly options: ReadonlyMap<string, OptionRow>;
  readonly presets: ReadonlyMap<string, PresetRow>;

  readonly table: RuleTable;

  constructor(table: RuleTable) {
    this.table = table;
    this.options = new Map(table.chapters.flatMap((chapter) => chapter.options).map((option) => [option.name, option]));
    this.presets = new Map(table.presets.map((preset) => [preset.name, preset]));
  }

  /** The value of an option in a rule set, as text. */
  value(rules: Pick<RuleSet, "preset" | "overrides"> | undefined, option: string): string {
    const preset = this.presets.get(rules?.preset || "standard");
    return rules?.overrides[option] ?? preset?.values[option] ?? this.options.get(option)?.default ?? "";
  }
}

const loaded = new Store<Rules | null>(null);
let loading: Promise<void> | null = null;

async function load(): Promise<void> {
  const { default: address } = await import("../rules.json?url");
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.statusText);
  loaded.set(new Rules(await answer.json()));
}

/** Load them, again where it failed before. */
function loadOnce(): Promise<void> {
  if (!loading) {
    loading = load().catch(() => {
      loading = null;
    });
  }
  return loading;
}

/** The rules, or null until they are there. */
export function useRules(): Rules | null {
  useEffect(() => void loadOnce(), []);
  return useStore(loaded);
}
