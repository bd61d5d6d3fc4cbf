// Calls at providers when the worker dies: the next one asks for the same work again, and nobody pays twice.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { statesOf } from '../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { plainImage } from '../support/media/pixels.ts';
import { waitUntil } from '../support/processes.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { type OpenAiDouble, startOpenAi } from '../support/providers/openai.ts';
import { type ServiceChild, spawnService, urlOf } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const onFal = {
  nodes: [node('m', 'generate:fal_flux_dev', { prompt: 'a fox' }), node('end', 'output:preview')],
  edges: [edge('m.image > end.input')],
};
const onOpenAi = {
  nodes: [
    node('m', 'generate:openai_gpt_image', { prompt: 'a fox', maxCredits: 10 }),
    node('end', 'output:preview'),
  ],
  edges: [edge('m.image > end.input')],
};

describe('a call at a provider', () => {
  let folder: string;
  let database: TestDatabase;
  let fal: FalDouble;
  let openai: OpenAiDouble;
  let services: ServiceChild[];

  const serve = async (env: NodeJS.ProcessEnv = {}): Promise<ServiceChild> => {
    const service = await spawnService(folder, {
      DATABASE_URL: urlOf(database.connection),
      FAL_KEY: 'fal-key',
      FAL_BASE_URL: fal.url,
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: `${openai.url}/v1`,
      ...env,
    });
    services.push(service);
    return service;
  };
  beforeEach(async () => {
    services = [];
    folder = await mkdtemp(join(tmpdir(), 'graphwright-provider-'));
    database = await createTestDatabase();
    const file = await plainImage(8, 8, '#336699');
    fal = await startFal(file);
    fal.polls = 1e9;
    fal.result = { status: 200, body: { images: [{ url: `${fal.url}/files/a.png` }] } };
    openai = await startOpenAi(file);
  });
  afterEach(async () => {
    for (const service of services) await service.end('SIGKILL');
    await database.drop();
    await fal.close();
    await openai.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is asked for again under the id that the dead worker kept, and submitted once', async () => {
    const victim = await serve();
    const id = await victim.start(await victim.create(onFal));
    await waitUntil('a poll', () => fal.count(/^GET .*\/status$/) > 0);
    await victim.end('SIGKILL');
    fal.polls = 0;
    const again = await serve();
    const execution = await again.until(id);
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    assert.match(statesOf(execution).m?.outputUrl ?? '', /\.png$/);
    assert.equal(fal.accepted.length, 1);
  });

  it('is not repeated where the worker died before it had an answer', async () => {
    openai.spoil(/^POST/, 'hang');
    const victim = await serve();
    const id = await victim.start(await victim.create(onOpenAi));
    await waitUntil('the submission', () => openai.asked.length > 0);
    await victim.end('SIGKILL');
    const again = await serve();
    const execution = await again.until(id);
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'provider_outcome_unknown']);
    assert.equal(openai.asked.length, 1);
  });

  it('fails its run where the provider is no longer configured', async () => {
    const victim = await serve();
    const id = await victim.start(await victim.create(onFal));
    await waitUntil('a poll', () => fal.count(/^GET .*\/status$/) > 0);
    await victim.end('SIGKILL');
    const again = await serve({ FAL_KEY: '' });
    const execution = await again.until(id);
    assert.deepEqual([execution.status, execution.error?.code], ['FAILED', 'provider_not_configured']);
    await waitUntil('no call to be left', async () => {
      const { rows } = await database.db.query('select from calls');
      return rows.length === 0;
    });
  });

  it('that an older version waited for in memory goes on', async () => {
    const victim = await serve();
    const id = await victim.start(await victim.create(onFal));
    await waitUntil('a poll', () => fal.count(/^GET .*\/status$/) > 0);
    await victim.end('SIGKILL');
    const { rows } = await database.db.query<{ seq: number; steps: string }>(
      'select seq, steps from execution_steps where execution_id = $1',
      [id],
    );
    for (const { seq, steps } of rows) {
      const older = steps.replace(/"(?:submittedAtMs|deadlineAtMs)":\d+,?/g, '').replace(/,\}/g, '}');
      await database.db.query(
        `update execution_steps set steps = replace($3, '"WAITING"', '"RUNNING"') where execution_id = $1 and seq = $2`,
        [id, seq, older],
      );
    }
    await database.db.query('delete from calls');
    await database.db.query(`select graphile_worker.add_job('run', json_build_object('id', $1::text))`, [id]);
    fal.polls = 0;
    const again = await serve();
    const execution = await again.until(id);
    assert.equal(execution.status, 'COMPLETED', JSON.stringify(execution.error));
    assert.equal(fal.accepted.length, 1);
  });

  it('is cancelled at the provider when its run is', async () => {
    const service = await serve();
    const id = await service.start(await service.create(onFal));
    await waitUntil('a poll', () => fal.count(/^GET .*\/status$/) > 0);
    await service.request('POST', `/executions/${id}/cancel`);
    const execution = await service.until(id);
    assert.equal(execution.status, 'CANCELLED');
    await waitUntil('the cancel', () => fal.cancelled.length > 0);
    assert.deepEqual(fal.cancelled, fal.accepted);
  });
});
