// Reads the outputs of runs for visitors: of one run, or of a list. Each answer reads and returns a limited number of
// bytes, however large the results of the runs are.
import { JsonText, stringifyJson } from '../lib/json-text.ts';
import { createLru } from '../lib/lru.ts';
import { createSingleFlight } from '../lib/single-flight.ts';
import type { RunDeps } from '../runs/deps.ts';
import { mergeSteps, readBoundedSteps } from '../runs/prepare/stored-run.ts';
import { listStepsOfRuns } from '../store/steps.ts';
import type { AppOutput } from './fields.ts';
import { type AppOutputs, presentAppOutputs } from './outputs.ts';

/** The outputs of a run, and their JSON text. */
export interface RunOutputs {
  readonly outputs: AppOutputs;
  readonly json: JsonText;
}

/** The maximum size of one run's outputs in a list. Longer values are truncated. */
const MAX_LISTED_RUN_BYTES = 64_000;
/** The maximum size of all outputs of a list. */
const MAX_LIST_BYTES = 2_000_000;
/** The maximum size of the stored runs that one list reads, besides short ones and those in the cache. */
const MAX_READ_BYTES = 64_000_000;
const MAX_CACHED_BYTES = 32_000_000;

// The outputs of long runs. An output that was recorded never changes.
const cache = createLru<RunOutputs>(MAX_CACHED_BYTES);
/** Many visitors may open a run at once. */
const readOnce = createSingleFlight<RunOutputs>();

interface OutputsQuery {
  readonly outputs: readonly AppOutput[];
  readonly executionId: string;
  /** Longer values are truncated. */
  readonly maxBytes: number;
}

/** Returns the outputs of a run. */
export async function readOutputs(deps: Pick<RunDeps, 'db'>, query: OutputsQuery): Promise<RunOutputs> {
  const key = toKey(query);
  return cache.get(key) ?? readOnce(key, () => readLongRun(deps, query, key));
}

const toKey = ({ outputs, executionId, maxBytes }: OutputsQuery): string =>
  JSON.stringify([executionId, maxBytes, outputs.map(({ key, nodeId }) => [key, nodeId])]);

async function readLongRun(
  { db }: Pick<RunDeps, 'db'>,
  { outputs: appOutputs, executionId, maxBytes }: OutputsQuery,
  key: string,
): Promise<RunOutputs> {
  const nodeIds = appOutputs.map(({ nodeId }) => nodeId);
  const steps = await readBoundedSteps(db, executionId, { nodeIds, maxBytes });
  const outputs = presentAppOutputs(appOutputs, steps);
  const json = JsonText.trust(stringifyJson(outputs));
  const isFinal = nodeIds.every(nodeId => steps.get(nodeId)?.status === 'COMPLETED');
  const entry = { outputs, json };
  if (isFinal) cache.set(key, entry, key.length + 4 * json.text.length);
  return entry;
}

/** Returns the outputs of each run. The last long runs have none if the list has read too much. */
export async function listOutputs(
  deps: Pick<RunDeps, 'db'>,
  outputs: readonly AppOutput[],
  executionIds: readonly string[],
): Promise<readonly AppOutputs[]> {
  if (executionIds.length === 0) return [];
  const maxBytes = Math.min(MAX_LISTED_RUN_BYTES, Math.floor(MAX_LIST_BYTES / executionIds.length));
  const runs = await listStepsOfRuns(deps.db, executionIds, { maxBytes });
  const lists: AppOutputs[] = [];
  let readBytes = 0;
  // Long runs are read one after the other, so that only one is in memory.
  for (const [index, executionId] of executionIds.entries()) {
    const { rows, bytes } = runs[index] ?? { rows: [], bytes: 0 };
    const query = { outputs, executionId, maxBytes };
    if (rows !== undefined) lists.push(presentAppOutputs(outputs, mergeSteps(rows)));
    else {
      if (cache.get(toKey(query)) === undefined) readBytes += bytes;
      const isRead = readBytes <= Math.max(MAX_READ_BYTES, bytes);
      lists.push(isRead ? (await readOutputs(deps, query)).outputs : {});
    }
  }
  return lists;
}
