/** A game at once: with five bots, or with whoever waits in the queue. */
import { TicketState } from "@gouji/client/v1/matchmaking";
import { useEffect, useRef, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { ownParty } from "../net/party";
import { queue } from "../net/session";
import { playWithBots } from "../net/start";
import { Choice } from "../parts/Choice";
import { Icon } from "../parts/Icon";
import { Warning } from "../parts/Warning";
import { failureText } from "./failure";
import { useBotLevels } from "./levels";
import { HANDS, PACES, type PlayWish, PRESETS, usePlayWish } from "./wishes";

/** The queue for a game at once. */
const QUICK = "local/quick";

/** When bots take what is free, in milliseconds. */
const BOTS_AFTER = 20_000;

export function Quick() {
  const texts = useTexts();
  const [wish, setWish] = usePlayWish();
  const [queueing, setQueueing] = useState(false);
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const start = () => {
    setFailure("");
    if (wish.against === "people") return setQueueing(true);
    setBusy(true);
    startWithBots(wish).catch((thrown) => {
      setFailure(failureText(thrown, texts));
      setBusy(false);
    });
  };
  const leave = (why: string) => {
    setQueueing(false);
    setFailure(why);
  };
  if (queueing) return <Queueing preset={wish.preset} hands={Number(wish.hands)} onLeave={leave} />;
  return (
    <section className="card-panel quick">
      <h2>{texts.lobby.quick}</h2>
      <p className="quiet">{texts.lobby.quickLead}</p>
      <Wishes wish={wish} onWish={setWish} />
      <button
        type="button"
        className="button button-main button-wide"
        data-start="quick"
        disabled={busy}
        onClick={start}
      >
        {texts.lobby.start}
      </button>
      <Warning text={failure} />
    </section>
  );
}

async function startWithBots(wish: PlayWish): Promise<void> {
  const table = await playWithBots({
    rules: { preset: wish.preset },
    length: { until: { case: "hands", value: Number(wish.hands) } },
    botLevel: wish.bots,
    botPaceMs: PACES[wish.pace],
    spectators: true,
  });
  go(`/table/${table}`);
}

/** What to play, and against whom. */
function Wishes({ wish, onWish }: { wish: PlayWish; onWish: (change: Partial<PlayWish>) => void }) {
  const texts = useTexts();
  return (
    <>
      <div className="field">
        <label htmlFor="preset">{texts.lobby.rules}</label>
        <div className="field-row">
          <select id="preset" value={wish.preset} onChange={(event) => onWish({ preset: event.target.value })}>
            {PRESETS.map((preset) => (
              <option key={preset} value={preset}>
                {texts.preset[preset]}
              </option>
            ))}
          </select>
          <a className="icon-button" href={`#/rules/${wish.preset}`} aria-label={texts.lobby.about}>
            <Icon name="book" />
          </a>
        </div>
      </div>
      <Choice
        label={texts.lobby.with}
        value={wish.against}
        options={[
          { value: "bots", label: texts.lobby.withBots },
          { value: "people", label: texts.lobby.withPeople },
        ]}
        onChange={(against) => onWish({ against })}
      />
      {wish.against === "bots" && <BotWishes wish={wish} onWish={onWish} />}
      <Choice
        label={texts.lobby.length}
        value={wish.hands}
        options={HANDS.map((hands) => ({ value: hands, label: texts.hands(Number(hands)) }))}
        onChange={(hands) => onWish({ hands })}
      />
      {wish.against === "people" && <p className="quiet">{texts.lobby.fillBots}</p>}
    </>
  );
}

function BotWishes({ wish, onWish }: { wish: PlayWish; onWish: (change: Partial<PlayWish>) => void }) {
  const texts = useTexts();
  const levels = useBotLevels();
  return (
    <>
      <Choice
        label={texts.lobby.bots}
        value={wish.bots}
        options={levels.map((level) => ({ value: level, label: texts.botLevel[level] ?? level }))}
        onChange={(bots) => onWish({ bots })}
      />
      <Choice
        label={texts.lobby.pace}
        value={wish.pace}
        options={(Object.keys(PACES) as (keyof typeof PACES)[]).map((pace) => ({
          value: pace,
          label: texts.lobby.paces[pace] ?? pace,
        }))}
        onChange={(pace) => onWish({ pace })}
      />
    </>
  );
}

/** A ticket for as long as the caller shows; `onLeave` hears why it came to nothing. */
function useTicket(preset: string, hands: number, onLeave: (why: string) => void) {
  const texts = useTexts();
  const [state, setState] = useState<{ gathering: boolean; ahead: number; estimate: number | null }>({
    gathering: false,
    ahead: 0,
    estimate: null,
  });
  const [waited, setWaited] = useState(0);
  const ticketId = useRef("");
  const leave = useRef(onLeave);
  leave.current = onLeave;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one ticket for as long as this shows
  useEffect(() => {
    const closing = new AbortController();
    const timer = setInterval(() => setWaited((seconds) => seconds + 1), 1000);
    const wait = async () => {
      const made = await queue.createTicket(QUICK, {
        rules: [{ preset }],
        length: { hands },
        botsAfter: BOTS_AFTER,
        partyId: ownParty(),
      });
      ticketId.current = made.ticket?.ticketId ?? "";
      for await (const ticket of queue.watch(ticketId.current, { signal: closing.signal })) {
        const gathering = ticket.state === TicketState.GATHERING;
        const estimate = ticket.estimate ? Number(ticket.estimate.seconds) : null;
        setState({ gathering, ahead: Math.max(0, ticket.position - 1), estimate });
        if (gathering) await queue.confirm(ticket.ticketId);
        if (ticket.state === TicketState.MATCHED) go(`/table/${ticket.tableId}`);
        if (ticket.state === TicketState.LAPSED) leave.current(texts.lobby.lapsed);
        if (ticket.state === TicketState.MISSED) leave.current(texts.lobby.missed);
        if (ticket.state === TicketState.CANCELLED) leave.current("");
      }
    };
    wait().catch((thrown) => {
      if (!closing.signal.aborted) leave.current(failureText(thrown, texts));
    });
    return () => {
      closing.abort();
      clearInterval(timer);
    };
  }, []);
  const cancel = () => void queue.cancel(ticketId.current).catch(() => undefined);
  return { state, waited, cancel };
}

/** Waiting in the queue until there is a table. */
function Queueing({ preset, hands, onLeave }: { preset: string; hands: number; onLeave: (why: string) => void }) {
  const texts = useTexts();
  const { state, waited, cancel } = useTicket(preset, hands, onLeave);
  return (
    <section className="card-panel quick queueing" aria-live="polite">
      <span className="spinner" aria-hidden="true" />
      <h2>{state.gathering ? texts.lobby.gathering : texts.lobby.queueing}</h2>
      <p>{texts.lobby.waited(waited)}</p>
      {!state.gathering && (
        <p className="quiet">
          {texts.lobby.position(state.ahead)}
          {state.estimate !== null && ` · ${texts.lobby.estimate(state.estimate)}`}
        </p>
      )}
      <button type="button" className="button button-quiet" disabled={state.gathering} onClick={cancel}>
        {texts.lobby.leave}
      </button>
    </section>
  );
}
