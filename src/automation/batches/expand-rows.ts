// Expands the rows, table or matrix of a request into the inputs and config of each row.
import { toJsonPointer } from '../../graph/issues.ts';
import type { Graph, Json } from '../../graph/types.ts';
import { AppError, createFieldError, type Issue } from '../../lib/errors.ts';
import { isExactNumber, parseExactJson } from '../../lib/exact-numbers.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import type { Tx } from '../../store/db.ts';
import { getReadableTable, type ReadableTable } from '../tables/read-table.ts';
import { type CreateBatchBody, MAX_ROWS } from './batch.schema.ts';

export interface ExpandedRow {
  readonly key: string | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** By node id, the config fields that the row sets. */
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null;
  /** A JSON pointer to the row in the request. */
  readonly path: string;
}

/** An input or a config field that a matrix varies. */
export interface Axis {
  readonly nodeId: string;
  /** The config field, or null for an input node. */
  readonly field: string | null;
  /** The number of values. */
  readonly count: number;
}

export interface ExpandedRows {
  /** Yields the rows in order. Adds to `issues` the problems of the table and an issue for each repeated key. */
  readonly readRows: (tx: Tx, issues: Issue[]) => AsyncIterable<ExpandedRow>;
  /** Set if the rows are the combinations of a matrix. */
  readonly axes: readonly Axis[] | null;
}

/** Checks the request and returns a reader of its rows. Throws 400 `invalid_request`. */
export async function expandRows(
  deps: Deps,
  actor: UserActor,
  graph: Graph,
  body: CreateBatchBody,
): Promise<ExpandedRows> {
  const sources = [body.rows, body.tableId, body.matrix].filter(source => source !== undefined);
  if (sources.length !== 1)
    throw new AppError('invalid_request', 'Send exactly one of rows, tableId and matrix.');
  if (body.tableId === undefined && (body.mapping !== undefined || body.keyColumn !== undefined))
    throw new AppError('invalid_request', 'mapping and keyColumn belong to a tableId.');
  if (body.matrix !== undefined) return expandMatrix(body.matrix);
  const { rows } = body;
  if (rows !== undefined)
    return { readRows: (_tx, issues) => reportRepeatedKeys(listRows(rows), issues), axes: null };
  const table = await getReadableTable(deps, actor, body.tableId ?? '');
  const readTableRows = createTableRowReader(graph, table, body);
  return { readRows: (tx, issues) => reportRepeatedKeys(readTableRows(tx, issues), issues), axes: null };
}

function* listRows(rows: NonNullable<CreateBatchBody['rows']>): Generator<ExpandedRow> {
  for (const [index, { key = null, inputs, config = null }] of rows.entries())
    yield { key, inputs, config, path: `/rows/${index}` };
}

interface AxisWithValues extends Axis {
  readonly values: readonly unknown[];
}

function expandMatrix({
  inputs = {},
  config = {},
  mode = 'product',
}: NonNullable<CreateBatchBody['matrix']>): ExpandedRows {
  const axes: readonly AxisWithValues[] = [
    ...Object.entries(inputs).map(([nodeId, values]) => ({
      nodeId,
      field: null,
      values,
      count: values.length,
    })),
    ...Object.entries(config).flatMap(([nodeId, fields]) =>
      Object.entries(fields).map(([field, values]) => ({ nodeId, field, values, count: values.length })),
    ),
  ];
  if (axes.length === 0) throw createFieldError('/matrix', 'must vary at least one input or config field');
  const counts = axes.map(({ count }) => count);
  const total = mode === 'zip' ? Math.max(...counts) : counts.reduce((product, n) => product * n, 1);
  if (mode === 'zip' && counts.some(count => count !== total))
    throw createFieldError('/matrix', 'must have lists of the same length with mode zip');
  if (total > MAX_ROWS)
    throw createFieldError('/matrix', `has ${total} combinations. A batch has at most ${MAX_ROWS} rows`);
  return {
    readRows: () => combineValues(axes, total, mode),
    axes: mode === 'zip' ? null : axes.map(({ nodeId, field, count }) => ({ nodeId, field, count })),
  };
}

async function* combineValues(
  axes: readonly AxisWithValues[],
  total: number,
  mode: 'product' | 'zip',
): AsyncGenerator<ExpandedRow> {
  for (let row = 0; row < total; row++) {
    const inputs: Record<string, unknown> = {};
    const config: Record<string, Record<string, unknown>> = {};
    // The last axis varies fastest, as in nested loops.
    let repeats = total;
    for (const { nodeId, field, values } of axes) {
      repeats /= values.length;
      const value = values[mode === 'zip' ? row : Math.floor(row / repeats) % values.length];
      if (field === null) inputs[nodeId] = value;
      else {
        config[nodeId] ??= {};
        config[nodeId][field] = value;
      }
    }
    yield {
      key: null,
      inputs,
      config: axes.some(axis => axis.field !== null) ? config : null,
      path: '/matrix',
    };
  }
}

/** Returns a function that reads the batch rows from a table. Throws 400 if the mapping names columns that the table lacks. */
function createTableRowReader(
  graph: Graph,
  { columns, total, problems, readRows: readRawRows }: ReadableTable,
  { mapping = {}, keyColumn }: CreateBatchBody,
): (tx: Tx, issues: Issue[]) => AsyncGenerator<ExpandedRow> {
  if (total > MAX_ROWS)
    throw createFieldError('/tableId', `has ${total} rows. A batch has at most ${MAX_ROWS}`, 'The table');
  if (Object.keys(mapping).length === 0)
    throw createFieldError('/mapping', 'must map at least one input node to a column');
  const getIndex = (column: string, path: string): number => {
    const index = columns.indexOf(column);
    if (index >= 0) return index;
    const names = columns.map(name => JSON.stringify(name)).join(', ');
    throw createFieldError(path, `names a column that the table does not have. It has ${names}`);
  };
  const types = new Map(graph.nodes.map(node => [node.id, node.data.nodeType]));
  const mappedInputs = Object.entries(mapping).map(([nodeId, column]) => ({
    nodeId,
    column,
    index: getIndex(column, toJsonPointer('mapping', nodeId)),
    parse: CELL_PARSERS[types.get(nodeId) ?? ''],
  }));
  const keyIndex = keyColumn === undefined ? undefined : getIndex(keyColumn, '/keyColumn');
  const invalidLines = new Set(problems.map(({ line }) => line));
  return async function* readRows(tx, issues) {
    issues.push(...problems.map(({ line, message }) => toIssue(line, message)));
    for await (const { line, cells } of readRawRows(tx)) {
      if (invalidLines.has(line)) continue;
      const inputs: Record<string, unknown> = {};
      let areCellsValid = true;
      for (const { nodeId, column, index, parse } of mappedInputs) {
        const cell = cells[index] ?? '';
        if (cell === '' || (parse !== undefined && typeof cell === 'string' && cell.trim() === '')) continue;
        try {
          inputs[nodeId] = typeof cell === 'string' && parse !== undefined ? parse(cell) : cell;
        } catch (err) {
          areCellsValid = false;
          issues.push(toIssue(line, `Column ${JSON.stringify(column)} ${(err as Error).message}.`));
        }
      }
      const key = keyIndex === undefined ? '' : String(cells[keyIndex] ?? '');
      const path = `/tableId/${line}`;
      if (areCellsValid) yield { key: key === '' ? null : key.slice(0, 200), inputs, config: null, path };
    }
  };
}

/** Parsers of cells by the type of the input node. Nodes of other types use the text. */
const CELL_PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  'input:number': parseNumberCell,
  'input:json': parseJson,
  'input:list': parseJson,
};

/** A decimal number, also with leading zeros or without digits before or after the point. */
const DECIMAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Parses a number, without rounding. Throws if the text is not a decimal number. */
export function parseNumberCell(cell: string): unknown {
  const text = cell.trim().replace(/^\+/, '');
  const number = Number(text);
  if (!DECIMAL.test(text) || !Number.isFinite(number)) throw new Error('must be a number');
  return isExactNumber(text) ? number : parseExactJson(text);
}

function parseJson(text: string): Json {
  try {
    return parseExactJson(text) as Json;
  } catch {
    throw new Error('must be JSON');
  }
}

const toIssue = (line: number, message: string): Issue => ({
  path: `/tableId/${line}`,
  code: 'invalid_rows',
  message: `Line ${line}: ${message}`,
});

/** Yields the rows, and adds an issue for each key that is used twice. */
async function* reportRepeatedKeys(
  rows: AsyncIterable<ExpandedRow> | Iterable<ExpandedRow>,
  issues: Issue[],
): AsyncGenerator<ExpandedRow> {
  const usedKeys = new Set<string>();
  for await (const row of rows) {
    const { key, path } = row;
    if (key !== null && usedKeys.has(key))
      issues.push({ path, code: 'invalid_rows', message: `The key ${JSON.stringify(key)} is used twice.` });
    if (key !== null) usedKeys.add(key);
    yield row;
  }
}

const MAX_ISSUES = 1000;

/** Creates the error that lists the issues of rows. */
export function createInvalidRowsError(issues: readonly Issue[]): AppError {
  const moreCount = issues.length - 1;
  const countNote =
    moreCount > 0 ? ` ${moreCount} more ${moreCount === 1 ? 'problem was' : 'problems were'} found.` : '';
  return new AppError('invalid_rows', `${issues[0]?.message ?? 'The rows are invalid.'}${countNote}`, {
    issues: issues.slice(0, MAX_ISSUES),
  });
}
