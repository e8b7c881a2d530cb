/** Why the chosen cards cannot be played: at once where that needs no rule, else in the table's own words. */
import type { Move } from "@gouji/client";
import { useEffect, useState } from "react";
import { useTexts } from "../i18n";
import { greyedBecause, playOf } from "../state/actions";
import type { Ask } from "../state/model";
import { chosen, type Selection } from "../state/selection";

/** The table is asked when a choice has stood for so many milliseconds. */
const STANDS_MS = 200;

/** `refusal` asks the table. `needed` says whether it is more than that nothing is chosen yet. */
export function useWhyNot(
  ask: Ask | null,
  selection: Selection,
  refusal: (move: Move) => Promise<string>,
): { why: string; needed: boolean } {
  const texts = useTexts();
  const [reason, setReason] = useState("");
  const cards = chosen(selection);
  const plain = greyedBecause(ask, selection);
  const open = ask !== null && plain === null && playOf(ask, selection) === null;
  const verb = ask?.moves.find((move) => move.verb === "burn")?.verb ?? "play";
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again for other cards or another turn
  useEffect(() => {
    setReason("");
    if (!open) return;
    let stands = true;
    const timer = setTimeout(() => {
      void refusal({ verb, cards }).then((found) => stands && setReason(found));
    }, STANDS_MS);
    return () => {
      stands = false;
      clearTimeout(timer);
    };
  }, [open, cards, ask?.turn]);
  if (plain) return { why: texts.actions.greyed[plain], needed: plain === "noPlays" || plain === "wrongCount" };
  return { why: reason ? (texts.reasons[reason] ?? "") : "", needed: reason !== "" };
}
