// Tests models that change or disappear while workflows contain them and runs wait for them.
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { buildModel } from '../../src/nodes/models/from-schema.ts';
import type { Model } from '../../src/nodes/models/model.ts';
import { deprecate, reconcile } from '../../src/nodes/models/reconcile.ts';
import { createPublishedModel, VIDEO_INPUT } from '../nodes/models/published.ts';
import type { Client } from '../support/client.ts';
import { type PaidExecution, readBalance, runPaid, setUpPaidService } from '../support/credits/paid.ts';
import { mp4 } from '../support/media/files.ts';
import { waitUntil } from '../support/processes.ts';
import { isNightly } from '../support/tier.ts';
import { node } from '../support/workflows.ts';

const RUN_COUNT = isNightly ? 100 : 20;
/** Credits of four seconds at 0.2 USD. */
const PRICE = 80;
const INPUT = { ...VIDEO_INPUT, style: { type: 'string' } };
const MODEL = buildModel(createPublishedModel(INPUT, { endpoint: 'fal-ai/changing', label: 'Changing' }));
const SHORT_CLIP = { prompt: 'a fox', duration: '4s' };
const FILE = `data:video/mp4;base64,${mp4(2_000).toString('base64')}`;

const paid = setUpPaidService({ MAX_CONCURRENT_RUNS: String(RUN_COUNT), WORKER_CONCURRENCY: '8' });
let user: Client;
beforeEach(async () => {
  paid.fal.result = { status: 200, body: { video: { url: FILE } } };
  user = await paid.newUser(RUN_COUNT * PRICE);
  await install(MODEL);
});

/** Writes the model like an administrator, and waits until the service has loaded it. */
async function install(model: Model): Promise<void> {
  const { service } = paid;
  const { body } = await service.request<{ revision: string }>('GET', '/admin/models');
  const sentModels = { revision: body.revision, models: [model] };
  const { status } = await service.request('POST', '/admin/models', sentModels);
  assert.equal(status, 200);
  await waitUntil('the model to be loaded', async () => {
    const { body: catalog } = await service.request<{ nodes: readonly Entry[] }>(
      'GET',
      '/nodes?includeHidden=1',
    );
    const entry = catalog.nodes.find(({ nodeType }) => nodeType === model.nodeType);
    return entry !== undefined && matchesModel(entry, model);
  });
}

interface Entry {
  readonly nodeType: string;
  readonly deprecated?: true;
  readonly inputs: readonly { readonly id: string; readonly enum?: readonly string[] }[];
}

/** Returns whether the catalog entry describes this version of the model. */
function matchesModel({ deprecated, inputs }: Entry, model: Model): boolean {
  const currentFields = model.fields.filter(({ removed }) => removed !== true);
  const describeOptions = (fields: Entry['inputs'] | Model['fields']) =>
    JSON.stringify(
      fields
        .filter(({ id }) => id !== 'maxCredits')
        .map(({ id, enum: options }) => [id, options])
        .sort(),
    );
  const hasSameState = (deprecated === true) === (model.deprecated !== undefined);
  return hasSameState && describeOptions(inputs) === describeOptions(currentFields);
}

const buildGraph = (config: Readonly<Record<string, unknown>>) => ({
  nodes: [node('m', MODEL.nodeType, config)],
  edges: [],
});
/** Returns the model after its provider has changed its input. */
const changeInput = (input: object): Model =>
  reconcile(MODEL, buildModel(createPublishedModel(input as typeof INPUT, { endpoint: MODEL.endpoint })))
    .model;

const listStatuses = async (workflowId: string): Promise<readonly string[]> => {
  const { rows } = await paid.service.db.query<{ status: string }>(
    'select status from executions where workflow_id = $1',
    [workflowId],
  );
  return rows.map(({ status }) => status);
};
const isEnded = (status: string): boolean => !['QUEUED', 'RUNNING', 'WAITING', 'CANCELLING'].includes(status);

describe('a model that is removed', () => {
  it(`lets ${RUN_COUNT} runs that wait for it finish, each charged once`, async () => {
    paid.fal.polls = 1e9;
    const workflow = await user.createWorkflow(buildGraph(SHORT_CLIP));
    await Promise.all(Array.from({ length: RUN_COUNT }, () => user.startRun(workflow)));
    await waitUntil('all to be submitted', async () => paid.fal.accepted.length >= RUN_COUNT);
    await install(deprecate(MODEL, '2026-11-22'));
    paid.fal.polls = 0;
    await waitUntil('all to end', async () => (await listStatuses(workflow)).every(isEnded));
    assert.deepEqual([...new Set(await listStatuses(workflow))], ['COMPLETED']);
    assert.equal(paid.fal.accepted.length, RUN_COUNT);
    assert.deepEqual(await readBalance(user), [0, 0]);
  });
});

describe('a stored workflow whose model has changed', () => {
  const assertRejected = async (
    config: Readonly<Record<string, unknown>>,
    changed: Model,
    message: RegExp,
  ): Promise<void> => {
    const id = await user.createWorkflow(buildGraph({ ...SHORT_CLIP, ...config }));
    await install(changed);
    const acceptedBefore = paid.fal.accepted.length;
    const { body: linted } = await user.request('POST', `/workflows/${id}/lint`);
    assert.match(JSON.stringify(linted), message);
    const { status, error, credits } = (await user.runWorkflow(id)) as PaidExecution & {
      error: { message: string };
    };
    assert.equal(status, 'FAILED');
    assert.match(error.message, message);
    assert.deepEqual([credits.charged, credits.held, paid.fal.accepted.length], [0, 0, acceptedBefore]);
  };

  it('fails lint and its run without a call if it sets a removed field', async () => {
    const { style: _, ...input } = INPUT;
    await assertRejected({ style: 'noir' }, changeInput(input), /style.*no longer/i);
  });

  it('fails lint and its run without a call if it sets a removed choice', async () => {
    const input = { ...INPUT, resolution: { type: 'string', enum: ['720p'], default: '720p' } };
    await assertRejected({ resolution: '1080p' }, changeInput(input), /resolution/i);
  });

  it('runs unchanged if it uses no changed field', async () => {
    const { style: _, ...input } = INPUT;
    const id = await user.createWorkflow(buildGraph(SHORT_CLIP));
    await install(changeInput({ ...input, mood: { type: 'string', default: 'calm' } }));
    const { status, credits } = (await user.runWorkflow(id)) as PaidExecution;
    assert.deepEqual([status, credits.charged], ['COMPLETED', PRICE]);
    assert.equal((await runPaid(user, buildGraph(SHORT_CLIP))).status, 'COMPLETED');
  });
});
