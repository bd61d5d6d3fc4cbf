// Renders the rows of a batch as a virtualized matrix of two of its axes.
import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { Batch, BatchRow } from '../../../sdk/src/types.ts';
import { Failure } from '../../kit/failure.tsx';
import { FilterSelect } from '../../kit/filter-bar.tsx';
import { apiQuery } from '../../lib/queries.ts';
import { type Axis, describeValue, getRowNumber, type MatrixView, MODEL_FIELD, showAxis } from './axes.ts';
import { useElementBounds } from './grid.tsx';
import styles from './matrix.module.css';
import { messages } from './messages.ts';
import { RowCard } from './row-card.tsx';
import { listIndexes, toPendingRow, useRows } from './use-batch.ts';
import { type CardsProps, GAP_PX, getCardHeight, MIN_CARD_PX, useCards } from './use-cards.ts';
import { useModelNames } from './use-model-names.ts';

/** Wider cards would show fewer lines without showing more. */
const MAX_CARD_PX = 420;
/** The height of the column headings. */
const COLUMN_HEADING_PX = 32;
/** The width of the line headings, in wide and narrow windows. */
const LINE_HEADING_PX = { wide: 140, narrow: 80 };
const NARROW_PX = 600;
/** Keeps the outline of the current card clear of the headings. */
const CLEAR_PX = 4;
/** Rows are read in blocks of this many lines and columns. */
const BLOCK = { lines: 4, columns: 8 };
/** The maximum number of values of an axis that are listed with their text. Further values are listed by number. */
const MAX_DESCRIBED = 200;

interface MatrixProps extends CardsProps {
  readonly axes: readonly Axis[];
  readonly view: MatrixView;
}

export function Matrix({ axes, view, ...props }: MatrixProps) {
  const ref = useRef<HTMLDivElement>(null);
  const { width } = useElementBounds(ref);
  const [lineAxis, columnAxis] = [axes[view.lines] as Axis, axes[view.columns] as Axis];
  const names = useModelNames(axes.map(({ field }) => field));
  const lineHeadingPx = width < NARROW_PX ? LINE_HEADING_PX.narrow : LINE_HEADING_PX.wide;
  const fittingPx = Math.floor((width - lineHeadingPx - 2 * CLEAR_PX) / columnAxis.count) - GAP_PX;
  const cardPx = Math.min(Math.max(MIN_CARD_PX, fittingPx), MAX_CARD_PX);
  const cardHeightPx = getCardHeight(cardPx);
  const sharedOptions = { getScrollElement: () => ref.current, overscan: 1 };
  const lines = useVirtualizer({
    ...sharedOptions,
    count: lineAxis.count,
    estimateSize: () => cardHeightPx + GAP_PX,
    paddingStart: COLUMN_HEADING_PX + CLEAR_PX,
    scrollPaddingStart: COLUMN_HEADING_PX + CLEAR_PX,
  });
  const columns = useVirtualizer({
    ...sharedOptions,
    horizontal: true,
    count: columnAxis.count,
    estimateSize: () => cardPx + GAP_PX,
    paddingStart: lineHeadingPx + CLEAR_PX,
    scrollPaddingStart: lineHeadingPx + CLEAR_PX,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sizes are measured again when they change
  useEffect(() => {
    lines.measure();
    columns.measure();
  }, [lines, columns, cardPx]);
  const lineItems = lines.getVirtualItems();
  const columnItems = columns.getVirtualItems();
  const toRowNumber = (line: number, column: number): number =>
    getRowNumber(axes, view, [view.lines, line], [view.columns, column]);
  const toCell = (index: number) => ({
    line: Math.floor(index / columnAxis.count),
    column: index % columnAxis.count,
  });
  const blocks = listBlocks(lineItems, columnItems).map(([firstLine, firstColumn]) =>
    listIndexes(firstLine, Math.min(firstLine + BLOCK.lines, lineAxis.count)).flatMap(line =>
      listIndexes(firstColumn, Math.min(firstColumn + BLOCK.columns, columnAxis.count)).map(column =>
        toRowNumber(line, column),
      ),
    ),
  );
  const { rows, error, retry } = useRows(props.batchId, blocks);
  const findRow = (line: number, column: number): BatchRow => {
    const number = toRowNumber(line, column);
    return rows.get(number) ?? toPendingRow(number);
  };
  const { onKeyDown, toCard } = useCards(props, {
    ref,
    count: lineAxis.count * columnAxis.count,
    columns: columnAxis.count,
    findRow: index => findRow(toCell(index).line, toCell(index).column),
    scrollTo: index => {
      const { line, column } = toCell(index);
      lines.scrollToIndex(line);
      columns.scrollToIndex(column);
    },
  });
  const findLoadedRow = (numbers: readonly number[]): BatchRow | undefined =>
    rows.get(numbers.find(number => rows.has(number)) ?? 0);
  const headings = {
    lines: lineItems.map(({ index, start }) => {
      const row = findLoadedRow(columnItems.map(column => toRowNumber(index, column.index)));
      return { index, start, text: row && describeValue(row, lineAxis, names) };
    }),
    columns: columnItems.map(({ index, start }) => {
      const row = findLoadedRow(lineItems.map(line => toRowNumber(line.index, index)));
      return { index, start, text: row && describeValue(row, columnAxis, names) };
    }),
  };
  return (
    <>
      {error !== null && <Failure error={error} onRetry={retry} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys act on the focused card */}
      <div ref={ref} tabIndex={-1} className={styles.matrix} onKeyDown={onKeyDown}>
        <div className={styles.area} style={{ width: columns.getTotalSize(), height: lines.getTotalSize() }}>
          <div className={styles.columns} style={{ height: COLUMN_HEADING_PX }}>
            <div className={styles.corner} style={{ width: lineHeadingPx, height: COLUMN_HEADING_PX }} />
            {headings.columns.map(({ index, start, text }) => (
              <span
                key={index}
                style={{ left: start, width: cardPx, height: COLUMN_HEADING_PX }}
                title={text}
              >
                {text ?? '…'}
              </span>
            ))}
          </div>
          <div className={styles.lines} style={{ width: lineHeadingPx }}>
            {headings.lines.map(({ index, start, text }) => (
              <span key={index} style={{ top: start - COLUMN_HEADING_PX, height: cardHeightPx }} title={text}>
                {text ?? '…'}
              </span>
            ))}
          </div>
          {lineItems.flatMap(line =>
            columnItems.map(column => {
              const row = findRow(line.index, column.index);
              return (
                <div
                  key={row.row}
                  className={styles.cell}
                  style={{
                    width: cardPx,
                    height: cardHeightPx,
                    transform: `translate(${column.start}px, ${line.start}px)`,
                  }}
                >
                  <RowCard {...toCard(row, line.index * columnAxis.count + column.index)} />
                </div>
              );
            }),
          )}
        </div>
      </div>
    </>
  );
}

interface AxisControlsProps extends Omit<MatrixProps, keyof CardsProps> {
  readonly batch: Batch;
  readonly onChange: (view: MatrixView) => void;
}

/** Renders selects for the two axes that the matrix shows, and for the values of the remaining axes. */
export function AxisControls({ batch, axes, view, onChange }: AxisControlsProps) {
  const names = useAxisNames(batch, axes);
  const options = Object.fromEntries(names.entries());
  return (
    <>
      {(['lines', 'columns'] as const).map(side => (
        <FilterSelect
          key={side}
          label={messages.sides[side]}
          value={view[side]}
          options={options}
          onChange={({ target }) => onChange(showAxis(view, side, Number(target.value)))}
        />
      ))}
      {axes.map((axis, index) =>
        index === view.lines || index === view.columns ? null : (
          <ValueSelect
            key={`${axis.nodeId} ${axis.field}`}
            {...{ batch, axes, view, index }}
            label={names[index] ?? ''}
            onChange={value => onChange({ ...view, fixed: view.fixed.with(index, value) })}
          />
        ),
      )}
    </>
  );
}

interface ValueSelectProps {
  readonly batch: Batch;
  readonly axes: readonly Axis[];
  readonly view: MatrixView;
  /** Index of the axis whose value is chosen. */
  readonly index: number;
  readonly label: string;
  readonly onChange: (value: number) => void;
}

function ValueSelect({ batch, axes, view, index, label, onChange }: ValueSelectProps) {
  const axis = axes[index] as Axis;
  const numbers = listIndexes(0, Math.min(axis.count, MAX_DESCRIBED)).map(value =>
    getRowNumber(axes, view, [index, value]),
  );
  const { rows } = useRows(batch.id, [numbers]);
  const names = useModelNames([axis.field]);
  const options = Object.fromEntries(
    listIndexes(0, axis.count).map(value => {
      const row = rows.get(numbers[value] ?? 0);
      return [value, row === undefined ? messages.value(value + 1) : describeValue(row, axis, names)];
    }),
  );
  return (
    <FilterSelect
      label={label}
      value={view.fixed[index]}
      options={options}
      onChange={({ target }) => onChange(Number(target.value))}
    />
  );
}

/** Returns the label of the node that each axis varies, with the field if it is not an input. */
function useAxisNames({ workflowId, workflowVersion }: Batch, axes: readonly Axis[]): readonly string[] {
  const { data } = useQuery({
    ...apiQuery(['/workflows', workflowId, 'versions', workflowVersion]),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const labels = new Map(data?.nodes.map(node => [node.id, node.data.label]));
  return axes.map(({ nodeId, field }) =>
    [labels.get(nodeId) ?? nodeId, ...(field === null ? [] : [describeField(field)])].join(' · '),
  );
}

/** Returns the name of a config field: `Guidance scale` for `guidance_scale`. */
function describeField(field: string): string {
  if (field === MODEL_FIELD) return messages.model;
  const words = field.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

type VisibleItems = readonly { readonly index: number }[];

/** Returns the first line and column of each block that is partly visible. */
function listBlocks(
  lines: VisibleItems,
  columns: VisibleItems,
): readonly (readonly [line: number, column: number])[] {
  const listStarts = (items: VisibleItems, size: number): readonly number[] => [
    ...new Set(items.map(({ index }) => index - (index % size))),
  ];
  const columnStarts = listStarts(columns, BLOCK.columns);
  return listStarts(lines, BLOCK.lines).flatMap(line => columnStarts.map(column => [line, column] as const));
}
