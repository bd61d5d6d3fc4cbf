// Tests that a decision is stored exactly once and the run goes on, if the service is killed before the commit of the decision, or
// between the commit and the end of the run.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { waitUntil } from '../support/processes.ts';
import { createApprovalGraph, decide, getDecision } from '../support/runs/approvals.ts';
import { type ServiceChild, spawnService, toDatabaseUrl } from '../support/service.ts';

interface Fixture extends TestDatabase {
  start(): Promise<ServiceChild>;
}

async function withDatabase(test: (fixture: Fixture) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-killed-approvals-'));
  const services: ServiceChild[] = [];
  try {
    await test({
      ...database,
      async start() {
        const service = await spawnService(folder, { DATABASE_URL: toDatabaseUrl(database.connection) });
        services.push(service);
        return service;
      },
    });
  } finally {
    for (const service of services) await service.end('SIGKILL');
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startWaitingRun(service: ServiceChild): Promise<string> {
  const run = await service.startRun(await service.createWorkflow(createApprovalGraph()));
  await service.waitForStatus(run, 'WAITING');
  return run;
}

/** Waits until the number of transactions that wait for a lock is `count`. */
const waitForLocks = ({ db }: Fixture, count: number): Promise<void> =>
  waitUntil(`${count} transactions to wait`, async () => {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0]?.count === count;
  });

const waitForConnectionsToEnd = ({ db }: Fixture): Promise<void> =>
  waitUntil('the connections of the service to end', async () => {
    const { rows } = await db.query<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity
       where datname = current_database() and application_name = 'graphwright' and state <> 'idle'
         and pid <> pg_backend_pid()`,
    );
    return rows[0]?.count === 0;
  });

async function countDecisions({ db }: Fixture, run: string) {
  const { rows } = await db.query<{ approvals: number; audited: number }>(
    `select (select count(*)::int from approvals where execution_id = $1 and status <> 'waiting') as approvals,
       (select count(*)::int from audit_events where action = 'approval.decided' and after->>'executionId' = $1) as audited`,
    [run],
  );
  return rows[0];
}

it('a kill before the commit of a decision stores all of it or nothing, and it can be sent again', () =>
  withDatabase(async fixture => {
    const killed = await fixture.start();
    const run = await startWaitingRun(killed);
    const request = await fixture.db.transaction(async tx => {
      // The commit waits for this lock, after it has changed the run and the approval.
      await tx.query('lock table audit_events in share row exclusive mode');
      const sent = decide(killed, run, { decision: 'approve', comment: 'first' }).catch(() => undefined);
      await waitForLocks(fixture, 1);
      await killed.end('SIGKILL');
      return sent;
    });
    assert.equal(await request, undefined);
    await waitForConnectionsToEnd(fixture);
    const stored = await countDecisions(fixture, run);
    assert.equal(stored?.approvals, stored?.audited);
    const service = await fixture.start();
    const again = await decide(service, run, { decision: 'approve', comment: 'again' });
    assert.deepEqual(
      [again.status, again.body.code],
      stored?.approvals === 0 ? [200, undefined] : [409, 'already_decided'],
    );
    const ended = await service.waitForStatus(run, 'COMPLETED');
    assert.deepEqual(await countDecisions(fixture, run), { approvals: 1, audited: 1 });
    assert.equal(getDecision(ended)?.comment, stored?.approvals === 0 ? 'again' : 'first');
  }));

it('a kill between the commit of a decision and the end of the run lets another process continue the run', () =>
  withDatabase(async fixture => {
    const killed = await fixture.start();
    const run = await startWaitingRun(killed);
    const kill = Promise.withResolvers<void>();
    let sent: ReturnType<typeof decide> | undefined;
    let held: Promise<void> | undefined;
    await fixture.db.transaction(async tx => {
      await tx.query('lock table audit_events in share row exclusive mode');
      sent = decide(killed, run, { decision: 'reject', comment: 'once' });
      await waitForLocks(fixture, 1);
      // Gets the lock of the run when the decision is committed, so that the run cannot continue.
      held = fixture.db.transaction(async other => {
        await other.query('select from executions where id = $1 for update', [run]);
        await kill.promise;
      });
      await waitForLocks(fixture, 2);
    });
    const decided = await sent;
    assert.equal(decided?.status, 200, JSON.stringify(decided?.body));
    await killed.end('SIGKILL');
    kill.resolve();
    await held;
    await waitForConnectionsToEnd(fixture);
    const { rows } = await fixture.db.query<{ finished_at: Date | null }>(
      'select finished_at from executions where id = $1',
      [run],
    );
    assert.deepEqual(rows, [{ finished_at: null }]);
    const service = await fixture.start();
    const ended = await service.waitForStatus(run, 'COMPLETED');
    assert.deepEqual(
      [getDecision(ended)?.decision, getDecision(ended)?.comment, getDecision(ended)?.by.via],
      ['reject', 'once', 'account'],
    );
    assert.deepEqual(await countDecisions(fixture, run), { approvals: 1, audited: 1 });
    const repeated = await decide(service, run, { decision: 'approve' });
    assert.deepEqual([repeated.status, repeated.body.code], [409, 'already_decided']);
    const states = ended.nodeStates.filter(({ nodeId }) => nodeId === 'yes' || nodeId === 'no');
    assert.deepEqual(states.map(({ nodeId, status }) => [nodeId, status]).sort(), [
      ['no', 'COMPLETED'],
      ['yes', 'SKIPPED'],
    ]);
  }));
