// One call of a node's `run`: answered from the cache where it may be, its outputs tagged for the edges.
import type { PlanNode } from '../graph/plan.ts';
import type { Value, Values } from '../graph/types.ts';
import { isValue, toValue } from '../graph/values.ts';
import { type NodeContext, type NodeDefinition, type NodeResult, Suspend } from '../nodes/define.ts';
import { cacheKey } from './cache.ts';
import type { NodeCache } from './types.ts';

export interface Call {
  readonly definition: NodeDefinition;
  readonly node: PlanNode;
  readonly values: Readonly<Record<string, unknown>>;
  readonly ctx: NodeContext;
}

export type CallResult = Suspend | { readonly outputs: Values; readonly isCached: boolean };

/** Runs the node. What it gives at once is given at once: free nodes pay for no promise. */
export function callNode(call: Call, cache: NodeCache | undefined): CallResult | Promise<CallResult> {
  const key = cache === undefined ? undefined : cacheKey(call.definition, call.node, call.values);
  if (cache !== undefined && key !== undefined) return callOrFind(call, cache, key);
  const result = call.definition.run(call.values, call.ctx);
  return result instanceof Promise ? result.then(late => tagged(call.node, late)) : tagged(call.node, result);
}

async function callOrFind(call: Call, cache: NodeCache, key: string): Promise<CallResult> {
  const outputs = await cache.find(key, call.ctx.signal);
  if (outputs !== undefined) return { outputs, isCached: true };
  call.ctx.signal.throwIfAborted();
  const result = tagged(call.node, await call.definition.run(call.values, call.ctx));
  if (!(result instanceof Suspend)) cache.keep(key, result.outputs);
  return result;
}

function tagged(node: PlanNode, result: NodeResult): CallResult {
  if (result instanceof Suspend) return result;
  const outputs: Record<string, Value> = {};
  for (const id of Object.keys(result)) {
    const output = result[id];
    if (output === undefined) continue;
    const def = node.outputDefs.find(candidate => candidate.id === id);
    // An output node shows its value under a name that is no port.
    if (def !== undefined) outputs[id] = toValue(output, def);
    else if (isValue(output)) outputs[id] = output;
  }
  return { outputs, isCached: false };
}
