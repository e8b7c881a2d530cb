/** Who one is, what one has won, what one has played. */
import { useState } from "react";
import { useTexts } from "../i18n";
import { forget, player } from "../net/session";
import { useStore } from "../net/store";
import { HistorySection } from "./HistorySection";

export function MePage() {
  const texts = useTexts();
  const known = useStore(player);
  const [sure, setSure] = useState(false);
  const playerId = known?.playerId ?? "";
  return (
    <>
      <section className="card-panel">
        <h1>{known?.name ?? texts.me.title}</h1>
        <p className="quiet">
          {texts.me.id}: <code>{playerId}</code>
        </p>
      </section>
      {known && <HistorySection key={playerId} />}
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
