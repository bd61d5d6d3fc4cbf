// Runs a sketched graph and returns the status, output and error of each node.
import type { RunOptions } from '../../src/engine/types.ts';
import type { NodeDefinition } from '../../src/nodes/define.ts';
import { type NodeSketch, planGraph, runRecorded, sketchGraph } from '../support/engine/engine.ts';
import { NODES } from './nodes.ts';

export async function run(
  nodes: Readonly<Record<string, NodeSketch>>,
  edges: readonly string[],
  options: Partial<RunOptions> = {},
  extra: readonly NodeDefinition[] = [],
) {
  const definitions = [...NODES, ...extra];
  const recorded = await runRecorded(definitions, planGraph(definitions, sketchGraph(nodes, edges)), options);
  const statusOf = (id: string) => recorded.steps.get(id)?.status;
  return {
    ...recorded,
    statuses: Object.fromEntries(Object.keys(nodes).map(id => [id, statusOf(id)])),
    outputOf: (id: string) => Object.values(recorded.steps.get(id)?.outputs ?? {})[0],
    errorOf: (id: string) => recorded.steps.get(id)?.error,
  };
}
