// Renders the rows of a batch as a virtualized grid with keyboard navigation.
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { BatchRow } from '../../../sdk/src/types.ts';
import styles from './page.module.css';
import { RowCard } from './row-card.tsx';
import { type CardsProps, GAP_PX, getCardHeight, MIN_CARD_PX, useCards } from './use-cards.ts';

interface GridProps extends CardsProps {
  readonly rows: readonly BatchRow[];
  /** Called when the user scrolls near the end of the rows. */
  readonly onNearEnd: () => void;
}

export function Grid({ rows, onNearEnd, ...props }: GridProps) {
  const ref = useRef<HTMLDivElement>(null);
  const { width, top } = useElementBounds(ref);
  const columns = Math.max(1, Math.floor((width + GAP_PX) / (MIN_CARD_PX + GAP_PX)));
  const height = getCardHeight((width - GAP_PX * (columns - 1)) / columns) + GAP_PX;
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
  const { onKeyDown, toCard } = useCards(props, {
    ref,
    count: rows.length,
    columns,
    findRow: index => rows[index],
    scrollTo: index => virtualizer.scrollToIndex(Math.floor(index / columns)),
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys act on the focused card
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
            height: height - GAP_PX,
            gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`,
            transform: `translateY(${line.start - top}px)`,
          }}
        >
          {rows.slice(line.index * columns, (line.index + 1) * columns).map((row, column) => (
            <RowCard key={row.row} {...toCard(row, line.index * columns + column)} />
          ))}
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
