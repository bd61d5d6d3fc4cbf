// Estimates a graph, stored or not: the credits that a run would reserve, and reasons why it could not run.
import type { Graph, JsonObject } from '../../graph/types.ts';
import type { Issue } from '../../lib/errors.ts';
import { JsonText } from '../../lib/json-text.ts';
import { getPersonalWorkspaceId } from '../../services/accounts/access.ts';
import type { UserActor } from '../../services/accounts/actor.ts';
import { createVersion } from '../../services/workflows/graph-versions.ts';
import type { RunDeps } from '../deps.ts';
import { resolvePlan } from '../prepare/plan-credentials.ts';
import { planRequest, readInputOverrides } from '../prepare/run-request.ts';
import { expandForUser } from '../prepare/run-version.ts';
import { findComfyIssues, toComfyIssues } from './comfy-issues.ts';
import { createCredentialGetter, type Estimate, priceForecast } from './estimate-plan.ts';
import { forecastPaidNodes } from './forecast-run.ts';
import { findIssues } from './run-issues.ts';

export interface GraphToPrice {
  readonly graph: Graph;
  /** The workspace whose media the graph may use. Default: the caller's personal workspace. */
  readonly workspace?: string | undefined;
  /** The stored workflow whose choice of credentials applies. */
  readonly workflowId?: string | undefined;
  readonly inputs?: Readonly<Record<string, unknown>> | undefined;
  readonly targets?: readonly string[] | undefined;
}

export interface GraphPrice extends Estimate {
  /** Reasons why nodes could not run. */
  readonly issues: readonly Issue[];
}

/** Estimates the graph. Throws the same 400 errors for the graph and inputs as starting a run. */
export async function estimateGraph(
  deps: RunDeps,
  actor: UserActor,
  { graph, workspace, workflowId, inputs, targets }: GraphToPrice,
): Promise<GraphPrice> {
  const { userId } = actor;
  const version = createVersion({ graph }, deps.catalog);
  const { runnable } = await expandForUser(deps, version, { kind: 'unstored', workflowId, userId });
  const basePlan = planRequest(deps, runnable, targets === undefined ? {} : { targets: [...targets] });
  const owner = { userId, workspace: workspace ?? getPersonalWorkspaceId(userId) };
  const { plan, credentials, policy } = await resolvePlan(deps, basePlan, {
    workspace: owner.workspace,
    workflowId: workflowId ?? null,
  });
  const inputsText = inputs === undefined ? undefined : JsonText.of(inputs as JsonObject);
  const overrides = readInputOverrides(deps, runnable.graph, inputsText);
  const run = { plan, overrides, owner, credentials, policy, steps: new Map() };
  const forecasts = await forecastPaidNodes(deps, run);
  const getCredential = createCredentialGetter(deps, run);
  const issues = [
    ...findIssues(deps, actor, run, forecasts, getCredential),
    ...toComfyIssues(await findComfyIssues(deps, run)),
  ];
  return { ...priceForecast(forecasts, getCredential), issues };
}
