// Imports a file: an export of this service, a file of ComfyUI, or an image that contains one.
import { promisify } from 'node:util';
import { inflate as zlibInflate } from 'node:zlib';
import { Check, Errors } from 'typebox/value';
import { findGraphText, type Inflate } from '../../graph/comfyui/image-texts.ts';
import type { ImportedNode } from '../../graph/imports/board-parts.ts';
import { AppError } from '../../lib/errors.ts';
import { markInexactNumbers } from '../../lib/exact-numbers.ts';
import { JsonText } from '../../lib/json-text.ts';
import { findMedia, mayUseMedia } from '../../store/media/media.ts';
import { getPersonalWorkspaceId } from '../accounts/access.ts';
import { type Actor, requireScope, type UserActor } from '../accounts/actor.ts';
import type { Deps } from '../deps.ts';
import { readStoredFile } from '../media/stored-media.ts';
import { type CreatedWorkflow, commitNewWorkflow, createBlankRow } from './create-workflow.ts';
import { performGraphWork, performWrite } from './graph-work.ts';
import type { ImportFormat } from './import-formats.ts';
import { importWorkflow } from './import-workflow.ts';
import { createUnknownFormatError } from './read-import.ts';
import { type ImportBody, OwnImport } from './workflow-file.schema.ts';
import { getWrittenGraph } from './write-graph.ts';

export type ImportResult =
  /** `report` is absent if the body was an export of this service. */
  | { readonly kind: 'created'; readonly workflow: CreatedWorkflow; readonly report?: ImportReport }
  /** JSON. */
  | { readonly kind: 'dry'; readonly text: string };

export interface ImportReport {
  readonly format: ImportFormat;
  readonly nodes: readonly ImportedNode[];
  readonly counts: Readonly<Record<ImportedNode['outcome'], number>>;
}

/** Larger images are not read. Their graphs are at their beginning or end. */
const MAX_IMAGE_BYTES = 52_428_800;
const DEFAULT_NAME = 'ComfyUI workflow';

/** Imports the file, or with `dryRun` only says what would become of it. Throws 400 `unknown_format`, `invalid_graph`. */
export async function importFile(
  deps: Deps,
  actor: Actor,
  body: ImportBody,
  signal: AbortSignal,
): Promise<ImportResult> {
  const user = requireScope(actor, 'workflows:write');
  const { source, mediaId, dryRun = false, ...file } = body;
  if (source === undefined && mediaId === undefined) {
    if (file.name === undefined)
      throw new AppError('invalid_request', 'Send the name and graph of an export, or source, or mediaId.');
    return { kind: 'created', workflow: await importWorkflow(deps, actor, file as OwnImport, signal) };
  }
  const text = source === undefined ? await readImage(deps, user, mediaId ?? '') : toText(source);
  const label = body.name ?? DEFAULT_NAME;
  const read = await performGraphWork<'import'>(deps, { kind: 'import', text, label: label.slice(0, 100) });
  if (read.format === 'graphwright') return importOwn(deps, actor, text, { ...body, dryRun }, signal);
  const { format, lines, nodes, edges } = read;
  const report = createReport(format, lines);
  const write = await performWrite(deps, user, {
    kind: 'write',
    input: { nodes, edges, autoLayout: 'always' },
  });
  if (dryRun) return toDryResult(label, getWrittenGraph(write), report);
  const workflow = await commitNewWorkflow(deps, user, {
    fields: createBlankRow(label),
    write: { ...write, warnings: [] },
    warnings: [],
  });
  return { kind: 'created', workflow, report };
}

function toText(source: JsonText | string | unknown): string {
  if (source instanceof JsonText) return source.text;
  if (typeof source === 'string') return source;
  throw createUnknownFormatError();
}

/** Imports an export of this service that was sent as a file. */
async function importOwn(
  deps: Deps,
  actor: Actor,
  text: string,
  { name, dryRun }: Pick<ImportBody, 'name' | 'dryRun'>,
  signal: AbortSignal,
): Promise<ImportResult> {
  const file: unknown = JSON.parse(markInexactNumbers(text));
  if (!Check(OwnImport, file)) {
    const [error] = Errors(OwnImport, file);
    const place = error === undefined ? '' : ` ${error.instancePath || 'The file'} ${error.message}.`;
    throw new AppError('invalid_graph', `The file looks like an export, but is malformed.${place}`);
  }
  const named = { ...file, name: name ?? file.name };
  const nodes = Array.isArray(file.nodes) ? file.nodes : [];
  const lines = nodes.map(({ id, data }): ImportedNode => {
    const source = String(id);
    return { source, sourceType: String(data?.nodeType), outcome: 'mapped', nodeId: source };
  });
  const report = createReport('graphwright', lines);
  if (dryRun === true) return toDryResult(named.name, { nodes: file.nodes, edges: file.edges }, report);
  return { kind: 'created', workflow: await importWorkflow(deps, actor, named, signal), report };
}

function createReport(format: ImportFormat, nodes: readonly ImportedNode[]): ImportReport {
  const counts = { mapped: 0, wrapped: 0, kept: 0, dropped: 0 };
  for (const { outcome } of nodes) counts[outcome]++;
  return { format, nodes, counts };
}

const toDryResult = (
  name: string,
  { nodes, edges }: { readonly nodes: unknown; readonly edges: unknown },
  report: ImportReport,
): ImportResult => ({ kind: 'dry', text: JSON.stringify({ workflow: { name, nodes, edges }, report }) });

/** Returns the graph in the image. Throws 404 `not_found`, 403, 413 and 400 `unknown_format`. */
async function readImage(deps: Deps, user: UserActor, id: string): Promise<string> {
  const row = await findMedia(deps.db, id);
  if (row === undefined) throw new AppError('not_found', 'Media not found.');
  const isOwn = row.workspace === getPersonalWorkspaceId(user.userId);
  if (!isOwn && !(await mayUseMedia(deps.db, id, user.userId)))
    throw new AppError('forbidden', 'You don’t have access to this file.');
  if (!row.content_type.startsWith('image/')) throw createUnknownFormatError();
  if (row.bytes > MAX_IMAGE_BYTES)
    throw new AppError('file_too_large', `The image is larger than ${MAX_IMAGE_BYTES} bytes.`);
  const text = await findGraphText(await readStoredFile(deps, id), inflate);
  if (text === undefined) throw createUnknownFormatError();
  return text;
}

const inflateInThread = promisify(zlibInflate);

/** Decompresses a text of an image, in a thread of Node. */
const inflate: Inflate = (bytes, maxBytes) =>
  inflateInThread(bytes, { maxOutputLength: maxBytes }).catch(() => undefined);
