/** Small pictures, drawn with the colour of the text around them. */
import type { ReactNode } from "react";

const PATHS = {
  back: <path d="M15 5l-7 7 7 7" />,
  close: <path d="M6 6l12 12M18 6L6 18" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  counter: <path d="M5 20V10M12 20V4M19 20v-7" />,
  log: <path d="M5 6h14M5 11h14M5 16h9" />,
  chat: <path d="M4 5h16v11H10l-4 4v-4H4z" />,
  trick: (
    <>
      <rect x="4" y="7" width="9" height="13" rx="1.5" />
      <path d="M9 7V5.5A1.5 1.5 0 0 1 10.5 4h8A1.5 1.5 0 0 1 20 5.5v10a1.5 1.5 0 0 1-1.5 1.5H13" />
    </>
  ),
  hint: (
    <>
      <path d="M9 18h6M10 21h4" />
      <path d="M12 3a6 6 0 0 0-3.5 10.9c.6.5.9 1.2.9 2.1h5.2c0-.9.3-1.6.9-2.1A6 6 0 0 0 12 3z" />
    </>
  ),
  plus: <path d="M12 5v14M5 12h14" />,
  minus: <path d="M5 12h14" />,
  first: <path d="M18 5l-7 7 7 7M6 5v14" />,
  last: <path d="M6 5l7 7-7 7M18 5v14" />,
  next: <path d="M9 5l7 7-7 7" />,
  run: <path d="M8 5l11 7-11 7z" />,
  hold: <path d="M8 5v14M16 5v14" />,
  crown: <path d="M4 18h16M4 15l-1-8 5 4 4-6 4 6 5-4-1 8z" />,
  user: (
    <>
      <circle cx="12" cy="8" r="4" />
      <path d="M4 21c1-5 4-7 8-7s7 2 8 7" />
    </>
  ),
  bot: (
    <>
      <rect x="5" y="8" width="14" height="11" rx="3" />
      <path d="M12 8V4M9.5 13v1.5M14.5 13v1.5" />
    </>
  ),
  cards: (
    <>
      <rect x="4" y="5" width="10" height="14" rx="2" transform="rotate(-8 9 12)" />
      <rect x="10" y="5" width="10" height="14" rx="2" transform="rotate(8 15 12)" />
    </>
  ),
  learn: <path d="M3 8l9-4 9 4-9 4zM7 10v5c3 2.5 7 2.5 10 0v-5" />,
  gear: (
    <>
      <circle cx="12" cy="12" r="3" />
      <path d="M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M18.4 5.6l-2.2 2.2M7.8 16.2l-2.2 2.2" />
    </>
  ),
  book: <path d="M5 4h6a3 3 0 0 1 3 3v13a3 3 0 0 0-3-2H5zM19 4h-3a3 3 0 0 0-2 1" />,
  full: <path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5" />,
  leave: <path d="M10 4H5v16h5M14 8l4 4-4 4M18 12H9" />,
  link: <path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1" />,
  mute: <path d="M4 9v6h4l5 4V5L8 9zM17 9l4 6M21 9l-4 6" />,
  heard: <path d="M4 9v6h4l5 4V5L8 9zM17 9c1.5 1.5 1.5 4.500 0 6" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

/** A picture beside words that say the same: hidden from screen readers. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {PATHS[name]}
    </svg>
  );
}
