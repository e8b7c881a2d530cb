/** Cards as people read them. Pure. */
import { countOf, RANKS } from "@gouji/client";
import type { Texts } from "../i18n";

/** A rank as it stands on a card: `10` for `T`, and a joker's short name. */
export function rankLabel(rank: string, texts: Texts): string {
  return texts.jokerShort[rank] ?? (rank === "T" ? "10" : rank);
}

/** A rank as it is said. */
export function rankName(rank: string, texts: Texts): string {
  return texts.rank[rank] ?? rank;
}

/** Cards in groups, high to low: `大王 A×3 10`. */
export function cardsLabel(cards: string, texts: Texts): string {
  return [...RANKS]
    .reverse()
    .filter((rank) => cards.includes(rank))
    .map((rank) => {
      const count = countOf(cards, rank);
      return count === 1 ? rankLabel(rank, texts) : `${rankLabel(rank, texts)}×${count}`;
    })
    .join(" ");
}
