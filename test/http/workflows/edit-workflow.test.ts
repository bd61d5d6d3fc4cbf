// Tests POST /workflows/{id}/edit, which applies operations to a graph: all or none.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow } from '../../support/workflows.ts';

interface Edited {
  readonly name: string;
  readonly nodes: readonly { readonly id: string; readonly data: Record<string, unknown> }[];
  readonly edges: readonly { readonly source: string; readonly target: string }[];
}

let test: TestApp;
let user: ApiUser;
let other: ApiUser;
before(async () => {
  test = await openTestApp();
  [user, other] = await test.createUsers(2);
});
after(() => test.close());

const edit = (id: string, body: object, { who = user, ifMatch = '*' } = {}) =>
  who.request<Edited>('POST', `/workflows/${id}/edit`, body, { 'if-match': ifMatch });
const listVersions = async (id: string): Promise<readonly unknown[]> =>
  (await user.request<{ data: unknown[] }>('GET', `/workflows/${id}/versions`)).body.data;

describe('POST /workflows/{id}/edit', () => {
  it('applies the operations in order and stores one version', async () => {
    const { id } = await createWorkflow(user);
    const { status, body, headers } = await edit(id, {
      operations: [
        { op: 'add_node', nodeId: 'c', nodeType: 'input:text', config: { value: 'y' } },
        { op: 'connect', edge: 'c.text -> b.input' },
        { op: 'set_config', nodeId: 'c', config: { value: 'z' } },
        { op: 'rename', nodeId: 'c', label: 'Third' },
        { op: 'remove_node', nodeId: 'a' },
        { op: 'rename', label: 'Edited' },
      ],
    });
    assert.equal(status, 200, body.error);
    assert.equal(body.name, 'Edited');
    assert.equal((await listVersions(id)).length, 2);
    assert.deepEqual(body.nodes.map(node => node.id).sort(), ['b', 'c']);
    const added = body.nodes.find(node => node.id === 'c')?.data;
    assert.deepEqual([added?.label, added?.config], ['Third', { value: 'z' }]);
    assert.deepEqual(
      body.edges.map(({ source, target }) => [source, target]),
      [['c', 'b']],
    );
    assert.ok(headers.etag);
  });

  it('replaces the type of a node and keeps its edges', async () => {
    const { id } = await createWorkflow(user);
    const operations = [
      { op: 'replace_node_type', nodeId: 'a', nodeType: 'input:number', config: { value: 3 } },
    ];
    const { body } = await edit(id, { operations });
    assert.equal(body.nodes.find(node => node.id === 'a')?.data.nodeType, 'input:number');
    assert.equal(body.edges.length, 1);
  });

  it('bypasses a node, and restores it', async () => {
    const { id } = await createWorkflow(user);
    const isBypassed = ({ body }: Awaited<ReturnType<typeof edit>>) =>
      body.nodes.find(node => node.id === 'a')?.data.bypassed === true;
    const set = (op: string, nodeId = 'a') => edit(id, { operations: [{ op, nodeId }] });
    assert.equal(isBypassed(await set('bypass')), true);
    assert.equal(isBypassed(await set('restore')), false);
    await edit(id, {
      operations: [{ op: 'add_node', nodeId: 'note', nodeType: 'utility:sticky_note', config: {} }],
    });
    const refusal = await set('bypass', 'note');
    assertRefused(refusal, 400, 'invalid_request');
    assert.match(String(refusal.body.error), /note does not run/);
  });

  it('applies nothing if one operation fails, and names it', async () => {
    const { id } = await createWorkflow(user);
    const refusal = await edit(id, {
      operations: [
        { op: 'rename', nodeId: 'a', label: 'New' },
        { op: 'remove_node', nodeId: 'bb' },
      ],
    });
    assertRefused(refusal, 400, 'invalid_request');
    assert.match(String(refusal.body.error), /\/operations\/1\/nodeId.*did you mean b\?/);
    assert.equal((await listVersions(id)).length, 1);
  });

  it('refuses a changed workflow, unknown operations and too many of them', async () => {
    const { id } = await createWorkflow(user);
    const operation = { op: 'rename', label: 'New' };
    const { headers } = await edit(id, { operations: [operation] });
    const ifMatch = String(headers.etag);
    const rename = { operations: [{ op: 'rename', label: 'Newer' }] };
    assert.equal((await edit(id, rename, { ifMatch })).status, 200);
    assertRefused(await edit(id, rename, { ifMatch }), 409, 'stale_write');
    for (const operations of [[], [{ op: 'delete' }], Array.from({ length: 101 }, () => operation)])
      assertRefused(await edit(id, { operations }), 400, 'invalid_request');
  });

  it('requires the scope workflows:write and the role of an editor', async () => {
    const { id } = await createWorkflow(user);
    const body = { operations: [{ op: 'rename', label: 'New' }] };
    const reader = await test.withScopes(user, ['workflows:read']);
    assert.equal((await edit(id, body, { who: other })).status, 403);
    assert.equal((await edit(id, body, { who: reader })).status, 401);
  });
});
