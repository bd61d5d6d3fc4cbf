// Reads the examples of an app: the inputs and results of runs that its owner chose.
import { isObject } from '../graph/types.ts';
import { parseMemberTexts } from '../lib/json-scan.ts';
import { parseRunRequest } from '../runs/accept/run-request.ts';
import type { RunDeps } from '../runs/deps.ts';
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
  for (const [index, { request }] of runs.entries())
    examples.push({
      inputs: await presentInputs(deps, opened, request),
      outputs: lists[index] ?? {},
    });
  return examples;
}

const findRuns = ({ db }: RunDeps, { settings, app }: OpenedApp): Promise<readonly RequestOfRun[]> =>
  listRequests(db, app.workflow_id, settings.examples, MAX_REQUEST_BYTES);

/** The inputs of a longer request do not fill the form. */
const MAX_REQUEST_BYTES = 1_000_000;
/** The maximum size of the inputs that fill the form. */
const MAX_INPUT_BYTES = 400_000;

/** Returns the JSON texts of the inputs by node id. */
const readInputs = (request: string | null): ReadonlyMap<string, string> =>
  parseMemberTexts(parseRunRequest(request ?? '{}').inputs?.text ?? '{}');

/** Returns the values of the form's fields in a request. Leaves out what is too long for a form. */
export async function presentInputs(deps: RunDeps, { fields }: OpenedApp, request: string | null) {
  const texts = readInputs(request);
  const presented: Record<string, unknown> = {};
  let bytesLeft = MAX_INPUT_BYTES;
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
  return new Set(
    runs.flatMap(({ request }) => {
      const texts = readInputs(request);
      return mediaFields.flatMap(({ nodeId }) => getMediaId(JSON.parse(texts.get(nodeId) ?? 'null')) ?? []);
    }),
  );
}
