/** Who are you? The first page of somebody who is not known here. */
import { ClientError } from "@gouji/client";
import { useState } from "react";
import { Frame } from "../app/App";
import { useTexts } from "../i18n";
import { enter } from "../net/session";
import { Fan } from "../parts/Card";

/** Longest name that the server takes. */
const LONGEST = 24;

export function Welcome() {
  const texts = useTexts();
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const submit = async () => {
    setBusy(true);
    setFailure("");
    try {
      await enter(name.trim());
    } catch (thrown) {
      const error = ClientError.of(thrown);
      setFailure(texts.reasons[error.reason] ?? texts.common.failed(error.message));
      setBusy(false);
    }
  };
  return (
    <Frame where="welcome">
      <section className="welcome">
        <div className="welcome-art" aria-hidden="true">
          <Fan cards="WwA2" suited={ART} label="" />
        </div>
        <h1>{texts.welcome.head}</h1>
        <p className="lead">{texts.welcome.lead}</p>
        <form
          className="welcome-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim()) void submit();
          }}
        >
          <label htmlFor="name">{texts.welcome.name}</label>
          <div className="field-row">
            <input
              id="name"
              value={name}
              maxLength={LONGEST}
              autoComplete="nickname"
              onChange={(event) => setName(event.target.value)}
              aria-describedby="name-hint"
              required
            />
            <button type="submit" className="button button-main" disabled={busy || !name.trim()}>
              {texts.welcome.enter}
            </button>
          </div>
          <p id="name-hint" className="quiet">
            {texts.welcome.hint}
          </p>
          {failure && (
            <p className="warning" role="alert">
              {failure}
            </p>
          )}
        </form>
      </section>
    </Frame>
  );
}

const ART = [
  { rank: "W", suit: "" },
  { rank: "w", suit: "" },
  { rank: "A", suit: "S" },
  { rank: "2", suit: "H" },
];
