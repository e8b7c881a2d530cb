/** A room: who sits where, how it plays, its code. */
import { ClientError } from "@gouji/client";
import type { Room } from "@gouji/client/v1/room";
import { RoomState } from "@gouji/client/v1/room";
import { useEffect, useRef, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { player, rooms } from "../net/session";
import { useStore } from "../net/store";
import { Switch } from "../parts/Choice";
import { Icon } from "../parts/Icon";
import { failureText } from "./failure";
import { RoomFacts, RoomSettingsForm } from "./RoomSettingsForm";

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
        <RoomStart room={room} host={host} attempt={attempt} />
      </section>
      {room.settings && host && (
        <RoomSettingsForm room={room} settings={room.settings} attempt={attempt} onRoom={onRoom} />
      )}
      {room.settings && !host && <RoomFacts settings={room.settings} />}
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
        {Array.from({ length: 6 }, (_, seat) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: seats never move
          <SeatCard key={seat} seat={seat} room={room} me={me} host={host} attempt={attempt} />
        ))}
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

function RoomStart({ room, host, attempt }: { room: Room; host: boolean; attempt: RoomViewProps["attempt"] }) {
  const texts = useTexts();
  const [swap, setSwap] = useState(false);
  return (
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
      <button type="button" className="button button-quiet" onClick={() => attempt(rooms.leave().then(() => go("/")))}>
        {texts.room.leave}
      </button>
    </div>
  );
}

function SeatCard({
  seat,
  room,
  me,
  host,
  attempt,
}: {
  seat: number;
  room: Room;
  me: string;
  host: boolean;
  attempt: RoomViewProps["attempt"];
}) {
  const texts = useTexts();
  const person = room.people.find((each) => each.seatPlusOne === seat + 1);
  return (
    <li className={`seat-card seat-team-${seat % 2} ${person?.playerId === me ? "seat-me" : ""}`} data-seat={seat}>
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
}
