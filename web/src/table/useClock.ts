/** Time that runs: how much a decision has left. */
import type { TableClient } from "@gouji/client";
import { useEffect, useState } from "react";

/** Milliseconds left for the decision that stands, looked at four times a second; null where no clock runs. */
export function useTimeLeft(client: TableClient): number | null {
  const [, tick] = useState(0);
  const runs = client.timeLeft !== null;
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, [runs]);
  return client.timeLeft === null ? null : Math.max(0, client.timeLeft);
}
