/** The page of a table: puts what the table shows and what the person chooses together. */
import type { Move } from "@gouji/client";
import { useEffect, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { useRules } from "../net/rules";
import { useStore } from "../net/store";
import { failureText } from "../screens/failure";
import { inTheBar } from "../state/actions";
import { NOTHING } from "../state/selection";
import { Ended, PanelBody, Picked, useHandResult } from "./Around";
import { AskPanel } from "./AskPanel";
import { Banner } from "./Banner";
import { Felt } from "./Felt";
import { useTableKeys } from "./keys";
import { Mine } from "./Mine";
import { seatNames } from "./names";
import { HandResult } from "./Results";
import { type Scene, Sitting } from "./sitting";
import { type PanelName, SidePanel, TopBar } from "./TopBar";
import { type Choosing, useChoice } from "./useChoice";
import { useTimeLeft } from "./useClock";

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
  const { model, client } = scene;
  const names = seatNames(client.view.opened.seats, texts, model.me);
  const [panel, setPanel] = useState<PanelName | null>(null);
  const [picked, setPicked] = useState<number | null>(null);
  const choice = useChoice(sitting, scene, names, practice);
  const toggle = (name: PanelName) => setPanel(panel === name ? null : name);

  useTableKeys({
    ...choice,
    held: model.held,
    clear: () => choice.select(NOTHING),
    decline: () => declineWith(model.ask?.moves, sitting),
    yield: () => sendVerb(model.ask?.moves, "yield", sitting),
    panel: toggle,
  });
  useEffect(() => {
    document.body.classList.add("at-table");
    return () => document.body.classList.remove("at-table");
  }, []);

  if (scene.link === "failed") return <Failed scene={scene} />;
  return (
    <main className="table" id="main" data-link={scene.link} data-turn={String(model.ask?.turn ?? "")}>
      <h1 className="hidden">{texts.table.label}</h1>
      <TopBar scene={scene} sitting={sitting} panel={panel} onPanel={toggle} />
      <Banner scene={scene} sitting={sitting} />
      <Cloth scene={scene} sitting={sitting} choice={choice} names={names} onPick={setPicked} />
      <Mine scene={scene} sitting={sitting} choice={choice} practice={practice} />
      {panel && (
        <SidePanel name={panel} onClose={() => setPanel(null)}>
          <PanelBody name={panel} scene={scene} sitting={sitting} names={names} />
        </SidePanel>
      )}
      <Picked seat={picked} scene={scene} sitting={sitting} onClose={() => setPicked(null)} />
      {client.view.ended && <Ended scene={scene} sitting={sitting} names={names} />}
    </main>
  );
}

/** The cloth with its seats, and over it a question of its own or how the hand before ended. */
function Cloth({
  scene,
  sitting,
  choice,
  names,
  onPick,
}: {
  scene: Scene;
  sitting: Sitting;
  choice: Choosing;
  names: readonly string[];
  onPick: (seat: number) => void;
}) {
  const { model, client } = scene;
  const { opened, ended } = client.view;
  const timeLeft = useTimeLeft(client);
  const result = useHandResult(scene);
  const rules = useRules();
  const dialogue = !ended && model.ask && !inTheBar(model.ask.question) ? model.ask : null;
  return (
    <Felt
      model={model}
      before={lastActs(scene)}
      speeches={scene.speeches}
      timeLeft={timeLeft}
      turnMs={opened.clock?.turnMs ?? 0}
      onPick={onPick}
      hiddenAbove={Number(rules?.value(opened.rules, "report_at") ?? 0)}
    >
      {result && !dialogue && !ended && (
        <HandResult hand={result.hand} ended={result.ended} names={names} me={model.me} onClose={result.close} />
      )}
      {dialogue && (
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
  );
}

function Failed({ scene }: { scene: Scene }) {
  const texts = useTexts();
  const { failure } = scene;
  return (
    <main className="page page-narrow" id="main">
      <h1>{texts.table.label}</h1>
      <p className="warning">{failureText(failure, texts)}</p>
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

function declineWith(moves: readonly Move[] | undefined, sitting: Sitting): void {
  const verbs = ["pass", "close", "decline", "stay", "no_call", "accept"] as const;
  const verb = verbs.find((each) => moves?.some((move) => move.verb === each));
  if (verb) sendVerb(moves, verb, sitting);
}

function sendVerb(moves: readonly Move[] | undefined, verb: Move["verb"], sitting: Sitting): void {
  const move = moves?.find((each) => each.verb === verb);
  if (move) void sitting.act(move);
}
