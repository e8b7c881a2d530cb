/** Who did what, when, to whom and why. */
import type { ListActsResponse } from "@gouji/client/v1/moderation";
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
      <Find
        onFind={(wish) => {
          setBefore(0n);
          setWanted(wish);
        }}
      />
      <Section title={admin.sections.log} asked={asked}>
        {({ acts, more }) => (
          <>
            <Acts acts={acts} />
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

/** Asks whose deeds, or those to whom or to which table. */
function Find({ onFind }: { onFind: (wish: Wish) => void }) {
  const admin = useAdminTexts();
  const [written, setWritten] = useState(ALL);
  const { actor, playerId, tableId } = written;
  return (
    <form
      className="card-panel"
      aria-label={admin.tables.find}
      onSubmit={(event) => {
        event.preventDefault();
        onFind({ actor: actor.trim(), playerId: playerId.trim(), tableId: tableId.trim() });
      }}
    >
      <Field label={admin.log.actor} value={actor} onChange={(text) => setWritten({ ...written, actor: text })} />
      <Field
        label={admin.players.id}
        value={playerId}
        onChange={(text) => setWritten({ ...written, playerId: text })}
      />
      <Field label={admin.tables.id} value={tableId} onChange={(text) => setWritten({ ...written, tableId: text })} />
      <button type="submit" className="button button-quiet">
        {admin.tables.find}
      </button>
    </form>
  );
}

function Acts({ acts }: { acts: ListActsResponse["acts"] }) {
  const admin = useAdminTexts();
  const texts = admin.log;
  const time = useTime();
  return (
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
  );
}
