// Tests rate limits across four processes on one database: an account never exceeds the limit of its plan.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '../../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type ServiceChild, spawnService, toDatabaseUrl } from '../../support/service.ts';
import { PAIR } from '../../support/workflows.ts';

const PROCESSES = 4;
const REQUESTS = 100;
const EXECUTIONS = 10;
const MINUTE_MS = 60_000;
const MAX_ROUNDS = 10;

describe('an account that uses four processes', () => {
  let folder: string;
  let database: TestDatabase;
  let services: readonly ServiceChild[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-limits-'));
    database = await createTestDatabase();
    const plans = join(folder, 'plans.json');
    const small = {
      requestsPerMinute: REQUESTS,
      executionsPerMinute: EXECUTIONS,
      executionsPerDay: null,
    };
    await writeFile(plans, JSON.stringify({ small }));
    const env = { ROLE: 'api', DATABASE_URL: toDatabaseUrl(database.connection), PLANS_FILE: plans };
    services = await Promise.all(Array.from({ length: PROCESSES }, () => spawnService(folder, env)));
  });
  after(async () => {
    for (const service of services) await service.end('SIGKILL');
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /**
   * Sends requests concurrently to the processes in turn, and returns how many were admitted within one minute of the
   * clock.
   */
  const admitted = async (
    count: number,
    send: (key: string, workflow: string, service: ServiceChild) => Promise<number>,
  ): Promise<number> => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const [first] = services as [ServiceChild];
      const user = await first.createUser({ plan: 'small' });
      const minute = (): number => Math.floor(Date.now() / MINUTE_MS);
      const began = minute();
      const workflow = await user.createWorkflow(PAIR);
      const statuses = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          send(user.key, workflow, services[index % PROCESSES] as ServiceChild),
        ),
      );
      if (minute() !== began) continue;
      assert.deepEqual(
        statuses.filter(status => status >= 300 && status !== 429),
        [],
      );
      return statuses.filter(status => status < 300).length;
    }
    throw new Error('The minute was over each time.');
  };

  it('is admitted at most up to its limit of requests per minute', async () => {
    const count = await admitted(3 * REQUESTS, async (key, workflow, { url }) => {
      const response = await createClient(url, key).request('GET', `/workflows/${workflow}`);
      return response.status;
    });
    // Creating the workflow counted one request. Each process may hold a block of a tenth of the limit.
    assert.ok(count < REQUESTS && count >= REQUESTS * 0.6, String(count));
  });

  it('is admitted exactly up to its limit of executions per minute', async () => {
    const count = await admitted(6 * EXECUTIONS, async (key, workflow, { url }) => {
      const response = await createClient(url, key).request('POST', `/workflows/${workflow}/execute`, {});
      return response.status;
    });
    assert.equal(count, EXECUTIONS);
  });
});
