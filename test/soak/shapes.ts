// Creates the workflows of the soak: free ones, and calls to each of the five providers. Each prompt names its run and node.
import { edge, node, type SentEdge, type SentNode } from '../support/workflows.ts';

export interface Shape {
  /** The share of the runs that have this shape, relative to other shapes. */
  readonly weight: number;
  readonly nodes: readonly SentNode[];
  readonly edges: readonly SentEdge[];
  /** The last words of the prompts that each node submits, by node id. */
  readonly prompts: Readonly<Record<string, readonly string[]>>;
  /** The node that waits for approval. */
  readonly approvalNodeId?: string;
}

/** The id of the input node. */
export const INPUT = 'a';

/** Returns the text of the input node in this run. */
export const createInput = (run: number): string => `soak ${run}`;

/** Matches the run and the node in a submitted prompt. */
export const PROMPT = /soak (?<run>\d+) (?<prompt>\w+)/;

const INPUT_NODE = node(INPUT, 'input:text', { value: createInput(0) });
const END = node('end', 'output:preview');

type Subgraph = Pick<Shape, 'nodes' | 'edges' | 'prompts'>;

/** Creates a node that submits one prompt, and the template node that creates the prompt. */
function createPromptNode(id: string, nodeType: string, config: Record<string, unknown> = {}): Subgraph {
  return {
    nodes: [
      node(`${id}_text`, 'utility:text_template', { template: `{{a}} ${id}` }),
      node(id, nodeType, config),
    ],
    edges: [edge(`${INPUT}.text > ${id}_text.a`), edge(`${id}_text.text > ${id}.prompt`)],
    prompts: { [id]: [id] },
  };
}

/** Creates a node that runs once for each of three prompts. */
function createMappedPromptNode(id: string, nodeType: string): Subgraph {
  const prompts = ['i0', 'i1', 'i2'];
  return {
    nodes: [
      node(`${id}_text`, 'utility:text_template', {
        template: prompts.map(prompt => `{{a}} ${prompt}`).join('|'),
      }),
      node(`${id}_list`, 'utility:text_split', { separator: '|' }),
      node(id, nodeType),
    ],
    edges: [
      edge(`${INPUT}.text > ${id}_text.a`),
      edge(`${id}_text.text > ${id}_list.text`),
      edge(`${id}_list.list > ${id}.prompt`),
    ],
    prompts: { [id]: prompts },
  };
}

/** Creates a workflow of the subgraphs, the other nodes, and the edges between them in the notation of `edge`. */
function createShape(
  weight: number,
  subgraphs: readonly Subgraph[],
  nodes: readonly SentNode[],
  notations: readonly string[],
): Shape {
  return {
    weight,
    nodes: [INPUT_NODE, ...subgraphs.flatMap(subgraph => subgraph.nodes), ...nodes, END],
    edges: [...subgraphs.flatMap(subgraph => subgraph.edges), ...notations.map(edge)],
    prompts: Object.assign({}, ...subgraphs.map(subgraph => subgraph.prompts)),
  };
}

const MAX_CREDITS = { maxCredits: 5 };
const COMFY_GRAPH = { workflow: { '1': { class_type: 'Text', inputs: { text: '{{prompt}}' } } } };

/** Creates the workflows by shape. Their HTTP nodes send requests to `hookUrl`. */
export function createShapes(hookUrl: string): Readonly<Record<string, Shape>> {
  return {
    passthrough: createShape(14, [], [], [`${INPUT}.text > end.input`]),
    delay: createShape(
      8,
      [],
      [node('d1', 'logic:delay', { ms: 300 }), node('d2', 'logic:delay', { ms: 1500 })],
      [`${INPUT}.text > d1.input`, 'd1.output > d2.input', 'd2.output > end.input'],
    ),
    drawing: createShape(
      10,
      [],
      [node('p', 'generate:sandbox', { width: 256, height: 256 })],
      [`${INPUT}.text > p.prompt`, 'p.image > end.input'],
    ),
    request: createShape(
      6,
      [],
      [node('r', 'utility:http_request', { method: 'POST', url: `${hookUrl}/site`, timeoutMs: 20_000 })],
      [`${INPUT}.text > r.body`, 'r.text > end.input'],
    ),
    fal: createShape(10, [createPromptNode('m', 'generate:fal_seedream')], [], ['m.image > end.input']),
    replicate: createShape(
      8,
      [createPromptNode('m', 'generate:replicate_flux_pro')],
      [],
      ['m.image > end.input'],
    ),
    openai: createShape(
      6,
      [createPromptNode('m', 'generate:openai_gpt_image', MAX_CREDITS)],
      [],
      ['m.image > end.input'],
    ),
    response: createShape(
      6,
      [createPromptNode('m', 'text:openai_responses', MAX_CREDITS)],
      [],
      ['m.text > end.input'],
    ),
    chat: createShape(
      4,
      [createPromptNode('m', 'text:openai_chat', MAX_CREDITS)],
      [],
      ['m.text > end.input'],
    ),
    sound: createShape(
      6,
      [createPromptNode('m', 'audio:elevenlabs_sound', MAX_CREDITS)],
      [],
      ['m.audio > end.input'],
    ),
    comfy: createShape(
      8,
      [createPromptNode('m', 'generate:comfyui', COMFY_GRAPH)],
      [],
      ['m.image > end.input'],
    ),
    mapped: createShape(
      5,
      [createMappedPromptNode('m', 'generate:fal_seedream')],
      [],
      ['m.image > end.input'],
    ),
    pair: createShape(
      5,
      [createPromptNode('m', 'generate:fal_seedream'), createPromptNode('n', 'generate:replicate_flux_pro')],
      [node('end2', 'output:preview')],
      ['m.image > end.input', 'n.image > end2.input'],
    ),
    approval: {
      ...createShape(
        4,
        [createPromptNode('m', 'generate:fal_seedream')],
        [node('ok', 'logic:approval')],
        ['m.image > ok.input', 'ok.approved > end.input'],
      ),
      approvalNodeId: 'ok',
    },
  };
}
