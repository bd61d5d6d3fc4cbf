// Handles the keyboard for the cards of a batch, and changes ratings and picks.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { BatchRow } from '../../../sdk/src/types.ts';
import { showError } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { getDigit, getKey } from '../../lib/shortcut.ts';
import type { Review, RowCardProps } from './row-card.tsx';
import { changeRow, isLoaded, toRowsPath } from './use-batch.ts';

export const MIN_CARD_PX = 220;
export const GAP_PX = 12;
const MAX_COMPARED = 4;
const MAX_RATING = 5;

/** Returns the height of a card: its picture, and the name, inputs and rating below the picture. */
export const getCardHeight = (width: number): number => Math.round(width * 0.75) + 100;

/** The properties that the grid and the matrix share. */
export interface CardsProps {
  readonly batchId: string;
  /** Numbers of the rows that are selected to be compared. */
  readonly selected: ReadonlySet<number>;
  readonly onSelect: (rows: ReadonlySet<number>) => void;
  readonly onOpen: (row: number) => void;
}

interface CardLayout {
  /** The element that contains the cards. It can take the focus. */
  readonly ref: RefObject<HTMLElement | null>;
  readonly count: number;
  /** The number of cards in a line. */
  readonly columns: number;
  readonly findRow: (index: number) => BatchRow | undefined;
  readonly scrollTo: (index: number) => void;
}

export function useCards(
  { batchId, selected, onSelect, onOpen }: CardsProps,
  { ref, count, columns, findRow, scrollTo }: CardLayout,
): {
  readonly onKeyDown: (event: React.KeyboardEvent) => void;
  readonly toCard: (row: BatchRow, index: number) => RowCardProps;
  /** Shows a row and gives it the focus. */
  readonly moveTo: (index: number) => void;
} {
  const [currentIndex, setCurrentIndex] = useState(0);
  const review = useReview(batchId);
  // The number of the row whose card gets the focus as soon as the card is rendered.
  const focusTarget = useRef<number>(undefined);
  useLayoutEffect(() => {
    if (focusTarget.current === undefined) return;
    const card = ref.current?.querySelector<HTMLElement>(`[data-row="${focusTarget.current}"] button`);
    if (card == null) {
      // The card that had the focus may have been removed. The container must receive the next key.
      if (document.activeElement === document.body) ref.current?.focus({ preventScroll: true });
      return;
    }
    focusTarget.current = undefined;
    card.focus({ preventScroll: true });
  });
  const toggle = (row: number): void => {
    const next = new Set(selected);
    if (!next.delete(row) && next.size < MAX_COMPARED) next.add(row);
    onSelect(next);
  };
  const moveTo = (index: number): void => {
    const newIndex = Math.min(Math.max(0, index), count - 1);
    focusTarget.current = findRow(newIndex)?.row;
    setCurrentIndex(newIndex);
    scrollTo(newIndex);
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const row = findRow(currentIndex);
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = getKey(event.nativeEvent);
    // Buttons and checkboxes of a card handle this key themselves.
    if (key === ' ' && event.target !== event.currentTarget) return;
    const steps: Readonly<Record<string, number>> = {
      j: 1,
      k: -1,
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
    };
    const step = steps[key];
    const digit = getDigit(event.nativeEvent);
    const stars = digit !== undefined && digit >= 1 && digit <= MAX_RATING ? digit : undefined;
    const actions = new Map([
      ['p', () => review({ row, review: { isPicked: !row.isPicked } })],
      ['x', () => toggle(row.row)],
      [' ', () => onOpen(row.row)],
    ]);
    const action =
      step !== undefined
        ? () => moveTo(currentIndex + step)
        : stars === undefined
          ? actions.get(key)
          : () => review({ row, review: { rating: row.rating === stars ? null : stars } });
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  const toCard = (row: BatchRow, index: number): RowCardProps => ({
    row,
    isCurrent: index === currentIndex,
    isSelected: selected.has(row.row),
    onFocus: () => setCurrentIndex(index),
    onSelect: () => toggle(row.row),
    onOpen: () => onOpen(row.row),
    onReview: newReview => review({ row, review: newReview }),
  });
  return { onKeyDown, toCard, moveTo };
}

/** Returns a function that rates or picks a row. If the service refuses the change, it is undone on the page. */
function useReview(batchId: string) {
  const client = useQueryClient();
  // Changes only the review, because the rest of the row may have changed since it was rendered.
  const setReview = (row: number, review: Review): void =>
    changeRow(client, batchId, row, current => ({ ...current, ...review }));
  const { mutate } = useMutation({
    mutationFn: ({ row, review }: { readonly row: BatchRow; readonly review: Review }) =>
      api.patch(`/batches/${batchId}/rows/${row.row}`, review),
    onMutate: ({ row, review }) => {
      setReview(row.row, review);
      return Date.now();
    },
    onError: (error, { row, review }) => {
      const { rating, isPicked } = row;
      setReview(row.row, review.rating === undefined ? { isPicked } : { rating });
      showError(error);
    },
    // What is read meanwhile may lack the change, such as the list of picked rows.
    onSettled: (_response, _error, _variables, changedAtMs = 0) =>
      void client.invalidateQueries({
        queryKey: [toRowsPath(batchId)],
        predicate: ({ state }) => state.fetchStatus === 'fetching' || state.dataUpdatedAt > changedAtMs,
      }),
  });
  return ({ row, review }: { readonly row: BatchRow; readonly review: Review }): void => {
    // A rating is known without the row, a pick is the opposite of what the row has.
    if (isLoaded(row) || review.rating !== undefined) mutate({ row, review });
  };
}
