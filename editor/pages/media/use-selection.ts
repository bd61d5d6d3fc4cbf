// Keeps the selected files of the media page, and the keys that move between files and select them.
import { type KeyboardEvent, type MouseEvent, useCallback, useRef, useState } from 'react';
import { getKey } from '../../lib/shortcut.ts';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Selects the file, or removes it from the selection. With a range, adds all files from the last selected one. */
  readonly toggle: (id: string, isRange: boolean) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
}

/** Forgets selected files that are not listed any more. `order` has the ids of the listed files. */
export function useSelection(order: readonly string[]): Selection {
  const [selected, setSelected] = useState<ReadonlySet<string>>(NONE);
  const lastId = useRef<string>(undefined);
  const listed = new Set(order);
  const ids = new Set([...selected].filter(id => listed.has(id)));
  return {
    ids,
    toggle: (id, isRange) => {
      const [from, to] = [order.indexOf(lastId.current ?? ''), order.indexOf(id)].toSorted((a, b) => a - b);
      const next = new Set(ids);
      if (isRange && from !== undefined && to !== undefined && from >= 0)
        for (const each of order.slice(from, to + 1)) next.add(each);
      else if (!next.delete(id)) next.add(id);
      lastId.current = id;
      setSelected(next);
    },
    selectAll: () => setSelected(listed),
    clear: useCallback(() => setSelected(NONE), []),
  };
}

const NONE: ReadonlySet<string> = new Set();

/** What the keys do with the file that has the focus. */
export interface CardActions {
  readonly toggle: (id: string, isRange: boolean) => void;
  readonly selectAll: () => void;
  readonly clear: () => void;
  readonly mark: (id: string) => void;
  readonly remove: (id: string) => void;
}

/** Marks the elements that have the focus of a card, with the id of the file. */
export const CARD_ATTRIBUTE = 'data-media';

/** Handles the keys of the cards in an element: arrows, Space, Ctrl+A, F, Delete and Escape. */
export function handleCardKey(event: KeyboardEvent<HTMLElement>, actions: CardActions): void {
  const card = (event.target as HTMLElement).closest<HTMLElement>(`[${CARD_ATTRIBUTE}]`);
  const id = card?.getAttribute(CARD_ATTRIBUTE);
  if (card === null || id === null || id === undefined || event.altKey) return;
  const key = getKey(event);
  const hasMod = event.ctrlKey || event.metaKey;
  if (hasMod && key !== 'a') return;
  if (key in ARROWS || key === 'Home' || key === 'End') moveFocus(event.currentTarget, card, key);
  else if (key === ' ') actions.toggle(id, event.shiftKey);
  else if (key === 'a' && hasMod) actions.selectAll();
  else if (key === 'f') actions.mark(id);
  else if (key === 'Delete' || key === 'Backspace') actions.remove(id);
  else if (key === 'Escape') actions.clear();
  else return;
  event.preventDefault();
}

/** Selects a file by a click with Ctrl, Cmd or Shift. Returns whether it did. */
export function selectByClick(
  { ctrlKey, metaKey, shiftKey }: Pick<MouseEvent, 'ctrlKey' | 'metaKey' | 'shiftKey'>,
  select: (isRange: boolean) => void,
): boolean {
  if (!ctrlKey && !metaKey && !shiftKey) return false;
  select(shiftKey);
  return true;
}

const ARROWS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Moves the focus to the next card in reading order, or to the nearest one in the row above or below. */
function moveFocus(container: HTMLElement, card: HTMLElement, key: string): void {
  const cards = [...container.querySelectorAll<HTMLElement>(`[${CARD_ATTRIBUTE}]`)];
  const index = cards.indexOf(card);
  const [x = 0, y = 0] = ARROWS[key] ?? [];
  const target =
    key === 'Home'
      ? cards[0]
      : key === 'End'
        ? cards.at(-1)
        : x !== 0
          ? cards[index + x]
          : findInNextRow(y < 0 ? cards.slice(0, index).toReversed() : cards.slice(index + 1), card);
  target?.focus();
}

/** Returns the card of the first row that is above or below the card, with the nearest center. */
function findInNextRow(cards: readonly HTMLElement[], card: HTMLElement): HTMLElement | undefined {
  const start = card.getBoundingClientRect();
  const center = start.left + start.width / 2;
  let nearest: { readonly element: HTMLElement; readonly distance: number } | undefined;
  let rowTop: number | undefined;
  for (const element of cards) {
    const { top, left, width } = element.getBoundingClientRect();
    if (Math.abs(top - start.top) < 1) continue;
    rowTop ??= top;
    if (Math.abs(top - rowTop) >= 1) break;
    const distance = Math.abs(left + width / 2 - center);
    if (nearest === undefined || distance < nearest.distance) nearest = { element, distance };
  }
  return nearest?.element;
}
