// Creates one probe per request or node. A probe prepares in the prober, and returns the part that is sent and
// measured.
import type { BodySchema } from '../../support/http/random-body.ts';
import { type Graph, makeNode, REFUSED, STORABLE, tooMany } from './graphs.ts';
import { largestBody } from './largest-body.ts';
import { DRAWING, type NodePort } from './nodes.ts';
import {
  BODY_BYTES,
  CONTENT_SECRET,
  fillParameters,
  LARGEST,
  type LargestBody,
  MEMBERS,
  QUERY,
  type Route,
  WRONG_BODY,
} from './routes.ts';

export interface Fixtures {
  readonly url: string;
  readonly key: string;
  /** Ids of stored workflows by the name of their graph. */
  readonly stored: Readonly<Record<string, string>>;
  /** Id of a run with much output. */
  readonly executionId: string;
}

export type SendRequest = (
  method: string,
  path: string,
  body?: unknown,
  key?: string,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Returns the measured part. The preparation is not measured. */
export type Probe = (
  fixtures: Fixtures,
  sendRequest: SendRequest,
) => Promise<() => Promise<unknown>> | (() => Promise<unknown>);
type Probes = Readonly<Record<string, Probe>>;

const V1 = '/api/v1';
/** A refused graph whose parts are all checked. It is sent to every route that writes graphs. */
const REFUSED_EVERYWHERE = 'names that are nearly right';
const GRAPHS: Readonly<Record<string, () => Graph>> = {
  ...STORABLE,
  ...REFUSED,
  'more values than a body may have': tooMany,
};

const texts: Record<string, string> = {};
/** Returns the members of a body as JSON without braces. */
function readGraphText(graph: string): string {
  texts[graph] ??= JSON.stringify(GRAPHS[graph]?.()).slice(1, -1);
  return texts[graph];
}

function writeProbes(): Probes {
  const probes: Record<string, Probe> = {};
  const write = (label: string, name: string, more: string, method: string, path: string): void => {
    probes[`${label}: ${name}`] = ({ stored }, sendRequest) => {
      const body = `{${more}${readGraphText(name)}}`;
      const to = path.replace('{id}', stored['many nodes'] ?? '');
      return () => sendRequest(method, to, body);
    };
  };
  for (const name of Object.keys(GRAPHS)) {
    write(`POST ${V1}/workflows/lint`, name, '', 'POST', `${V1}/workflows/lint`);
    write(`POST ${V1}/workflows`, name, '"name":"w",', 'POST', `${V1}/workflows`);
    // All these routes refuse it in the same code.
    if (!(name in STORABLE) && name !== REFUSED_EVERYWHERE) continue;
    const file = '"format":"graphwright-workflow","name":"w",';
    write(`POST ${V1}/workflows/import`, name, file, 'POST', `${V1}/workflows/import`);
    write(`PUT ${V1}/workflows/{id}`, name, '', 'PUT', `${V1}/workflows/{id}`);
  }
  return probes;
}

function readProbes(): Probes {
  const probes: Record<string, Probe> = {};
  for (const name of Object.keys(STORABLE)) {
    const slug = `a-${name.replaceAll(' ', '-')}`;
    const read = (label: string, method: string, path: string, body?: object, key?: string): void => {
      probes[`${method} ${path}${label}: ${name}`] = ({ stored }, sendRequest) => {
        const to = path.replace('{id}', stored[name] ?? '');
        return () => sendRequest(method, to, body, key);
      };
    };
    read('', 'GET', `${V1}/workflows/{id}`);
    read(' by a stranger', 'GET', `${V1}/workflows/{id}`, undefined, '');
    read('', 'GET', `${V1}/workflows/{id}/export`);
    read('', 'GET', `${V1}/workflows/{id}/versions/1`);
    read('', 'POST', `${V1}/workflows/{id}/versions/1/restore`, {});
    read('', 'POST', `${V1}/workflows/{id}/lint`, {});
    read('', 'POST', `${V1}/workflows/{id}/layout`, {});
    read('', 'POST', `${V1}/workflows/{id}/duplicate`, {});
    read('', 'POST', `${V1}/workflows/{id}/publish`, { isPublished: true, slug });
    read('', 'GET', `${V1}/published/${slug}`, undefined, '');
    read('', 'POST', `${V1}/workflows/{id}/estimate`, {});
    read('', 'GET', '/flow/{id}', undefined, '');
    read('', 'GET', `/p/${slug}`, undefined, '');
    read('', 'GET', '/flow/{id}/preview.svg', undefined, '');
    for (const tool of ['get_workflow', 'check_workflow']) {
      probes[`POST /mcp ${tool}: ${name}`] = ({ stored }, sendRequest) => {
        const params = { name: tool, arguments: { workflowId: stored[name] } };
        return () => sendRequest('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      };
    }
  }
  return probes;
}

/** Sends the graphs to all routes that accept or return one. */
export const GRAPH_PROBES: Probes = { ...writeProbes(), ...readProbes() };

/** The longest values that nodes pass on, by type of the port. */
const TEXT = 'a b '.repeat(110_000);
const NUMBERS = Array.from({ length: 300_000 }, (_, index) => index);
const ITEMS = Array.from({ length: 100 }, (_, index) => `${index} ${'a '.repeat(10_000)}`);
const SOURCES: Readonly<Record<string, readonly object[]>> = {
  TEXT: [makeNode('s', 'input:text', { value: TEXT }), makeNode('s', 'input:list', { items: ITEMS })],
  NUMBER: [makeNode('s', 'input:number', { value: 7 })],
  JSON: [makeNode('s', 'input:json', { value: NUMBERS })],
  LIST: [makeNode('s', 'input:list', { items: ITEMS })],
  ANY: [makeNode('s', 'input:json', { value: NUMBERS }), makeNode('s', 'input:text', { value: TEXT })],
};

const END = /"status":"(?:COMPLETED|FAILED|WAITING|CANCELLED|EXPIRED)"/;
const RUN_TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/** Runs the node, estimates the run, and reads its record. */
export function nodeProbes(nodes: readonly NodePort[]): Probes {
  const probes: Record<string, Probe> = {};
  for (const [row, { nodeType, config, ports }] of nodes.entries()) {
    const [first] = ports;
    const sources = SOURCES[first?.[1] ?? ''] ?? [];
    for (const [index, source] of sources.slice(0, DRAWING.includes(nodeType) ? 1 : undefined).entries()) {
      const name = `node ${nodeType}, row ${row}, source ${index}: ${JSON.stringify(config).slice(0, 60)}`;
      probes[name] = async (_, sendRequest) => {
        const sourcePort = (source as ReturnType<typeof makeNode>).data.nodeType.replace('input:', 'out-');
        const edges = ports
          .filter(([, type]) => type === first?.[1])
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
          for (const endMs = Date.now() + RUN_TIMEOUT_MS; Date.now() < endMs; ) {
            const { text: listed } = await sendRequest('GET', `${V1}/workflows/${id}/executions`);
            if (END.test(listed)) break;
            await new Promise(resolve => setTimeout(resolve, POLL_MS));
          }
          await sendRequest('GET', `${V1}/executions/${run.executionId}`);
          await sendRequest('GET', `${V1}/executions/${run.executionId}/workflow`);
        };
      };
    }
  }
  return probes;
}

/**
 * Sends every route the largest body that its schema accepts, a body of wrong values, and a long text in each query
 * parameter. Routes without input are called as they are. Routes that delete are last.
 */
export function routeProbes(
  routes: readonly Route[],
  schemas: Readonly<Record<string, BodySchema>> = {},
): Probes {
  const probes: Record<string, Probe> = {};
  const sorted = routes.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  for (const { method, path, query, accepts, body } of sorted) {
    const route = `${method} ${path}`;
    // The reasons are in routes.ts.
    if (body === undefined && accepts.length > 0) continue;
    if (body === undefined) {
      probes[route] = (fixtures, sendRequest) => async () => {
        const to = fillParameters(path, fixtures);
        await sendRequest(method, to);
        for (const name of query)
          await sendRequest(method, `${to}?${new URLSearchParams({ [name]: QUERY })}`);
      };
      continue;
    }
    const send = (label: string, make: () => unknown): void => {
      probes[`${route}: ${label}`] = (fixtures, sendRequest) => {
        const text = JSON.stringify(make());
        const key = path === '/api/content/webhook' ? CONTENT_SECRET : undefined;
        return () => sendRequest(method, fillParameters(path, fixtures), text, key);
      };
    };
    send('the largest body', () => largestWith(MEMBERS[route] ?? {}, body, schemas));
    send('wrong values', () => WRONG_BODY(Object.keys(body.properties ?? {})[0] ?? 'nodes'));
  }
  return probes;
}

/** Returns the largest body of the schema with these members. Undefined members are omitted. */
function largestWith(
  members: object,
  schema: BodySchema,
  schemas: Readonly<Record<string, BodySchema>>,
): unknown {
  const bytes = BODY_BYTES - JSON.stringify(members).length;
  if (schema.properties === undefined) return largestBody(schema, schemas, bytes);
  const properties = Object.fromEntries(
    Object.entries(schema.properties).filter(([name]) => !(name in members)),
  );
  return Object.assign(largestBody({ ...schema, properties }, schemas, bytes) as object, members);
}

const toProbe =
  ({ method, path, body, secret }: LargestBody): Probe =>
  (fixtures, sendRequest) => {
    const text = JSON.stringify(body());
    const to = path.replace(/\{(.*)\}/, (_, graph: string) => fixtures.stored[graph] ?? '');
    return () => sendRequest(method, to, text, secret);
  };

/** Sends bodies to the routes that compute from them. */
export const LARGEST_PROBES: Probes = Object.fromEntries(
  Object.entries(LARGEST).map(([name, one]) => [`${one.method} ${one.path}: ${name}`, toProbe(one)]),
);

export const allProbes = (from: {
  readonly nodes: readonly NodePort[];
  readonly routes: readonly Route[];
  readonly schemas: Readonly<Record<string, BodySchema>>;
}): Probes => ({
  ...GRAPH_PROBES,
  ...nodeProbes(from.nodes),
  ...LARGEST_PROBES,
  ...routeProbes(from.routes, from.schemas),
});
