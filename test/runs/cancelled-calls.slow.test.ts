// Tests runs that end while a provider call is active. A cancelled call is refunded, and a finished call is charged
// once.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, it } from 'node:test';
import { type Client, mapStates } from '../support/client.ts';
import {
  countRows,
  mappedGraph,
  modelGraph,
  type PaidExecution,
  PRICE,
  readBalance,
  readPool,
  runPastLimit,
  setUpPaidService,
} from '../support/credits/paid.ts';
import { wav } from '../support/media/files.ts';
import { plainImage } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { type ComfyDouble, startComfy } from '../support/providers/comfyui.ts';
import type { Double } from '../support/providers/double.ts';
import { startElevenLabs } from '../support/providers/elevenlabs.ts';
import { type ReplicateDouble, startReplicate } from '../support/providers/replicate.ts';
import { node } from '../support/workflows.ts';

const BALANCE = 1000;
const PRICES = {
  'text:openai_chat': { usdPerMillionOutputTokens: 10_000 },
  // The double uses 4 output tokens.
  'text:openai_responses': { usdPerMillionOutputTokens: 10_000 },
  'audio:elevenlabs_sound': { usdPerMillionCharacters: 300 },
};

let elevenlabs: Double;
let replicate: ReplicateDouble;
let comfyui: ComfyDouble;
let folder: string;
let user: Client;
const paid = setUpPaidService(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-cancelled-'));
  const prices = join(folder, 'prices.json');
  await writeFile(prices, JSON.stringify(PRICES));
  const image = await plainImage(8, 8, '#336699');
  elevenlabs = await startElevenLabs(wav(20_000));
  replicate = await startReplicate(image);
  comfyui = await startComfy(image);
  return {
    PRICES_FILE: prices,
    ELEVENLABS_API_KEY: 'xi-key',
    ELEVENLABS_BASE_URL: elevenlabs.url,
    REPLICATE_API_TOKEN: 'r8-key',
    REPLICATE_BASE_URL: `${replicate.url}/v1`,
    COMFYUI_URL: comfyui.url,
  };
});
after(async () => {
  await elevenlabs.close();
  await replicate.close();
  await comfyui.close();
  await rm(folder, { recursive: true });
});
beforeEach(async () => {
  paid.fal.polls = 1e9;
  replicate.state.polls = 1e9;
  replicate.state.startingPolls = 1;
  replicate.state.end = { status: 'succeeded', output: `${replicate.url}/delivery/a.png` };
  paid.openai.state.polls = 1e9;
  user = await paid.newUser(BALANCE);
});
afterEach(() => {
  for (const double of [paid.fal, paid.openai, elevenlabs, replicate]) double.clearFaults();
});

const cancel = (id: string) => user.request('POST', `/executions/${id}/cancel`);
const readPaidRun = async (id: string) => (await user.readExecution(id)) as PaidExecution;

/** Runs the graph, cancels the run after the provider has received the request, and returns the id of the run. */
async function startAndCancel(graph: object, hasArrived: () => boolean): Promise<string> {
  const id = await user.startRun(await user.createWorkflow(graph));
  await waitUntil('the request to the provider', hasArrived);
  await cancel(id);
  assert.equal((await user.waitForStatus(id)).status, 'CANCELLED');
  return id;
}

/** Waits until the run's calls are settled, and checks that all costs agree. Returns the run's credits. */
async function waitForCosts(id: string): Promise<PaidExecution['credits']> {
  // A call without cost has no held credits to wait for, but its row is deleted when the call is settled.
  await waitUntil(
    'the calls to be settled',
    async () => (await countRows(paid, `calls where execution_id = '${id}'`)) === 0,
  );
  const execution = await readPaidRun(id);
  const { credits } = execution;
  assert.equal(credits.held, 0);
  const costs = Object.values(mapStates(execution)).map(state => state.credits);
  assert.equal(
    costs.reduce((sum, cost) => sum + cost, 0),
    credits.charged,
    'the node states agree with the run',
  );
  assert.deepEqual(await readBalance(user), [BALANCE - credits.charged, 0]);
  return credits;
}

/** Returns a condition that holds once fal receives a poll. */
const createPollCondition = () => {
  const before = paid.fal.count(/\/status$/);
  return () => paid.fal.count(/\/status$/) > before;
};

describe('a run that ends while fal is working', () => {
  it('is charged nothing if fal cancels the request', async () => {
    const id = await startAndCancel(modelGraph(), createPollCondition());
    assert.deepEqual(await waitForCosts(id), { estimated: PRICE, held: 0, charged: 0, released: PRICE });
  });

  it('keeps its reservation until fal accepts the cancel', async () => {
    paid.fal.failRequests(/^PUT .*\/cancel$/, { status: 503, body: {} }, 1e9);
    const id = await startAndCancel(modelGraph(), createPollCondition());
    assert.equal((await readPaidRun(id)).credits.held, PRICE);
    assert.deepEqual(await readBalance(user), [BALANCE - PRICE, PRICE]);
    paid.fal.clearFaults();
    assert.equal((await waitForCosts(id)).charged, 0);
  });

  it('is charged if the fal app ignores the cancel and delivers', async () => {
    paid.fal.ignoresCancel = true;
    const id = await startAndCancel(modelGraph(), createPollCondition());
    assert.equal((await readPaidRun(id)).credits.held, PRICE);
    paid.fal.polls = 0;
    assert.deepEqual(await waitForCosts(id), { estimated: PRICE, held: 0, charged: PRICE, released: 0 });
    const charges = (await readPool(user)).entries.filter(({ kind }) => kind === 'charge');
    assert.deepEqual(
      charges.map(({ amount, nodeId }) => [amount, nodeId]),
      [[PRICE, 'm']],
    );
  });

  it('is charged nothing if the fal app ignores the cancel and fails', async () => {
    paid.fal.ignoresCancel = true;
    paid.fal.result = { status: 422, body: { detail: [{ msg: 'no', type: 'value_error' }] } };
    const id = await startAndCancel(modelGraph(), createPollCondition());
    paid.fal.polls = 0;
    assert.equal((await waitForCosts(id)).charged, 0);
  });

  it('is charged the units that fal bills, not the maximum', async () => {
    paid.fal.ignoresCancel = true;
    const headers = { 'x-fal-billable-units': '0.2113' };
    paid.fal.result = { status: 200, headers, body: { images: [{ url: `${paid.fal.url}/files/a.png` }] } };
    const graph = { nodes: [node('m', 'generate:fal_openai_gpt_image_2', { prompt: 'x', maxCredits: 50 })] };
    const id = await startAndCancel({ ...graph, edges: [] }, createPollCondition());
    paid.fal.polls = 0;
    assert.deepEqual(await waitForCosts(id), { estimated: 50, held: 0, charged: 22, released: 28 });
  });

  it('is charged if it times out before the fal app delivers', async () => {
    paid.fal.ignoresCancel = true;
    const { status, id } = await runPastLimit(paid, user, modelGraph());
    assert.equal(status, 'TIMEOUT');
    paid.fal.polls = 0;
    assert.equal((await waitForCosts(id)).charged, PRICE);
  });

  it('is charged for each item of a list that fal delivers after the cancel', async () => {
    paid.fal.ignoresCancel = true;
    const before = paid.fal.accepted.length;
    const id = await startAndCancel(
      mappedGraph(['a', 'b', 'c']),
      () => paid.fal.accepted.length === before + 3,
    );
    paid.fal.polls = 0;
    assert.equal((await waitForCosts(id)).charged, 3 * PRICE);
  });

  it('adds an item that fal delivers after the cancel to the charges of earlier items', async () => {
    paid.fal.polls = 0;
    paid.fal.ignoresCancel = true;
    const lateRequest = paid.fal.accepted.length + 3;
    const working = { status: 202, body: { status: 'IN_PROGRESS', logs: [] } };
    paid.fal.failRequests(new RegExp(`/req-${lateRequest}/status$`), working, 1e9);
    const id = await user.startRun(await user.createWorkflow(mappedGraph(['a', 'b', 'c'])));
    await waitUntil(
      'two items to be charged',
      async () => mapStates(await readPaidRun(id)).m?.credits === 2 * PRICE,
    );
    await cancel(id);
    await user.waitForStatus(id);
    paid.fal.clearFaults();
    assert.equal((await waitForCosts(id)).charged, 3 * PRICE);
    const { body } = await user.request<{ credits: number }>('GET', `/executions/${id}/outputs/m`);
    assert.equal(body.credits, 3 * PRICE);
  });

  it('is charged once if several worker processes settle calls', async () => {
    paid.fal.ignoresCancel = true;
    const otherWorkers = await Promise.all([1, 2].map(() => paid.service.startAnother({ ROLE: 'worker' })));
    const id = await startAndCancel(modelGraph(), createPollCondition());
    paid.fal.polls = 0;
    assert.equal((await waitForCosts(id)).charged, PRICE);
    for (const other of otherWorkers) await other.close();
  });
});

describe('a run that ends while Replicate is working', () => {
  const graph = { nodes: [node('m', 'generate:replicate_flux_pro', { prompt: 'a fox' })], edges: [] };
  const createPollCountCondition = (times: number) => {
    const before = replicate.count(/^GET .*\/predictions\//);
    return () => replicate.count(/^GET .*\/predictions\//) >= before + times;
  };

  it('is charged nothing for a prediction that had not started', async () => {
    replicate.state.startingPolls = 1e9;
    const id = await startAndCancel(graph, createPollCountCondition(1));
    assert.deepEqual(await waitForCosts(id), { estimated: 4, held: 0, charged: 0, released: 4 });
  });

  it('is charged for a prediction that had started, because Replicate bills it', async () => {
    const id = await startAndCancel(graph, createPollCountCondition(3));
    assert.equal((await waitForCosts(id)).charged, 4);
  });

  it('is charged for a prediction that had already ended', async () => {
    const id = await user.startRun(await user.createWorkflow(graph));
    await waitUntil('a poll', createPollCountCondition(2));
    replicate.failRequests(/^GET .*\/predictions\//, { status: 500, body: {} }, 1e9);
    replicate.state.polls = 0;
    await cancel(id);
    assert.equal((await waitForCosts(id)).charged, 4);
  });
});

describe('a run that ends while OpenAI is working', () => {
  it('is charged for a chat request, which cannot be cancelled', async () => {
    paid.openai.failRequests(/chat/, 'hang');
    const before = paid.openai.requests.length;
    const graph = { nodes: [node('m', 'text:openai_chat', { prompt: 'x', maxCredits: 9 })], edges: [] };
    const id = await startAndCancel(graph, () => paid.openai.requests.length > before);
    const execution = await readPaidRun(id);
    assert.deepEqual(execution.credits, { estimated: 9, held: 0, charged: 9, released: 0 });
    assert.equal(mapStates(execution).m?.credits, 9);
    assert.deepEqual(await readBalance(user), [BALANCE - 9, 0]);
  });

  it('is charged nothing for a rejected request', async () => {
    paid.openai.failRequests(/chat/, { status: 429, headers: { 'retry-after': '600' }, body: {} });
    const before = paid.openai.requests.length;
    const graph = { nodes: [node('m', 'text:openai_chat', { prompt: 'x', maxCredits: 9 })], edges: [] };
    const id = await startAndCancel(graph, () => paid.openai.requests.length > before);
    assert.equal((await waitForCosts(id)).charged, 0);
  });

  const responseGraph = {
    nodes: [node('m', 'text:openai_responses', { prompt: 'x', maxCredits: 30 })],
    edges: [],
  };
  const createPollCountCondition = (times: number) => {
    const before = paid.openai.count(/^GET .*\/responses\//);
    return () => paid.openai.count(/^GET .*\/responses\//) >= before + times;
  };

  it('is charged nothing for a response that OpenAI cancels', async () => {
    const id = await startAndCancel(responseGraph, createPollCountCondition(1));
    assert.deepEqual(await waitForCosts(id), { estimated: 30, held: 0, charged: 0, released: 30 });
  });

  it('is charged the tokens of a response that had already ended', async () => {
    const id = await user.startRun(await user.createWorkflow(responseGraph));
    await waitUntil('polls', createPollCountCondition(2));
    paid.openai.failRequests(
      /^POST .*\/cancel$/,
      { status: 400, body: { error: { message: 'completed' } } },
      1e9,
    );
    await cancel(id);
    await user.waitForStatus(id);
    paid.openai.state.polls = 0;
    assert.deepEqual(await waitForCosts(id), { estimated: 30, held: 0, charged: 4, released: 26 });
  });
});

describe('a run that ends while another provider is working', () => {
  it('is charged for an ElevenLabs request, which cannot be cancelled', async () => {
    elevenlabs.failRequests(/sound-generation/, 'hang');
    const graph = {
      nodes: [node('m', 'audio:elevenlabs_sound', { text: 'rain', prompt: 'rain', maxCredits: 7 })],
    };
    const id = await startAndCancel({ ...graph, edges: [] }, () => elevenlabs.requests.length > 0);
    assert.equal((await waitForCosts(id)).charged, 7);
  });

  it("is charged nothing for the operator's own ComfyUI", async () => {
    comfyui.state.polls = 1e9;
    const workflow = { 1: { class_type: 'SaveImage', inputs: {} } };
    const graph = {
      nodes: [
        node('m', 'generate:comfyui', { workflow }),
        node('p', 'generate:fal_seedream', { prompt: 'x' }),
      ],
      edges: [],
    };
    const id = await startAndCancel(graph, () => comfyui.queued.length > 0);
    assert.equal((await waitForCosts(id)).charged, 0);
  });
});
