// Builds files in ComfyUI's UI format for tests.
import { convertGraph } from '../../../src/graph/comfyui/convert.ts';
import { type NodeTypes, readNodeInfo } from '../../../src/graph/comfyui/node-types.ts';
import { readUiGraph } from '../../../src/graph/comfyui/ui-graph.ts';
import type { UnknownObject } from '../../../src/graph/types.ts';

const toInfo = (required: object, output: readonly string[], more: object = {}) => ({
  input: { required },
  input_order: { required: Object.keys(required) },
  output,
  ...more,
});

/** Entries of `/object_info`, in the form of real servers. */
export const OBJECT_INFO = {
  CheckpointLoaderSimple: toInfo({ ckpt_name: [['a.safetensors', 'b.safetensors'], {}] }, [
    'MODEL',
    'CLIP',
    'VAE',
  ]),
  CLIPTextEncode: toInfo(
    { text: ['STRING', { multiline: true, dynamicPrompts: true }], clip: ['CLIP', {}] },
    ['CONDITIONING'],
  ),
  EmptyLatentImage: toInfo(
    {
      width: ['INT', { default: 512 }],
      height: ['INT', { default: 512 }],
      batch_size: ['INT', { default: 1 }],
    },
    ['LATENT'],
  ),
  KSampler: toInfo(
    {
      model: ['MODEL', {}],
      seed: ['INT', { default: 0, control_after_generate: true }],
      steps: ['INT', { default: 20 }],
      cfg: ['FLOAT', { default: 8 }],
      sampler_name: [['euler', 'ddim'], {}],
      scheduler: [['normal', 'karras'], {}],
      positive: ['CONDITIONING', {}],
      negative: ['CONDITIONING', {}],
      latent_image: ['LATENT', {}],
      denoise: ['FLOAT', { default: 1 }],
    },
    ['LATENT'],
  ),
  VAEDecode: toInfo({ samples: ['LATENT', {}], vae: ['VAE', {}] }, ['IMAGE']),
  LoadImage: toInfo({ image: [['example.png'], { image_upload: true }] }, ['IMAGE', 'MASK']),
  ImageScale: toInfo(
    { image: ['IMAGE', {}], method: [['nearest', 'area'], {}], width: ['INT', { default: 512 }] },
    ['IMAGE'],
  ),
  SaveImage: toInfo({ images: ['IMAGE', {}], filename_prefix: ['STRING', { default: 'ComfyUI' }] }, [], {
    output_node: true,
  }),
  Resize: toInfo(
    {
      input: ['IMAGE', {}],
      kind: [
        'COMFY_DYNAMICCOMBO_V3',
        {
          options: [
            { key: 'size', inputs: { required: { width: ['INT', {}], height: ['INT', {}] } } },
            { key: 'factor', inputs: { required: { factor: ['FLOAT', {}] } } },
          ],
        },
      ],
      method: ['COMBO', { options: ['area', 'lanczos'] }],
    },
    ['IMAGE'],
  ),
  Choice: toInfo({ name: [['a', 'b'], { control_after_generate: true }], count: ['INT', { default: 1 }] }, [
    'STRING',
  ]),
  Sockets: toInfo(
    {
      seed: ['INT', { forceInput: true }],
      text: ['STRING', {}],
      name: [['a', 'b'], { control_after_generate: true }],
    },
    ['STRING'],
  ),
} as const;

export const types: NodeTypes = {
  find: type =>
    Object.hasOwn(OBJECT_INFO, type)
      ? readNodeInfo(OBJECT_INFO[type as keyof typeof OBJECT_INFO])
      : undefined,
};

export type InputFields = {
  readonly name: string;
  readonly type?: string;
  readonly link?: number | null;
  readonly widget?: { readonly name: string };
};

/** Returns a node. Inputs and outputs are given as name to link id, and as types. */
export function makeNode(
  id: number,
  type: string,
  more: {
    readonly inputs?: readonly InputFields[];
    readonly outputs?: readonly string[];
    readonly values?: unknown;
    readonly mode?: number;
    readonly [key: string]: unknown;
  } = {},
): UnknownObject {
  const { inputs = [], outputs = [], values = [], ...fields } = more;
  return {
    id,
    type,
    pos: [0, 0],
    size: [200, 100],
    mode: 0,
    inputs: inputs.map(({ type = '*', link = null, ...input }) => ({ type, link, ...input })),
    outputs: outputs.map(type => ({ name: type, type, links: null })),
    properties: { 'Node name for S&R': type },
    widgets_values: values,
    ...fields,
  };
}

export const makeFile = (
  nodes: readonly unknown[],
  links: readonly unknown[] = [],
  more: object = {},
): UnknownObject => ({
  last_node_id: 99,
  last_link_id: 99,
  nodes,
  links,
  groups: [],
  config: {},
  extra: {},
  version: 0.4,
  ...more,
});

export const convert = (file: UnknownObject) => convertGraph(readUiGraph(file), types);

/** Converts the file and returns the inputs of a node. */
export const getInputs = (file: UnknownObject, id: string | number) =>
  convert(file).graph[String(id)]?.inputs;

/** A text-to-image graph as ComfyUI saves it, and the prompt that ComfyUI makes from it. */
export const TEXT_TO_IMAGE = makeFile(
  [
    makeNode(4, 'CheckpointLoaderSimple', { outputs: ['MODEL', 'CLIP', 'VAE'], values: ['a.safetensors'] }),
    makeNode(6, 'CLIPTextEncode', {
      inputs: [{ name: 'clip', type: 'CLIP', link: 3 }],
      outputs: ['CONDITIONING'],
      values: ['a fox'],
      title: 'Prompt',
    }),
    makeNode(7, 'CLIPTextEncode', {
      inputs: [{ name: 'clip', type: 'CLIP', link: 5 }],
      outputs: ['CONDITIONING'],
      values: ['blurry'],
    }),
    makeNode(5, 'EmptyLatentImage', { outputs: ['LATENT'], values: [640, 480, 1] }),
    makeNode(3, 'KSampler', {
      inputs: [
        { name: 'model', type: 'MODEL', link: 1 },
        { name: 'positive', type: 'CONDITIONING', link: 4 },
        { name: 'negative', type: 'CONDITIONING', link: 6 },
        { name: 'latent_image', type: 'LATENT', link: 2 },
      ],
      outputs: ['LATENT'],
      values: [42, 'randomize', 30, 7.5, 'ddim', 'karras', 0.9],
    }),
    makeNode(8, 'VAEDecode', {
      inputs: [
        { name: 'samples', type: 'LATENT', link: 7 },
        { name: 'vae', type: 'VAE', link: 8 },
      ],
      outputs: ['IMAGE'],
    }),
    makeNode(9, 'SaveImage', { inputs: [{ name: 'images', type: 'IMAGE', link: 9 }], values: ['fox'] }),
    makeNode(10, 'Note', { values: ['Try another seed.'] }),
  ],
  [
    [1, 4, 0, 3, 0, 'MODEL'],
    [2, 5, 0, 3, 3, 'LATENT'],
    [3, 4, 1, 6, 0, 'CLIP'],
    [4, 6, 0, 3, 1, 'CONDITIONING'],
    [5, 4, 1, 7, 0, 'CLIP'],
    [6, 7, 0, 3, 2, 'CONDITIONING'],
    [7, 3, 0, 8, 0, 'LATENT'],
    [8, 4, 2, 8, 1, 'VAE'],
    [9, 8, 0, 9, 0, 'IMAGE'],
    null,
  ],
  { groups: [{ title: 'Text', bounding: [-10, -10, 400, 300], color: '#3f789e' }] },
);
