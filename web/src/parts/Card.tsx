/** Cards: drawn with shapes, so that no device's own pictures change them. */
import { useTexts } from "../i18n";
import { rankLabel } from "../state/cardtext";

/** The shapes that cards refer to; once in a page. */
export function CardShapes() {
  return (
    <svg className="shapes" aria-hidden="true" focusable="false">
      <symbol id="suit-S" viewBox="0 0 32 32">
        <path d="M16 2C12 8 4 12 4 19a6 6 0 0 0 10.300 4.200C14 26 13 28 11 30h10c-2-2-3-4-3.300-6.800A6 6 0 0 0 28 19C28 12 20 8 16 2z" />
      </symbol>
      <symbol id="suit-H" viewBox="0 0 32 32">
        <path d="M16 29C8 22 3 17 3 11a6.500 6.500 0 0 1 13-2 6.500 6.500 0 0 1 13 2c0 6-5 11-13 18z" />
      </symbol>
      <symbol id="suit-D" viewBox="0 0 32 32">
        <path d="M16 2l11 14-11 14L5 16z" />
      </symbol>
      <symbol id="suit-C" viewBox="0 0 32 32">
        <path d="M16 2a6.500 6.500 0 0 0-5.200 10.400A6.500 6.500 0 1 0 14 22.600C13.800 26 13 28 11 30h10c-2-2-2.800-4-3-7.400a6.500 6.500 0 1 0 3.200-10.200A6.500 6.500 0 0 0 16 2z" />
      </symbol>
      <symbol id="joker-W" viewBox="0 0 64 64">
        <path d="M6 54q6-5 13 0t13 0 13 0 13 0v6H6z" opacity=".35" />
        <path d="M14 48h36v4H14zM18 34h28v14h-5V38h-5v10h-8V38h-5v10h-5zM12 34q20-4 40 0l-4-6H16zM20 28q12-3 24 0l-3-6H23zM30 22h4l-2-14z" />
      </symbol>
      <symbol id="joker-w" viewBox="0 0 64 64">
        <path d="M4 52q7-5 14 0t14 0 14 0 14 0v6H4z" opacity=".35" />
        <path d="M4 24c10-6 18-4 26 6 10-12 20-14 30-8-10 1-16 5-21 13 2 4 1 8-3 11-2-3-5-5-8-6-4 1-8 0-11-3 3-1 5-3 6-5C17 26 11 23 4 24z" />
      </symbol>
    </svg>
  );
}

/** One face. `suit` is empty for jokers, and where a play is told by rank alone. */
export function Card({ rank, suit, className = "" }: { rank: string; suit: string; className?: string }) {
  const texts = useTexts();
  const joker = rank === "w" || rank === "W";
  return (
    <span
      className={`card ${joker ? `card-joker card-${rank === "W" ? "big" : "small"}` : `card-${suit || "plain"}`} ${className}`}
    >
      <span className="card-corner">
        <span className={`card-rank ${rank === "T" ? "card-ten" : ""}`}>{rankLabel(rank, texts)}</span>
        {suit && (
          <svg className="card-suit" aria-hidden="true" focusable="false">
            <use href={`#suit-${suit}`} />
          </svg>
        )}
      </span>
      {(suit || joker) && (
        <svg className="card-pip" aria-hidden="true" focusable="false">
          <use href={joker ? `#joker-${rank}` : `#suit-${suit}`} />
        </svg>
      )}
    </span>
  );
}

/** A play, overlapping from left to right, as wide as there is room. */
export function Fan({
  cards,
  suited = [],
  label,
  className = "",
}: {
  cards: string;
  suited?: readonly { rank: string; suit: string }[];
  label: string;
  className?: string;
}) {
  const faces = suited.length === cards.length ? suited : [...cards].map((rank) => ({ rank, suit: "" }));
  const ordered = [...faces].sort((one, other) => cards.indexOf(one.rank) - cards.indexOf(other.rank));
  return (
    <span
      className={`fan ${className}`}
      role="img"
      aria-label={label}
      style={{ "--n": ordered.length } as React.CSSProperties}
    >
      {ordered.map((face, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal cards are the same
        <Card key={at} rank={face.rank} suit={face.suit} />
      ))}
    </span>
  );
}
