// Resolves the credentials of a run when it is accepted or estimated, and marks the nodes that they make available.
import type { Plan, PlanNode } from '../../graph/plan.ts';
import { findNeededProvider } from '../../nodes/catalog.ts';
import type { ProviderName } from '../../providers/names.ts';
import type { RunCredential, RunCredentials } from '../../services/credentials/credential.ts';
import { resolveCredentials } from '../../services/credentials/run-credentials.ts';
import type { RunDeps } from '../deps.ts';

export interface PlanWithCredentials {
  readonly plan: Plan;
  readonly credentials: RunCredentials;
}

/**
 * Returns the run's credentials, and the plan in which every node with a credential for its provider is available. Pass
 * `resolved` if the owner's credentials are already resolved.
 */
export async function resolvePlan(
  deps: RunDeps,
  plan: Plan,
  owner: { readonly workspace: string; readonly workflowId: string | null },
  resolved?: RunCredentials,
): Promise<PlanWithCredentials> {
  if (!plan.nodes.some(node => findProvider(deps, node) !== undefined))
    return { plan, credentials: deps.environmentCredentials };
  const credentials = resolved ?? (await resolveCredentials(deps, deps.db, owner));
  const nodes = plan.nodes.map(node => {
    const isSupplied =
      node.unavailableReason !== undefined && findNodeCredential(deps, node, credentials) !== undefined;
    if (!isSupplied) return node;
    const { unavailableReason: _, ...rest } = node;
    return rest;
  });
  return { plan: { ...plan, nodes }, credentials };
}

/** Returns the credential that a node with these values uses. */
export function findNodeCredential(
  deps: Pick<RunDeps, 'findNode'>,
  node: Pick<PlanNode, 'nodeType' | 'config'>,
  credentials: RunCredentials,
): RunCredential | undefined {
  const provider = findProvider(deps, node);
  return provider === undefined ? undefined : credentials.get(provider as ProviderName);
}

function findProvider(
  { findNode }: Pick<RunDeps, 'findNode'>,
  { nodeType, config }: Pick<PlanNode, 'nodeType' | 'config'>,
): string | undefined {
  return findNeededProvider(findNode(nodeType), config);
}
