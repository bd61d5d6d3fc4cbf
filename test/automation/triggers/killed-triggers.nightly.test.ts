// Kills the service while hook and after triggers start runs, and checks that each run starts once.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { waitUntil } from '../../support/processes.ts';
import { type ServiceChild, spawnService, toDatabaseUrl } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { createTrigger } from './support.ts';

/** The number of times that the service is killed during requests. */
const KILL_COUNT = Number(process.env.KILLS ?? 4);
const CALLS_PER_KILL = 3;
const GRAPH = {
  nodes: [node('n', 'input:text', { value: '' }), node('out', 'output:preview')],
  edges: [edge('n.text > out.input')],
};

let database: TestDatabase;
let folder: string;
let child: ServiceChild | undefined;
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'graphwright-triggers-'));
});
after(async () => {
  await child?.end('SIGKILL');
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const start = async (): Promise<ServiceChild> => {
  child = await spawnService(folder, { DATABASE_URL: toDatabaseUrl(database.connection) });
  return child;
};

it('triggers start each run once although the service is killed', async () => {
  let service = await start();
  const [source, follower] = [await service.createWorkflow(GRAPH), await service.createWorkflow(GRAPH)];
  const hooks: string[] = [];
  const afterTrigger = await createTrigger(service, follower, {
    kind: 'after',
    config: { workflowId: source },
  });
  const runsByRequest = new Map<string, string>();
  /** Sends a request, and returns whether it was accepted. */
  const call = async (path: string, id: string): Promise<boolean> => {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': id },
      body: JSON.stringify({ n: id }),
    }).catch(() => undefined);
    if (response?.status !== 202) return false;
    const { executionId } = (await response.json()) as { executionId: string };
    assert.equal(
      runsByRequest.get(id) ?? executionId,
      executionId,
      'a repeated request returns the first run',
    );
    runsByRequest.set(id, executionId);
    return true;
  };
  for (let kill = 0; kill < KILL_COUNT; kill++) {
    // Uses a new hook each time, because a hook accepts 60 requests per minute.
    const hook = await createTrigger(service, source, { kind: 'hook', inputs: { n: '/n' } });
    hooks.push(hook.id);
    const path = new URL(hook.url ?? '').pathname;
    const ids = Array.from({ length: CALLS_PER_KILL }, (_, index) => `call-${kill}-${index}`);
    const calls = Promise.all(ids.map(id => call(path, id)));
    // Kills the service at a different moment each time.
    await new Promise(resolve => setTimeout(resolve, (kill * 37) % 150));
    await service.end('SIGKILL');
    await calls;
    service = await start();
    // Repeats the requests, like a sender that received no response.
    for (const id of ids) assert.ok(await call(path, id));
  }
  const countEnded = async (trigger: string): Promise<number> => {
    const { rows } = await database.db.query<{ count: number }>(
      `select case when bool_and(finished_at is not null) then count(*)::int else -1 end as count
       from executions where origin_id = $1`,
      [trigger],
    );
    return rows[0]?.count ?? 0;
  };
  await waitUntil(
    'all runs',
    async () => (await countEnded(afterTrigger.id)) === KILL_COUNT * CALLS_PER_KILL,
  );
  for (const hook of hooks) assert.equal(await countEnded(hook), CALLS_PER_KILL);
  assert.equal(new Set(runsByRequest.values()).size, KILL_COUNT * CALLS_PER_KILL);
  const countFailedJobs =
    'select count(*)::int as count from graphile_worker.jobs where attempts >= max_attempts';
  // The jobs of the last killed process are deleted when its death is detected, which may be after the last run.
  await waitUntil('the jobs of killed processes to be deleted', async () => {
    const { rows } = await database.db.query<{ count: number }>(countFailedJobs);
    return rows[0]?.count === 0;
  });
});
