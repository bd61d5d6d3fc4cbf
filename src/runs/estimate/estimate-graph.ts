// Estimates a graph, stored or not, for anyone who may read it: the credits that a run would reserve, and why it could
// not run.
import { createPlan } from '../../graph/plan.ts';
import type { Graph, JsonObject } from '../../graph/types.ts';
import type { Issue } from '../../lib/errors.ts';
import { JsonText } from '../../lib/json-text.ts';
import { userWorkspace } from '../../services/accounts/access.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import type { RunDeps } from '../deps.ts';
import { inputOverrides, planRequest } from '../run-request.ts';
import {
  type Estimate,
  findMissingInputs,
  findOverMax,
  findUnavailable,
  findUnpriced,
  priceForecast,
} from './estimate-plan.ts';
import { forecastPaidNodes } from './estimate-run.ts';

export interface GraphToPrice {
  readonly graph: Graph;
  /** The workspace whose media it may use. Absent: the caller's own. */
  readonly workspace?: string | undefined;
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
  readonly targets?: readonly string[] | undefined;
}

export interface GraphPrice extends Estimate {
  /** Why nodes could not run. */
  readonly issues: readonly Issue[];
}

/** Throws the same 400 errors for the graph and inputs as starting such a run. */
export async function estimateGraph(
  deps: RunDeps,
  actor: UserActor,
  { graph, workspace, inputs, targets }: GraphToPrice,
): Promise<GraphPrice> {
  const plan = planRequest(
    deps,
    { plan: wanted => createPlan(graph, deps.catalog, wanted) },
    targets === undefined ? {} : { targets: [...targets] },
  );
  const sent = inputs === undefined ? undefined : JsonText.of(inputs as JsonObject);
  const overrides = inputOverrides(deps, graph, sent);
  const { userId } = actor;
  const owner = { userId, workspace: workspace ?? userWorkspace(userId) };
  const forecasts = await forecastPaidNodes(deps, { plan, overrides, owner });
  const failures = forecasts.flatMap(({ node, error }) =>
    error === undefined ? [] : [{ nodeId: node.id, ...error }],
  );
  const issues = [
    ...findUnavailable(plan),
    ...findMissingInputs({ plan, overrides }),
    ...failures,
    ...findUnpriced(deps, actor, forecasts, overrides),
    ...findOverMax(forecasts),
  ];
  return { ...priceForecast(forecasts), issues };
}
