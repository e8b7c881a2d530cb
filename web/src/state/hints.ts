/** What to say to a beginner at each moment. Pure. */
import { Question } from "@gouji/client/v1/observation";
import type { Texts } from "../i18n";
import { wantedCount } from "./actions";
import type { TableModel } from "./model";

/** A sentence that helps; empty where the question says all. */
export function hintFor(model: TableModel, texts: Texts): string {
  const { ask } = model;
  if (!ask) return model.held && !model.asking ? texts.hint.wait : "";
  switch (ask.question) {
    case Question.LEAD:
      return texts.hint.lead;
    case Question.ANSWER:
      return texts.hint.answer(model.toBeat?.cards.length ?? wantedCount(ask));
    case Question.LAST_WORD:
      return texts.hint.lastWord;
    case Question.GOUJI:
      return texts.hint.gouji;
    case Question.BURN:
      return texts.hint.burn;
    default:
      return "";
  }
}
