// Parses the request to run a workflow (the body of /run and /execute) and validates it against the graph.
import { getInputNames, indexInputs } from '../../graph/input-names.ts';
import { takesInput } from '../../graph/input-values.ts';
import { toJsonPointer } from '../../graph/issues.ts';
import {
  createComparisonBudget,
  describeUnknownType,
  findNearestName,
  indexNames,
} from '../../graph/nearest.ts';
import type { Plan, PlanResult } from '../../graph/plan.ts';
import type { Graph, GraphNode, Json, JsonObject } from '../../graph/types.ts';
import { Collector } from '../../lib/collector.ts';
import { AppError } from '../../lib/errors.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { joinMembers, parseMemberTexts } from '../../lib/json-scan.ts';
import { JsonText, stringifyJson } from '../../lib/json-text.ts';
import { MAX_BODY_BYTES } from '../../lib/size-limits.ts';
import type { GraphVersion } from '../../services/workflows/graph-versions.ts';
import type { RunDeps } from '../deps.ts';
import type { RunRequest } from './run.schema.ts';

const MAX_ISSUES = 100;
/** The maximum number of input nodes that an error lists. */
const MAX_LISTED = 20;
/** Longer ids are cut in errors. */
const MAX_ID_CHARS = 1000;

/** Returns the text stored in `executions.request`. */
export function toRequestText(request: RunRequest): string {
  const { inputs, config, metadata, targets, pins, useSample, useCache, timeoutMs, maxCredits } = request;
  return stringifyJson({
    inputs,
    config,
    metadata,
    targets,
    pins,
    useSample,
    useCache,
    timeoutMs,
    maxCredits,
  });
}

/** Parses a stored request, whose long members stay text. Throws SyntaxError if the text is not an object. */
export function parseRunRequest(text: string): RunRequest {
  if (!text.startsWith('{') || !text.endsWith('}')) throw new SyntaxError('The stored request is damaged.');
  const members = Array.from(parseMemberTexts(text), ([name, member]) => [
    name,
    TEXT_MEMBERS.has(name) ? JsonText.trust(member) : (JSON.parse(member) as unknown),
  ]);
  return Object.fromEntries(members) as RunRequest;
}

/** The members that stay text, because they may be long. */
const TEXT_MEMBERS: ReadonlySet<string> = new Set(['inputs', 'config', 'metadata']);

/** Returns the plan for the request. Throws 400 `cyclic_graph`, `invalid_request` or `invalid_graph`. */
export function planRequest(
  deps: RunDeps,
  version: Pick<GraphVersion, 'plan'>,
  { targets, pins = {} }: Pick<RunRequest, 'targets' | 'pins'>,
): Plan {
  const result = version.plan(targets, Object.keys(pins));
  if (!result.ok) throw toPlanError(result);
  const issues = result.plan.nodes
    .filter(node => deps.findNode(node.nodeType) === undefined)
    .map(({ id, nodeType }) => ({
      nodeId: id,
      code: 'unknown_node_type',
      message: describeUnknownType(nodeType, deps.catalog),
    }));
  if (issues[0] === undefined) return result.plan;
  throw new AppError('invalid_graph', issues[0].message, { issues });
}

function toPlanError(result: Extract<PlanResult, { ok: false }>): AppError {
  if (result.code === 'unknown_node') {
    const { nodeId } = result;
    const sentence = `The graph has no node ${JSON.stringify(nodeId)}.`;
    const message = 'is not a node of the graph';
    return new AppError('invalid_request', sentence, {
      issues: [{ path: '/targets', nodeId, code: 'invalid_request', message }],
    });
  }
  const message = `These nodes form a cycle: ${result.cycle.join(' → ')}.`;
  return new AppError('cyclic_graph', message, {
    issues: result.cycle.map(nodeId => ({ nodeId, code: 'cyclic_graph', message: 'is part of a cycle' })),
  });
}

/** The most bytes of JSON that the inputs of a run may have, whatever starts it: as many as a request may have. */
export const MAX_RUN_INPUT_BYTES = MAX_BODY_BYTES;

/** The inputs of a run by node id or name, each with its JSON text. */
export type RunInputs = ReadonlyMap<string, JsonText<Json>>;

/**
 * Returns the inputs by node id, as they are stored, so that renaming a node changes no run. Keys of no input node stay;
 * `readInputOverrides` refuses them.
 */
export function withInputIds(
  { nodes }: Pick<Graph, 'nodes'>,
  inputs: JsonText<JsonObject>,
): JsonText<JsonObject> {
  const texts = parseMemberTexts(inputs.text);
  const byId = resolveInputKeys(indexInputs(nodes), texts);
  return byId === texts ? inputs : new JsonText<JsonObject>(joinMembers(byId));
}

/** Returns the values by node id: the same map if no key is a name. */
export function resolveInputKeys<T>(
  findInput: (key: string) => string | undefined,
  values: ReadonlyMap<string, T>,
): ReadonlyMap<string, T> {
  const keys = [...values.keys()];
  if (keys.every(key => (findInput(key) ?? key) === key)) return values;
  return new Map(Array.from(values, ([key, value]) => [findInput(key) ?? key, value]));
}

/**
 * Returns the config keys that the `inputs` set, by node id. Throws 400 `invalid_inputs` for a key that is not the id or
 * name of an input node, and for two keys of the same node.
 */
export function readInputOverrides(
  deps: RunDeps,
  graph: Graph,
  inputs: JsonText<JsonObject> | undefined,
): ReadonlyMap<string, JsonObject> {
  if (inputs === undefined) return new Map();
  const texts = Array.from(
    parseMemberTexts(inputs.text),
    ([key, text]) => [key, new JsonText<Json>(text)] as const,
  );
  return createInputReader(deps, graph)(new Map(texts));
}

/**
 * Returns a function that works like `readInputOverrides`, for many runs of a graph: it indexes the nodes once, and reads a
 * value that runs or nodes share once.
 */
export function createInputReader(
  { findNode }: Pick<RunDeps, 'findNode'>,
  { nodes }: Graph,
): (inputs: RunInputs) => ReadonlyMap<string, JsonObject> {
  const nodeTypes = new Map(nodes.map(({ id, data }) => [id, data.nodeType]));
  const findInput = indexInputs(nodes);
  const overridesByType = new Map<string, OverrideCache>();
  let suggestInput: ((key: string) => string) | undefined;
  const read = (nodeId: string, key: string, value: JsonText<Json>): JsonObject | undefined => {
    const nodeType = nodeTypes.get(nodeId);
    const runInput = nodeType === undefined ? undefined : findNode(nodeType)?.runInput;
    if (nodeType === undefined || runInput === undefined) return undefined;
    const overrides = getOrCreate(overridesByType, nodeType, () => new OverrideCache());
    return overrides.getOrCreate(value, () => toOverride(runInput, { nodeId, key }, value));
  };
  return inputs => {
    const overrides = new Map<string, JsonObject>();
    const unknownKeys = new Collector<string>({ items: MAX_ISSUES });
    for (const [key, value] of inputs) {
      const nodeId = findInput(key) ?? key;
      const override = read(nodeId, key, value);
      if (override === undefined) unknownKeys.add(key);
      else if (overrides.has(nodeId)) throw createRepeatedInputError(key, nodeId);
      else overrides.set(nodeId, override);
    }
    if (unknownKeys.total === 0) return overrides;
    suggestInput ??= createInputSuggester(nodes);
    throw createUnknownInputsError(unknownKeys.items, suggestInput);
  };
}

/** Throws 400 `invalid_inputs` for a key that is not the id or name of an input node. */
export function createInputFinder({ nodes }: Pick<Graph, 'nodes'>): (key: string) => string {
  const findInput = indexInputs(nodes);
  return key => {
    const nodeId = findInput(key);
    if (nodeId === undefined) throw createUnknownInputsError([key], createInputSuggester(nodes));
    return nodeId;
  };
}

export function createRepeatedInputError(key: string, nodeId: string): AppError {
  const message = `Input ${quoteKey(key)}: Another key sets this input too. Send only one of its id and its name.`;
  return new AppError('invalid_inputs', message, {
    issues: [{ path: toJsonPointer('inputs', key), nodeId, code: 'invalid_inputs', message }],
  });
}

/** Texts of at most this many characters are looked up by their text, longer ones by their object. */
const MAX_SHORT_CHARS = 100;
const MAX_SHORT_TEXTS = 10_000;

/**
 * Keeps the overrides of the values of one node type. A batch may have hundreds of thousands of short values, for which a
 * WeakMap would cost the garbage collector more than reading them costs.
 */
class OverrideCache {
  readonly #byText = new Map<string, JsonObject>();
  readonly #byValue = new WeakMap<JsonText<Json>, JsonObject>();

  getOrCreate(value: JsonText<Json>, create: () => JsonObject): JsonObject {
    const isShort = value.text.length <= MAX_SHORT_CHARS;
    const known = isShort ? this.#byText.get(value.text) : this.#byValue.get(value);
    if (known !== undefined) return known;
    const override = create();
    if (!isShort) this.#byValue.set(value, override);
    else if (this.#byText.size < MAX_SHORT_TEXTS) this.#byText.set(value.text, override);
    return override;
  }
}

const quoteKey = (key: string): string => JSON.stringify(key.slice(0, MAX_ID_CHARS));

function createUnknownInputsError(keys: readonly string[], suggestInput: (key: string) => string): AppError {
  const issues = keys.map(key => {
    const nodeId = key.slice(0, MAX_ID_CHARS);
    return {
      path: toJsonPointer('inputs', nodeId),
      nodeId,
      code: 'invalid_inputs' as const,
      message: `The workflow has no input ${quoteKey(key)}. ${suggestInput(key)}`,
    };
  });
  return new AppError('invalid_inputs', issues[0]?.message ?? '', { issues });
}

/** Returns a function that suggests an input node for an unknown key. All its suggestions share one budget. */
function createInputSuggester(nodes: readonly GraphNode[]): (key: string) => string {
  const names = getInputNames(nodes);
  // An input inside a component has only its id.
  const inputs = nodes.filter(({ data }) => takesInput(data.nodeType));
  const known = inputs.map(({ id }) => names.get(id) ?? id);
  if (known.length === 0) return () => 'It has no inputs.';
  const index = indexNames(new Set([...known, ...inputs.map(({ id }) => id)]));
  const budget = createComparisonBudget();
  const first = known.slice(0, MAX_LISTED).join(', ');
  const list = known.length > MAX_LISTED ? `${first} and ${known.length - MAX_LISTED} more` : first;
  return key => {
    const suggestion = findNearestName(key, index, budget);
    return `${suggestion === undefined ? '' : `Did you mean ${JSON.stringify(suggestion)}? `}Its inputs are ${list}.`;
  };
}

function toOverride(
  runInput: (value: Json, text: string) => JsonObject,
  { nodeId, key }: { readonly nodeId: string; readonly key: string },
  { value, text }: JsonText<Json>,
): JsonObject {
  try {
    return runInput(value, text);
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    const message = `Input ${JSON.stringify(key)}: ${err.message}`;
    const issues = [{ path: toJsonPointer('inputs', key), nodeId, code: err.code, message: err.message }];
    throw new AppError(err.code, message, { cause: err, issues });
  }
}
