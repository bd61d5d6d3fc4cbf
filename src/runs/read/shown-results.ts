// Finds the images for the public page of a workflow: results of its newest runs whose nodes have not changed since.
import { hashUpstream, type PlannedRun } from '../../engine/reuse.ts';
import type { Value } from '../../graph/types.ts';
import { createLru } from '../../lib/lru.ts';
import type { PageWorkflow } from '../../services/workflows/read-page-workflow.ts';
import { listRunsOutsideApps } from '../../store/executions.ts';
import type { RunDeps } from '../deps.ts';
import { toVersionKey } from '../prepare/run-version.ts';
import { readPlan, streamBoundedSteps } from '../prepare/stored-run.ts';
import { readPlannedRun } from './workflow-results.ts';

export interface ShownResults {
  /** Changes when the images may have changed. */
  readonly key: string;
  /** Image URLs by node id. */
  readonly images: ReadonlyMap<string, string>;
}

export interface ResultFinder {
  /** Returns undefined if the publisher does not show results, or if no stored run has completed. */
  find(workflow: PageWorkflow): Promise<ShownResults | undefined>;
}

/** The number of completed runs that are searched. */
const MAX_RUNS = 20;
const MAX_CACHED = 2000;

/** Creates a finder that searches the runs of a version again only after a new run has completed. */
export function createResultFinder(deps: RunDeps): ResultFinder {
  const cache = createLru<Promise<ShownResults>>(MAX_CACHED);
  return {
    async find(workflow) {
      if (!workflow.showsResults) return undefined;
      const runs = await listRunsOutsideApps(deps.db, workflow.id, {
        statuses: ['COMPLETED'],
        limit: MAX_RUNS,
      });
      const runIds = runs.map(({ id }) => id);
      const [newest] = runIds;
      if (newest === undefined) return undefined;
      const key = `${workflow.id}.${workflow.version}.${newest}`;
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const results = findImages(deps, workflow, runIds).then(images => ({ key, images }));
      cache.set(key, results, 1);
      results.catch(() => cache.delete(key));
      return results;
    },
  };
}

/**
 * Finds images that belong together. The newest run with an image of an unchanged node determines the values of the
 * inputs. Older runs with the same values add images of other nodes.
 */
async function findImages(
  deps: RunDeps,
  { id, version }: PageWorkflow,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const plan = await readPlan(deps, toVersionKey(id, version));
  const images = new Map<string, string>();
  let shownRun: PlannedRun | undefined;
  for await (const [runId, steps] of streamBoundedSteps(deps.db, runIds)) {
    const run = await readPlannedRun(deps, runId);
    if (run === undefined) continue;
    const target = shownRun ?? { plan, overrides: run.overrides };
    const [currentHashes, runHashes] = [await hashUpstream(target), await hashUpstream(run)];
    for (const { nodeId, status, outputs = {} } of steps.values()) {
      if (status !== 'COMPLETED' || images.has(nodeId)) continue;
      if (!currentHashes.has(nodeId) || currentHashes.get(nodeId) !== runHashes.get(nodeId)) continue;
      const image = Object.values(outputs).map(findImage).find(isDefined);
      if (image !== undefined) images.set(nodeId, image);
    }
    if (images.size > 0) shownRun = target;
  }
  return images;
}

const isDefined = (url: string | undefined): boolean => url !== undefined;

function findImage(value: Value): string | undefined {
  if (value.type === 'LIST') return value.items.map(findImage).find(isDefined);
  if (value.type === 'VIDEO') return value.media.render?.posterUrl;
  return value.type === 'IMAGE' ? value.media.url : undefined;
}
