// Turns the rows, table or matrix of a request into the inputs of each row.
import { pointer } from '../../graph/issues.ts';
import type { Graph, Json } from '../../graph/types.ts';
import { AppError, type Issue, invalidField } from '../../lib/errors.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import type { Deps } from '../../services/deps.ts';
import { readTableRows, type TableRows } from '../tables/read-table.ts';
import { type CreateBatchBody, MAX_ROWS } from './batch.schema.ts';

export interface ExpandedRow {
  readonly key: string | null;
  readonly inputs: Readonly<Record<string, unknown>>;
  /** A JSON pointer into the request. */
  readonly path: string;
}

/** Throws 400 `invalid_rows` with all problems of the table or the keys, and 400 `invalid_request`. */
export async function expandRows(
  deps: Deps,
  actor: UserActor,
  graph: Graph,
  body: CreateBatchBody,
): Promise<readonly ExpandedRow[]> {
  const sources = [body.rows, body.tableId, body.matrix].filter(source => source !== undefined);
  if (sources.length !== 1)
    throw new AppError('invalid_request', 'Send exactly one of rows, tableId and matrix.');
  if (body.tableId === undefined && (body.mapping !== undefined || body.keyColumn !== undefined))
    throw new AppError('invalid_request', 'mapping and keyColumn belong to a tableId.');
  const rows =
    body.rows !== undefined
      ? body.rows.map(({ key = null, inputs }, index) => ({ key, inputs, path: `/rows/${index}` }))
      : body.matrix !== undefined
        ? expandMatrix(body.matrix)
        : expandTable(graph, await readTableRows(deps, actor, body.tableId ?? ''), body);
  requireUniqueKeys(rows);
  return rows;
}

function expandMatrix({ inputs, mode = 'product' }: NonNullable<CreateBatchBody['matrix']>): ExpandedRow[] {
  const axes = Object.entries(inputs);
  const lengths = axes.map(([, values]) => values.length);
  const total = mode === 'zip' ? Math.max(...lengths) : lengths.reduce((product, n) => product * n, 1);
  if (mode === 'zip' && lengths.some(length => length !== total))
    throw invalidField('/matrix/inputs', 'must have lists of the same length with mode zip');
  if (total > MAX_ROWS)
    throw invalidField('/matrix', `has ${total} combinations. A batch has at most ${MAX_ROWS} rows`);
  return Array.from({ length: total }, (_, row) => {
    let rest = row;
    // The last input varies fastest, as in nested loops.
    const picked = axes.toReversed().map(([nodeId, values]): [string, unknown] => {
      const index = mode === 'zip' ? row : rest % values.length;
      rest = Math.floor(rest / values.length);
      return [nodeId, values[index]];
    });
    return { key: null, inputs: Object.fromEntries(picked.toReversed()), path: '/matrix' };
  });
}

function expandTable(
  graph: Graph,
  { columns, rows, total, problems }: TableRows,
  { mapping = {}, keyColumn }: CreateBatchBody,
): ExpandedRow[] {
  if (total > MAX_ROWS)
    throw invalidField('/tableId', `has ${total} rows. A batch has at most ${MAX_ROWS}`, 'The table');
  if (Object.keys(mapping).length === 0)
    throw invalidField('/mapping', 'must map at least one input node to a column');
  const indexOf = (column: string, path: string): number => {
    const index = columns.indexOf(column);
    if (index >= 0) return index;
    const names = columns.map(name => JSON.stringify(name)).join(', ');
    throw invalidField(path, `names a column that the table does not have. It has ${names}`);
  };
  const types = new Map(graph.nodes.map(node => [node.id, node.data.nodeType]));
  const mapped = Object.entries(mapping).map(([nodeId, column]) => ({
    nodeId,
    column,
    index: indexOf(column, pointer('mapping', nodeId)),
    parse: CELL_PARSERS[types.get(nodeId) ?? ''],
  }));
  const keyIndex = keyColumn === undefined ? undefined : indexOf(keyColumn, '/keyColumn');
  const issues: Issue[] = problems.map(({ line, message }) => toIssue(line, message));
  const expanded = rows.map(({ line, cells }) => {
    const inputs: Record<string, unknown> = {};
    for (const { nodeId, column, index, parse } of mapped) {
      const cell = cells[index] ?? '';
      if (cell === '') continue;
      try {
        inputs[nodeId] = typeof cell === 'string' && parse !== undefined ? parse(cell) : cell;
      } catch (err) {
        issues.push(toIssue(line, `Column ${JSON.stringify(column)} ${(err as Error).message}.`));
      }
    }
    const key = keyIndex === undefined ? '' : String(cells[keyIndex] ?? '');
    return { key: key === '' ? null : key.slice(0, 200), inputs, path: `/tableId/${line}` };
  });
  if (issues.length > 0) throw invalidRows(issues);
  return expanded;
}

/** Parses the text of a cell by the type of its input node. Other nodes take the text. */
const CELL_PARSERS: Readonly<Record<string, (text: string) => Json>> = {
  'input:number': text => {
    const number = Number(text.trim());
    if (!Number.isFinite(number)) throw new Error('must be a number');
    return number;
  },
  'input:json': parseJson,
  'input:list': parseJson,
};

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Error('must be JSON');
  }
}

const toIssue = (line: number, message: string): Issue => ({
  path: `/tableId/${line}`,
  code: 'invalid_rows',
  message: `Line ${line}: ${message}`,
});

function requireUniqueKeys(rows: readonly ExpandedRow[]): void {
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const { key, path } of rows) {
    if (key === null) continue;
    if (seen.has(key))
      issues.push({ path, code: 'invalid_rows', message: `The key ${JSON.stringify(key)} is used twice.` });
    seen.add(key);
  }
  if (issues.length > 0) throw invalidRows(issues);
}

const MAX_ISSUES = 1000;

/** Returns the error that lists the problems of rows. */
export function invalidRows(issues: readonly Issue[]): AppError {
  const more = issues.length > 1 ? ` ${issues.length - 1} more problems were found.` : '';
  return new AppError('invalid_rows', `${issues[0]?.message ?? 'The rows are invalid.'}${more}`, {
    issues: issues.slice(0, MAX_ISSUES),
  });
}
