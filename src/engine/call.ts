// Calls a node's `run` once: checks the cache, reserves credits for paid calls, and tags the outputs with their types.
import type { PlanNode } from '../graph/plan.ts';
import type { Value, Values } from '../graph/types.ts';
import { isValue, toValue } from '../graph/values.ts';
import { AppError } from '../lib/errors.ts';
import {
  type NodeContext,
  type NodeDefinition,
  NodeError,
  type NodeResult,
  Suspend,
} from '../nodes/define.ts';
import { computeCacheKey } from './cache.ts';
import { endsRun } from './step-end.ts';
import type { Payment, RunOptions } from './types.ts';

export interface Call {
  readonly item: number;
  readonly definition: NodeDefinition;
  readonly node: PlanNode;
  readonly values: Readonly<Record<string, unknown>>;
  /**
   * Ports whose values arrived along edges. Secrets are never inserted into such values, because other people may have
   * written them.
   */
  readonly connectedPorts: { has(port: string): boolean };
  readonly ctx: NodeContext;
  /** Returns the usage that the provider reported after delivery. */
  readonly getUsage: () => unknown;
  /** Called with the reservation before the call is made. */
  readonly onReserved: (payment: Payment) => void;
  /** Called once the call is charged. */
  readonly onSettled: (payment: Payment) => void;
  /** Called with the cost of the call if the run ends while the call is active. */
  readonly onOwed: (credits: number) => void;
  /** Returns whether the call must be charged even if the run ends while the call is active. */
  readonly isOwed: () => boolean;
}

/** The run's services that a call uses. */
export type CallServices = Pick<RunOptions, 'cache' | 'pay' | 'secrets'>;

export type CallResult =
  | Suspend
  | { readonly outputs: Values; readonly isCached: boolean; readonly credits: number };

/** Runs the node. A synchronous result is returned synchronously, so that free nodes need no promise. */
export function callNode(call: Call, services: CallServices): CallResult | Promise<CallResult> {
  const { definition, node, values, ctx } = call;
  const isPaid = definition.entry.executionCost === 'paid' && services.pay !== undefined;
  const key = services.cache && computeCacheKey(definition, node, values, ctx);
  if (key !== undefined || isPaid) return callCachedOrPaid(call, services, key);
  const result = invoke(call, services);
  return result instanceof Promise
    ? result.then(awaited => toCallResult(node, awaited, 0), toSuspend)
    : toCallResult(node, result, 0);
}

/** Returns a thrown Suspend, which a node throws when its call continues at a provider. Rethrows anything else. */
function toSuspend(thrown: unknown): Suspend {
  if (thrown instanceof Suspend) return thrown;
  throw thrown;
}

async function callCachedOrPaid(
  call: Call,
  services: CallServices,
  key: string | undefined,
): Promise<CallResult> {
  const { signal, task } = call.ctx;
  // If the call was already submitted, its own result is used, even if the cache contains a result by now.
  if (key !== undefined && task.stored === undefined) {
    const outputs = await services.cache?.find(key, signal);
    if (outputs !== undefined) return { outputs, isCached: true, credits: 0 };
    signal.throwIfAborted();
  }
  // Credits are reserved first, so that no provider is called without funds.
  const isPaid = call.definition.entry.executionCost === 'paid';
  const payment = isPaid ? await services.pay?.({ ...call, reserved: task.stored?.credits }) : undefined;
  if (payment !== undefined) call.onReserved(payment);
  try {
    signal.throwIfAborted();
    const returned = await invoke({ ...call, values: payment?.values ?? call.values }, services);
    const result = toCallResult(call.node, returned, payment === undefined ? 0 : settle(payment, call));
    if (key !== undefined && !(result instanceof Suspend)) services.cache?.store(key, result.outputs);
    return result;
  } catch (err) {
    // The provider may still deliver, so the reservation stays.
    if (err instanceof Suspend) return err;
    if (payment !== undefined && endsRun(signal) && call.isOwed()) {
      call.onOwed(settle(payment, call));
      throw err;
    }
    if (payment !== undefined && err instanceof AppError && err.code === 'storage_quota_exceeded')
      throw new ChargedNodeError(err, settle(payment, call));
    payment?.refund();
    throw err;
  }
}

function settle(payment: Payment, call: Call): number {
  const credits = payment.settle(call.getUsage());
  call.onSettled(payment);
  return credits;
}

/** Thrown if the provider delivered and the call is charged, but the result could not be stored. */
export class ChargedNodeError extends NodeError {
  readonly credits: number;

  constructor(cause: AppError, credits: number) {
    super(cause.code, `${cause.message} The provider has delivered its result, so the call was charged.`, {
      cause,
    });
    this.credits = credits;
  }
}

// Secrets are inserted only here or by the node itself, so the values that are hashed for the cache or quoted in errors
// never contain them.
function invoke(
  { definition, node, values, connectedPorts, ctx }: Call,
  { secrets }: CallServices,
): NodeResult | Promise<NodeResult> {
  if (secrets === undefined || definition.secrets === false) return definition.run(values, ctx);
  if (definition.secrets === 'in requests')
    return definition.run(values, {
      ...ctx,
      secrets: {
        ...secrets,
        valueFor: (name, url) => secrets.valueFor(name, url, node.id),
        connectedPorts,
      },
    });
  const valuesWithSecrets = Object.entries(values).map(([id, value]) => [
    id,
    connectedPorts.has(id) ? value : secrets.replace(value),
  ]);
  return definition.run(Object.fromEntries(valuesWithSecrets), ctx);
}

function toCallResult(node: PlanNode, result: NodeResult, credits: number): CallResult {
  if (result instanceof Suspend) return result;
  const outputs: Record<string, Value> = {};
  for (const id of Object.keys(result)) {
    const output = result[id];
    if (output === undefined) continue;
    const def = node.outputDefs.find(candidate => candidate.id === id);
    // An output node returns its value under a name that is not a port.
    if (def !== undefined) outputs[id] = toValue(output, def);
    else if (isValue(output)) outputs[id] = output;
  }
  return { outputs, isCached: false, credits };
}
