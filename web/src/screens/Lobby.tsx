/** Where one chooses what to play: at once, with friends, in a public room, for practice. */
import { useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { player } from "../net/session";
import { practise } from "../net/start";
import { useStore } from "../net/store";
import { Hero } from "../parts/Hero";
import { Warning } from "../parts/Warning";
import { FriendsSection } from "./FriendsSection";
import { failureText } from "./failure";
import { PartySection } from "./PartySection";
import { Quick } from "./Quick";
import { usePlayWish } from "./wishes";

export function Lobby({ seatedAt }: { seatedAt: string }) {
  const texts = useTexts();
  const known = useStore(player);
  return (
    <div className="lobby">
      <Hero>
        <h1>{texts.lobby.hello(known?.name ?? "")}</h1>
        <p>{texts.tagline}</p>
      </Hero>
      {seatedAt && (
        <section className="card-panel resume">
          <p>{texts.lobby.resume}</p>
          <button type="button" className="button button-main" onClick={() => go(`/table/${seatedAt}`)}>
            {texts.lobby.resumeButton}
          </button>
        </section>
      )}
      <Quick />
      <FriendsSection />
      <section className="card-panel">
        <h2>{texts.lobby.practice}</h2>
        <p className="quiet">{texts.lobby.practiceLead}</p>
        <Practice />
        <h2>{texts.lobby.tutorial}</h2>
        <p className="quiet">{texts.lobby.tutorialLead}</p>
        <a className="button button-quiet" href="#/learn">
          {texts.lobby.tutorialStart}
        </a>
      </section>
      <PartySection />
    </div>
  );
}

function Practice() {
  const texts = useTexts();
  const [failure, setFailure] = useState("");
  const [wish] = usePlayWish();
  const start = async () => {
    try {
      go(`/table/${await practise(wish.preset)}`);
    } catch (thrown) {
      setFailure(failureText(thrown, texts));
    }
  };
  return (
    <>
      <button type="button" className="button button-quiet" data-start="practice" onClick={() => void start()}>
        {texts.lobby.practiceStart}
      </button>
      <Warning text={failure} />
    </>
  );
}
