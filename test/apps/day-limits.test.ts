// Tests the limits of a day that all visitors of an app share, which are not those of the app's owner.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Challenge } from 'altcha-lib/types';
import { sweepAppUploads } from '../../src/apps/uploads.ts';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../support/app.ts';
import { solveChallenge } from '../support/apps/visitors.ts';
import { plainImage } from '../support/media/pixels.ts';
import { createWorkflow, edge, node } from '../support/workflows.ts';

const GRAPH = {
  nodes: [
    node('topic', 'input:text', { value: 'a fox' }),
    node('picture', 'input:image'),
    node('out', 'output:preview'),
  ],
  edges: [edge('topic.text > out.input')],
};
const DAY_MS = 86_400_000;
const MIDNIGHT_MS = Date.UTC(2040, 4, 2);
/** An hour before midnight. */
const LATE_MS = MIDNIGHT_MS - 3_600_000;
const PLAN = { executionsPerDay: 7, storageBytes: 100_000 };

let nowMs = LATE_MS;
let test: TestApp;
before(async () => {
  test = await createTestApp({ now: () => nowMs, plans: { small: PLAN, self_hosted: {} } });
});
after(() => test.close());

let appCount = 0;

async function createApp(
  owner: ApiUser,
  settings: object = {},
): Promise<{ slug: string; workflowId: string }> {
  const { id: workflowId } = await createWorkflow(owner, GRAPH);
  const slug = `day-${++appCount}`;
  const body = {
    slug,
    title: 'Daily',
    inputs: [{ nodeId: 'picture' }],
    outputs: ['out'],
    audience: 'anyone',
    runsPerVisitor: 1000,
    ...settings,
  };
  const saved = await owner.request('PUT', `/workflows/${workflowId}/app`, body);
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  return { slug, workflowId };
}

const createOwner = (): Promise<ApiUser> => test.createUser({ plan: 'small' });

async function createProof(slug: string): Promise<string> {
  const { body } = await test.anonymous.request<Challenge & Record<string, unknown>>(
    'GET',
    `/apps/${slug}/challenge`,
  );
  return solveChallenge(body);
}

const runAnonymously = async (slug: string): Promise<TestResponse> =>
  test.anonymous.request('POST', `/apps/${slug}/run`, { inputs: {}, proof: await createProof(slug) });

interface Upload {
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly proof?: string | undefined;
  readonly key?: string;
  /** By default, the API. */
  readonly path?: string;
}

let image: Uint8Array<ArrayBuffer>;
before(async () => {
  image = new Uint8Array(await plainImage(4, 4, '#336699'));
});

async function upload(slug: string, { bytes = image, proof, key, path }: Upload) {
  const form = new FormData();
  if (proof !== undefined) form.append('proof', proof);
  form.append(path === undefined ? 'file' : 'input_1', new Blob([bytes], { type: 'image/png' }), 'a.png');
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const { statusCode, body, headers } = await test.app.inject({
    method: 'POST',
    url: path ?? `/api/v1/apps/${slug}/media`,
    headers: {
      'content-type': request.headers.get('content-type') ?? '',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    payload: Buffer.from(await request.arrayBuffer()),
  });
  return { status: statusCode, headers, body, code: path === undefined ? JSON.parse(body).code : undefined };
}

const uploadAnonymously = async (slug: string) => upload(slug, { proof: await createProof(slug) });

const countFiles = async (owner: ApiUser): Promise<number> =>
  (await test.deps.db.query('select from media where user_id = $1', [owner.userId])).rows.length;

async function listNotices(owner: ApiUser): Promise<readonly string[]> {
  const { body } = await owner.request<{ data: { kind: string; title: string }[] }>('GET', '/notices');
  return body.data.map(({ kind, title }) => `${kind}: ${title}`);
}

describe('the runs of visitors in a day', () => {
  it('are limited exactly, and the owner is notified once', async () => {
    const owner = await createOwner();
    const { slug } = await createApp(owner, { runsPerDay: 3 });
    const responses = await Promise.all(Array.from({ length: 6 }, () => runAnonymously(slug)));
    const refused = responses.filter(({ status }) => status === 429);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [202, 202, 202, 429, 429, 429]);
    assert.deepEqual(
      [refused[0]?.body.code, refused[0]?.headers['retry-after']],
      ['app_limit_reached', '3600'],
    );
    assert.match(
      refused[0]?.body.error ?? '',
      /used up the runs of this app for today.*2040-05-02 00:00 UTC/,
    );
    assert.deepEqual(await listNotices(owner), [
      'app_limit_reached: Visitors have used up the runs of the app “Daily” for today',
    ]);
  });

  it('are counted again from midnight (UTC) on', async () => {
    const { slug } = await createApp(await createOwner(), { runsPerDay: 1 });
    assert.deepEqual([(await runAnonymously(slug)).status, (await runAnonymously(slug)).status], [202, 429]);
    nowMs = MIDNIGHT_MS;
    try {
      assert.deepEqual(
        [(await runAnonymously(slug)).status, (await runAnonymously(slug)).status],
        [202, 429],
      );
    } finally {
      nowMs = LATE_MS;
    }
  });

  it('do not count toward the daily executions of the owner, nor the other way around', async () => {
    const owner = await createOwner();
    const { slug, workflowId } = await createApp(owner);
    for (let count = 0; count < 4; count++) assert.equal((await runAnonymously(slug)).status, 202);
    assert.equal((await runAnonymously(slug)).status, 429, 'half of the daily executions, rounded up');
    const run = () => owner.request('POST', `/workflows/${workflowId}/run`, {});
    const runApp = () => owner.request('POST', `/apps/${slug}/run`, { inputs: {} });
    for (let count = 0; count < 6; count++) assert.equal((await run()).status, 202);
    assert.equal((await runApp()).status, 202, 'the owner is no visitor');
    assert.equal((await run()).body.code, 'daily_execution_limit');
    assert.equal((await runApp()).body.code, 'app_limit_reached');
  });

  it('are limited for all apps of an owner together by the plan', async () => {
    const owner = await createOwner();
    const slugs = [];
    for (let count = 0; count < 3; count++)
      slugs.push((await createApp(owner, { runsPerDay: 1_000_000 })).slug);
    const statuses: number[] = [];
    for (let count = 0; count < PLAN.executionsPerDay + 1; count++)
      statuses.push((await runAnonymously(slugs[count % 3] ?? '')).status);
    assert.deepEqual(statuses, [...Array.from({ length: PLAN.executionsPerDay }, () => 202), 429]);
  });

  it('do not count if they are refused', async () => {
    const owner = await createOwner();
    const { slug, workflowId } = await createApp(owner, { runsPerDay: 1 });
    const setActive = (isActive: boolean) => owner.request('PUT', `/workflows/${workflowId}`, { isActive });
    await setActive(false);
    for (let count = 0; count < 3; count++) assert.equal((await runAnonymously(slug)).status, 503);
    await setActive(true);
    assert.equal((await runAnonymously(slug)).status, 202);
  });

  it('include those of signed-in visitors', async () => {
    const { slug } = await createApp(await createOwner(), { runsPerDay: 1 });
    const visitor = await test.createUser();
    const run = async () => (await visitor.request('POST', `/apps/${slug}/run`, { inputs: {} })).status;
    assert.deepEqual([await run(), await run()], [202, 429]);
  });
});

describe('the uploads of visitors', () => {
  it('need a new proof of work each, before the file', async () => {
    const owner = await createOwner();
    const { slug } = await createApp(owner);
    const proof = await createProof(slug);
    assert.equal((await upload(slug, { proof })).status, 200);
    for (const used of [proof, undefined, 'x'])
      assert.deepEqual((await upload(slug, { proof: used })).code, 'invalid_proof');
    assert.equal(await countFiles(owner), 1);
    const visitor = await test.createUser();
    assert.equal((await upload(slug, { key: visitor.key })).status, 200, 'signed-in visitors need none');
  });

  it('are discarded with the form of an anonymous visitor without JavaScript', async () => {
    const owner = await createOwner();
    const { slug } = await createApp(owner);
    const refusal = await upload(slug, { path: `/a/${slug}` });
    assert.equal(refusal.status, 403);
    assert.match(refusal.body, /<form class="app-form"/, 'the page keeps the other inputs');
    assert.equal(await countFiles(owner), 0);
    const visitor = await test.createUser();
    assert.equal((await upload(slug, { path: `/a/${slug}`, key: visitor.key })).status, 303);
    assert.equal(await countFiles(owner), 1);
  });

  it('are limited exactly by their bytes in a day, and the owner is notified', async () => {
    const owner = await createOwner();
    const { slug } = await createApp(owner, { uploadBytesPerDay: image.length * 3 + 1 });
    const responses = await Promise.all(Array.from({ length: 6 }, () => uploadAnonymously(slug)));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 200, 429, 429, 429]);
    const refused = responses.find(({ status }) => status === 429);
    assert.deepEqual([refused?.code, refused?.headers['retry-after']], ['app_limit_reached', '3600']);
    assert.equal(await countFiles(owner), 3);
    assert.deepEqual(await listNotices(owner), [
      'app_limit_reached: Visitors have used up the uploads of the app “Daily” for today',
    ]);
  });

  it('may take a part of the storage of the plan', async () => {
    const owner = await createOwner();
    const { workflowId } = await createApp(owner, { uploadBytesPerDay: 1e12, runsPerDay: 1000 });
    const read = async () =>
      (await owner.request<{ dayLimits: object }>('GET', `/workflows/${workflowId}/app`)).body.dayLimits;
    assert.deepEqual(await read(), { runs: 7, uploadBytes: 20_000 });
    await test.deps.db.query('update apps set runs_per_day = null, upload_bytes_per_day = null');
    assert.deepEqual(await read(), { runs: 4, uploadBytes: 10_000 });
    await test.deps.db.query(`update users set plan = 'self_hosted' where id = $1`, [owner.userId]);
    assert.deepEqual(await read(), { runs: 1000, uploadBytes: 1_000_000_000 });
  });

  it('of earlier days are forgotten', async () => {
    nowMs = LATE_MS + 3 * DAY_MS;
    try {
      await sweepAppUploads(test.deps, new AbortController().signal);
    } finally {
      nowMs = LATE_MS;
    }
    const { rows } = await test.deps.db.query('select from app_days');
    assert.equal(rows.length, 0);
  });
});
