/** What can be looked at beside the table: card counter, log, last trick, what to say. */
import type { TrickAct } from "@gouji/client";
import { type Phrase, PhraseKind } from "@gouji/client/v1/table";
import { useEffect, useRef, useState } from "react";
import { useTexts } from "../i18n";
import { Fan } from "../parts/Card";
import { Face } from "../parts/Face";
import { Icon } from "../parts/Icon";
import { cardsLabel, rankLabel, rankName } from "../state/cardtext";
import type { Counted } from "../state/counter";
import type { Line } from "../state/log";

/** What is still out, rank by rank. */
export function CounterPanel({ counted }: { counted: readonly Counted[] }) {
  const texts = useTexts();
  return (
    <div className="counter">
      <p className="quiet">{texts.counter.lead}</p>
      <table>
        <caption className="hidden">{texts.counter.head}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.counter.rank}</th>
            <th scope="col">{texts.counter.out}</th>
            <th scope="col">
              <span className="hidden">{texts.counter.out}</span>
            </th>
            <th scope="col">{texts.counter.mine}</th>
          </tr>
        </thead>
        <tbody>
          {counted.map(({ rank, out, mine, total }) => (
            <tr key={rank} className={`count-row ${out === 0 ? "count-none" : ""} count-${rank}`}>
              <th scope="row">
                <span aria-hidden="true">{rankLabel(rank, texts)}</span>
                <span className="hidden">{rankName(rank, texts)}</span>
              </th>
              <td className="count-out">{out}</td>
              <td className="count-bar" aria-hidden="true">
                <meter min={0} max={total || 1} value={out} />
              </td>
              <td>{mine || ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The hand so far, as text; the newest line last and in sight. */
export function LogPanel({ lines }: { lines: readonly Line[] }) {
  const texts = useTexts();
  const end = useRef<HTMLLIElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line is brought into sight
  useEffect(() => {
    end.current?.scrollIntoView?.({ block: "nearest" });
  }, [lines.length]);
  if (!lines.length) return <p className="quiet">{texts.log.empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <div className="log" tabIndex={0} role="region" aria-label={texts.table.log}>
      <ol>
        {lines.map((line) => (
          <li key={line.key} className={`log-${line.kind}`}>
            {line.text}
          </li>
        ))}
        <li ref={end} className="log-end" aria-hidden="true" />
      </ol>
    </div>
  );
}

/** The trick before this one, act by act. */
export function LastTrickPanel({ trick, names }: { trick: readonly TrickAct[]; names: readonly string[] }) {
  const texts = useTexts();
  if (!trick.length) return <p className="quiet">{texts.table.lastTrickNone}</p>;
  return (
    <ol className="last-trick">
      {trick.map((act, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: acts never move
        <li key={at}>
          <span className="last-trick-who">{names[act.seat]}</span>
          {act.cards ? (
            <Fan cards={act.cards} suited={act.suited} label={cardsLabel(act.cards, texts)} />
          ) : (
            <span className="act-word">{texts.table.act[act.verb]}</span>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Phrases and feelings to say, and whom not to hear. */
export function ChatPanel({
  phrases,
  names,
  me,
  people,
  muted,
  onSay,
  onMute,
}: {
  phrases: () => Promise<Phrase[]>;
  names: readonly string[];
  me: number | null;
  /** Seats of people other than oneself: bots say nothing. */
  people: readonly number[];
  muted: readonly number[];
  onSay: (id: string) => void;
  onMute: (seat: number, muted: boolean) => void;
}) {
  const texts = useTexts();
  const [all, setAll] = useState<Phrase[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list never changes
  useEffect(() => {
    phrases().then(setAll, () => undefined);
  }, []);
  const words = all.filter((phrase) => phrase.kind !== PhraseKind.EMOTE);
  return (
    <div className="chat">
      {me !== null && (
        <>
          <div className="chat-emotes">
            {all
              .filter((phrase) => phrase.kind === PhraseKind.EMOTE)
              .map((phrase) => (
                <button type="button" key={phrase.id} aria-label={said(phrase, texts)} onClick={() => onSay(phrase.id)}>
                  <Face id={phrase.id} />
                </button>
              ))}
          </div>
          <div className="chat-words">
            {words.map((phrase) => (
              <button type="button" key={phrase.id} className="button button-quiet" onClick={() => onSay(phrase.id)}>
                {said(phrase, texts)}
              </button>
            ))}
          </div>
        </>
      )}
      <Muting names={names} people={people} muted={muted} onMute={onMute} />
    </div>
  );
}

function Muting({
  names,
  people,
  muted,
  onMute,
}: {
  names: readonly string[];
  people: readonly number[];
  muted: readonly number[];
  onMute: (seat: number, muted: boolean) => void;
}) {
  const texts = useTexts();
  return (
    <ul className="chat-seats">
      {people.map((seat) => (
        <li key={seat}>
          {names[seat]}
          <button
            type="button"
            className="icon-button"
            aria-pressed={muted.includes(seat)}
            aria-label={`${texts.table.mute} ${names[seat]}`}
            onClick={() => onMute(seat, !muted.includes(seat))}
          >
            <Icon name={muted.includes(seat) ? "mute" : "heard"} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function said(phrase: Phrase, texts: ReturnType<typeof useTexts>): string {
  return texts.phrases[phrase.id] ?? phrase.english;
}
