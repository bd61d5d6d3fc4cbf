// Forecasts the paid calls of a run before it starts.
import { forecastPlan, type NodeForecast } from '../../engine/forecast.ts';
import { UNKNOWN_MEDIA } from '../../engine/placeholders.ts';
import type { NodeCache } from '../../engine/types.ts';
import { omitUndefined } from '../../lib/record.ts';
import { readEndpoints } from '../../services/credentials/run-credentials.ts';
import { findStoredMedia } from '../../services/media/stored-media.ts';
import type { RunDeps } from '../deps.ts';
import type { RunToEstimate } from '../prepare/prepare-run.ts';
import { hasPaidNode, isPaid } from './estimate-plan.ts';

/** Forecasts the paid nodes that are not completed. Without `cache`, the node cache is not searched. */
export async function forecastPaidNodes(
  deps: RunDeps,
  { plan, overrides, owner, credentials, steps }: RunToEstimate,
  cache?: NodeCache,
): Promise<readonly NodeForecast[]> {
  if (!hasPaidNode(deps, plan)) return [];
  return forecastPlan(plan, {
    findDefinition: deps.findNode,
    overrides,
    steps,
    isWanted: node => isPaid(deps, node) && steps.get(node.id)?.status !== 'COMPLETED',
    findMedia: async (source, kind) => (await findStoredMedia(deps, owner, source, kind)) ?? UNKNOWN_MEDIA,
    providers: await readEndpoints(deps, credentials),
    settings: deps.settings,
    ...omitUndefined({ cache }),
  });
}
