// Determines which results of an earlier run a new run can reuse: results of nodes with the same type, settings and
// sources.
import type { Plan, PlanNode } from '../graph/plan.ts';
import type { JsonObject } from '../graph/types.ts';
import { sha256Hex } from '../lib/crypto.ts';
import { omitUndefined, toCanonicalJson } from '../lib/record.ts';
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
export function reuseSteps(
  earlierRun: EarlierRun,
  nextRun: PlannedRun,
  rerunIds: readonly string[],
): readonly Step[] {
  const fingerprints = new Map(earlierRun.plan.nodes.map(node => [node.id, fingerprint(earlierRun, node)]));
  const isUnchanged: boolean[] = [];
  const reusedSteps: Step[] = [];
  for (const [index, node] of nextRun.plan.nodes.entries()) {
    const isSame =
      !rerunIds.includes(node.id) &&
      node.inputs.every(({ sourceIndex }) => isUnchanged[sourceIndex] === true) &&
      fingerprints.get(node.id) === fingerprint(nextRun, node);
    const step = isSame ? earlierRun.steps.get(node.id) : undefined;
    isUnchanged[index] = step?.status === 'COMPLETED' || step?.status === 'SKIPPED';
    if (step?.status === 'COMPLETED') reusedSteps.push(toCachedStep(step));
    else if (step?.items !== undefined) reusedSteps.push(toPendingStep(step));
  }
  return reusedSteps;
}

function fingerprint({ plan, overrides }: PlannedRun, node: PlanNode): string {
  const connections = node.inputs.map(({ port, sourceIndex, sourcePort }) => [
    port,
    plan.nodes[sourceIndex]?.id ?? '',
    sourcePort,
  ]);
  return toCanonicalJson([node.nodeType, { ...node.config, ...overrides.get(node.id) }, connections]);
}

/**
 * Returns a fingerprint of each node by id: equal fingerprints mean that the node and everything upstream have the same
 * types, settings and connections.
 */
export function hashUpstream(run: PlannedRun): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  // Sources come before the nodes that they feed.
  for (const node of run.plan.nodes) {
    const sourceHashes = node.inputs.map(
      ({ sourceIndex }) => hashes.get(run.plan.nodes[sourceIndex]?.id ?? '') ?? '',
    );
    hashes.set(node.id, sha256Hex(toCanonicalJson([fingerprint(run, node), sourceHashes])));
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
