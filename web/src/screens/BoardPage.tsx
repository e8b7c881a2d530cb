/** Who has won most. */
import { LeaderboardKind, type LeaderboardRow, LeaderboardService } from "@gouji/client/v1/leaderboard";
import { useEffect, useState } from "react";
import { useTexts } from "../i18n";
import { player, session } from "../net/session";
import { failureText } from "./failure";
import { PRESETS } from "./wishes";

const MOST = 50;

export function BoardPage() {
  const texts = useTexts();
  const [preset, setPreset] = useState("");
  const [players, setPlayers] = useState<LeaderboardRow[] | null>(null);
  const [failure, setFailure] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again for another preset
  useEffect(() => {
    const closing = new AbortController();
    session
      .call((options) => {
        const board = { kind: LeaderboardKind.POINTS, preset };
        return session.client(LeaderboardService).getLeaderboard({ board, pageSize: MOST }, options);
      }, closing.signal)
      .then((answer) => setPlayers(answer.rows))
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

function Ranking({ players }: { players: readonly LeaderboardRow[] }) {
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
            <th scope="col">{texts.board.matches}</th>
          </tr>
        </thead>
        <tbody>
          {players.map((row) => (
            <tr key={row.playerId} className={row.playerId === me ? "list-me" : ""}>
              <td className={`medal medal-${row.rank}`}>{String(row.rank)}</td>
              <th scope="row">
                {row.name || row.playerId.slice(0, 8)}
                {row.playerId === me && <span className="badge">{texts.board.me}</span>}
              </th>
              <td>{String(row.score)}</td>
              <td>{row.matches}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
