// Creates one probe per request or node. A probe prepares its requests in the prober, and returns a function that sends
// the measured requests.
import type { BodySchema } from '../../support/http/random-body.ts';
import {
  createTooLargeGraph,
  type Graph,
  MAX_BYTES,
  makeNode,
  REJECTED_GRAPHS,
  STORABLE_GRAPHS,
} from './graphs.ts';
import { createLargestBody } from './largest-body.ts';
import { type ConfiguredNode, DRAWING_NODES } from './nodes.ts';
import {
  BODY_BYTES,
  CONCURRENT_REQUESTS,
  CONTENT_SECRET,
  createInvalidBody,
  fillParameters,
  LARGE_REQUESTS,
  type LargeRequest,
  LONG_QUERY_VALUE,
  REQUIRED_MEMBERS,
  type Route,
} from './routes.ts';
import { createScimProbes, type ScimFixtures } from './scim-probes.ts';

export interface Fixtures {
  readonly url: string;
  /** The key of an author with the smallest plan. */
  readonly key: string;
  readonly adminKey: string;
  /** The cookie of a session of another account, `session=…`, for routes that need one. */
  readonly sessionCookie: string;
  readonly scim: ScimFixtures;
  /** Keys of ten accounts that may edit the stored workflows, for requests that arrive together. */
  readonly manyKeys: readonly string[];
  /** Ids of stored workflows by the name of their graph. */
  readonly storedIds: Readonly<Record<string, string>>;
  /** Id of a run with much output. */
  readonly executionId: string;
}

export type SendRequest = (
  method: string,
  path: string,
  body?: unknown,
  key?: string,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Prepares requests, and returns a function that sends the measured requests. */
export type Probe = (
  fixtures: Fixtures,
  sendRequest: SendRequest,
) => Promise<() => Promise<unknown>> | (() => Promise<unknown>);
type Probes = Readonly<Record<string, Probe>>;

/** Returns the route of a probe, without its sender and body. */
export const toRoute = (probeName: string): string => probeName.replace(/(?: as a visitor)?: .*$/, '');

const V1 = '/api/v1';
/** The rejected graph that is sent to every route that writes graphs. The service checks the whole graph. */
const GRAPH_FOR_ALL_ROUTES = 'names that are nearly right';
const GRAPHS: Readonly<Record<string, () => Graph>> = {
  ...STORABLE_GRAPHS,
  ...REJECTED_GRAPHS,
  'more values than a body may have': createTooLargeGraph,
};

const texts: Record<string, string> = {};
/** Returns the graph as JSON without the outer braces. */
function getGraphText(name: string): string {
  texts[name] ??= JSON.stringify(GRAPHS[name]?.()).slice(1, -1);
  return texts[name];
}

function createWriteProbes(): Probes {
  const probes: Record<string, Probe> = {};
  const addProbe = (method: string, path: string, graphName: string, otherMembers = ''): void => {
    probes[`${method} ${path}: ${graphName}`] = ({ storedIds }, sendRequest) => {
      const body = `{${otherMembers}${getGraphText(graphName)}}`;
      const url = path.replace('{id}', storedIds['many nodes'] ?? '');
      return () => sendRequest(method, url, body);
    };
  };
  for (const graphName of Object.keys(GRAPHS)) {
    addProbe('POST', `${V1}/workflows/lint`, graphName);
    addProbe('POST', `${V1}/workflows`, graphName, '"name":"w",');
    // The same code rejects the graph in all these routes, so one rejected graph is enough.
    if (!(graphName in STORABLE_GRAPHS) && graphName !== GRAPH_FOR_ALL_ROUTES) continue;
    addProbe('POST', `${V1}/workflows/import`, graphName, '"format":"graphwright-workflow","name":"w",');
    addProbe('PUT', `${V1}/workflows/{id}`, graphName);
  }
  for (const [name, createFile] of Object.entries(COMFY_FILES))
    probes[`POST ${V1}/workflows/import: ${name}`] = (_, sendRequest) => {
      const body = `{"name":"w","source":${JSON.stringify(createFile())}}`;
      return () => sendRequest('POST', `${V1}/workflows/import`, body);
    };
  return probes;
}

/** The largest files of ComfyUI and of fal: as many nodes as they may have, one of them with much text, and too many nodes. */
const COMFY_FILES: Readonly<Record<string, () => object>> = {
  'a ComfyUI file of many nodes': () => createComfyFile(2000, 'a'),
  'a ComfyUI file of much text': () => createComfyFile(100, 'a '.repeat(8_000)),
  'a ComfyUI file of too many nodes': () => createComfyFile(20_000, 'a'),
  'a workflow of fal of many references': () => createFalWorkflow(9_900),
};

/** A model that is not installed, with many files that another makes. */
const createFalWorkflow = (count: number): object => ({
  a: { type: 'run', app: 'a', input: {} },
  b: { type: 'run', app: 'b', input: { image_urls: Array.from({ length: count }, () => '$a.b.c.d.e.f.g') } },
});

/** Each node passes on what it gets from the node before, and has a prompt. */
function createComfyFile(nodeCount: number, text: string): object {
  const ids = Array.from({ length: nodeCount }, (_, index) => index + 1);
  return {
    last_node_id: nodeCount,
    nodes: ids.map(id => ({
      id,
      type: id % 2 === 0 ? 'Reroute' : 'CLIPTextEncode',
      mode: 0,
      inputs: [{ name: 'clip', type: 'CLIP', link: id }],
      outputs: [{ name: 'CONDITIONING', type: 'CONDITIONING', links: [] }],
      properties: {},
      widgets_values: [text],
    })),
    links: ids.map(id => [id, id - 1, 0, id, 0, '*']),
    version: 0.4,
  };
}

/** As many operations as an edit may have. Each copies the lists of nodes and edges. */
const LARGEST_EDIT = Array.from({ length: 100 }, (_, index) => ({
  op: 'add_node',
  nodeId: `added${index}`,
  nodeType: 'input:text',
  config: { value: 'a'.repeat(MAX_BYTES / 100 - 200) },
}));

function createReadProbes(): Probes {
  const probes: Record<string, Probe> = {};
  for (const graphName of Object.keys(STORABLE_GRAPHS)) {
    const slug = `a-${graphName.replaceAll(' ', '-')}`;
    const addProbe = (method: string, path: string, body?: object, key?: string): void => {
      const caller = key === '' ? ' without a key' : '';
      probes[`${method} ${path}${caller}: ${graphName}`] = ({ storedIds }, sendRequest) => {
        const url = path.replace('{id}', storedIds[graphName] ?? '');
        return () => sendRequest(method, url, body, key);
      };
    };
    addProbe('GET', `${V1}/workflows/{id}`);
    addProbe('GET', `${V1}/workflows/{id}`, undefined, '');
    addProbe('GET', `${V1}/workflows/{id}/export`);
    addProbe('GET', `${V1}/workflows/{id}/versions/1`);
    addProbe('POST', `${V1}/workflows/{id}/versions/1/restore`, {});
    addProbe('POST', `${V1}/workflows/{id}/lint`, {});
    addProbe('POST', `${V1}/workflows/{id}/layout`, {});
    addProbe('POST', `${V1}/workflows/{id}/edit`, { operations: LARGEST_EDIT });
    addProbe('POST', `${V1}/workflows/{id}/duplicate`, {});
    addProbe('POST', `${V1}/workflows/{id}/publish`, { isPublished: true, slug });
    addProbe('GET', `${V1}/published/${slug}`, undefined, '');
    addProbe('POST', `${V1}/workflows/{id}/estimate`, {});
    addProbe('GET', '/flow/{id}', undefined, '');
    addProbe('GET', `/p/${slug}`, undefined, '');
    addProbe('GET', '/flow/{id}/preview.svg', undefined, '');
    for (const tool of ['get_workflow', 'check_workflow']) {
      probes[`POST /mcp ${tool}: ${graphName}`] = ({ storedIds }, sendRequest) => {
        const params = { name: tool, arguments: { workflowId: storedIds[graphName] } };
        return () => sendRequest('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      };
    }
  }
  return probes;
}

/** Sends the graphs to all routes that accept or return a graph. */
export const GRAPH_PROBES: Probes = { ...createWriteProbes(), ...createReadProbes() };

const TEXT = 'a b '.repeat(110_000);
const NUMBERS = Array.from({ length: 300_000 }, (_, index) => index);
const ITEMS = Array.from({ length: 100 }, (_, index) => `${index} ${'a '.repeat(10_000)}`);
/** Nodes with the longest values that nodes pass on, by port type. */
const SOURCES: Readonly<Record<string, readonly object[]>> = {
  TEXT: [makeNode('s', 'input:text', { value: TEXT }), makeNode('s', 'input:list', { items: ITEMS })],
  NUMBER: [makeNode('s', 'input:number', { value: 7 })],
  JSON: [makeNode('s', 'input:json', { value: NUMBERS })],
  LIST: [makeNode('s', 'input:list', { items: ITEMS })],
  ANY: [makeNode('s', 'input:json', { value: NUMBERS }), makeNode('s', 'input:text', { value: TEXT })],
};

/** Runs each node, estimates the run, and reads its record. */
export function createNodeProbes(nodes: readonly ConfiguredNode[]): Probes {
  const probes: Record<string, Probe> = {};
  for (const [nodeIndex, { nodeType, config, ports }] of nodes.entries()) {
    const [, portType = ''] = ports[0] ?? [];
    const sources = SOURCES[portType] ?? [];
    for (const [index, source] of sources
      .slice(0, DRAWING_NODES.includes(nodeType) ? 1 : undefined)
      .entries()) {
      const name = `node ${nodeType}, row ${nodeIndex}, source ${index}: ${JSON.stringify(config).slice(0, 60)}`;
      probes[name] = async (_, sendRequest) => {
        const sourcePort = (source as ReturnType<typeof makeNode>).data.nodeType.replace('input:', 'out-');
        const edges = ports
          .filter(([, type]) => type === portType)
          .map(([port], edge) => ({
            id: `e${edge}`,
            source: 's',
            target: 'n',
            sourceHandle: sourcePort,
            targetHandle: `in-${port}`,
          }));
        const graph = { name: 'w', nodes: [source, makeNode('n', nodeType, config)], edges };
        const { text } = await sendRequest('POST', `${V1}/workflows`, graph);
        const { id } = JSON.parse(text) as { id: string };
        return async () => {
          await sendRequest('POST', `${V1}/workflows/${id}/estimate`, {});
          const run = JSON.parse((await sendRequest('POST', `${V1}/workflows/${id}/run`, {})).text) as {
            executionId: string;
          };
          await waitForEnd(sendRequest, id);
          await sendRequest('GET', `${V1}/executions/${run.executionId}`);
          await sendRequest('GET', `${V1}/executions/${run.executionId}/workflow`);
        };
      };
    }
  }
  return probes;
}

/** A run in status WAITING does not proceed until a person approves it. */
const SETTLED = /"status":"(?:COMPLETED|FAILED|TIMEOUT|WAITING|CANCELLED)"/;
const RUN_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 20;

/** Waits for the only run of the workflow. Throws if the run does not end within a minute. */
async function waitForEnd(sendRequest: SendRequest, workflowId: string): Promise<void> {
  for (const deadlineMs = Date.now() + RUN_TIMEOUT_MS; Date.now() < deadlineMs; ) {
    const { text } = await sendRequest('GET', `${V1}/workflows/${workflowId}/executions`);
    if (SETTLED.test(text)) return;
    await new Promise(resolve => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  throw new Error(`The run of ${workflowId} has not ended within ${RUN_TIMEOUT_MS / 1000} s.`);
}

/**
 * Sends every route the largest body that its schema accepts, an invalid body, and a long text in each query
 * parameter. A route without input gets one request. Routes that need no key get the same from a
 * visitor. Routes that delete come last.
 */
export function createRouteProbes(
  routes: readonly Route[],
  schemas: Readonly<Record<string, BodySchema>> = {},
): Probes {
  const probes: Record<string, Probe> = {};
  const sortedRoutes = routes.toSorted(
    (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
  );
  for (const route of sortedRoutes) {
    // OTHER_BODIES lists these routes.
    if (route.body === undefined && route.accepts.length > 0) continue;
    const add = (name: string, key?: string): void =>
      void Object.assign(
        probes,
        route.body === undefined
          ? { [name]: createQueryProbe(route, key) }
          : createBodyProbes(name, route, route.body, { key, schemas }),
      );
    add(`${route.method} ${route.path}`);
    if (route.isOpen) add(`${route.method} ${route.path} as a visitor`, '');
  }
  return probes;
}

const createQueryProbe =
  ({ method, path, queryNames, needsSession }: Route, key: string | undefined): Probe =>
  (fixtures, sendRequest) =>
  async () => {
    const url = fillParameters(path, fixtures);
    const sentKey = needsSession ? fixtures.sessionCookie : key;
    await sendRequest(method, url, undefined, sentKey);
    for (const name of queryNames)
      await sendRequest(
        method,
        `${url}?${new URLSearchParams({ [name]: LONG_QUERY_VALUE })}`,
        undefined,
        sentKey,
      );
  };

function createBodyProbes(
  name: string,
  { method, path, needsSession }: Route,
  body: BodySchema,
  {
    key,
    schemas,
  }: { readonly key: string | undefined; readonly schemas: Readonly<Record<string, BodySchema>> },
): Probes {
  const sentKey = path === '/api/content/webhook' ? CONTENT_SECRET : key;
  const createProbe =
    (createBody: () => unknown): Probe =>
    (fixtures, sendRequest) => {
      const text = JSON.stringify(createBody());
      const credential = needsSession ? fixtures.sessionCookie : sentKey;
      return () => sendRequest(method, fillParameters(path, fixtures), text, credential);
    };
  const createLargest = () => createLargestWith(REQUIRED_MEMBERS[`${method} ${path}`] ?? {}, body, schemas);
  return {
    [`${name}: the largest body`]: createProbe(createLargest),
    [`${name}: wrong values`]: createProbe(() =>
      createInvalidBody(Object.keys(body.properties ?? {})[0] ?? 'nodes'),
    ),
  };
}

/** Returns the largest body of the schema with these members. Undefined members are omitted. */
function createLargestWith(
  members: object,
  schema: BodySchema,
  schemas: Readonly<Record<string, BodySchema>>,
): unknown {
  const bytes = BODY_BYTES - JSON.stringify(members).length;
  if (schema.properties === undefined) return createLargestBody(schema, schemas, bytes);
  const properties = Object.fromEntries(
    Object.entries(schema.properties).filter(([name]) => !(name in members)),
  );
  return Object.assign(createLargestBody({ ...schema, properties }, schemas, bytes) as object, members);
}

const toProbe =
  ({ method, path, createBody, secret }: LargeRequest): Probe =>
  (fixtures, sendRequest) => {
    const text = JSON.stringify(createBody());
    return () => sendRequest(method, fillGraphName(path, fixtures), text, secret);
  };

const fillGraphName = (path: string, { storedIds }: Fixtures): string =>
  path.replace(/\{(.*)\}/, (_, graphName: string) => storedIds[graphName] ?? '');

/** Sends SCIM requests, which the OpenAPI document does not describe. */
export const SCIM_PROBES: Probes = createScimProbes();

/** Sends bodies that cause much work. */
export const LARGE_BODY_PROBES: Probes = Object.fromEntries(
  Object.entries(LARGE_REQUESTS).map(([name, request]) => [
    `${request.method} ${request.path}: ${name}`,
    toProbe(request),
  ]),
);

const connectFour = (source: string, toTarget: (index: number) => readonly [id: string, port: string]) =>
  Array.from({ length: 4 }, (_, index) => {
    const [target, port] = toTarget(index);
    return {
      id: `e${index}`,
      source: 's',
      target,
      sourceHandle: `out-${source}`,
      targetHandle: `in-${port}`,
    };
  });
/** Graphs whose runs have about 15 MB of outputs, and the node with the longest. */
const LARGE_RUNS: Readonly<Record<string, { readonly graph: Graph; readonly nodeId: string }>> = {
  'small objects': {
    graph: {
      nodes: [
        makeNode('s', 'input:json', { value: Array.from({ length: 380_000 }, () => ({ a: 1 })) }),
        ...Array.from({ length: 4 }, (_, index) => makeNode(`p${index}`, 'output:preview')),
      ],
      edges: connectFour('json', index => [`p${index}`, 'input']),
    },
    nodeId: 'p0',
  },
  'long texts': {
    graph: {
      nodes: [makeNode('s', 'input:list', { items: Array(30).fill('ab"'.repeat(30_000)) }), makeNode('c')],
      edges: connectFour('list', index => ['c', `text${index + 1}`]),
    },
    nodeId: 'c',
  },
};
const CONCURRENT_READS = 10;

/** Reads runs with large outputs, several times at once. */
export const LARGE_RUN_PROBES: Probes = Object.fromEntries(
  Object.entries(LARGE_RUNS).flatMap(([name, { graph, nodeId }]) =>
    ['', `/outputs/${nodeId}`, '/events'].map((path): [string, Probe] => [
      `GET ${V1}/executions/{id}${path}: ${name}, ${CONCURRENT_READS} at a time`,
      async (_, sendRequest) => {
        const created = await sendRequest('POST', `${V1}/workflows`, { name: 'w', ...graph });
        const { id } = JSON.parse(created.text) as { id: string };
        const started = await sendRequest('POST', `${V1}/workflows/${id}/run`, {});
        const { executionId } = JSON.parse(started.text) as { executionId: string };
        await waitForEnd(sendRequest, id);
        return () =>
          Promise.all(
            Array.from({ length: CONCURRENT_READS }, () =>
              sendRequest('GET', `${V1}/executions/${executionId}${path}`),
            ),
          );
      },
    ]),
  ),
);

/** Sends requests that cause much work ten at a time, from one account and from ten. */
export const CONCURRENT_PROBES: Probes = Object.fromEntries(
  Object.entries(CONCURRENT_REQUESTS).flatMap(([name, { method, path, createBody }]) =>
    (['one account', 'ten accounts'] as const).map(accounts => {
      const probe: Probe = (fixtures, sendRequest) => {
        const text = JSON.stringify(createBody());
        const url = fillGraphName(path, fixtures);
        const keys =
          accounts === 'one account' ? fixtures.manyKeys.map(() => fixtures.key) : fixtures.manyKeys;
        return () => Promise.all(keys.map(key => sendRequest(method, url, text, key)));
      };
      return [`${method} ${path}: ten at once from ${accounts}, ${name}`, probe] as const;
    }),
  ),
);

export const createProbes = ({
  nodes,
  routes,
  schemas,
}: {
  readonly nodes: readonly ConfiguredNode[];
  readonly routes: readonly Route[];
  readonly schemas: Readonly<Record<string, BodySchema>>;
}): Probes => ({
  ...GRAPH_PROBES,
  ...createNodeProbes(nodes),
  ...LARGE_BODY_PROBES,
  ...SCIM_PROBES,
  ...LARGE_RUN_PROBES,
  ...CONCURRENT_PROBES,
  ...createRouteProbes(routes, schemas),
});
