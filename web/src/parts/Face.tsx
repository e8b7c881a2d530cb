/** Feelings, drawn here: not every device has pictures for them. */
import type { ReactNode } from "react";

const DRAWN: Record<string, ReactNode> = {
  smile: <path d="M10 19q6 6 12 0" />,
  laugh: (
    <>
      <path d="M9 18h14q-1 8-7 8t-7-8z" fill="#7a2d12" />
      <path d="M8 13l3-2 2 2M24 13l-3-2-2 2" />
    </>
  ),
  applause: (
    <>
      <path d="M10 19q6 6 12 0" />
      <path d="M3 24l5-4M6 29l5-5M29 24l-5-4M26 29l-5-5" strokeWidth="3" />
    </>
  ),
  wow: <ellipse cx="16" cy="21" rx="3" ry="4" fill="#7a2d12" />,
  sweat: (
    <>
      <path d="M10 21h12" />
      <path d="M26 5q4 5 0 7-4-2 0-7z" fill="#3aa6d8" stroke="none" />
    </>
  ),
  cry: (
    <>
      <path d="M10 23q6-6 12 0" />
      <path d="M9 15v8M23 15v8" stroke="#3aa6d8" strokeWidth="3" />
    </>
  ),
  thumbs_up: <path d="M11 27V14l5-9q3 0 2 4l-1 4h7q2 0 1.500 2L23 25q-.5 2-3 2z" fill="#f3c24f" />,
};

const WITHOUT_EYES = new Set(["laugh", "thumbs_up"]);

/** One feeling; a dot for one that this version does not know. */
export function Face({ id, size = 28 }: { id: string; size?: number }) {
  const hand = id === "thumbs_up";
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      fill="none"
      stroke="#7a4a00"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {!hand && <circle cx="16" cy="16" r="13" fill="#f9d976" />}
      {!WITHOUT_EYES.has(id) && <path d="M11 12v2M21 12v2" strokeWidth="3" />}
      {DRAWN[id]}
    </svg>
  );
}

/** Whether there is a picture for a phrase. */
export function isFace(id: string): boolean {
  return id in DRAWN;
}
