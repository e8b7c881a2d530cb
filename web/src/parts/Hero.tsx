/** The head of the lobby: the pier of Qingdao in the evening. */
import type { ReactNode } from "react";

export function Hero({ children }: { children: ReactNode }) {
  return (
    <section className="hero">
      <svg
        className="hero-art"
        viewBox="0 0 900 200"
        preserveAspectRatio="xMaxYMax slice"
        aria-hidden="true"
        focusable="false"
      >
        <defs>
          <linearGradient id="evening" x1="0" x2="0" y1="0" y2="1">
            <stop offset="0" stopColor="#0a3a49" />
            <stop offset="0.55" stopColor="#17768a" />
            <stop offset="0.8" stopColor="#e9a467" />
          </linearGradient>
          <linearGradient id="water" x1="0" x2="0" y1="0" y2="1">
            <stop offset="0" stopColor="#1b7f8c" />
            <stop offset="1" stopColor="#072c39" />
          </linearGradient>
        </defs>
        <rect width="900" height="200" fill="url(#evening)" />
        <circle cx="700" cy="128" r="34" fill="#f7cf72" />
        <path d="M420 138q60-44 130-20 40-34 110-8 60-30 120 4 60-16 120 10v20H420z" fill="#0e4b5b" opacity="0.55" />
        <rect y="138" width="900" height="62" fill="url(#water)" />
        <path d="M520 150h260M560 162h300M610 174h220" stroke="#f7cf72" strokeWidth="3" opacity="0.35" />
        <g fill="#06262f">
          <path d="M0 148h792v7H0z" opacity="0.55" />
          <path d="M770 146h76v6h-76zM778 122h60v24h-8v-18h-10v18h-10v-18h-8v18h-10v-18h-6v18h-8zM768 122q40-9 80 0l-9-12h-62zM784 110q24-6 48 0l-7-11h-34zM805 99h6l-3-22z" />
        </g>
        <path
          d="M300 60q10-9 20 0 10-9 20 0M360 84q8-7 16 0 8-7 16 0M470 44q8-7 16 0 8-7 16 0"
          fill="none"
          stroke="#fffdf7"
          strokeWidth="3"
          strokeLinecap="round"
          opacity="0.8"
        />
      </svg>
      <div className="hero-text">{children}</div>
    </section>
  );
}
