// What a run will cost, told before it begins: each paid node at its price, or at the most that its config allows.
import { cacheKey } from '../engine/cache.ts';
import { resolveValues } from '../engine/inputs.ts';
import type { PlannedRun } from '../engine/reuse.ts';
import type { Plan, PlanNode } from '../graph/plan.ts';
import type { JsonObject } from '../graph/types.ts';
import { priceOf } from '../nodes/models/pricing.ts';
import { readProviders } from '../nodes/models/providers.ts';
import { authorize, workspaceOf } from '../services/accounts/access.ts';
import type { Actor } from '../services/accounts/actor.ts';
import { requireScope } from '../services/accounts/actor.ts';
import { findPool } from '../store/credits.ts';
import { findCached } from '../store/node-cache.ts';
import { findWorkflow } from '../store/workflows/workflows.ts';
import type { RunDeps } from './deps.ts';
import type { RunRequest } from './run-request.ts';
import { inputOverrides, planRequest } from './run-request.ts';

export interface Estimate {
  /** Whether any node to be run may cost: only then has the run a row in the ledger. */
  readonly isPaid: boolean;
  readonly credits: number;
  /** False where a price is not known beforehand, or a list's length only at run time. */
  readonly exact: boolean;
  /** The paid nodes. */
  readonly breakdown: readonly {
    readonly nodeId: string;
    readonly nodeLabel: string;
    readonly credits: number;
  }[];
}

/** Pure: the plan, what the run's inputs set, and the nodes that keep the results of an earlier run. A list counts once. */
export function estimatePlan(
  deps: Pick<RunDeps, 'findNode' | 'catalog'>,
  plan: Plan,
  overrides: ReadonlyMap<string, JsonObject>,
  done: ReadonlySet<string> = new Set(),
): Estimate {
  const lines = plan.nodes
    .filter(node => isPaid(deps, node) && !done.has(node.id))
    .map(node => {
      const definition = deps.findNode(node.nodeType);
      const values = knownValues(node, overrides.get(node.id));
      const price = definition === undefined ? null : priceOf(definition, values);
      const isExact = price?.isExact === true && !isFedByList(plan, node);
      return { nodeId: node.id, nodeLabel: node.label, credits: price?.credits ?? 0, isExact };
    });
  return {
    isPaid: lines.length > 0,
    credits: lines.reduce((sum, line) => sum + line.credits, 0),
    exact: lines.every(line => line.isExact),
    breakdown: lines.map(({ isExact: _, ...line }) => line),
  };
}

export function hasPaidNode(deps: Pick<RunDeps, 'catalog'>, plan: Plan): boolean {
  return plan.nodes.some(node => isPaid(deps, node));
}

function isPaid(deps: Pick<RunDeps, 'catalog'>, node: PlanNode): boolean {
  return deps.catalog.find(node.nodeType)?.executionCost === 'paid';
}

/** What is known of a node's values before anything has run: its settings, and defaults for the rest. */
function knownValues(node: PlanNode, override: JsonObject | undefined): JsonObject {
  const defaults = node.inputDefs.flatMap(def =>
    def.default === undefined ? [] : [[def.id, def.default] as const],
  );
  return { ...Object.fromEntries(defaults), ...node.settings, ...override };
}

function isFedByList(plan: Plan, node: PlanNode): boolean {
  return node.inputs.some(({ port, source, sourcePort }) => {
    const takes = node.inputDefs.find(def => def.id === port)?.type;
    const gives = plan.nodes[source]?.outputDefs.find(def => def.id === sourcePort)?.type;
    return gives === 'LIST' && takes !== 'LIST' && takes !== 'ANY';
  });
}

/**
 * The answer of POST /workflows/{id}/estimate: what would be set aside. `cached` marks nodes that would find their result
 * and cost nothing after all; of nodes that are fed by others it is known only once those have run. Throws what starting the
 * run would throw of its graph and inputs.
 */
export async function estimateWorkflow(
  deps: RunDeps,
  actor: Actor,
  input: { readonly workflowId: string; readonly request: Pick<RunRequest, 'inputs' | 'targets'> },
) {
  const user = requireScope(actor, 'workflows:execute');
  const { workflow } = authorize(actor, 'run', await findWorkflow(deps.db, input.workflowId, user.userId));
  const version = await deps.versions.get(deps.db, workflow.id, workflow.version);
  const plan = planRequest(deps, version, input.request.targets);
  const overrides = inputOverrides(deps, version.graph, input.request.inputs);
  const { credits, exact, breakdown } = estimatePlan(deps, plan, overrides);
  const workspace = workspaceOf(workflow);
  const [pool, cached] = await Promise.all([
    findPool(deps.db, workspace),
    findCachedNodes(deps, workspace, { plan, overrides }),
  ]);
  return {
    credits,
    // A credit is a US cent of cost.
    costUsd: credits / 100,
    exact,
    breakdown: breakdown.map(line => ({ ...line, cached: cached.has(line.nodeId) })),
    availableCredits: pool.balance,
  };
}

/** The paid nodes without wires whose results an earlier run has left. */
async function findCachedNodes(
  deps: RunDeps,
  workspace: string,
  { plan, overrides }: PlannedRun,
): Promise<ReadonlySet<string>> {
  const providers = readProviders(deps.settings);
  const keys = plan.nodes
    .filter(node => isPaid(deps, node) && node.inputs.length === 0)
    .map(
      node =>
        [node.id, keyOf(deps, node, { ...node.settings, ...overrides.get(node.id) }, providers)] as const,
    );
  const found = await Promise.all(
    keys.map(async ([id, key]) =>
      key !== undefined && (await findCached(deps.db, workspace, key)) !== undefined ? [id] : [],
    ),
  );
  return new Set(found.flat());
}

function keyOf(
  { findNode }: Pick<RunDeps, 'findNode'>,
  node: PlanNode,
  settings: JsonObject,
  providers: Parameters<typeof cacheKey>[3],
): string | undefined {
  const definition = findNode(node.nodeType);
  try {
    return definition && cacheKey(definition, node, resolveValues(node, settings, new Map()), providers);
  } catch {
    // A field that cannot be filled fails the node when it runs.
    return undefined;
  }
}
