// Finds the values and nodes of a ComfyUI graph that people want as inputs and outputs.
import { MAX_CONFIG_PORTS } from '../config-ports.ts';
import { type ApiGraph, type ApiNode, getApiTitle, readApiLink } from './api-graph.ts';
import type { NodeTypes } from './node-types.ts';
import type { ComfyInput, ComfyOutput, ComfyPortType } from './ports.ts';

/** Names of inputs that have a prompt in any node that is no output. */
const PROMPT_NAMES: ReadonlySet<string> = new Set([
  'prompt',
  'text',
  'positive_prompt',
  'negative_prompt',
  'clip_l',
  'clip_g',
  't5xxl',
  'text_g',
  'text_l',
  'tags',
  'lyrics',
]);
/** Nodes of a single value, by the name of the input. */
const PROMPT_NODES: Readonly<Record<string, string>> = {
  PrimitiveString: 'value',
  PrimitiveStringMultiline: 'value',
};
/** Nodes that load a file of the user: the name of the input, and the type. */
export const LOADERS: Readonly<Record<string, readonly [input: string, type: ComfyPortType]>> = {
  LoadImage: ['image', 'IMAGE'],
  LoadImageMask: ['image', 'IMAGE'],
  LoadImageOutput: ['image', 'IMAGE'],
  LoadVideo: ['file', 'VIDEO'],
  LoadAudio: ['audio', 'AUDIO'],
  VHS_LoadVideo: ['video', 'VIDEO'],
  VHS_LoadVideoFFmpeg: ['video', 'VIDEO'],
  VHS_LoadAudioUpload: ['audio', 'AUDIO'],
};
/** Nodes whose files or texts are results. */
const OUTPUTS: Readonly<Record<string, ComfyPortType>> = {
  SaveImage: 'IMAGE',
  SaveImageAdvanced: 'IMAGE',
  PreviewImage: 'IMAGE',
  SaveAnimatedPNG: 'IMAGE',
  SaveAnimatedWEBP: 'IMAGE',
  SaveVideo: 'VIDEO',
  SaveWEBM: 'VIDEO',
  VHS_VideoCombine: 'VIDEO',
  SaveAudio: 'AUDIO',
  SaveAudioMP3: 'AUDIO',
  SaveAudioOpus: 'AUDIO',
  SaveAudioAdvanced: 'AUDIO',
  PreviewAudio: 'AUDIO',
  PreviewAny: 'TEXT',
  SaveText: 'TEXT',
  'ShowText|pysssss': 'TEXT',
};
/** Unknown types whose name says that they save or show something. */
const OUTPUT_NAMES: readonly (readonly [RegExp, ComfyPortType])[] = [
  [/(?:save|preview|combine|show).*video|video.*(?:save|preview|combine)/i, 'VIDEO'],
  [/(?:save|preview).*audio|audio.*(?:save|preview)/i, 'AUDIO'],
  [/show.*(?:text|any)|(?:text|string).*show|display.*(?:text|any)/i, 'TEXT'],
  [/(?:save|preview).*image|image.*(?:save|preview)/i, 'IMAGE'],
];
/** More than this many prompts make a board harder to read. */
const MAX_PROMPTS = 20;

/** Suggests the prompts and loaded media as inputs. */
export function suggestInputs(graph: ApiGraph, types: NodeTypes): readonly ComfyInput[] {
  const names = createNames();
  const consumers = listUses(graph);
  const inputs: ComfyInput[] = [];
  let prompts = 0;
  for (const [node, { class_type, inputs: values, _meta }] of Object.entries(graph)) {
    const loader = Object.hasOwn(LOADERS, class_type) ? LOADERS[class_type] : undefined;
    if (loader !== undefined && typeof values[loader[0]] === 'string') {
      const [input, type] = loader;
      const title = getOwnTitle(class_type, _meta?.title);
      inputs.push({ ...names(title ?? TYPE_LABELS[type]), type, node, input });
      continue;
    }
    if (types.find(class_type)?.isOutput || findOutputType(graph, node, types) !== undefined) continue;
    for (const [input, value] of Object.entries(values)) {
      if (typeof value !== 'string' || !isPrompt(class_type, input) || prompts === MAX_PROMPTS) continue;
      prompts++;
      inputs.push({ ...names(getPromptLabel(graph, node, input, consumers)), type: 'TEXT', node, input });
    }
  }
  return inputs.slice(0, MAX_CONFIG_PORTS);
}

/** Suggests the nodes that save or show a result as outputs. */
export function suggestOutputs(graph: ApiGraph, types: NodeTypes): readonly ComfyOutput[] {
  const names = createNames();
  return Object.entries(graph)
    .flatMap(([node, { class_type, _meta }]) => {
      const type = findOutputType(graph, node, types);
      if (type === undefined) return [];
      return [{ ...names(getOwnTitle(class_type, _meta?.title) ?? TYPE_LABELS[type]), type, node }];
    })
    .slice(0, MAX_CONFIG_PORTS);
}

export const TYPE_LABELS: Readonly<Record<ComfyPortType, string>> = {
  IMAGE: 'Image',
  VIDEO: 'Video',
  AUDIO: 'Audio',
  TEXT: 'Text',
  NUMBER: 'Number',
  JSON: 'JSON',
};

export const isPrompt = (classType: string, input: string): boolean =>
  PROMPT_NAMES.has(input) || (Object.hasOwn(PROMPT_NODES, classType) && PROMPT_NODES[classType] === input);

/** Returns the type of the results of a node that saves or shows something. */
export function findOutputType(graph: ApiGraph, id: string, types: NodeTypes): ComfyPortType | undefined {
  const { class_type } = graph[id] as ApiNode;
  if (Object.hasOwn(OUTPUTS, class_type)) return OUTPUTS[class_type];
  if (types.find(class_type) !== undefined) return undefined;
  return OUTPUT_NAMES.find(([pattern]) => pattern.test(class_type))?.[1];
}

/** Returns the title that a person gave the node, not the one that ComfyUI shows for its type. */
export function getOwnTitle(classType: string, title: string | undefined): string | undefined {
  if (title === undefined || title.trim() === '') return undefined;
  const simplify = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const [own, type] = [simplify(title), simplify(classType)];
  const isDefault = own === type || DEFAULT_TITLES.has(own);
  return isDefault ? undefined : title.trim().slice(0, 60);
}

/** ComfyUI's own names of frequent types. */
const DEFAULT_TITLES: ReadonlySet<string> = new Set([
  'cliptextencodeprompt',
  'loadimage',
  'saveimage',
  'previewimage',
  'loadvideo',
  'savevideo',
  'loadaudio',
  'saveaudio',
  'previewasanytype',
  'previewany',
  'string',
  'stringmultiline',
  'textmultiline',
]);

export interface Use {
  readonly node: string;
  readonly input: string;
}

/** Returns the inputs that use each node. */
export function listUses(graph: ApiGraph): ReadonlyMap<string, readonly Use[]> {
  const uses = new Map<string, Use[]>();
  for (const [node, { inputs }] of Object.entries(graph))
    for (const [input, value] of Object.entries(inputs)) {
      const link = readApiLink(value);
      if (link === undefined) continue;
      const list = uses.get(link.node);
      if (list === undefined) uses.set(link.node, [{ node, input }]);
      else list.push({ node, input });
    }
  return uses;
}

const MAX_HOPS = 6;

/** Names a prompt by the title of its node, or by what it is used for. */
export function getPromptLabel(
  graph: ApiGraph,
  id: string,
  input: string,
  uses: ReadonlyMap<string, readonly Use[]>,
): string {
  const node = graph[id] as ApiNode;
  const title = getOwnTitle(node.class_type, getApiTitle(node));
  if (title !== undefined) return title;
  if (/negative/.test(input)) return 'Negative prompt';
  let current = [id];
  for (let hop = 0; hop < MAX_HOPS && current.length > 0; hop++) {
    const next = current.flatMap(nodeId => uses.get(nodeId) ?? []);
    if (next.some(use => use.input.includes('positive'))) return 'Prompt';
    if (next.some(use => use.input.includes('negative'))) return 'Negative prompt';
    current = [...new Set(next.map(use => use.node))].slice(0, 50);
  }
  return 'Prompt';
}

/** Returns a function that returns a label and an id which it has not returned before. `taken` are ids that it may not return. */
export function createNames(
  taken: Iterable<string> = [],
): (label: string) => { readonly id: string; readonly label: string } {
  const counts = new Map<string, number>();
  const used = new Set(taken);
  return label => {
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    const shown = count === 1 ? label : `${label} ${count}`;
    const base = toPortId(shown);
    let id = base;
    for (let number = 2; used.has(id); number++) id = `${base}_${number}`;
    used.add(id);
    return { id, label: shown };
  };
}

/** Fields of the node, and names that objects have. */
const RESERVED: ReadonlySet<string> = new Set([
  'graph',
  'source',
  'inputs',
  'outputs',
  'seeds',
  'constructor',
]);

function toPortId(label: string): string {
  const id = label
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 40);
  return id === '' || RESERVED.has(id) ? `port_${id}`.replace(/_$/, '') : id;
}
