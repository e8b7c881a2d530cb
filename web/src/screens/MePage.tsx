/** Who one is, what one has won, what one has played. */
import { HistoryService, type Statistics } from "@gouji/client/v1/history";
import { useEffect, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { played } from "../net/history";
import { forget, player, session } from "../net/session";
import { useStore } from "../net/store";
import { failureText } from "./failure";

export function MePage() {
  const texts = useTexts();
  const known = useStore(player);
  const [totals, setTotals] = useState<Statistics[] | null>(null);
  const [failure, setFailure] = useState("");
  const [sure, setSure] = useState(false);
  const playerId = known?.playerId ?? "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once for each player
  useEffect(() => {
    if (!playerId) return;
    session
      .call((options) => session.client(HistoryService).getStatistics({ playerId }, options))
      .then((answer) => setTotals(answer.presets))
      .catch((thrown) => setFailure(failureText(thrown, texts)));
  }, [playerId]);
  return (
    <>
      <section className="card-panel">
        <h1>{known?.name ?? texts.me.title}</h1>
        <p className="quiet">
          {texts.me.id}: <code>{playerId}</code>
        </p>
        {failure && <p className="warning">{failure}</p>}
        {totals && <Totals totals={totals} />}
      </section>
      <section className="card-panel">
        <h2>{texts.me.history}</h2>
        <History />
      </section>
      <section className="card-panel">
        {sure ? (
          <div role="alert">
            <p>{texts.me.forgetSure}</p>
            <div className="row">
              <button type="button" className="button button-danger" onClick={forget}>
                {texts.me.forget}
              </button>
              <button type="button" className="button button-quiet" onClick={() => setSure(false)}>
                {texts.common.cancel}
              </button>
            </div>
          </div>
        ) : (
          <button type="button" className="link" onClick={() => setSure(true)}>
            {texts.me.forget}
          </button>
        )}
      </section>
    </>
  );
}

function Totals({ totals }: { totals: Statistics[] }) {
  const texts = useTexts();
  const hands = totals.reduce((sum, one) => sum + one.hands, 0);
  if (!hands) return <p className="quiet">{texts.me.nohands}</p>;
  const points = totals.reduce((sum, one) => sum + one.points, 0n);
  const places = [0, 1, 2, 3, 4, 5].map((at) => totals.reduce((sum, one) => sum + (one.places[at] ?? 0), 0));
  const most = Math.max(1, ...places);
  return (
    <>
      <dl className="totals">
        {[
          [texts.me.points, String(points)],
          [texts.me.hands, hands],
          [texts.me.matches, totals.reduce((sum, one) => sum + one.matches, 0)],
        ].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <h2>{texts.me.places}</h2>
      <ul className="bars">
        {places.map((count, at) => (
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

function History() {
  const texts = useTexts();
  const known = useStore(player);
  const [matches] = useState(played);
  if (!matches.length) return <p className="quiet">{texts.me.noHistory}</p>;
  return (
    <ul className="history">
      {matches.map((match) => {
        const mine = match.seat === undefined || !match.teams ? undefined : match.teams[match.seat % 2];
        const theirs = match.seat === undefined || !match.teams ? undefined : match.teams[1 - (match.seat % 2)];
        return (
          <li key={match.tableId}>
            <span>
              <strong>{texts.preset[match.preset] ?? match.preset}</strong>
              <small>{new Date(match.at).toLocaleString(document.documentElement.lang)}</small>
            </span>
            <span className="history-score">
              {mine !== undefined
                ? `${mine} : ${theirs}`
                : match.points !== undefined
                  ? match.points
                  : known
                    ? "…"
                    : ""}
            </span>
            <button type="button" className="button button-quiet" onClick={() => go(`/replay/${match.tableId}`)}>
              {texts.me.watch}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
