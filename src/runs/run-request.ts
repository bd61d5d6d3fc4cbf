// Parses the request to run a workflow (the body of /run and /execute) and validates it against the graph.
import { toJsonPointer } from '../graph/issues.ts';
import { describeUnknownType, findNearestName } from '../graph/nearest.ts';
import type { Plan, PlanResult } from '../graph/plan.ts';
import type { Graph, Json, JsonObject } from '../graph/types.ts';
import { AppError } from '../lib/errors.ts';
import { parseMemberTexts } from '../lib/json-scan.ts';
import { JsonText, stringifyJson } from '../lib/json-text.ts';
import type { GraphVersion } from '../services/workflows/graph-versions.ts';
import type { RunDeps } from './deps.ts';
import type { RunRequest } from './run.schema.ts';

const MAX_ISSUES = 100;
/** The maximum number of input nodes that an error lists. */
const MAX_LISTED = 20;

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

export function parseRunRequest(text: string): RunRequest {
  const request = JSON.parse(text) as RunRequest;
  const textMembers = TEXT_MEMBERS.filter(name => request[name] !== undefined);
  if (textMembers.length === 0) return request;
  const members = parseMemberTexts(text);
  return {
    ...request,
    ...Object.fromEntries(textMembers.map(name => [name, new JsonText(members.get(name) ?? '{}')])),
  };
}

const TEXT_MEMBERS = ['inputs', 'config', 'metadata'] as const;

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

/**
 * Returns the config keys that the `inputs` set, by node id. Throws 400 `invalid_inputs` for a key that is not an input
 * node.
 */
export function readInputOverrides(
  deps: RunDeps,
  graph: Graph,
  inputs: JsonText<JsonObject> | undefined,
): ReadonlyMap<string, JsonObject> {
  const overrides = new Map<string, JsonObject>();
  const unknownIds: string[] = [];
  for (const [nodeId, text] of parseMemberTexts(inputs?.text ?? '{}')) {
    const override = toOverride(deps, graph, nodeId, new JsonText<Json>(text));
    if (override === undefined) unknownIds.push(nodeId);
    else overrides.set(nodeId, override);
  }
  if (unknownIds.length === 0) return overrides;
  const inputIds = graph.nodes
    .filter(({ data }) => deps.findNode(data.nodeType)?.runInput !== undefined)
    .map(({ id }) => id);
  const issues = unknownIds.slice(0, MAX_ISSUES).map(nodeId => ({
    path: toJsonPointer('inputs', nodeId),
    nodeId,
    code: 'invalid_inputs' as const,
    message: `The workflow has no input node ${JSON.stringify(nodeId)}. ${suggestInput(nodeId, inputIds)}`,
  }));
  throw new AppError('invalid_inputs', issues[0]?.message ?? '', { issues });
}

function suggestInput(nodeId: string, inputIds: readonly string[]): string {
  if (inputIds.length === 0) return 'It has no input nodes.';
  const suggestion = findNearestName(nodeId, inputIds);
  const firstIds = inputIds.slice(0, MAX_LISTED).join(', ');
  const list =
    inputIds.length > MAX_LISTED ? `${firstIds} and ${inputIds.length - MAX_LISTED} more` : firstIds;
  return `${suggestion === undefined ? '' : `Did you mean ${JSON.stringify(suggestion)}? `}Its input nodes are ${list}.`;
}

function toOverride(
  deps: RunDeps,
  graph: Graph,
  nodeId: string,
  { value, text }: JsonText<Json>,
): JsonObject | undefined {
  const node = graph.nodes.find(candidate => candidate.id === nodeId);
  try {
    return node && deps.findNode(node.data.nodeType)?.runInput?.(value, text);
  } catch (err) {
    if (!(err instanceof AppError)) throw err;
    const message = `Input ${JSON.stringify(nodeId)}: ${err.message}`;
    const issues = [{ path: toJsonPointer('inputs', nodeId), nodeId, code: err.code, message: err.message }];
    throw new AppError(err.code, message, { cause: err, issues });
  }
}
