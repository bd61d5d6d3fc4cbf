// Tests the jobs of approvals: whom they notify, reminders, limits, and that nothing is sent twice.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { enqueue } from '../../src/store/queue.ts';
import { addUses } from '../../src/store/rate-windows.ts';
import type { TestUser } from '../support/client.ts';
import { waitUntil } from '../support/processes.ts';
import { createApprovalGraph, decide, startAsking, waitForApproval } from '../support/runs/approvals.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: TestUser;
let assignee: TestUser;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(async () => {
  [owner, assignee] = await Promise.all([service.createUser({ name: 'Olga' }), service.createUser()]);
});

interface Notice {
  readonly title: string;
  readonly kind: string;
}
const listNotices = async (user: TestUser): Promise<readonly Notice[]> =>
  (await user.request<{ data: readonly Notice[] }>('GET', '/notices')).body.data;

/** Moves the request of an approval into the past and performs its job. */
async function performJobLater(id: string, hours: number): Promise<void> {
  await service.db.query(
    `update approvals set notified_at = now() - $2::int * interval '1 hour' where id = $1`,
    [id, hours],
  );
  await performJob(id);
}

async function performJob(id: string): Promise<void> {
  await enqueue(service.db, 'approval', [id]);
  await waitUntil('the job to end', async () => {
    const { rows } = await service.db.query(
      `select from graphile_worker.jobs where key = $1 and run_at <= now()`,
      [`approval:${id}`],
    );
    return rows.length === 0;
  });
}

const readProgress = async (id: string): Promise<number> =>
  (
    await service.db.query<{ reminders_sent: number }>('select reminders_sent from approvals where id = $1', [
      id,
    ])
  ).rows[0]?.reminders_sent ?? -1;

describe('the assignees of an approval', () => {
  it('are notified once, however often the job is repeated', async () => {
    const run = await startAsking(owner, { assignees: [assignee.email, assignee.userId] });
    const { id } = await waitForApproval(assignee, run);
    await performJob(id);
    await performJob(id);
    const notices = await listNotices(assignee);
    assert.deepEqual(
      notices.map(({ kind, title }) => [kind, title]),
      [['approval_waiting', '“ask” waits for your approval']],
    );
    assert.deepEqual(await listNotices(owner), []);
  });

  it('are replaced by the owners of the workflow if no account is left', async () => {
    const run = await startAsking(owner, { assignees: [2_000_000_000] });
    await waitForApproval(owner, run);
    assert.equal((await listNotices(owner)).length, 1);
  });

  it('are recorded by their email if they have no account', async () => {
    const run = await startAsking(owner, { assignees: ['guest@example.org'] });
    await waitUntil('the assignees', async () => {
      const { rows } = await service.db.query<{ email: string; user_id: number | null }>(
        `select p.email, p.user_id from approval_assignees p join approvals a on a.id = p.approval_id
         where a.execution_id = $1`,
        [run],
      );
      return rows.length === 1 && rows[0]?.email === 'guest@example.org' && rows[0].user_id === null;
    });
  });
});

describe('the reminders of an approval', () => {
  it('are sent when they are due, once each, and not for times that have passed', async () => {
    const run = await startAsking(owner, { assignees: [assignee.email], reminderHours: 2 });
    const { id } = await waitForApproval(assignee, run);
    await performJobLater(id, 1);
    assert.equal((await listNotices(assignee)).length, 1);
    await performJobLater(id, 7);
    await performJob(id);
    assert.deepEqual(
      (await listNotices(assignee)).map(({ title }) => title),
      ['Reminder: “ask” waits for your approval', '“ask” waits for your approval'],
    );
    assert.equal(await readProgress(id), 3);
    const { rows } = await service.db.query<{ hours: number }>(
      `select round(extract(epoch from j.run_at - a.notified_at) / 3600)::int as hours
       from graphile_worker.jobs j, approvals a where j.key = $1 and a.id = $2`,
      [`approval:${id}`, id],
    );
    assert.deepEqual(rows, [{ hours: 8 }]);
  });

  it('end after ten, and after the decision', async () => {
    const run = await startAsking(owner, { assignees: [assignee.email], reminderHours: 1 });
    const { id } = await waitForApproval(assignee, run);
    await performJobLater(id, 500);
    assert.equal(await readProgress(id), -1 + 11);
    await performJobLater(id, 600);
    assert.equal((await listNotices(assignee)).length, 2);
    const other = await startAsking(owner, { assignees: [assignee.email], reminderHours: 1 });
    const approval = await waitForApproval(assignee, other);
    await decide(assignee, other, { decision: 'approve' });
    await performJobLater(approval.id, 5);
    assert.equal((await listNotices(assignee)).length, 3);
  });
});

it('a batch notifies once for all of its runs until the notice is read', async () => {
  const workflow = await owner.createWorkflow(createApprovalGraph({ assignees: [assignee.email] }));
  const rows = Array.from({ length: 3 }, (_, index) => ({ inputs: { a: `text ${index}` } }));
  const { status, body } = await owner.request('POST', `/workflows/${workflow}/batches`, { rows });
  assert.equal(status, 202, JSON.stringify(body));
  await waitUntil('three approvals', async () => {
    const { data } = (await assignee.request<{ data: unknown[] }>('GET', '/approvals')).body;
    return data.length === 3;
  });
  assert.equal((await listNotices(assignee)).length, 1);
});

it('an account notifies at most fifty people outside its workflows on a day', async () => {
  const graph = (part: number) =>
    createApprovalGraph({
      assignees: Array.from({ length: 20 }, (_, index) => `p${part}-${index}@example.org`),
    });
  for (const part of [0, 1, 2]) await owner.startRun(await owner.createWorkflow(graph(part)));
  await waitUntil('sixty assignees', async () => {
    const { rows } = await service.db.query<{ limited: number }>(
      `select count(*) filter (where p.mail = 'limited')::int as limited from approval_assignees p
       join approvals a on a.id = p.approval_id where a.user_id = $1 and a.notified_at is not null having count(*) = 60`,
      [owner.userId],
    );
    return rows[0]?.limited === 10;
  });
});

it('an account with whom a workflow is shared counts as outside until it opens the workflow', async () => {
  const workflow = await owner.createWorkflow(createApprovalGraph({ assignees: [assignee.email] }));
  await owner.request('PUT', `/workflows/${workflow}/permissions`, { email: assignee.email, role: 'EDIT' });
  const windowStart = Math.floor(Date.now() / 86_400_000) * 86_400;
  // The day may end during the test.
  for (const start of [windowStart, windowStart + 86_400])
    await addUses(service.db, `approvals-by:${owner.userId}`, start, 50);
  const readMail = async (run: string): Promise<string | undefined> => {
    const { id } = await waitForApproval(assignee, run);
    await waitUntil('the assignees to be notified', async () => {
      const { rows } = await service.db.query(
        'select from approvals where id = $1 and notified_at is not null',
        [id],
      );
      return rows.length > 0;
    });
    const { rows } = await service.db.query<{ mail: string }>(
      'select mail from approval_assignees where approval_id = $1',
      [id],
    );
    return rows[0]?.mail;
  };
  const countNotices = async (): Promise<number> =>
    (await listNotices(assignee)).filter(({ kind }) => kind === 'approval_waiting').length;
  assert.equal(await readMail(await owner.startRun(workflow)), 'limited');
  assert.equal(await countNotices(), 0);
  assert.equal((await assignee.request('GET', `/workflows/${workflow}`)).status, 200);
  assert.equal(await readMail(await owner.startRun(workflow)), 'none');
  assert.equal(await countNotices(), 1);
});
