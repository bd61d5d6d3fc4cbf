// Reads the examples of an app: the inputs and results of runs that its owner chose.
import { isObject, type JsonObject } from '../graph/types.ts';
import type { RunDeps } from '../runs/deps.ts';
import { parseRunRequest } from '../runs/run-request.ts';
import { readBoundedSteps } from '../runs/stored-run.ts';
import { getMediaUrl } from '../services/media/media-record.ts';
import { type ExecutionRow, findExecution } from '../store/executions.ts';
import { findMedia } from '../store/media/media.ts';
import type { OpenedApp } from './open-app.ts';
import { presentAppOutputs } from './outputs.ts';

/** Returns the inputs and outputs of each example, by their keys for visitors. Leaves out deleted runs. */
export async function readExamples(deps: RunDeps, opened: OpenedApp) {
  const examples = [];
  // Read one after the other, because each may be large.
  for (const execution of await findRuns(deps, opened)) {
    const outputs = presentAppOutputs(opened.outputs, await readBoundedSteps(deps.db, execution.id));
    examples.push({ inputs: await presentInputs(deps, opened, execution), outputs });
  }
  return examples;
}

async function findRuns(deps: RunDeps, { settings, app }: OpenedApp): Promise<readonly ExecutionRow[]> {
  const rows = await Promise.all(settings.examples.map(id => findExecution(deps.db, id)));
  return rows.filter(row => row?.workflow_id === app.workflow_id) as readonly ExecutionRow[];
}

const readInputs = ({ request }: ExecutionRow): JsonObject => parseRunRequest(request).inputs?.value ?? {};

/** Returns the values of the form's fields in a run. */
export async function presentInputs(deps: RunDeps, { fields }: OpenedApp, execution: ExecutionRow) {
  const values = readInputs(execution);
  const presented: Record<string, unknown> = {};
  for (const { key, nodeId, control } of fields) {
    const value = values[nodeId];
    if (value === undefined) continue;
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
    runs.flatMap(run => mediaFields.flatMap(({ nodeId }) => getMediaId(readInputs(run)[nodeId]) ?? [])),
  );
}
