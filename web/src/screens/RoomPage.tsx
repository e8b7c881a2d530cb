/** A room: who sits where, how it plays, its code. */
import { ClientError, type RoomWish } from "@gouji/client";
import type { Room, RoomSettings } from "@gouji/client/v1/room";
import { RoomState } from "@gouji/client/v1/room";
import { useEffect, useRef, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { player, rooms } from "../net/session";
import { useStore } from "../net/store";
import { Choice, Switch } from "../parts/Choice";
import { Icon } from "../parts/Icon";
import { failureText } from "./Lobby";
import { useBotLevels } from "./levels";
import { HANDS, PACES, PRESETS } from "./wishes";

const TURNS = ["30", "60", "120", "600"] as const;

export function RoomPage({ code }: { code: string }) {
  const texts = useTexts();
  const [room, setRoom] = useState<Room | null>(null);
  const [failure, setFailure] = useState("");
  const playing = useRef("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: one room for as long as this shows
  useEffect(() => {
    const closing = new AbortController();
    const follow = async () => {
      if (code) await rooms.join(code).catch(unlessThere);
      for await (const state of rooms.watch({ signal: closing.signal })) {
        setRoom(state);
        if (state.state === RoomState.PLAYING && playing.current !== state.tableId && seated(state))
          enterTable(state.tableId);
        playing.current = state.tableId;
      }
      if (!closing.signal.aborted) setFailure(texts.room.gone);
    };
    follow().catch((thrown) => {
      if (!closing.signal.aborted) setFailure(failureText(thrown, texts));
    });
    return () => closing.abort();
  }, [code]);
  if (failure && !room) {
    return (
      <section className="card-panel">
        <p className="warning">{failure}</p>
        <a className="button button-main" href="#/">
          {texts.table.toLobby}
        </a>
      </section>
    );
  }
  if (!room) return <p className="quiet">{texts.common.loading}</p>;
  const attempt = (wanted: Promise<unknown>) => {
    setFailure("");
    wanted.catch((thrown) => setFailure(failureText(thrown, texts)));
  };
  return <RoomView room={room} failure={failure} attempt={attempt} onRoom={setRoom} />;
}

/** Coming in twice is coming in once. */
function unlessThere(thrown: unknown): void {
  const { reason } = ClientError.of(thrown);
  if (reason !== "in_room") throw thrown;
}

function seated(room: Room): boolean {
  const me = player.get()?.playerId;
  return room.people.some((person) => person.playerId === me && person.seatPlusOne > 0);
}

function enterTable(tableId: string): void {
  sessionStorage.setItem("gouji.room", tableId);
  go(`/table/${tableId}`);
}

interface RoomViewProps {
  room: Room;
  failure: string;
  attempt: (wanted: Promise<unknown>) => void;
  /** The room as a change left it. */
  onRoom: (room: Room) => void;
}

function RoomView({ room, failure, attempt, onRoom }: RoomViewProps) {
  const texts = useTexts();
  const me = useStore(player)?.playerId ?? "";
  const host = room.host === me;
  const [swap, setSwap] = useState(false);
  const link = `${location.origin}${location.pathname}#/room/${room.code}`;
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard?.writeText(link).then(
      () => setCopied(true),
      () => undefined,
    );
  return (
    <div className="room">
      <section className="card-panel">
        <h1>{texts.room.title}</h1>
        <p className="room-code">
          <span>{texts.room.code}</span>
          <output data-code={room.code}>{room.code}</output>
          <button type="button" className="button button-quiet" onClick={() => void copy()}>
            <Icon name="link" /> {copied ? texts.common.copied : texts.room.share}
          </button>
        </p>
        <Seats room={room} me={me} host={host} attempt={attempt} />
        {failure && (
          <p className="warning" role="alert">
            {failure}
          </p>
        )}
        <div className="room-start">
          {room.state === RoomState.PLAYING ? (
            <>
              <span className="quiet">{texts.room.playing}</span>
              <button type="button" className="button button-main" onClick={() => enterTable(room.tableId)}>
                {texts.room.toTable}
              </button>
            </>
          ) : host ? (
            <>
              {room.matches > 0 && <Switch label={texts.room.swap} on={swap} onChange={setSwap} />}
              <button
                type="button"
                className="button button-main"
                data-start="match"
                onClick={() => attempt(rooms.start(room.matches + 1, swap).then(enterTable))}
              >
                {room.matches ? texts.room.again : texts.room.start}
              </button>
            </>
          ) : (
            <span className="quiet">{texts.room.waitHost}</span>
          )}
          <button
            type="button"
            className="button button-quiet"
            onClick={() => attempt(rooms.leave().then(() => go("/")))}
          >
            {texts.room.leave}
          </button>
        </div>
      </section>
      {room.settings && (
        <RoomSettingsForm room={room} settings={room.settings} host={host} attempt={attempt} onRoom={onRoom} />
      )}
    </div>
  );
}

function Seats({
  room,
  me,
  host,
  attempt,
}: {
  room: Room;
  me: string;
  host: boolean;
  attempt: RoomViewProps["attempt"];
}) {
  const texts = useTexts();
  const watching = room.people.filter((person) => !person.seatPlusOne);
  const mine = room.people.find((person) => person.playerId === me)?.seatPlusOne ?? 0;
  return (
    <>
      <ol className="seats">
        {Array.from({ length: 6 }, (_, seat) => {
          const person = room.people.find((each) => each.seatPlusOne === seat + 1);
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: seats never move
              key={seat}
              className={`seat-card seat-team-${seat % 2} ${person?.playerId === me ? "seat-me" : ""}`}
              data-seat={seat}
            >
              <small>
                {texts.room.seat(seat)} · {seat % 2 ? texts.room.odd : texts.room.even}
              </small>
              <strong>
                {person?.name ?? (room.settings?.botLevel ? texts.room.botWill : texts.room.free)}
                {person?.playerId === room.host && person && <span className="badge">{texts.room.host}</span>}
              </strong>
              <span className="seat-buttons">
                {!person && (
                  <button type="button" className="link" onClick={() => attempt(rooms.move(seat))}>
                    {texts.room.sit}
                  </button>
                )}
                {person && person.playerId === me && room.settings?.spectators && (
                  <button type="button" className="link" onClick={() => attempt(rooms.move(null))}>
                    {texts.room.stand}
                  </button>
                )}
                {person && host && person.playerId !== me && (
                  <>
                    <button type="button" className="link" onClick={() => attempt(rooms.handOver(person.playerId))}>
                      {texts.room.makeHost}
                    </button>
                    <button type="button" className="link" onClick={() => attempt(rooms.kick(person.playerId))}>
                      {texts.room.kick}
                    </button>
                  </>
                )}
              </span>
            </li>
          );
        })}
      </ol>
      {watching.length > 0 && (
        <p className="quiet">
          {texts.room.watching}: {watching.map((person) => person.name).join(", ")}
          {mine === 0 && ` (${texts.common.you})`}
        </p>
      )}
    </>
  );
}

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

function RoomSettingsForm({
  room,
  settings,
  host,
  attempt,
  onRoom,
}: {
  room: Room;
  settings: RoomSettings;
  host: boolean;
  attempt: RoomViewProps["attempt"];
  onRoom: RoomViewProps["onRoom"];
}) {
  const texts = useTexts();
  const levels = useBotLevels();
  const until = settings.length?.until;
  const hands = until?.case === "hands" ? String(until.value) : "1";
  const turn = String(Math.round((settings.clock?.turnMs || 120_000) / 1000));
  const pace = settings.botPaceMs <= PACES.fast ? "fast" : settings.botPaceMs >= PACES.slow ? "slow" : "normal";
  const [changes] = useState(() => new Changes(settings));
  changes.seen(settings);
  const change = (wanted: RoomWish) => attempt(changes.make(wanted).then(onRoom));
  if (!host) {
    return (
      <section className="card-panel">
        <h2>{texts.room.settings}</h2>
        <ul className="facts">
          <li>{texts.preset[settings.rules?.preset || "standard"]}</li>
          <li>{texts.hands(Number(hands))}</li>
          <li>
            {texts.room.turn}: {texts.room.turnNames[turn] ?? `${turn} s`}
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
  return (
    <section className="card-panel">
      <h2>{texts.room.settings}</h2>
      <div className="field">
        <label htmlFor="room-preset">{texts.lobby.rules}</label>
        <select
          id="room-preset"
          value={settings.rules?.preset || "standard"}
          disabled={room.state === RoomState.PLAYING}
          onChange={(event) => change({ rules: { preset: event.target.value } })}
        >
          {PRESETS.map((preset) => (
            <option key={preset} value={preset}>
              {texts.preset[preset]}
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
        onChange={(seconds) =>
          change({ clock: { ...settings.clock, turnMs: Number(seconds) * 1000 } as RoomWish["clock"] })
        }
      />
      <Choice
        label={texts.room.botsFill}
        value={settings.botLevel}
        options={[
          ...levels.map((level) => ({ value: level, label: texts.botLevel[level] ?? level })),
          { value: "", label: texts.room.noBots },
        ]}
        onChange={(botLevel) => change({ botLevel })}
      />
      {settings.botLevel && (
        <Choice
          label={texts.lobby.pace}
          value={pace}
          options={(Object.keys(PACES) as (keyof typeof PACES)[]).map((name) => ({
            value: name,
            label: texts.lobby.paces[name] ?? name,
          }))}
          onChange={(name) => change({ botPaceMs: PACES[name] })}
        />
      )}
      <Switch label={texts.room.listed} on={settings.listed} onChange={(listed) => change({ listed })} />
      <Switch
        label={texts.room.spectators}
        on={settings.spectators}
        onChange={(spectators) => change({ spectators })}
      />
    </section>
  );
}
