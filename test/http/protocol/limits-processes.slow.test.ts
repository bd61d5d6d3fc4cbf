// Tests rate limits across four services on one database: an account never exceeds the limit of its plan.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '../../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type LocalService, startLocalService, toDatabaseUrl } from '../../support/service.ts';
import { PAIR } from '../../support/workflows.ts';

const SERVICES = 4;
const REQUESTS = 100;
const EXECUTIONS = 10;
const MINUTE_MS = 60_000;
const MAX_ROUNDS = 10;

describe('an account that sends requests to four services', () => {
  let folder: string;
  let database: TestDatabase;
  let services: readonly LocalService[];
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
    services = await Promise.all(Array.from({ length: SERVICES }, () => startLocalService(folder, env)));
  });
  after(async () => {
    for (const service of services) await service.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /**
   * Sends concurrent requests to the services in turn and returns how many were accepted. Starts again with a new user if
   * the minute ended before the last response.
   */
  const countAccepted = async (
    count: number,
    send: (key: string, workflow: string, service: LocalService) => Promise<number>,
  ): Promise<number> => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const [first] = services as [LocalService];
      const user = await first.createUser({ plan: 'small' });
      const getMinute = (): number => Math.floor(Date.now() / MINUTE_MS);
      const startMinute = getMinute();
      const workflow = await user.createWorkflow(PAIR);
      const statuses = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          send(user.key, workflow, services[index % SERVICES] as LocalService),
        ),
      );
      if (getMinute() !== startMinute) continue;
      assert.deepEqual(
        statuses.filter(status => status >= 300 && status !== 429),
        [],
      );
      return statuses.filter(status => status < 300).length;
    }
    throw new Error('A minute ended during each round.');
  };

  it('gets at most requestsPerMinute requests accepted', async () => {
    const count = await countAccepted(3 * REQUESTS, async (key, workflow, { url }) => {
      const response = await createClient(url, key).request('GET', `/workflows/${workflow}`);
      return response.status;
    });
    // The request that created the workflow counts. Each service may reserve unused requests, at most 10 % of the limit.
    assert.ok(count < REQUESTS && count >= REQUESTS * 0.6, String(count));
  });

  it('gets exactly executionsPerMinute executions accepted', async () => {
    const count = await countAccepted(6 * EXECUTIONS, async (key, workflow, { url }) => {
      const response = await createClient(url, key).request('POST', `/workflows/${workflow}/execute`, {});
      return response.status;
    });
    assert.equal(count, EXECUTIONS);
  });
});
