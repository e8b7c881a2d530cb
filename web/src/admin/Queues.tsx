/** The queues, and a way to pause one. */
import { call, may, queues } from "./calls";
import { Deed, Rows, Section, useAdminTexts, useAsked } from "./parts";

export function Queues() {
  const admin = useAdminTexts();
  const texts = admin.queues;
  const asked = useAsked(
    (signal) => call("operate", (session, options) => queues(session).listQueues({}, options), signal),
    "",
  );
  const pause = async (queue: string, reason: string) => {
    await call("operate", (session, options) => queues(session).pauseQueue({ queue, reason }, options));
    asked.refresh();
    return admin.done;
  };
  const resume = async (queue: string) => {
    await call("operate", (session, options) => queues(session).resumeQueue({ queue }, options));
    asked.refresh();
    return admin.done;
  };
  return (
    <Section title={admin.sections.queues} asked={asked}>
      {(answer) => (
        <Rows
          label={admin.sections.queues}
          heads={[texts.queue, texts.waiting, texts.matches, texts.state, texts.pause]}
          count={answer.queues.length}
        >
          {answer.queues.map((row) => (
            <tr key={row.queue}>
              <th scope="row">{row.queue}</th>
              <td>{texts.waits(row.tickets, row.players)}</td>
              <td>{row.matches}</td>
              <td>{row.paused ? texts.paused(row.reason) : texts.runs}</td>
              <td>
                {row.paused ? (
                  <Deed name={texts.resume} allowed={may("operate")} onDo={() => resume(row.queue)} />
                ) : (
                  <Deed
                    name={texts.pause}
                    reason={admin.reasonSeen}
                    allowed={may("operate")}
                    onDo={(why) => pause(row.queue, why)}
                  />
                )}
              </td>
            </tr>
          ))}
        </Rows>
      )}
    </Section>
  );
}
