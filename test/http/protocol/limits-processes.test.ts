// Rate limits over four processes on one database: one account is never admitted more often than its plan says.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '../../support/client.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type ServiceChild, spawnService, urlOf } from '../../support/service.ts';
import { PAIR } from '../../support/workflows.ts';

const PROCESSES = 4;
const REQUESTS = 100;
const EXECUTIONS = 10;
const MINUTE_MS = 60_000;
const MAX_ROUNDS = 3;

describe('one account at four processes', () => {
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
    const env = { ROLE: 'api', DATABASE_URL: urlOf(database.connection), PLANS_FILE: plans };
    services = await Promise.all(Array.from({ length: PROCESSES }, () => spawnService(folder, env)));
  });
  after(async () => {
    for (const service of services) await service.end('SIGKILL');
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** How many of the requests, sent at once and to each process in turn, were admitted within one minute of the clock. */
  const admitted = async (
    count: number,
    send: (key: string, workflow: string, service: ServiceChild) => Promise<number>,
  ): Promise<number> => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const [first] = services as [ServiceChild];
      const made = await first.request<{ apiKey: string }>('POST', '/admin/users', {
        email: `small-${crypto.randomUUID()}@example.com`,
        name: 'Small',
        plan: 'small',
        keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute'],
      });
      const key = made.body.apiKey;
      const minute = (): number => Math.floor(Date.now() / MINUTE_MS);
      const began = minute();
      const workflow = await createClient(first.url, key).create(PAIR);
      const statuses = await Promise.all(
        Array.from({ length: count }, (_, index) =>
          send(key, workflow, services[index % PROCESSES] as ServiceChild),
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

  it('is admitted so many requests a minute at the most', async () => {
    const count = await admitted(3 * REQUESTS, async (key, workflow, { url }) => {
      const answer = await createClient(url, key).request('GET', `/workflows/${workflow}`);
      return answer.status;
    });
    // The workflow was stored with one; each process may have a block of a tenth left.
    assert.ok(count < REQUESTS && count >= REQUESTS * 0.6, String(count));
  });

  it('is admitted exactly so many executions a minute', async () => {
    const count = await admitted(6 * EXECUTIONS, async (key, workflow, { url }) => {
      const answer = await createClient(url, key).request('POST', `/workflows/${workflow}/execute`, {});
      return answer.status;
    });
    assert.equal(count, EXECUTIONS);
  });
});
