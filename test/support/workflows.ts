// Creates workflows for API tests, with short notations for nodes and edges, and random graphs.
import assert from 'node:assert/strict';
import { createSeededRandom } from '../../src/lib/seeded-random.ts';
import type { ApiUser, TestResponse } from './app.ts';

export interface SentNode {
  readonly id: string;
  readonly type: string;
  readonly position?: { readonly x: number; readonly y: number };
  readonly data: Record<string, unknown>;
  readonly [key: string]: unknown;
}

export interface SentEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly [key: string]: unknown;
}

/** The fields of a workflow that tests read. */
export interface Workflow {
  readonly id: string;
  readonly userId: number;
  readonly name: string;
  readonly description: string | null;
  readonly teamId: string | null;
  readonly folderId: string | null;
  readonly isActive: boolean;
  readonly webhookId: string | null;
  readonly webhookUrl?: string | null;
  readonly linkPermission: string;
  readonly isPublished: boolean;
  readonly publishedSlug: string | null;
  readonly publishedAt: string | null;
  readonly publishSettings: Record<string, unknown> | null;
  readonly poster: string | null;
  readonly media: Record<string, unknown> | null;
  readonly secrets: Record<string, string> | null;
  readonly tags: readonly string[];
  readonly views: number;
  readonly dailyCreditBudget?: number | null;
  readonly lastEditorHeartbeatAt?: string | null;
  readonly isOwner: boolean;
  readonly canEdit: boolean;
  readonly canDuplicate: boolean;
  readonly userRole: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly nodes: readonly SentNode[];
  readonly edges: readonly SentEdge[];
  readonly meta: {
    readonly warnings: readonly string[];
    readonly issues: readonly { readonly code: string; readonly nodeId?: string }[];
  };
}

/** The body of an error response. */
export interface Refusal {
  readonly error: string;
  readonly code: string;
  readonly issues?: readonly { readonly path?: string; readonly nodeId?: string; readonly code: string }[];
}

const EDITOR_TYPES: Readonly<Record<string, string>> = {
  'utility:group': 'groupFrame',
  'utility:sticky_note': 'stickyNote',
};

/** Creates a node of the catalog. `overrides` replaces default fields. */
export function node(
  id: string,
  nodeType: string,
  config: Record<string, unknown> = {},
  overrides: Record<string, unknown> = {},
): SentNode {
  const [family = ''] = nodeType.split(':');
  const category =
    { input: 'input', output: 'output', logic: 'logic', generate: 'model' }[family] ?? 'utility';
  return {
    id,
    type: EDITOR_TYPES[nodeType] ?? 'basedNode',
    position: { x: 0, y: 0 },
    data: { label: id, category, nodeType, config },
    ...overrides,
  };
}

/** Returns the `position` field of a node. */
export const at = (
  x: number,
  y: number,
): { readonly position: { readonly x: number; readonly y: number } } => ({
  position: { x, y },
});

/** Parses `a.text > b.input` into an edge. */
export function edge(notation: string): SentEdge {
  const [source = '', output = '', target = '', input = ''] = notation.split(/ > |\./);
  return { id: notation, source, target, sourceHandle: `out-${output}`, targetHandle: `in-${input}` };
}

/** A text input connected to a preview. */
export const PAIR = {
  nodes: [node('a', 'input:text', { value: 'x' }), node('b', 'output:preview', {}, at(500, 0))],
  edges: [edge('a.text > b.input')],
} as const;

/** A graph whose run waits ten minutes for a delay node. */
export const DELAYED = {
  nodes: [node('a', 'input:text', { value: 'x' }), node('d', 'logic:delay', { ms: 600_000 })],
  edges: [edge('a.text > d.input')],
};

/** Creates a graph with a list of `itemCount` items. Each of `joinCount` nodes joins every item to a text of 990 kB. */
export function createJoinGraph(itemCount: number, joinCount = 1) {
  const joins = Array.from({ length: joinCount }, (_, index) => `join${index}`);
  return {
    nodes: [
      node('list', 'input:list', { items: Array.from({ length: itemCount }, (_, index) => `item ${index}`) }),
      node('text', 'input:text', { value: 'x'.repeat(990_000) }),
      ...joins.map(id => node(id, 'utility:prompt_concat')),
    ],
    edges: joins.flatMap(id => [edge(`list.list > ${id}.text1`), edge(`text.text > ${id}.text2`)]),
  };
}

/** Stores a workflow owned by the user. */
export async function createWorkflow(user: ApiUser, body: Record<string, unknown> = {}): Promise<Workflow> {
  const response = await user.request<Workflow>('POST', '/workflows', { name: 'W', ...PAIR, ...body });
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return response.body;
}

export const readWorkflow = async (user: Pick<ApiUser, 'request'>, id: string): Promise<Workflow> => {
  const response = await user.request<Workflow>('GET', `/workflows/${id}`);
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body;
};

export const putWorkflow = (
  user: Pick<ApiUser, 'request'>,
  id: string,
  body: unknown,
): Promise<TestResponse<Workflow>> => user.request<Workflow>('PUT', `/workflows/${id}`, body);

/** Asserts the status and code and returns the error body. */
export function assertRefused(response: TestResponse<object>, status: number, code: string): Refusal {
  assert.deepEqual([response.status, response.body.code], [status, code], response.body.error);
  return response.body as unknown as Refusal;
}

const WORDS = [
  'a',
  'Grüße',
  '日本語',
  '👩‍🚀🚀',
  'e\u0301',
  'שלום',
  '" \\ /',
  '\u2028',
  '</script>',
  ' ',
  '{{x}}',
];
const KEYS = [
  'x',
  'constructor',
  'toString',
  '0',
  '17',
  'apiKey',
  'ключ',
  'a.b',
  'a/b~c',
  '',
  'config',
  'width',
];
const NUMBERS = [0, -0, 1, -1.5, 0.1, 1e21, 1e-7, 9_007_199_254_740_991, 123.456, -1e-300];
const RANDOM_NODE_TYPES = [
  'input:text',
  'input:number',
  'input:json',
  'input:list',
  'output:preview',
  'utility:prompt_concat',
  'utility:text_template',
  'utility:math',
  'generate:sandbox',
  'logic:if',
  'utility:group',
  'utility:sticky_note',
];

/** Creates a random valid graph with extras that clients send: runtime fields, unknown keys and unusual texts. */
export function randomGraph(seed: number): { nodes: SentNode[]; edges: SentEdge[] } {
  const random = createSeededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const maybe = (chance: number, members: () => Record<string, unknown>): Record<string, unknown> =>
    random() < chance ? members() : {};
  const createValue = (depth: number): unknown => {
    const kind = random();
    if (depth === 0 || kind < 0.3) return pick([pick(WORDS), pick(NUMBERS), true, false, null]);
    if (kind < 0.6) return Array.from({ length: Math.floor(random() * 4) }, () => createValue(depth - 1));
    return Object.fromEntries(
      Array.from({ length: Math.floor(random() * 4) }, () => [pick(KEYS), createValue(depth - 1)]),
    );
  };
  const ids = Array.from({ length: 1 + Math.floor(random() * 12) }, (_, index) => `${pick(WORDS)}-${index}`);
  const nodes = ids.map((id, index) => {
    const nodeType = pick(RANDOM_NODE_TYPES);
    const baseNode = node(id, nodeType, { ...maybe(0.7, () => ({ [`k${pick(KEYS)}`]: createValue(5) })) });
    const { config, ...data } = baseNode.data;
    return {
      ...baseNode,
      position: { x: Math.round(random() * 1e4) / 8, y: index * 400 },
      data: {
        ...data,
        label: pick(WORDS),
        ...maybe(0.8, () => ({ config })),
        ...maybe(0.2, () => ({ params: { seed: pick(NUMBERS) } })),
        ...maybe(0.3, () => ({ [`u${pick(KEYS)}`]: createValue(6) })),
        ...maybe(0.2, () => ({ inputs: [{ id: 'text1', label: 'T', type: 'TEXT', more: createValue(2) }] })),
        ...(nodeType === 'utility:group' ? { config: { childNodeIds: [pick(ids)] } } : {}),
      },
      ...maybe(0.4, () => ({ width: 100, height: 50, selected: true, dragging: false })),
      ...maybe(0.3, () => ({ positionAbsolute: { x: 1, y: 2 }, measured: { width: 300, height: 200 } })),
      ...maybe(0.2, () => ({ style: { width: '320px', height: 240 }, zIndex: pick(NUMBERS) })),
      ...maybe(0.3, () => ({ [`n${pick(KEYS)}`]: createValue(4) })),
    };
  });
  const edges = Array.from({ length: Math.floor(random() * 10) }, (_, index) => ({
    id: `e${index}${pick(WORDS)}`,
    source: pick(ids),
    target: pick(ids),
    ...maybe(0.5, () => ({ sourceHandle: pick(['out-text', null]), targetHandle: 'in-input' })),
    ...maybe(0.3, () => ({ selected: true, animated: true, data: createValue(3) })),
  }));
  return { nodes, edges };
}
