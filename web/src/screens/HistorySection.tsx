/** What somebody has played: sums and matches, the newest first, as the server recorded them. */
import { HistoryService } from "@gouji/client/v1/history";
import { type ReactNode, useEffect, useId, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { session } from "../net/session";
import { settings } from "../net/settings";
import { useStore } from "../net/store";
import { Choice } from "../parts/Choice";
import {
  filterOf,
  type HistoryFilter,
  type HistoryWish,
  type PastMatch,
  PERIODS,
  pastMatch,
  type Totals,
  totalsOf,
} from "../state/history";
import { failureText } from "./failure";
import { PRESETS } from "./wishes";

/** Matches a page. */
const SIZE = 20;

export function HistorySection() {
  const texts = useTexts();
  const [wish, setWish] = useState<HistoryWish>({ preset: "", kind: "all", days: 0 });
  return (
    <>
      <section className="card-panel" aria-label={texts.me.filter}>
        <Wishes wish={wish} onWish={(some) => setWish({ ...wish, ...some })} />
      </section>
      <Past key={`${wish.preset} ${wish.kind} ${wish.days}`} wish={wish} />
    </>
  );
}

/** The sums and matches of a wish: another wish is another one of these. */
function Past({ wish }: { wish: HistoryWish }) {
  const texts = useTexts();
  const [filter] = useState(() => filterOf(wish, Date.now()));
  const [totals, troubled] = useTotals(filter);
  const { matches, more, failure } = useMatches(filter);
  return (
    <>
      <section className="card-panel" aria-label={texts.me.statistics}>
        <Unless failure={troubled} waiting={!totals}>
          {totals && <Sums totals={totals} />}
        </Unless>
      </section>
      <section className="card-panel">
        <h2>{texts.me.history}</h2>
        {matches?.length === 0 && <p className="quiet">{texts.me.noHistory}</p>}
        <ul className="history">
          {matches?.map((match) => (
            <Match key={match.tableId} match={match} />
          ))}
        </ul>
        <Unless failure={failure} waiting={!matches}>
          {null}
        </Unless>
        {more && (
          <button type="button" className="button button-quiet" data-more onClick={more}>
            {texts.me.more}
          </button>
        )}
      </section>
    </>
  );
}

/** What was asked for, or why there is none, or that it is on its way. */
function Unless({ failure, waiting, children }: { failure: unknown; waiting: boolean; children: ReactNode }) {
  const texts = useTexts();
  if (failure != null) return <p className="warning">{failureText(failure, texts)}</p>;
  return waiting ? <p className="quiet">{texts.common.loading}</p> : children;
}

function useTotals(filter: HistoryFilter): [Totals | null, unknown] {
  const [totals, setTotals] = useState<Totals | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    const closing = new AbortController();
    session
      .call((options) => session.client(HistoryService).getStatistics({ filter }, options), closing.signal)
      .then((answer) => setTotals(totalsOf(answer.presets)))
      .catch((thrown) => !closing.signal.aborted && setFailure(thrown));
    return () => closing.abort();
  }, [filter]);
  return [totals, failure];
}

/** The matches so far (null before the first came), a way to get more if there are more, and why that failed. */
function useMatches(filter: HistoryFilter) {
  const [matches, setMatches] = useState<readonly PastMatch[] | null>(null);
  const [next, setNext] = useState("");
  // A page is asked for anew whenever this is another object.
  const [wanted, setWanted] = useState({ pageToken: "" });
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    const closing = new AbortController();
    const asked = { filter, pageSize: SIZE, ...wanted };
    session
      .call((options) => session.client(HistoryService).listHistory(asked, options), closing.signal)
      .then((answer) => {
        setMatches((before) => [...(before ?? []), ...answer.matches.map(pastMatch)]);
        setNext(answer.nextPageToken);
        setFailure(null);
      })
      .catch((thrown) => !closing.signal.aborted && setFailure(thrown));
    return () => closing.abort();
  }, [filter, wanted]);
  return { matches, more: next ? () => setWanted({ pageToken: next }) : null, failure };
}

function Wishes({ wish, onWish }: { wish: HistoryWish; onWish: (some: Partial<HistoryWish>) => void }) {
  const texts = useTexts();
  const preset = useId();
  const days = useId();
  return (
    <div className="wishes">
      <div className="field">
        <label htmlFor={preset}>{texts.lobby.rules}</label>
        <select id={preset} value={wish.preset} onChange={(event) => onWish({ preset: event.target.value })}>
          <option value="">{texts.board.all}</option>
          {PRESETS.map((name) => (
            <option key={name} value={name}>
              {texts.preset[name]}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor={days}>{texts.me.period}</label>
        <select id={days} value={wish.days} onChange={(event) => onWish({ days: Number(event.target.value) })}>
          {PERIODS.map((count) => (
            <option key={count} value={count}>
              {texts.me.lastDays(count)}
            </option>
          ))}
        </select>
      </div>
      <Choice
        label={texts.me.kind}
        value={wish.kind}
        options={(["all", "rated", "casual"] as const).map((kind) => ({ value: kind, label: texts.me.kinds[kind] }))}
        onChange={(kind) => onWish({ kind })}
      />
    </div>
  );
}

function Sums({ totals }: { totals: Totals }) {
  const texts = useTexts();
  if (!totals.hands) return <p className="quiet">{texts.me.nohands}</p>;
  const most = Math.max(1, ...totals.places);
  return (
    <>
      <dl className="totals">
        {[
          [texts.me.points, String(totals.points)],
          [texts.me.matches, totals.matches],
          [texts.me.balance, `${totals.won} / ${totals.drawn} / ${totals.lost}`],
          [texts.me.hands, totals.hands],
          [texts.me.averagePlace, totals.averagePlace.toFixed(1)],
          [texts.me.burns, `${totals.burnsWon} / ${totals.burnsTried}`],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h2>{texts.me.places}</h2>
      <ul className="bars">
        {totals.places.map((count, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: places never move
          <li key={at}>
            <span>{texts.titles[at + 1]}</span>
            <meter min={0} max={most} value={count} aria-label={texts.titles[at + 1]} />
            <b>{count}</b>
          </li>
        ))}
      </ul>
    </>
  );
}

function Match({ match }: { match: PastMatch }) {
  const texts = useTexts();
  const when = new Date(match.ended).toLocaleString(useStore(settings).language, {
    dateStyle: "short",
    timeStyle: "short",
  });
  const about = [when, texts.hands(match.hands), match.rated ? texts.me.kinds.rated : ""];
  return (
    <li data-match={match.tableId}>
      <span>
        <strong>{texts.preset[match.preset] ?? match.preset}</strong>
        <small>{about.filter(Boolean).join(" · ")}</small>
        <small>{texts.me.company(match.people, match.bots)}</small>
      </span>
      <span className="history-score" data-outcome={match.outcome}>
        {match.score}
        <small>{texts.me.outcomes[match.outcome]}</small>
      </span>
      <button type="button" className="button button-quiet" onClick={() => go(`/replay/${match.tableId}`)}>
        {texts.me.watch}
      </button>
    </li>
  );
}
