/** What moderators do with a player, and whom something holds for. */
import { useState } from "react";
import { Choice } from "../parts/Choice";
import { call, may, moderation } from "./calls";
import { endOf, LENGTHS } from "./length";
import { Field, Outcome, Pick, Rows, Section, useAdminTexts, useAsked, useDoing, useTime } from "./parts";

type Act = "mute" | "unmute" | "remove" | "ban" | "unban";

const ACTS: readonly Act[] = ["mute", "unmute", "remove", "ban", "unban"];
/** Acts that have an end, and those whose reason the player is told. */
const ENDING: ReadonlySet<Act> = new Set(["mute", "ban"]);
const TOLD: ReadonlySet<Act> = new Set(["mute", "remove", "ban"]);

export function Players({ playerId }: { playerId: string }) {
  const [times, setTimes] = useState(0);
  return (
    <>
      <ActForm key={playerId} playerId={playerId} onDone={() => setTimes(times + 1)} />
      <Sanctions times={times} />
    </>
  );
}

function ActForm({ playerId, onDone }: { playerId: string; onDone: () => void }) {
  const admin = useAdminTexts();
  const texts = admin.players;
  const [id, setId] = useState(playerId);
  const [act, setAct] = useState<Act>("mute");
  const [hours, setHours] = useState("24");
  const [reason, setReason] = useState("");
  const { outcome, failure, busy, run } = useDoing();
  const ready = may("moderate") && id.trim() && reason.trim() && !busy;
  const submit = async () => {
    const doing = async () => {
      const left = await perform(act, id.trim(), Number(hours), reason.trim());
      return left ? `${admin.done} ${texts.left(left)}` : admin.done;
    };
    if (await run(doing)) {
      setReason("");
      onDone();
    }
  };
  return (
    <form
      className="card-panel"
      aria-label={texts.deeds}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <h2>{texts.deeds}</h2>
      <Field label={texts.id} value={id} onChange={setId} />
      <Choice
        label={texts.deeds}
        value={act}
        options={ACTS.map((value) => ({ value, label: texts.deed[value] }))}
        onChange={setAct}
      />
      <p className="quiet">{texts.help[act]}</p>
      {ENDING.has(act) && (
        <Pick
          label={texts.length}
          value={hours}
          options={LENGTHS.map((length) => [String(length), texts.lengths[length] ?? String(length)])}
          onChange={setHours}
        />
      )}
      <Field label={TOLD.has(act) ? admin.reasonTold : admin.reason} value={reason} onChange={setReason} />
      <button type="submit" className="button button-main" disabled={!ready}>
        {admin.confirm(texts.deed[act])}
      </button>
      {!may("moderate") && <p className="quiet">{admin.pass.missing}</p>}
      <Outcome outcome={outcome} failure={failure} />
    </form>
  );
}

/** Do it; gives the table that the player has left by it, if one. */
function perform(act: Act, playerId: string, hours: number, reason: string): Promise<string> {
  const until = endOf(hours, Date.now());
  return call("moderate", async (session, options) => {
    const client = moderation(session);
    switch (act) {
      case "mute":
        await client.mutePlayer({ playerId, reason, until }, options);
        return "";
      case "unmute":
        await client.unmutePlayer({ playerId, reason }, options);
        return "";
      case "remove":
        return (await client.removePlayer({ playerId, reason }, options)).tableId;
      case "ban":
        return (await client.banPlayer({ playerId, reason, until }, options)).tableId;
      case "unban":
        await client.unbanPlayer({ playerId, reason }, options);
        return "";
    }
  });
}

function Sanctions({ times }: { times: number }) {
  const admin = useAdminTexts();
  const texts = admin.players;
  const time = useTime();
  const asked = useAsked(
    (signal) => call("moderate", (session, options) => moderation(session).listSanctions({}, options), signal),
    String(times),
  );
  return (
    <Section title={texts.sanctions} asked={asked}>
      {({ sanctions, more }) => (
        <>
          <Rows
            label={texts.sanctions}
            heads={[texts.id, texts.kind, texts.until, admin.reason]}
            count={sanctions.length}
          >
            {sanctions.map((row) => (
              <tr key={`${row.playerId} ${row.kind}`}>
                <th scope="row">
                  <a href={`#/admin/players/${row.playerId}`}>{row.playerId}</a>
                </th>
                <td>{texts.kinds[row.kind]}</td>
                <td>{time(row.until) || texts.forGood}</td>
                <td>{row.reason}</td>
              </tr>
            ))}
          </Rows>
          {more && <p className="quiet">{admin.more}</p>}
        </>
      )}
    </Section>
  );
}
