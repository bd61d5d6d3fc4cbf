// The workflows of the soak: free ones, and calls to each of the five providers with a prompt that names run and node.
import { edge, node, type SentEdge, type SentNode } from '../support/workflows.ts';

export interface Shape {
  /** Share of the runs. */
  readonly weight: number;
  readonly nodes: readonly SentNode[];
  readonly edges: readonly SentEdge[];
  /** Maps node id to the last words of the prompts that it submits. */
  readonly prompts: Readonly<Record<string, readonly string[]>>;
  /** The node that waits for a decision. */
  readonly decides?: string;
}

/** The input node, whose text is `createInput(run)` in each run. */
export const INPUT = 'a';

export function createInput(run: number): string {
  return `soak ${run}`;
}

/** How a submission names its node. */
export const PROMPT = /soak (?<run>\d+) (?<prompt>\w+)/;

const INPUT_NODE = node(INPUT, 'input:text', { value: createInput(0) });
const END = node('end', 'output:preview');

type Parts = Pick<Shape, 'nodes' | 'edges' | 'prompts'>;

/** A node that submits one prompt, and the template that creates the prompt. */
function createPromptNode(id: string, nodeType: string, config: Record<string, unknown> = {}): Parts {
  return {
    nodes: [
      node(`${id}_text`, 'utility:text_template', { template: `{{a}} ${id}` }),
      node(id, nodeType, config),
    ],
    edges: [edge(`${INPUT}.text > ${id}_text.a`), edge(`${id}_text.text > ${id}.prompt`)],
    prompts: { [id]: [id] },
  };
}

/** A node that runs for each of three prompts. */
function createMappedPromptNode(id: string, nodeType: string): Parts {
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

/** The parts side by side, followed by their edges. */
function shape(
  weight: number,
  parts: readonly Parts[],
  nodes: readonly SentNode[],
  wires: readonly string[],
): Shape {
  return {
    weight,
    nodes: [INPUT_NODE, ...parts.flatMap(part => part.nodes), ...nodes, END],
    edges: [...parts.flatMap(part => part.edges), ...wires.map(edge)],
    prompts: Object.assign({}, ...parts.map(part => part.prompts)),
  };
}

const MAX_CREDITS = { maxCredits: 5 };
const COMFY_GRAPH = { workflow: { '1': { class_type: 'Text', inputs: { text: '{{prompt}}' } } } };

/** `site` is a URL that answers requests of the nodes themselves. */
export function makeShapes(site: string): Readonly<Record<string, Shape>> {
  return {
    swift: shape(14, [], [], [`${INPUT}.text > end.input`]),
    delay: shape(
      8,
      [],
      [node('d1', 'logic:delay', { ms: 300 }), node('d2', 'logic:delay', { ms: 1500 })],
      [`${INPUT}.text > d1.input`, 'd1.output > d2.input', 'd2.output > end.input'],
    ),
    drawing: shape(
      10,
      [],
      [node('p', 'generate:sandbox', { width: 256, height: 256 })],
      [`${INPUT}.text > p.prompt`, 'p.image > end.input'],
    ),
    request: shape(
      6,
      [],
      [node('r', 'utility:http_request', { method: 'POST', url: `${site}/site`, timeoutMs: 20_000 })],
      [`${INPUT}.text > r.body`, 'r.text > end.input'],
    ),
    fal: shape(10, [createPromptNode('m', 'generate:fal_seedream')], [], ['m.image > end.input']),
    replicate: shape(8, [createPromptNode('m', 'generate:replicate_flux_pro')], [], ['m.image > end.input']),
    openai: shape(
      6,
      [createPromptNode('m', 'generate:openai_gpt_image', MAX_CREDITS)],
      [],
      ['m.image > end.input'],
    ),
    response: shape(
      6,
      [createPromptNode('m', 'text:openai_responses', MAX_CREDITS)],
      [],
      ['m.text > end.input'],
    ),
    chat: shape(4, [createPromptNode('m', 'text:openai_chat', MAX_CREDITS)], [], ['m.text > end.input']),
    sound: shape(
      6,
      [createPromptNode('m', 'audio:elevenlabs_sound', MAX_CREDITS)],
      [],
      ['m.audio > end.input'],
    ),
    comfy: shape(8, [createPromptNode('m', 'generate:comfyui', COMFY_GRAPH)], [], ['m.image > end.input']),
    mapped: shape(5, [createMappedPromptNode('m', 'generate:fal_seedream')], [], ['m.image > end.input']),
    pair: shape(
      5,
      [createPromptNode('m', 'generate:fal_seedream'), createPromptNode('n', 'generate:replicate_flux_pro')],
      [node('end2', 'output:preview')],
      ['m.image > end.input', 'n.image > end2.input'],
    ),
    approval: {
      ...shape(
        4,
        [createPromptNode('m', 'generate:fal_seedream')],
        [node('ok', 'logic:approval')],
        ['m.image > ok.input', 'ok.approved > end.input'],
      ),
      decides: 'ok',
    },
  };
}
