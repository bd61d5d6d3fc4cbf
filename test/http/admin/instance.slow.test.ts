// Tests the API for administrators: overview, runs and failures, budgets of teams, and backups.
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readArchive } from '../../../src/services/backups/archive.ts';
import { HEADER_NAME, readHeader } from '../../../src/services/backups/backup-header.ts';
import type { Client } from '../../support/client.ts';
import { MODEL, modelGraph, type PaidService, PRICE, startPaidService } from '../../support/credits/paid.ts';
import { waitUntil } from '../../support/processes.ts';
import { node } from '../../support/workflows.ts';

interface ListedRun {
  readonly id: string;
  readonly workflowName: string;
  readonly userId: number;
  readonly teamId: string | null;
  readonly workspaceName: string;
  readonly models: readonly string[];
  readonly error: { readonly code: string; readonly nodeType?: string } | null;
  readonly mayOpen: boolean;
}
interface Page {
  readonly data: readonly ListedRun[];
  readonly nextCursor: string | null;
}

describe('/admin', () => {
  let paid: PaidService;
  let admin: Client;
  let ana: Client;
  let anaId: number;
  let teamId: string;
  let paidRunId: string;
  let failedRunId: string;

  before(async () => {
    paid = await startPaidService();
    admin = paid.service;
    ana = await paid.newUser(100);
    anaId = (await ana.request<{ userId: number }>('GET', '/me')).body.userId;
    teamId = (await ana.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;
    await admin.request('POST', '/admin/credits', { teamId, amount: 40, note: 'start' });
    paid.reset();
    const workflowId = await ana.createWorkflow({ name: 'Foxes', ...modelGraph() });
    const folder = await ana.request<{ id: string }>('POST', '/folders', { name: 'Ads', teamId });
    const move = await ana.request('PUT', `/workflows/${workflowId}`, { folderId: folder.body.id });
    assert.equal(move.status, 200, JSON.stringify(move.body));
    paidRunId = (await ana.runWorkflow(workflowId)).id;
    const failingNode = node('h', 'utility:json_extract', { json: 'no json', paths: { a: 'b' } });
    failedRunId = (await ana.runWorkflow(await ana.createWorkflow({ nodes: [failingNode], edges: [] }))).id;
  });
  after(() => paid?.close());

  const list = async (path: string, user = admin): Promise<readonly ListedRun[]> =>
    (await user.request<Page>('GET', path)).body.data;
  const getIds = (runs: readonly ListedRun[]): readonly string[] => runs.map(({ id }) => id);

  it('GET /executions lists runs of personal workspaces only with personal=true', async () => {
    const runs = await list('/admin/executions');
    assert.ok(getIds(runs).includes(paidRunId));
    assert.ok(!getIds(runs).includes(failedRunId));
    assert.ok(getIds(await list('/admin/executions?personal=true')).includes(failedRunId));
    assert.deepEqual(getIds(await list('/admin/executions?teamId=personal')), []);
    assert.equal((await admin.request('GET', `/admin/executions?teamId=user:${anaId}`)).status, 400);
    const run = runs.find(({ id }) => id === paidRunId);
    assert.equal(run?.workflowName, 'Foxes');
    assert.equal(run?.workspaceName, 'Studio');
    assert.equal(run?.teamId, teamId);
    assert.deepEqual(run?.models, [MODEL]);
    assert.equal(run?.mayOpen, false);
  });

  it('GET /executions filters runs by model, user, team and error', async () => {
    assert.deepEqual(getIds(await list(`/admin/executions?model=${MODEL}`)), [paidRunId]);
    assert.deepEqual(getIds(await list(`/admin/executions?model=generate:none&personal=true`)), []);
    assert.deepEqual(getIds(await list(`/admin/executions?teamId=${teamId}&userId=${anaId}`)), [paidRunId]);
    const { body } = await admin.request<{
      groups: { code: string; nodeType: string; runs: number; message: string }[];
    }>('GET', '/admin/failures?personal=true');
    const [group] = body.groups;
    assert.equal(group?.runs, 1);
    assert.equal(group?.nodeType, 'utility:json_extract');
    assert.notEqual(group?.message, '');
    const path = `/admin/executions?personal=true&errorCode=${group?.code}&failedNodeType=${group?.nodeType}`;
    assert.deepEqual(getIds(await list(path)), [failedRunId]);
    assert.deepEqual(getIds(await list(`${path}&status=COMPLETED`)), []);
  });

  it('GET /executions returns 401 to users who are not administrators', async () => {
    assert.deepEqual(getIds(await list('/workspace/executions', ana)), [failedRunId]);
    assert.equal((await ana.request('GET', '/admin/executions')).status, 401);
    assert.equal((await ana.request('GET', '/admin/overview')).status, 401);
    await ana.request('PUT', '/me/workspace', { teamId });
    const runs = await list('/workspace/executions', ana);
    assert.deepEqual(
      runs.map(({ id, mayOpen }) => [id, mayOpen]),
      [[paidRunId, true]],
    );
    await ana.request('PUT', '/me/workspace', { teamId: null });
  });

  it('asAdmin=true allows administrators to read runs of other workspaces', async () => {
    const path = `/executions/${paidRunId}`;
    const paths = [path, `${path}/workflow`, `${path}/outputs/m`];
    for (const readPath of paths) {
      assert.equal((await admin.request('GET', readPath)).status, 403);
      assert.equal((await admin.request('GET', `${readPath}?asAdmin=true`)).status, 200);
      assert.equal((await ana.request('GET', `${readPath}?asAdmin=true`)).body.code, 'insufficient_scope');
    }
    assert.equal((await admin.request('GET', '/executions/ex_none?asAdmin=true')).status, 404);
    assert.equal((await admin.request('DELETE', `${path}?asAdmin=true`)).status, 403);
    assert.equal((await admin.request('POST', `${path}/cancel?asAdmin=true`)).status, 403);
  });

  it('GET /overview sums up the USD cost of calls with workspace credentials', async () => {
    const cia = await paid.newUser(0);
    const input = { kind: 'fal', name: 'Own', owner: 'workspace', values: { apiKey: 'cia-key-12345678' } };
    const { id } = (await cia.request<{ id: string }>('POST', '/credentials', input)).body;
    await paid.service.db.query(
      `insert into credential_charges (execution_id, node_id, item, credential_id, workspace, workflow_id, node_type, usd, created_at)
       values ('ex_1', 'a', 0, $1, 'user:1', 'wf_1', 'x', 0.25, now()), ('ex_2', 'a', 0, $1, 'user:1', 'wf_1', 'x', null, now()),
         ('ex_3', 'a', 0, $1, 'user:1', 'wf_1', 'x', 1.5, date_trunc('month', now(), 'UTC') - interval '1 minute')`,
      [id],
    );
    const { body } = await admin.request<{ spending: { ownKeys: object } }>('GET', '/admin/overview');
    assert.deepEqual(body.spending.ownKeys, {
      costUsd: 0.25,
      lastMonthUsd: 1.5,
      providers: [{ name: 'fal', label: 'fal', costUsd: 0.25, calls: 2, unpricedCalls: 1 }],
    });
  });

  it('GET /overview sums up runs and spending', async () => {
    const { status, body } = await admin.request<{
      runs: { completed: number; failed: number; hours: { completed: number }[] };
      spending: {
        total: number;
        users: { userId: number; credits: number }[];
        teams: { teamId: string; name: string; credits: number }[];
        models: { nodeType: string; provider: string; credits: number; charges: number }[];
        providers: { name: string; credits: number }[];
      };
      lowBalances: { teamId: string; balance: number }[];
      health: Record<string, string>;
      database: { bytes: number; version: string };
      storage: { kind: string; disk: { freeBytes: number } };
    }>('GET', '/admin/overview');
    assert.equal(status, 200);
    assert.equal(body.runs.completed, 1);
    assert.equal(body.runs.failed, 1);
    assert.equal(body.runs.hours.length, 24);
    assert.equal(
      body.runs.hours.reduce((sum, { completed }) => sum + completed, 0),
      1,
    );
    const spending = { credits: PRICE, charges: 1 };
    assert.equal(body.spending.total, PRICE);
    assert.partialDeepStrictEqual(body.spending.users, [{ userId: anaId, ...spending }]);
    assert.partialDeepStrictEqual(body.spending.teams, [{ teamId, name: 'Studio', ...spending }]);
    assert.partialDeepStrictEqual(body.spending.models, [{ nodeType: MODEL, provider: 'fal', ...spending }]);
    assert.partialDeepStrictEqual(body.spending.providers, [{ name: 'fal', ...spending }]);
    assert.partialDeepStrictEqual(body.lowBalances, [{ teamId, balance: 40 - PRICE }]);
    assert.deepEqual(body.health, { database: 'ok', queue: 'ok', storage: 'ok' });
    assert.equal(body.storage.kind, 'disk');
    assert.ok(body.storage.disk.freeBytes > 0 && body.database.bytes > 0);
  });

  it('PUT /teams/{id}/budgets/{workflowId} limits the spending of a workflow', async () => {
    const { body } = await admin.request<{ data: Record<string, unknown>[] }>(
      'GET',
      '/admin/teams?query=stu',
    );
    assert.partialDeepStrictEqual(body.data, [
      {
        id: teamId,
        name: 'Studio',
        members: 1,
        credits: { balance: 40 - PRICE, held: 0 },
        spentThisMonth: PRICE,
      },
    ]);
    assert.deepEqual(
      (await admin.request<{ data: unknown[] }>('GET', '/admin/teams?query=none')).body.data,
      [],
    );
    type Budgets = { data: { workflowId: string; dailyCreditBudget: number | null; spentToday: number }[] };
    const budgets = `/admin/teams/${teamId}/budgets`;
    const [workflow] = (await admin.request<Budgets>('GET', budgets)).body.data;
    assert.equal(workflow?.dailyCreditBudget, null);
    assert.equal(workflow?.spentToday, PRICE);
    const response = await admin.request('PUT', `${budgets}/${workflow?.workflowId}`, {
      dailyCreditBudget: PRICE,
    });
    assert.equal(response.status, 200);
    const rejected = await ana.request('POST', `/workflows/${workflow?.workflowId}/run`, {
      useCache: false,
    });
    assert.equal(rejected.body.code, 'daily_budget_exceeded');
    assert.equal((await admin.request('PUT', `${budgets}/wf_none`, { dailyCreditBudget: 1 })).status, 404);
  });

  it('GET /metrics counts model nodes and spent credits by provider and class', async () => {
    let text = '';
    await waitUntil('the database to respond in time', async () => {
      text = await (await fetch(`${paid.service.url}/metrics`)).text();
      return text.includes('\ngraphwright_credits_spent_this_month{');
    });
    const labels = 'provider="fal",model_class="generate"';
    const finishedNodes = `graphwright_model_nodes_finished_total{${labels},credential="environment",status="COMPLETED"} 1`;
    assert.ok(text.includes(finishedNodes), text.match(/^graphwright_model_nodes.*$/gm)?.join('\n'));
    assert.ok(text.includes(`graphwright_credits_spent_this_month{${labels}} ${PRICE}`));
  });

  it('PUT /teams/{id}/budget limits the daily spending of a team', async () => {
    const budget = `/admin/teams/${teamId}/budget`;
    const [workflow, otherWorkflow] = [
      await ana.createWorkflow(modelGraph()),
      await ana.createWorkflow(modelGraph({ prompt: 'an owl' })),
    ];
    const folder = await ana.request<{ id: string }>('POST', '/folders', { name: 'More', teamId });
    for (const id of [workflow, otherWorkflow])
      await ana.request('PUT', `/workflows/${id}`, { folderId: folder.body.id });
    const start = (id: string) => ana.request('POST', `/workflows/${id}/run`, { useCache: false });
    assert.equal((await admin.request('PUT', budget, { dailyCreditBudget: 2 * PRICE })).status, 200);
    type Teams = { data: { dailyCreditBudget: number | null; spentToday: number }[] };
    const readTeam = async () => (await admin.request<Teams>('GET', '/admin/teams?query=stu')).body.data[0];
    assert.partialDeepStrictEqual(await readTeam(), { dailyCreditBudget: 2 * PRICE, spentToday: PRICE });
    assert.equal((await ana.runWorkflow(workflow)).status, 'COMPLETED');
    const { status, body } = await start(otherWorkflow);
    assert.deepEqual([status, body.code], [402, 'daily_budget_exceeded']);
    assert.match(String(body.error), /the workspace has spent or reserved 6 of its daily budget of 6/);
    assert.equal((await admin.request('PUT', budget, { dailyCreditBudget: 3 * PRICE })).status, 200);
    // The budget suffices for only one of two runs that start concurrently.
    const statuses = (await Promise.all([start(workflow), start(otherWorkflow)])).map(
      response => response.status,
    );
    assert.deepEqual(statuses.toSorted(), [202, 402]);
    assert.equal((await admin.request('PUT', budget, { dailyCreditBudget: null })).status, 200);
    assert.equal((await ana.runWorkflow(otherWorkflow)).status, 'COMPLETED');
    assert.equal(
      (await admin.request('PUT', '/admin/teams/team_none/budget', { dailyCreditBudget: 1 })).status,
      404,
    );
    assert.equal((await ana.request('PUT', budget, { dailyCreditBudget: 1 })).status, 401);
  });

  it('GET /plans returns the credits of new accounts', async () => {
    const { body } = await admin.request<{ newAccountCredits: number }>('GET', '/admin/plans');
    assert.equal(body.newAccountCredits, 0);
  });

  it('POST /backup streams a complete backup', async () => {
    assert.equal((await admin.request('GET', '/admin/backup')).body.last, null);
    const { url } = (await admin.request<{ url: string }>('POST', '/admin/backup')).body;
    const response = await fetch(`${paid.service.url}${url}`, {
      headers: { authorization: `Bearer ${admin.key}` },
    });
    assert.equal(response.headers.get('content-type'), 'application/x-tar');
    assert.match(
      response.headers.get('content-disposition') ?? '',
      /^attachment; filename="graphwright-.*\.tar"$/,
    );
    const path = join(tmpdir(), `graphwright-backup-${process.pid}.tar`);
    await writeFile(path, Buffer.from(await response.arrayBuffer()));
    const names: string[] = [];
    for await (const entry of readArchive(path, AbortSignal.timeout(30_000), () => undefined)) {
      names.push(entry.name);
      if (entry.name === HEADER_NAME)
        assert.equal((await readHeader(entry.body, entry.bytes)).secretsKey.isIncluded, false);
      else await Array.fromAsync(entry.body);
    }
    await rm(path);
    assert.ok(names.some(name => name.startsWith('database/executions/')));
    assert.ok(names.some(name => name.startsWith('media/')));
    assert.ok(!names.includes('secrets.key'));
    type Status = { last: { madeBy: string; media: { files: number } } | null };
    const readLast = async () => (await admin.request<Status>('GET', '/admin/backup')).body.last;
    // The service records the backup after it has sent the last byte.
    await waitUntil('the record of the backup', async () => (await readLast()) !== null);
    const last = await readLast();
    assert.equal(last?.madeBy, 'download');
    assert.ok(last.media.files > 0);
    assert.equal((await ana.request('GET', '/admin/backup/file')).status, 401);
  });
});
