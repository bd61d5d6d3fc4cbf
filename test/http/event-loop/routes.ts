// Lists the largest requests of the routes: those for every route, and bodies for routes that compute from them.
import type { BodySchema } from '../../support/http/random-body.ts';
import { MAX_BYTES, makeNode } from './graphs.ts';
import type { Fixtures } from './probes.ts';

/** A route of the OpenAPI document. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** Names of query parameters that are text. */
  readonly query: readonly string[];
  /** Media types of the body. */
  readonly accepts: readonly string[];
  /** Schema of the JSON body. */
  readonly body: BodySchema | undefined;
}

/** Routes that accept another body than JSON, and why no probe sends one. */
export const OTHER_BODIES: Readonly<Record<string, string>> = {
  'POST /api/v1/media/upload': 'a file, which threads of libvips decode',
  'POST /api/v1/apps/{slug}/media': 'a file, which threads of libvips decode',
  'PUT /uploads/{mediaId}': 'a file, which is streamed to disk',
  'POST /api/v1/tables': 'a table, which is parsed in small parts',
};

const list = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const KEYS = Object.fromEntries(list(49_000, index => [`key${index}`, 'a'.repeat(60)]));
const OBJECTS = list(390_000, () => ({ a: 1 }));

/** Creates a value as long as the route accepts. */
export const BODY_BYTES = MAX_BYTES - 10_000;

const URL_OF_NOBODY = 'https://localhost:9/';
const EMAIL = 'somebody@example.com';
const GRAPH = { nodes: [makeNode('n0')], edges: [] };
const CONTENT = {
  heroImage: '/a.png',
  ogImage: '/a.png',
  canonicalUrl: URL_OF_NOBODY,
  c2aLink: '/a',
  valueProps: [],
  howToSteps: [],
  crossLinks: [],
  contentBlocks: [],
};
/** Graphs, inputs and pins have their own probes. */
const RUN = {
  inputs: {},
  config: {},
  pins: {},
  targets: ['n0'],
  webhook: undefined,
  keep: undefined,
  useSample: undefined,
};

/** As many rows as a batch may have. Tables and matrices end as rows. */
const BATCH = {
  rows: list(10_000, () => ({ inputs: {} })),
  tableId: undefined,
  mapping: undefined,
  keyColumn: undefined,
  matrix: undefined,
  webhook: undefined,
};
const EVERY_DAY = { cron: '0 9 * * *', everySeconds: undefined, timeZone: 'Europe/Berlin' };
const NO_CHOICE = { fal: null, replicate: null, openai: null, elevenlabs: null, comfyui: null };

/**
 * Members of the largest bodies to which rules beyond the schema apply. Undefined omits one. Add a row for a new route
 * whose largest body is refused as 400.
 */
export const MEMBERS: Readonly<Record<string, object>> = {
  'POST /api/v1/workflows': { ...GRAPH, folderId: undefined, teamId: undefined },
  'PUT /api/v1/workflows/{id}': { ...GRAPH, folderId: null },
  'POST /api/v1/workflows/import': { ...GRAPH, components: undefined, media: undefined },
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
  'POST /api/v1/workflows/{id}/callers/update': { version: 'latest', cursor: undefined },
  'POST /api/v1/workflows/{id}/batches': BATCH,
  'POST /api/v1/workflows/{id}/batches/estimate': BATCH,
  'POST /api/v1/workflows/{id}/schedules': { ...EVERY_DAY, inputs: {}, version: 'current' },
  'POST /api/v1/schedules/preview': EVERY_DAY,
  'POST /api/v1/schedules/{id}/backfill': { from: '2026-01-02T03:04:05Z', to: '2026-02-02T03:04:05Z' },
  'POST /api/v1/workflows/{id}/triggers': { kind: 'hook', config: undefined, inputs: {} },
  'PATCH /api/v1/triggers/{id}': { config: undefined, inputs: {} },
  'POST /api/v1/notices/read': { all: undefined },
  'POST /api/v1/credentials/test': { kind: 'comfyui', values: { baseUrl: URL_OF_NOBODY }, owner: undefined },
  'PUT /api/v1/workflows/{id}/credentials': NO_CHOICE,
  'POST /api/v1/webhooks/test': { url: URL_OF_NOBODY },
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

/** Routes that refuse each of these bodies as 400, and why. */
export const REFUSING: Readonly<Record<string, string>> = {
  'POST /api/v1/auth/setup': 'needs the link of the first start',
  'POST /api/v1/auth/accept-invite': 'needs an invitation',
  'POST /api/v1/admin/models/plan': 'needs a configured provider',
  'PUT /api/v1/workflows/{id}/app': 'needs the nodes that it names',
};

/** Many unknown properties, and many objects in a known one. */
export const WRONG_BODY = (member: string): object => ({
  [member]: OBJECTS.slice(0, 190_000),
  ...Object.fromEntries(Object.entries(KEYS).slice(0, 24_000)),
});

/** URL encoding triples its length. The request line and headers are limited to 16 KB. */
export const QUERY = '%_\\'.repeat(1000);

/** Fills the parameters of a path. The user is not the caller, because a request could disable that account. */
export const fillParameters = (path: string, { stored, executionId }: Fixtures): string =>
  path
    .replace('executions/{id}', `executions/${executionId}`)
    .replace('{id}', stored['a board at the limit of layout'] ?? '')
    .replace('{nodeId}', 'n0')
    .replace('{userId}', '999')
    .replace('{slug}', 'a-many-nodes')
    .replaceAll(/\{\w+\}/g, '1');

export interface LargestBody {
  readonly method: 'POST' | 'PUT';
  /** A name in braces is replaced by the ID of that workflow. */
  readonly path: string;
  readonly body: () => object;
  /** Credentials that are sent instead of the key. */
  readonly secret?: string;
}

export const CONTENT_SECRET = 'a-secret-of-content';
/** A page may have 120,000 characters of markdown. */
const page = (part: string): LargestBody => ({
  method: 'POST',
  path: '/api/content/webhook',
  body: () => ({
    slug: `a-page-${Buffer.from(part).toString('hex')}`,
    title: `A page of ${part}`,
    type: 'ARTICLE',
    body_markdown: part.repeat(Math.floor(110_000 / part.length)),
  }),
  secret: CONTENT_SECRET,
});

const TEXT_ELEMENT = { type: 'text', text: 'a' };
const preview = (scenes: number, elements: number, element: object): LargestBody => ({
  method: 'POST',
  path: '/api/v1/render/renderer/preview',
  body: () => ({
    sceneGraph: {
      fps: 30,
      width: 64,
      height: 64,
      scenes: list(scenes, () => ({ duration: 1, elements: list(elements, () => element) })),
    },
    frames: [0],
  }),
});

const withInputs = (verb: string, inputs: object): LargestBody => ({
  method: 'POST',
  path: `/api/v1/workflows/{a long list}/${verb}`,
  body: () => ({ inputs }),
});

export const LARGEST: Readonly<Record<string, LargestBody>> = {
  'a page of emphasis': page('*a **b '),
  'a page of brackets': page('[a]('),
  'a page of quotes': page('> '),
  'a page of lists': page('- a\n'),
  'a page of tables': page('|a|b|\n|-|-|\n'),
  'a page of code': page('`'),
  'a scene of many unknown elements': preview(1, 390_000, {}),
  'a scene of too many texts': preview(1, 120_000, TEXT_ELEMENT),
  'many scenes of too many texts': preview(12, 10_000, TEXT_ELEMENT),
  'a scene of the most texts': preview(1, 10_000, TEXT_ELEMENT),
  'a long input': withInputs('run', { n0: OBJECTS }),
  'many unknown inputs': withInputs('run', KEYS),
  'a long input, estimated': withInputs('estimate', { n0: OBJECTS }),
  'many unknown inputs, estimated': withInputs('estimate', KEYS),
  'a client with many redirect URIs': {
    method: 'POST',
    path: '/oauth/register',
    body: () => ({ redirect_uris: list(2000, index => `https://a.example/${index}`) }),
  },
  'a batch of many messages': {
    method: 'POST',
    path: '/mcp',
    body: () => list(20_000, id => ({ jsonrpc: '2.0', id, method: 'ping' })),
  },
};
