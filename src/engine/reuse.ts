// Determines which results of an earlier run a new run can reuse: results of nodes with the same type, settings and
// sources.
import type { Plan, PlanNode } from '../graph/plan.ts';
import type { JsonObject } from '../graph/types.ts';
import { hashCanonicalJson } from '../lib/canonical-json.ts';
import { omitUndefined } from '../lib/record.ts';
import type { Step } from './types.ts';

/** A plan, and the config keys that the run's `inputs` set. */
export interface PlannedRun {
  readonly plan: Plan;
  readonly overrides: ReadonlyMap<string, JsonObject>;
}

export interface EarlierRun extends PlannedRun {
  readonly steps: ReadonlyMap<string, Step>;
}

/**
 * Returns the steps that the next run starts with. A completed node is reused as `cached`, free of charge, if its type,
 * settings and connections are the same and all of its sources are reused or skipped as before. A mapped node that
 * failed keeps the items that have a result. The nodes in `rerunIds` and all nodes that depend on them run again.
 */
export async function reuseSteps(
  earlierRun: EarlierRun,
  nextRun: PlannedRun,
  rerunIds: readonly string[],
): Promise<readonly Step[]> {
  const earlierNodes = new Map(earlierRun.plan.nodes.map(node => [node.id, node]));
  const isEqual = async (node: PlanNode): Promise<boolean> => {
    const earlierNode = earlierNodes.get(node.id);
    return (
      earlierNode !== undefined &&
      (await hashNode(earlierRun, earlierNode)) === (await hashNode(nextRun, node))
    );
  };
  const isUnchanged: boolean[] = [];
  const reusedSteps: Step[] = [];
  for (const [index, node] of nextRun.plan.nodes.entries()) {
    const isSame =
      !rerunIds.includes(node.id) &&
      node.inputs.every(({ sourceIndex }) => isUnchanged[sourceIndex] === true) &&
      (await isEqual(node));
    const step = isSame ? earlierRun.steps.get(node.id) : undefined;
    isUnchanged[index] = step?.status === 'COMPLETED' || step?.status === 'SKIPPED';
    if (step?.status === 'COMPLETED') reusedSteps.push(toCachedStep(step));
    else if (step?.items !== undefined) reusedSteps.push(toPendingStep(step));
  }
  return reusedSteps;
}

/** Returns a hash of the node's type, settings and connections. */
function hashNode({ plan, overrides }: PlannedRun, node: PlanNode): Promise<string> {
  const connections = node.inputs.map(({ port, sourceIndex, sourcePort }) => [
    port,
    plan.nodes[sourceIndex]?.id ?? '',
    sourcePort,
  ]);
  return hashCanonicalJson([node.nodeType, { ...node.config, ...overrides.get(node.id) }, connections]);
}

/**
 * Returns a hash of each node by id: equal hashes mean that the node and everything upstream have the same types, settings
 * and connections.
 */
export async function hashUpstream(run: PlannedRun): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  // Sources come before the nodes that they feed.
  for (const node of run.plan.nodes) {
    const sourceHashes = node.inputs.map(
      ({ sourceIndex }) => hashes.get(run.plan.nodes[sourceIndex]?.id ?? '') ?? '',
    );
    hashes.set(node.id, await hashCanonicalJson([await hashNode(run, node), sourceHashes]));
  }
  return hashes;
}

/** Returns the result of another run as a cached result of this one. */
export function toCachedStep({ credits: _credits, nodeType: _nodeType, ...step }: Step): Step {
  return { ...step, cached: true };
}

function toPendingStep({ nodeId, attempt, items }: Step): Step {
  return { nodeId, status: 'PENDING', attempt, ...omitUndefined({ items }) };
}
