// Reads the examples of an app: the inputs and results of runs that its owner chose.
import { isFields, type JsonObject } from '../graph/types.ts';
import type { RunDeps } from '../runs/deps.ts';
import { readBoundedSteps } from '../runs/executed-graph.ts';
import { parseRunRequest } from '../runs/run-request.ts';
import { mediaUrl } from '../services/media/media-record.ts';
import { type ExecutionRow, findExecution } from '../store/executions.ts';
import { findMedia } from '../store/media/media.ts';
import type { OpenApp } from './open-app.ts';
import { presentAppOutputs } from './outputs.ts';

/** Returns the examples with their inputs under the names of the form. Deleted runs are left out. */
export async function readExamples(deps: RunDeps, open: OpenApp) {
  const examples = [];
  // One after the other, because each may be large.
  for (const execution of await findRuns(deps, open)) {
    const outputs = presentAppOutputs(open.outputs, await readBoundedSteps(deps.db, execution.id));
    examples.push({ inputs: await presentInputs(deps, open, execution), outputs });
  }
  return examples;
}

async function findRuns(deps: RunDeps, { settings, app }: OpenApp): Promise<readonly ExecutionRow[]> {
  const rows = await Promise.all(settings.examples.map(id => findExecution(deps.db, id)));
  return rows.filter(
    row => row !== undefined && row.workflow_id === app.workflow_id,
  ) as readonly ExecutionRow[];
}

const readInputs = ({ request }: ExecutionRow): JsonObject => parseRunRequest(request).inputs?.value ?? {};

/** Returns the values of the form's fields in a run. */
export async function presentInputs(deps: RunDeps, { fields }: OpenApp, execution: ExecutionRow) {
  const values = readInputs(execution);
  const shown: Record<string, unknown> = {};
  for (const { key, nodeId, control } of fields) {
    const value = values[nodeId];
    if (value === undefined) continue;
    const mediaId = getMediaId(value);
    if (control !== 'media') shown[key] = value;
    else if (mediaId !== undefined) {
      const row = await findMedia(deps.db, mediaId);
      if (row !== undefined) shown[key] = { mediaId, url: mediaUrl(deps, row) };
    }
  }
  return shown;
}

const getMediaId = (value: unknown): string | undefined =>
  isFields(value) && typeof value.mediaId === 'string' ? value.mediaId : undefined;

/** Returns the ids of the files in the form's inputs of the examples. */
export async function listExampleMedia(deps: RunDeps, open: OpenApp): Promise<ReadonlySet<string>> {
  const runs = await findRuns(deps, open);
  const media = open.fields.filter(({ control }) => control === 'media');
  return new Set(
    runs.flatMap(run => media.flatMap(({ nodeId }) => getMediaId(readInputs(run)[nodeId]) ?? [])),
  );
}
