/** A match stepped through, act by act, with the cards of all six once a hand is over. */
import { ClientError, TableClient } from "@gouji/client";
import type { Event } from "@gouji/client/v1/events";
import { useEffect, useMemo, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { session } from "../net/session";
import { Choice, Switch } from "../parts/Choice";
import { Icon, type IconName } from "../parts/Icon";
import { cardsLabel } from "../state/cardtext";
import { tellAll } from "../state/log";
import { handsAt, modelAt, type Step, stepsOf, viewAt } from "../state/replay";
import { Felt } from "../table/Felt";
import { seatNames } from "../table/names";
import { LogPanel } from "../table/Panels";
import { HandResult } from "../table/Results";

const SPEEDS = { slow: 1600, normal: 900, fast: 300 } as const;

type Speed = keyof typeof SPEEDS;

export function ReplayPage({ tableId }: { tableId: string }) {
  const [events, failure] = useEvents(tableId);
  const texts = useTexts();
  if (!tableId) return <Open />;
  if (failure) return <p className="card-panel warning">{texts.reasons[failure.reason] ?? failure.message}</p>;
  if (!events.length) return <p className="quiet">{texts.common.loading}</p>;
  return <Player events={events} />;
}

/** All events of a table, from its first: of one that is over at once, else as they come. */
function useEvents(tableId: string): [readonly Event[], ClientError | null] {
  const [events, setEvents] = useState<readonly Event[]>([]);
  const [failure, setFailure] = useState<ClientError | null>(null);
  useEffect(() => {
    if (!tableId) return;
    const closing = new AbortController();
    const gathered: Event[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = async () => {
      for await (const event of new TableClient(session, tableId).watch({ signal: closing.signal })) {
        gathered.push(event);
        clearTimeout(timer);
        timer = setTimeout(() => setEvents([...gathered]), 20);
      }
    };
    read().catch((thrown) => !closing.signal.aborted && setFailure(ClientError.of(thrown)));
    return () => {
      closing.abort();
      clearTimeout(timer);
    };
  }, [tableId]);
  return [events, failure];
}

function Open() {
  const texts = useTexts();
  const [id, setId] = useState("");
  return (
    <section className="card-panel">
      <h1>{texts.replay.title}</h1>
      <form
        className="field"
        onSubmit={(event) => {
          event.preventDefault();
          if (id.trim()) go(`/replay/${id.trim()}`);
        }}
      >
        <label htmlFor="replay-id">{texts.replay.id}</label>
        <div className="field-row">
          <input id="replay-id" value={id} onChange={(event) => setId(event.target.value)} />
          <button type="submit" className="button button-main">
            {texts.replay.open}
          </button>
        </div>
      </form>
    </section>
  );
}

function Player({ events }: { events: readonly Event[] }) {
  const texts = useTexts();
  const steps = useMemo(() => stepsOf(events), [events]);
  const [at, setAt] = useState(0);
  const [runs, setRuns] = useState(false);
  const [speed, setSpeed] = useState<Speed>("normal");
  const [open, setOpen] = useState(true);
  const last = steps.length - 1;
  const step = steps[Math.min(at, last)];

  useEffect(() => {
    if (!runs || at >= last) return;
    const timer = setTimeout(() => setAt(at + 1), SPEEDS[speed]);
    return () => clearTimeout(timer);
  }, [runs, at, last, speed]);
  useKeys(
    () => setAt((now) => Math.max(0, now - 1)),
    () => setAt((now) => Math.min(last, now + 1)),
  );

  const { seen, names, lines } = useMoment(events, step);
  if (!step || !seen) return <p className="quiet">{texts.replay.empty}</p>;
  return (
    <div className="replay" data-step={at}>
      <h1>{texts.replay.title}</h1>
      <div className="replay-table">
        <Scene
          seen={seen}
          names={names}
          step={step}
          event={events[step.events - 1]}
          onGoOn={() => setAt(Math.min(last, at + 1))}
        />
      </div>
      <Controls steps={steps} at={at} runs={runs} onAt={setAt} onRun={setRuns} />
      <div className="replay-wishes">
        <Hands steps={steps} at={at} onAt={setAt} />
        <Pace speed={speed} onSpeed={setSpeed} />
        <Switch label={texts.replay.openHands} on={open} onChange={setOpen} />
      </div>
      {open && seen.hands && <OpenHands hands={seen.hands} names={names} />}
      {open && !seen.hands && <p className="quiet">{texts.replay.wait}</p>}
      <section className="card-panel replay-log" aria-label={texts.table.log}>
        <LogPanel lines={lines} />
      </section>
    </div>
  );
}

/** The felt after a step, and what the hand came to where it ends. */
function Scene({
  seen,
  names,
  step,
  event,
  onGoOn,
}: {
  seen: Seen;
  names: readonly string[];
  step: Step;
  event: Event | undefined;
  onGoOn: () => void;
}) {
  const faded = new Map(seen.view.lastTrick.filter((act) => act.cards).map((act) => [act.seat, act]));
  return (
    <Felt model={{ ...seen.model, me: null }} before={faded} speeches={[]} timeLeft={null} turnMs={0} hiddenAbove={0}>
      {event?.body.case === "handEnded" && (
        <HandResult hand={step.hand} ended={event.body.value} names={names} me={seen.view.seat} onClose={onGoOn} />
      )}
    </Felt>
  );
}

function Pace({ speed, onSpeed }: { speed: Speed; onSpeed: (speed: Speed) => void }) {
  const texts = useTexts();
  return (
    <Choice
      label={texts.replay.speed}
      value={speed}
      options={(Object.keys(SPEEDS) as Speed[]).map((name) => ({
        value: name,
        label: texts.lobby.paces[name] ?? name,
      }))}
      onChange={onSpeed}
    />
  );
}

/** What the table shows after a step; `hands` are those that are open by then. */
interface Seen {
  view: ReturnType<typeof viewAt>;
  hands: ReturnType<typeof handsAt>;
  model: ReturnType<typeof modelAt>;
}

/** The table after a step, the six names, and the hand so far as text. */
function useMoment(events: readonly Event[], step: Step | undefined) {
  const texts = useTexts();
  const seen = useMemo((): Seen | null => {
    if (!step) return null;
    const view = viewAt(events, step.events);
    const hands = handsAt(events, step);
    return { view, hands, model: modelAt(view, hands) };
  }, [events, step]);
  const names = useMemo(() => (seen ? seatNames(seen.view.opened.seats, texts) : []), [seen, texts]);
  const lines = useMemo(
    () => (step ? tellAll(events.slice(0, step.events), names, texts).filter((line) => line.hand === step.hand) : []),
    [events, step, names, texts],
  );
  return { seen, names, lines };
}

function useKeys(back: () => void, next: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if ((event.target as HTMLElement).closest("input, select, textarea, .log")) return;
      if (event.key === "ArrowLeft") back();
      else if (event.key === "ArrowRight") next();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}

function Controls({
  steps,
  at,
  runs,
  onAt,
  onRun,
}: {
  steps: readonly Step[];
  at: number;
  runs: boolean;
  onAt: (at: number) => void;
  onRun: (runs: boolean) => void;
}) {
  const texts = useTexts();
  const last = steps.length - 1;
  const buttons: [string, IconName, () => void][] = [
    [texts.replay.trickBack, "first", () => onAt(trickBefore(steps, at))],
    [texts.replay.back, "back", () => onAt(Math.max(0, at - 1))],
    [runs ? texts.replay.pause : texts.replay.play, runs ? "hold" : "run", () => onRun(!runs)],
    [texts.replay.next, "next", () => onAt(Math.min(last, at + 1))],
    [texts.replay.trickNext, "last", () => onAt(trickAfter(steps, at))],
  ];
  return (
    <div className="replay-controls">
      {buttons.map(([label, icon, act]) => (
        <button
          type="button"
          key={icon}
          className="icon-button"
          aria-label={label}
          title={label}
          data-control={icon}
          onClick={act}
        >
          <Icon name={icon} />
        </button>
      ))}
      <input
        type="range"
        min={0}
        max={last}
        value={at}
        aria-label={texts.replay.position(at + 1, steps.length)}
        onChange={(event) => onAt(Number(event.target.value))}
      />
      <output>
        {at + 1}/{steps.length}
      </output>
    </div>
  );
}

function Hands({ steps, at, onAt }: { steps: readonly Step[]; at: number; onAt: (at: number) => void }) {
  const texts = useTexts();
  const hands = [...new Set(steps.map((step) => step.hand))];
  if (hands.length < 2) return null;
  return (
    <div className="field">
      <label htmlFor="replay-hand">{texts.replay.hand}</label>
      <select
        id="replay-hand"
        value={steps[at]?.hand}
        onChange={(event) => onAt(steps.findIndex((step) => step.hand === Number(event.target.value)))}
      >
        {hands.map((hand) => (
          <option key={hand} value={hand}>
            {texts.table.hand(hand)}
          </option>
        ))}
      </select>
    </div>
  );
}

function OpenHands({ hands, names }: { hands: readonly string[]; names: readonly string[] }) {
  const texts = useTexts();
  return (
    <ul className="open-hands">
      {hands.map((cards, seat) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: seats never move
        <li key={seat} className={`seat-team-${seat % 2}`}>
          <strong>
            {names[seat]} <small>{cards.length}</small>
          </strong>
          <span>{cardsLabel(cards, texts) || "–"}</span>
        </li>
      ))}
    </ul>
  );
}

function trickBefore(steps: readonly Step[], at: number): number {
  for (let step = at - 1; step > 0; step--) if (steps[step - 1]?.endsTrick) return step;
  return 0;
}

function trickAfter(steps: readonly Step[], at: number): number {
  for (let step = at + 1; step < steps.length; step++) if (steps[step - 1]?.endsTrick) return step;
  return steps.length - 1;
}
