// Prepares a run of a stored workflow before it is priced and accepted: which version it executes, with which config,
// components, credentials and inputs, and which earlier results it reuses. Starting, resuming and estimating a run, and
// each config of a batch, take these steps.
import type { PlannedRun } from '../../engine/reuse.ts';
import type { Step } from '../../engine/types.ts';
import type { Policy } from '../../graph/policy.ts';
import type { JsonText } from '../../lib/json-text.ts';
import { getWorkspaceId } from '../../services/accounts/access.ts';
import type { RunCredentials } from '../../services/credentials/credential.ts';
import type { ExecutionRow } from '../../store/executions.ts';
import type { ReadWorkflowRow } from '../../store/workflows/workflows.ts';
import type { RunDeps } from '../deps.ts';
import { resolvePlan } from './plan-credentials.ts';
import { getReusedSteps, type ReusedSteps } from './reused-steps.ts';
import type { RunConfig, RunRequest } from './run.schema.ts';
import { configureVersion, requireValidConfig } from './run-config.ts';
import { planRequest, readInputOverrides, withInputIds } from './run-request.ts';
import { type ExpandedVersion, expandForUser } from './run-version.ts';

export interface PreparedVersion extends ExpandedVersion {
  readonly number: number;
}

/** A planned run, and everything else that determines its cost. */
export interface RunToEstimate extends PlannedRun {
  /** The owner whose media the run may use. */
  readonly owner: { readonly userId: number; readonly workspace: string };
  /** The credentials that the run's calls use. */
  readonly credentials: RunCredentials;
  readonly policy: Policy | undefined;
  /** The steps that the run reuses, by node id. */
  readonly steps: ReadonlyMap<string, Step>;
}

/** A run of a stored workflow that is ready to be priced. */
export interface PreparedRun extends RunToEstimate, ReusedSteps {
  readonly version: PreparedVersion;
  /** The request, with its inputs by node id. */
  readonly request: RunRequest;
}

/** Throws the errors of `prepareVersion` and `planRun`. */
export async function prepareRun(
  deps: RunDeps,
  userId: number,
  workflow: ReadWorkflowRow,
  { versionNumber, request }: { readonly versionNumber: number; readonly request: RunRequest },
): Promise<PreparedRun> {
  const version = await prepareVersion(deps, workflow.id, { number: versionNumber, config: request.config });
  return planRun(deps, userId, workflow, { version, request });
}

interface VersionToPrepare {
  readonly number: number;
  readonly config: JsonText<RunConfig> | undefined;
  /** An earlier run with this config, which is not checked again. Its versions of components are used, if it has any. */
  readonly earlierRun?: Pick<ExecutionRow, 'components'>;
}

/**
 * Returns the version with the run's config, and with the nodes of components in place of their calls. Throws the errors
 * of `requireValidConfig` and `expandForUser`.
 */
export async function prepareVersion(
  deps: RunDeps,
  workflowId: string,
  { number, config, earlierRun }: VersionToPrepare,
): Promise<PreparedVersion> {
  const storedVersion = await deps.versions.get(deps.db, workflowId, number);
  if (earlierRun === undefined) await requireValidConfig(deps, storedVersion, config);
  const components = earlierRun?.components ?? null;
  const caller = { kind: 'stored', workflowId, versionNumber: number, components } as const;
  return { number, ...(await expandForUser(deps, configureVersion(deps, storedVersion, config), caller)) };
}

/** Throws the errors of `planRequest`, `readInputOverrides` and `getReusedSteps`. */
export async function planRun(
  deps: RunDeps,
  userId: number,
  workflow: ReadWorkflowRow,
  { version, request }: { readonly version: PreparedVersion; readonly request: RunRequest },
): Promise<PreparedRun> {
  const workflowId = workflow.id;
  const owner = { userId, workspace: getWorkspaceId(workflow) };
  const basePlan = planRequest(deps, version.runnable, request);
  const { plan, credentials, policy } = await resolvePlan(deps, basePlan, {
    workspace: owner.workspace,
    workflowId,
  });
  const { graph } = version.runnable;
  const { inputs } = request;
  const overrides = readInputOverrides(deps, graph, inputs);
  const reused = await getReusedSteps(deps, { workflowId, request, plan, overrides });
  const requestById = inputs === undefined ? request : { ...request, inputs: withInputIds(graph, inputs) };
  return { version, plan, overrides, owner, credentials, policy, request: requestById, ...reused };
}
