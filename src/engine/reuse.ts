// Determines which results of an earlier run a new run can reuse: those of nodes with the same type, settings and
// sources.
import type { Plan, PlanNode } from '../graph/plan.ts';
import type { JsonObject } from '../graph/types.ts';
import { canonicalJson } from '../lib/canonical-json.ts';
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
 * settings and wires are the same and all of its sources are reused or skipped as before. A mapped node that failed
 * keeps the items that have a result. The nodes in `again` and everything that depends on them run again.
 */
export function reuseSteps(earlier: EarlierRun, next: PlannedRun, again: readonly string[]): readonly Step[] {
  const prints = new Map(earlier.plan.nodes.map(node => [node.id, fingerprint(earlier, node)]));
  const stands: boolean[] = [];
  const kept: Step[] = [];
  for (const [index, node] of next.plan.nodes.entries()) {
    const isSame =
      !again.includes(node.id) &&
      node.inputs.every(({ source }) => stands[source] === true) &&
      prints.get(node.id) === fingerprint(next, node);
    const step = isSame ? earlier.steps.get(node.id) : undefined;
    stands[index] = step?.status === 'COMPLETED' || step?.status === 'SKIPPED';
    if (step?.status === 'COMPLETED') kept.push(asCached(step));
    else if (step?.items !== undefined) kept.push(asBegun(step));
  }
  return kept;
}

function fingerprint({ plan, overrides }: PlannedRun, node: PlanNode): string {
  const wires = node.inputs.map(({ port, source, sourcePort }) => [
    port,
    plan.nodes[source]?.id ?? '',
    sourcePort,
  ]);
  return canonicalJson([node.nodeType, { ...node.settings, ...overrides.get(node.id) }, wires]);
}

/** Returns the result of another run as a cached result of this one. */
export function asCached({ credits: _credits, nodeType: _nodeType, ...step }: Step): Step {
  return { ...step, cached: true };
}

function asBegun({ nodeId, attempt, items }: Step): Step {
  return { nodeId, status: 'PENDING', attempt, ...(items === undefined ? {} : { items }) };
}
