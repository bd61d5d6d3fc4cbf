// Tests what administrators see of the instance: overview, runs and failures, teams with budgets, and a backup to
// download.
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

interface Listed {
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
  readonly data: readonly Listed[];
  readonly nextCursor: string | null;
}

describe('the instance, as administrators see it', () => {
  let paid: PaidService;
  let admin: Client;
  let ana: Client;
  let anaId: number;
  let teamId: string;
  let paidRun: string;
  let failedRun: string;

  before(async () => {
    paid = await startPaidService();
    admin = paid.service;
    ana = await paid.newUser(100);
    anaId = (await ana.request<{ userId: number }>('GET', '/me')).body.userId;
    teamId = (await ana.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;
    await admin.request('POST', '/admin/credits', { teamId, amount: 40, note: 'start' });
    paid.reset();
    const foxes = await ana.createWorkflow({ name: 'Foxes', ...modelGraph() });
    const folder = await ana.request<{ id: string }>('POST', '/folders', { name: 'Ads', teamId });
    const moved = await ana.request('PUT', `/workflows/${foxes}`, { folderId: folder.body.id });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    paidRun = (await ana.runWorkflow(foxes)).id;
    const broken = node('h', 'utility:json_extract', { json: 'no json', paths: { a: 'b' } });
    failedRun = (await ana.runWorkflow(await ana.createWorkflow({ nodes: [broken], edges: [] }))).id;
  });
  after(() => paid?.close());

  const list = async (path: string, user = admin): Promise<readonly Listed[]> =>
    (await user.request<Page>('GET', path)).body.data;
  const ids = (runs: readonly Listed[]): readonly string[] => runs.map(({ id }) => id);

  it('lists the runs of teams, and those of other personal workspaces on request only', async () => {
    const runs = await list('/admin/executions');
    assert.ok(ids(runs).includes(paidRun));
    assert.ok(!ids(runs).includes(failedRun));
    assert.ok(ids(await list('/admin/executions?personal=true')).includes(failedRun));
    assert.deepEqual(ids(await list('/admin/executions?teamId=personal')), []);
    assert.equal((await admin.request('GET', `/admin/executions?teamId=user:${anaId}`)).status, 400);
    const found = runs.find(({ id }) => id === paidRun);
    assert.equal(found?.workflowName, 'Foxes');
    assert.equal(found?.workspaceName, 'Studio');
    assert.equal(found?.teamId, teamId);
    assert.deepEqual(found?.models, [MODEL]);
    assert.equal(found?.mayOpen, false);
  });

  it('filters runs by model, person, team and error, also by the group of an error', async () => {
    assert.deepEqual(ids(await list(`/admin/executions?model=${MODEL}`)), [paidRun]);
    assert.deepEqual(ids(await list(`/admin/executions?model=generate:none&personal=true`)), []);
    assert.deepEqual(ids(await list(`/admin/executions?teamId=${teamId}&userId=${anaId}`)), [paidRun]);
    const { body } = await admin.request<{
      groups: { code: string; nodeType: string; runs: number; message: string }[];
    }>('GET', '/admin/failures?personal=true');
    const [group] = body.groups;
    assert.equal(group?.runs, 1);
    assert.equal(group?.nodeType, 'utility:json_extract');
    assert.notEqual(group?.message, '');
    const path = `/admin/executions?personal=true&errorCode=${group?.code}&failedNodeType=${group?.nodeType}`;
    assert.deepEqual(ids(await list(path)), [failedRun]);
    assert.deepEqual(ids(await list(`${path}&status=COMPLETED`)), []);
  });

  it('lets members list the runs of their active workspace, and hides those of the instance from them', async () => {
    assert.deepEqual(ids(await list('/workspace/executions', ana)), [failedRun]);
    assert.equal((await ana.request('GET', '/admin/executions')).status, 401);
    assert.equal((await ana.request('GET', '/admin/overview')).status, 401);
    await ana.request('PUT', '/me/workspace', { teamId });
    const [only, ...others] = await list('/workspace/executions', ana);
    assert.equal(only?.id, paidRun);
    assert.equal(only?.mayOpen, true);
    assert.deepEqual(others, []);
    await ana.request('PUT', '/me/workspace', { teamId: null });
  });

  it('lets only administrators read a run of another workspace, and only on request', async () => {
    const path = `/executions/${paidRun}`;
    const paths = [path, `${path}/workflow`, `${path}/outputs/m`];
    for (const each of paths) {
      assert.equal((await admin.request('GET', each)).status, 403);
      assert.equal((await admin.request('GET', `${each}?asAdmin=true`)).status, 200);
      assert.equal((await ana.request('GET', `${each}?asAdmin=true`)).body.code, 'insufficient_scope');
    }
    assert.equal((await admin.request('GET', '/executions/ex_none?asAdmin=true')).status, 404);
    assert.equal((await admin.request('DELETE', `${path}?asAdmin=true`)).status, 403);
    assert.equal((await admin.request('POST', `${path}/cancel?asAdmin=true`)).status, 403);
  });

  it('sums up the cost of calls on own keys in USD', async () => {
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

  it('sums up runs, spending and low balances', async () => {
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
    const spent = { credits: PRICE, charges: 1 };
    assert.equal(body.spending.total, PRICE);
    assert.partialDeepStrictEqual(body.spending.users, [{ userId: anaId, ...spent }]);
    assert.partialDeepStrictEqual(body.spending.teams, [{ teamId, name: 'Studio', ...spent }]);
    assert.partialDeepStrictEqual(body.spending.models, [{ nodeType: MODEL, provider: 'fal', ...spent }]);
    assert.partialDeepStrictEqual(body.spending.providers, [{ name: 'fal', ...spent }]);
    assert.partialDeepStrictEqual(body.lowBalances, [{ teamId, balance: 40 - PRICE }]);
    assert.deepEqual(body.health, { database: 'ok', queue: 'ok', storage: 'ok' });
    assert.equal(body.storage.kind, 'disk');
    assert.ok(body.storage.disk.freeBytes > 0 && body.database.bytes > 0);
  });

  it('lists all teams with their credits, and sets budgets of their workflows', async () => {
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
    const set = await admin.request('PUT', `${budgets}/${workflow?.workflowId}`, {
      dailyCreditBudget: PRICE,
    });
    assert.equal(set.status, 200);
    const refused = await ana.request('POST', `/workflows/${workflow?.workflowId}/run`, {
      useCache: false,
    });
    assert.equal(refused.body.code, 'daily_budget_exceeded');
    assert.equal((await admin.request('PUT', `${budgets}/wf_none`, { dailyCreditBudget: 1 })).status, 404);
  });

  it('counts model nodes and spent credits in the metrics, by provider and class', async () => {
    const text = await (await fetch(`${paid.service.url}/metrics`)).text();
    const labels = 'provider="fal",model_class="generate"';
    const finished = `graphwright_model_nodes_finished_total{${labels},credential="environment",status="COMPLETED"} 1`;
    assert.ok(text.includes(finished), text.match(/^graphwright_model_nodes.*$/gm)?.join('\n'));
    assert.ok(text.includes(`graphwright_credits_spent_this_month{${labels}} ${PRICE}`));
  });

  it('limits the total cost of the runs of a team per day', async () => {
    const budget = `/admin/teams/${teamId}/budget`;
    const [workflow, other] = [
      await ana.createWorkflow(modelGraph()),
      await ana.createWorkflow(modelGraph({ prompt: 'an owl' })),
    ];
    const folder = await ana.request<{ id: string }>('POST', '/folders', { name: 'More', teamId });
    for (const id of [workflow, other])
      await ana.request('PUT', `/workflows/${id}`, { folderId: folder.body.id });
    const start = (id: string) => ana.request('POST', `/workflows/${id}/run`, { useCache: false });
    assert.equal((await admin.request('PUT', budget, { dailyCreditBudget: 2 * PRICE })).status, 200);
    type Teams = { data: { dailyCreditBudget: number | null; spentToday: number }[] };
    const read = async () => (await admin.request<Teams>('GET', '/admin/teams?query=stu')).body.data[0];
    assert.partialDeepStrictEqual(await read(), { dailyCreditBudget: 2 * PRICE, spentToday: PRICE });
    assert.equal((await ana.runWorkflow(workflow)).status, 'COMPLETED');
    const { status, body } = await start(other);
    assert.deepEqual([status, body.code], [402, 'daily_budget_exceeded']);
    assert.match(String(body.error), /the workspace has spent or reserved 6 of its daily budget of 6/);
    assert.equal((await admin.request('PUT', budget, { dailyCreditBudget: 3 * PRICE })).status, 200);
    // Of runs that start together, only one fits.
    const statuses = (await Promise.all([start(workflow), start(other)])).map(answer => answer.status);
    assert.deepEqual(statuses.toSorted(), [202, 402]);
    assert.equal((await admin.request('PUT', budget, { dailyCreditBudget: null })).status, 200);
    assert.equal((await ana.runWorkflow(other)).status, 'COMPLETED');
    assert.equal(
      (await admin.request('PUT', '/admin/teams/team_none/budget', { dailyCreditBudget: 1 })).status,
      404,
    );
    assert.equal((await ana.request('PUT', budget, { dailyCreditBudget: 1 })).status, 401);
  });

  it('returns the defaults for new accounts', async () => {
    const { body } = await admin.request<{ newAccountCredits: number }>('GET', '/admin/plans');
    assert.equal(body.newAccountCredits, 0);
  });

  it('streams a complete backup, and shows when it was made', async () => {
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
    // It is recorded after its last byte is sent.
    await waitUntil('its record', async () => (await readLast()) !== null);
    const last = await readLast();
    assert.equal(last?.madeBy, 'download');
    assert.ok(last.media.files > 0);
    assert.equal((await ana.request('GET', '/admin/backup/file')).status, 401);
  });
});
