/** The table itself: six seats around what lies in the middle, oneself below, the opposite facing. */
import type { ReactNode } from "react";
import { useTexts } from "../i18n";
import { cardsLabel } from "../state/cardtext";
import type { SeatModel, TableModel } from "../state/model";
import { seatName } from "./names";
import { SeatAct, SeatPlate } from "./SeatPlate";
import type { Speech } from "./sitting";

export interface FeltProps {
  model: TableModel;
  /** What the trick before this one left, while nothing lies on the table. */
  before: ReadonlyMap<number, SeatModel["act"]>;
  speeches: readonly Speech[];
  /** Milliseconds that the seat that is asked has left; null where no clock runs. */
  timeLeft: number | null;
  turnMs: number;
  /** As in `SeatPlate`. */
  hiddenAbove: number;
  onPick?: (seat: number) => void;
  children?: ReactNode;
}

export function Felt({ model, before, speeches, timeLeft, turnMs, hiddenAbove, onPick, children }: FeltProps) {
  const texts = useTexts();
  const faded = model.trick.length === 0;
  const says = (seat: number) => speeches.findLast((speech) => speech.seat === seat)?.phrase ?? "";
  return (
    <div className="felt">
      <Waves />
      {model.seats.map((seat) => {
        const shown = faded ? { ...seat, act: before.get(seat.seat) ?? null } : seat;
        const runs = seat.asked && timeLeft !== null;
        return (
          <div key={seat.seat} className={`place place-${seat.turned}`} data-seat={seat.seat}>
            <SeatPlate
              seat={seat}
              clock={runs ? Math.min(1, timeLeft / (turnMs || 1)) : null}
              secondsLeft={runs ? Math.ceil(timeLeft / 1000) : null}
              says={says(seat.seat)}
              hiddenAbove={hiddenAbove}
              mine={seat.turned === 0 && model.me !== null}
              onPick={onPick && seat.turned !== 0 ? () => onPick(seat.seat) : undefined}
            />
            <div className="place-act">
              <SeatAct seat={shown} beats={!faded && model.toBeat?.seat === seat.seat} faded={faded} />
            </div>
          </div>
        );
      })}
      <div className="middle">
        <Middle model={model} />
        {children}
      </div>
      <p className="hidden" role="status">
        {model.toBeat &&
          texts.table.toBeat(
            seatName(
              model.seats.find((seat) => seat.seat === model.toBeat?.seat),
              texts,
            ),
            cardsLabel(model.toBeat.cards, texts),
          )}
      </p>
    </div>
  );
}

/** What the table waits for, and what kind of play lies on it. */
function Middle({ model }: { model: TableModel }) {
  const texts = useTexts();
  const asked = model.seats.find((seat) => seat.asked);
  const tags = [
    model.toBeat?.gouji ? texts.table.gouji : "",
    model.toBeat?.dead ? texts.table.dead : "",
    model.scramble ? texts.table.scramble : "",
  ].filter(Boolean);
  let waiting = "";
  if (model.answersOpen && !model.asking)
    waiting = model.toBeat ? texts.table.answersOpen : texts.table.answersOpenEarly;
  else if (asked && asked.seat !== model.me) waiting = texts.table.waitingFor(seatName(asked, texts));
  else if (asked) waiting = texts.table.yourTurn;
  return (
    <>
      {tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
        </span>
      ))}
      {waiting && (
        <span className={`waiting ${asked?.seat === model.me && model.me !== null ? "waiting-me" : ""}`}>
          {waiting}
        </span>
      )}
    </>
  );
}

/** The sea in the cloth. */
function Waves() {
  return (
    <svg className="waves" aria-hidden="true" focusable="false" preserveAspectRatio="none" viewBox="0 0 1200 400">
      {[60, 140, 220, 300, 380].map((y, at) => (
        <path
          key={y}
          d={`M${-100 + at * 37} ${y}q75-26 150 0t150 0 150 0 150 0 150 0 150 0 150 0 150 0 150 0`}
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
        />
      ))}
    </svg>
  );
}
