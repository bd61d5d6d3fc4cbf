// Tests the interface of a component, the list of its callers, and the update of callers to another version.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import {
  assertRefused,
  createWorkflow,
  edge,
  node,
  PAIR,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

interface Port {
  readonly name?: string;
  readonly id: string;
  readonly label: string;
  readonly type: string;
}
interface Interface {
  readonly workflowId: string;
  readonly name: string;
  readonly version: number;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}
interface CallerPage {
  readonly data: readonly {
    readonly workflowId: string;
    readonly name: string;
    readonly version: number | 'latest';
    readonly nodeIds: readonly string[];
    readonly canEdit: boolean;
  }[];
  readonly nextCursor: string | null;
  readonly hidden: number;
}
interface UpdateResponse {
  readonly data: readonly {
    readonly workflowId: string;
    readonly outcome: string;
    readonly issues?: readonly { readonly code: string; readonly nodeId?: string }[];
    readonly lostPorts: readonly { readonly id: string; readonly use: string; readonly reason: string }[];
  }[];
  readonly hidden: number;
  readonly nextCursor: string | null;
}

let test: TestApp;
let owner: ApiUser;
let otherUser: ApiUser;
before(async () => {
  test = await openTestApp();
  [owner, otherUser] = await test.createUsers(2);
});
after(() => test.close());

/** Has two inputs and one output. */
const COMPONENT = {
  nodes: [
    node('place', 'input:text', { value: 'Lisbon' }),
    node('size', 'input:number', { value: 3 }),
    node('words', 'utility:text_template', { template: '{{place}} {{size}}' }),
    node('slogan', 'output:preview'),
  ],
  edges: [
    edge('place.text > words.place'),
    edge('size.number > words.size'),
    edge('words.text > slogan.input'),
  ],
};
/** COMPONENT without the input `size`, with a second output. */
const COMPONENT_WITHOUT_SIZE = {
  nodes: [...COMPONENT.nodes.filter(({ id }) => id !== 'size'), node('extra', 'output:gallery')],
  edges: COMPONENT.edges.filter(({ source }) => source !== 'size'),
};

const createCall = (id: string, workflowId: string, version: number | 'latest' = 1, config: object = {}) =>
  node(id, 'component:call', { workflowId, version, ...config });

/** A workflow that connects the input `place` and the output `slogan` of the component. */
const toCallerWorkflow = (workflowId: string, version?: number | 'latest', config?: object) => ({
  nodes: [
    node('city', 'input:text', { value: 'Porto' }),
    createCall('c', workflowId, version, config),
    node('out', 'output:preview'),
  ],
  edges: [edge('city.text > c.place'), edge('c.slogan > out.input')],
});
const changeWorkflow = async (user: ApiUser, id: string, body: object): Promise<Workflow> => {
  const { status, body: changed } = await user.request<Workflow>('PUT', `/workflows/${id}`, body);
  assert.equal(status, 200, JSON.stringify(changed));
  return changed;
};
const listCallers = async (user: ApiUser, id: string, query = ''): Promise<CallerPage> => {
  const { status, body } = await user.request<CallerPage>('GET', `/workflows/${id}/callers${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const updateCallers = async (user: ApiUser, id: string, request: object): Promise<UpdateResponse> => {
  const { status, body } = await user.request<UpdateResponse>(
    'POST',
    `/workflows/${id}/callers/update`,
    request,
  );
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const getCallConfig = ({ nodes }: Workflow): Record<string, unknown> =>
  (nodes.find(item => item.id === 'c')?.data.config ?? {}) as Record<string, unknown>;
const getCallVersion = (workflow: Workflow): unknown => getCallConfig(workflow).version;
const countVersions = async (user: ApiUser, id: string): Promise<number> =>
  (await user.request<{ data: object[] }>('GET', `/workflows/${id}/versions`)).body.data.length;

describe('GET /workflows/{id}/interface', () => {
  it('lists inputs of input nodes and outputs of output nodes', async () => {
    const { id } = await createWorkflow(owner, { ...COMPONENT, name: 'Slogan' });
    const { status, body } = await owner.request<Interface>('GET', `/workflows/${id}/interface`);
    assert.equal(status, 200, JSON.stringify(body));
    const toLine = ({ id, label, type }: Port): string => `${id} ${label} ${type}`;
    assert.deepEqual(
      [body.workflowId, body.name, body.version, body.inputs.map(toLine), body.outputs.map(toLine)],
      [id, 'Slogan', 1, ['place place TEXT', 'size size NUMBER'], ['slogan slogan TEXT']],
    );
    assert.deepEqual(
      body.inputs.map(({ name }) => name),
      ['place', 'size'],
    );
  });

  it('returns the interface of the requested version', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    await changeWorkflow(owner, id, COMPONENT_WITHOUT_SIZE);
    const readInterface = async (query: string) =>
      (await owner.request<Interface>('GET', `/workflows/${id}/interface${query}`)).body;
    assert.deepEqual(
      [
        (await readInterface('?version=1')).inputs.length,
        (await readInterface('?version=2')).inputs.length,
        (await readInterface('')).version,
      ],
      [2, 1, 2],
    );
    assertRefused(await owner.request('GET', `/workflows/${id}/interface?version=3`), 404, 'not_found');
    assertRefused(await owner.request('GET', `/workflows/${id}/interface?version=0`), 400, 'invalid_request');
    assertRefused(await owner.request('GET', `/workflows/${newId('workflow')}/interface`), 404, 'not_found');
  });

  it('returns only the published version to visitors', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    assertRefused(await otherUser.request('GET', `/workflows/${id}/interface`), 403, 'forbidden');
    await owner.request('POST', `/workflows/${id}/publish`, { isPublished: true });
    await changeWorkflow(owner, id, COMPONENT_WITHOUT_SIZE);
    const { body } = await otherUser.request<Interface>('GET', `/workflows/${id}/interface`);
    assert.deepEqual([body.version, body.inputs.length], [1, 2]);
    const path = `/workflows/${id}/interface?version=2`;
    assertRefused(await otherUser.request('GET', path), 404, 'not_found');
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    assert.equal((await otherUser.request<Interface>('GET', path)).body.inputs.length, 1);
  });
});

describe('GET /workflows/{id}/callers', () => {
  it('lists each caller once per called version with the calling nodes', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    const caller = await createWorkflow(owner, {
      name: 'Two',
      nodes: [createCall('a', id), createCall('b', id), createCall('l', id, 'latest')],
      edges: [],
    });
    const { data, hidden } = await listCallers(owner, id);
    assert.deepEqual(
      data.map(({ workflowId, name, version, nodeIds, canEdit }) => [
        workflowId,
        name,
        version,
        nodeIds,
        canEdit,
      ]),
      [
        [caller.id, 'Two', 'latest', ['l'], true],
        [caller.id, 'Two', 1, ['a', 'b'], true],
      ],
    );
    assert.equal(hidden, 0);
    const first = await listCallers(owner, id, '?limit=1');
    const second = await listCallers(owner, id, `?limit=1&cursor=${first.nextCursor}`);
    assert.deepEqual([first.data.length, second.data, second.nextCursor], [1, data.slice(1), null]);
  });

  it('counts callers that the user may not read without naming them', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    const ownCaller = await createWorkflow(owner, toCallerWorkflow(id));
    const otherUsersCaller = await createWorkflow(otherUser, toCallerWorkflow(id));
    const listCallerIds = async (user: ApiUser) => {
      const { data, hidden } = await listCallers(user, id);
      return [data.map(({ workflowId, canEdit }) => [workflowId, canEdit]), hidden];
    };
    assert.deepEqual(await listCallerIds(owner), [[[ownCaller.id, true]], 1]);
    assert.deepEqual(await listCallerIds(otherUser), [[[otherUsersCaller.id, true]], 1]);
    // A publication does not reveal the caller, because its public version may not call the component.
    await otherUser.request('POST', `/workflows/${otherUsersCaller.id}/publish`, { isPublished: true });
    assert.deepEqual(await listCallerIds(owner), [[[ownCaller.id, true]], 1]);
    await otherUser.request('POST', `/workflows/${otherUsersCaller.id}/visibility`, {
      linkPermission: 'VIEW',
    });
    assert.deepEqual((await listCallerIds(owner))[1], 0);
    await otherUser.request('DELETE', `/workflows/${otherUsersCaller.id}`);
    assert.deepEqual(await listCallerIds(owner), [[[ownCaller.id, true]], 0]);
    const hidden = await createWorkflow(owner, COMPONENT);
    assertRefused(await otherUser.request('GET', `/workflows/${hidden.id}/callers`), 403, 'forbidden');
  });

  it('omits workflows whose current version no longer calls the component', async () => {
    const { id } = await createWorkflow(owner, { ...COMPONENT, name: 'Counted' });
    const caller = await createWorkflow(owner, toCallerWorkflow(id));
    const list = async (query: string) =>
      (await owner.request<{ id: string; callerCount?: number }[]>('GET', `/workflows?limit=1000&${query}`))
        .body;
    const countCallers = async () => (await list('include=card')).find(row => row.id === id)?.callerCount;
    assert.equal(await countCallers(), 1);
    assert.ok((await list('isComponent=true')).some(row => row.id === id));
    assert.ok(!(await list('isComponent=false')).some(row => row.id === id));
    await changeWorkflow(owner, caller.id, PAIR);
    assert.deepEqual([(await listCallers(owner, id)).data, await countCallers()], [[], 0]);
    assert.ok(!(await list('isComponent=true')).some(row => row.id === id));
  });
});

describe('GET /workflows?callableFrom', () => {
  it('omits workflows that call the given workflow directly or indirectly', async () => {
    const { id } = await createWorkflow(owner, { ...COMPONENT, name: 'Innermost' });
    const middle = await createWorkflow(owner, { ...toCallerWorkflow(id), name: 'Middle' });
    const outer = await createWorkflow(owner, { nodes: [createCall('c', middle.id, 'latest')], edges: [] });
    const chain = [id, middle.id, outer.id];
    const listCallable = async (callerId: string) => {
      const { body } = await owner.request<{ id: string }[]>(
        'GET',
        `/workflows?limit=1000&callableFrom=${callerId}`,
      );
      return chain.filter(id => body.some(row => row.id === id));
    };
    assert.deepEqual(await Promise.all(chain.map(listCallable)), [[], [id], [id, middle.id]]);
    const { status } = await otherUser.request('GET', `/workflows?callableFrom=${id}`);
    assert.equal(status, 403);
  });
});

describe('POST /workflows/{id}/callers/update', () => {
  it('stores a new version of every caller', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    const callers = [
      await createWorkflow(owner, toCallerWorkflow(id)),
      await createWorkflow(owner, toCallerWorkflow(id)),
    ];
    await changeWorkflow(owner, id, {
      nodes: [...COMPONENT.nodes, node('more', 'input:text')],
      edges: COMPONENT.edges,
    });
    const { data } = await updateCallers(owner, id, { version: 2 });
    assert.deepEqual(
      data.map(({ workflowId, outcome, lostPorts }) => [workflowId, outcome, lostPorts]),
      callers.map(caller => [caller.id, 'updated', []]),
    );
    for (const caller of callers) {
      const updated = await readWorkflow(owner, caller.id);
      const config = getCallConfig(updated) as unknown as Interface;
      assert.deepEqual([config.version, config.inputs.map(port => port.id)], [2, ['place', 'size', 'more']]);
      await owner.request('POST', `/workflows/${caller.id}/versions/1/restore`);
      assert.equal(getCallVersion(await readWorkflow(owner, caller.id)), 1);
    }
  });

  it('does not change callers that already call the version', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    const caller = await createWorkflow(owner, toCallerWorkflow(id));
    const { data } = await updateCallers(owner, id, { version: 1 });
    assert.deepEqual([data[0]?.outcome, await countVersions(owner, caller.id)], ['unchanged', 1]);
  });

  it('makes callers follow the latest version', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    const caller = await createWorkflow(owner, toCallerWorkflow(id));
    assert.equal((await updateCallers(owner, id, { version: 'latest' })).data[0]?.outcome, 'updated');
    assert.equal(getCallVersion(await readWorkflow(owner, caller.id)), 'latest');
  });

  it('returns the same result in a dry run without storing it', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    const compatibleCaller = await createWorkflow(owner, toCallerWorkflow(id));
    const incompatibleCaller = await createWorkflow(owner, {
      nodes: [node('n', 'input:number'), ...toCallerWorkflow(id).nodes],
      edges: [edge('n.number > c.size')],
    });
    await changeWorkflow(owner, id, COMPONENT_WITHOUT_SIZE);
    const dryRun = await updateCallers(owner, id, { version: 2, dryRun: true });
    assert.deepEqual(
      [
        await countVersions(owner, compatibleCaller.id),
        getCallVersion(await readWorkflow(owner, compatibleCaller.id)),
      ],
      [1, 1],
    );
    const update = await updateCallers(owner, id, { version: 2 });
    assert.deepEqual(dryRun, update);
    assert.deepEqual(
      update.data.map(({ workflowId, outcome }) => [workflowId, outcome]),
      [
        [compatibleCaller.id, 'updated'],
        [incompatibleCaller.id, 'refused'],
      ],
    );
  });

  it('refuses callers whose edges would lose a port', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    const connectedCaller = await createWorkflow(owner, {
      nodes: [node('n', 'input:number'), ...toCallerWorkflow(id).nodes],
      edges: [edge('n.number > c.size'), edge('c.slogan > out.input')],
    });
    const callerWithValue = await createWorkflow(owner, toCallerWorkflow(id, 1, { values: { size: 5 } }));
    await changeWorkflow(owner, id, COMPONENT_WITHOUT_SIZE);
    const { data } = await updateCallers(owner, id, { version: 2 });
    const [first, second] = data;
    assert.deepEqual(
      [first?.outcome, first?.issues?.map(({ code, nodeId }) => [code, nodeId]), first?.lostPorts.length],
      ['refused', [['lost_port', 'c']], 1],
    );
    assert.deepEqual(
      [second?.outcome, second?.lostPorts.map(({ id, use, reason }) => [id, use, reason])],
      ['updated', [['size', 'value', 'removed']]],
    );
    assert.deepEqual(
      [
        getCallVersion(await readWorkflow(owner, connectedCaller.id)),
        getCallVersion(await readWorkflow(owner, callerWithValue.id)),
      ],
      [1, 2],
    );
  });

  it('refuses callers whose edges would get a port of another type', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    await createWorkflow(owner, toCallerWorkflow(id));
    const place = node('place', 'input:image');
    await changeWorkflow(owner, id, {
      nodes: [place, ...COMPONENT.nodes.filter(item => item.id !== 'place')],
      edges: COMPONENT.edges.filter(({ source }) => source !== 'place'),
    });
    const [caller] = (await updateCallers(owner, id, { version: 2 })).data;
    assert.deepEqual(
      [caller?.outcome, caller?.lostPorts.map(port => [port.id, port.reason])],
      ['refused', [['place', 'type_changed']]],
    );
  });

  it('updates only callers that the user may edit', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    const ownCaller = await createWorkflow(otherUser, toCallerWorkflow(id));
    const readableCaller = await createWorkflow(owner, toCallerWorkflow(id));
    await owner.request('POST', `/workflows/${readableCaller.id}/visibility`, { linkPermission: 'VIEW' });
    await createWorkflow(owner, toCallerWorkflow(id));
    const { data, hidden } = await updateCallers(otherUser, id, { version: 'latest' });
    assert.deepEqual(
      data.map(({ workflowId, outcome, issues }) => [workflowId, outcome, issues?.[0]?.code]),
      [
        [ownCaller.id, 'updated', undefined],
        [readableCaller.id, 'refused', 'forbidden'],
      ],
    );
    assert.equal(hidden, 1);
    const privateComponent = await createWorkflow(owner, COMPONENT);
    assertRefused(
      await otherUser.request('POST', `/workflows/${privateComponent.id}/callers/update`, { version: 1 }),
      403,
      'forbidden',
    );
  });

  it('refuses unknown and invalid versions', async () => {
    const { id } = await createWorkflow(owner, COMPONENT);
    const path = `/workflows/${id}/callers/update`;
    assertRefused(await owner.request('POST', path, { version: 2 }), 404, 'not_found');
    for (const version of [0, 1.5, 'newest', null])
      assertRefused(await owner.request('POST', path, { version }), 400, 'invalid_request');
    assertRefused(await owner.request('POST', path, { version: 1, cursor: 'x' }), 400, 'invalid_request');
  });
});
