// Renders the rows of a batch as a virtualized grid or table with keyboard navigation.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { BatchRow } from '../../../sdk/src/types.ts';
import styles from './page.module.css';
import { RowCard } from './row-card.tsx';
import { RowLine } from './row-line.tsx';
import { listIndexes } from './use-batch.ts';
import { type CardsProps, GAP_PX, getCardHeight, MIN_CARD_PX, useCards } from './use-cards.ts';

/** The height of the header and the tools, which stay in view. */
const STICKY_PX = 116;
/** The height of a line of the table. */
const LINE_PX = 52;

interface GridProps extends CardsProps {
  /** Whether each row is a line of text instead of a card. */
  readonly isTable: boolean;
  readonly count: number;
  readonly findRow: (index: number) => BatchRow;
  /** Called with the rows that are in view, or near it. A stable function. */
  readonly onView: (first: number, last: number) => void;
  /** The index of a row to show once. */
  readonly jumpTo?: number | undefined;
  /** Called when the row of `jumpTo` is shown. Otherwise the next list would show it again. */
  readonly onJumped?: () => void;
}

export function Grid({ isTable, count, findRow, onView, jumpTo, onJumped, ...props }: GridProps) {
  const ref = useRef<HTMLDivElement>(null);
  const { width, top } = useElementBounds(ref);
  const columns = isTable ? 1 : Math.max(1, Math.floor((width + GAP_PX) / (MIN_CARD_PX + GAP_PX)));
  const gap = isTable ? 0 : GAP_PX;
  const height = isTable ? LINE_PX : getCardHeight((width - GAP_PX * (columns - 1)) / columns) + GAP_PX;
  const virtualizer = useWindowVirtualizer({
    count: Math.ceil(count / columns),
    estimateSize: () => height,
    overscan: isTable ? 8 : 2,
    scrollMargin: top,
    scrollPaddingStart: STICKY_PX,
    scrollPaddingEnd: gap,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes are measured again when they change
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const items = virtualizer.getVirtualItems();
  const first = (items[0]?.index ?? 0) * columns;
  const last = Math.min(count, ((items.at(-1)?.index ?? 0) + 1) * columns) - 1;
  useEffect(() => onView(first, last), [first, last, onView]);
  const { onKeyDown, toCard, moveTo } = useCards(props, {
    ref,
    count,
    columns,
    findRow,
    scrollTo: index => virtualizer.scrollToIndex(Math.floor(index / columns)),
  });
  useEffect(() => {
    if (jumpTo === undefined || width === 0) return;
    moveTo(jumpTo);
    onJumped?.();
  });
  const Row = isTable ? RowLine : RowCard;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys act on the focused row
    <div
      ref={ref}
      tabIndex={-1}
      className={styles.grid}
      style={{ height: virtualizer.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {items.map(line => (
        <div
          key={line.key}
          className={styles.line}
          style={{
            height: height - gap,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            transform: `translateY(${line.start - top}px)`,
          }}
        >
          {listIndexes(line.index * columns, Math.min(count, (line.index + 1) * columns)).map(index => {
            const row = findRow(index);
            return <Row key={row.row} {...toCard(row, index)} />;
          })}
        </div>
      ))}
    </div>
  );
}

/** Returns the width of the element and its distance from the top of the page. */
export function useElementBounds(ref: React.RefObject<HTMLDivElement | null>): {
  readonly width: number;
  readonly top: number;
} {
  const [bounds, setBounds] = useState({ width: 0, top: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = (): void => {
      const { width, top } = element.getBoundingClientRect();
      const next = { width, top: Math.round(top + window.scrollY) };
      setBounds(last => (last.width === next.width && last.top === next.top ? last : next));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [ref]);
  return bounds;
}
