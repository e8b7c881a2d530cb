/** Where one chooses what to play: at once, with friends, in a public room, for practice. */
import { ClientError } from "@gouji/client";
import { TicketState } from "@gouji/client/v1/matchmaking";
import type { RoomSummary } from "@gouji/client/v1/room";
import { useEffect, useRef, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { player, queue, rooms } from "../net/session";
import { playWithBots, practise } from "../net/start";
import { useStore } from "../net/store";
import { Choice } from "../parts/Choice";
import { Hero } from "../parts/Hero";
import { Icon } from "../parts/Icon";
import { useBotLevels } from "./levels";
import { PartySection } from "./PartySection";
import { HANDS, PACES, PRESETS, usePlayWish } from "./wishes";

/** The queue for a game at once. */
const QUICK = "local/quick";

/** When bots take what is free, in milliseconds. */
const BOTS_AFTER = 20_000;

export function Lobby({ seatedAt }: { seatedAt: string }) {
  const texts = useTexts();
  const known = useStore(player);
  return (
    <div className="lobby">
      <Hero>
        <h1>{texts.lobby.hello(known?.name ?? "")}</h1>
        <p>{texts.tagline}</p>
      </Hero>
      {seatedAt && (
        <section className="card-panel resume">
          <p>{texts.lobby.resume}</p>
          <button type="button" className="button button-main" onClick={() => go(`/table/${seatedAt}`)}>
            {texts.lobby.resumeButton}
          </button>
        </section>
      )}
      <Quick />
      <Friends />
      <section className="card-panel">
        <h2>{texts.lobby.practice}</h2>
        <p className="quiet">{texts.lobby.practiceLead}</p>
        <Practice />
        <h2>{texts.lobby.tutorial}</h2>
        <p className="quiet">{texts.lobby.tutorialLead}</p>
        <a className="button button-quiet" href="#/learn">
          {texts.lobby.tutorialStart}
        </a>
      </section>
      <PartySection />
    </div>
  );
}

function Quick() {
  const texts = useTexts();
  const [wish, setWish] = usePlayWish();
  const levels = useBotLevels();
  const [queueing, setQueueing] = useState(false);
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setFailure("");
    if (wish.against === "people") return setQueueing(true);
    setBusy(true);
    try {
      const table = await playWithBots({
        rules: { preset: wish.preset },
        length: { until: { case: "hands", value: Number(wish.hands) } },
        botLevel: wish.bots,
        botPaceMs: PACES[wish.pace],
        spectators: true,
      });
      go(`/table/${table}`);
    } catch (thrown) {
      setFailure(failureText(thrown, texts));
      setBusy(false);
    }
  };
  if (queueing)
    return (
      <Queueing
        preset={wish.preset}
        hands={Number(wish.hands)}
        onLeave={(why) => {
          setQueueing(false);
          setFailure(why);
        }}
      />
    );
  return (
    <section className="card-panel quick">
      <h2>{texts.lobby.quick}</h2>
      <p className="quiet">{texts.lobby.quickLead}</p>
      <div className="field">
        <label htmlFor="preset">{texts.lobby.rules}</label>
        <div className="field-row">
          <select id="preset" value={wish.preset} onChange={(event) => setWish({ preset: event.target.value })}>
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
        onChange={(against) => setWish({ against })}
      />
      {wish.against === "bots" && (
        <>
          <Choice
            label={texts.lobby.bots}
            value={wish.bots}
            options={levels.map((level) => ({ value: level, label: texts.botLevel[level] ?? level }))}
            onChange={(bots) => setWish({ bots })}
          />
          <Choice
            label={texts.lobby.pace}
            value={wish.pace}
            options={(Object.keys(PACES) as (keyof typeof PACES)[]).map((pace) => ({
              value: pace,
              label: texts.lobby.paces[pace] ?? pace,
            }))}
            onChange={(pace) => setWish({ pace })}
          />
        </>
      )}
      <Choice
        label={texts.lobby.length}
        value={wish.hands}
        options={HANDS.map((hands) => ({ value: hands, label: texts.hands(Number(hands)) }))}
        onChange={(hands) => setWish({ hands })}
      />
      {wish.against === "people" && <p className="quiet">{texts.lobby.fillBots}</p>}
      <button
        type="button"
        className="button button-main button-wide"
        data-start="quick"
        disabled={busy}
        onClick={() => void start()}
      >
        {texts.lobby.start}
      </button>
      {failure && (
        <p className="warning" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}

/** Waiting in the queue until there is a table. */
function Queueing({ preset, hands, onLeave }: { preset: string; hands: number; onLeave: (why: string) => void }) {
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
      const made = await queue.createTicket(QUICK, { rules: [{ preset }], length: { hands }, botsAfter: BOTS_AFTER });
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
      <button
        type="button"
        className="button button-quiet"
        disabled={state.gathering}
        onClick={() => void queue.cancel(ticketId.current).catch(() => undefined)}
      >
        {texts.lobby.leave}
      </button>
    </section>
  );
}

function Practice() {
  const texts = useTexts();
  const [failure, setFailure] = useState("");
  const [wish] = usePlayWish();
  const start = async () => {
    try {
      go(`/table/${await practise(wish.preset)}`);
    } catch (thrown) {
      setFailure(failureText(thrown, texts));
    }
  };
  return (
    <>
      <button type="button" className="button button-quiet" data-start="practice" onClick={() => void start()}>
        {texts.lobby.practiceStart}
      </button>
      {failure && (
        <p className="warning" role="alert">
          {failure}
        </p>
      )}
    </>
  );
}

function Friends() {
  const texts = useTexts();
  const [code, setCode] = useState("");
  const [listed, setListed] = useState<RoomSummary[] | null>(null);
  const [failure, setFailure] = useState("");
  const look = () =>
    rooms.listed({ freeSeat: true }).then(setListed, (thrown) => setFailure(failureText(thrown, texts)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for once, then when asked
  useEffect(() => {
    void look();
  }, []);
  const come = async (joining: Promise<unknown>) => {
    setFailure("");
    try {
      await joining;
      go("/room");
    } catch (thrown) {
      const { reason } = ClientError.of(thrown);
      if (reason === "in_room") return go("/room");
      setFailure(failureText(thrown, texts));
    }
  };
  const open = () =>
    come(
      rooms.create({
        rules: { preset: "standard" },
        length: { until: { case: "hands", value: 3 } },
        botLevel: "greedy",
        botPaceMs: PACES.normal,
        spectators: true,
      }),
    );
  return (
    <section className="card-panel">
      <h2>{texts.lobby.friends}</h2>
      <p className="quiet">{texts.lobby.friendsLead}</p>
      <button type="button" className="button button-main button-wide" data-start="room" onClick={() => void open()}>
        {texts.lobby.open}
      </button>
      <form
        className="field"
        onSubmit={(event) => {
          event.preventDefault();
          if (code.trim()) void come(rooms.join(code));
        }}
      >
        <label htmlFor="code">{texts.lobby.code}</label>
        <div className="field-row">
          <input
            id="code"
            className="code"
            value={code}
            maxLength={32}
            autoCapitalize="characters"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setCode(event.target.value)}
          />
          <button type="submit" className="button button-quiet" disabled={!code.trim()}>
            {texts.lobby.join}
          </button>
        </div>
      </form>
      {failure && (
        <p className="warning" role="alert">
          {failure}
        </p>
      )}
      <div className="rooms-head">
        <h3>{texts.lobby.publicRooms}</h3>
        <button type="button" className="link" onClick={() => void look()}>
          {texts.lobby.refresh}
        </button>
      </div>
      {listed && !listed.length && <p className="quiet">{texts.lobby.noRooms}</p>}
      <ul className="rooms">
        {listed?.map((room) => (
          <li key={room.roomId}>
            <span>
              <strong>{texts.lobby.of(room.hostName)}</strong>
              <small>
                {texts.preset[room.settings?.rules?.preset || "standard"]} · {texts.lobby.seated(room.seated)}
              </small>
            </span>
            <button
              type="button"
              className="button button-quiet"
              onClick={() => void come(rooms.joinListed(room.roomId))}
            >
              {texts.lobby.join}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Why something failed, in the person's language. */
export function failureText(thrown: unknown, texts: ReturnType<typeof useTexts>): string {
  const error = ClientError.of(thrown);
  if (!error.reason) return error.passing ? texts.common.unreachable : texts.common.failed(error.message);
  return texts.reasons[error.reason] ?? texts.common.failed(error.message);
}
