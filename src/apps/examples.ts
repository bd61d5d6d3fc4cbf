// Reads the examples of an app: the inputs and results of runs that its owner chose.
import { type GraphNode, isObject, type Json } from '../graph/types.ts';
import { ignoreNotFound } from '../lib/errors.ts';
import { parseMemberTexts } from '../lib/json-scan.ts';
import type { RunDeps } from '../runs/deps.ts';
import { parseRunRequest } from '../runs/prepare/run-request.ts';
import { getMediaUrl } from '../services/media/media-record.ts';
import { findMedia } from '../store/media/media.ts';
import type { OpenedApp } from './open-app.ts';
import { listOutputs } from './run-outputs.ts';
import { listRequests, type RequestOfRun } from './store/apps.ts';

/** Returns the inputs and outputs of each example, by their keys for visitors. Leaves out deleted runs. */
export async function readExamples(deps: RunDeps, opened: OpenedApp) {
  const runs = await findRuns(deps, opened);
  const ids = runs.map(({ id }) => id);
  const lists = await listOutputs(deps, opened.outputs, ids);
  const examples = [];
  for (const [index, run] of runs.entries())
    examples.push({
      inputs: await presentTexts(deps, opened, await readUsedInputs(deps, opened, run)),
      outputs: lists[index] ?? {},
    });
  return examples;
}

/**
 * Returns the JSON texts of the inputs of an example by node id: those of the request, and otherwise those of the graph, because
 * a run from the editor sends none. The owner shows them by choosing the run.
 */
async function readUsedInputs(
  deps: RunDeps,
  { app, fields }: OpenedApp,
  { request, workflow_version }: RequestOfRun,
): Promise<ReadonlyMap<string, string>> {
  const version = await deps.versions.get(deps.db, app.workflow_id, workflow_version).catch(ignoreNotFound);
  const nodes = new Map(version?.graph.nodes.map(node => [node.id, node]));
  const stored = fields.flatMap(({ nodeId }) => {
    const value = findStoredValue(nodes.get(nodeId));
    return value === undefined ? [] : [[nodeId, JSON.stringify(value)] as const];
  });
  return new Map([...stored, ...readInputs(request)]);
}

/** Returns the value that the graph itself has for the input, in the form of a request. */
function findStoredValue(node: GraphNode | undefined): Json | undefined {
  const { value, items, mediaId } = node?.data.config ?? {};
  if (typeof mediaId === 'string' && mediaId !== '') return { mediaId };
  if (node?.data.nodeType === 'input:list') return items;
  return value === null || value === '' ? undefined : value;
}

const findRuns = ({ db }: RunDeps, { settings, app }: OpenedApp): Promise<readonly RequestOfRun[]> =>
  listRequests(db, app.workflow_id, settings.examples, MAX_REQUEST_BYTES);

/** The inputs of a longer request do not fill the form. */
const MAX_REQUEST_BYTES = 1_000_000;
/** The maximum size of the inputs that fill the form. */
const MAX_SHOWN_INPUT_BYTES = 400_000;

/** Returns the JSON texts of the inputs by node id. */
const readInputs = (request: string | null): ReadonlyMap<string, string> =>
  parseMemberTexts(parseRunRequest(request ?? '{}').inputs?.text ?? '{}');

/** Returns the values of the form's fields in a request. Leaves out what is too long for a form. */
export const presentInputs = (deps: RunDeps, opened: OpenedApp, request: string | null) =>
  presentTexts(deps, opened, readInputs(request));

async function presentTexts(deps: RunDeps, { fields }: OpenedApp, texts: ReadonlyMap<string, string>) {
  const presented: Record<string, unknown> = {};
  let bytesLeft = MAX_SHOWN_INPUT_BYTES;
  for (const { key, nodeId, control } of fields) {
    const text = texts.get(nodeId);
    if (text === undefined || text.length > bytesLeft) continue;
    bytesLeft -= text.length;
    const value = JSON.parse(text) as unknown;
    const mediaId = getMediaId(value);
    if (control !== 'media') presented[key] = value;
    else if (mediaId !== undefined) {
      const row = await findMedia(deps.db, mediaId);
      if (row !== undefined) presented[key] = { mediaId, url: getMediaUrl(deps, row) };
    }
  }
  return presented;
}

const getMediaId = (value: unknown): string | undefined =>
  isObject(value) && typeof value.mediaId === 'string' ? value.mediaId : undefined;

/** Returns the ids of the files in the form's inputs of the examples. */
export async function listExampleMedia(deps: RunDeps, opened: OpenedApp): Promise<ReadonlySet<string>> {
  const runs = await findRuns(deps, opened);
  const mediaFields = opened.fields.filter(({ control }) => control === 'media');
  const ids = new Set<string>();
  for (const run of runs) {
    const texts = await readUsedInputs(deps, opened, run);
    for (const { nodeId } of mediaFields) {
      const mediaId = getMediaId(JSON.parse(texts.get(nodeId) ?? 'null'));
      if (mediaId !== undefined) ids.add(mediaId);
    }
  }
  return ids;
}
