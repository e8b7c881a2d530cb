/** The line above the table: which hand it is, the points, the tools. */
import { type ReactNode, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { Icon, type IconName } from "../parts/Icon";
import { Sheet } from "../parts/Sheet";
import { SettingsForm } from "../screens/SettingsPage";
import type { Scene, Sitting } from "./sitting";

export type PanelName = "counter" | "log" | "trick" | "chat";

const TOOLS: readonly [PanelName, IconName][] = [
  ["counter", "counter"],
  ["trick", "trick"],
  ["log", "log"],
  ["chat", "chat"],
];

export function panelTitle(name: PanelName, texts: ReturnType<typeof useTexts>): string {
  return { counter: texts.counter.head, log: texts.table.log, trick: texts.table.lastTrick, chat: texts.table.chat }[
    name
  ];
}

export function TopBar({
  scene,
  sitting,
  panel,
  onPanel,
}: {
  scene: Scene;
  sitting: Sitting;
  panel: PanelName | null;
  onPanel: (name: PanelName) => void;
}) {
  const texts = useTexts();
  const [menu, setMenu] = useState(false);
  return (
    <header className="top">
      <button type="button" className="icon-button" aria-label={texts.table.menu} onClick={() => setMenu(true)}>
        <Icon name="menu" />
      </button>
      <div className="top-text">
        <span className="top-hand">
          <span className="top-preset">{presetName(scene, texts)}</span>
          {handLabel(scene, texts)}
        </span>
        <Scores scene={scene} />
      </div>
      <nav className="tools" aria-label={texts.actions.more}>
        {TOOLS.map(([name, icon]) => (
          <button
            type="button"
            key={name}
            className="icon-button"
            data-panel={name}
            aria-pressed={panel === name}
            aria-label={panelTitle(name, texts)}
            onClick={() => onPanel(name)}
          >
            <Icon name={icon} />
          </button>
        ))}
      </nav>
      {menu && <Menu scene={scene} sitting={sitting} onClose={() => setMenu(false)} />}
    </header>
  );
}

function presetName(scene: Scene, texts: ReturnType<typeof useTexts>): string {
  const preset = scene.client.view.opened.rules?.preset || "standard";
  return texts.preset[preset] ?? preset;
}

function handLabel(scene: Scene, texts: ReturnType<typeof useTexts>): string {
  const { opened, hand } = scene.client.view;
  if (!hand.number) return "";
  const until = opened.length?.until;
  if (until?.case === "hands") return texts.table.handOf(hand.number, until.value);
  const target = until?.case === "target" ? ` ${texts.table.toPoints(until.value)}` : "";
  return texts.table.hand(hand.number) + target;
}

function Scores({ scene }: { scene: Scene }) {
  const texts = useTexts();
  const { scores, me } = scene.model;
  if (scores.length !== 2) return null;
  const mine = me === null ? 0 : me % 2;
  return (
    <span className="top-scores">
      {[mine, 1 - mine].map((team) => (
        <span key={team} className={`top-score team-score-${team}`}>
          {me === null ? texts.result.team(team) : team === mine ? texts.table.us : texts.table.them}{" "}
          <b>{scores[team]}</b>
        </span>
      ))}
    </span>
  );
}

/** What is rarely needed: settings, giving a hand up, leaving. */
function Menu({ scene, sitting, onClose }: { scene: Scene; sitting: Sitting; onClose: () => void }) {
  const texts = useTexts();
  const { view } = scene.client;
  const [leaving, setLeaving] = useState(false);
  const { me } = scene.model;
  const voted = me !== null && view.votes.has(me);
  return (
    <Sheet title={texts.table.menu} onClose={onClose}>
      <div className="menu">
        <button type="button" className="button button-quiet" onClick={() => go("/")}>
          <Icon name="back" /> {texts.table.toLobby}
        </button>
        {document.fullscreenEnabled && (
          <button
            type="button"
            className="button button-quiet"
            onClick={() => void document.documentElement.requestFullscreen()}
          >
            <Icon name="full" /> {texts.table.fullScreen}
          </button>
        )}
        {me !== null && !view.over && !view.left && (
          <button
            type="button"
            className="button button-quiet"
            onClick={() => void sitting.attempt((client) => client.vote(!voted)).then(onClose)}
          >
            {voted ? texts.table.giveUpBack : texts.table.giveUp}
          </button>
        )}
        {me !== null && !view.over && !view.left && !leaving && (
          <button type="button" className="button button-quiet" onClick={() => setLeaving(true)}>
            <Icon name="leave" /> {texts.table.leave}
          </button>
        )}
        {leaving && (
          <div className="menu-sure" role="alert">
            <p>{texts.table.leaveSure}</p>
            <button
              type="button"
              className="button button-danger"
              onClick={() => void sitting.leave().then(() => go("/"))}
            >
              {texts.table.leaveYes}
            </button>
            <button type="button" className="button button-quiet" onClick={() => setLeaving(false)}>
              {texts.common.cancel}
            </button>
          </div>
        )}
      </div>
      <SettingsForm />
    </Sheet>
  );
}

/** A panel at the side of the table, or over it on a phone. */
export function SidePanel({ name, onClose, children }: { name: PanelName; onClose: () => void; children: ReactNode }) {
  const texts = useTexts();
  return (
    <aside className="side" aria-label={panelTitle(name, texts)} data-open={name}>
      <div className="side-head">
        <h2>{panelTitle(name, texts)}</h2>
        <button type="button" className="icon-button" aria-label={texts.common.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
      <div className="side-body" tabIndex={0} role="region" aria-label={panelTitle(name, texts)}>
        {children}
      </div>
    </aside>
  );
}
