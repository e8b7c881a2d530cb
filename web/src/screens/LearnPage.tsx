/** A short lesson: read a little, then do it. */
import { SUITS } from "@gouji/client";
import { useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { session } from "../net/session";
import { practise } from "../net/start";
import { Fan } from "../parts/Card";
import { cardsLabel } from "../state/cardtext";
import { chosen, NOTHING, type Selection } from "../state/selection";
import { Hand } from "../table/Hand";

/** What there is to do at a step: cards on the table, cards in hand, and all answers that are right. */
interface Exercise {
  table: string;
  held: string;
  right: readonly string[];
}

/** Beside each step of `texts.tutorial.steps`. */
const EXERCISES: readonly (Exercise | null)[] = [
  null,
  { table: "", held: "KJJ86665", right: ["666"] },
  { table: "9999", held: "KKKKJJJJ8777", right: ["KKKK", "JJJJ"] },
  { table: "QQQQ", held: "222KKK9955", right: ["2KKK", "22KK", "222K"] },
  { table: "w777", held: "WwKKK8885", right: ["WKKK", "W888", "WwKK", "Ww88"] },
  null,
  null,
  null,
];

/** The question of the step on Gouji plays. */
const QUIZ_STEP = 5;
const QUIZ = ["JJJ", "KK", "TTTT"] as const;
const QUIZ_RIGHT = "KK";

export function LearnPage() {
  const texts = useTexts();
  const [at, setAt] = useState(0);
  const [done, setDone] = useState(false);
  const { steps } = texts.tutorial;
  const step = steps[at]!;
  const exercise = EXERCISES[at] ?? null;
  const goTo = (index: number) => {
    setAt(index);
    setDone(false);
  };
  const needed = exercise !== null || at === QUIZ_STEP;
  return (
    <section className="card-panel learn">
      <h1>{texts.tutorial.title}</h1>
      <ol className="learn-steps" aria-label={texts.tutorial.step(at + 1, steps.length)}>
        {steps.map((each, index) => (
          <li key={each.head} className={index === at ? "learn-now" : index < at ? "learn-done" : ""}>
            <button
              type="button"
              onClick={() => goTo(index)}
              aria-label={each.head}
              aria-current={index === at ? "step" : undefined}
            />
          </li>
        ))}
      </ol>
      <h2>{step.head}</h2>
      <p className="lead">{step.body}</p>
      {at === 0 && <Circle />}
      {exercise && <Try key={at} exercise={exercise} onDone={() => setDone(true)} />}
      {at === QUIZ_STEP && <Quiz onDone={() => setDone(true)} />}
      <div className="row learn-foot">
        {at > 0 && (
          <button type="button" className="button button-quiet" onClick={() => goTo(at - 1)}>
            {texts.common.back}
          </button>
        )}
        {at < steps.length - 1 ? (
          <button
            type="button"
            className={`button ${needed && !done ? "button-quiet" : "button-main"}`}
            onClick={() => goTo(at + 1)}
          >
            {texts.tutorial.next}
          </button>
        ) : (
          <button type="button" className="button button-main" onClick={() => void toPractice()}>
            {texts.tutorial.done}
          </button>
        )}
      </div>
    </section>
  );
}

/** To the practice table, or to the lobby for who has no name yet. */
async function toPractice(): Promise<void> {
  if (!session.credentials) return go("/");
  try {
    go(`/table/${await practise()}`);
  } catch {
    go("/");
  }
}

function Try({ exercise, onDone }: { exercise: Exercise; onDone: () => void }) {
  const texts = useTexts();
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [judged, setJudged] = useState<"" | "right" | "wrong">("");
  const cards = chosen(selection);
  const select = (wanted: Selection) => {
    setSelection(wanted);
    setJudged("");
  };
  const judge = () => {
    const right = exercise.right.includes(cards);
    setJudged(right ? "right" : "wrong");
    if (right) onDone();
  };
  return (
    <div className="try">
      {exercise.table && (
        <div className="try-table">
          <Fan cards={exercise.table} suited={suited(exercise.table)} label={cardsLabel(exercise.table, texts)} />
        </div>
      )}
      <Hand
        cards={suited(exercise.held)}
        held={exercise.held}
        selection={selection}
        onSelect={select}
        wanted={exercise.table.length}
        lowFirst={false}
      />
      <button type="button" className="button button-main" disabled={!cards} onClick={judge}>
        {texts.actions.play}
      </button>
      <p className={`judged judged-${judged}`} role="status">
        {judged && texts.tutorial[judged]}
      </p>
    </div>
  );
}

/** Cards of a lesson, in suits that follow one another. */
function suited(cards: string): { rank: string; suit: string }[] {
  return [...cards].map((rank, at) => ({ rank, suit: rank === "w" || rank === "W" ? "" : SUITS[at % SUITS.length]! }));
}

function Quiz({ onDone }: { onDone: () => void }) {
  const texts = useTexts();
  const [picked, setPicked] = useState("");
  const right = picked === QUIZ_RIGHT;
  return (
    <div className="quiz">
      {QUIZ.map((cards) => (
        <button
          type="button"
          key={cards}
          className={`button button-quiet button-cards ${picked === cards ? (right ? "quiz-right" : "quiz-wrong") : ""}`}
          onClick={() => {
            setPicked(cards);
            if (cards === QUIZ_RIGHT) onDone();
          }}
        >
          <Fan cards={cards} suited={suited(cards)} label={cardsLabel(cards, texts)} />
        </button>
      ))}
      <p className={`judged ${picked ? (right ? "judged-right" : "judged-wrong") : ""}`} role="status">
        {picked && (right ? texts.tutorial.right : texts.tutorial.wrong)}
      </p>
    </div>
  );
}

/** Six seats in a circle, in the colours of their teams. */
function Circle() {
  const texts = useTexts();
  return (
    <svg className="circle" viewBox="0 0 240 170" role="img" aria-label={texts.tutorial.steps[0]!.head}>
      <ellipse cx="120" cy="85" rx="78" ry="48" className="circle-felt" />
      {[0, 1, 2, 3, 4, 5].map((turned) => {
        const angle = Math.PI / 2 - (turned * Math.PI) / 3;
        const x = 120 + 98 * Math.cos(angle);
        const y = 85 + 64 * Math.sin(angle);
        return (
          <g key={turned} className={`circle-seat circle-team-${turned % 2}`}>
            <circle cx={x} cy={y} r="17" />
            <text x={x} y={y + 4}>
              {turned === 0 ? texts.common.you : turned + 1}
            </text>
          </g>
        );
      })}
    </svg>
  );
}
