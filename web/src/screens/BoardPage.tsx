/** Who has won most. */
import { type PlayerTotals, ScoringService } from "@gouji/client/v1/scoring";
import { useEffect, useState } from "react";
import { useTexts } from "../i18n";
import { player, session } from "../net/session";
import { failureText } from "./failure";
import { PRESETS } from "./wishes";

const MOST = 50;

export function BoardPage() {
  const texts = useTexts();
  const [preset, setPreset] = useState("");
  const [players, setPlayers] = useState<PlayerTotals[] | null>(null);
  const [failure, setFailure] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again for another preset
  useEffect(() => {
    const closing = new AbortController();
    session
      .call(
        (options) => session.client(ScoringService).getLeaderboard({ limit: MOST, preset }, options),
        closing.signal,
      )
      .then((answer) => setPlayers(answer.players))
      .catch((thrown) => !closing.signal.aborted && setFailure(failureText(thrown, texts)));
    return () => closing.abort();
  }, [preset]);
  return (
    <section className="card-panel">
      <h1>{texts.board.title}</h1>
      <div className="field">
        <label htmlFor="board-preset">{texts.lobby.rules}</label>
        <select id="board-preset" value={preset} onChange={(event) => setPreset(event.target.value)}>
          <option value="">{texts.board.all}</option>
          {PRESETS.map((name) => (
            <option key={name} value={name}>
              {texts.preset[name]}
            </option>
          ))}
        </select>
      </div>
      {failure && <p className="warning">{failure}</p>}
      {!players && !failure && <p className="quiet">{texts.common.loading}</p>}
      {players && !players.length && <p className="quiet">{texts.board.nobody}</p>}
      {players && players.length > 0 && <Ranking players={players} />}
    </section>
  );
}

function Ranking({ players }: { players: readonly PlayerTotals[] }) {
  const texts = useTexts();
  const me = player.get()?.playerId;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <div className="scroll" tabIndex={0} role="region" aria-label={texts.board.title}>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">{texts.board.rank}</th>
            <th scope="col">{texts.board.player}</th>
            <th scope="col">{texts.board.points}</th>
            <th scope="col">{texts.board.hands}</th>
            <th scope="col">{texts.board.heads}</th>
          </tr>
        </thead>
        <tbody>
          {players.map((row, at) => (
            <tr key={row.playerId} className={row.playerId === me ? "list-me" : ""}>
              <td className={`medal medal-${row.rank || at + 1}`}>{row.rank || at + 1}</td>
              <th scope="row">
                {row.name}
                {row.playerId === me && <span className="badge">{texts.board.me}</span>}
              </th>
              <td>{String(row.points)}</td>
              <td>{row.hands}</td>
              <td>{row.places[0] ?? 0}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
