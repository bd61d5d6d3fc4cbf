// Tests runs with named servers: several in one run, what they cost, which results are reused, and how calls end.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CatalogEntry } from '../../src/graph/catalog.ts';
import type { Client } from '../support/client.ts';
import { plainImage } from '../support/media/pixels.ts';
import type { Double } from '../support/providers/double.ts';
import { startServer } from '../support/providers/servers.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const CHAT = 'text:openai_chat';
const IMAGE = 'generate:openai_gpt_image';
const SCOPES = ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'] as const;

const chat = (config: object = {}) =>
  node('chat', CHAT, { prompt: 'Name a fox.', server: 'ollama', model: 'llama3.2', ...config });
const image = (config: object = {}) =>
  node('image', IMAGE, { server: 'sd', model: 'sd', size: '512x512', prompt: 'a fox', ...config });

interface Estimate {
  readonly credits: number;
  readonly exact: boolean;
  readonly issues: readonly { readonly code: string; readonly message: string }[];
}

const estimate = async (user: Client, graph: object): Promise<Estimate> =>
  (await user.request<Estimate>('POST', `/workflows/${await user.createWorkflow(graph)}/estimate`, {})).body;
const findEntry = async (user: Client, nodeType: string): Promise<CatalogEntry> => {
  const { body } = await user.request<{ nodes: CatalogEntry[] }>('GET', '/nodes');
  return body.nodes.find(entry => entry.nodeType === nodeType) as CatalogEntry;
};

let ollama: Double;
let sd: Double;
before(async () => {
  ollama = await startServer('ollama');
  sd = await startServer('sdServer', await plainImage(8, 8, '#336699'));
});
after(() => Promise.all([ollama.close(), sd.close()]));
const createServers = (): string => `ollama=${ollama.url}/v1,sd=${sd.url}/v1`;

describe('a run with named servers', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ OPENAI_SERVERS: createServers() });
  });
  after(() => service.close());
  // Accounts of the plan `free` run only models that have a price.
  const newUser = () => service.createUser({ plan: 'free', credits: 0, keyScopes: [...SCOPES] });
  const both = { nodes: [chat(), image()], edges: [edge('chat.text > image.prompt')] };

  it('uses several servers, and costs nothing', async () => {
    const user = await newUser();
    assert.deepEqual(await estimate(user, both), {
      ...(await estimate(user, both)),
      credits: 0,
      exact: true,
      issues: [],
    });
    const execution = await user.runWorkflow(await user.createWorkflow(both));
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    assert.equal(sd.requests.at(-1)?.json.prompt, 'A fox.');
    const { balance, held } = (await user.request<{ balance: number; held: number }>('GET', '/credits')).body;
    assert.deepEqual([balance, held], [0, 0]);
  });

  it('reuses results only with a fixed seed', async () => {
    const user = await newUser();
    const countCalls = async (graph: object): Promise<number> => {
      const earlierCount = sd.requests.length + ollama.requests.length;
      const workflow = await user.createWorkflow(graph);
      for (const _ of [1, 2]) assert.equal((await user.runWorkflow(workflow)).status, 'COMPLETED');
      return sd.requests.length + ollama.requests.length - earlierCount;
    };
    assert.equal(await countCalls({ nodes: [image({ prompt: 'a hare', seed: 7 })], edges: [] }), 1);
    assert.equal(await countCalls({ nodes: [image({ prompt: 'a hare' })], edges: [] }), 2);
    assert.equal(await countCalls({ nodes: [chat()], edges: [] }), 2);
  });

  it('is refused if a server is not set up', async () => {
    const user = await newUser();
    const workflow = await user.createWorkflow({ nodes: [chat({ server: 'nobody' })], edges: [] });
    const { status, body } = await user.request<{ code: string; error: string }>(
      'POST',
      `/workflows/${workflow}/run`,
      {},
    );
    assert.deepEqual([status, body.code], [400, 'provider_not_configured']);
    assert.match(body.error, /“nobody” is not set up/);
  });

  it('shows its nodes as free in the catalog', async () => {
    const entry = await findEntry(await newUser(), CHAT);
    assert.deepEqual(
      [entry.executionCost, entry.pricingModel, entry.estimatedCredits, entry.priceSource],
      ['free', 'free', 0, undefined],
    );
    const maxCredits = entry.inputs.find(({ id }) => id === 'maxCredits');
    assert.equal(maxCredits?.required, undefined);
    // The nodes of OpenAI itself keep their price.
    assert.equal((await findEntry(await newUser(), 'text:openai_responses'))?.executionCost, undefined);
  });

  it('closes the connection when it is canceled', async t => {
    const opened = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<boolean>();
    const slow = createServer((req, res) => {
      opened.resolve();
      res.on('close', () => closed.resolve(res.writableFinished));
      req.resume();
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const { port } = slow.address() as AddressInfo;
    t.after(() => {
      slow.closeAllConnections();
      slow.close();
    });
    const user = await newUser();
    const stored = await service.request('POST', '/credentials', {
      kind: 'openai',
      name: 'Slow',
      owner: 'instance',
      server: 'slow',
      values: { baseUrl: `http://127.0.0.1:${port}/v1` },
    });
    assert.equal(stored.status, 201, JSON.stringify(stored.body));
    const workflow = await user.createWorkflow({ nodes: [chat({ server: 'slow' })], edges: [] });
    const { body } = await user.request<{ executionId: string }>('POST', `/workflows/${workflow}/run`, {});
    await opened.promise;
    await user.request('POST', `/executions/${body.executionId}/cancel`, {});
    assert.equal(await closed.promise, false);
  });
});

describe('a price of the operator', () => {
  let folder: string;
  let service: TestService;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-prices-'));
    const file = join(folder, 'prices.json');
    await writeFile(
      file,
      JSON.stringify({ [IMAGE]: { usdPerCall: 0.05 }, [`${CHAT}/llama3.2`]: { usdPerCall: 0.02 } }),
    );
    service = await startTestService({
      OPENAI_SERVERS: createServers(),
      PRICES_FILE: file,
      ALLOW_PRIVATE_NETWORK: 'true',
    });
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  it('applies to servers of the instance', async () => {
    const user = await service.createUser({ plan: 'free', credits: 20, keyScopes: [...SCOPES] });
    assert.equal((await estimate(user, { nodes: [image()], edges: [] })).credits, 5);
    const graph = { nodes: [image(), chat()], edges: [] };
    assert.equal((await estimate(user, graph)).credits, 7);
    assert.equal((await user.runWorkflow(await user.createWorkflow(graph))).status, 'COMPLETED');
    const { balance } = (await user.request<{ balance: number }>('GET', '/credits')).body;
    assert.equal(balance, 13);
    assert.deepEqual(
      [(await findEntry(user, IMAGE)).executionCost, (await findEntry(user, CHAT)).executionCost],
      ['paid', 'free'],
    );
  });

  it("does not apply to a workspace's own server, which comes before the instance's of the same name", async () => {
    const user = await service.createUser({ plan: 'free', credits: 0, keyScopes: [...SCOPES] });
    const { status, body } = await user.request('POST', '/credentials', {
      kind: 'openai',
      name: 'Mine',
      owner: 'workspace',
      server: 'sd',
      values: { baseUrl: `${sd.url}/v1`, apiKey: 'sd-key' },
    });
    assert.equal(status, 201, JSON.stringify(body));
    const graph = { nodes: [image()], edges: [] };
    const { status: outcome, nodeStates } = await user.runWorkflow(await user.createWorkflow(graph));
    assert.equal(outcome, 'COMPLETED');
    assert.equal((nodeStates[0] as { readonly paidBy?: string }).paidBy, 'credential');
    assert.equal(sd.requests.at(-1)?.headers.authorization, 'Bearer sd-key');
  });
});
