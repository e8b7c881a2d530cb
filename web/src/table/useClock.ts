/** Time that runs: how much a decision has left. */
import type { TableClient } from "@gouji/client";
import { useEffect, useState } from "react";

/** More time than this is no hurry, and no clock shows it: at the practice table. */
const LONG_MS = 600_000;

/** Milliseconds left for the decision that stands, looked at four times a second; null where no clock hurries one. */
export function useTimeLeft(client: TableClient): number | null {
  const [, tick] = useState(0);
  const runs = client.timeLeft !== null;
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, [runs]);
  const left = client.timeLeft;
  return left === null || left > LONG_MS ? null : Math.max(0, left);
}
