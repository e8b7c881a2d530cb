/** Tables by state and player. */
import type { TableRow } from "@gouji/client/v1/admin";
import { useState } from "react";
import { call, tables } from "./calls";
import { Field, Pick, Rows, Section, useAdminTexts, useAsked, useTime } from "./parts";

export function Tables() {
  const admin = useAdminTexts();
  const texts = admin.tables;
  const [state, setState] = useState("live");
  const [player, setPlayer] = useState("");
  const [wanted, setWanted] = useState("");
  const asked = useAsked(
    (signal) =>
      call("look", (session, options) => tables(session).listTables({ state, playerId: wanted }, options), signal),
    `${state} ${wanted}`,
  );
  return (
    <>
      <form
        className="card-panel"
        aria-label={texts.find}
        onSubmit={(event) => {
          event.preventDefault();
          setWanted(player.trim());
        }}
      >
        <Pick
          label={texts.state}
          value={state}
          options={[["", texts.any], ...Object.entries(texts.states)]}
          onChange={setState}
        />
        <Field label={texts.player} value={player} onChange={setPlayer} />
        <button type="submit" className="button button-quiet">
          {texts.find}
        </button>
      </form>
      <Section title={admin.sections.tables} asked={asked}>
        {({ tables: rows, more }) => (
          <>
            <Rows
              label={admin.sections.tables}
              heads={[texts.id, texts.state, texts.people, texts.created]}
              count={rows.length}
            >
              {rows.map((row) => (
                <Row key={row.tableId} row={row} />
              ))}
            </Rows>
            {more && <p className="quiet">{admin.more}</p>}
          </>
        )}
      </Section>
    </>
  );
}

function Row({ row }: { row: TableRow }) {
  const texts = useAdminTexts().tables;
  const time = useTime();
  const people = row.seats.filter((seat) => seat.playerId).map((seat) => seat.name || seat.playerId.slice(0, 8));
  return (
    <tr>
      <th scope="row">
        <a href={`#/admin/table/${row.tableId}`}>{row.tableId.slice(0, 12)}</a>
      </th>
      <td>{texts.states[row.state] ?? row.state}</td>
      <td>{people.join(", ") || texts.bots}</td>
      <td>{time(row.created)}</td>
    </tr>
  );
}
