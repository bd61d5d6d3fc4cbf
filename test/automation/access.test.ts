// Tests the answers to users who have no access to batches, tables, schedules and triggers.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { type ApiUser, type Method, openTestApp, type TestApp } from '../support/app.ts';
import { createWorkflow } from '../support/workflows.ts';

let app: TestApp;
let owner: ApiUser;
let otherUser: ApiUser;
let workflowId: string;
let ids: Readonly<Record<'batch' | 'schedule' | 'table' | 'trigger', string>>;
before(async () => {
  app = await openTestApp();
  [owner, otherUser] = await app.createUsers(2);
  workflowId = (await createWorkflow(owner)).id;
  const create = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await owner.request('POST', `/workflows/${workflowId}/${path}`, body);
    assert.ok(response.status < 300, JSON.stringify(response.body));
    return response.body;
  };
  const table = await app.app.inject({
    method: 'POST',
    url: '/api/v1/tables',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'text/csv' },
    payload: 'text\nhello\n',
  });
  ids = {
    batch: String((await create('batches', { rows: [{ inputs: {} }] })).batchId),
    schedule: String((await create('schedules', { cron: '0 0 1 1 *' })).id),
    table: table.json<{ tableId: string }>().tableId,
    trigger: String((await create('triggers', { kind: 'hook' })).id),
  };
});
after(() => app.close());

const REQUESTS: Readonly<
  Record<keyof typeof ids, readonly (readonly [method: Method, path: string, body?: object])[]>
> = {
  batch: [
    ['GET', '/batches/{id}'],
    ['GET', '/batches/{id}/rows'],
    ['GET', '/batches/{id}/events'],
    ['GET', '/batches/{id}/export'],
    ['POST', '/batches/{id}/stop', {}],
    ['PATCH', '/batches/{id}/rows/1', { rating: 1 }],
    ['DELETE', '/batches/{id}'],
  ],
  schedule: [
    ['GET', '/schedules/{id}'],
    ['PATCH', '/schedules/{id}', { name: 'N' }],
    ['POST', '/schedules/{id}/run', {}],
    ['DELETE', '/schedules/{id}'],
  ],
  table: [
    ['GET', '/tables/{id}'],
    ['DELETE', '/tables/{id}'],
  ],
  trigger: [
    ['GET', '/triggers/{id}'],
    ['PATCH', '/triggers/{id}', { name: 'N' }],
    ['POST', '/triggers/{id}/run', {}],
    ['DELETE', '/triggers/{id}'],
  ],
};

for (const kind of ['batch', 'schedule', 'table', 'trigger'] as const)
  it(`another user gets 403 for a ${kind} that exists, and 404 for one that does not`, async () => {
    for (const [method, path, body] of REQUESTS[kind]) {
      const send = async (id: string): Promise<readonly unknown[]> => {
        const response = await otherUser.request(method, path.replace('{id}', id), body);
        return [response.status, response.body.code];
      };
      assert.deepEqual(await send(ids[kind]), [403, 'forbidden'], `${method} ${path}`);
      assert.deepEqual(await send(newId(kind)), [404, 'not_found'], `${method} ${path}`);
    }
  });

it('another user cannot start a batch over a table', async () => {
  const { id } = await createWorkflow(otherUser);
  const send = async (tableId: string): Promise<readonly unknown[]> => {
    const body = { tableId, mapping: { a: 'text' } };
    const response = await otherUser.request('POST', `/workflows/${id}/batches`, body);
    return [response.status, response.body.code];
  };
  assert.deepEqual(await send(ids.table), [403, 'forbidden']);
  assert.deepEqual(await send(newId('table')), [404, 'not_found']);
});
