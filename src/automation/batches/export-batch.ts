// Exports the rows of a batch as CSV, JSON lines or a ZIP archive of their results.
import { Readable } from 'node:stream';
import Papa from 'papaparse';
import type { Step } from '../../engine/types.ts';
import { getInputNames } from '../../graph/input-names.ts';
import type { Plan } from '../../graph/plan.ts';
import type { Value } from '../../graph/types.ts';
import { valueToJsonText } from '../../graph/values.ts';
import { ignoreNotFound } from '../../lib/errors.ts';
import { parseMemberTexts } from '../../lib/json-scan.ts';
import { stringifyJson } from '../../lib/json-text.ts';
import { nameResults } from '../../lib/result-names.ts';
import { yieldTurn } from '../../lib/yield-turn.ts';
import { createZipStream, type ZipFile } from '../../lib/zip.ts';
import { findMediaType } from '../../media/accepted-types.ts';
import type { RunDeps } from '../../runs/deps.ts';
import { toVersionKey } from '../../runs/prepare/run-version.ts';
import { readBoundedSteps, readPlan } from '../../runs/prepare/stored-run.ts';
import { listResultNodes, listRunOutputs } from '../../runs/read/present-execution.ts';
import { toTeamId } from '../../services/accounts/access.ts';
import { type Actor, requireScope } from '../../services/accounts/actor.ts';
import { recordAuditAlone } from '../../store/audit/record-audit.ts';
import { authorizeBatch, presentRows } from './read-batch.ts';
import { joinValues } from './row-values.ts';
import type { BatchHead } from './store/batches.ts';
import { listRows, type RowDetails, type RowPage, type RowPosition } from './store/row-lists.ts';

/** How many rows are in memory at a time. Their outputs are read row by row. */
const PAGE_SIZE = { limit: 100, maxBytes: 4_000_000, outputBytes: 0 };
/** The maximum size of a row's values in JSON lines. Longer values are truncated. */
const MAX_EXPORTED_ROW_BYTES = 16_000_000;

export interface BatchExport {
  readonly contentType: string;
  readonly name: string;
  readonly stream: Readable;
}

export interface ExportOptions {
  readonly format: ExportFormat;
  /** Whether a CSV begins with a byte order mark. */
  readonly hasMark: boolean;
  readonly signal: AbortSignal;
}

export type ExportFormat = 'csv' | 'jsonl' | 'zip';

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  jsonl: 'application/x-ndjson; charset=utf-8',
  zip: 'application/zip',
};

/** Streams the rows in order. The archive has a file for each result of a completed row. */
export async function exportBatch(
  deps: RunDeps,
  actor: Actor,
  id: string,
  { format, hasMark, signal }: ExportOptions,
): Promise<BatchExport> {
  const user = requireScope(actor, 'workflows:read');
  const batch = await authorizeBatch(deps, user, id);
  await recordAuditAlone(deps.db, user, {
    action: 'batch.exported',
    target: id,
    teamId: toTeamId(batch.workspace),
    after: { format, workflowId: batch.workflow_id },
  });
  const plan = await readPlan(deps, toVersionKey(batch.workflow_id, batch.workflow_version, batch.targets));
  const stream =
    format === 'zip'
      ? createZipStream(listFiles(deps, batch, plan, signal))
      : toStream(
          format === 'csv'
            ? prepend(hasMark ? BYTE_ORDER_MARK : '', writeCsv(deps, batch, plan, signal))
            : writeJsonLines(deps, batch, signal),
        );
  return { contentType: CONTENT_TYPES[format], name: `${batch.id}.${format}`, stream };
}

const BYTE_ORDER_MARK = '\ufeff';

async function* prepend(start: string, parts: AsyncIterable<string>): AsyncGenerator<string> {
  if (start !== '') yield start;
  yield* parts;
}

/** Unlike a stream of objects, which buffers 16 of them, this stream reads ahead by size. */
const toStream = (parts: AsyncIterable<string | Uint8Array>): Readable =>
  Readable.from(parts, { objectMode: false });

async function* listAllRows(
  deps: RunDeps,
  batch: BatchHead,
  signal: AbortSignal,
): AsyncGenerator<readonly RowDetails[]> {
  let after: RowPosition | null = null;
  for (;;) {
    signal.throwIfAborted();
    const { rows, hasMore }: RowPage = await listRows(deps.db, batch.id, {}, { after, ...PAGE_SIZE });
    yield await joinValues(deps.db, batch.id, rows);
    if (!hasMore) return;
    after = rows.at(-1) ?? null;
  }
}

async function* writeJsonLines(deps: RunDeps, batch: BatchHead, signal: AbortSignal): AsyncGenerator<string> {
  for await (const rows of listAllRows(deps, batch, signal)) {
    // Rows are read one at a time, because each may be large.
    for (const row of rows) {
      const [presented] = await presentRows(deps, batch, [row], MAX_EXPORTED_ROW_BYTES);
      yield `${stringifyJson(presented)}\n`;
    }
  }
}

/** Writes a column for each input and each output. If an output has several values, its cell has one per line. */
async function* writeCsv(
  deps: RunDeps,
  batch: BatchHead,
  plan: Plan,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const inputs = plan.nodes.filter(node => deps.findNode(node.nodeType)?.runInput !== undefined);
  const { workflow_id, workflow_version } = batch;
  const version = await deps.versions.get(deps.db, workflow_id, workflow_version).catch(ignoreNotFound);
  const names = version && getInputNames(version.graph.nodes);
  const outputs = listResultNodes(plan);
  // All rows of a matrix set the same fields.
  const { rows: firstRows } = await listRows(deps.db, batch.id, {}, { after: null, ...PAGE_SIZE, limit: 1 });
  const [firstRow] = await joinValues(deps.db, batch.id, firstRows);
  const fields = listFields(firstRow?.config ?? null).map(({ name }) => name);
  const header = [
    'row',
    'key',
    'status',
    ...inputs.map(({ id }) => `input: ${names?.get(id) ?? id}`),
    ...fields.map(name => `config: ${name}`),
    ...outputs.map(({ id, label }) => `output: ${label} (${id})`),
    'error',
    'credits',
    'rating',
    'picked',
    'executionId',
  ];
  yield toCsvLine(header);
  for await (const rows of listAllRows(deps, batch, signal)) {
    for (const row of rows) {
      await yieldTurn();
      const values = parseMemberTexts(row.inputs);
      const config = new Map(listFields(row.config).map(({ name, text }) => [name, text]));
      const results = Map.groupBy(await readResults(deps, plan, row), ({ node }) => node.id);
      await yieldTurn();
      const error = row.error === null ? '' : (JSON.parse(row.error) as { message: string }).message;
      yield toCsvLine([
        row.row_number,
        row.key ?? '',
        row.status,
        ...inputs.map(({ id }) => toCell(values.get(id))),
        ...fields.map(name => toCell(config.get(name))),
        ...outputs.map(({ id }) => (results.get(id) ?? []).map(({ value }) => toText(value)).join('\n')),
        error,
        row.credits,
        row.rating ?? '',
        row.is_picked ? 'yes' : '',
        row.execution_id ?? '',
      ]);
    }
  }
}

/** Lists the config fields that a row sets, with their values as JSON texts. */
function listFields(config: string | null): readonly { readonly name: string; readonly text: string }[] {
  return [...parseMemberTexts(config ?? '{}')].flatMap(([nodeId, fields]) =>
    Array.from(parseMemberTexts(fields), ([field, text]) => ({ name: `${nodeId}.${field}`, text })),
  );
}

/** Puts an apostrophe before cells that a spreadsheet would read as a formula. */
const toCsvLine = (cells: readonly (string | number)[]): string =>
  `${Papa.unparse([cells as (string | number)[]], { escapeFormulae: true, newline: '\r\n' })}\r\n`;

/** Returns the text of a cell for a JSON text. The text of a string has no quotes. */
function toCell(text: string | undefined): string {
  if (text === undefined) return '';
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

function toText(value: Value): string {
  if (value.type === 'TEXT') return value.text;
  if ('media' in value) return value.media.url;
  return valueToJsonText(value);
}

async function readResults(deps: RunDeps, plan: Plan, { status, execution_id }: RowDetails) {
  if (status !== 'completed' || execution_id === null) return [];
  const steps: ReadonlyMap<string, Step> = await readBoundedSteps(deps.db, execution_id);
  return listRunOutputs(plan, steps);
}

/** Yields the files of all results. Deleted files are left out. */
async function* listFiles(
  deps: RunDeps,
  batch: BatchHead,
  plan: Plan,
  signal: AbortSignal,
): AsyncGenerator<ZipFile> {
  for await (const rows of listAllRows(deps, batch, signal)) {
    for (const row of rows) {
      const results = await readResults(deps, plan, row);
      const named = { row: row.row_number, key: row.key, inputs: readTexts(row.inputs) };
      const labels = results.map(({ node }) => node.label);
      const names = nameResults(named, { total: batch.total, labels });
      for (const [index, { value }] of results.entries()) {
        const file = await openValue(deps, value);
        if (file !== undefined)
          yield {
            name: `${names[index]}.${file.extension}`,
            lastModified: batch.created_at,
            input: file.input,
          };
      }
    }
  }
}

/** Yields the values of the inputs that are texts, without parsing the others. */
function* readTexts(inputs: string): Generator<string> {
  for (const text of parseMemberTexts(inputs).values()) if (text.startsWith('"')) yield toCell(text);
}

async function openValue(
  deps: RunDeps,
  value: Value,
): Promise<{ readonly extension: string; readonly input: ZipFile['input'] } | undefined> {
  if (value.type === 'TEXT') return { extension: 'txt', input: value.text };
  if (!('media' in value)) return { extension: 'json', input: valueToJsonText(value) };
  const { mediaId, contentType } = value.media;
  const file = await deps.storage.read(mediaId).catch(() => undefined);
  if (file === undefined) return undefined;
  const extension = findMediaType(contentType)?.extension ?? 'bin';
  return { extension, input: file.stream };
}
