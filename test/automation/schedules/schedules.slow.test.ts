// Tests schedules over HTTP: settings, overlaps, catch-up, pausing and manual runs. The tests change the next
// due time of a schedule instead of waiting for that time.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SCHEDULES_CHANGED } from '../../../src/store/db.ts';
import { recordMailSetUp } from '../../../src/store/mails.ts';
import { allValues } from '../../../src/store/rows.ts';
import { type Receiver, startReceiver } from '../../support/network/receiver.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { edge, node } from '../../support/workflows.ts';
import { APPROVAL_GRAPH } from '../graphs.ts';
import { createScheduleClient, GRAPH, HOUR_MS, type Schedule, YEARLY } from './support.ts';

let service: TestService;
let receiver: Receiver;
before(async () => {
  service = await startTestService({ ALLOW_PRIVATE_NETWORK: 'true' });
  receiver = await startReceiver();
});
after(async () => {
  await service.close();
  await receiver.close();
});

const createFailingGraph = () => ({
  nodes: [
    node('who', 'input:text', { value: 'x' }),
    node('call', 'utility:http_request', { url: `${receiver.url}/fail`, method: 'POST' }),
    node('out', 'output:preview'),
  ],
  edges: [edge('who.text > call.body'), edge('call.text > out.input')],
});
const { create, read, listFirings, listOutcomes, waitForOutcomes } = createScheduleClient(() => service);
/** Sets when the schedule is due, and wakes the clock. */
const setDue = async (id: string, dueAt = new Date()): Promise<void> => {
  await service.db.query('update schedules set next_run_at = $2 where id = $1', [id, dueAt]);
  await wakeClock();
};
const wakeClock = () => service.db.query(`select pg_notify('graphwright_schedules', '${SCHEDULES_CHANGED}')`);
const approve = (executionId: string) =>
  service.request('POST', `/executions/${executionId}/resume`, {
    decision: { nodeId: 'ask', approved: true },
  });
const readStatus = async (executionId: string | null): Promise<string> =>
  (await service.request<{ status: string }>('GET', `/executions/${executionId}`)).body.status;
const waitForStatus = (executionId: string | null, status: string) =>
  waitUntil(`run ${executionId} to be ${status}`, async () => (await readStatus(executionId)) === status);

describe('a schedule', () => {
  it('runs the workflow with its inputs when it is due', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { id, nextRunAt, name } = await create(workflow, { name: 'Daily', inputs: { who: 'ada' } });
    assert.equal(name, 'Daily');
    assert.match(String(nextRunAt), /-01-01T00:00:00\.000Z$/);
    const due = new Date();
    await setDue(id, due);
    const [firing] = await waitForOutcomes(id, 'accepted');
    assert.deepEqual([firing?.dueAt, firing?.kind, firing?.reason], [due.toISOString(), 'scheduled', null]);
    await waitForStatus(firing?.executionId ?? null, 'COMPLETED');
    const { body: run } = await service.request<Record<string, unknown>>(
      'GET',
      `/executions/${firing?.executionId}`,
    );
    assert.deepEqual(
      [run.trigger, run.scheduleId, run.inputs, run.idempotencyKey],
      ['schedule', id, { who: 'ada' }, `${id}:${due.toISOString()}`],
    );
    const schedule = await read(id);
    assert.deepEqual([schedule.lastExecutionId, schedule.lastRunAt], [firing?.executionId, firing?.dueAt]);
    assert.equal(schedule.nextRunAt, nextRunAt);
  });

  it('has defaults and can be changed and deleted', async () => {
    const workflow = await service.createWorkflow({ ...GRAPH, name: 'Poster' });
    const schedule = await create(workflow);
    const { id, nextRunAt, createdBy, createdAt, ...rest } = schedule as unknown as Record<string, unknown>;
    assert.deepEqual(rest, {
      workflowId: workflow,
      workflowName: 'Poster',
      name: 'Poster',
      cron: YEARLY.cron,
      everySeconds: null,
      timeZone: 'UTC',
      inputs: {},
      maxCredits: null,
      version: 'current',
      overlap: 'skip',
      catchUp: 'latest',
      jitterSeconds: 0,
      isActive: true,
      pausedReason: null,
      lastRunAt: null,
      lastExecutionId: null,
    });
    const patch = await service.request<Schedule>('PATCH', `/schedules/${id}`, { everySeconds: 3600 });
    assert.deepEqual([patch.body.cron, patch.body.everySeconds], [null, 3600]);
    const inMs = Date.parse(String(patch.body.nextRunAt)) - Date.now();
    assert.ok(inMs > HOUR_MS - 60_000 && inMs <= HOUR_MS + 5000, `due in ${inMs} ms`);
    const list = await service.request<{ data: Schedule[] }>('GET', `/workflows/${workflow}/schedules`);
    assert.deepEqual(
      list.body.data.map(row => row.id),
      [id],
    );
    assert.equal((await service.request('DELETE', `/schedules/${id}`)).status, 200);
    assert.equal((await service.request('GET', `/schedules/${id}`)).status, 404);
  });

  it('is refused with a message that names the problem', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const assertRefused = async (body: object, pattern: RegExp): Promise<void> => {
      const response = await service.request<Schedule>('POST', `/workflows/${workflow}/schedules`, body);
      assert.match(`${response.status} ${response.body.error}`, pattern);
    };
    await assertRefused({}, /^400 cron is missing/);
    await assertRefused(
      { cron: '* * * * *', everySeconds: 60 },
      /^400 everySeconds cannot be combined with cron/,
    );
    await assertRefused({ everySeconds: 59 }, /^400 .*everySeconds/);
    await assertRefused({ cron: '61 * * * *' }, /^400 cron must be five fields .*minute: 61/);
    await assertRefused({ cron: '0 0 30 2 *' }, /^400 cron names a date that does not exist/);
    await assertRefused({ ...YEARLY, timeZone: 'Mars' }, /^400 timeZone must be a time zone/);
    await assertRefused({ ...YEARLY, inputs: { what: 1 } }, /^400 .*no input "what"/);
    await assertRefused({ ...YEARLY, version: 'published' }, /^409 The workflow is not published/);
    await assertRefused(
      { ...YEARLY, inputs: { who: 'x'.repeat(300_000) } },
      /^400 inputs must be at most 256 KB/,
    );
  });

  it('can be previewed with its next five times', async () => {
    const { body } = await service.request<{ times: string[] }>('POST', '/schedules/preview', {
      cron: '30 2 * * *',
      timeZone: 'Europe/Berlin',
    });
    assert.equal(body.times.length, 5);
    const { status } = await service.request('POST', '/schedules/preview', { cron: 'never' });
    assert.equal(status, 400);
  });

  it('is refused if its workspace has 100 active schedules', async () => {
    const user = await service.createUser();
    const workflow = await user.createWorkflow(GRAPH);
    const post = (body = {}) =>
      user.request<Schedule>('POST', `/workflows/${workflow}/schedules`, { ...YEARLY, ...body });
    const first = await post();
    await service.db.query(
      `insert into schedules select r.* from schedules s, generate_series(1, 99) n,
         json_populate_record(s, json_build_object('id', s.id || n)) r where s.id = $1`,
      [first.body.id],
    );
    const refusal = await post();
    assert.match(`${refusal.status} ${refusal.body.error}`, /^409 The workspace has 100 active schedules/);
    assert.equal((await post({ isActive: false })).status, 201);
    await service.db.query(`delete from schedules where workflow_id = $1`, [workflow]);
  });
});

describe('a schedule whose previous run has not ended', () => {
  const start = async (overlap: string): Promise<{ id: string; firstRun: string }> => {
    const workflow = await service.createWorkflow(APPROVAL_GRAPH);
    const { id } = await create(workflow, { overlap });
    await setDue(id);
    const [firing] = await waitForOutcomes(id, 'accepted');
    const firstRun = String(firing?.executionId);
    await waitForStatus(firstRun, 'WAITING');
    await setDue(id);
    return { id, firstRun };
  };

  it('skips the new run by default', async () => {
    const { id, firstRun } = await start('skip');
    const [skipped] = await waitForOutcomes(id, 'skipped', 'accepted');
    assert.match(String(skipped?.reason), /previous run/);
    await approve(firstRun);
    await waitForStatus(firstRun, 'COMPLETED');
    await setDue(id);
    await waitForOutcomes(id, 'accepted', 'skipped', 'accepted');
  });

  it('queues one run if overlap is queue', async () => {
    const { id, firstRun } = await start('queue');
    await waitForOutcomes(id, 'waiting', 'accepted');
    await setDue(id);
    await waitForOutcomes(id, 'skipped', 'waiting', 'accepted');
    await approve(firstRun);
    const firings = await waitForOutcomes(id, 'skipped', 'accepted', 'accepted');
    await waitForStatus(firings[1]?.executionId ?? null, 'WAITING');
  });

  it('starts the new run if overlap is allow', async () => {
    const { id, firstRun } = await start('allow');
    await waitForOutcomes(id, 'accepted', 'accepted');
    assert.equal(await readStatus(firstRun), 'WAITING');
  });

  it('cancels the previous run if overlap is cancel_previous', async () => {
    const { id, firstRun } = await start('cancel_previous');
    const [second] = await waitForOutcomes(id, 'accepted', 'accepted');
    await waitForStatus(firstRun, 'CANCELLED');
    await waitForStatus(second?.executionId ?? null, 'WAITING');
  });

  it('does not cancel a catch-up if overlap is cancel_previous', async () => {
    const workflow = await service.createWorkflow(APPROVAL_GRAPH);
    const { id } = await create(workflow, { overlap: 'cancel_previous' });
    await setDue(id, new Date(Date.now() - HOUR_MS));
    const [catchUp] = await waitForOutcomes(id, 'accepted');
    assert.equal(catchUp?.kind, 'catch_up');
    await waitForStatus(catchUp?.executionId ?? null, 'WAITING');
    await setDue(id);
    // Earlier runs are cancelled before the new one starts.
    const [second] = await waitForOutcomes(id, 'accepted', 'accepted');
    await waitForStatus(second?.executionId ?? null, 'WAITING');
    assert.equal(await readStatus(catchUp?.executionId ?? null), 'WAITING');
  });
});

describe('the due times that a schedule missed without a worker', () => {
  /** Creates an hourly schedule that has missed its due times for the given number of hours, until half an hour ago. */
  const createHourly = async (catchUp: string, hours: number): Promise<string> => {
    const workflow = await service.createWorkflow(GRAPH);
    const lastDue = new Date(Date.now() - HOUR_MS / 2);
    const { id } = await create(workflow, { cron: `${lastDue.getUTCMinutes()} * * * *`, catchUp });
    await setDue(id, new Date(lastDue.setUTCSeconds(0, 0) - hours * HOUR_MS));
    return id;
  };

  it('start one run for the latest due time by default', async () => {
    const id = await createHourly('latest', 30);
    const [firing] = await waitForOutcomes(id, 'accepted');
    assert.ok(Date.now() - Date.parse(String(firing?.dueAt)) <= HOUR_MS + 60_000);
    assert.ok(Date.parse(String((await read(id)).nextRunAt)) > Date.now());
  });

  it('are skipped after a day', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { id } = await create(workflow);
    await setDue(id, new Date(Date.now() - 25 * HOUR_MS));
    const [firing] = await waitForOutcomes(id, 'skipped');
    assert.equal(firing?.reason, 'No worker was running at that time.');
  });

  it('start runs one after the other if catchUp is all', async () => {
    const id = await createHourly('all', 4);
    const firings = await waitForOutcomes(id, ...Array.from({ length: 5 }, () => 'accepted'));
    assert.equal(new Set(firings.map(({ dueAt }) => dueAt)).size, 5);
    await waitForStatus(firings[0]?.executionId ?? null, 'COMPLETED');
    const { rows } = await service.db.query<{ overlaps: number }>(
      `select count(*) as overlaps from executions a join executions b on a.origin_id = b.origin_id and a.id < b.id
       where a.origin_id = $1 and b.created_at < a.finished_at`,
      [id],
    );
    assert.equal(rows[0]?.overlaps, 0);
  });

  it('start at most a hundred runs', async () => {
    const workflow = await service.createWorkflow(APPROVAL_GRAPH);
    const { id } = await create(workflow, { cron: '0 * * * *', catchUp: 'all' });
    await setDue(id, new Date(Date.now() - 500 * HOUR_MS));
    // A firing that is starting is shown as waiting.
    await waitUntil('the firings', async () => {
      const outcomes = await listOutcomes(id);
      return outcomes.length === 100 && outcomes.includes('accepted');
    });
    await service.request('PATCH', `/schedules/${id}`, { isActive: false });
    assert.ok(!(await listOutcomes(id)).includes('waiting'), 'pausing skips waiting firings');
  });

  it('start no run if catchUp is none', async () => {
    const id = await createHourly('none', 2);
    await waitForOutcomes(id, 'skipped');
    assert.ok(Date.parse(String((await read(id)).nextRunAt)) > Date.now());
  });
});

describe('a schedule', () => {
  const waitForPause = async (id: string, reason: string): Promise<Schedule> => {
    await waitUntil(`${id} to pause`, async () => !(await read(id)).isActive);
    const schedule = await read(id);
    assert.deepEqual([schedule.pausedReason, schedule.nextRunAt], [reason, null]);
    return schedule;
  };

  it('pauses after five consecutive failures until it is activated again', async () => {
    receiver.answer(res => void res.writeHead(404).end());
    const workflow = await service.createWorkflow(createFailingGraph());
    const { id } = await create(workflow, { overlap: 'allow' });
    // Mails are stored, and wait, because this process has no mail server.
    await recordMailSetUp(service.db, true);
    const listMails = () =>
      allValues<string>(service.db, `select content ->> 'subject' from mails where cause = $1`, [id]);
    for (let count = 1; count <= 5; count++) {
      assert.deepEqual(await listMails(), [], 'a failure alone is not mailed');
      await setDue(id);
      const firings = await waitForOutcomes(id, ...Array.from({ length: count }, () => 'accepted'));
      await waitForStatus(firings[0]?.executionId ?? null, 'FAILED');
    }
    const { name } = await waitForPause(id, 'failures');
    await recordMailSetUp(service.db, false);
    assert.deepEqual(await listMails(), [`Schedule paused: ${name}`]);
    const { body: notices } = await service.request<{ data: readonly Record<string, unknown>[] }>(
      'GET',
      '/notices?unread=true',
    );
    const pauseNotices = notices.data.filter(notice => notice.kind === 'schedule_paused');
    assert.equal(pauseNotices.length, 1);
    assert.match(String(pauseNotices[0]?.text), /^5 runs in a row failed/);
    const { body } = await service.request<Schedule>('PATCH', `/schedules/${id}`, { isActive: true });
    assert.deepEqual([body.isActive, body.pausedReason], [true, null]);
    assert.ok(body.nextRunAt !== null);
  });

  it('does not pause after failed manual runs and backfills', async () => {
    receiver.answer(res => void res.writeHead(404).end());
    const workflow = await service.createWorkflow(createFailingGraph());
    const { id } = await create(workflow, { cron: '0 0 * * *' });
    for (let count = 0; count < 3; count++) await service.request('POST', `/schedules/${id}/run`);
    const from = new Date(Date.now() - 4 * 24 * HOUR_MS).toISOString();
    const to = new Date().toISOString();
    const { status } = await service.request('POST', `/schedules/${id}/backfill`, { from, to });
    assert.equal(status, 202);
    await waitUntil('seven runs to end', async () => {
      const { rows } = await service.db.query<{ count: number }>(
        'select count(*) as count from firings where schedule_id = $1 and ended_at is not null',
        [id],
      );
      return rows[0]?.count === 7;
    });
    assert.equal((await read(id)).isActive, true);
  });

  it('pauses if its creator loses access', async () => {
    const user = await service.createUser();
    const workflow = await service.createWorkflow(GRAPH);
    await service.request('PUT', `/workflows/${workflow}/permissions`, { userId: user.userId, role: 'EDIT' });
    const { status, body } = await user.request<Schedule>('POST', `/workflows/${workflow}/schedules`, YEARLY);
    assert.equal(status, 201, JSON.stringify(body));
    await setDue(body.id);
    await waitForOutcomes(body.id, 'accepted');
    await service.request('DELETE', `/workflows/${workflow}/permissions/${user.userId}`);
    await setDue(body.id);
    const [refused] = await waitForOutcomes(body.id, 'refused', 'accepted');
    assert.match(String(refused?.reason), /permission/);
    await waitForPause(body.id, 'access_lost');
  });

  it('pauses if the workflow is no longer published', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    await service.request('POST', `/workflows/${workflow}/publish`, { isPublished: true });
    const { id } = await create(workflow, { version: 'published' });
    await setDue(id);
    await waitForOutcomes(id, 'accepted');
    await service.request('POST', `/workflows/${workflow}/publish`, { isPublished: false });
    await setDue(id);
    await waitForOutcomes(id, 'refused', 'accepted');
    await waitForPause(id, 'unpublished');
    const { status } = await service.request('PATCH', `/schedules/${id}`, { isActive: true });
    assert.equal(status, 409);
  });

  it('pauses if its workflow is deleted', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { id } = await create(workflow);
    await service.request('DELETE', `/workflows/${workflow}`);
    await setDue(id);
    await waitUntil('the pause', async () => {
      const { rows } = await service.db.query<{ reason: string }>(
        'select paused_reason as reason from schedules where id = $1',
        [id],
      );
      return rows[0]?.reason === 'access_lost';
    });
    assert.equal((await service.request('GET', `/schedules/${id}`)).status, 404);
  });
});

describe('POST /schedules/{id}/run', () => {
  it('starts a run even if the schedule is paused', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { id } = await create(workflow, { isActive: false, inputs: { who: 'now' } });
    const { status, body } = await service.request<{ executionId: string }>('POST', `/schedules/${id}/run`);
    assert.equal(status, 202);
    await waitForStatus(body.executionId, 'COMPLETED');
    const [firing] = await listFirings(id);
    assert.deepEqual([firing?.kind, firing?.executionId], ['manual', body.executionId]);
  });

  it('returns the reason of a refusal and records the refusal in the history', async () => {
    const workflow = await service.createWorkflow(GRAPH);
    const { id } = await create(workflow);
    await service.request('PUT', `/workflows/${workflow}`, { isActive: false });
    const { status, body } = await service.request<Schedule>('POST', `/schedules/${id}/run`);
    assert.deepEqual([status, body.code], [400, 'workflow_inactive']);
    const [firing] = await listFirings(id);
    assert.deepEqual([firing?.outcome, firing?.executionId], ['refused', null]);
    assert.equal((await read(id)).isActive, true);
  });
});
