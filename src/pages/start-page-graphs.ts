// Defines the two example graphs of the start page: one to display, and a minimal one to send to the API.
import { toHandle } from '../graph/handles.ts';
import type { Graph, GraphEdge, GraphNode, JsonObject } from '../graph/types.ts';

type NodeRow = readonly [
  id: string,
  label: string,
  nodeType: string,
  x: number,
  y: number,
  config?: JsonObject,
];
type EdgeRow = readonly [source: string, sourcePort: string, target: string, targetPort: string];

const toNode = ([id, label, nodeType, x, y, config = {}]: NodeRow): GraphNode => ({
  id,
  type: 'basedNode',
  position: { x, y },
  data: { label, category: CATEGORIES[nodeType.split(':')[0] ?? ''] ?? 'utility', nodeType, config },
});

const toEdge = ([source, sourcePort, target, targetPort]: EdgeRow): GraphEdge => ({
  id: `${source}-${target}`,
  source,
  sourceHandle: toHandle('out', sourcePort),
  target,
  targetHandle: toHandle('in', targetPort),
});

const CATEGORIES: Readonly<Record<string, string>> = {
  input: 'input',
  generate: 'model',
  output: 'output',
};

const PROMPT = { template: 'A postcard of {{place}} at sunset' };
const GREETING = { template: 'Greetings from {{place}}' };

/** Turns the name of a place into a postcard. */
export const POSTCARD: Graph = {
  nodes: (
    [
      ['place', 'Place', 'input:text', 0, 150, { value: 'Lisbon' }],
      ['prompt', 'Prompt', 'utility:text_template', 340, 20, PROMPT],
      ['greeting', 'Greeting', 'utility:text_template', 340, 290, GREETING],
      ['picture', 'Picture', 'generate:sandbox', 690, 0],
      ['card', 'Card', 'utility:text_to_image_card', 690, 290],
      ['postcard', 'Postcard', 'utility:image_composite', 1040, 130],
      ['result', 'Result', 'output:preview', 1390, 150],
    ] satisfies NodeRow[]
  ).map(toNode),
  edges: (
    [
      ['place', 'text', 'prompt', 'place'],
      ['place', 'text', 'greeting', 'place'],
      ['prompt', 'text', 'picture', 'prompt'],
      ['greeting', 'text', 'card', 'title'],
      ['picture', 'image', 'postcard', 'image'],
      ['card', 'image', 'postcard', 'overlay'],
      ['postcard', 'image', 'result', 'input'],
    ] satisfies EdgeRow[]
  ).map(toEdge),
};

/** The body of a first POST /workflows. */
export const FIRST_WORKFLOW = {
  name: 'Greeting',
  nodes: (
    [
      ['place', 'Place', 'input:text', 0, 0, { value: 'Lisbon' }],
      ['greeting', 'Greeting', 'utility:text_template', 340, 0, GREETING],
    ] satisfies NodeRow[]
  ).map(toNode),
  edges: [toEdge(['place', 'text', 'greeting', 'place'])],
};
