/** What is one's own: the question, the buttons, the hand. */
import type { ReactNode } from "react";
import { useTexts } from "../i18n";
import { settings } from "../net/settings";
import { useStore } from "../net/store";
import { inTheBar, wantedCount } from "../state/actions";
import { hintFor } from "../state/hints";
import { ActionBar } from "./ActionBar";
import { Hand } from "./Hand";
import type { Scene, Sitting } from "./sitting";
import type { Choosing } from "./useChoice";
import { useWhyNot } from "./useWhyNot";

export function Mine({
  scene,
  sitting,
  choice,
  practice,
}: {
  scene: Scene;
  sitting: Sitting;
  choice: Choosing;
  practice: boolean;
}) {
  const texts = useTexts();
  const wishes = useStore(settings);
  const { model, client } = scene;
  const whyNot = useWhyNot(model.ask, choice.selection, (move) => sitting.refusal(move));
  const hint = wishes.hints || practice ? hintFor(model, texts) : "";
  const dialogue = model.ask !== null && !inTheBar(model.ask.question);
  return (
    <section className={`mine ${model.asking ? "mine-asked" : ""}`} aria-label={texts.table.yourHand}>
      <QuestionLine scene={scene} hint={choice.told || hint} why={whyNot.needed ? whyNot.why : ""} />
      {!dialogue && (
        <ActionBar
          choice={choice}
          ask={model.ask}
          held={model.held}
          sending={scene.sending !== null}
          passAhead={scene.passAhead}
          onMove={(move) => void sitting.act(move)}
          onPassAhead={(wanted) => sitting.setPassAhead(wanted)}
          instead={insteadOfBar(scene, texts)}
          why={whyNot.why}
        />
      )}
      {model.held && (
        <Hand
          cards={client.view.hand.cards}
          held={model.held}
          selection={choice.selection}
          onSelect={choice.select}
          wanted={wantedCount(model.ask)}
          lowFirst={wishes.order === "low"}
          idle={model.me !== null && client.view.seats[model.me]!.struck}
        />
      )}
    </section>
  );
}

function QuestionLine({ scene, hint, why }: { scene: Scene; hint: string; why: string }) {
  const texts = useTexts();
  const { ask, asking } = scene.model;
  const asked = ask && inTheBar(ask.question) ? texts.ask[ask.question] : null;
  const refused = scene.refused ? (texts.reasons[scene.refused] ?? scene.refused) : "";
  return (
    <p className={`question ${asked ? "question-asked" : ""} ${refused ? "question-refused" : ""}`} role="status">
      {refused ? (
        refused
      ) : asked ? (
        <>
          <strong>{asked.head}</strong>{" "}
          <span className={why && !hint ? "question-why" : ""}>{hint || why || asked.body}</span>
        </>
      ) : scene.sealed !== null && !asking ? (
        texts.table.sealed
      ) : (
        hint
      )}
    </p>
  );
}

function insteadOfBar(scene: Scene, texts: ReturnType<typeof useTexts>): ReactNode {
  const { view } = scene.client;
  if (scene.model.me === null) return view.hand.number ? texts.table.watching : "";
  if (view.left) return texts.table.leftForGood;
  if (view.hand.number && !scene.model.held && !scene.model.ask && !view.over) return texts.table.noCards;
  return null;
}
