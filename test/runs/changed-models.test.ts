// Tests models that change or disappear while workflows contain them and runs wait for them.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { toModel } from '../../src/nodes/models/from-schema.ts';
import type { Model } from '../../src/nodes/models/model.ts';
import { deprecate, reconcile } from '../../src/nodes/models/reconcile.ts';
import { publishedOf, VIDEO_INPUT } from '../nodes/models/published.ts';
import type { Client } from '../support/client.ts';
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import {
  type PaidExecution,
  type PaidService,
  readBalance,
  runPaid,
  startPaidService,
} from '../support/credits/paid.ts';
import { mp4 } from '../support/media/files.ts';
import { waitUntil } from '../support/processes.ts';
import { node } from '../support/workflows.ts';

const WAITING = 100;
/** A busy machine takes its time for this many. */
const LONG_MS = 120_000;
/** Credits of four seconds at 0.2 USD. */
const PRICE = 80;
const INPUT = { ...VIDEO_INPUT, style: { type: 'string' } };
const MODEL = toModel(publishedOf(INPUT, { endpoint: 'fal-ai/changing', label: 'Changing' }));
const SHORT = { prompt: 'a fox', duration: '4s' };
const FILE = `data:video/mp4;base64,${mp4(2_000).toString('base64')}`;

let paid: PaidService;
let user: Client;
before(async () => {
  paid = await startPaidService({ MAX_CONCURRENT_RUNS: String(WAITING), WORKER_CONCURRENCY: '8' });
});
after(async () => {
  await assertLedgerBalanced(paid.service.db);
  await paid.close();
});
beforeEach(async () => {
  paid.fal.polls = 0;
  paid.fal.result = { status: 200, body: { video: { url: FILE } } };
  user = await paid.newUser(WAITING * PRICE);
  await install(MODEL);
});

interface Shown {
  readonly nodes: readonly { readonly nodeType: string; readonly deprecated?: true }[];
}

/** Writes the model like an administrator, and waits until the service has loaded it. */
async function install(model: Model): Promise<void> {
  const { service } = paid;
  const { body } = await service.request<{ revision: string }>('GET', '/admin/models');
  const sent = { revision: body.revision, models: [model] };
  const { status } = await service.request('POST', '/admin/models', sent);
  assert.equal(status, 200);
  await waitUntil('the model to be in use', async () => {
    const { body: shown } = await service.request<Shown>('GET', '/nodes?includeHidden=1');
    const entry = shown.nodes.find(({ nodeType }) => nodeType === model.nodeType);
    return JSON.stringify(entry) !== undefined && isAs(entry as unknown as Entry, model);
  });
}

interface Entry {
  readonly deprecated?: true;
  readonly inputs: readonly { readonly id: string; readonly enum?: readonly string[] }[];
}

/** Whether the entry belongs to this state of the model. */
function isAs({ deprecated, inputs }: Entry, model: Model): boolean {
  const shown = model.fields.filter(({ removed }) => removed !== true);
  const optionsOf = (fields: Entry['inputs'] | Model['fields']) =>
    JSON.stringify(
      fields
        .filter(({ id }) => id !== 'maxCredits')
        .map(({ id, enum: options }) => [id, options])
        .sort(),
    );
  const isGone = (deprecated === true) === (model.deprecated !== undefined);
  return isGone && optionsOf(inputs) === optionsOf(shown);
}

const graphOf = (config: Readonly<Record<string, unknown>>) => ({
  nodes: [node('m', MODEL.nodeType, config)],
  edges: [],
});
/** The model as its provider lists it with this input. */
const changedTo = (input: object): Model =>
  reconcile(MODEL, toModel(publishedOf(input as typeof INPUT, { endpoint: MODEL.endpoint }))).model;

const statusesOf = async (workflowId: string): Promise<readonly string[]> => {
  const { rows } = await paid.service.db.query<{ status: string }>(
    'select status from executions where workflow_id = $1',
    [workflowId],
  );
  return rows.map(({ status }) => status);
};
const isEnd = (status: string): boolean => !['QUEUED', 'RUNNING', 'WAITING', 'CANCELLING'].includes(status);

describe('a model that is removed', () => {
  it(`lets ${WAITING} runs that wait for it finish, each charged once`, async () => {
    paid.fal.polls = 1e9;
    const workflow = await user.createWorkflow(graphOf(SHORT));
    await Promise.all(Array.from({ length: WAITING }, () => user.startRun(workflow)));
    await waitUntil('all to be submitted', async () => paid.fal.accepted.length >= WAITING, LONG_MS);
    await install(deprecate(MODEL, '2026-11-22'));
    paid.fal.polls = 0;
    await waitUntil('all to end', async () => (await statusesOf(workflow)).every(isEnd), LONG_MS);
    assert.deepEqual([...new Set(await statusesOf(workflow))], ['COMPLETED']);
    assert.equal(paid.fal.accepted.length, WAITING);
    assert.deepEqual(await readBalance(user), [0, 0]);
  });
});

describe('a stored workflow whose model has changed', () => {
  const refusedRun = async (
    config: Readonly<Record<string, unknown>>,
    changed: Model,
    named: RegExp,
  ): Promise<void> => {
    const id = await user.createWorkflow(graphOf({ ...SHORT, ...config }));
    await install(changed);
    const submitted = paid.fal.accepted.length;
    const { body: linted } = await user.request('POST', `/workflows/${id}/lint`);
    assert.match(JSON.stringify(linted), named);
    const { status, error, credits } = (await user.runWorkflow(id)) as PaidExecution & {
      error: { message: string };
    };
    assert.equal(status, 'FAILED');
    assert.match(error.message, named);
    assert.deepEqual([credits.charged, credits.held, paid.fal.accepted.length], [0, 0, submitted]);
  };

  it('fails lint with the removed field, and its run stops before anything is sent or charged', async () => {
    const { style: _, ...input } = INPUT;
    await refusedRun({ style: 'noir' }, changedTo(input), /style.*no longer/i);
  });

  it('fails lint with the field whose choice was removed, and its run stops before anything is sent or charged', async () => {
    const input = { ...INPUT, resolution: { type: 'string', enum: ['720p'], default: '720p' } };
    await refusedRun({ resolution: '1080p' }, changedTo(input), /resolution/i);
  });

  it('runs unchanged if it uses nothing that has changed', async () => {
    const { style: _, ...input } = INPUT;
    const id = await user.createWorkflow(graphOf(SHORT));
    await install(changedTo({ ...input, mood: { type: 'string', default: 'calm' } }));
    const { status, credits } = (await user.runWorkflow(id)) as PaidExecution;
    assert.deepEqual([status, credits.charged], ['COMPLETED', PRICE]);
    assert.equal((await runPaid(user, graphOf(SHORT))).status, 'COMPLETED');
  });
});
