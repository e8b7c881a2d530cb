/** The cards that are chosen, and what becomes of them. */
import { Question } from "@gouji/client/v1/observation";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTexts } from "../i18n";
import { settings } from "../net/settings";
import { useStore } from "../net/store";
import { playOf, playsOf } from "../state/actions";
import { kept, NOTHING, type Selection, selectionOf } from "../state/selection";
import { suggestions } from "../state/suggest";
import type { Scene, Sitting } from "./sitting";

/** The choice, and the ways to change it. */
export interface Choosing {
  selection: Selection;
  select: (selection: Selection) => void;
  /** Choose what is suggested next. */
  hint: () => void;
  /** Send what is chosen, or ask first where the person wants that. */
  play: () => void;
  confirming: boolean;
  /** What to say of the suggestion. */
  told: string;
}

export function useChoice(sitting: Sitting, scene: Scene): Choosing {
  const texts = useTexts();
  const { confirm } = useStore(settings);
  const { ask, held } = scene.model;
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [confirming, setConfirming] = useState(false);
  const [told, setTold] = useState("");
  const at = useRef(-1);
  const standing = kept(selection, held);
  const turn = ask?.turn;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question begins anew
  useEffect(() => {
    at.current = -1;
    setConfirming(false);
    setTold("");
    if (ask?.question === Question.RETURN && ask.fallback) setSelection(selectionOf(ask.fallback.cards));
  }, [turn]);

  const select = useCallback((wanted: Selection) => {
    setSelection(wanted);
    setConfirming(false);
    setTold("");
  }, []);

  const hint = () => {
    if (!ask) return;
    const all = suggestions(playsOf(ask), held);
    if (!all.length) return setTold(texts.actions.hintNone);
    at.current = (at.current + 1) % all.length;
    select(selectionOf(all[at.current]!.cards));
    setTold(texts.actions.hintOf(at.current + 1, all.length));
  };

  const play = () => {
    const move = ask && playOf(ask, standing);
    if (!move || scene.sending) return;
    if (confirm && !confirming) return setConfirming(true);
    setConfirming(false);
    void sitting.act(move).then(() => {
      if (!sitting.scene.get().refused) setSelection(NOTHING);
    });
  };

  return { selection: standing, select, hint, play, confirming, told };
}
