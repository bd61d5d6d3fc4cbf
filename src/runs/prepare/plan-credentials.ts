// Resolves the credentials of a run when it is accepted or estimated, and marks the nodes that they make available.
import type { Plan, PlanNode } from '../../graph/plan.ts';
import type { Policy } from '../../graph/policy.ts';
import { findNeededProvider } from '../../nodes/catalog.ts';
import { type CredentialKey, findServerName } from '../../providers/names.ts';
import { loadPolicy } from '../../services/accounts/team-policy.ts';
import type { RunCredential, RunCredentials } from '../../services/credentials/credential.ts';
import { resolveCredentials } from '../../services/credentials/run-credentials.ts';
import type { RunDeps } from '../deps.ts';

export interface PlanWithCredentials {
  readonly plan: Plan;
  readonly credentials: RunCredentials;
  /** What the team allows; undefined if it allows everything, or if no node calls a provider. */
  readonly policy: Policy | undefined;
}

/**
 * Returns the run's credentials without servers that the plan does not use, and the plan in which every node with a
 * credential for its provider is available. Pass `resolve` to resolve the owner's credentials once for several plans.
 */
export async function resolvePlan(
  deps: RunDeps,
  plan: Plan,
  owner: { readonly workspace: string; readonly workflowId: string | null },
  resolve: () => Promise<RunCredentials> = () => resolveCredentials(deps, deps.db, owner),
): Promise<PlanWithCredentials> {
  const keys = new Set(plan.nodes.map(node => findProvider(deps, node)));
  keys.delete(undefined);
  if (keys.size === 0) return { plan, credentials: deps.environmentCredentials, policy: undefined };
  const [all, policy] = await Promise.all([resolve(), loadPolicy(deps.db, owner.workspace)]);
  const isUsed = (key: CredentialKey): boolean => findServerName(key) === undefined || keys.has(key);
  const credentials = new Map([...all].filter(([key]) => isUsed(key)));
  const nodes = plan.nodes.map(node => {
    const { unavailableReason, unavailableCode } = node;
    const isSupplied =
      unavailableReason !== undefined &&
      unavailableCode !== 'invalid_graph' &&
      findNodeCredential(deps, node, credentials) !== undefined;
    if (!isSupplied) return node;
    const { unavailableReason: _, ...rest } = node;
    return rest;
  });
  return { plan: { ...plan, nodes }, credentials, policy };
}

/** Returns the credential that a node with these values uses. */
export function findNodeCredential(
  deps: Pick<RunDeps, 'findNode'>,
  node: Pick<PlanNode, 'nodeType' | 'config'>,
  credentials: RunCredentials,
): RunCredential | undefined {
  const provider = findProvider(deps, node);
  return provider === undefined ? undefined : credentials.get(provider as CredentialKey);
}

function findProvider(
  { findNode }: Pick<RunDeps, 'findNode'>,
  { nodeType, config }: Pick<PlanNode, 'nodeType' | 'config'>,
): string | undefined {
  return findNeededProvider(findNode(nodeType), config);
}
