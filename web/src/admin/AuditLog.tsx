/** Who did what, when, to whom and why. */
import { useState } from "react";
import { call, moderation } from "./calls";
import { Field, Rows, Section, useAdminTexts, useAsked, useTime } from "./parts";

interface Wish {
  actor: string;
  playerId: string;
  tableId: string;
}

const ALL: Wish = { actor: "", playerId: "", tableId: "" };

export function AuditLog() {
  const admin = useAdminTexts();
  const texts = admin.log;
  const time = useTime();
  const [written, setWritten] = useState(ALL);
  const [wanted, setWanted] = useState(ALL);
  const [before, setBefore] = useState(0n);
  const asked = useAsked(
    (signal) =>
      call(
        "moderate",
        (session, options) => moderation(session).listActs({ ...wanted, before, limit: 50 }, options),
        signal,
      ),
    `${wanted.actor} ${wanted.playerId} ${wanted.tableId} ${before}`,
  );
  return (
    <>
      <form
        className="card-panel"
        aria-label={admin.tables.find}
        onSubmit={(event) => {
          event.preventDefault();
          setBefore(0n);
          setWanted({
            actor: written.actor.trim(),
            playerId: written.playerId.trim(),
            tableId: written.tableId.trim(),
          });
        }}
      >
        <Field label={texts.actor} value={written.actor} onChange={(actor) => setWritten({ ...written, actor })} />
        <Field
          label={admin.players.id}
          value={written.playerId}
          onChange={(playerId) => setWritten({ ...written, playerId })}
        />
        <Field
          label={admin.tables.id}
          value={written.tableId}
          onChange={(tableId) => setWritten({ ...written, tableId })}
        />
        <button type="submit" className="button button-quiet">
          {admin.tables.find}
        </button>
      </form>
      <Section title={admin.sections.log} asked={asked}>
        {({ acts, more }) => (
          <>
            <Rows
              label={admin.sections.log}
              heads={[texts.when, texts.actor, texts.what, texts.whom, texts.why, texts.outcome]}
              count={acts.length}
            >
              {acts.map((act) => (
                <tr key={String(act.actId)}>
                  <td>{time(act.at)}</td>
                  <th scope="row">
                    {act.actor} ({admin.roles[act.role as keyof typeof admin.roles] ?? act.role})
                  </th>
                  <td>
                    <code>{act.method}</code>
                  </td>
                  <td>{[act.playerId, act.tableId, act.details].filter(Boolean).join(" ")}</td>
                  <td>{act.reason}</td>
                  <td>{act.outcome || texts.unknown}</td>
                </tr>
              ))}
            </Rows>
            {more && (
              <button type="button" className="button button-quiet" onClick={() => setBefore(acts.at(-1)?.actId ?? 0n)}>
                {admin.older}
              </button>
            )}
          </>
        )}
      </Section>
    </>
  );
}
