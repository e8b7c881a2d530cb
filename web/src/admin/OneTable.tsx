/** One table: how it stands, its log, what may be done with it; its cards for a director who opens them. */
import { cardOf, ranksOf } from "@gouji/client";
import type { ShowTableResponse } from "@gouji/client/v1/admin";
import type { DealtHand } from "@gouji/client/v1/events";
import type { ObserveResponse } from "@gouji/client/v1/table";
import { useState } from "react";
import { useTexts } from "../i18n";
import { cardsLabel } from "../state/cardtext";
import { callAt, logOf, lookAt, may, openCards, tables } from "./calls";
import { Deed, Outcome, Rows, Section, useAdminTexts, useAsked, useDoing, useTime } from "./parts";

export function OneTable({ tableId }: { tableId: string }) {
  const texts = useAdminTexts().tables;
  const asked = useAsked(
    (signal) => callAt("look", tableId, (session, options) => tables(session).showTable({ tableId }, options), signal),
    tableId,
  );
  return (
    <>
      <Section title={texts.open(tableId)} asked={asked}>
        {(shown) => (
          <>
            <Facts shown={shown} />
            <Deeds tableId={tableId} onDone={asked.refresh} />
          </>
        )}
      </Section>
      <Seats tableId={tableId} shown={asked.answer} />
      <Cards tableId={tableId} shown={asked.answer} />
      <Log tableId={tableId} shown={asked.answer} />
    </>
  );
}

function Facts({ shown }: { shown: ShowTableResponse }) {
  const texts = useAdminTexts().tables;
  const time = useTime();
  const row = shown.table;
  const facts: [string, string][] = [
    [texts.state, texts.states[row?.state ?? ""] ?? row?.state ?? ""],
    [texts.server, row?.serverId || texts.nobody],
    [texts.queue, row?.queue || texts.nobody],
    [texts.created, time(row?.created)],
    [texts.hand, String(shown.hand)],
    [texts.event, String(shown.lastSequence)],
  ];
  if (shown.reference) facts.push([texts.stopped, shown.reason || "–"], [texts.reference, shown.reference]);
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Deeds({ tableId, onDone }: { tableId: string; onDone: () => void }) {
  const admin = useAdminTexts();
  const texts = admin.tables;
  const done = () => {
    onDone();
    return admin.done;
  };
  const freeze = (reason: string) =>
    callAt("operate", tableId, (session, options) => tables(session).freezeTable({ tableId, reason }, options));
  const resume = () =>
    callAt("operate", tableId, (session, options) => tables(session).resumeTable({ tableId }, options));
  const abandon = (reason: string) =>
    callAt("operate", tableId, (session, options) => tables(session).abandonTable({ tableId, reason }, options));
  const allowed = may("operate");
  return (
    <div className="row">
      <Deed name={texts.freeze} reason={admin.reasonSeen} allowed={allowed} onDo={(why) => freeze(why).then(done)} />
      <Deed name={texts.resume} allowed={allowed} onDo={() => resume().then(done)} />
      <Deed
        name={texts.abandon}
        reason={admin.reasonSeen}
        allowed={allowed}
        danger
        onDo={(why) => abandon(why).then(done)}
      />
    </div>
  );
}

function Seats({ tableId, shown }: { tableId: string; shown: ShowTableResponse | null }) {
  const texts = useAdminTexts().tables;
  const live = shown?.table?.state === "live";
  const asked = useAsked<ObserveResponse | null>(
    (signal) => (live ? lookAt(tableId, signal) : Promise.resolve(null)),
    `${tableId} ${shown?.lastSequence} ${shown?.table?.state}`,
  );
  const seats = shown?.table?.seats ?? [];
  const observed = asked.answer;
  return (
    <Section title={texts.seats} asked={{ ...asked, answer: shown }}>
      {() => (
        <Rows label={texts.seats} heads={[texts.seat, texts.who, texts.cards, texts.presence]} count={seats.length}>
          {seats.map((seat, number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a seat is its number
            <tr key={number}>
              <td>{number}</td>
              <th scope="row">
                {seat.playerId ? (
                  <a href={`#/admin/players/${seat.playerId}/${tableId}`}>{seat.name || seat.playerId}</a>
                ) : (
                  seat.name || texts.bots
                )}
              </th>
              <td>{cardsLeft(observed, number)}</td>
              <td>
                <Presence observed={observed} seat={number} person={seat.playerId !== ""} />
              </td>
            </tr>
          ))}
        </Rows>
      )}
    </Section>
  );
}

/** How many cards a seat has, where everybody may see it. */
function cardsLeft(observed: ObserveResponse | null, seat: number): string {
  const left = observed?.observation?.seats[seat]?.cardsLeft ?? -1;
  return left < 0 ? "–" : String(left);
}

function Presence({ observed, seat, person }: { observed: ObserveResponse | null; seat: number; person: boolean }) {
  const texts = useAdminTexts().tables;
  const presence = observed?.presence[seat];
  if (!presence || !person) return "–";
  const words = [presence.connected ? texts.there : texts.away];
  if (presence.botPlays) words.push(texts.botPlays);
  if (presence.left) words.push(texts.left);
  return words.join(", ");
}

function Cards({ tableId, shown }: { tableId: string; shown: ShowTableResponse | null }) {
  const admin = useAdminTexts();
  const texts = admin.tables;
  const [hands, setHands] = useState<readonly DealtHand[] | null>(null);
  const { failure, busy, run } = useDoing();
  const open = () =>
    run(async () => {
      setHands(await openCards(tableId));
      return "";
    });
  const allowed = may("openCards");
  return (
    <section className="card-panel" aria-label={texts.cardsHidden}>
      <h2>{texts.cardsHidden}</h2>
      <p className="quiet">{texts.cardsLead}</p>
      <button
        type="button"
        className="button button-quiet"
        disabled={!allowed || busy}
        title={allowed ? undefined : admin.pass.missing}
        onClick={() => void open()}
      >
        {hands ? texts.openAgain : texts.openCards}
      </button>
      <Outcome outcome="" failure={failure} />
      {hands && <OpenHands hands={hands} shown={shown} />}
    </section>
  );
}

function OpenHands({ hands, shown }: { hands: readonly DealtHand[]; shown: ShowTableResponse | null }) {
  const texts = useTexts();
  const admin = useAdminTexts();
  if (!hands.some((hand) => hand.cards.length)) return <p role="status">{admin.tables.noCards}</p>;
  return (
    <ol className="open-cards" start={0} aria-label={admin.tables.cardsHidden} data-open-cards>
      {hands.map((hand, seat) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a seat is its number
        <li key={seat}>
          <strong>{shown?.table?.seats[seat]?.name || `${admin.tables.seat} ${seat}`}</strong>{" "}
          {cardsLabel(ranksOf(hand.cards.map(cardOf)), texts) || "–"}
        </li>
      ))}
    </ol>
  );
}

function Log({ tableId, shown }: { tableId: string; shown: ShowTableResponse | null }) {
  const texts = useAdminTexts().tables;
  const time = useTime();
  const [log, setLog] = useState("");
  const { failure, busy, run } = useDoing();
  const events = shown?.events ?? [];
  const read = () =>
    run(async () => {
      setLog(await logOf(tableId));
      return "";
    });
  return (
    <section className="card-panel" aria-label={texts.log}>
      <h2>{texts.events}</h2>
      <ol className="event-rows">
        {events.map((event) => (
          <li key={String(event.sequence)}>
            {String(event.sequence)} · {time(event.at)} · <code>{event.kind}</code>
          </li>
        ))}
      </ol>
      <button type="button" className="button button-quiet" disabled={busy} onClick={() => void read()}>
        {texts.showLog}
      </button>
      <Outcome outcome="" failure={failure} />
      {log && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
        <pre className="scroll table-log" tabIndex={0} role="region" aria-label={texts.log}>
          {log}
        </pre>
      )}
    </section>
  );
}
