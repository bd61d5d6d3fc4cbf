// Tests that the recorded results of copied templates are stored once and kept as long as a workflow needs them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sweepRuns } from '../../../src/runs/sweep-runs.ts';
import { sweepOutputs } from '../../../src/services/media/sweep-outputs.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';

const DAY_MS = 86_400_000;
const TEMPLATE = 'tpl_make-a-picture';

interface Copy {
  readonly id: string;
  readonly poster: string | null;
}

describe('sample media of copied templates', () => {
  let test: TestApp;
  let user: ApiUser;
  const startMs = Date.now() - 400 * DAY_MS;
  let now = startMs;

  before(async () => {
    test = await createTestApp({
      env: { KEEP_OUTPUTS_DAYS: '5', KEEP_EXECUTIONS_DAYS: '10' },
      now: () => now,
    });
    user = await test.createUser();
  });
  after(() => test.close());

  const duplicate = async (): Promise<Copy> => {
    const { status, body } = await user.request<Copy>('POST', `/templates/${TEMPLATE}/duplicate`, {});
    assert.equal(status, 201);
    return body;
  };
  /** Runs the daily cleanup this many days later. */
  const sweepAfter = async (days: number): Promise<void> => {
    now += days * DAY_MS;
    const signal = AbortSignal.timeout(120_000);
    await sweepRuns(test.deps, signal);
    await sweepOutputs(test.deps, signal);
  };
  const listFiles = async (): Promise<readonly string[]> => {
    const { rows } = await test.deps.db.query<{ id: string }>(
      `select id from media where workspace = 'templates' order by id`,
    );
    for (const { id } of rows) assert.ok(await test.deps.storage.stat(id), `${id} has its file`);
    return rows.map(({ id }) => id);
  };
  const findSampleRun = async ({
    id,
  }: Copy): Promise<{ readonly nodeStates: readonly object[] } | undefined> => {
    const { body } = await user.request<{ data: readonly { id: string; trigger: string }[] }>(
      'GET',
      `/workflows/${id}/executions`,
    );
    const run = body.data.find(({ trigger }) => trigger === 'sample');
    if (run === undefined) return undefined;
    return (await user.request<{ nodeStates: readonly object[] }>('GET', `/executions/${run.id}`)).body;
  };
  const readPoster = async ({ id }: Copy): Promise<string | null> => {
    const { body } = await user.request<readonly Copy[]>('GET', '/workflows?include=card');
    return body.find(workflow => workflow.id === id)?.poster ?? null;
  };

  it('is the poster of the copy until a run produces an image', async () => {
    const created = await duplicate();
    assert.match(String(created.poster), /\/med_\w+\/card\.webp$/);
    assert.equal(await readPoster(created), created.poster);
    await test.deps.db.query(
      `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin, workflow_id)
       values ('med_zzzzzzzzzzzzzzzzzzzzzzzzzz', $1, 'w', 'new.png', 'image/png', 1, 'x', 'output', $2)`,
      [user.userId, created.id],
    );
    assert.match(String(await readPoster(created)), /new\.png$/);
    await test.deps.db.query(`delete from media where name = 'new.png'`);
    await user.request('DELETE', `/workflows/${created.id}`);
  });

  it('is stored once for any number of copies', async () => {
    await Promise.all(Array.from({ length: 20 }, duplicate));
    const files = await listFiles();
    for (let count = 0; count < 20; count++) await duplicate();
    assert.deepEqual(await listFiles(), files);
    assert.equal(files.length, 2, 'the card and the picture');
  });

  it('is deleted after the last copy', async () => {
    const { body } = await user.request<readonly Copy[]>('GET', '/workflows?limit=200');
    const [last, ...others] = body;
    assert.ok(last && others.length > 0);
    const files = await listFiles();
    for (const { id } of others) await user.request('DELETE', `/workflows/${id}`);
    await sweepAfter(100);
    await sweepAfter(100);
    assert.deepEqual(await listFiles(), files);
    assert.equal((await findSampleRun(last))?.nodeStates.length, 3);
    assert.notEqual(await readPoster(last), null);
    const estimate = await user.request<{ readonly sampled: readonly string[] }>(
      'POST',
      `/workflows/${last.id}/estimate`,
      { useSample: true },
    );
    assert.deepEqual(estimate.body.sampled, ['picture']);
    await user.request('DELETE', `/workflows/${last.id}`);
    await sweepAfter(20);
    await sweepAfter(20);
    assert.deepEqual(await listFiles(), []);
  });
});
