/** The bar below the table: what one may do now, and why not what is grey. */
import type { Move } from "@gouji/client";
import type { ReactNode } from "react";
import { useTexts } from "../i18n";
import { Icon } from "../parts/Icon";
import { otherMoves, playOf } from "../state/actions";
import { cardsLabel, rankName } from "../state/cardtext";
import type { Ask } from "../state/model";
import { groupsOf, type Selection, sizeOf, WILD, withCount } from "../state/selection";
import type { Choosing } from "./useChoice";

export interface ActionBarProps {
  ask: Ask | null;
  held: string;
  choice: Choosing;
  onMove: (move: Move) => void;
  sending: boolean;
  passAhead: boolean;
  onPassAhead: (wanted: boolean) => void;
  /** What stands in place of buttons: that one is out, or watches. */
  instead?: ReactNode;
  /** Why the chosen cards cannot be played; empty when they can. */
  why: string;
}

export function ActionBar(props: ActionBarProps) {
  const texts = useTexts();
  const { ask, held } = props;
  const { selection, select } = props.choice;
  if (props.instead) return <div className="bar bar-instead">{props.instead}</div>;
  return (
    <div className="bar" role="group" aria-label={texts.table.yourTurn}>
      <Steppers held={held} selection={selection} onSelect={select} />
      <div className="bar-buttons">
        {ask ? <OtherMoves {...props} ask={ask} /> : <PassAhead {...props} />}
        <button
          type="button"
          className="button button-quiet button-icon"
          data-verb="hint"
          disabled={!ask}
          onClick={props.choice.hint}
        >
          <Icon name="hint" />
          <span>{texts.actions.hint}</span>
        </button>
        {sizeOf(selection) > 0 && (
          <button
            type="button"
            className="icon-button"
            data-verb="clear"
            aria-label={texts.actions.clear}
            onClick={() => select({})}
          >
            <Icon name="close" />
          </button>
        )}
        <PlayButton {...props} />
      </div>
      <p id="why-not" className="why-not">
        {props.why}
      </p>
    </div>
  );
}

/** What one may do beside playing the chosen cards. */
function OtherMoves({ ask, sending, onMove }: { ask: Ask } & Pick<ActionBarProps, "sending" | "onMove">) {
  const texts = useTexts();
  return otherMoves(ask).map((move) => (
    <button
      type="button"
      key={move.verb + move.cards + (move.target ?? "")}
      className="button button-quiet"
      data-verb={move.verb}
      disabled={sending}
      onClick={() => onMove(move)}
    >
      {texts.actions.verb[move.verb]}
    </button>
  ));
}

/** Has the next questions of the trick passed, while nothing is asked. */
function PassAhead({ passAhead, onPassAhead }: Pick<ActionBarProps, "passAhead" | "onPassAhead">) {
  const texts = useTexts();
  return (
    <button
      type="button"
      className={`button button-quiet ${passAhead ? "button-on" : ""}`}
      aria-pressed={passAhead}
      data-verb="pass-ahead"
      onClick={() => onPassAhead(!passAhead)}
    >
      {passAhead ? texts.actions.passAheadOn : texts.actions.passAhead}
    </button>
  );
}

/** Sends what is chosen; grey while that is not lawful. */
function PlayButton({ ask, choice, sending }: ActionBarProps) {
  const texts = useTexts();
  const burning = ask?.moves.some((move) => move.verb === "burn") ?? false;
  const play = ask && playOf(ask, choice.selection);
  const leads = ask !== null && !ask.moves.some((move) => move.verb === "pass" || move.verb === "close");
  const label = burning ? texts.actions.burn : leads ? texts.actions.lead : texts.actions.play;
  return (
    <button
      type="button"
      className={`button button-main ${burning ? "button-burn" : ""}`}
      data-verb="play"
      aria-disabled={!play || sending}
      aria-describedby="why-not"
      onClick={() => play && !sending && choice.play()}
    >
      {sending
        ? texts.table.sending
        : choice.confirming && play
          ? texts.actions.confirm(cardsLabel(play.cards, texts))
          : label}
    </button>
  );
}

/** Twos and jokers are added one by one. */
function Steppers({
  held,
  selection,
  onSelect,
}: {
  held: string;
  selection: Selection;
  onSelect: (selection: Selection) => void;
}) {
  const texts = useTexts();
  const wild = groupsOf(held)
    .filter((group) => WILD.includes(group.rank))
    .reverse();
  if (!wild.length) return null;
  return (
    <div className="steppers" role="group" aria-label={texts.actions.add}>
      {wild.map(({ rank, held: all }) => {
        const count = selection[rank] ?? 0;
        const name = rankName(rank, texts);
        return (
          <span key={rank} className={`stepper stepper-${rank} ${count ? "stepper-on" : ""}`}>
            <button
              type="button"
              aria-label={texts.actions.removeOf(name)}
              disabled={!count}
              onClick={() => onSelect(withCount(selection, rank, count - 1, held))}
            >
              <Icon name="minus" size={16} />
            </button>
            <span className="stepper-count">
              {texts.jokerShort[rank] ?? rank}
              <b>
                {count}/{all}
              </b>
            </span>
            <button
              type="button"
              aria-label={texts.actions.addOf(name)}
              disabled={count === all}
              onClick={() => onSelect(withCount(selection, rank, count + 1, held))}
            >
              <Icon name="plus" size={16} />
            </button>
          </span>
        );
      })}
    </div>
  );
}
