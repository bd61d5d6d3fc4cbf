// Reads a workflow file: the JSON that POST /workflows takes, or an export with its media.
import { readFile, stat } from 'node:fs/promises';
import type { Catalog } from '../graph/catalog.ts';
import { completeGraph } from '../graph/complete.ts';
import { type ParseResult, parseGraph } from '../graph/parse.ts';
import type { Graph } from '../graph/types.ts';
import { toError } from '../lib/errors.ts';
import { markInexactNumbers } from '../lib/exact-numbers.ts';
import { MAX_GRAPH_BYTES } from '../lib/size-limits.ts';
import { UsageError } from './command.ts';

export const IMPORT_PATH = '/workflows/import';
/** The size limit of an import, which is the graph and 25 MB of media in base64. */
const MAX_FILE_BYTES = 41_943_040;

export interface WorkflowFile extends Graph {
  readonly name: string;
  /** Set in an export: the workflows that the graph calls. */
  readonly components?: readonly ComponentFile[];
  /** Set in an export: the files that the graphs refer to. */
  readonly media?: readonly unknown[];
}

/** A version of a workflow that other workflows in the file call. */
export interface ComponentFile extends Graph {
  readonly id: string;
  readonly version: number;
  /** Whether calls of `latest` use this version. */
  readonly isLatest?: boolean;
  readonly name: string;
}

/** Reads the file. Throws UsageError if it is unreadable, not JSON, or has no nodes and edges. */
export async function readWorkflowFile(path: string): Promise<WorkflowFile> {
  const text = await readText(path);
  const parsed = parseJson(path, text) as Partial<WorkflowFile> | null;
  if (!Array.isArray(parsed?.nodes) || !Array.isArray(parsed.edges)) {
    throw new UsageError(`${path} is not a workflow: it needs "nodes" and "edges", each an array.`);
  }
  const { nodes, edges } = parsed;
  // A smaller file cannot contain a larger graph.
  if (text.length > MAX_GRAPH_BYTES && Buffer.byteLength(JSON.stringify([nodes, edges])) > MAX_GRAPH_BYTES) {
    throw new UsageError(`${path}: nodes and edges have over ${MAX_GRAPH_BYTES} bytes.`);
  }
  return parsed as WorkflowFile;
}

/** Parses the graph of a file. Throws an Error if the graph is malformed, so that no part of it is silently dropped. */
export function parseFileGraph(
  path: string,
  { nodes, edges }: WorkflowFile,
  catalog: Catalog,
): Extract<ParseResult, { readonly ok: true }> {
  const completed = completeGraph(catalog, nodes, edges);
  const parsed = parseGraph(completed.nodes, completed.edges);
  if (parsed.ok) return parsed;
  throw new Error(`${path}: ${parsed.issues[0]?.message} Run graphwright lint for details.`);
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES)
      throw new UsageError(`${path} has ${size} bytes; a workflow has at most ${MAX_FILE_BYTES}.`);
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'file not found' : toError(thrown).message;
    throw new UsageError(`${path} cannot be read: ${reason}.`, { cause: thrown });
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(markInexactNumbers(text));
  } catch (thrown) {
    // V8 quotes the text and, in most messages, includes the position.
    const { message } = toError(thrown);
    const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(message) ?? [];
    const reason = message.split(/, (?:\.{3})?"| in JSON at| at position/, 1)[0];
    const location = line === undefined ? path : `${path}:${line}:${column}`;
    throw new UsageError(`${location} is not JSON: ${reason}.`, { cause: thrown });
  }
}
