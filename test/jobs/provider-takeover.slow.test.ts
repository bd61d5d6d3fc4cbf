// Tests that the next worker resumes the provider calls of a worker that died, without paying a call twice.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Db } from '../../src/store/db.ts';
import { type Client, mapStates } from '../support/client.ts';
import { assertLedgerBalanced } from '../support/credits/ledger.ts';
import type { PaidExecution } from '../support/credits/paid.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { plainImage } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startImageFal } from '../support/providers/fal.ts';
import { type OpenAiDouble, startOpenAi } from '../support/providers/openai.ts';
import {
  type LocalService,
  type ServiceChild,
  spawnService,
  startLocalService,
  toDatabaseUrl,
} from '../support/service.ts';
import { NIGHTLY_ONLY } from '../support/tier.ts';
import { edge, node } from '../support/workflows.ts';

/** Creates a graph with one fal call. Different prompts keep the image from coming from the cache. */
const createFalGraph = (prompt: string) => ({
  nodes: [node('m', 'generate:fal_flux_dev', { prompt }), node('end', 'output:preview')],
  edges: [edge('m.image > end.input')],
});
const OPENAI_GRAPH = {
  nodes: [
    node('m', 'generate:openai_gpt_image', { prompt: 'a fox', maxCredits: 10 }),
    node('end', 'output:preview'),
  ],
  edges: [edge('m.image > end.input')],
};

/** The runs that were active when the worker died, by the state of their calls. */
interface Runs {
  readonly submitted: string;
  readonly unanswered: string;
  /** A run that is stored in the format of an older version of the service. */
  readonly older: string;
}

describe('a provider call whose worker died', () => {
  let folder: string;
  let database: TestDatabase;
  let fal: FalDouble;
  let openai: OpenAiDouble;
  let runs: Runs;
  let victim: ServiceChild;
  let successor: LocalService;

  const getEnv = (): NodeJS.ProcessEnv => ({
    DATABASE_URL: toDatabaseUrl(database.connection),
    FAL_KEY: 'fal-key',
    FAL_BASE_URL: fal.url,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: `${openai.url}/v1`,
  });
  const startOnFal = async (service: Client, prompt: string): Promise<string> =>
    service.startRun(await service.createWorkflow(createFalGraph(prompt)));
  /** Waits until each provider task was polled. The calls of polled tasks are stored. */
  const waitForPolls = (jobs: number): Promise<void> =>
    waitUntil(`a poll of each of ${jobs} tasks`, () => {
      const isPolled = (id: string) => fal.count(new RegExp(`^GET .*/${id}/status$`)) > 0;
      return fal.accepted.length === jobs && fal.accepted.every(isPolled);
    });
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-provider-'));
    database = await createTestDatabase();
    fal = await startImageFal();
    fal.polls = 1e9;
    openai = await startOpenAi(await plainImage(8, 8, '#336699'));
    openai.failResponses(/^POST/, 'hang');

    victim = await spawnService(folder, getEnv());
    const submitted = await startOnFal(victim, 'a fox');
    await waitForPolls(1);
    runs = {
      submitted,
      unanswered: await victim.startRun(await victim.createWorkflow(OPENAI_GRAPH)),
      older: await startOnFal(victim, 'an owl'),
    };
    await waitForPolls(2);
    await waitUntil('the submission', () => openai.requests.length > 0);
    await victim.end('SIGKILL');
    await convertToOldFormat(runs.older, database.db);
    fal.polls = 0;
    successor = await startLocalService(folder, getEnv());
  });
  after(async () => {
    await victim.end('SIGKILL');
    await successor.close();
    await database.drop();
    await fal.close();
    await openai.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is resumed by its id instead of being submitted again', async () => {
    const execution = await successor.waitForStatus(runs.submitted);
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    const state = mapStates(execution).m;
    assert.match(state?.outputUrl ?? '', /\.png$/);
    assert.equal(state?.provider?.jobId, fal.accepted[0]);
    assert.equal(fal.accepted.length, 2, 'one job for each run');
  });

  it('is not repeated if the worker died before the response arrived', async () => {
    const execution = await successor.waitForStatus(runs.unanswered);
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'provider_outcome_unknown']);
    assert.equal(openai.requests.length, 1);
  });

  it('continues if an older version of the service submitted the call', async () => {
    const execution = await successor.waitForStatus(runs.older);
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    assert.equal(mapStates(execution).m?.provider?.jobId, fal.accepted[1]);
    assert.equal(fal.accepted.length, 2, 'one job for each run');
  });

  it('is cancelled at the provider if its run is cancelled', async () => {
    fal.polls = 1e9;
    const id = await startOnFal(successor, 'a hare');
    await waitForPolls(3);
    await successor.request('POST', `/executions/${id}/cancel`);
    const execution = await successor.waitForStatus(id);
    assert.equal(execution.status, 'CANCELLED');
    await waitUntil('the cancel', () => fal.cancelled.length > 0);
    assert.deepEqual(fal.cancelled, [fal.accepted[2]]);
  });

  it('is charged once if the process dies during the cancel request', NIGHTLY_ONLY, async () => {
    victim = await spawnService(folder, getEnv());
    await successor.close();
    fal.polls = 1e9;
    fal.ignoresCancel = true;
    const jobs = fal.accepted.length;
    const cancelCount = fal.count(/^PUT/);
    fal.failRequests(/^PUT/, 'hang');
    const id = await startOnFal(victim, 'a crane');
    await waitForPolls(jobs + 1);
    await victim.request('POST', `/executions/${id}/cancel`);
    await waitUntil('the cancel', () => fal.count(/^PUT/) > cancelCount);
    await victim.end('SIGKILL');
    fal.polls = 0;
    successor = await startLocalService(folder, getEnv());
    const readRecord = async () => (await successor.readExecution(id)) as PaidExecution;
    await waitUntil('the call to be settled', async () => (await readRecord()).credits.held === 0);
    const execution = await readRecord();
    const { estimated, charged, released } = execution.credits;
    assert.deepEqual([charged, released], [estimated, 0]);
    assert.equal(mapStates(execution).m?.credits, charged);
    await assertLedgerBalanced(database.db);
    fal.ignoresCancel = false;
  });

  it('fails its run if the provider is no longer configured', async () => {
    fal.polls = 1e9;
    const jobs = fal.accepted.length;
    const id = await startOnFal(successor, 'a toad');
    await waitForPolls(jobs + 1);
    await successor.close();
    successor = await startLocalService(folder, { ...getEnv(), FAL_KEY: '' });
    const execution = await successor.waitForStatus(id);
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'provider_not_configured']);
    await waitUntil('no call to be left', async () => {
      const { rows } = await database.db.query('select from calls');
      return rows.length === 0;
    });
  });
});

/** Rewrites the run in the format of an older version of the service, which had calls only in memory. */
async function convertToOldFormat(id: string, db: Db): Promise<void> {
  const { rows } = await db.query<{ seq: number; steps: string }>(
    'select seq, steps from execution_steps where execution_id = $1',
    [id],
  );
  for (const { seq, steps } of rows) {
    const olderSteps = steps.replace(/"(?:submittedAtMs|deadlineAtMs)":\d+,?/g, '').replace(/,\}/g, '}');
    await db.query(
      `update execution_steps set steps = replace($3, '"WAITING"', '"RUNNING"') where execution_id = $1 and seq = $2`,
      [id, seq, olderSteps],
    );
  }
  await db.query('delete from calls where execution_id = $1', [id]);
  await db.query(`select graphile_worker.add_job('run', json_build_object('id', $1::text))`, [id]);
}
