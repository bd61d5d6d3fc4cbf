// Renders the rows of a batch as a virtual grid that is used with the keyboard.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { BatchRow } from '../../../sdk/src/types.ts';
import { toErrorMessage } from '../../kit/failure.tsx';
import { api } from '../../lib/api.ts';
import { showToast } from '../../lib/toasts.ts';
import { messages } from './messages.ts';
import styles from './page.module.css';
import { type Mark, RowCard } from './row-card.tsx';
import { replaceRow } from './use-batch.ts';

const MIN_CARD_PX = 220;
const GAP_PX = 12;
/** Below the result: name, inputs and rating. */
const FOOTER_PX = 100;
const MAX_COMPARED = 4;

interface GridProps {
  readonly batchId: string;
  readonly rows: readonly BatchRow[];
  readonly selected: ReadonlySet<number>;
  readonly onSelect: (rows: ReadonlySet<number>) => void;
  readonly onOpen: (row: number) => void;
  /** Called when the end comes near the view. */
  readonly onNearEnd: () => void;
}

export function Grid({ batchId, rows, selected, onSelect, onOpen, onNearEnd }: GridProps) {
  const ref = useRef<HTMLDivElement>(null);
  const { width, top } = usePlace(ref);
  const columns = Math.max(1, Math.floor((width + GAP_PX) / (MIN_CARD_PX + GAP_PX)));
  const height = Math.round(((width - GAP_PX * (columns - 1)) / columns) * 0.75) + FOOTER_PX + GAP_PX;
  const lines = Math.ceil(rows.length / columns);
  const virtualizer = useWindowVirtualizer({
    count: lines,
    estimateSize: () => height,
    overscan: 2,
    scrollMargin: top,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes are measured again when they change
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const items = virtualizer.getVirtualItems();
  const lastLine = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lines > 0 && lastLine >= lines - 3) onNearEnd();
  }, [lastLine, lines, onNearEnd]);
  const [current, setCurrent] = useState(0);
  const mark = useMark(batchId);
  const toggle = (row: number): void => {
    const next = new Set(selected);
    if (!next.delete(row) && next.size < MAX_COMPARED) next.add(row);
    onSelect(next);
  };
  const moveTo = (index: number): void => {
    const target = Math.min(Math.max(0, index), rows.length - 1);
    setCurrent(target);
    virtualizer.scrollToIndex(Math.floor(target / columns));
    const number = rows[target]?.row;
    requestAnimationFrame(() =>
      ref.current
        ?.querySelector<HTMLElement>(`[data-row="${number}"] button`)
        ?.focus({ preventScroll: true }),
    );
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const row = rows[current];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const steps: Readonly<Record<string, number>> = {
      j: 1,
      k: -1,
      ArrowRight: 1,
      ArrowLeft: -1,
      ArrowDown: columns,
      ArrowUp: -columns,
    };
    const step = steps[key];
    const stars = /^[1-5]$/.test(key) ? Number(key) : undefined;
    const actions = new Map([
      ['p', () => mark({ row, mark: { isPicked: !row.isPicked } })],
      ['x', () => toggle(row.row)],
      [' ', () => onOpen(row.row)],
    ]);
    const action =
      step !== undefined
        ? () => moveTo(current + step)
        : stars === undefined
          ? actions.get(key)
          : () => mark({ row, mark: { rating: row.rating === stars ? null : stars } });
    if (action === undefined) return;
    event.preventDefault();
    action();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys act on the focused card
    <div
      ref={ref}
      className={styles.grid}
      style={{ height: virtualizer.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {items.map(line => (
        <div
          key={line.key}
          className={styles.line}
          style={{
            height: height - GAP_PX,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            transform: `translateY(${line.start - top}px)`,
          }}
        >
          {rows.slice(line.index * columns, (line.index + 1) * columns).map((row, place) => {
            const index = line.index * columns + place;
            return (
              <RowCard
                key={row.row}
                row={row}
                isCurrent={index === current}
                isSelected={selected.has(row.row)}
                onFocus={() => setCurrent(index)}
                onSelect={() => toggle(row.row)}
                onOpen={() => onOpen(row.row)}
                onMark={change => mark({ row, mark: change })}
              />
            );
          })}
        </div>
      ))}
      <p className={styles.keys}>{messages.keys}</p>
    </div>
  );
}

/** Returns the width of the element and its distance from the top of the page. */
function usePlace(ref: React.RefObject<HTMLDivElement | null>): {
  readonly width: number;
  readonly top: number;
} {
  const [place, setPlace] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const read = (): void => {
      const { width, top } = element.getBoundingClientRect();
      const next = { width, top: Math.round(top + window.scrollY) };
      setPlace(last => (last.width === next.width && last.top === next.top ? last : next));
    };
    const observer = new ResizeObserver(read);
    observer.observe(element);
    read();
    return () => observer.disconnect();
  }, [ref]);
  return place;
}

/** Returns a function that rates or picks a row. The row changes at once, and back if the service refuses. */
function useMark(batchId: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ row, mark }: { readonly row: BatchRow; readonly mark: Mark }) =>
      api.patch<BatchRow>(`/batches/${batchId}/rows/${row.row}`, mark),
    onMutate: ({ row, mark }) => replaceRow(client, batchId, { ...row, ...mark }),
    onError: (error, { row }) => {
      replaceRow(client, batchId, row);
      showToast(toErrorMessage(error), { tone: 'failed' });
    },
  }).mutate;
}
