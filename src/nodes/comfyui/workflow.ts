// Declares the node that keeps a whole ComfyUI graph and runs it on a ComfyUI server.
import type { ResolvedPorts } from '../../graph/catalog.ts';
import { type ApiGraph, type ApiNode, readApiLink } from '../../graph/comfyui/api-graph.ts';
import { findPortProblem, readConfigGraph } from '../../graph/comfyui/config-graph.ts';
import { readNodeInfo } from '../../graph/comfyui/node-types.ts';
import { type ComfyInput, getComfyInputs, getComfyOutputs, toComfyPorts } from '../../graph/comfyui/ports.ts';
import { describeIncomplete, selectRunnable } from '../../graph/comfyui/runnable.ts';
import { nameWidgetValues } from '../../graph/comfyui/unnamed-values.ts';
import type { Json, JsonObject, MediaRef } from '../../graph/types.ts';
import type { ComfyCall } from '../../providers/comfyui.ts';
import { Attachment } from '../../providers/provider.ts';
import {
  choice,
  defineNode,
  json,
  type NodeContext,
  type NodeDefinition,
  NodeError,
  text,
} from '../define.ts';
import { attachAudio, attachImage, attachVideo } from '../models/provider-call.ts';
import { callComfyServer } from './call-server.ts';
import { comfyNodeTypes } from './node-types.ts';
import { collectOutputs } from './outputs.ts';
import { drawSeeds } from './seeds.ts';

const declared = defineNode({
  nodeType: 'comfyui:workflow',
  label: 'ComfyUI workflow',
  description:
    'Runs a graph of ComfyUI on a ComfyUI server. Choose a file of ComfyUI in the editor, or import it with POST /workflows/import.',
  category: 'utility',
  source: 'vendor',
  requires: 'comfyui',
  inputs: {},
  config: {
    graph: json('Graph', {
      required: true,
      isInternal: true,
      description: 'In ComfyUI’s API format, at most 2,000 nodes and 2 MB.',
    }),
    source: text('Source', {
      isInternal: true,
      description: 'The file in ComfyUI’s UI format as JSON text, for exports.',
    }),
    inputs: json('Inputs', {
      default: [],
      isInternal: true,
      description:
        'Inputs: [{ id, label, type, node, input, default, isField }]. `node` and `input` are the value that the input sets; with `isField`, it has no port.',
    }),
    outputs: json('Outputs', {
      default: [],
      isInternal: true,
      description: 'Output ports: [{ id, label, type, node, isList }]. `node` made the files or texts.',
    }),
    seeds: choice('Seeds', ['fixed', 'random'], {
      description: 'random: each run draws new seeds, except for those that are fixed in the file.',
    }),
  },
  outputs: {},
  dynamicPorts: {
    note: 'The ports that config.inputs and config.outputs list. An input that is not connected keeps the value of the graph.',
    isSaved: true,
    resolve: () => ({ inputs: {}, outputs: {} }),
  },
  run: async (values, ctx) => {
    const config = values as JsonObject;
    const problem = findPortProblem(config);
    if (problem !== undefined) throw new NodeError('invalid_config', problem);
    const { graph } = readConfigGraph(config.graph);
    const runnable = requireRunnable(graph, config);
    const outputs = getComfyOutputs(config);
    const seededGraph = config.seeds === 'random' ? setSeeds(runnable, ctx) : runnable;
    const call = await toCall(seededGraph, values, ctx);
    const ids = [...new Set(outputs.map(({ node }) => node))].filter(id => Object.hasOwn(runnable, id));
    const output = await callComfyServer({ ...call, outputs: ids }, ctx);
    const removed = outputs.filter(({ node }) => !Object.hasOwn(runnable, node));
    for (const { label } of removed)
      ctx.task.warn(`The output “${label}” has no result: a node that it needs lacks an input.`);
    return collectOutputs(outputs, output, ctx);
  },
});

/** Resolves the ports itself: a declaration stores ports in an object, but their order matters. */
export const comfyWorkflow: NodeDefinition = { ...declared, ports: resolvePorts };

function resolvePorts(config: JsonObject): ResolvedPorts {
  const { inputs, outputs } = toComfyPorts(config);
  const problem = findPortProblem(config) ?? findIncompleteProblem(config);
  return {
    inputs: [...inputs, ...declared.entry.inputs],
    outputs,
    ...(problem === undefined
      ? {}
      : { problem, unavailableReason: problem, unavailableCode: 'invalid_graph' as const }),
    isSaved: true,
  };
}

/** Returns a sentence if no output can run, because a node that it needs lacks an input. */
function findIncompleteProblem(config: JsonObject): string | undefined {
  const { graph } = readConfigGraph(config.graph);
  const { graph: runnable, incomplete } = selectRunnable(graph, comfyNodeTypes);
  const outputs = getComfyOutputs(config);
  if (outputs.length === 0) return 'Add an output: a node of the graph whose files or texts are the result.';
  if (outputs.some(({ node }) => Object.hasOwn(runnable, node))) return undefined;
  return `${describeIncomplete(graph, incomplete)} None of the outputs can run without it.`;
}

function requireRunnable(graph: ApiGraph, config: JsonObject): ApiGraph {
  const problem = findIncompleteProblem(config);
  const { graph: runnable, incomplete } = selectRunnable(graph, comfyNodeTypes);
  if (problem === undefined) return runnable;
  const [first] = incomplete;
  throw new NodeError('invalid_config', problem, {
    pointer: first === undefined ? undefined : `/${first[0].replaceAll('~', '~0').replaceAll('/', '~1')}`,
  });
}

function setSeeds(graph: ApiGraph, ctx: NodeContext): ApiGraph {
  const key = `${ctx.executionId} ${ctx.nodeId} ${ctx.task.item ?? 0}`;
  const seeds = drawSeeds(graph, comfyNodeTypes, key);
  ctx.task.recordSeeds?.(seeds);
  const seeded: Record<string, ApiNode> = { ...graph };
  for (const { node: id, input, value } of seeds) {
    const node = seeded[id] as ApiNode;
    seeded[id] = { ...node, inputs: { ...node.inputs, [input]: value } };
  }
  return seeded;
}

/** Returns the call: the graph with the values of the ports, and what the server must tell about unknown types first. */
async function toCall(
  graph: ApiGraph,
  values: Readonly<Record<string, unknown>>,
  ctx: NodeContext,
): Promise<ComfyCall> {
  const portInputs = await readPortInputs(values, graph, ctx);
  const prepare = (source: ApiGraph): ComfyCall['graph'] =>
    Object.fromEntries(
      Object.entries(source).map(([id, { class_type, inputs, _meta }]) => [
        id,
        {
          class_type,
          inputs: { ...withDates(inputs, ctx.now()), ...portInputs.get(id) },
          ...(_meta?.title === undefined ? {} : { _meta: { title: _meta.title } }),
        },
      ]),
    );
  const unnamed = Object.values(graph).filter(({ _meta }) => _meta?.widgets_values !== undefined);
  if (unnamed.length === 0) return { graph: prepare(graph) };
  return {
    graph: prepare(graph),
    unknownTypes: [...new Set(unnamed.map(({ class_type }) => class_type))],
    withTypes: infos =>
      prepare(
        nameWidgetValues(graph, {
          find: type => readNodeInfo(Object.hasOwn(infos, type) ? infos[type] : undefined),
        }),
      ),
  };
}

/** Returns the values that the ports set, by node and input. */
async function readPortInputs(
  values: Readonly<Record<string, unknown>>,
  graph: ApiGraph,
  ctx: NodeContext,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const byNode = new Map<string, Record<string, unknown>>();
  for (const [index, port] of getComfyInputs(values as JsonObject).entries()) {
    const value = values[port.id];
    if (value === undefined || value === null || !Object.hasOwn(graph, port.node)) continue;
    if (isUnchanged(port, value, graph)) continue;
    const inputs = byNode.get(port.node) ?? {};
    inputs[port.input] = await toInputValue(port, value, index, ctx);
    byNode.set(port.node, inputs);
  }
  return byNode;
}

/** Whether the value is the one of the graph. It may have a seed that this run draws. */
function isUnchanged(
  { node, input, default: fallback }: ComfyInput,
  value: unknown,
  graph: ApiGraph,
): boolean {
  const stored = graph[node]?.inputs[input];
  return fallback === undefined && readApiLink(stored) === undefined && stored === value;
}

const ATTACH = { IMAGE: attachImage, VIDEO: attachVideo, AUDIO: attachAudio } as const;

async function toInputValue(
  { type }: ComfyInput,
  value: unknown,
  index: number,
  ctx: NodeContext,
): Promise<unknown> {
  if (type === 'IMAGE' || type === 'VIDEO' || type === 'AUDIO') {
    const { bytes, contentType, name } = await ATTACH[type](value as MediaRef, ctx);
    // Each file of a call needs its own name on the server.
    return new Attachment(bytes, contentType, `${index}-${name}`);
  }
  // A list of two would be read as a connection.
  return Array.isArray(value) ? { __value__: value } : value;
}

const DATE = /%date:([^%]{1,40})%/g;
const DATE_PARTS: Readonly<Record<string, (date: Date) => number>> = {
  yyyy: date => date.getUTCFullYear(),
  yy: date => date.getUTCFullYear() % 100,
  MM: date => date.getUTCMonth() + 1,
  M: date => date.getUTCMonth() + 1,
  dd: date => date.getUTCDate(),
  d: date => date.getUTCDate(),
  hh: date => date.getUTCHours(),
  h: date => date.getUTCHours(),
  mm: date => date.getUTCMinutes(),
  m: date => date.getUTCMinutes(),
  ss: date => date.getUTCSeconds(),
  s: date => date.getUTCSeconds(),
};

/** Replaces `%date:yyyy-MM-dd%` in file names, which ComfyUI's frontend does when it makes a prompt. */
function withDates(inputs: JsonObject, nowMs: number): JsonObject {
  const { filename_prefix: prefix } = inputs;
  if (typeof prefix !== 'string' || prefix.length > 1000 || !prefix.includes('%date:')) return inputs;
  const date = new Date(nowMs);
  const format = (pattern: string): string =>
    pattern.replaceAll(/yyyy|yy|MM?|dd?|hh?|mm?|ss?/g, part =>
      String(DATE_PARTS[part]?.(date) ?? part).padStart(part.length, '0'),
    );
  const formatted: Json = prefix.replaceAll(DATE, (_, pattern: string) => format(pattern));
  return { ...inputs, filename_prefix: formatted };
}
