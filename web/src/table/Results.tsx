/** How a hand or the match ended. */
import type { HandEnded, MatchEnded } from "@gouji/client/v1/events";
import { useTexts } from "../i18n";
import { Icon } from "../parts/Icon";

/** The places of a hand, with what each seat made of it. */
export function HandResult({
  hand,
  ended,
  names,
  me,
  onClose,
}: {
  hand: number;
  ended: HandEnded;
  names: readonly string[];
  me: number | null;
  onClose: () => void;
}) {
  const texts = useTexts();
  return (
    <section className="result" aria-label={texts.result.hand(hand)}>
      <div className="result-head">
        <h2>{texts.result.hand(hand)}</h2>
        <button type="button" className="icon-button" aria-label={texts.common.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {ended.voided ? (
        <p>{ended.givenUp ? texts.log.givenUp : texts.log.voided}</p>
      ) : (
        <>
          <Places ended={ended} names={names} me={me} />
          <TeamScores scores={ended.teamScores} me={me} />
        </>
      )}
    </section>
  );
}

function Places({ ended, names, me }: { ended: HandEnded; names: readonly string[]; me: number | null }) {
  const texts = useTexts();
  return (
    <table className="places">
      <thead className="hidden">
        <tr>
          <th scope="col">{texts.result.place}</th>
          <th scope="col">{texts.result.player}</th>
          <th scope="col">{texts.result.points}</th>
        </tr>
      </thead>
      <tbody>
        {ended.order.map((seat, at) => (
          <tr
            key={seat}
            className={`${seat === me ? "places-me" : ""} ${ended.teamScores.length ? `places-team-${seat % 2}` : ""}`}
          >
            <th scope="row">{texts.titles[at + 1]}</th>
            <td>{names[seat]}</td>
            <td className="places-points">{signed(ended.scores[seat] ?? 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function TeamScores({ scores, me }: { scores: readonly number[]; me: number | null }) {
  const texts = useTexts();
  if (scores.length !== 2) return null;
  const mine = me === null ? 0 : me % 2;
  return (
    <p className="team-scores">
      {[mine, 1 - mine].map((team) => (
        <span key={team} className={`team-score team-score-${team}`}>
          {me === null ? texts.result.team(team) : team === mine ? texts.table.us : texts.table.them}
          <b>{signed(scores[team] ?? 0)}</b>
        </span>
      ))}
    </p>
  );
}

/** The end of a match, and what to do then. */
export function MatchResult({
  ended,
  last,
  names,
  me,
  ready,
  others,
  doubts,
  onReady,
  onReplay,
  onLobby,
  onRoom,
}: {
  ended: MatchEnded;
  last: HandEnded | undefined;
  names: readonly string[];
  me: number | null;
  ready: boolean;
  others: number;
  doubts: readonly string[];
  onReady: ((wanted: boolean) => void) | null;
  onReplay: () => void;
  onLobby: () => void;
  onRoom: (() => void) | null;
}) {
  const texts = useTexts();
  return (
    <section className="result result-match" role="dialog" aria-label={texts.result.match}>
      <h2>{verdict(ended, names, me, texts)}</h2>
      <TeamScores scores={ended.teamScores} me={me} />
      {last && !last.voided && <Places ended={last} names={names} me={me} />}
      {doubts.length > 0 ? (
        <p className="warning">
          {texts.result.doubt} {doubts.join(" ")}
        </p>
      ) : (
        <p className="quiet">{texts.result.checked}</p>
      )}
      {others > 0 && !ready && <p className="result-wish">{texts.result.rematchReady}</p>}
      {ready && <p className="result-wish">{texts.result.rematchWanted}</p>}
      <div className="result-buttons">
        {onReady && (
          <button type="button" className="button button-main" onClick={() => onReady(!ready)}>
            {ready ? texts.result.rematchNot : texts.result.rematch}
          </button>
        )}
        {onRoom && (
          <button type="button" className="button button-quiet" onClick={onRoom}>
            {texts.result.room}
          </button>
        )}
        <button type="button" className="button button-quiet" onClick={onReplay}>
          {texts.result.replay}
        </button>
        <button type="button" className="button button-quiet" onClick={onLobby}>
          {texts.result.lobby}
        </button>
      </div>
    </section>
  );
}

function verdict(
  ended: MatchEnded,
  names: readonly string[],
  me: number | null,
  texts: ReturnType<typeof useTexts>,
): string {
  if (ended.teamScores.length === 2) {
    const [even = 0, odd = 0] = ended.teamScores;
    if (even === odd) return texts.result.drawn;
    const winner = even > odd ? 0 : 1;
    if (me === null) return texts.result.winner(texts.result.team(winner));
    return me % 2 === winner ? texts.result.won : texts.result.lost;
  }
  const most = Math.max(...ended.scores);
  const first = ended.scores.indexOf(most);
  if (ended.scores.filter((score) => score === most).length > 1) return texts.result.drawn;
  return texts.result.winner(names[first] ?? "");
}

function signed(score: number): string {
  return score > 0 ? `+${score}` : String(score).replace("-", "−");
}
