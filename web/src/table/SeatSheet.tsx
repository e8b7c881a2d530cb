/** All about one seat: what its badges mean, what may be asked of it, whether one hears it. */
import type { Move } from "@gouji/client";
import { ReportKind } from "@gouji/client/v1/moderation";
import { useState } from "react";
import { useTexts } from "../i18n";
import { Sheet } from "../parts/Sheet";
import { Warning } from "../parts/Warning";
import { failureText } from "../screens/failure";
import { cardsLabel } from "../state/cardtext";
import { facing, type SeatModel, type TableModel } from "../state/model";
import { seatName } from "./names";

interface SeatProps {
  seat: SeatModel;
  model: TableModel;
  muted: boolean;
  /** Feel or ask: what is no answer to a question. */
  onAside: (move: Move) => void;
  onMute: (muted: boolean) => void;
  /** Tell moderators of the seat's player. */
  onReport: (kind: ReportKind) => Promise<void>;
}

const KINDS = [
  ReportKind.CHEATING,
  ReportKind.ABUSE,
  ReportKind.STALLING,
  ReportKind.SPOILING,
  ReportKind.NAME,
] as const;

export function SeatSheet({
  seat,
  model,
  muted,
  onAside,
  onMute,
  onReport,
  onClose,
}: SeatProps & { onClose: () => void }) {
  const texts = useTexts();
  const opposite = model.me !== null && facing(model.me, seat.seat);
  return (
    <Sheet title={texts.table.about(seatName(seat, texts))} onClose={onClose}>
      <p>
        {seat.team !== null && `${texts.result.team(seat.team)} · `}
        {seat.place
          ? texts.titles[seat.place]
          : seat.count === null
            ? texts.table.hidden
            : texts.table.count(seat.count)}
        {seat.botLevel && ` · ${texts.common.bot}: ${texts.botLevel[seat.botLevel] ?? seat.botLevel}`}
      </p>
      {seat.badges.length === 0 && <p className="quiet">{texts.table.nothingSpecial}</p>}
      <dl className="seat-badges">
        {seat.badges.map((badge) => (
          <div key={badge}>
            <dt>
              <span className="badge">{texts.table.badge[badge]}</span>
            </dt>
            <dd>{texts.table.badgeHelp[badge]}</dd>
          </div>
        ))}
      </dl>
      {seat.shown && (
        <p>
          <strong>{texts.table.mateHand}:</strong> {cardsLabel(seat.shown, texts)}
        </p>
      )}
      {opposite && model.felt !== null && <p>{texts.actions.feltAbout(model.felt)}</p>}
      <SeatActions seat={seat} model={model} muted={muted} onAside={onAside} onMute={onMute} />
      {!seat.botLevel && model.me !== null && model.me !== seat.seat && <Reporting onReport={onReport} />}
    </Sheet>
  );
}

function SeatActions({ seat, model, muted, onAside, onMute }: Omit<SeatProps, "onReport">) {
  const texts = useTexts();
  const opposite = model.me !== null && facing(model.me, seat.seat);
  return (
    <div className="row">
      {opposite && model.mayFeel && (
        <button type="button" className="button button-quiet" onClick={() => onAside({ verb: "feel", cards: "" })}>
          {texts.actions.verb.feel}
        </button>
      )}
      {model.mayAsk.includes(seat.seat) && (
        <button
          type="button"
          className="button button-quiet"
          onClick={() => onAside({ verb: "ask", cards: "", target: seat.seat })}
        >
          {texts.actions.verb.ask}
        </button>
      )}
      {!seat.botLevel && model.me !== null && (
        <button type="button" className="button button-quiet" aria-pressed={muted} onClick={() => onMute(!muted)}>
          {muted ? texts.table.heard : texts.table.mute}
        </button>
      )}
    </div>
  );
}

/** What a player may be reported for, once that is asked for. */
function Reporting({ onReport }: { onReport: (kind: ReportKind) => Promise<void> }) {
  const texts = useTexts();
  const [open, setOpen] = useState(false);
  const [told, setTold] = useState(false);
  const [failure, setFailure] = useState("");
  const report = (kind: ReportKind) =>
    onReport(kind).then(
      () => setTold(true),
      (thrown) => setFailure(failureText(thrown, texts)),
    );
  if (told) return <p role="status">{texts.report.sent}</p>;
  return (
    <>
      <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {texts.report.report}
      </button>
      {open && (
        <fieldset className="reporting">
          <legend>{texts.report.why}</legend>
          <div className="row">
            {KINDS.map((kind) => (
              <button key={kind} type="button" className="button button-quiet" onClick={() => void report(kind)}>
                {texts.report.kinds[kind]}
              </button>
            ))}
          </div>
        </fieldset>
      )}
      <Warning text={failure} />
    </>
  );
}
