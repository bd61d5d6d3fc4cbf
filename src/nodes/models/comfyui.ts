// Declares the node that runs a graph on the operator's own ComfyUI server, which costs no credits.
import type { Json, JsonObject } from '../../graph/types.ts';
import { type ComfyCall, comfyui } from '../../providers/comfyui.ts';
import type { Attachment } from '../../providers/provider.ts';
import { defineNode, image, json, type NodeContext, NodeError, number, text, video } from '../define.ts';
import { isJsonObject } from '../limits.ts';
import { attachImage, callProvider, recordFile } from './provider-call.ts';

const ON_COMFYUI = {
  category: 'model',
  source: 'vendor',
  requires: 'comfyui',
} as const;
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
    description: 'ComfyUI outputs nothing if it has just run the same workflow. Change the seed.',
  }),
};
const PORTS = { prompt: text('Prompt'), image: image('Image') };

interface Values {
  readonly workflow: Json;
  readonly seed: number;
  readonly prompt: string | undefined;
  readonly image: Parameters<typeof attachImage>[0] | undefined;
}

export const generateComfyUi = defineNode({
  ...ON_COMFYUI,
  nodeType: 'generate:comfyui',
  label: 'ComfyUI image',
  description: 'Runs a workflow on the ComfyUI server and outputs its first image.',
  inputs: PORTS,
  config: GRAPH,
  outputs: { image: image('Image') },
  run: async (values, ctx) => {
    const delivery = await callProvider('comfyui', comfyui, { graph: await fillGraph(values, ctx) }, ctx);
    return { image: await recordFile(delivery, 'image', 'comfyui', ctx) };
  },
});

export const videoComfyUi = defineNode({
  ...ON_COMFYUI,
  nodeType: 'video:comfyui',
  label: 'ComfyUI video',
  description: 'Runs a workflow on the ComfyUI server and outputs its first file, a video.',
  inputs: PORTS,
  config: GRAPH,
  outputs: { video: video('Video') },
  run: async (values, ctx) => {
    const delivery = await callProvider('comfyui', comfyui, { graph: await fillGraph(values, ctx) }, ctx);
    return { video: await recordFile(delivery, 'video', 'comfyui', ctx) };
  },
});

/** Returns the graph with the ports' values in place of their tokens. Throws NodeError if it is not a valid graph. */
async function fillGraph(
  { workflow, seed, prompt, image }: Values,
  ctx: NodeContext,
): Promise<ComfyCall['graph']> {
  if (!isJsonObject(workflow) || Object.keys(workflow).length > MAX_NODES) {
    throw invalidWorkflow(`must be an object with at most ${MAX_NODES} nodes`);
  }
  const values: Readonly<Record<string, string | number | Attachment | undefined>> = {
    '{{prompt}}': prompt,
    '{{seed}}': Math.round(seed),
    '{{image}}': image === undefined ? undefined : await attachImage(image, ctx),
  };
  const fill = (inputs: JsonObject) =>
    Object.fromEntries(
      Object.entries(inputs).map(([name, value]) => {
        if (typeof value !== 'string' || !Object.hasOwn(values, value)) return [name, value];
        if (values[value] !== undefined) return [name, values[value]];
        throw invalidWorkflow(`uses ${value}, but that port is not connected`);
      }),
    );
  const nodes = Object.entries(workflow).map(([id, node]) => {
    if (isJsonObject(node) && typeof node.class_type === 'string' && isJsonObject(node.inputs)) {
      return [id, { ...node, inputs: fill(node.inputs) }] as const;
    }
    throw invalidWorkflow(
      `has a node ${id.slice(0, 60)} without class_type and inputs. Export it in the API format`,
    );
  });
  return Object.fromEntries(nodes);
}

function invalidWorkflow(problem: string): NodeError {
  return new NodeError('invalid_config', `The workflow ${problem}.`);
}
