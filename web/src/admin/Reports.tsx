/** What players told of one another, and what came of it. */
import type { Report } from "@gouji/client/v1/moderation";
import { useState } from "react";
import { Choice } from "../parts/Choice";
import { call, may, moderation } from "./calls";
import { Deed, Rows, Section, useAdminTexts, useAsked, useTime } from "./parts";

export function Reports() {
  const admin = useAdminTexts();
  const texts = admin.reports;
  const [which, setWhich] = useState<"open" | "closed">("open");
  const closed = which === "closed";
  const asked = useAsked(
    (signal) => call("moderate", (session, options) => moderation(session).listReports({ closed }, options), signal),
    which,
  );
  const close = async (reportId: string, reason: string) => {
    await call("moderate", (session, options) => moderation(session).closeReport({ reportId, reason }, options));
    asked.refresh();
    return admin.done;
  };
  return (
    <>
      <Choice
        label={texts.which}
        value={which}
        options={[
          { value: "open", label: texts.open },
          { value: "closed", label: texts.closed },
        ]}
        onChange={setWhich}
      />
      <Section title={admin.sections.reports} asked={asked}>
        {({ reports, more }) => (
          <>
            <Rows
              label={admin.sections.reports}
              heads={[texts.who, texts.kind, texts.table, texts.by, texts.created, texts.outcome]}
              count={reports.length}
            >
              {reports.map((row) => (
                <Row key={row.reportId} row={row} onClose={(reason) => close(row.reportId, reason)} />
              ))}
            </Rows>
            {more && <p className="quiet">{admin.more}</p>}
          </>
        )}
      </Section>
    </>
  );
}

function Row({ row, onClose }: { row: Report; onClose: (reason: string) => Promise<string> }) {
  const texts = useAdminTexts().reports;
  const time = useTime();
  return (
    <tr>
      <th scope="row">
        <a href={`#/admin/players/${row.playerId}/${row.tableId}`}>{row.playerId}</a>
      </th>
      <td>{texts.kinds[row.kind]}</td>
      <td>
        <a href={`#/admin/table/${row.tableId}`}>{row.tableId.slice(0, 12)}</a>
      </td>
      <td>{row.reporterId}</td>
      <td>{time(row.created)}</td>
      <td>
        {row.closed ? (
          `${row.closedBy}: ${row.outcome}`
        ) : (
          <Deed name={texts.close} reason={texts.outcome} allowed={may("moderate")} onDo={onClose} />
        )}
      </td>
    </tr>
  );
}
