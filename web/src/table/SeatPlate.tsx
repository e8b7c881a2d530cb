/** One seat around the table: who sits there, how many cards it holds, what it has done. */
import { useTexts } from "../i18n";
import { Fan } from "../parts/Card";
import { Face, isFace } from "../parts/Face";
import { Icon } from "../parts/Icon";
import { cardsLabel } from "../state/cardtext";
import { phrase } from "../state/log";
import type { Badge, SeatModel } from "../state/model";
import { seatName } from "./names";

/** Badges that need no word of their own: the picture or the place tells them. */
const SILENT: ReadonlySet<Badge> = new Set<Badge>(["bot", "passed", "yielded", "leads"]);

export interface SeatPlateProps {
  seat: SeatModel;
  /** 0 to 1 of the time that it has left; null while no clock runs for it. */
  clock: number | null;
  secondsLeft: number | null;
  /** What it said just now. */
  says: string;
  mine?: boolean;
  /** Above so many cards the rules hide how many there are; 0 if they always do. */
  hiddenAbove: number;
  onPick?: () => void;
}

/** The plate: name, count, badges, clock. */
export function SeatPlate({ seat, clock, secondsLeft, says, mine = false, hiddenAbove, onPick }: SeatPlateProps) {
  const texts = useTexts();
  const name = mine ? texts.common.you : seatName(seat, texts);
  const team = seat.team === null ? "alone" : seat.team === 0 ? "sea" : "hill";
  const badges = seat.badges.filter((badge) => !SILENT.has(badge));
  return (
    <section
      className={`plate plate-${team} ${seat.asked ? "plate-asked" : ""} ${seat.place ? "plate-out" : ""} ${mine ? "plate-mine" : ""}`}
      aria-label={plateLabel(seat, name, texts)}
    >
      <button
        type="button"
        className="plate-face"
        onClick={onPick}
        disabled={!onPick}
        aria-label={name}
        tabIndex={onPick ? 0 : -1}
      >
        <Ring fraction={clock} />
        {seat.place ? (
          <span className={`plate-place plate-place-${seat.place}`}>{seat.place}</span>
        ) : (
          <Icon name={seat.botLevel ? "bot" : "user"} size={18} />
        )}
        {seat.team !== null && <span className="plate-team" aria-hidden="true" />}
      </button>
      <div className="plate-text" aria-hidden="true">
        <span className="plate-name">{name}</span>
        <span className="plate-line">
          {seat.place ? (
            <strong>{texts.titles[seat.place]}</strong>
          ) : (
            <span className={`plate-count ${seat.count !== null && seat.count <= 10 ? "plate-few" : ""}`}>
              <Icon name="cards" size={14} />
              {seat.count ?? (hiddenAbove ? texts.table.more(hiddenAbove) : "?")}
            </span>
          )}
          {secondsLeft !== null && <span className="plate-seconds">{secondsLeft}</span>}
        </span>
      </div>
      {badges.length > 0 && (
        <div className="plate-badges" aria-hidden="true">
          {badges.map((badge) => (
            <span key={badge} className={`badge badge-${badge}`} title={texts.table.badgeHelp[badge]}>
              {texts.table.badge[badge]}
            </span>
          ))}
        </div>
      )}
      {says && (
        <span className={`speech ${isFace(says) ? "speech-face" : ""}`} role="status">
          {isFace(says) && <Face id={says} size={40} />}
          <span className={isFace(says) ? "hidden" : ""}>{phrase(says, texts)}</span>
        </span>
      )}
    </section>
  );
}

/** What a seat did in this trick: its cards, or a word. */
export function SeatAct({ seat, beats, faded }: { seat: SeatModel; beats: boolean; faded?: boolean }) {
  const texts = useTexts();
  const { act } = seat;
  if (!act) return null;
  if (!act.cards) {
    return (
      <span className={`act-word ${faded ? "act-faded" : ""}`}>
        {texts.table.act[act.verb] ?? texts.actions.verb[act.verb]}
      </span>
    );
  }
  const name = seatName(seat, texts);
  return (
    <span className={`act-cards ${beats ? "act-beats" : ""} ${faded ? "act-faded" : ""}`}>
      {act.verb === "burn" && <span className="act-burn">{texts.actions.burn}</span>}
      <Fan cards={act.cards} suited={act.suited} label={texts.log.plays(name, cardsLabel(act.cards, texts))} />
      {act.cards.length > 4 && <span className="act-count">×{act.cards.length}</span>}
    </span>
  );
}

/** The time left, as a ring around the face. */
function Ring({ fraction }: { fraction: number | null }) {
  if (fraction === null) return null;
  return (
    <svg className="ring" viewBox="0 0 44 44" aria-hidden="true" focusable="false">
      <circle cx="22" cy="22" r="20" pathLength="100" className="ring-track" />
      <circle
        cx="22"
        cy="22"
        r="20"
        pathLength="100"
        className={`ring-left ${fraction < 0.25 ? "ring-late" : ""}`}
        strokeDasharray={`${fraction * 100} 100`}
      />
    </svg>
  );
}

function plateLabel(seat: SeatModel, name: string, texts: ReturnType<typeof useTexts>): string {
  const parts = [
    name,
    seat.team === null ? "" : texts.result.team(seat.team),
    seat.place ? texts.titles[seat.place] : seat.count === null ? texts.table.hidden : texts.table.count(seat.count),
    ...seat.badges.map((badge) => texts.table.badge[badge]),
    seat.asked ? texts.table.waitingFor(name) : "",
  ];
  return parts.filter(Boolean).join(", ");
}
