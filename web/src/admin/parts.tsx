/** What these pages have in common: texts, asking, forms that do something, tables of rows. */
import { createContext, type ReactNode, use, useCallback, useEffect, useId, useState } from "react";
import { useTexts } from "../i18n";
import { failureText } from "../screens/failure";
import { type AdminTexts, en } from "./en";
import { type Moment, timeText } from "./length";

export const AdminContext = createContext<AdminTexts>(en);

/** The texts of these pages in the language that is set. */
export function useAdminTexts(): AdminTexts {
  return use(AdminContext);
}

/** Writes a moment in the page's language. */
export function useTime(): (moment: Moment | undefined) => string {
  const language = useTexts().language === en.language ? "en" : "zh-Hans";
  return (moment) => timeText(moment, language);
}

/** What was asked for. */
export interface Asked<T> {
  answer: T | null;
  failure: string;
  refresh: () => void;
}

/** Ask for something at once, whenever `key` changes, and when told to. */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>, key: string): Asked<T> {
  const texts = useTexts();
  const [answer, setAnswer] = useState<T | null>(null);
  const [failure, setFailure] = useState("");
  const [times, setTimes] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says what is asked for
  useEffect(() => {
    const closing = new AbortController();
    setFailure("");
    ask(closing.signal)
      .then((found) => !closing.signal.aborted && setAnswer(found))
      .catch((thrown) => !closing.signal.aborted && setFailure(failureText(thrown, texts)));
    return () => closing.abort();
  }, [key, times]);
  const refresh = useCallback(() => setTimes((before) => before + 1), []);
  return { answer, failure, refresh };
}

/** A heading, a button that asks again, and what was found or why not. */
export function Section<T>({
  title,
  asked,
  children,
}: {
  title: string;
  asked: Asked<T>;
  children: (answer: T) => ReactNode;
}) {
  const texts = useTexts();
  const admin = useAdminTexts();
  return (
    <section className="card-panel" aria-label={title}>
      <div className="rooms-head">
        <h2>{title}</h2>
        <button type="button" className="link" onClick={asked.refresh}>
          {admin.refresh}
        </button>
      </div>
      {asked.failure && (
        <p className="warning" role="alert">
          {asked.failure}
        </p>
      )}
      {asked.answer === null && !asked.failure && <p className="quiet">{texts.common.loading}</p>}
      {asked.answer !== null && children(asked.answer)}
    </section>
  );
}

/** Rows under headings, which scroll where they are too wide. */
export function Rows({
  label,
  heads,
  children,
  count,
}: {
  label: string;
  heads: readonly string[];
  children: ReactNode;
  count: number;
}) {
  const admin = useAdminTexts();
  if (!count) return <p className="quiet">{admin.none}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <div className="scroll" tabIndex={0} role="region" aria-label={label}>
      <table className="list">
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** A line to write in. */
export function Field({
  label,
  value,
  onChange,
  secret = false,
  most = 200,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  secret?: boolean;
  most?: number;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={secret ? "password" : "text"}
        value={value}
        maxLength={most}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

/** A choice from a list. */
export function Pick({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string;
  options: readonly (readonly [value: string, label: string])[];
  onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface DeedProps {
  /** What the button says. */
  name: string;
  /** What happens, said before it is confirmed. */
  lead?: string;
  /** What the reason's field is called; without one none is asked for. */
  reason?: string;
  allowed: boolean;
  danger?: boolean;
  /** Do it; says what came of it. */
  onDo: (reason: string) => Promise<string>;
}

/** A button that opens a small form, which does something once it is confirmed, and says what came of it. */
export function Deed({ name, lead, reason, allowed, danger = false, onDo }: DeedProps) {
  const texts = useTexts();
  const admin = useAdminTexts();
  const [open, setOpen] = useState(false);
  const [why, setWhy] = useState("");
  const { outcome, failure, run, busy } = useDoing();
  const submit = async () => {
    if (await run(() => onDo(why.trim()))) {
      setOpen(false);
      setWhy("");
    }
  };
  return (
    <div className="deed">
      <button
        type="button"
        className={`button ${danger ? "button-danger" : "button-quiet"}`}
        disabled={!allowed}
        title={allowed ? undefined : admin.pass.missing}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {name}
      </button>
      {open && (
        <form
          aria-label={name}
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          {lead && <p className="quiet">{lead}</p>}
          {reason && <Field label={reason} value={why} onChange={setWhy} />}
          <div className="row">
            <button type="submit" className="button button-main" disabled={busy || (!!reason && !why.trim())}>
              {admin.confirm(name)}
            </button>
            <button type="button" className="button button-quiet" onClick={() => setOpen(false)}>
              {texts.common.cancel}
            </button>
          </div>
        </form>
      )}
      <Outcome outcome={outcome} failure={failure} />
    </div>
  );
}

/** Does one thing at a time, and keeps what came of the last. */
export function useDoing() {
  const texts = useTexts();
  const [outcome, setOutcome] = useState("");
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const run = async (doing: () => Promise<string>): Promise<boolean> => {
    setBusy(true);
    setFailure("");
    setOutcome("");
    try {
      setOutcome(await doing());
      return true;
    } catch (thrown) {
      setFailure(failureText(thrown, texts));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { outcome, failure, busy, run };
}

/** What came of something, said aloud. */
export function Outcome({ outcome, failure }: { outcome: string; failure: string }) {
  return (
    <>
      <p role="status" className={outcome ? "" : "hidden"}>
        {outcome}
      </p>
      {failure && (
        <p role="alert" className="warning">
          {failure}
        </p>
      )}
    </>
  );
}
