// One probe a request or node: prepares in the prober, and returns what is then sent and measured.
import { makeNode, REFUSED, STORABLE, tooMany } from './graphs.ts';

export interface World {
  readonly url: string;
  readonly key: string;
  /** Workflows that are stored, by the name of their graph. */
  readonly stored: Readonly<Record<string, string>>;
}

export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  key?: string,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Returns what is measured; what comes before is not. */
export type Probe = (world: World, ask: Ask) => Promise<() => Promise<unknown>> | (() => Promise<unknown>);

const V1 = '/api/v1';

function writeProbes(): Record<string, Probe> {
  const probes: Record<string, Probe> = {};
  for (const [name, make] of [
    ...Object.entries({ ...STORABLE, ...REFUSED }),
    ['more values than a body may have', tooMany] as const,
  ]) {
    probes[`POST ${V1}/workflows/lint: ${name}`] = (_, ask) => {
      const body = JSON.stringify(make());
      return () => ask('POST', `${V1}/workflows/lint`, body);
    };
    probes[`POST ${V1}/workflows: ${name}`] = (_, ask) => {
      const body = JSON.stringify({ name: 'w', ...make() });
      return () => ask('POST', `${V1}/workflows`, body);
    };
    probes[`POST ${V1}/workflows/import: ${name}`] = (_, ask) => {
      const body = JSON.stringify({ format: 'graphwright-workflow', name: 'w', ...make() });
      return () => ask('POST', `${V1}/workflows/import`, body);
    };
    probes[`PUT ${V1}/workflows/{id}: ${name}`] = ({ stored }, ask) => {
      const body = JSON.stringify(make());
      return () => ask('PUT', `${V1}/workflows/${stored['many nodes']}`, body);
    };
  }
  for (const name of Object.keys(STORABLE)) {
    const read = (label: string, method: string, path: string, body?: object, key?: string): void => {
      probes[`${method} ${path}${label}: ${name}`] = ({ stored }, ask) => {
        const to = path.replace('{id}', stored[name] ?? '');
        return () => ask(method, to, body, key);
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
    read('', 'POST', `${V1}/workflows/{id}/publish`, {
      isPublished: true,
      slug: `a-${name.replaceAll(' ', '-')}`,
    });
    read('', 'GET', `${V1}/published/a-${name.replaceAll(' ', '-')}`, undefined, '');
    read('', 'POST', `${V1}/workflows/{id}/estimate`, {});
    read('', 'GET', '/flow/{id}', undefined, '');
    read('', 'GET', '/flow/{id}/preview.svg', undefined, '');
    for (const [tool, more] of [
      ['get_workflow', {}],
      ['check_workflow', {}],
    ] as const) {
      probes[`POST /mcp ${tool}: ${name}`] = ({ stored }, ask) => {
        const params = { name: tool, arguments: { workflowId: stored[name], ...more } };
        return () => ask('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      };
    }
  }
  return probes;
}

/** The longest values that nodes pass on, by the type of port that they feed. */
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

export interface NodePort {
  readonly nodeType: string;
  readonly config: object;
  /** Its ports that SOURCES can feed: id and type. */
  readonly ports: readonly (readonly [id: string, type: string])[];
}

const END = /"status":"(?:COMPLETED|FAILED|WAITING|CANCELLED|EXPIRED)"/;

/** A run of the node, of what it costs, and of what became of it. */
export function nodeProbes(nodes: readonly NodePort[]): Record<string, Probe> {
  const probes: Record<string, Probe> = {};
  for (const [row, { nodeType, config, ports }] of nodes.entries()) {
    const [first] = ports;
    for (const [index, source] of (SOURCES[first?.[1] ?? ''] ?? []).entries()) {
      const name = `node ${nodeType}, row ${row}, source ${index}: ${JSON.stringify(config).slice(0, 60)}`;
      probes[name] = async (_, ask) => {
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
        const { text } = await ask('POST', `${V1}/workflows`, graph);
        const { id } = JSON.parse(text) as { id: string };
        return async () => {
          await ask('POST', `${V1}/workflows/${id}/estimate`, {});
          const run = JSON.parse((await ask('POST', `${V1}/workflows/${id}/run`, {})).text) as {
            executionId: string;
          };
          for (const endMs = Date.now() + 60_000; Date.now() < endMs; ) {
            const { text: listed } = await ask('GET', `${V1}/workflows/${id}/executions`);
            if (END.test(listed)) break;
            await new Promise(resolve => setTimeout(resolve, 50));
          }
          await ask('GET', `${V1}/executions/${run.executionId}`);
          await ask('GET', `${V1}/executions/${run.executionId}/workflow`);
        };
      };
    }
  }
  return probes;
}

export const PROBES: Readonly<Record<string, Probe>> = writeProbes();
