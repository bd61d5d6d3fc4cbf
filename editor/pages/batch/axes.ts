// Maps the rows of a batch to the cells of a matrix that shows two of the batch's axes.
import type { Batch, BatchRow } from '../../../sdk/src/types.ts';
import { MODEL_KEY } from '../../../src/graph/with-config.ts';

export type Axis = NonNullable<Batch['axes']>[number];

/** The two axes that a matrix shows, and the values of the remaining axes. */
export interface MatrixView {
  /** Index of the axis whose values are the lines. */
  readonly lines: number;
  /** Index of the axis whose values are the columns. */
  readonly columns: number;
  /** For each axis, the index of its value. Ignored for the two axes that the matrix shows. */
  readonly fixed: readonly number[];
}

/** Returns the initial view. Its columns are the last axis, because that axis varies fastest among the rows. */
export const getInitialView = (axes: readonly Axis[]): MatrixView => ({
  lines: axes.length - 2,
  columns: axes.length - 1,
  fixed: axes.map(() => 0),
});

/** Returns the distance between two rows that differ only in neighboring values of the axis. */
const getStride = (axes: readonly Axis[], index: number): number =>
  axes.slice(index + 1).reduce((product, { count }) => product * count, 1);

/** Returns the number of the row that has these values, and on the remaining axes the values of the view. */
export function getRowNumber(
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

/** The labels of models, by node type. */
export type ModelNames = ReadonlyMap<string, string>;

/** The field of an axis that varies the model of a node. */
export const MODEL_FIELD = MODEL_KEY;

/** Returns the value that the row has on the axis, as text. */
export function describeValue(
  { inputs, config }: BatchRow,
  { nodeId, field }: Axis,
  names: ModelNames,
): string {
  const value =
    field === null ? inputs[nodeId] : (config as Record<string, Record<string, unknown>>)?.[nodeId]?.[field];
  if (typeof value !== 'string') return JSON.stringify(value);
  return (field === MODEL_FIELD ? names.get(value) : undefined) ?? value;
}

/** Returns the view with the axis on the side. If the opposite side shows this axis, the two axes are swapped. */
export function showAxis(view: MatrixView, side: 'lines' | 'columns', axis: number): MatrixView {
  const oppositeSide = side === 'lines' ? 'columns' : 'lines';
  return { ...view, [side]: axis, ...(view[oppositeSide] === axis ? { [oppositeSide]: view[side] } : {}) };
}
