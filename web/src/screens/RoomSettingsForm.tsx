/** How a room plays: to be changed by its host, to be read by the others. */
import type { RoomWish } from "@gouji/client";
import type { Room, RoomSettings } from "@gouji/client/v1/room";
import { RoomState } from "@gouji/client/v1/room";
import { useState } from "react";
import { useTexts } from "../i18n";
import { rooms } from "../net/session";
import { Choice, Switch } from "../parts/Choice";
import { useBotLevels } from "./levels";
import { HANDS, PACES, PRESETS } from "./wishes";

const TURNS = ["30", "60", "120", "600"] as const;

type Pace = keyof typeof PACES;

/** Settings with some of them changed, as a wish: a message itself would not take plain values. */
function withChange({ $typeName: _, $unknown: __, ...settings }: RoomSettings, wanted: RoomWish): RoomWish {
  return { ...settings, ...wanted } as RoomWish;
}

/** Changes one after the other, each on top of what the one before made of the room. */
class Changes {
  #last: Promise<RoomSettings>;
  #open = 0;

  constructor(settings: RoomSettings) {
    this.#last = Promise.resolve(settings);
  }

  /** The room plays like this, as far as nothing of one's own is on its way. */
  seen(settings: RoomSettings): void {
    if (!this.#open) this.#last = Promise.resolve(settings);
  }

  async make(wanted: RoomWish): Promise<Room> {
    const before = this.#last;
    this.#open += 1;
    const made = before.then((settings) => rooms.change(withChange(settings, wanted)));
    this.#last = made.then((room) => room.settings ?? before).catch(() => before);
    return made.finally(() => {
      this.#open -= 1;
    });
  }
}

/** The pace that the form has for a number of milliseconds. */
function paceOf(milliseconds: number): Pace {
  if (!milliseconds) return "none";
  if (milliseconds <= PACES.fast) return "fast";
  return milliseconds >= PACES.slow ? "slow" : "normal";
}

/** What a room's settings are in the words of the form. */
function wordsOf(settings: RoomSettings): { preset: string; hands: string; turn: string; pace: Pace } {
  const until = settings.length?.until;
  return {
    preset: settings.rules?.preset || "standard",
    hands: until?.case === "hands" ? String(until.value) : "1",
    turn: String(Math.round((settings.clock?.turnMs || 120_000) / 1000)),
    pace: paceOf(settings.botPaceMs),
  };
}

export function RoomFacts({ settings }: { settings: RoomSettings }) {
  const texts = useTexts();
  const { preset, hands, turn } = wordsOf(settings);
  return (
    <section className="card-panel">
      <h2>{texts.room.settings}</h2>
      <ul className="facts">
        <li>{texts.preset[preset]}</li>
        <li>{texts.hands(Number(hands))}</li>
        <li>
          {texts.room.turn}: {texts.room.turnNames[turn] ?? texts.common.seconds(Number(turn))}
        </li>
        <li>
          {settings.botLevel
            ? `${texts.room.botsFill}: ${texts.botLevel[settings.botLevel] ?? settings.botLevel}`
            : texts.room.noBots}
        </li>
      </ul>
    </section>
  );
}

export function RoomSettingsForm({
  room,
  settings,
  attempt,
  onRoom,
}: {
  room: Room;
  settings: RoomSettings;
  attempt: (wanted: Promise<unknown>) => void;
  /** The room as a change left it. */
  onRoom: (room: Room) => void;
}) {
  const texts = useTexts();
  const [changes] = useState(() => new Changes(settings));
  changes.seen(settings);
  const change = (wanted: RoomWish) => attempt(changes.make(wanted).then(onRoom));
  const { preset, hands, turn } = wordsOf(settings);
  return (
    <section className="card-panel">
      <h2>{texts.room.settings}</h2>
      <div className="field">
        <label htmlFor="room-preset">{texts.lobby.rules}</label>
        <select
          id="room-preset"
          value={preset}
          disabled={room.state === RoomState.PLAYING}
          onChange={(event) => change({ rules: { preset: event.target.value } })}
        >
          {PRESETS.map((name) => (
            <option key={name} value={name}>
              {texts.preset[name]}
            </option>
          ))}
        </select>
      </div>
      <Choice
        label={texts.lobby.length}
        value={hands}
        options={HANDS.map((count) => ({ value: count, label: texts.hands(Number(count)) }))}
        onChange={(count) => change({ length: { until: { case: "hands", value: Number(count) } } })}
      />
      <Choice
        label={texts.room.turn}
        value={turn}
        options={TURNS.map((seconds) => ({ value: seconds, label: texts.room.turnNames[seconds] ?? seconds }))}
        onChange={(seconds) => change({ clock: { turnMs: Number(seconds) * 1000 } })}
      />
      <Bots settings={settings} onChange={change} />
      <Switch label={texts.room.listed} on={settings.listed} onChange={(listed) => change({ listed })} />
      <Switch
        label={texts.room.spectators}
        on={settings.spectators}
        onChange={(spectators) => change({ spectators })}
      />
    </section>
  );
}

function Bots({ settings, onChange }: { settings: RoomSettings; onChange: (wanted: RoomWish) => void }) {
  const texts = useTexts();
  const levels = useBotLevels();
  return (
    <>
      <Choice
        label={texts.room.botsFill}
        value={settings.botLevel}
        options={[
          ...levels.map((level) => ({ value: level, label: texts.botLevel[level] ?? level })),
          { value: "", label: texts.room.noBots },
        ]}
        onChange={(botLevel) => onChange({ botLevel })}
      />
      {settings.botLevel && (
        <Choice
          label={texts.lobby.pace}
          value={wordsOf(settings).pace}
          options={(Object.keys(PACES) as Pace[]).map((name) => ({
            value: name,
            label: texts.lobby.paces[name] ?? name,
          }))}
          onChange={(name) => onChange({ botPaceMs: PACES[name] })}
        />
      )}
    </>
  );
}
