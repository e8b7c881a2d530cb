/** What opens over or beside the table: panels, results, a seat. */
import { ranksOf } from "@gouji/client";
import { useEffect, useMemo, useRef, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { reportPlayer } from "../net/report";
import { useRules } from "../net/rules";
import { count, deckOf } from "../state/counter";
import { tellAll } from "../state/log";
import { ChatPanel, CounterPanel, LastTrickPanel, LogPanel } from "./Panels";
import { MatchResult } from "./Results";
import { SeatSheet } from "./SeatSheet";
import type { Scene, Sitting } from "./sitting";
import type { PanelName } from "./TopBar";

/** How long the result of a hand stays unless it is closed before. */
const RESULT_MS = 9_000;

/** The result of the hand before, until it is closed or the next is under way. */
export function useHandResult(scene: Scene) {
  const { results } = scene.client.view;
  const [closed, setClosed] = useState(results.length);
  const latest = useRef(results.length);
  useEffect(() => {
    if (results.length === latest.current) return;
    const first = latest.current === 0 && scene.link === "opening";
    latest.current = results.length;
    if (first) return setClosed(results.length);
    const timer = setTimeout(() => setClosed(results.length), RESULT_MS);
    return () => clearTimeout(timer);
  }, [results.length, scene.link]);
  const ended = results.at(-1);
  if (!ended || closed >= results.length) return null;
  return { hand: results.length, ended, close: () => setClosed(results.length) };
}

/** What is in a panel. */
export function PanelBody({
  name,
  scene,
  sitting,
  names,
}: {
  name: PanelName;
  scene: Scene;
  sitting: Sitting;
  names: readonly string[];
}) {
  const texts = useTexts();
  const rules = useRules();
  const { view } = scene.client;
  const { opened } = view;
  const lines = useMemo(
    () => (name === "log" ? tellAll(scene.events, names, texts) : []),
    [name, scene.events, names, texts],
  );
  switch (name) {
    case "counter": {
      const value = (option: string) => Number(rules?.value(opened.rules, option) ?? 0);
      const deck = deckOf(value("decks") || 4, value("threes"), value("fours"));
      return (
        <CounterPanel
          counted={count(
            deck,
            ranksOf(view.hand.cards),
            view.seats.map((seat) => seat.played),
          )}
        />
      );
    }
    case "log":
      return <LogPanel lines={lines} />;
    case "trick":
      return <LastTrickPanel trick={scene.lastTrick} names={names} />;
    case "chat":
      return (
        <ChatPanel
          phrases={() => scene.client.phrases()}
          names={names}
          me={scene.model.me}
          people={scene.model.seats.filter((seat) => !seat.botLevel && seat.turned !== 0).map((seat) => seat.seat)}
          muted={scene.muted}
          onSay={(id) => void sitting.attempt((client) => client.say(id))}
          onMute={(seat, muted) => void sitting.attempt((client) => client.mute(seat, muted))}
        />
      );
  }
}

/** A seat that was tapped, if one was. */
export function Picked({
  seat,
  scene,
  sitting,
  onClose,
}: {
  seat: number | null;
  scene: Scene;
  sitting: Sitting;
  onClose: () => void;
}) {
  const about = scene.model.seats.find((each) => each.seat === seat);
  if (!about) return null;
  return (
    <SeatSheet
      seat={about}
      model={scene.model}
      muted={scene.muted.includes(about.seat)}
      onAside={(move) => void sitting.attempt((client) => client.act(move, client.view.turn.number))}
      onMute={(muted) => void sitting.attempt((client) => client.mute(about.seat, muted))}
      onReport={(kind) => reportPlayer(about.playerId, scene.client.tableId, kind)}
      onClose={onClose}
    />
  );
}

/** The end of the match, and a rematch as soon as it is placed. */
export function Ended({ scene, sitting, names }: { scene: Scene; sitting: Sitting; names: readonly string[] }) {
  const { view, deals, tableId } = scene.client;
  const { me } = scene.model;
  const rematch = view.rematch;
  useEffect(() => {
    if (rematch && me !== null) go(`/table/${rematch}`);
  }, [rematch, me]);
  if (!view.ended) return null;
  const others = [...view.ready].filter((seat) => seat !== me).length;
  const fromRoom = sessionStorage.getItem("gouji.room") === tableId;
  return (
    <MatchResult
      ended={view.ended}
      last={view.results.at(-1)}
      names={names}
      me={me}
      ready={me !== null && view.ready.has(me)}
      others={others}
      doubts={deals.doubts}
      onReady={me === null || view.left ? null : (wanted) => void sitting.attempt((client) => client.ready(wanted))}
      onReplay={() => go(`/replay/${tableId}`)}
      onLobby={() => go("/")}
      onRoom={fromRoom ? () => go("/room") : null}
    />
  );
}
