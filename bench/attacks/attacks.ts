// Lists requests with which an account or visitors try to slow down the others. Each takes the most that its limits allow.
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { createJoinGraph, edge, node } from '../../test/support/workflows.ts';
import { type Account, storeWorkflow } from '../service.ts';
import type { Feed } from './feed.ts';

/** The number of requests that are sent at once. */
export const AT_ONCE = 10;

export interface AttackTarget {
  readonly url: string;
  /** An account on the free plan. */
  readonly attacker: Account;
  readonly feed: Feed;
}

/** Sends one request and resolves when it has ended. The answer may be a refusal. */
export type Strike = (signal: AbortSignal) => Promise<unknown>;

/** Prepares an attack, and returns its request, which is sent many times at once. */
export type Attack = (target: AttackTarget) => Promise<Strike>;

const V1 = '/api/v1';
const items = <T>(count: number, create: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => create(index));
/** A body may have 400,000 objects. */
const EMPTY_OBJECTS = `[${'{},'.repeat(390_000)}{}]`;
const OBJECTS = `[${'{"a":1},'.repeat(390_000)}{"a":1}]`;
const OUTPUTS = 12;
const JSON_TYPE = { 'content-type': 'application/json' };

async function send(account: Account, method: string, path: string, init: RequestInit): Promise<Response> {
  return account.fetch(V1 + path, { method, ...init });
}

/** Sends a request whose response must be a success, and returns its body. */
async function prepare<T>(account: Account, method: string, path: string, body: unknown): Promise<T> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await send(account, method, path, { body: text });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.slice(0, 300)}`);
  return JSON.parse(answer) as T;
}

/** Reads the response without keeping it. */
async function drain(response: Response): Promise<number> {
  for await (const _ of response.body ?? []);
  return response.status;
}

const strike =
  (
    account: Account,
    method: string,
    path: string,
    body?: string,
    headers: Readonly<Record<string, string>> = JSON_TYPE,
  ): Strike =>
  async signal =>
    drain(
      await send(account, method, path, {
        signal,
        headers,
        ...(body === undefined ? {} : { body }),
      }),
    );

/** An account without a key. */
const asVisitor = (url: string): Account => ({ fetch: (path, init) => fetch(url + path, init) });

const numberInputs = (count: number) => ({
  name: 'inputs',
  nodes: items(count, index => node(`n${index}`, 'input:number', { value: index })),
  edges: [],
});

const mapAll = (count: number, value: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(items(count, index => [`n${index}`, value]));

async function storeTable(account: Account, type: string, body: string): Promise<string> {
  const response = await send(account, 'POST', '/tables', { headers: { 'content-type': type }, body });
  const answer = (await response.json()) as { id: string };
  if (!response.ok) throw new Error(`The table was refused: ${JSON.stringify(answer).slice(0, 300)}`);
  return answer.id;
}

/** Runs a workflow with 12 outputs of this value. */
async function runWithObjects(
  account: Account,
  value: string,
): Promise<{ workflowId: string; runId: string }> {
  const graph = {
    name: 'objects',
    nodes: [node('source', 'input:json'), ...items(OUTPUTS, index => node(`end${index}`, 'output:preview'))],
    edges: items(OUTPUTS, index => edge(`source.json > end${index}.input`)),
  };
  const workflowId = await storeWorkflow(account, graph);
  const response = await send(account, 'POST', `/workflows/${workflowId}/run`, {
    headers: { prefer: 'wait=60' },
    body: `{"inputs":{"source":${value}}}`,
  });
  const text = await response.text();
  const id = /"(?:executionId|id)":"(ex_[^"]+)"/.exec(text)?.[1];
  if (id === undefined) throw new Error(`A run was refused: ${response.status} ${text.slice(0, 300)}`);
  return { workflowId, runId: id };
}

export const ATTACKS: Readonly<Record<string, Attack>> = {
  'a column of words mapped to 1,000 number inputs, estimated': async ({ attacker }) => {
    const id = await storeWorkflow(attacker, numberInputs(1000));
    const tableId = await storeTable(attacker, 'text/csv', `c\n${'x\n'.repeat(5500)}`);
    const body = JSON.stringify({ tableId, mapping: mapAll(1000, 'c') });
    return strike(attacker, 'POST', `/workflows/${id}/batches/estimate`, body);
  },
  '999 inputs of one value and one of 10,000 in 5,000 nodes, whose caller hangs up': async ({ attacker }) => {
    const graph = numberInputs(1000);
    const others = items(1000, index => node(`o${index}`, 'utility:sticky_note', { text: '' }));
    const id = await storeWorkflow(attacker, { ...graph, nodes: [...graph.nodes, ...others] });
    const inputs = { ...mapAll(1000, [1]), n0: items(10_000, index => index) };
    const estimate = strike(
      attacker,
      'POST',
      `/workflows/${id}/batches/estimate`,
      JSON.stringify({ matrix: { inputs, mode: 'product' } }),
    );
    return signal => estimate(AbortSignal.any([signal, AbortSignal.timeout(1000)])).catch(() => undefined);
  },
  'rows with the most values, estimated': async ({ attacker }) => {
    const id = await storeWorkflow(attacker, numberInputs(40));
    const rows = items(10_000, () => ({ inputs: mapAll(38, 1) }));
    return strike(attacker, 'POST', `/workflows/${id}/batches/estimate`, JSON.stringify({ rows }));
  },
  'a batch of 100 MB': async ({ attacker }) => {
    const id = await storeWorkflow(attacker, {
      name: 'texts',
      nodes: [node('text', 'input:text', { value: 'a' }), node('seed', 'input:number', { value: 1 })],
      edges: [],
    });
    const matrix = {
      inputs: { text: ['x'.repeat(980_000)], seed: items(100, index => index) },
      mode: 'product',
    };
    return strike(attacker, 'POST', `/workflows/${id}/batches`, JSON.stringify({ matrix, firstRows: 1 }));
  },
  'a table of 900,000 commas in each line': async ({ attacker }) =>
    strike(attacker, 'POST', '/tables', `a\n${`${','.repeat(900_000)}\n`.repeat(4)}`, {
      'content-type': 'text/csv',
    }),
  'a table of 300,000 objects in a line': async ({ attacker }) =>
    strike(attacker, 'POST', '/tables', `{"a":[${'{},'.repeat(300_000)}{}]}\n`.repeat(10), {
      'content-type': 'application/x-ndjson',
    }),
  'a feed with 1,000 items of 9 KB, mapped whole to 1,000 inputs': async ({ attacker, feed }) => {
    const id = await storeWorkflow(attacker, {
      ...numberInputs(0),
      nodes: items(1000, index => node(`n${index}`, 'input:json', { value: 1 })),
    });
    // An account may have several triggers, but few requests to activate them.
    const strikes: Strike[] = [];
    for (let count = 0; count < AT_ONCE; count++) {
      const trigger = await prepare<{ id: string }>(attacker, 'POST', `/workflows/${id}/triggers`, {
        kind: 'feed',
        config: { url: feed.url },
        inputs: mapAll(1000, ''),
      });
      await prepare(attacker, 'PATCH', `/triggers/${trigger.id}`, { isActive: false });
      strikes.push(strike(attacker, 'PATCH', `/triggers/${trigger.id}`, '{"isActive":true}'));
    }
    return async signal => {
      // The service polls the feed when the trigger becomes active.
      const polled = feed.nextRequest(signal);
      const status = await strikes.pop()?.(signal);
      if (status === 200) await polled;
      return status;
    };
  },
  'a hook call of 1 MB, mapped whole to 400 inputs': async ({ attacker, url }) => {
    const graph = {
      name: 'hook',
      nodes: items(400, index => node(`n${index}`, 'input:json', { value: 1 })),
      edges: [],
    };
    const id = await storeWorkflow(attacker, graph);
    const hook = await prepare<{ url: string }>(attacker, 'POST', `/workflows/${id}/triggers`, {
      kind: 'hook',
      inputs: mapAll(400, ''),
    });
    const path = new URL(hook.url, url).pathname;
    const body = JSON.stringify({ text: 'x'.repeat(1_000_000) });
    return async signal =>
      drain(await fetch(url + path, { method: 'POST', headers: JSON_TYPE, body, signal }));
  },
  'runs of a component of 3.5 MB that is called as often as the limit allows': async ({ attacker }) => {
    const component = await storeWorkflow(attacker, {
      name: 'large component',
      nodes: [node('text', 'input:json', { value: ['x'.repeat(3_500_000)] }), node('end', 'output:preview')],
      edges: [edge('text.json > end.input')],
    });
    const id = await storeWorkflow(attacker, {
      name: 'caller',
      nodes: items(8, index => node(`c${index}`, 'component:call', { workflowId: component, version: 1 })),
      edges: [],
    });
    return strike(attacker, 'POST', `/workflows/${id}/run`, '{}');
  },
  'reads of a run with 14 MB of empty objects': async ({ attacker }) => {
    const { runId } = await runWithObjects(attacker, EMPTY_OBJECTS);
    return strike(attacker, 'GET', `/executions/${runId}`);
  },
  'reads of the gallery of an app with long results': async ({ attacker, url }) => {
    const { workflowId } = await runWithObjects(attacker, '{}');
    const slug = `attack-${process.pid}`;
    await prepare(attacker, 'PUT', `/workflows/${workflowId}/app`, {
      slug,
      title: 'Gallery',
      inputs: [{ nodeId: 'source', label: 'Value' }],
      outputs: items(OUTPUTS, index => `end${index}`),
      audience: 'anyone',
      showsGallery: true,
      runsPerVisitor: 100,
    });
    for (let count = 0; count < 14; count++) {
      const run = await prepare<{ runId: string }>(
        attacker,
        'POST',
        `/apps/${slug}/run`,
        `{"inputs":{"input_1":${EMPTY_OBJECTS}}}`,
      );
      await prepare(attacker, 'PATCH', `/apps/${slug}/runs/${run.runId}`, { inGallery: true });
    }
    return strike(asVisitor(url), 'GET', `/apps/${slug}/gallery?limit=200`);
  },
  'public pages of a workflow with 5,000 nodes': async ({ attacker, url }) => {
    const graph = {
      ...numberInputs(1),
      nodes: items(5000, index => node(`n${index}`, 'input:number', { value: 1 })),
    };
    const id = await storeWorkflow(attacker, graph);
    await prepare(attacker, 'POST', `/workflows/${id}/visibility`, { linkPermission: 'DUPLICATE' });
    return async signal => drain(await fetch(`${url}/flow/${id}`, { signal }));
  },
  'lints of 4 MB of objects': async ({ attacker }) =>
    strike(
      attacker,
      'POST',
      '/workflows/lint',
      `{"nodes":[{"id":"a","type":"basedNode","position":{"x":0,"y":0},"data":{"label":"a","nodeType":"input:json","config":{"value":${OBJECTS}}}}],"edges":[]}`,
    ),
  'runs that exceed the limit of their outputs': async ({ attacker }) => {
    const id = await storeWorkflow(attacker, { name: 'huge', ...createJoinGraph(100, 40) });
    return strike(attacker, 'POST', `/workflows/${id}/execute`, '{}', { ...JSON_TYPE, prefer: 'wait=60' });
  },
  'programs that never end': async ({ attacker }) => {
    const id = await storeWorkflow(attacker, {
      name: 'endless',
      nodes: [node('program', 'utility:code', { code: 'for (;;);', timeoutMs: 30_000 })],
      edges: [],
    });
    return strike(attacker, 'POST', `/workflows/${id}/execute`, '{}', { ...JSON_TYPE, prefer: 'wait=60' });
  },
  'uploads of a picture with 100 megapixels': async ({ attacker }) =>
    strike(attacker, 'POST', '/media/upload', toUpload('image/png', await createPng(10_000))),
  'uploads of an AVIF with the most pixels': async ({ attacker }) => {
    const create = { width: 5800, height: 5800, channels: 3, background: 'white' } as const;
    const bytes = await sharp({ create }).avif({ effort: 0 }).toBuffer();
    return strike(attacker, 'POST', '/media/upload', toUpload('image/avif', bytes));
  },
  'uploads of an SVG with the most elements': async ({ attacker }) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg">${'<g/>'.repeat(19_900)}</svg>`;
    return strike(attacker, 'POST', '/media/upload', toUpload('image/svg+xml', Buffer.from(svg)));
  },
  'tables that arrive at 2 KB/s':
    async ({ attacker }) =>
    async signal =>
      drain(
        await attacker.fetch(`${V1}/tables`, {
          method: 'POST',
          headers: { 'content-type': 'text/csv' },
          body: createSlowBody(),
          duplex: 'half',
          signal,
        } as RequestInit),
      ),
};

/** A body of 200 bytes ten times a second, for at most two minutes. */
const createSlowBody = (): ReadableStream<Uint8Array> =>
  ReadableStream.from(
    (async function* () {
      for (let sent = 0; sent < 1200; sent++) {
        yield Buffer.from('a,b,c,d,e\n'.repeat(20));
        await sleep(100);
      }
    })(),
  );

const toUpload = (type: string, bytes: Buffer): string =>
  JSON.stringify({ dataUrl: `data:${type};base64,${bytes.toString('base64')}` });

/** Creates a square PNG of one color, whose file is small. */
const createPng = (side: number): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background: 'white' } })
    .png()
    .toBuffer();
