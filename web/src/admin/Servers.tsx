/** The table servers, how full they are, and a way to empty one. */
import { TableService } from "@gouji/client/v1/table";
import { at, call, may, tables } from "./calls";
import { Deed, Rows, Section, useAdminTexts, useAsked } from "./parts";

export function Servers() {
  const admin = useAdminTexts();
  const texts = admin.servers;
  const asked = useAsked(
    (signal) => call("look", (session, options) => tables(session).listServers({}, options), signal),
    "",
  );
  const drain = async (serverId: string) => {
    const answer = await call("operate", (session, options) =>
      session.client(TableService).drain({}, at(serverId, options)),
    );
    asked.refresh();
    return texts.drained(answer.tables);
  };
  return (
    <Section title={admin.sections.servers} asked={asked}>
      {({ servers }) => (
        <Rows
          label={admin.sections.servers}
          heads={[texts.id, texts.address, texts.tables, texts.state, texts.drain]}
          count={servers.length}
        >
          {servers.map((row) => (
            <tr key={row.serverId} data-server={row.serverId}>
              <th scope="row">{row.serverId}</th>
              <td>{row.address}</td>
              <td>{texts.of(row.tables, row.capacity)}</td>
              <td>{row.draining ? texts.draining : texts.well}</td>
              <td>
                <Deed
                  name={texts.drain}
                  lead={texts.drainLead(row.serverId)}
                  allowed={may("operate") && !row.draining}
                  danger
                  onDo={() => drain(row.serverId)}
                />
              </td>
            </tr>
          ))}
        </Rows>
      )}
    </Section>
  );
}
