// A plan: the nodes to be run in topological order, each with its settings and where its inputs come from.
import type { Catalog, InputDef, OutputDef } from './catalog.ts';
import type { Category, Graph, JsonObject } from './types.ts';

export interface PlanInput {
  /** Input port id of this node. */
  readonly port: string;
  /** Index in `Plan.nodes` of the node that feeds it. */
  readonly source: number;
  readonly sourcePort: string;
}

export interface PlanNode {
  readonly id: string;
  readonly label: string;
  readonly nodeType: string;
  readonly category: Category | 'video';
  /** `data.config` overlaid by `data.params`; wired values come over both when the node runs. */
  readonly settings: JsonObject;
  readonly inputDefs: readonly InputDef[];
  readonly outputDefs: readonly OutputDef[];
  readonly inputs: readonly PlanInput[];
  /** Indexes of the nodes that this one feeds, each once. */
  readonly dependents: readonly number[];
  /** How many distinct nodes feed this one. */
  readonly sourceCount: number;
}

export interface Plan {
  readonly nodes: readonly PlanNode[];
}

export type PlanResult =
  | { readonly ok: true; readonly plan: Plan }
  /** Node ids of one cycle, in order. */
  | { readonly ok: false; readonly code: 'cyclic_graph'; readonly cycle: readonly string[] }
  | { readonly ok: false; readonly code: 'unknown_target'; readonly nodeId: string };

export declare function makePlan(graph: Graph, catalog: Catalog, targets?: readonly string[]): PlanResult;
