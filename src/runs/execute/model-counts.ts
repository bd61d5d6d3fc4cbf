// Counts the model nodes that end in this process, for the metrics.
import type { Payer, Step } from '../../engine/types.ts';
import type { Plan } from '../../graph/plan.ts';
import { isId } from '../../lib/ids.ts';
import { labelModel, type ModelLabels } from '../../services/model-labels.ts';
import type { RunDeps } from '../deps.ts';
import { isPaid } from '../estimate/estimate-plan.ts';

/** Returns a function that counts a step if a model node has ended with it and was not cached. */
export function createModelCounter(
  deps: Pick<RunDeps, 'catalog' | 'findNode' | 'modelCounts'>,
  plan: Plan,
): (step: Step) => void {
  const models = new Map<string, ModelLabels>(
    plan.nodes
      .filter(node => isPaid(deps, node))
      .map(node => [node.id, labelModel(deps, node.nodeType, node.config)]),
  );
  return ({ nodeId, status, cached, payer }) => {
    const labels = models.get(nodeId);
    if (labels === undefined || cached === true || (status !== 'COMPLETED' && status !== 'FAILED')) return;
    const key = JSON.stringify([labels.provider, labels.modelClass, toCredentialKind(payer), status]);
    deps.modelCounts.set(key, (deps.modelCounts.get(key) ?? 0) + 1);
  };
}

type CredentialKind = 'workspace' | 'instance' | 'environment' | 'none';

/** Returns who pays for the call. `none`: the node failed before its call. */
function toCredentialKind(payer: Payer | undefined): CredentialKind {
  if (payer === undefined) return 'none';
  if (payer.paidBy === 'credential') return 'workspace';
  return payer.credentialId !== null && isId('credential', payer.credentialId) ? 'instance' : 'environment';
}
