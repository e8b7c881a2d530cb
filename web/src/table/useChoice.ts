/** The cards that are chosen, and what becomes of them. */
import { sameMove } from "@gouji/client";
import { Question } from "@gouji/client/v1/observation";
import { useCallback, useEffect, useRef, useState } from "react";
import { useTexts } from "../i18n";
import { settings } from "../net/settings";
import { useStore } from "../net/store";
import { playOf, playsOf } from "../state/actions";
import type { Ask } from "../state/model";
import { kept, NOTHING, type Selection, selectionOf } from "../state/selection";
import { suggestions } from "../state/suggest";
import { moveLabel } from "./AskPanel";
import type { Scene, Sitting } from "./sitting";

/** The choice, and the ways to change it. */
export interface Choosing {
  selection: Selection;
  select: (selection: Selection) => void;
  /** Choose what is suggested next; for those who want hints first what a good bot would do, and say why. */
  hint: () => void;
  /** Send what is chosen, or ask first where the person wants that. */
  play: () => void;
  confirming: boolean;
  /** What to say of the suggestion. */
  told: string;
}

export function useChoice(sitting: Sitting, scene: Scene, names: readonly string[], practice: boolean): Choosing {
  const texts = useTexts();
  const { confirm, hints } = useStore(settings);
  const { ask, held } = scene.model;
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [confirming, setConfirming] = useState(false);
  const [told, setTold] = useState("");
  const at = useRef(-1);
  const advised = useRef<bigint>(undefined);
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

  const advise = async (asked: Ask) => {
    advised.current = asked.turn;
    const advice = await sitting.advice();
    if (sitting.scene.get().model.ask?.turn !== asked.turn) return;
    if (!advice) return suggest(asked);
    select(playsOf(asked).some((move) => sameMove(move, advice.move)) ? selectionOf(advice.move.cards) : NOTHING);
    setTold(texts.actions.advice(moveLabel(advice.move, names, texts), advice.why));
  };

  const hint = () => {
    if (!ask) return;
    const wanted = (hints || practice) && advised.current !== ask.turn;
    if (wanted) void advise(ask);
    else suggest(ask);
  };

  const suggest = (asked: Ask) => {
    const all = suggestions(playsOf(asked), held);
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
