// Runs small graphs in the engine and records every step.
import { runPlan } from '../../../src/engine/run.ts';
import type { RunOptions, RunOutcome, Step } from '../../../src/engine/types.ts';
import type { Catalog } from '../../../src/graph/catalog.ts';
import { createPlan, type Plan } from '../../../src/graph/plan.ts';
import type { Graph, JsonObject } from '../../../src/graph/types.ts';
import type { NodeDefinition, NodeSettings } from '../../../src/nodes/define.ts';
import type { Pricing } from '../../../src/nodes/models/pricing.ts';

export const NODE_SETTINGS: NodeSettings = {
  CDN_URL: 'http://localhost/cdn',
  FFMPEG_PATH: undefined,
  DATA_DIR: './data',
  LOCAL_NODES: 'off',
  LOCAL_PROCESSES: undefined,
  LOCAL_MEMORY_MB: 1500,
  LOCAL_TIMEOUT_MS: 120_000,
  LOCAL_MODELS_DIR: undefined,
};

export interface NodeSketch {
  readonly type: string;
  readonly config?: JsonObject;
  readonly params?: JsonObject;
}

/** Builds a graph from `{ id: { type, config } }` and edges written `a.text > b.prompt`, or `a > b` without handles. */
export function sketchGraph(nodes: Readonly<Record<string, NodeSketch>>, edges: readonly string[]): Graph {
  return {
    nodes: Object.entries(nodes).map(([id, { type, config, params }]) => ({
      id,
      type: 'node',
      position: { x: 0, y: 0 },
      data: {
        label: `Node ${id}`,
        category: 'utility',
        nodeType: type,
        ...(config === undefined ? {} : { config }),
        ...(params === undefined ? {} : { params }),
      },
    })),
    edges: edges.map((edge, index) => {
      const [from = '', to = ''] = edge.split(' > ');
      const [source = '', sourcePort] = from.split('.');
      const [target = '', targetPort] = to.split('.');
      return {
        id: `e${index}`,
        source,
        target,
        ...(sourcePort === undefined ? {} : { sourceHandle: `out-${sourcePort}` }),
        ...(targetPort === undefined ? {} : { targetHandle: `in-${targetPort}` }),
      };
    }),
  };
}

export function createCatalog(definitions: readonly NodeDefinition[]): Catalog {
  const find = (nodeType: string): NodeDefinition | undefined =>
    definitions.find(({ entry }) => entry.nodeType === nodeType);
  return {
    entries: definitions.map(({ entry }) => entry),
    find: nodeType => find(nodeType)?.entry,
    ports: (nodeType, config) => find(nodeType)?.ports(config) ?? { inputs: [], outputs: [] },
  };
}

/** Plans the graph. Throws if the graph is invalid. */
export function planGraph(
  definitions: readonly NodeDefinition[],
  graph: Graph,
  targets?: readonly string[],
): Plan {
  const result = createPlan(graph, createCatalog(definitions), targets);
  if (!result.ok) throw new Error(`The graph has no plan: ${result.code}.`);
  return result.plan;
}

export interface RecordedRun {
  readonly outcome: RunOutcome;
  /** All steps, in the order in which the engine reported them. */
  readonly reported: readonly Step[];
  /** The last step of each node, including nodes that an earlier attempt of the run executed. */
  readonly steps: ReadonlyMap<string, Step>;
}

/** Runs the plan without access to the network. Uses the system clock unless `now` is given. */
export async function runRecorded(
  definitions: readonly NodeDefinition[],
  plan: Plan,
  options: Partial<RunOptions> = {},
): Promise<RecordedRun> {
  const byType = new Map(definitions.map(definition => [definition.entry.nodeType, definition]));
  const reported: Step[] = [];
  const steps = new Map(options.steps);
  const now = options.now ?? Date.now;
  const outcome = await runPlan(plan, {
    findDefinition: nodeType => byType.get(nodeType),
    overrides: new Map(),
    createContext: () => createOfflineContext(now),
    concurrency: 16,
    signal: new AbortController().signal,
    now,
    ...options,
    steps: options.steps ?? new Map(),
    onStep: step => {
      reported.push(step);
      steps.set(step.nodeId, step);
      options.onStep?.(step);
    },
  });
  return { outcome, reported, steps };
}

function createOfflineContext(now: () => number): ReturnType<RunOptions['createContext']> {
  const rejectAccess = (): never => {
    throw new Error('This test has no network.');
  };
  const media = {
    put: rejectAccess,
    read: rejectAccess,
    readRaster: rejectAccess,
    resolve: rejectAccess,
    open: rejectAccess,
  };
  return {
    settings: NODE_SETTINGS,
    executionId: 'ex_test',
    media,
    openSegments: rejectAccess,
    fetch: rejectAccess,
    openCredential: rejectAccess,
    now,
    providers: {},
  };
}

export function createFlatPricing(usd: number, source: string): Pricing {
  return { pricingModel: 'flat-usd', usd: () => usd, source };
}
