// Maps the rows of a batch to the cells of a matrix of two of its axes.
import type { Batch, BatchRow } from '../../../sdk/src/types.ts';

export type Axis = NonNullable<Batch['axes']>[number];

/** The axes that a matrix shows, and the value of every other axis. */
export interface MatrixView {
  /** Index of the axis whose values are the lines. */
  readonly lines: number;
  /** Index of the axis whose values are the columns. */
  readonly columns: number;
  /** By axis, the index of the value to show. Ignored for the two axes above. */
  readonly fixed: readonly number[];
}

/** Returns the initial view: the last axis as columns, because it varies fastest from row to row of the batch. */
export const getFirstView = (axes: readonly Axis[]): MatrixView => ({
  lines: axes.length - 2,
  columns: axes.length - 1,
  fixed: axes.map(() => 0),
});

/** Returns how far apart two rows are that differ only in neighboring values of the axis. */
const getStride = (axes: readonly Axis[], index: number): number =>
  axes.slice(index + 1).reduce((product, { count }) => product * count, 1);

/** Returns the number of the row with the values of the view, except that each given axis has the given value. */
export function findRowNumber(
  axes: readonly Axis[],
  { fixed }: MatrixView,
  ...values: readonly (readonly [axis: number, value: number])[]
): number {
  const indexes = new Map(values);
  return axes.reduce(
    (row, _axis, index) => row + (indexes.get(index) ?? fixed[index] ?? 0) * getStride(axes, index),
    1,
  );
}

/** Returns the value that the row has on the axis, as text. */
export function describeValue({ inputs, config }: BatchRow, { nodeId, field }: Axis): string {
  const value =
    field === null ? inputs[nodeId] : (config as Record<string, Record<string, unknown>>)?.[nodeId]?.[field];
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the view with another axis as lines or columns. Swaps the two if the other side shows that axis. */
export function showAxis(view: MatrixView, side: 'lines' | 'columns', axis: number): MatrixView {
  const other = side === 'lines' ? 'columns' : 'lines';
  return { ...view, [side]: axis, ...(view[other] === axis ? { [other]: view[side] } : {}) };
}
