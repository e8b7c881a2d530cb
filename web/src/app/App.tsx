/** The frame around all screens: language, navigation, who plays. */
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { LANGUAGES, TextsContext, useTexts } from "../i18n";
import { party } from "../net/party";
import { barred, comeBack, player } from "../net/session";
import { change, settings } from "../net/settings";
import { isPractice } from "../net/start";
import { useStore } from "../net/store";
import { CardShapes } from "../parts/Card";
import { Icon, type IconName } from "../parts/Icon";
import { Logo } from "../parts/Logo";
import { Warning } from "../parts/Warning";
import { failureText } from "../screens/failure";
import { Lobby } from "../screens/Lobby";
import { Welcome } from "../screens/Welcome";
import { type Route, useRoute } from "./route";

const TablePage = lazy(async () => ({ default: (await import("../table/TablePage")).TablePage }));
const RoomPage = lazy(async () => ({ default: (await import("../screens/RoomPage")).RoomPage }));
const ReplayPage = lazy(async () => ({ default: (await import("../screens/ReplayPage")).ReplayPage }));
const BoardPage = lazy(async () => ({ default: (await import("../screens/BoardPage")).BoardPage }));
const MePage = lazy(async () => ({ default: (await import("../screens/MePage")).MePage }));
const RulesPage = lazy(async () => ({ default: (await import("../screens/RulesPage")).RulesPage }));
const SettingsPage = lazy(async () => ({ default: (await import("../screens/SettingsPage")).SettingsPage }));
const AdminPage = lazy(async () => ({ default: (await import("../admin/AdminPage")).AdminPage }));
const LearnPage = lazy(async () => ({ default: (await import("../screens/LearnPage")).LearnPage }));

/** Screens for whom nobody has to be known. */
const FOR_ALL: ReadonlySet<string> = new Set(["rules", "settings", "learn", "admin"]);

export function App() {
  const wishes = useStore(settings);
  const texts = LANGUAGES[wishes.language];
  useEffect(() => {
    document.documentElement.lang = wishes.language === "zh" ? "zh-Hans" : "en";
    document.title = texts.title;
    const { dataset } = document.documentElement;
    dataset.motion = wishes.motion;
    dataset.suits = wishes.fourColours ? "four" : "two";
    dataset.size = wishes.size;
  }, [wishes, texts]);
  return (
    <TextsContext value={texts}>
      <CardShapes />
      <Screen />
    </TextsContext>
  );
}

function Screen() {
  const texts = useTexts();
  const route = useRoute();
  const known = useStore(player);
  const [seatedAt, setSeatedAt] = useState("");
  const where = route[0] ?? "";
  // A party's leader queues for all: its members learn of the table when they play.
  const company = useStore(party);
  const plays = company?.party?.members.some(
    (member) => member.playerId === known?.playerId && member.presence?.playing,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew whenever one comes back to the lobby
  useEffect(() => {
    if (where === "") void comeBack().then(setSeatedAt);
  }, [where, known?.playerId, plays]);
  const waiting = <p className="page quiet">{texts.common.loading}</p>;
  if (!known && !FOR_ALL.has(where)) return <Welcome />;
  if (where === "table" && route[1]) {
    return (
      <Suspense fallback={waiting}>
        <TablePage key={route[1]} tableId={route[1]} spectate={route[2] === "watch"} practice={isPractice(route[1])} />
      </Suspense>
    );
  }
  return (
    <Frame where={where}>
      <Suspense fallback={waiting}>{screenOf(route, seatedAt)}</Suspense>
    </Frame>
  );
}

function screenOf(route: Route, seatedAt: string): ReactNode {
  switch (route[0] ?? "") {
    case "room":
      return <RoomPage code={route[1] ?? ""} />;
    case "replay":
      return <ReplayPage tableId={route[1] ?? ""} key={route[1]} />;
    case "board":
      return <BoardPage />;
    case "me":
      return <MePage />;
    case "rules":
      return <RulesPage preset={route[1] ?? ""} />;
    case "settings":
      return <SettingsPage />;
    case "admin":
      return <AdminPage path={route.slice(1)} />;
    case "learn":
      return <LearnPage />;
    default:
      return <Lobby seatedAt={seatedAt} />;
  }
}

const PLACES: readonly [string, IconName, "lobby" | "learn" | "board" | "rules" | "me" | "settings"][] = [
  ["", "cards", "lobby"],
  ["learn", "learn", "learn"],
  ["board", "crown", "board"],
  ["rules", "book", "rules"],
  ["me", "user", "me"],
  ["settings", "gear", "settings"],
];

/** Head, menu and content of every screen but the table. */
export function Frame({ where, children }: { where: string; children: ReactNode }) {
  const texts = useTexts();
  const wishes = useStore(settings);
  const other = wishes.language === "zh" ? "en" : "zh";
  const out = useStore(barred);
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={() => document.getElementById("main")?.focus()}>
        {texts.skip}
      </button>
      <header className="head">
        <a className="brand" href="#/">
          <Logo />
          <span>
            <strong>{texts.title}</strong>
            <small>{texts.tagline}</small>
          </span>
        </a>
        <button
          type="button"
          className="language"
          lang={other === "zh" ? "zh-Hans" : "en"}
          onClick={() => change({ language: other })}
        >
          {LANGUAGES[other].language}
        </button>
      </header>
      <nav className="places-nav" aria-label={texts.nav.label}>
        {PLACES.map(([path, icon, name]) => (
          <a key={name} href={`#/${path}`} aria-current={where === path ? "page" : undefined}>
            <Icon name={icon} />
            <span>{texts.nav[name]}</span>
          </a>
        ))}
      </nav>
      <main id="main" className="content" tabIndex={-1}>
        {out && <Warning text={failureText(out, texts)} />}
        {children}
      </main>
    </div>
  );
}
