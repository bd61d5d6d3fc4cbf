// Runs that cost, end to end on a double of fal: what is set aside, charged and given back, and that it all adds up.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { findNode } from '../../src/nodes/catalog.ts';
import { createPay } from '../../src/services/run-credits.ts';
import { type Client, type Execution, statesOf } from '../support/client.ts';
import { assertLedgerBalanced } from '../support/ledger.ts';
import { plainImage } from '../support/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { type OpenAiDouble, startOpenAi } from '../support/providers/openai.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const MODEL = 'generate:fal_seedream';
/** Credits of one call of the model. */
const PRICE = 3;

type PaidExecution = Execution & {
  readonly credits: {
    readonly estimated: number;
    readonly held: number;
    readonly charged: number;
    readonly released: number;
  };
};
interface Pool {
  readonly balance: number;
  readonly held: number;
  readonly entries: readonly {
    readonly kind: string;
    readonly amount: number;
    readonly nodeId: string | null;
  }[];
}
interface Refused {
  readonly code: string;
  readonly [detail: string]: unknown;
}

const model = (id: string, config: object = {}) =>
  node(id, MODEL, { prompt: `a fox named ${id}`, ...config });
/** One model shown by a preview. */
const single = (config: object = {}) => ({
  nodes: [model('m', config), node('end', 'output:preview')],
  edges: [edge('m.image > end.input')],
});
/** Two models side by side. */
const PAIR = { nodes: [model('m1'), model('m2')], edges: [] };
/** A model called for each text of a list. */
const mapped = (texts: readonly string[]) => ({
  nodes: [node('list', 'input:list', { items: texts }), node('m', MODEL)],
  edges: [edge('list.list > m.prompt')],
});

let service: TestService;
let fal: FalDouble;
let openai: OpenAiDouble;
before(async () => {
  const file = await plainImage(8, 8, '#336699');
  fal = await startFal(file);
  openai = await startOpenAi(file);
  service = await startTestService({
    FAL_KEY: 'fal-key',
    FAL_BASE_URL: fal.url,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: `${openai.url}/v1`,
  });
});
after(async () => {
  await service.close();
  await fal.close();
  await openai.close();
});
beforeEach(() => {
  fal.polls = 0;
  fal.result = { status: 200, body: { images: [{ url: `${fal.url}/files/a.png` }] } };
});
afterEach(() => assertLedgerBalanced(service.db));

let people = 0;
/** A user with a pool of their own. */
async function newUser(credits: number): Promise<Client> {
  const { status, body } = await service.request<{ apiKey: string }>('POST', '/admin/users', {
    email: `paid-${people++}@example.com`,
    name: 'Paid',
    plan: 'self_hosted',
    credits,
    keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'],
  });
  assert.equal(status, 201, JSON.stringify(body));
  return service.as(body.apiKey);
}

const poolOf = async (user: Client): Promise<Pool> =>
  (await user.request<Pool>('GET', '/credits?limit=200')).body;
const balanceOf = async (user: Client): Promise<readonly [balance: number, held: number]> => {
  const { balance, held } = await poolOf(user);
  return [balance, held];
};
const run = async (user: Client, graph: object, body: object = {}): Promise<PaidExecution> =>
  (await user.run(await user.create(graph), body)) as PaidExecution;
const refuse = async (user: Client, workflow: string, body: object, code: string): Promise<Refused> => {
  const answer = await user.request<Refused>('POST', `/workflows/${workflow}/run`, body);
  assert.deepEqual([answer.status, answer.body.code], [402, code], JSON.stringify(answer.body));
  return answer.body;
};

describe('a paid run', () => {
  it('holds its estimate when accepted, is charged once on delivery, and says so in its record', async () => {
    const user = await newUser(10);
    fal.polls = 1e9;
    const id = await user.start(await user.create(single()));
    assert.deepEqual(await balanceOf(user), [10 - PRICE, PRICE]);
    const { credits } = (await user.execution(id)) as PaidExecution;
    assert.deepEqual(credits, { estimated: PRICE, held: PRICE, charged: 0, released: 0 });
    fal.polls = 0;
    const execution = (await user.until(id)) as PaidExecution;
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: PRICE, released: 0 });
    const states = statesOf(execution);
    assert.deepEqual([states.m?.credits, states.end?.credits], [PRICE, 0]);
    const pool = await poolOf(user);
    assert.deepEqual([pool.balance, pool.held], [10 - PRICE, 0]);
    assert.deepEqual(
      pool.entries.map(({ kind, amount, nodeId }) => [kind, amount, nodeId]),
      [
        ['charge', PRICE, 'm'],
        ['hold', PRICE, null],
        ['grant', 10, null],
      ],
    );
  });

  it('tells the job at the provider to owners of the workflow, and to nobody else', async () => {
    const [owner, editor] = [await newUser(10), await newUser(0)];
    const workflow = await owner.create(single());
    const me = await editor.request<{ userId: number }>('GET', '/me');
    const share = { userId: me.body.userId, role: 'EDIT' };
    assert.equal((await owner.request('PUT', `/workflows/${workflow}/permissions`, share)).status, 200);
    const { id, nodeStates } = await owner.run(workflow);
    const jobId = `req-${fal.accepted.length}`;
    assert.deepEqual(nodeStates.find(({ nodeId }) => nodeId === 'm')?.provider, { name: 'fal', jobId });
    const seen = statesOf(await editor.execution(id)).m;
    assert.deepEqual([seen?.status, seen?.provider], ['COMPLETED', undefined]);
  });

  it('writes nothing to the ledger where nothing in it costs', async () => {
    const user = await newUser(0);
    const { status, credits } = await run(user, {
      nodes: [node('a', 'input:text', { value: 'x' }), node('b', 'output:preview')],
      edges: [edge('a.text > b.input')],
    });
    assert.equal(status, 'COMPLETED');
    assert.deepEqual(credits, { estimated: 0, held: 0, charged: 0, released: 0 });
    assert.deepEqual((await poolOf(user)).entries, []);
  });

  it('pays from the pool of the workspace that its workflow is in', async () => {
    const user = await newUser(0);
    const team = await user.request<{ id: string }>('POST', '/teams', { name: 'studio' });
    await service.request('POST', '/admin/credits', { teamId: team.body.id, amount: 10, note: 'team' });
    await user.request('PUT', '/me/workspace', { teamId: team.body.id });
    const folder = await user.request<{ id: string }>('POST', '/folders', {
      name: 'f',
      teamId: team.body.id,
    });
    const workflow = await user.create(single());
    await user.request('PUT', `/workflows/${workflow}`, { folderId: folder.body.id });
    assert.equal((await user.run(workflow)).status, 'COMPLETED');
    assert.deepEqual(await balanceOf(user), [10 - PRICE, 0]);
  });

  it('402: too few credits, with what is needed, what there is, and for which nodes', async () => {
    const user = await newUser(PRICE + 1);
    const workflow = await user.create(PAIR);
    const { insufficientCredits, requiredCredits, availableCredits, breakdown } = await refuse(
      user,
      workflow,
      {},
      'insufficient_credits',
    );
    assert.deepEqual([insufficientCredits, requiredCredits, availableCredits], [true, 2 * PRICE, PRICE + 1]);
    assert.deepEqual(breakdown, [
      { nodeId: 'm1', nodeLabel: 'm1', credits: PRICE },
      { nodeId: 'm2', nodeLabel: 'm2', credits: PRICE },
    ]);
    assert.deepEqual(await balanceOf(user), [PRICE + 1, 0]);
    const { body } = await user.request<{ data: unknown[] }>('GET', `/workflows/${workflow}/executions`);
    assert.deepEqual(body.data, []);
  });

  it('402: more than its maxCredits, and a key that was refused works after topping up', async () => {
    const user = await newUser(1);
    const workflow = await user.create(single());
    const { requiredCredits } = await refuse(
      user,
      workflow,
      { maxCredits: PRICE - 1 },
      'max_credits_exceeded',
    );
    assert.equal(requiredCredits, PRICE);
    const start = () =>
      user.request<{ code?: string }>(
        'POST',
        `/workflows/${workflow}/run`,
        { maxCredits: PRICE },
        {
          'idempotency-key': 'once',
        },
      );
    assert.equal((await start()).body.code, 'insufficient_credits');
    const me = await user.request<{ userId: number }>('GET', '/me');
    await service.request('POST', '/admin/credits', { userId: me.body.userId, amount: 10, note: 'top-up' });
    const answers = [await start(), await start()];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('idempotent-replayed')]),
      [
        [202, null],
        [202, 'true'],
      ],
    );
    await waitUntil('the charge', async () => (await balanceOf(user))[0] === 11 - PRICE);
  });

  it('402: past the daily budget of its workflow, however many are started at once', async () => {
    const user = await newUser(1000);
    const workflow = await user.create(single());
    await user.request('PUT', `/workflows/${workflow}/budget`, { dailyCreditBudget: 2 * PRICE + 1 });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => user.request<Refused>('POST', `/workflows/${workflow}/run`, {})),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 202, 402, 402, 402, 402, 402, 402]);
    await waitUntil('the charges', async () => (await balanceOf(user))[0] === 1000 - 2 * PRICE);
    const { requiredCredits, availableCredits } = await refuse(user, workflow, {}, 'daily_budget_exceeded');
    assert.deepEqual([requiredCredits, availableCredits], [PRICE, 1]);
  });

  it('makes no call that would pass the daily budget, though the run had begun within it', async () => {
    const user = await newUser(1000);
    const workflow = await user.create(mapped(['a', 'b', 'c']));
    await user.request('PUT', `/workflows/${workflow}/budget`, { dailyCreditBudget: 2 * PRICE + 1 });
    const execution = (await user.run(workflow)) as PaidExecution;
    assert.equal(execution.status, 'FAILED');
    assert.equal(execution.error?.code, 'daily_budget_exceeded');
    assert.match(execution.error?.message ?? '', /1 of 3 items failed/);
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: 2 * PRICE, released: 0 });
    // Another day's runs count for that day alone.
    await service.db.query(
      `update run_credits set created_at = created_at - interval '1 day' where workflow_id = $1`,
      [workflow],
    );
    assert.equal((await user.request('POST', `/workflows/${workflow}/run`, {})).status, 202);
  });

  it('is charged nothing for a call that failed at the provider', async () => {
    const user = await newUser(10);
    fal.result = { status: 422, body: { detail: [{ msg: 'no', type: 'value_error' }] } };
    const execution = await run(user, single());
    assert.equal(execution.status, 'FAILED');
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: 0, released: PRICE });
    assert.equal(statesOf(execution).m?.credits, 0);
    assert.deepEqual(await balanceOf(user), [10, 0]);
  });

  it('gives back what is held when it is cancelled', async () => {
    const user = await newUser(10);
    fal.polls = 1e9;
    const asked = fal.accepted.length;
    const id = await user.start(await user.create(single()));
    await waitUntil('the submission', () => fal.accepted.length > asked);
    await user.request('POST', `/executions/${id}/cancel`);
    const { status, credits } = (await user.until(id)) as PaidExecution;
    assert.equal(status, 'CANCELLED');
    assert.deepEqual(credits, { estimated: PRICE, held: 0, charged: 0, released: PRICE });
    assert.deepEqual(await balanceOf(user), [10, 0]);
  });

  it('gives back what is held when it is cancelled while it waits for a decision, less what was delivered', async () => {
    const user = await newUser(10);
    const id = await user.start(
      await user.create({
        nodes: [model('m1'), node('ask', 'logic:approval'), node('m2', MODEL, { prompt: 'a cat' })],
        edges: [edge('m1.image > ask.input'), edge('ask.approved > m2.prompt')],
      }),
    );
    await user.until(id, 'WAITING');
    assert.deepEqual(await balanceOf(user), [10 - 2 * PRICE, PRICE]);
    await user.request('POST', `/executions/${id}/cancel`);
    const { status, credits } = (await user.until(id)) as PaidExecution;
    assert.equal(status, 'CANCELLED');
    assert.deepEqual(credits, { estimated: 2 * PRICE, held: 0, charged: PRICE, released: PRICE });
    assert.deepEqual(await balanceOf(user), [10 - PRICE, 0]);
  });

  it('is charged nothing for a result that it finds in the cache', async () => {
    const user = await newUser(1000);
    const workflow = await user.create(single({ seed: 7 }));
    await user.run(workflow);
    // The result is kept beside the run, not within it.
    await waitUntil('a cached run', async () => {
      const again = (await user.run(workflow)) as PaidExecution;
      const isCached = statesOf(again).m?.cached === true;
      if (isCached) {
        assert.deepEqual(again.credits, { estimated: PRICE, held: 0, charged: 0, released: PRICE });
        assert.equal(statesOf(again).m?.credits, 0);
      }
      return isCached;
    });
    const { body } = await user.request<{ breakdown: unknown }>(
      'POST',
      `/workflows/${workflow}/estimate`,
      {},
    );
    assert.deepEqual(body.breakdown, [{ nodeId: 'm', nodeLabel: 'm', credits: PRICE, cached: true }]);
  });

  it('needs maxCredits in the config of a model whose price is not known', async () => {
    const user = await newUser(10);
    const graph = (config: object) => ({
      nodes: [node('m', 'generate:openai_gpt_image', { prompt: 'a fox', ...config })],
      edges: [],
    });
    const submitted = openai.asked.length;
    for (const poor of [await newUser(0), user]) {
      const unbounded = await run(poor, graph({}));
      assert.deepEqual([unbounded.status, unbounded.credits.charged], ['FAILED', 0]);
      assert.match(unbounded.error?.message ?? '', /maxCredits/);
    }
    assert.equal(openai.asked.length, submitted);
    await refuse(user, await user.create(graph({ maxCredits: 11 })), {}, 'insufficient_credits');
    const bounded = await run(user, graph({ maxCredits: 4 }));
    assert.equal(bounded.status, 'COMPLETED', JSON.stringify(bounded.error));
    assert.deepEqual(bounded.credits, { estimated: 4, held: 0, charged: 4, released: 0 });
  });

  it('tops its hold up for the items of a list, and is charged for each', async () => {
    const user = await newUser(20);
    const execution = await run(user, mapped(['a', 'b', 'c']));
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    assert.deepEqual(execution.credits, { estimated: PRICE, held: 0, charged: 3 * PRICE, released: 0 });
    assert.equal(statesOf(execution).m?.credits, 3 * PRICE);
    assert.deepEqual(await balanceOf(user), [20 - 3 * PRICE, 0]);
  });

  it('makes no call that the pool cannot cover: of three at once, two deliver and one fails', async () => {
    const user = await newUser(2 * PRICE + 1);
    const asked = fal.accepted.length;
    const execution = await run(user, mapped(['a', 'b', 'c']));
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'insufficient_credits']);
    assert.equal(fal.accepted.length - asked, 2);
    assert.equal(execution.credits.charged, 2 * PRICE);
    assert.deepEqual(await balanceOf(user), [1, 0]);
  });

  it('never costs more than its maxCredits, whatever a list holds', async () => {
    const user = await newUser(100);
    const execution = await run(user, mapped(['a', 'b', 'c']), { maxCredits: 2 * PRICE });
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'max_credits_exceeded']);
    assert.equal(execution.credits.charged, 2 * PRICE);
    assert.deepEqual(await balanceOf(user), [100 - 2 * PRICE, 0]);
  });

  it('is charged, when resumed, only for what runs again', async () => {
    const user = await newUser(20);
    const workflow = await user.create({
      nodes: [model('m1'), model('m2'), node('end', 'output:preview')],
      edges: [edge('m2.image > end.input')],
    });
    // Whichever comes second fails.
    fal.refuse(/^POST .*seedream/, { status: 422, body: { detail: 'no' } });
    const failed = (await user.run(workflow)) as PaidExecution;
    assert.equal(failed.status, 'FAILED');
    assert.equal(failed.credits.charged, PRICE);
    const { body } = await user.request<{ executionId: string; estimatedCredits: number }>(
      'POST',
      `/executions/${failed.id}/resume`,
      {},
    );
    assert.equal(body.estimatedCredits, PRICE);
    const resumed = (await user.until(body.executionId)) as PaidExecution;
    assert.equal(resumed.status, 'COMPLETED', JSON.stringify(resumed.error));
    assert.deepEqual(resumed.credits, { estimated: PRICE, held: 0, charged: PRICE, released: 0 });
    assert.deepEqual(await balanceOf(user), [20 - 2 * PRICE, 0]);
  });

  it('sets nothing aside for a worker that no longer holds it', async () => {
    const user = await newUser(20);
    const { id } = await run(user, single());
    const definition = findNode(MODEL);
    assert.ok(definition);
    const pay = createPay({ db: service.db }, { id, lease: 1 }, undefined);
    const call = { definition, node: { id: 'm' }, values: {} };
    for (let times = 0; times < 2; times++) await assert.rejects(pay(call), /no longer held by this worker/);
    assert.deepEqual(await balanceOf(user), [20 - PRICE, 0]);
  });

  it('is one of 50 that a balance for 50 admits of 200 started at once', async () => {
    const user = await newUser(50 * PRICE);
    const workflow = await user.create(single());
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        user.request<{ code?: string; executionId?: string }>('POST', `/workflows/${workflow}/run`, {}),
      ),
    );
    const admitted = answers.filter(({ status }) => status === 202);
    const refused = answers.filter(({ body }) => body.code === 'insufficient_credits');
    assert.deepEqual([admitted.length, refused.length], [50, 150]);
    for (const { body } of admitted) {
      assert.equal((await user.until(body.executionId ?? '')).status, 'COMPLETED');
    }
    assert.deepEqual(await balanceOf(user), [0, 0]);
  });
});
