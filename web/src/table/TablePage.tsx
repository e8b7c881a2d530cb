/** The page of a table: puts what the table shows and what the person chooses together. */
import { type Move, ranksOf } from "@gouji/client";
import { Question } from "@gouji/client/v1/observation";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { useRules } from "../net/rules";
import { settings } from "../net/settings";
import { useStore } from "../net/store";
import { inTheBar, playOf, playsOf, wantedCount } from "../state/actions";
import { count, deckOf } from "../state/counter";
import { hintFor } from "../state/hints";
import { tellAll } from "../state/log";
import { kept, NOTHING, type Selection, selectionOf } from "../state/selection";
import { suggestions } from "../state/suggest";
import { ActionBar } from "./ActionBar";
import { AskPanel } from "./AskPanel";
import { Banner } from "./Banner";
import { Felt } from "./Felt";
import { Hand } from "./Hand";
import { useTableKeys } from "./keys";
import { seatNames } from "./names";
import { ChatPanel, CounterPanel, LastTrickPanel, LogPanel } from "./Panels";
import { HandResult, MatchResult } from "./Results";
import { SeatSheet } from "./SeatSheet";
import { type Scene, Sitting } from "./sitting";
import { type PanelName, SidePanel, TopBar } from "./TopBar";
import { useTimeLeft } from "./useClock";
import { useWhyNot } from "./useWhyNot";

/** How long the result of a hand stays unless it is closed before. */
const RESULT_MS = 9_000;

export function TablePage({ tableId, spectate, practice }: { tableId: string; spectate: boolean; practice: boolean }) {
  const [sitting, setSitting] = useState<Sitting | null>(null);
  useEffect(() => {
    const made = new Sitting(tableId, spectate);
    setSitting(made);
    return () => made.close();
  }, [tableId, spectate]);
  return sitting && <AtTable key={tableId} sitting={sitting} practice={practice} />;
}

function AtTable({ sitting, practice }: { sitting: Sitting; practice: boolean }) {
  const texts = useTexts();
  const scene = useStore(sitting.scene);
  const wishes = useStore(settings);
  const { model, client } = scene;
  const names = seatNames(client.view.opened.seats, texts, model.me);
  const timeLeft = useTimeLeft(client);
  const [panel, setPanel] = useState<PanelName | null>(null);
  const [picked, setPicked] = useState<number | null>(null);
  const about = model.seats.find((seat) => seat.seat === picked);
  const choice = useChoice(sitting, scene);
  const whyNot = useWhyNot(model.ask, choice.selection, (move) => sitting.refusal(move));
  const result = useHandResult(scene);
  const rules = useRules();
  const hint = wishes.hints || practice ? hintFor(model, texts) : "";

  useTableKeys({
    select: choice.select,
    selection: choice.selection,
    held: model.held,
    play: choice.play,
    hint: choice.hint,
    clear: () => choice.select(NOTHING),
    decline: () => declineWith(model.ask?.moves, sitting),
    yield: () => sendVerb(model.ask?.moves, "yield", sitting),
    panel: (name) => setPanel(panel === name ? null : name),
  });

  useEffect(() => {
    document.body.classList.add("at-table");
    return () => document.body.classList.remove("at-table");
  }, []);

  if (scene.link === "failed") return <Failed scene={scene} />;
  const dialogue = model.ask && !inTheBar(model.ask.question) ? model.ask : null;
  return (
    <main className="table" id="main" data-link={scene.link} data-turn={String(model.ask?.turn ?? "")}>
      <h1 className="hidden">{texts.table.label}</h1>
      <TopBar
        scene={scene}
        sitting={sitting}
        panel={panel}
        onPanel={(name) => setPanel(panel === name ? null : name)}
      />
      <Banner scene={scene} sitting={sitting} />
      <Felt
        model={model}
        before={lastActs(scene)}
        speeches={scene.speeches}
        timeLeft={timeLeft}
        turnMs={client.view.opened.clock?.turnMs ?? 0}
        onPick={setPicked}
        hiddenAbove={Number(rules?.value(client.view.opened.rules, "report_at") ?? 0)}
      >
        {result && !dialogue && !client.view.ended && (
          <HandResult hand={result.hand} ended={result.ended} names={names} me={model.me} onClose={result.close} />
        )}
        {dialogue && !client.view.ended && (
          <AskPanel
            key={String(dialogue.turn)}
            ask={dialogue}
            names={names}
            selection={choice.selection}
            sending={scene.sending !== null}
            onMove={(move) => void sitting.act(move)}
          />
        )}
      </Felt>
      <section className={`mine ${model.asking ? "mine-asked" : ""}`} aria-label={texts.table.yourHand}>
        <QuestionLine scene={scene} hint={choice.told || hint} why={whyNot.needed ? whyNot.why : ""} />
        {!dialogue && (
          <ActionBar
            ask={model.ask}
            held={model.held}
            selection={choice.selection}
            onSelect={choice.select}
            onMove={(move) => void sitting.act(move)}
            onPlay={choice.play}
            confirming={choice.confirming}
            sending={scene.sending !== null}
            passAhead={scene.passAhead}
            onPassAhead={(wanted) => sitting.setPassAhead(wanted)}
            onHint={choice.hint}
            instead={insteadOfBar(scene, texts)}
            why={whyNot.why}
          />
        )}
        {model.held && (
          <Hand
            cards={client.view.hand.cards}
            held={model.held}
            selection={choice.selection}
            onSelect={choice.select}
            wanted={wantedCount(model.ask)}
            lowFirst={wishes.order === "low"}
            idle={model.me !== null && client.view.seats[model.me]!.struck}
          />
        )}
      </section>
      {panel && (
        <SidePanel name={panel} onClose={() => setPanel(null)}>
          <PanelBody name={panel} scene={scene} sitting={sitting} names={names} />
        </SidePanel>
      )}
      {about && (
        <SeatSheet
          seat={about}
          model={model}
          muted={scene.muted.includes(about.seat)}
          onAside={(move) => void sitting.attempt((client) => client.act(move, client.view.turn.number))}
          onMute={(muted) => void sitting.attempt((client) => client.mute(about.seat, muted))}
          onClose={() => setPicked(null)}
        />
      )}
      {client.view.ended && <Ended scene={scene} sitting={sitting} names={names} />}
    </main>
  );
}

/** The cards that are chosen, and what becomes of them. */
function useChoice(sitting: Sitting, scene: Scene) {
  const texts = useTexts();
  const { confirm } = useStore(settings);
  const { ask, held } = scene.model;
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const [confirming, setConfirming] = useState(false);
  const [told, setTold] = useState("");
  const at = useRef(-1);
  const standing = kept(selection, held);
  const turn = ask?.turn;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new question begins anew
  useEffect(() => {
    at.current = -1;
    setConfirming(false);
    setTold("");
    if (ask?.question === Question.RETURN && ask.fallback) setSelection(selectionOf(ask.fallback.cards));
  }, [turn]);

  const select = useCallback((wanted: Selection) => {
    setSelection(wanted);
    setConfirming(false);
    setTold("");
  }, []);

  const hint = () => {
    if (!ask) return;
    const all = suggestions(playsOf(ask), held);
    if (!all.length) return setTold(texts.actions.hintNone);
    at.current = (at.current + 1) % all.length;
    select(selectionOf(all[at.current]!.cards));
    setTold(texts.actions.hintOf(at.current + 1, all.length));
  };

  const play = () => {
    const move = ask && playOf(ask, standing);
    if (!move || scene.sending) return;
    if (confirm && !confirming) return setConfirming(true);
    setConfirming(false);
    void sitting.act(move).then(() => {
      if (!sitting.scene.get().refused) setSelection(NOTHING);
    });
  };

  return { selection: standing, select, hint, play, confirming, told };
}

/** The result of the hand before, until it is closed or the next is under way. */
function useHandResult(scene: Scene) {
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

function QuestionLine({ scene, hint, why }: { scene: Scene; hint: string; why: string }) {
  const texts = useTexts();
  const { ask, asking } = scene.model;
  const asked = ask && inTheBar(ask.question) ? texts.ask[ask.question] : null;
  const refused = scene.refused ? (texts.reasons[scene.refused] ?? scene.refused) : "";
  return (
    <p className={`question ${asked ? "question-asked" : ""} ${refused ? "question-refused" : ""}`} role="status">
      {refused ? (
        refused
      ) : asked ? (
        <>
          <strong>{asked.head}</strong>{" "}
          <span className={why && !hint ? "question-why" : ""}>{hint || why || asked.body}</span>
        </>
      ) : scene.sealed !== null && !asking ? (
        texts.table.sealed
      ) : (
        hint
      )}
    </p>
  );
}

function PanelBody({
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

function Ended({ scene, sitting, names }: { scene: Scene; sitting: Sitting; names: readonly string[] }) {
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

function Failed({ scene }: { scene: Scene }) {
  const texts = useTexts();
  const { failure } = scene;
  return (
    <main className="page page-narrow" id="main">
      <h1>{texts.table.label}</h1>
      <p className="warning">{texts.reasons[failure?.reason ?? ""] ?? failure?.message}</p>
      <button type="button" className="button button-main" onClick={() => go("/")}>
        {texts.table.toLobby}
      </button>
    </main>
  );
}

/** What each seat did last in the trick that is over, while nothing lies on the table. */
function lastActs(scene: Scene): ReadonlyMap<number, Scene["lastTrick"][number]> {
  return new Map(scene.lastTrick.filter((act) => act.cards).map((act) => [act.seat, act]));
}

function insteadOfBar(scene: Scene, texts: ReturnType<typeof useTexts>): ReactNode {
  const { view } = scene.client;
  if (scene.model.me === null) return view.hand.number ? texts.table.watching : "";
  if (view.left) return texts.table.leftForGood;
  if (view.hand.number && !scene.model.held && !scene.model.ask && !view.over) return texts.table.noCards;
  return null;
}

function declineWith(moves: readonly Move[] | undefined, sitting: Sitting): void {
  const verbs = ["pass", "close", "decline", "stay", "no_call", "accept"] as const;
  const verb = verbs.find((each) => moves?.some((move) => move.verb === each));
  if (verb) sendVerb(moves, verb, sitting);
}

function sendVerb(moves: readonly Move[] | undefined, verb: Move["verb"], sitting: Sitting): void {
  const move = moves?.find((each) => each.verb === verb);
  if (move) void sitting.act(move);
}
