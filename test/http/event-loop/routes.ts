// Lists what the largest requests need: members of bodies that schemas do not describe, and bodies that cause much work.
import type { BodySchema } from '../../support/http/random-body.ts';
import { MAX_BYTES, makeNode } from './graphs.ts';
import type { Fixtures } from './probes.ts';

/** A route of the OpenAPI document. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** Names of the query parameters that are text. */
  readonly queryNames: readonly string[];
  /** Media types of the body. */
  readonly accepts: readonly string[];
  /** Schema of the JSON body. */
  readonly body: BodySchema | undefined;
  /** Whether the route needs no key. */
  readonly isOpen: boolean;
  /** Whether the route accepts only a session. */
  readonly needsSession: boolean;
}

/** Routes that accept a body other than JSON, and why no probe sends such a body. */
export const OTHER_BODIES: Readonly<Record<string, string>> = {
  'POST /api/v1/media/upload': 'a file, which threads of libvips decode',
  'POST /api/v1/apps/{slug}/media': 'a file, which threads of libvips decode',
  'PUT /uploads/{mediaId}': 'a file, which is streamed to disk',
  'POST /api/v1/tables': 'a table, whose rows and lines are limited before they are parsed',
};

const createItems = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index));
const KEYS = Object.fromEntries(createItems(49_000, index => [`key${index}`, 'a'.repeat(60)]));
const OBJECTS = createItems(390_000, () => ({ a: 1 }));

/** The size of the largest bodies. */
export const BODY_BYTES = MAX_BYTES - 10_000;

const UNREACHABLE_URL = 'https://localhost:9/';
const EMAIL = 'somebody@example.com';
const GRAPH = { nodes: [makeNode('n0')], edges: [] };
const CONTENT = {
  heroImage: '/a.png',
  ogImage: '/a.png',
  canonicalUrl: UNREACHABLE_URL,
  c2aLink: '/a',
  valueProps: [],
  howToSteps: [],
  crossLinks: [],
  contentBlocks: [],
};
/** The inputs are empty, because LARGE_REQUESTS has probes for them. */
const RUN = {
  inputs: {},
  config: {},
  pins: {},
  targets: ['n0'],
  webhook: undefined,
  keep: undefined,
  useSample: undefined,
};

/** As many rows as a batch may have. The service converts tables and matrices to rows. */
const BATCH = {
  rows: createItems(10_000, () => ({ inputs: {} })),
  tableId: undefined,
  mapping: undefined,
  keyColumn: undefined,
  matrix: undefined,
  webhook: undefined,
};
const EVERY_DAY = { cron: '0 9 * * *', everySeconds: undefined, timeZone: 'Europe/Berlin' };
const NO_CHOICE = { fal: null, replicate: null, openai: null, elevenlabs: null, comfyui: null };

/**
 * Members of the largest bodies that must follow rules beyond the schema. Undefined members are omitted. Add a row for a
 * new route that rejects its largest body with 400.
 */
export const REQUIRED_MEMBERS: Readonly<Record<string, object>> = {
  'POST /api/v1/workflows': { ...GRAPH, id: undefined, folderId: undefined, mediaId: undefined },
  'POST /api/v1/workflows/{id}/duplicate': { folderId: null },
  'POST /api/v1/templates/{id}/duplicate': { folderId: null },
  'PUT /api/v1/workflows/{id}': { ...GRAPH, folderId: null },
  'POST /api/v1/workflows/import': {
    ...GRAPH,
    components: undefined,
    media: undefined,
    source: undefined,
    mediaId: undefined,
    dryRun: undefined,
  },
  'POST /api/v1/workflows/{id}/publish': { settings: { title: 'a'.repeat(200) } },
  'POST /api/v1/workflows/{id}/run': RUN,
  'POST /api/v1/workflows/{id}/execute': RUN,
  'POST /api/v1/workflows/{id}/estimate': RUN,
  'POST /api/v1/executions/{id}/resume': {
    inputs: {},
    fromNodeId: 'n0',
    webhook: undefined,
    decision: undefined,
  },
  'POST /api/v1/executions/{id}/approvals/{nodeId}': { edits: { input: 'a'.repeat(3_000_000) } },
  'POST /api/v1/workflows/{id}/callers/update': { version: 'latest', cursor: undefined },
  'POST /api/v1/workflows/{id}/batches': BATCH,
  'POST /api/v1/workflows/{id}/batches/estimate': BATCH,
  'POST /api/v1/workflows/{id}/schedules': { ...EVERY_DAY, inputs: {}, version: 'current' },
  'POST /api/v1/schedules/preview': EVERY_DAY,
  'POST /api/v1/schedules/{id}/backfill': { from: '2026-01-02T03:04:05Z', to: '2026-02-02T03:04:05Z' },
  'POST /api/v1/workflows/{id}/triggers': { kind: 'hook', config: undefined, inputs: {} },
  'PATCH /api/v1/triggers/{id}': { config: undefined, inputs: {} },
  'POST /api/v1/notices/read': { all: undefined },
  'POST /api/v1/credentials/test': {
    kind: 'comfyui',
    values: { baseUrl: UNREACHABLE_URL },
    owner: undefined,
  },
  'PUT /api/v1/workflows/{id}/credentials': NO_CHOICE,
  'POST /api/v1/webhooks/test': { url: UNREACHABLE_URL },
  'PUT /api/v1/workflows/{id}/permissions': { userId: undefined, email: EMAIL },
  'POST /api/v1/keys': { expiresAt: '2100-01-02T03:04:05Z' },
  'POST /api/v1/auth/setup': { email: EMAIL },
  'POST /api/v1/teams/{id}/members': { userId: undefined, email: EMAIL },
  'POST /api/v1/teams/{id}/invitations': { email: EMAIL },
  'POST /api/v1/admin/users': { email: EMAIL, invite: undefined, plan: 'free' },
  'PATCH /api/v1/admin/users/{userId}': { plan: 'free' },
  'POST /api/v1/admin/models': { models: [] },
  'POST /api/v1/admin/credits': { teamId: undefined },
  'POST /api/v1/media/upload-url': { contentType: 'image/png' },
  'POST /api/v1/media/upload-url/complete': { mediaId: `med_${'0'.repeat(26)}` },
  'POST /api/v1/media/upload': { url: undefined, dataUrl: `data:image/png;base64,${'A'.repeat(4_000_000)}` },
  'POST /api/v1/render/renderer/preview': {
    sceneGraph: { fps: 30, width: 64, height: 64, scenes: [{ duration: 1, elements: [] }] },
    format: 'png',
    frames: [0],
    range: undefined,
    templateId: undefined,
    workflowId: undefined,
    nodeId: undefined,
  },
  'POST /api/content/webhook': CONTENT,
  'PUT /api/content/webhook': CONTENT,
};

/** Routes that always reject their largest body with 400, and why. */
export const REJECTING_ROUTES: Readonly<Record<string, string>> = {
  'POST /api/v1/auth/setup': 'needs a setup link',
  'POST /api/v1/auth/accept-invite': 'needs an invitation',
  'POST /api/v1/admin/models/plan': 'needs a configured provider',
  'PUT /api/v1/workflows/{id}/app': 'needs the nodes that it names',
  'PUT /api/v1/admin/groups': 'needs the teams that it names',
};

/** Creates a body with many unknown properties, and many objects in a known property. */
export const createInvalidBody = (member: string): object => ({
  [member]: OBJECTS.slice(0, 190_000),
  ...Object.fromEntries(Object.entries(KEYS).slice(0, 24_000)),
});

/** URL encoding triples the length of this text. The request line and headers are limited to 16 KB. */
export const LONG_QUERY_VALUE = '%_\\'.repeat(1000);

/** Fills the parameters of a path. The user is not the caller, because a request could disable that account. */
export const fillParameters = (path: string, { storedIds, executionId }: Fixtures): string =>
  path
    .replace('executions/{id}', `executions/${executionId}`)
    .replace('{id}', storedIds['the largest graph for the layout'] ?? '')
    .replace('{nodeId}', 'n0')
    .replace('{userId}', '999')
    .replace('{slug}', 'a-many-nodes')
    .replaceAll(/\{\w+\}/g, '1');

export interface LargeRequest {
  readonly method: 'POST' | 'PUT';
  /** The name of a graph in braces is replaced by the id of its workflow. */
  readonly path: string;
  readonly createBody: () => object;
  /** Credentials that are sent instead of the key. */
  readonly secret?: string;
}

export const CONTENT_SECRET = 'a-secret-of-content';
/** Creates a page that repeats the markdown. A page may have 120,000 characters. */
const createPageRequest = (part: string): LargeRequest => ({
  method: 'POST',
  path: '/api/content/webhook',
  createBody: () => ({
    slug: `a-page-${Buffer.from(part).toString('hex')}`,
    title: `A page of ${part}`,
    type: 'ARTICLE',
    body_markdown: part.repeat(Math.floor(110_000 / part.length)),
  }),
  secret: CONTENT_SECRET,
});

const TEXT_ELEMENT = { type: 'text', text: 'a' };
const createPreviewRequest = (scenes: number, elements: number, element: object): LargeRequest => ({
  method: 'POST',
  path: '/api/v1/render/renderer/preview',
  createBody: () => ({
    sceneGraph: {
      fps: 30,
      width: 64,
      height: 64,
      scenes: createItems(scenes, () => ({ duration: 1, elements: createItems(elements, () => element) })),
    },
    frames: [0],
  }),
});

const createInputsRequest = (action: string, inputs: object): LargeRequest => ({
  method: 'POST',
  path: `/api/v1/workflows/{a long list}/${action}`,
  createBody: () => ({ inputs }),
});

/** Requests that cause much work, by description. */
export const LARGE_REQUESTS: Readonly<Record<string, LargeRequest>> = {
  'a page of emphasis': createPageRequest('*a **b '),
  'a page of brackets': createPageRequest('[a]('),
  'a page of quotes': createPageRequest('> '),
  'a page of lists': createPageRequest('- a\n'),
  'a page of tables': createPageRequest('|a|b|\n|-|-|\n'),
  'a page of code': createPageRequest('`'),
  'a scene of many unknown elements': createPreviewRequest(1, 390_000, {}),
  'a scene of too many texts': createPreviewRequest(1, 120_000, TEXT_ELEMENT),
  'many scenes of too many texts': createPreviewRequest(12, 10_000, TEXT_ELEMENT),
  'a scene of the most texts': createPreviewRequest(1, 10_000, TEXT_ELEMENT),
  'a long input': createInputsRequest('run', { n0: OBJECTS }),
  'many unknown inputs': createInputsRequest('run', KEYS),
  'a long input, estimated': createInputsRequest('estimate', { n0: OBJECTS }),
  'many unknown inputs, estimated': createInputsRequest('estimate', KEYS),
  'a client with many redirect URIs': {
    method: 'POST',
    path: '/oauth/register',
    createBody: () => ({ redirect_uris: createItems(2000, index => `https://a.example/${index}`) }),
  },
  'a batch of many messages': {
    method: 'POST',
    path: '/mcp',
    createBody: () => createItems(20_000, id => ({ jsonrpc: '2.0', id, method: 'ping' })),
  },
};

/** A graph whose inputs and config the batches below vary. */
export const FEW_NODES = {
  nodes: [makeNode('text', 'input:text'), makeNode('json', 'input:json'), makeNode('join')],
  edges: [],
};

/** The largest batches, by description. They pause at once, because their runs are not measured. */
const LARGE_BATCHES: Readonly<Record<string, () => object>> = {
  'many rows': () => ({
    rows: createItems(10_000, index => ({ inputs: { text: `${index} ${'a'.repeat(370)}` } })),
  }),
  'long metadata': () => ({ rows: createItems(10_000, () => ({ inputs: {} })), metadata: KEYS }),
  'a long value': () => ({
    matrix: { inputs: { text: createItems(25, String), json: [OBJECTS.slice(0, 370_000)] } },
  }),
  'many configs': () => ({
    matrix: { config: { join: { separator: createItems(1000, index => `${index} ${'a'.repeat(4000)}`) } } },
  }),
};

/** Requests of which ten arrive together, by description. */
export const CONCURRENT_REQUESTS: Readonly<Record<string, LargeRequest>> = Object.fromEntries(
  Object.entries(LARGE_BATCHES).flatMap(([name, createBody]) =>
    ['batches', 'batches/estimate'].map(action => [
      `${action} of ${name}`,
      {
        method: 'POST' as const,
        path: `/api/v1/workflows/{few nodes}/${action}`,
        createBody: () => ({ ...createBody(), firstRows: 1 }),
      },
    ]),
  ),
);
