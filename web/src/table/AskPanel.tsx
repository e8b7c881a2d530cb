/** A question that is not answered by a play: its own small dialogue, with what happens by default. */
import type { Move } from "@gouji/client";
import { Question } from "@gouji/client/v1/observation";
import { useState } from "react";
import { useTexts } from "../i18n";
import { Fan } from "../parts/Card";
import { playOfKind } from "../state/actions";
import { cardsLabel } from "../state/cardtext";
import type { Ask } from "../state/model";
import { chosen, type Selection } from "../state/selection";

/** More ways than this to do one thing are put into a list. */
const FEW = 4;

export interface AskPanelProps {
  ask: Ask;
  names: readonly string[];
  selection: Selection;
  sending: boolean;
  onMove: (move: Move) => void;
}

export function AskPanel({ ask, names, selection, sending, onMove }: AskPanelProps) {
  const texts = useTexts();
  const said = texts.ask[ask.question];
  const { debt, fallback } = ask;
  return (
    <section className="ask" role="dialog" aria-label={said.head} data-question={Question[ask.question]}>
      <h2>{said.head}</h2>
      {debt && (
        <p className="ask-debt">
          {texts.debt(
            names[debt.payer] ?? "",
            names[debt.receiver] ?? "",
            debt.cards,
            texts.debtKind[debt.kind] ?? debt.kind,
          )}
        </p>
      )}
      <p>{said.body}</p>
      {ask.question === Question.RETURN ? (
        <FromHand ask={ask} selection={selection} sending={sending} onMove={onMove} />
      ) : (
        <Ways ask={ask} names={names} sending={sending} onMove={onMove} />
      )}
      {fallback && <p className="ask-default">{texts.defaultIs(moveLabel(fallback, names, texts))}</p>}
    </section>
  );
}

/** Cards that are chosen in the hand below. */
function FromHand({ ask, selection, sending, onMove }: Omit<AskPanelProps, "names">) {
  const texts = useTexts();
  const cards = chosen(selection);
  const move = playOfKind(ask, "return", cards);
  return (
    <div className="ask-ways">
      {cards && <Fan cards={cards} label={cardsLabel(cards, texts)} />}
      <button
        type="button"
        className="button button-main"
        data-verb="return"
        disabled={!move || sending}
        onClick={() => move && onMove(move)}
      >
        {texts.actions.verb.return}
      </button>
    </div>
  );
}

/** A button for each way; many of one kind are a list. The default stands first and has the focus. */
function Ways({ ask, names, sending, onMove }: Omit<AskPanelProps, "selection">) {
  const texts = useTexts();
  const verbs = [...new Set(ask.moves.map((move) => move.verb))];
  return (
    <div className="ask-ways">
      {verbs.map((verb) => {
        const ways = ask.moves.filter((move) => move.verb === verb);
        if (ways.length > FEW) return <List key={verb} ways={ways} names={names} sending={sending} onMove={onMove} />;
        return ways.map((move) => {
          const usual = ask.fallback !== null && sameAs(move, ask.fallback);
          return (
            <button
              type="button"
              key={move.verb + move.cards + (move.target ?? "")}
              className={`button ${usual ? "button-main" : "button-quiet"} ${move.cards ? "button-cards" : ""}`}
              data-verb={move.verb}
              disabled={sending}
              onClick={() => onMove(move)}
            >
              {move.cards && <Fan cards={move.cards} label="" />}
              <span>{moveLabel(move, names, texts)}</span>
            </button>
          );
        });
      })}
    </div>
  );
}

function List({
  ways,
  names,
  sending,
  onMove,
}: {
  ways: Move[];
  names: readonly string[];
  sending: boolean;
  onMove: (move: Move) => void;
}) {
  const texts = useTexts();
  const [at, setAt] = useState(0);
  const verb = texts.actions.verb[ways[0]!.verb] ?? "";
  return (
    <span className="ask-list">
      <select aria-label={verb} value={at} onChange={(event) => setAt(Number(event.target.value))}>
        {ways.map((move, index) => (
          <option key={move.cards} value={index}>
            {moveLabel(move, names, texts)}
          </option>
        ))}
      </select>
      <button
        type="button"
        className="button button-quiet"
        data-verb={ways[0]!.verb}
        disabled={sending}
        onClick={() => onMove(ways[at] ?? ways[0]!)}
      >
        {verb}
      </button>
    </span>
  );
}

function sameAs(one: Move, other: Move): boolean {
  return one.verb === other.verb && one.cards === other.cards && one.target === other.target;
}

/** A move in words: `Pay Big`, `Pier: is last`. */
export function moveLabel(move: Move, names: readonly string[], texts: ReturnType<typeof useTexts>): string {
  const verb = texts.actions.verb[move.verb] ?? move.verb;
  if (move.target !== undefined) return `${names[move.target] ?? ""}: ${verb}`;
  return move.cards ? `${verb} ${cardsLabel(move.cards, texts)}` : verb;
}
