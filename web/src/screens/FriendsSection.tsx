/** Rooms: open one, come into one by its code, or into one that is listed. */
import { ClientError } from "@gouji/client";
import type { RoomSummary } from "@gouji/client/v1/room";
import { useEffect, useState } from "react";
import { go } from "../app/route";
import { useTexts } from "../i18n";
import { rooms } from "../net/session";
import { Warning } from "../parts/Warning";
import { failureText } from "./failure";
import { PACES } from "./wishes";

export function FriendsSection() {
  const texts = useTexts();
  const [listed, setListed] = useState<RoomSummary[] | null>(null);
  const [failure, setFailure] = useState("");
  const look = () =>
    rooms.listed({ freeSeat: true }).then(setListed, (thrown) => setFailure(failureText(thrown, texts)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for once, then when asked
  useEffect(() => {
    void look();
  }, []);
  const come = async (joining: Promise<unknown>) => {
    setFailure("");
    try {
      await joining;
      go("/room");
    } catch (thrown) {
      const { reason } = ClientError.of(thrown);
      if (reason === "in_room") return go("/room");
      setFailure(failureText(thrown, texts));
    }
  };
  const open = () =>
    come(
      rooms.create({
        rules: { preset: "standard" },
        length: { until: { case: "hands", value: 3 } },
        botLevel: "greedy",
        botPaceMs: PACES.normal,
        spectators: true,
      }),
    );
  return (
    <section className="card-panel">
      <h2>{texts.lobby.friends}</h2>
      <p className="quiet">{texts.lobby.friendsLead}</p>
      <button type="button" className="button button-main button-wide" data-start="room" onClick={() => void open()}>
        {texts.lobby.open}
      </button>
      <CodeForm onCode={(code) => void come(rooms.join(code))} />
      <Warning text={failure} />
      <PublicRooms
        listed={listed}
        onLook={() => void look()}
        onJoin={(roomId) => void come(rooms.joinListed(roomId))}
      />
    </section>
  );
}

function CodeForm({ onCode }: { onCode: (code: string) => void }) {
  const texts = useTexts();
  const [code, setCode] = useState("");
  return (
    <form
      className="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim()) onCode(code);
      }}
    >
      <label htmlFor="code">{texts.lobby.code}</label>
      <div className="field-row">
        <input
          id="code"
          className="code"
          value={code}
          maxLength={32}
          autoCapitalize="characters"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setCode(event.target.value)}
        />
        <button type="submit" className="button button-quiet" disabled={!code.trim()}>
          {texts.lobby.join}
        </button>
      </div>
    </form>
  );
}

function PublicRooms({
  listed,
  onLook,
  onJoin,
}: {
  listed: readonly RoomSummary[] | null;
  onLook: () => void;
  onJoin: (roomId: string) => void;
}) {
  const texts = useTexts();
  return (
    <>
      <div className="rooms-head">
        <h3>{texts.lobby.publicRooms}</h3>
        <button type="button" className="link" onClick={() => onLook()}>
          {texts.lobby.refresh}
        </button>
      </div>
      {listed && !listed.length && <p className="quiet">{texts.lobby.noRooms}</p>}
      <ul className="rooms">
        {listed?.map((room) => (
          <li key={room.roomId}>
            <span>
              <strong>{texts.lobby.of(room.hostName)}</strong>
              <small>
                {texts.preset[room.settings?.rules?.preset || "standard"]} · {texts.lobby.seated(room.seated)}
              </small>
            </span>
            <button type="button" className="button button-quiet" onClick={() => onJoin(room.roomId)}>
              {texts.lobby.join}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
