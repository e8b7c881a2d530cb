/** What stands between the person and the table: a lost connection, another device, a bot in one's seat. */
import { useTexts } from "../i18n";
import type { Scene, Sitting } from "./sitting";

export function Banner({ scene, sitting }: { scene: Scene; sitting: Sitting }) {
  const texts = useTexts();
  const { view } = scene.client;
  if (scene.link === "broken" || scene.link === "moving") {
    return (
      <div className="banner banner-link" role="status" data-banner={scene.link}>
        <span className="spinner" aria-hidden="true" />
        {scene.link === "moving" ? texts.table.moved : texts.table.reconnecting}
      </div>
    );
  }
  if (view.abandoned) return <Said text={texts.table.abandoned} />;
  if (view.frozen) return <Said text={`${texts.table.frozen} ${view.frozen.reference}`} />;
  if (scene.elsewhere) {
    return (
      <div className="banner" role="status">
        {texts.table.otherDevice}
        <button type="button" className="button button-main" onClick={() => void sitting.playHere()}>
          {texts.table.playHere}
        </button>
      </div>
    );
  }
  if (view.away && !view.left && !view.over) {
    return (
      <div className="banner" role="status" data-banner="away">
        {texts.table.botPlays}
        <button
          type="button"
          className="button button-main"
          onClick={() => void sitting.attempt((client) => client.takeSeat())}
        >
          {texts.table.takeSeat}
        </button>
      </div>
    );
  }
  if (view.votes.size) return <Said text={texts.table.votes(view.votes.size)} />;
  return null;
}

function Said({ text }: { text: string }) {
  return (
    <div className="banner" role="status">
      {text}
    </div>
  );
}
