// Tests runs that cannot be executed because of damaged data, and that other runs are not affected.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node, PAIR } from '../support/workflows.ts';

describe('a run', () => {
  let api: TestService;
  let receiver: Receiver;
  let workflow: string;
  let worker: Awaited<ReturnType<TestService['startAnother']>> | undefined;
  before(async () => {
    api = await startTestService({ ROLE: 'api', ALLOW_PRIVATE_NETWORK: 'true' });
    receiver = await startReceiver();
    workflow = await api.createWorkflow(PAIR);
    // Makes the database reject claims of the runs listed in a table.
    await api.db.query('create table refused (execution_id text primary key)');
    await api.db.query(
      `create function refuse() returns trigger language plpgsql as $$ begin
         if exists (select from refused r where r.execution_id = new.id) then raise 'refused by the test'; end if;
         return new; end $$`,
    );
    await api.db.query(
      'create trigger refuse before update of lease on executions for each row when (new.lease > old.lease) execute function refuse()',
    );
  });
  after(async () => {
    await api.close();
    await receiver.close();
  });
  afterEach(async () => {
    await worker?.close();
    worker = undefined;
  });

  it('ends as FAILED with a webhook event if its node type was removed', async () => {
    const id = await api.startRun(workflow, { webhook: { url: receiver.url } });
    await api.db.query(
      `update workflow_versions set graph = replace(graph, 'output:preview', 'gone:for_good')`,
    );
    worker = await api.startAnother({ ROLE: 'worker' });
    const record = await api.waitForStatus(id);
    assert.deepEqual(
      [record.status, record.error?.code, record.error?.nodeId],
      ['FAILED', 'invalid_graph', 'b'],
    );
    await waitUntil('the event', () => receiver.received.length === 1);
    assert.equal(receiver.received[0]?.body.status, 'FAILED');
    await api.db.query(
      `update workflow_versions set graph = replace(graph, 'gone:for_good', 'output:preview')`,
    );
  });

  it('ends as CANCELLED if the run was being cancelled when its node type was removed', async () => {
    const ids = await Promise.all([1, 2].map(() => api.startRun(workflow)));
    // The runs are in the state that remains if a worker dies during a cancel.
    await api.db.query(`update executions set status = 'CANCELLING' where id = any ($1::text[])`, [ids]);
    await api.db.query(`update executions set request = 'no JSON' where id = $1`, [ids[1]]);
    await api.db.query(
      `update workflow_versions set graph = replace(graph, 'output:preview', 'gone:for_good')`,
    );
    worker = await api.startAnother({ ROLE: 'worker' });
    await waitUntil('both to end', async () => {
      const { rows } = await api.db.query<{ status: string }>(
        'select status from executions where id = any ($1::text[]) and finished_at is not null',
        [ids],
      );
      return rows.length === 2 && rows.every(({ status }) => status === 'CANCELLED');
    });
    await api.db.query(`update executions set request = '{}' where id = $1`, [ids[1]]);
    for (const id of ids) assert.equal((await api.readExecution(id)).error?.code, 'cancelled');
    await api.db.query(
      `update workflow_versions set graph = replace(graph, 'gone:for_good', 'output:preview')`,
    );
  });

  it('does not block other runs if it cannot be claimed', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => api.startRun(workflow)));
    const [refusedId, ...otherIds] = ids;
    await api.db.query('insert into refused values ($1)', [refusedId]);
    worker = await api.startAnother({ ROLE: 'worker' });
    for (const id of otherIds) assert.equal((await api.waitForStatus(id)).status, 'COMPLETED');
    assert.equal((await api.readExecution(refusedId ?? '')).status, 'QUEUED');
    await api.db.query('delete from refused');
    assert.equal((await api.waitForStatus(refusedId ?? '')).status, 'COMPLETED');
  });

  it('ends as FAILED after the last attempt of its job', async () => {
    const id = await api.startRun(workflow);
    await api.db.query('insert into refused values ($1)', [id]);
    await api.db.query('update graphile_worker._private_jobs set max_attempts = 1');
    worker = await api.startAnother({ ROLE: 'worker' });
    const record = await api.waitForStatus(id);
    assert.deepEqual([record.status, record.error?.code], ['FAILED', 'internal_error']);
  });

  it('completes if the node cache cannot be read', async () => {
    const imageWorkflow = await api.createWorkflow({
      nodes: [
        node('a', 'input:text', { value: 'a lake' }),
        node('p', 'generate:sandbox', { width: 64, height: 64 }),
      ],
      edges: [edge('a.text > p.prompt')],
    });
    await api.db.query('alter table node_cache rename to node_cache_gone');
    worker = await api.startAnother({ ROLE: 'worker' });
    assert.equal((await api.runWorkflow(imageWorkflow)).status, 'COMPLETED');
    await api.db.query('alter table node_cache_gone rename to node_cache');
  });

  it('completes after the job pool of its worker was replaced', async () => {
    const listPools = async (): Promise<readonly string[]> => {
      const { rows } = await api.db.query<{ pools: string[] }>('select pools from workers');
      return rows[0]?.pools ?? [];
    };
    await api.db.query(
      `create function keep_jobs() returns trigger language plpgsql as $$ begin raise 'kept by the test'; end $$`,
    );
    await api.db.query(
      'create trigger keep_jobs before delete on graphile_worker._private_jobs for each row execute function keep_jobs()',
    );
    worker = await api.startAnother({ ROLE: 'worker' });
    const [firstPool] = await listPools();
    assert.equal((await api.runWorkflow(workflow)).status, 'COMPLETED');
    await waitUntil('the replacement pool', async () => (await listPools())[0] !== firstPool);
    await api.db.query('drop trigger keep_jobs on graphile_worker._private_jobs');
    assert.equal((await api.runWorkflow(workflow)).status, 'COMPLETED');
    await waitUntil('the queue to be empty', async () => {
      const { rows } = await api.db.query(
        'select from graphile_worker._private_jobs where attempts < max_attempts',
      );
      return rows.length === 0;
    });
  });
});
