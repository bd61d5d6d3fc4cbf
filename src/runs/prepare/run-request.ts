// Parses the request to run a workflow (the body of /run and /execute) and validates it against the graph.
import { toJsonPointer } from '../../graph/issues.ts';
import {
  createComparisonBudget,
  describeUnknownType,
  findNearestName,
  indexNames,
} from '../../graph/nearest.ts';
import type { Plan, PlanResult } from '../../graph/plan.ts';
import type { Graph, Json, JsonObject } from '../../graph/types.ts';
import { Collector } from '../../lib/collector.ts';
import { AppError } from '../../lib/errors.ts';
import { getOrCreate } from '../../lib/get-or-create.ts';
import { parseMemberTexts } from '../../lib/json-scan.ts';
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

/** The inputs of a run by node id, each with its JSON text. */
export type RunInputs = ReadonlyMap<string, JsonText<Json>>;

/**
 * Returns the config keys that the `inputs` set, by node id. Throws 400 `invalid_inputs` for a key that is not an input
 * node.
 */
export function readInputOverrides(
  deps: RunDeps,
  graph: Graph,
  inputs: JsonText<JsonObject> | undefined,
): ReadonlyMap<string, JsonObject> {
  if (inputs === undefined) return new Map();
  const texts = Array.from(
    parseMemberTexts(inputs.text),
    ([nodeId, text]) => [nodeId, new JsonText<Json>(text)] as const,
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
  const overridesByType = new Map<string, OverrideCache>();
  let suggestInput: ((nodeId: string) => string) | undefined;
  const read = (nodeId: string, value: JsonText<Json>): JsonObject | undefined => {
    const nodeType = nodeTypes.get(nodeId);
    const runInput = nodeType === undefined ? undefined : findNode(nodeType)?.runInput;
    if (nodeType === undefined || runInput === undefined) return undefined;
    const overrides = getOrCreate(overridesByType, nodeType, () => new OverrideCache());
    return overrides.getOrCreate(value, () => toOverride(runInput, nodeId, value));
  };
  return inputs => {
    const overrides = new Map<string, JsonObject>();
    const unknownIds = new Collector<string>({ items: MAX_ISSUES });
    for (const [nodeId, value] of inputs) {
      const override = read(nodeId, value);
      if (override === undefined) unknownIds.add(nodeId);
      else overrides.set(nodeId, override);
    }
    if (unknownIds.total === 0) return overrides;
    suggestInput ??= createInputSuggester(
      nodes.filter(({ data }) => findNode(data.nodeType)?.runInput !== undefined).map(({ id }) => id),
    );
    throw createUnknownInputsError(unknownIds.items, suggestInput);
  };
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

function createUnknownInputsError(
  nodeIds: readonly string[],
  suggestInput: (nodeId: string) => string,
): AppError {
  const issues = nodeIds.map(id => {
    const nodeId = id.slice(0, MAX_ID_CHARS);
    return {
      path: toJsonPointer('inputs', nodeId),
      nodeId,
      code: 'invalid_inputs' as const,
      message: `The workflow has no input node ${JSON.stringify(nodeId)}. ${suggestInput(nodeId)}`,
    };
  });
  return new AppError('invalid_inputs', issues[0]?.message ?? '', { issues });
}

/** Returns a function that suggests an input node for an unknown id. All its suggestions share one budget. */
function createInputSuggester(inputIds: readonly string[]): (nodeId: string) => string {
  if (inputIds.length === 0) return () => 'It has no input nodes.';
  const names = indexNames(inputIds);
  const budget = createComparisonBudget();
  const firstIds = inputIds.slice(0, MAX_LISTED).join(', ');
  const list =
    inputIds.length > MAX_LISTED ? `${firstIds} and ${inputIds.length - MAX_LISTED} more` : firstIds;
  return nodeId => {
    const suggestion = findNearestName(nodeId, names, budget);
    return `${suggestion === undefined ? '' : `Did you mean ${JSON.stringify(suggestion)}? `}Its input nodes are ${list}.`;
  };
}

function toOverride(
  runInput: (value: Json, text: string) => JsonObject,
  nodeId: string,
  { value, text }: JsonText<Json>,
): JsonObject {
  try {
    return runInput(value, text);
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    const message = `Input ${JSON.stringify(nodeId)}: ${err.message}`;
    const issues = [{ path: toJsonPointer('inputs', nodeId), nodeId, code: err.code, message: err.message }];
    throw new AppError(err.code, message, { cause: err, issues });
  }
}
