/** One's own cards: a column for each rank, twos and jokers apart, chosen by tap, drag or keys. */
import type { Card as CardFace } from "@gouji/client";
import { Fragment, type KeyboardEvent, type PointerEvent, useRef } from "react";
import { useTexts } from "../i18n";
import { Card } from "../parts/Card";
import { rankName } from "../state/cardtext";
import { type Group, groupsOf, type Selection, tap, tapWhole, WILD, withCount } from "../state/selection";

/** Columns that fit beside each other on a phone held upright; more are divided into two even rows. */
const ONE_ROW = 8;

export interface HandProps {
  cards: readonly CardFace[];
  held: string;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  /** How many cards an answer takes; 0 for any number. */
  wanted: number;
  lowFirst: boolean;
  /** The cards cannot be played now: struck out, or only to be looked at. */
  idle?: boolean;
}

export function Hand({ cards, held, selection, onSelect, wanted, lowFirst, idle = false }: HandProps) {
  const texts = useTexts();
  const row = useRef<HTMLDivElement>(null);
  const groups = lowFirst ? groupsOf(held).reverse() : groupsOf(held);

  const stroke = useStroke(selection, held, wanted, onSelect);

  const keyed = (event: KeyboardEvent, group: Group, at: number) => {
    const wanted = afterKey(event.key, selection, group, held);
    const place = placeAfterKey(event.key, at, groups.length);
    if (wanted) onSelect(wanted);
    else if (place !== null) focusAt(row.current, place);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div
      ref={row}
      className={`hand ${idle ? "hand-idle" : ""}`}
      role="group"
      aria-label={`${texts.table.yourHand}, ${texts.cards(held.length)}`}
      {...stroke.handlers}
    >
      {groups.map((group, at) => (
        <Fragment key={group.rank}>
          {at === Math.ceil(groups.length / 2) && groups.length > ONE_ROW && <span className="hand-break" />}
          <Column
            group={group}
            faces={cards.filter((card) => card.rank === group.rank)}
            chosen={selection[group.rank] ?? 0}
            apart={groups[at + 1] !== undefined && WILD.includes(group.rank) !== WILD.includes(groups[at + 1]!.rank)}
            first={at === 0}
            onKey={(event) => keyed(event, group, at)}
            onTap={(fromFront) => {
              if (!stroke.drew()) onSelect(tap(selection, group.rank, fromFront, held, wanted));
            }}
            label={texts.groupName(rankName(group.rank, texts), group.held, selection[group.rank] ?? 0)}
          />
        </Fragment>
      ))}
    </div>
  );
}

/** A stroke over several ranks draws them all in. */
function useStroke(selection: Selection, held: string, wanted: number, onSelect: (selection: Selection) => void) {
  const stroke = useRef<{ ranks: Set<string>; moved: boolean } | null>(null);
  const paint = (event: PointerEvent) => {
    if (!stroke.current) return;
    const over = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-rank]");
    const rank = over?.dataset.rank;
    const { ranks } = stroke.current;
    if (!rank || ranks.has(rank)) return;
    stroke.current.moved = ranks.size > 0;
    ranks.add(rank);
    if (stroke.current.moved) onSelect([...ranks].reduce((all, each) => taken(all, each, held, wanted), selection));
  };
  const end = () => {
    stroke.current = null;
  };
  const handlers = {
    onPointerDown: () => {
      stroke.current = { ranks: new Set(), moved: false };
    },
    onPointerMove: paint,
    // A click follows; it must not undo what was drawn in.
    onPointerUp: () => void setTimeout(end, 0),
    onPointerCancel: end,
  };
  return { handlers, drew: () => stroke.current?.moved ?? false };
}

interface ColumnProps {
  group: Group;
  faces: readonly CardFace[];
  chosen: number;
  apart: boolean;
  first: boolean;
  label: string;
  onKey: (event: KeyboardEvent) => void;
  onTap: (fromFront: number) => void;
}

/** All cards of one rank, the chosen ones raised at its front. */
function Column({ group, faces, chosen, apart, first, label, onKey, onTap }: ColumnProps) {
  const style = { "--n": group.held } as React.CSSProperties;
  return (
    <div
      className={`column ${apart ? "column-apart" : ""} ${chosen ? "column-chosen" : ""}`}
      style={style}
      data-rank={group.rank}
      role="spinbutton"
      aria-label={label}
      aria-valuenow={chosen}
      aria-valuemin={0}
      aria-valuemax={group.held}
      aria-valuetext={label}
      tabIndex={first ? 0 : -1}
      onKeyDown={onKey}
      onFocus={(event) => rove(event.currentTarget)}
    >
      {faces.map((face, at) => {
        const fromFront = faces.length - 1 - at;
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the column is the control, this is where it is touched
          // biome-ignore lint/a11y/useKeyWithClickEvents: the column takes the keys
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: equal cards are the same
            key={at}
            className={`held ${fromFront < chosen ? "held-chosen" : ""}`}
            style={{ "--at": at } as React.CSSProperties}
            onClick={() => onTap(fromFront)}
          >
            <Card rank={face.rank} suit={face.suit} />
          </span>
        );
      })}
      {group.held > 1 && (
        <span className="column-count" aria-hidden="true">
          {chosen ? `${chosen}/${group.held}` : group.held}
        </span>
      )}
    </div>
  );
}

/** What is chosen after a key on a column; null for a key that chooses nothing. */
function afterKey(key: string, selection: Selection, { rank }: Group, held: string): Selection | null {
  const count = selection[rank] ?? 0;
  switch (key) {
    case "ArrowUp":
    case "+":
    case "=":
      return withCount(selection, rank, count + 1, held);
    case "ArrowDown":
    case "-":
      return withCount(selection, rank, count - 1, held);
    case " ":
      return tapWhole(selection, rank, held);
    default:
      return null;
  }
}

/** The column to go to after a key; null for a key that stays. */
function placeAfterKey(key: string, at: number, columns: number): number | null {
  switch (key) {
    case "ArrowLeft":
      return Math.max(0, at - 1);
    case "ArrowRight":
      return Math.min(columns - 1, at + 1);
    case "Home":
      return 0;
    case "End":
      return columns - 1;
    default:
      return null;
  }
}

/** Draw a rank in: whole, or as many as are still wanted; of twos and jokers one. */
function taken(selection: Selection, rank: string, held: string, wanted: number): Selection {
  return selection[rank] ? selection : tap(selection, rank, 0, held, wanted);
}

function focusAt(row: HTMLElement | null, at: number): void {
  row?.querySelectorAll<HTMLElement>("[data-rank]")[at]?.focus();
}

/** Have Tab come back to the column that was left. */
function rove(column: HTMLElement): void {
  for (const other of column.parentElement?.querySelectorAll<HTMLElement>("[data-rank]") ?? []) other.tabIndex = -1;
  column.tabIndex = 0;
}
