// Expands the rows, table or matrix of a request into the inputs and config of each row.
import { indexInputs } from '../../graph/input-names.ts';
import { toJsonPointer } from '../../graph/issues.ts';
import type { Graph, Json } from '../../graph/types.ts';
import { Collector } from '../../lib/collector.ts';
import { AppError, createFieldError, type Issue } from '../../lib/errors.ts';
import { isExactNumber } from '../../lib/exact-numbers.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { findShapeProblem } from '../../lib/json-shape.ts';
import { JsonText } from '../../lib/json-text.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import {
  createRepeatedInputError,
  MAX_RUN_INPUT_BYTES,
  type RunInputs,
} from '../../runs/prepare/run-request.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import type { Tx } from '../../store/db.ts';
import { getReadableTable, type ReadableTable } from '../tables/read-table.ts';
import { type CreateBatchBody, MAX_ROWS } from './batch.schema.ts';
import type { RowConfig } from './row-values.ts';

export interface ExpandedRow {
  readonly key: string | null;
  /** With the keys of the request: ids and names. Rows and inputs that take the same value share its object. */
  readonly inputs: RunInputs;
  /** The config fields that the row sets. Rows share values as for inputs. */
  readonly config: RowConfig | null;
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
  /**
   * Yields the rows in order. Adds to `issues` the problems of the table, an issue for each repeated key and for each row
   * that is too large. Ends early if `issues` is full. Throws 413 `payload_too_large` if the rows expand to too much.
   */
  readonly readRows: (tx: Tx, issues: RowIssues) => AsyncIterable<ExpandedRow>;
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
  const findInput = indexInputs(graph.nodes);
  if (body.matrix !== undefined) {
    const { readRows, axes } = expandMatrix(body.matrix, findInput);
    return { readRows: (_tx, issues) => checkRows(readRows(), issues), axes };
  }
  const { rows } = body;
  if (rows !== undefined) return { readRows: (_tx, issues) => checkRows(listRows(rows), issues), axes: null };
  const table = await getReadableTable(deps, actor, body.tableId ?? '');
  const readTableRows = createTableRowReader(graph, table, body, findInput);
  return { readRows: (tx, issues) => checkRows(readTableRows(tx, issues), issues), axes: null };
}

function* listRows(rows: NonNullable<CreateBatchBody['rows']>): Generator<ExpandedRow> {
  for (const [index, { key = null, inputs, config = null }] of rows.entries())
    yield {
      key,
      inputs: toTexts(inputs),
      config:
        config === null
          ? null
          : new Map(Object.entries(config).map(([nodeId, fields]) => [nodeId, toTexts(fields)])),
      path: `/rows/${index}`,
    };
}

const toTexts = (values: Readonly<Record<string, unknown>>): ReadonlyMap<string, JsonText<Json>> =>
  new Map(Object.entries(values).map(([name, value]) => [name, JsonText.of(value as Json)]));

interface AxisWithValues extends Axis {
  /** The id or name of the node in the request. */
  readonly key: string;
  readonly getValue: (index: number) => JsonText<Json>;
}

interface Matrix extends Pick<ExpandedRows, 'axes'> {
  readonly readRows: () => Iterable<ExpandedRow>;
}

type FindInput = ReturnType<typeof indexInputs>;

function expandMatrix(
  { inputs = {}, config = {}, mode = 'product' }: NonNullable<CreateBatchBody['matrix']>,
  findInput: FindInput,
): Matrix {
  requireDistinctInputs(Object.keys(inputs), findInput);
  const axes: readonly AxisWithValues[] = [
    ...Object.entries(inputs).map(([key, values]) => ({
      key,
      nodeId: findInput(key) ?? key,
      field: null,
      getValue: createTextReader(values),
      count: values.length,
    })),
    ...Object.entries(config).flatMap(([nodeId, fields]) =>
      Object.entries(fields).map(([field, values]) => ({
        key: nodeId,
        nodeId,
        field,
        getValue: createTextReader(values),
        count: values.length,
      })),
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

/** Throws 400 `invalid_inputs` if two keys name the same node. */
function requireDistinctInputs(keys: readonly string[], findInput: FindInput): void {
  const seenIds = new Set<string>();
  for (const key of keys) {
    const nodeId = findInput(key) ?? key;
    if (seenIds.size === seenIds.add(nodeId).size) throw createRepeatedInputError(key, nodeId);
  }
}

/** Returns a function that reads a value of an axis. It serializes each value once, since many rows have the value. */
function createTextReader(values: readonly unknown[]): (index: number) => JsonText<Json> {
  const texts = new Map<number, JsonText<Json>>();
  return index => getOrCreate(texts, index, () => JsonText.of(values[index] as Json));
}

function* combineValues(
  axes: readonly AxisWithValues[],
  total: number,
  mode: 'product' | 'zip',
): Generator<ExpandedRow> {
  const hasConfig = axes.some(({ field }) => field !== null);
  for (let row = 0; row < total; row++) {
    const inputs = new Map<string, JsonText<Json>>();
    const config = new Map<string, Map<string, JsonText<Json>>>();
    // The last axis varies fastest, as in nested loops.
    let repeats = total;
    for (const { key, field, getValue, count } of axes) {
      repeats /= count;
      const value = getValue(mode === 'zip' ? row : Math.floor(row / repeats) % count);
      if (field === null) inputs.set(key, value);
      else getOrCreate(config, key, () => new Map()).set(field, value);
    }
    yield {
      key: null,
      inputs,
      config: hasConfig ? config : null,
      path: '/matrix',
    };
  }
}

/** Returns a function that reads the batch rows from a table. Throws 400 if the mapping names columns that the table lacks. */
function createTableRowReader(
  graph: Graph,
  { columns, total, problems, readRows: readRawRows }: ReadableTable,
  { mapping = {}, keyColumn }: CreateBatchBody,
  findInput: FindInput,
): (tx: Tx, issues: RowIssues) => AsyncGenerator<ExpandedRow> {
  if (total > MAX_ROWS)
    throw createFieldError('/tableId', `has ${total} rows. A batch has at most ${MAX_ROWS}`, 'The table');
  if (Object.keys(mapping).length === 0)
    throw createFieldError('/mapping', 'must map at least one input node to a column');
  requireDistinctInputs(Object.keys(mapping), findInput);
  const getIndex = (column: string, path: string): number => {
    const index = columns.indexOf(column);
    if (index >= 0) return index;
    const names = columns.slice(0, MAX_LISTED_COLUMNS).map(name => JSON.stringify(name));
    const more = columns.length > names.length ? ` and ${columns.length - names.length} more` : '';
    throw createFieldError(
      path,
      `names a column that the table does not have. It has ${names.join(', ')}${more}`,
    );
  };
  const types = new Map(graph.nodes.map(node => [node.id, node.data.nodeType]));
  const mappedInputs = Object.entries(mapping).map(([key, column]) => ({
    key,
    column,
    index: getIndex(column, toJsonPointer('mapping', key)),
    parse: CELL_PARSERS[types.get(findInput(key) ?? '') ?? ''],
  }));
  const keyIndex = keyColumn === undefined ? undefined : getIndex(keyColumn, '/keyColumn');
  const invalidLines = new Set(problems.map(({ line }) => line));
  return async function* readRows(tx, issues) {
    for (const { line, message } of problems) issues.add(toIssue(line, message));
    for await (const { line, cells } of readRawRows(tx)) {
      if (issues.isFull) return;
      if (invalidLines.has(line)) continue;
      const inputs = new Map<string, JsonText<Json>>();
      // Several inputs may take the same cell.
      const parsedCells = new Map<CellParser | undefined, Map<number, ParsedCell>>();
      let areCellsValid = true;
      for (const { key, column, index, parse } of mappedInputs) {
        await yieldTurn();
        const parsedByIndex = getOrCreate(parsedCells, parse, () => new Map<number, ParsedCell>());
        const parsed = getOrCreate(parsedByIndex, index, () => parseCell(cells[index] ?? '', parse));
        if (parsed.value !== undefined) inputs.set(key, parsed.value);
        if (parsed.problem === undefined) continue;
        areCellsValid = false;
        issues.add(toIssue(line, `Column ${JSON.stringify(column)} ${parsed.problem}.`));
        if (issues.isFull) return;
      }
      const rowKey = keyIndex === undefined ? '' : String(cells[keyIndex] ?? '');
      const path = `/tableId/${line}`;
      if (areCellsValid)
        yield { key: rowKey === '' ? null : rowKey.slice(0, 200), inputs, config: null, path };
    }
  };
}

const MAX_LISTED_COLUMNS = 20;

/** `{}`: the cell is empty, so the node keeps its default. */
interface ParsedCell {
  readonly value?: JsonText<Json>;
  readonly problem?: string;
}

function parseCell(cell: Json, parse: CellParser | undefined): ParsedCell {
  if (cell === '' || (parse !== undefined && typeof cell === 'string' && cell.trim() === '')) return {};
  if (typeof cell !== 'string' || parse === undefined) return { value: JsonText.of(cell) };
  const parsed = parse(cell);
  return typeof parsed === 'string' ? { problem: parsed } : parsed;
}

/** Returns the value of the cell, or its problem. */
type CellParser = (cell: string) => { readonly value: JsonText<Json> } | string;

/** Parsers of cells by the type of the input node. Nodes of other types use the text. */
const CELL_PARSERS: Readonly<Record<string, CellParser>> = {
  'input:number': parseNumberCell,
  'input:json': parseJsonCell,
  'input:list': parseJsonCell,
};

/** A decimal number, also with leading zeros or without digits before or after the point. */
const DECIMAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Parses a number, without rounding. */
export function parseNumberCell(cell: string): ReturnType<CellParser> {
  const text = cell.trim().replace(/^\+/, '');
  const number = Number(text);
  if (!DECIMAL.test(text) || !Number.isFinite(number)) return 'must be a number';
  try {
    return { value: new JsonText<Json>(isExactNumber(text) ? String(number) : text) };
  } catch {
    return 'must be a number';
  }
}

function parseJsonCell(cell: string): ReturnType<CellParser> {
  const problem = findShapeProblem(Buffer.from(cell));
  if (problem !== undefined) return problem;
  try {
    return { value: new JsonText<Json>(cell) };
  } catch {
    return 'must be JSON';
  }
}

const toIssue = (line: number, message: string): Issue => ({
  path: `/tableId/${line}`,
  code: 'invalid_rows',
  message: `Line ${line}: ${message}`,
});

/**
 * The most values, and bytes of their JSON texts, that the rows of a batch have together. A short request can refer to the
 * same values in every row, so its size does not limit the rows.
 */
const MAX_VALUES = 1_000_000;
const MAX_VALUE_BYTES = 100_000_000;

/** Yields the rows within the limits. Adds an issue for each key that is used twice, and for each row that is too large. */
async function* checkRows(
  rows: AsyncIterable<ExpandedRow> | Iterable<ExpandedRow>,
  issues: RowIssues,
): AsyncGenerator<ExpandedRow> {
  const usedKeys = new Set<string>();
  let values = 0;
  let bytes = 0;
  for await (const row of rows) {
    if (issues.isFull) return;
    await yieldTurn();
    const { key, path, inputs, config } = row;
    const inputBytes = countBytes(inputs);
    values += inputs.size;
    bytes += inputBytes;
    for (const fields of config?.values() ?? []) bytes += countBytes(fields);
    if (values > MAX_VALUES) throw createTooLargeError(`${MAX_VALUES.toLocaleString('en')} values of inputs`);
    if (bytes > MAX_VALUE_BYTES) throw createTooLargeError(`${MAX_VALUE_BYTES / 1e6} MB of inputs`);
    const addIssue = (message: string) => issues.add({ path, code: 'invalid_rows', message });
    if (inputBytes > MAX_RUN_INPUT_BYTES)
      addIssue(
        `The inputs of a row have ${inputBytes} bytes as JSON. The inputs of a run have at most ${MAX_RUN_INPUT_BYTES}.`,
      );
    if (key !== null && usedKeys.has(key)) addIssue(`The key ${JSON.stringify(key)} is used twice.`);
    if (key !== null) usedKeys.add(key);
    yield row;
  }
}

/** Returns the size of the values as a JSON object. Escapes of names are not counted. */
function countBytes(values: ReadonlyMap<string, JsonText<Json>>): number {
  let bytes = 2;
  // 4 for the quotes, the colon and the comma of a member.
  for (const [name, { text }] of values) bytes += name.length + 4 + text.length;
  return bytes;
}

const createTooLargeError = (limit: string): AppError =>
  new AppError(
    'payload_too_large',
    `The rows have more than ${limit} in all, the most of a batch. Put values that every row shares into the workflow, or make several batches.`,
  );

const MAX_ISSUES = 1000;
const MAX_ISSUE_BYTES = 1_000_000;

/** Collects the problems of rows. Once it is full, no more rows are checked. */
export class RowIssues extends Collector<Issue> {
  constructor() {
    super(
      { items: MAX_ISSUES, bytes: MAX_ISSUE_BYTES },
      ({ path = '', message }) => path.length + message.length,
    );
  }

  /** Returns the error that lists the issues. */
  toError(): AppError {
    const [first] = this.items;
    const moreCount = this.items.length - 1;
    const countNote =
      moreCount > 0 ? ` ${moreCount} more ${moreCount === 1 ? 'problem was' : 'problems were'} found.` : '';
    const stopNote = this.isFull ? ' Then checking stopped, so that later rows may have more problems.' : '';
    return new AppError(
      'invalid_rows',
      `${first?.message ?? 'The rows are invalid.'}${countNote}${stopNote}`,
      { issues: this.items },
    );
  }
}
