// Forecasts what a run will do before it starts: how often each node is called, and with which values. Walks the plan by
// the engine's own rules. A placeholder stands for a value that only the run can produce. The forecast may then still
// know how long a list is and which branch runs.
import type { Plan, PlanNode } from '../graph/plan.ts';
import type { JsonObject, Value, Values } from '../graph/types.ts';
import { yieldTurn } from '../lib/yield-turn.ts';
import type { ForecastMode, NodeContext, NodeDefinition } from '../nodes/define.ts';
import { computeCacheKey } from './cache.ts';
import { callNode } from './call.ts';
import { gatherItems, splitIntoItems } from './fan-out.ts';
import { collectPortValues, isSkipped, type PortValues, resolveValues } from './inputs.ts';
import { MAX_RUN_BYTES, measureSize } from './output-size.ts';
import { hasUnknownShape, isKnown, toKnownPlain, UNKNOWN_SHAPE, UNKNOWN_VALUE } from './placeholders.ts';
import { toStepError } from './step-end.ts';
import type { NodeCache, RunOptions, StepError } from './types.ts';

export interface ForecastOptions extends Pick<RunOptions, 'findDefinition' | 'overrides' | 'steps'> {
  /** Selects the nodes to forecast. Other nodes are evaluated only if a wanted node depends on them. */
  readonly isWanted: (node: PlanNode) => boolean;
  /** Finds stored media. Returns UNKNOWN_MEDIA for media that would have to be fetched. */
  readonly findMedia: NodeContext['media']['resolve'];
  readonly providers: NodeContext['providers'];
  readonly settings: NodeContext['settings'];
  /** If absent, the node cache is not searched. */
  readonly cache?: Pick<NodeCache, 'find'>;
}

/** The forecast of one node. */
export interface NodeForecast {
  readonly node: PlanNode;
  readonly definition: NodeDefinition;
  /**
   * The known values of each call that an earlier attempt has not completed. A list of unknown length counts as one call.
   */
  readonly pendingCallValues: readonly Readonly<Record<string, unknown>>[];
  /** Whether the number of calls is known. */
  readonly hasExactCallCount: boolean;
  /** Whether every call would be answered from the node cache. */
  readonly isCached: boolean;
  /** Why the node will fail before it makes any call. */
  readonly error?: StepError;
}

// A graph can require any amount of work. After this time, the rest counts as unknown.
const MAX_MS = 1_000;
const MAX_CACHE_LOOKUPS = 1_000;

/**
 * Forecasts the wanted nodes without calls that cost credits, fetch or write. Skipped and completed nodes have no
 * calls.
 */
export async function forecastPlan(plan: Plan, options: ForecastOptions): Promise<readonly NodeForecast[]> {
  const neededIndexes = findNeededIndexes(plan, options.isWanted);
  const forecaster = new Forecaster(options);
  const outputs: (Values | undefined)[] = [];
  const forecasts: NodeForecast[] = [];
  for (const [index, node] of plan.nodes.entries()) {
    const definition = neededIndexes.has(index) ? options.findDefinition(node.nodeType) : undefined;
    if (definition === undefined) continue;
    const portValues = collectPortValues(node, sourceIndex => outputs[sourceIndex]);
    const result = await forecaster.forecastNode(node, definition, portValues);
    outputs[index] = result.outputs;
    if (options.isWanted(node)) forecasts.push({ node, definition, ...result.forecast });
  }
  return forecasts;
}

/** Returns the indexes of the wanted nodes and of all nodes that they depend on. */
function findNeededIndexes({ nodes }: Plan, isWanted: (node: PlanNode) => boolean): ReadonlySet<number> {
  const neededIndexes = new Set<number>();
  for (const [index, node] of [...nodes.entries()].reverse()) {
    if (!neededIndexes.has(index) && !isWanted(node)) continue;
    neededIndexes.add(index);
    for (const { sourceIndex } of node.inputs) neededIndexes.add(sourceIndex);
  }
  return neededIndexes;
}

type ForecastFields = Omit<NodeForecast, 'node' | 'definition'>;
interface ForecastResult {
  readonly forecast: ForecastFields;
  /** undefined if the node is skipped. */
  readonly outputs: Values | undefined;
}

interface CallForecast {
  readonly values: Readonly<Record<string, unknown>>;
  readonly outputs: Values;
  readonly isCached: boolean;
}

const NO_CALLS: ForecastFields = { pendingCallValues: [], hasExactCallCount: true, isCached: false };

class Forecaster {
  readonly #options: ForecastOptions;
  #deadlineMs = performance.now() + MAX_MS;
  #cacheLookups = 0;
  /** Bytes of known outputs. Past the limit of a run, the rest counts as unknown. */
  #knownBytes = 0;

  constructor(options: ForecastOptions) {
    this.#options = options;
  }

  async forecastNode(
    node: PlanNode,
    definition: NodeDefinition,
    portValues: PortValues,
  ): Promise<ForecastResult> {
    const step = this.#options.steps.get(node.id);
    if (step?.status === 'COMPLETED') return { forecast: NO_CALLS, outputs: step.outputs ?? {} };
    if (isSkipped(node, portValues)) return { forecast: NO_CALLS, outputs: undefined };
    const settings = { ...node.config, ...this.#options.overrides.get(node.id) };
    let items: readonly PortValues[] | undefined;
    try {
      items = splitIntoItems(node, settings, portValues);
    } catch (err) {
      return {
        forecast: { ...NO_CALLS, error: toForecastError(err) },
        outputs: createUnknownOutputs(node, UNKNOWN_SHAPE),
      };
    }
    const callForecasts: CallForecast[] = [];
    for (const item of items ?? [portValues])
      callForecasts.push(await this.#forecastCall(node, definition, settings, item));
    const results = step?.items?.length === callForecasts.length ? step.items : [];
    const hasExactCallCount = !hasUnknownItemCount(node, portValues);
    const pendingCalls = callForecasts.filter((_, index) => results[index] == null);
    return {
      forecast: {
        pendingCallValues: pendingCalls.map(({ values }) => values),
        hasExactCallCount,
        isCached: pendingCalls.length > 0 && pendingCalls.every(({ isCached }) => isCached),
      },
      outputs: combineOutputs(node, items !== undefined, hasExactCallCount, callForecasts),
    };
  }

  /** Forecasts one call: its values, and its outputs if they are in the cache or the node can compute them. */
  async #forecastCall(
    node: PlanNode,
    definition: NodeDefinition,
    settings: JsonObject,
    portValues: PortValues,
  ): Promise<CallForecast> {
    const values = resolveKnownValues(node, settings, portValues, definition.forecastMode);
    const unknownResult = { outputs: createUnknownOutputs(node, UNKNOWN_VALUE), isCached: false };
    if (values === undefined)
      return { values: toPartialValues(node, settings, portValues), ...unknownResult };
    await this.#yieldTurn();
    if (performance.now() > this.#deadlineMs || this.#knownBytes > MAX_RUN_BYTES)
      return { values, ...unknownResult };
    const cachedOutputs = await this.#findCached(definition, node, values);
    const outputs = cachedOutputs ?? (await this.#computeOutputs(definition, node, values, portValues));
    this.#knownBytes += outputs === undefined ? 0 : measureSize(outputs, MAX_RUN_BYTES).bytes;
    return { values, outputs: outputs ?? unknownResult.outputs, isCached: cachedOutputs !== undefined };
  }

  async #findCached(
    definition: NodeDefinition,
    node: PlanNode,
    values: Readonly<Record<string, unknown>>,
  ): Promise<Values | undefined> {
    const { cache } = this.#options;
    if (cache === undefined || this.#cacheLookups === MAX_CACHE_LOOKUPS) return undefined;
    const key = computeCacheKey(definition, node, values, this.#options);
    if (key === undefined) return undefined;
    this.#cacheLookups++;
    return cache.find(key, AbortSignal.timeout(MAX_MS));
  }

  /** Runs the node if a forecast can compute its result. */
  async #computeOutputs(
    definition: NodeDefinition,
    node: PlanNode,
    values: Readonly<Record<string, unknown>>,
    portValues: PortValues,
  ): Promise<Values | undefined> {
    if (definition.forecastMode === undefined) return undefined;
    const { findMedia, providers, settings } = this.#options;
    const signal = AbortSignal.timeout(Math.max(0, Math.ceil(this.#deadlineMs - performance.now())));
    // Nodes with a forecast mode use only these parts of the context.
    const ctx = { media: { resolve: findMedia }, progress: () => undefined, providers, settings, signal };
    const call = {
      item: 0,
      definition,
      node,
      values,
      connectedPorts: portValues,
      ctx: ctx as unknown as NodeContext,
    };
    try {
      const result = await callNode({ ...call, ...NO_PAYMENT }, {});
      return 'outputs' in result ? result.outputs : undefined;
    } catch (err) {
      if (signal.aborted) return undefined;
      rethrowInternalError(err);
      // Nodes that depend on a node that will fail are forecast with unknown outputs.
      return undefined;
    }
  }

  /** Other work does not use up the time of the forecast. */
  async #yieldTurn(): Promise<void> {
    const startedMs = performance.now();
    await yieldTurn();
    this.#deadlineMs += performance.now() - startedMs;
  }
}

/** A forecast never reserves or charges credits. */
const NO_PAYMENT = {
  getUsage: () => undefined,
  onReserved: () => undefined,
  onSettled: () => undefined,
  onOwed: () => undefined,
  isOwed: () => false,
};

/**
 * Returns the values that `run` would get, or undefined if a value is invalid or too little is known about it. A forecast
 * by shape needs only the number of values.
 */
function resolveKnownValues(
  node: PlanNode,
  settings: JsonObject,
  portValues: PortValues,
  mode: ForecastMode | undefined,
): Readonly<Record<string, unknown>> | undefined {
  const isSufficient = mode === 'by-shape' ? (value: Value) => !hasUnknownShape(value) : isKnown;
  if (![...portValues.values()].every(isSufficient)) return undefined;
  try {
    return resolveValues(node, settings, portValues);
  } catch (err) {
    rethrowInternalError(err);
    return undefined;
  }
}

/** Returns the defaults, the settings and the known values that arrived. */
function toPartialValues(
  node: PlanNode,
  settings: JsonObject,
  portValues: PortValues,
): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const { id, default: value } of node.inputDefs) if (value !== undefined) values[id] = value;
  for (const [key, value] of Object.entries(settings)) values[key] = value;
  for (const [port, value] of portValues) {
    const def = node.inputDefs.find(({ id, isPort }) => id === port && isPort);
    values[port] = def === undefined ? undefined : toKnownPlain(value, def);
  }
  return values;
}

/** Returns whether the node may be mapped over a list whose length is unknown before the run. */
function hasUnknownItemCount(node: PlanNode, portValues: PortValues): boolean {
  return node.inputDefs.some(({ id, isPort, type }) => {
    const value = isPort && type !== 'LIST' && type !== 'ANY' ? portValues.get(id) : undefined;
    return value === UNKNOWN_SHAPE;
  });
}

function combineOutputs(
  node: PlanNode,
  isMapped: boolean,
  hasExactCallCount: boolean,
  callForecasts: readonly CallForecast[],
): Values | undefined {
  if (!hasExactCallCount) return createUnknownOutputs(node, UNKNOWN_SHAPE);
  if (!isMapped) return callForecasts[0]?.outputs;
  const outputs = callForecasts.map(callForecast => callForecast.outputs);
  return gatherItems(outputs, node.outputDefs);
}

/**
 * Returns unknown values for the outputs. A port with a single-value type yields one value. A LIST or ANY port may yield
 * a list or nothing.
 */
function createUnknownOutputs(node: PlanNode, singleValue: Value): Values {
  return Object.fromEntries(
    node.outputDefs.map(({ id, type }) => [
      id,
      type === 'LIST' || type === 'ANY' ? UNKNOWN_SHAPE : singleValue,
    ]),
  );
}

/** Returns the error that a run would report. Rethrows the error if the graph did not cause it. */
function toForecastError(err: unknown): StepError {
  return toStepError(err, internalError => {
    throw internalError;
  });
}

/** Rethrows the error unless the graph caused it. */
const rethrowInternalError = (err: unknown): void => void toForecastError(err);
