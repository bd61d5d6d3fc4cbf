// Declares the node that runs a graph on the operator's own ComfyUI server, which costs no credits.
import { isJsonObject, type Json, type JsonObject, type MediaRef } from '../../graph/types.ts';
import type { ComfyCall } from '../../providers/comfyui.ts';
import type { Attachment } from '../../providers/provider.ts';
import { callComfyServer } from '../comfyui/call-server.ts';
import { defineNode, image, json, type NodeContext, NodeError, number, text, video } from '../define.ts';
import { attachImage, storeFirstFile } from './provider-call.ts';

const MAX_NODES = 500;

const GRAPH = {
  workflow: json('Workflow', {
    required: true,
    description:
      'A ComfyUI workflow in the API format. Inputs set to "{{prompt}}", "{{seed}}" or "{{image}}" get that value.',
  }),
  seed: number('Seed', {
    default: 0,
    min: 0,
    max: 2_147_483_647,
    integer: true,
    description: 'ComfyUI outputs nothing if it has just run the same workflow. Change the seed.',
  }),
};
const COMFYUI_NODE = {
  category: 'model',
  source: 'vendor',
  // comfyui:workflow replaces it. Existing graphs keep it.
  hidden: true,
  requires: 'comfyui',
  inputs: { prompt: text('Prompt'), image: image('Image') },
  config: GRAPH,
} as const;

interface ComfyValues {
  readonly workflow: Json;
  readonly seed: number;
  readonly prompt: string | undefined;
  readonly image: Parameters<typeof attachImage>[0] | undefined;
}

export const generateComfyUi = defineNode({
  ...COMFYUI_NODE,
  nodeType: 'generate:comfyui',
  label: 'ComfyUI image',
  description: 'Runs a workflow on the ComfyUI server and outputs its first image.',
  outputs: { image: image('Image') },
  run: async (values, ctx) => ({ image: await requestFile('image', values, ctx) }),
});

export const videoComfyUi = defineNode({
  ...COMFYUI_NODE,
  nodeType: 'video:comfyui',
  label: 'ComfyUI video',
  description: 'Runs a workflow on the ComfyUI server and outputs its first file, a video.',
  outputs: { video: video('Video') },
  run: async (values, ctx) => ({ video: await requestFile('video', values, ctx) }),
});

async function requestFile(
  kind: 'image' | 'video',
  values: ComfyValues,
  ctx: NodeContext,
): Promise<MediaRef> {
  const output = await callComfyServer({ graph: await fillGraph(values, ctx) }, ctx);
  return storeFirstFile(output, kind, 'comfyui', ctx);
}

/** Returns the graph with the ports' values in place of their tokens. Throws NodeError if it is not a valid graph. */
async function fillGraph(
  { workflow, seed, prompt, image }: ComfyValues,
  ctx: NodeContext,
): Promise<ComfyCall['graph']> {
  if (!isJsonObject(workflow) || Object.keys(workflow).length > MAX_NODES) {
    throw createWorkflowError(`must be an object with at most ${MAX_NODES} nodes`);
  }
  const values: Readonly<Record<string, string | number | Attachment | undefined>> = {
    '{{prompt}}': prompt,
    '{{seed}}': seed,
    '{{image}}': image === undefined ? undefined : await attachImage(image, ctx),
  };
  const fill = (inputs: JsonObject) =>
    Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => {
        if (typeof value !== 'string' || !Object.hasOwn(values, value)) return [name, value];
        if (values[value] !== undefined) return [name, values[value]];
        throw createWorkflowError(`uses ${value}, but that port is not connected`);
      }),
    );
  const nodes = Object.entries(workflow).map(([id, node]) => {
    if (isJsonObject(node) && typeof node.class_type === 'string' && isJsonObject(node.inputs)) {
      return [id, { ...node, inputs: fill(node.inputs) }] as const;
    }
    throw createWorkflowError(
      `has a node ${id.slice(0, 60)} without class_type and inputs. Export it in the API format`,
    );
  });
  return Object.fromEntries(nodes);
}

function createWorkflowError(problem: string): NodeError {
  return new NodeError('invalid_config', `The workflow ${problem}.`);
}
