// Tests runs whose results exceed the storage quota of their account.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type Client, mapStates } from '../support/client.ts';
import {
  mappedGraph,
  modelGraph,
  type PaidExecution,
  PRICE,
  readBalance,
  setUpPaidService,
} from '../support/credits/paid.ts';
import { edge, node } from '../support/workflows.ts';

/** In bytes. The picture that fal's double delivers is larger. */
const STORAGE_LIMIT = 20;
const CODE = 'storage_quota_exceeded';

let folder: string;
const paid = setUpPaidService(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-plans-'));
  const plans = join(folder, 'plans.json');
  await writeFile(plans, JSON.stringify({ self_hosted: { storageBytes: STORAGE_LIMIT } }));
  return { PLANS_FILE: plans, ALLOW_PRIVATE_NETWORK: 'true' };
});
after(() => rm(folder, { recursive: true, force: true }));

const run = async (user: Client, graph: object): Promise<PaidExecution> =>
  (await user.runWorkflow(await user.createWorkflow(graph))) as PaidExecution;
const readStorage = async (user: Client) =>
  (await user.request<{ storage: object }>('GET', '/me')).body.storage;

describe('a run of a user whose storage is full', () => {
  it('fails at the node whose result cannot be stored, although the delivered result is charged', async () => {
    const user = await paid.newUser(10);
    const workflow = await user.createWorkflow(modelGraph());
    const storage = await readStorage(user);
    const execution = (await user.runWorkflow(workflow)) as PaidExecution;
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', CODE]);
    const { m, end } = mapStates(execution);
    assert.deepEqual([m?.status, m?.credits, end?.status], ['FAILED', PRICE, 'SKIPPED']);
    assert.match(
      m?.error ?? '',
      /Your storage is full: .*Delete .* delivered its result, so the call was charged/,
    );
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: PRICE, released: 0 });
    assert.deepEqual(await readBalance(user), [10 - PRICE, 0]);
    assert.deepEqual(await readStorage(user), { ...storage, limitBytes: STORAGE_LIMIT });
    const { body } = await user.request<{ data: object[] }>('GET', '/media?origin=output');
    assert.deepEqual(body.data, []);
  });

  it('is charged for each delivered item of a list', async () => {
    const user = await paid.newUser(10);
    const execution = await run(user, mappedGraph(['a', 'b']));
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', CODE]);
    assert.deepEqual(execution.credits, { estimated: 2 * PRICE, held: 0, charged: 2 * PRICE, released: 0 });
    assert.equal(mapStates(execution).m?.credits, 2 * PRICE);
  });

  it('is not charged if the provider delivers nothing', async () => {
    const user = await paid.newUser(10);
    paid.fal.result = { status: 422, body: { detail: [{ loc: ['body'], msg: 'no', type: 'value_error' }] } };
    const execution = await run(user, modelGraph());
    assert.equal(execution.status, 'FAILED');
    assert.equal(execution.credits.charged, 0);
  });

  it('fails if it has to store an input file', async () => {
    const user = await paid.newUser(10);
    const execution = await run(user, {
      nodes: [
        node('i', 'input:image', { url: `${paid.fal.url}/files/a.png` }),
        node('end', 'output:preview'),
      ],
      edges: [edge('i.image > end.input')],
    });
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', CODE]);
    assert.deepEqual([execution.credits.charged, mapStates(execution).i?.status], [0, 'FAILED']);
  });

  it('completes if it stores no file', async () => {
    const user = await paid.newUser(0);
    const execution = await run(user, {
      nodes: [node('a', 'input:text', { value: 'x' }), node('b', 'output:preview')],
      edges: [edge('a.text > b.input')],
    });
    assert.equal(execution.status, 'COMPLETED');
  });
});
