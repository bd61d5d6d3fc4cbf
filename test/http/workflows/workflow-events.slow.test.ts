// Tests workflow events over real sockets with two processes: changes, presence, and the end of the stream.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EventStream, openStream, type ServerEvent } from '../../support/http/sse.ts';
import { waitUntil } from '../../support/processes.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { PAIR } from '../../support/workflows.ts';

interface Person {
  readonly userId: number;
  readonly apiKey: string;
}

let service: TestService;
let otherProcess: Awaited<ReturnType<TestService['startAnother']>>;
let personCount = 0;
before(async () => {
  service = await startTestService();
  otherProcess = await service.startAnother({ ROLE: 'api' });
});
after(async () => {
  await otherProcess.close();
  await service.close();
});

const call = async <B>(
  method: string,
  path: string,
  body?: object,
  key = KEY,
): Promise<{ status: number; body: B }> => {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as B };
};
const openEvents = (id: string, key = KEY, url = service.url): Promise<EventStream> =>
  openStream(`${url}/api/v1/workflows/${id}/events`, { authorization: `Bearer ${key}` });
const findLastData = ({ events }: EventStream, name: string): ServerEvent['data'] | undefined =>
  events.findLast(({ event }) => event === name)?.data;
const getUsers = (stream: EventStream): readonly unknown[] =>
  ((findLastData(stream, 'presence')?.users ?? []) as { userId: number; sessions: number }[]).map(
    ({ userId, sessions }) => [userId, sessions],
  );
const create = async (): Promise<string> =>
  (await call<{ id: string }>('POST', '/workflows', { name: 'W', ...PAIR })).body.id;
const createPerson = async (): Promise<Person> =>
  (
    await call<Person>('POST', '/admin/users', {
      email: `follower-${personCount++}@example.com`,
      name: 'Ana',
      keyScopes: ['workflows:read', 'workflows:write'],
    })
  ).body;
/** Opens the events of a workflow with link access as the owner, as a user with a share, and as an unrelated user. */
const openThreeStreams = async () => {
  const id = await create();
  const [viewer, otherUser] = [await createPerson(), await createPerson()];
  await call('PUT', `/workflows/${id}/permissions`, { userId: viewer.userId, role: 'VIEW' });
  await call('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
  const ownerStream = await openEvents(id);
  const viewerStream = await openEvents(id, viewer.apiKey, otherProcess.url);
  return {
    id,
    viewer,
    stranger: otherUser,
    ownerStream,
    viewerStream,
    strangerStream: await openEvents(id, otherUser.apiKey),
  };
};
const waitForEvents = (isComplete: () => boolean) => waitUntil('the events', async () => isComplete());

describe('GET /workflows/{id}/events', () => {
  it('streams the current version and changes by any user and process', async () => {
    const id = await create();
    const editor = await createPerson();
    await call('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
    const streams = [await openEvents(id), await openEvents(id, KEY, otherProcess.url)];
    await waitForEvents(() => streams.every(stream => findLastData(stream, 'presence') !== undefined));
    assert.equal(findLastData(streams[0] as EventStream, 'changed')?.version, 1);
    const { body } = await call<{ updatedAt: string }>(
      'PUT',
      `/workflows/${id}`,
      { nodes: [PAIR.nodes[0]], edges: [] },
      editor.apiKey,
    );
    await waitForEvents(() => streams.every(stream => findLastData(stream, 'changed')?.version === 2));
    for (const stream of streams) {
      assert.deepEqual(findLastData(stream, 'changed'), {
        version: 2,
        updatedAt: body.updatedAt,
        userId: editor.userId,
        sessionId: null,
      });
      stream.hangUp();
    }
  });

  it('streams who is present only to users with access by role', async () => {
    const { id, viewer, ownerStream, viewerStream, strangerStream } = await openThreeStreams();
    const both = [
      [1, 1],
      [viewer.userId, 1],
    ];
    await waitForEvents(() => getUsers(ownerStream).length === 2 && getUsers(viewerStream).length === 2);
    assert.deepEqual(
      [getUsers(ownerStream), getUsers(viewerStream), getUsers(strangerStream)],
      [both, both, []],
    );
    const secondOwnerStream = await openEvents(id);
    await waitForEvents(() => JSON.stringify(getUsers(viewerStream)) === JSON.stringify([[1, 2], both[1]]));
    secondOwnerStream.hangUp();
    ownerStream.hangUp();
    await waitForEvents(() => JSON.stringify(getUsers(viewerStream)) === JSON.stringify([both[1]]));
    assert.equal(findLastData(strangerStream, 'changed')?.version, 1);
    for (const stream of [viewerStream, strangerStream]) stream.hangUp();
    await waitUntil('the deletion of all followers', async () => {
      const { rows } = await service.db.query('select from workflow_followers where workflow_id = $1', [id]);
      return rows.length === 0;
    });
  });

  it('streams selections of users with access by role', async () => {
    const { viewer, stranger, id, ownerStream, viewerStream, strangerStream } = await openThreeStreams();
    const select = (nodeIds: readonly string[], key = KEY) =>
      call('PUT', `/workflows/${id}/selection`, { nodeIds }, key);
    const formatSelections = (stream: EventStream): string =>
      JSON.stringify(
        ((findLastData(stream, 'presence')?.users ?? []) as { selected: unknown }[]).map(
          item => item.selected,
        ),
      );
    await waitForEvents(() => getUsers(ownerStream).length === 2 && getUsers(viewerStream).length === 2);
    assert.equal((await select(['a', 'b'], viewer.apiKey)).status, 200);
    assert.equal((await select(['z'], stranger.apiKey)).status, 200);
    await select(['c']);
    const both = JSON.stringify([['c'], ['a', 'b']]);
    await waitForEvents(
      () => formatSelections(ownerStream) === both && formatSelections(viewerStream) === both,
    );
    await select([]);
    await waitForEvents(() => formatSelections(viewerStream) === JSON.stringify([[], ['a', 'b']]));
    assert.deepEqual(getUsers(strangerStream), []);
    assert.equal((await select(Array.from({ length: 21 }, () => 'a'))).status, 400);
    for (const stream of [ownerStream, viewerStream, strangerStream]) stream.hangUp();
  });

  it('ends if the workflow is deleted or becomes unreadable', async () => {
    const [keptId, deletedId] = [await create(), await create()];
    const viewer = await createPerson();
    await call('PUT', `/workflows/${keptId}/permissions`, { userId: viewer.userId, role: 'VIEW' });
    const [deletedStream, forbiddenStream] = [
      await openEvents(deletedId),
      await openEvents(keptId, viewer.apiKey),
    ];
    await waitForEvents(() => deletedStream.events.length === 2 && forbiddenStream.events.length === 2);
    await call('DELETE', `/workflows/${deletedId}`);
    await deletedStream.closed;
    await call('DELETE', `/workflows/${keptId}/permissions/${viewer.userId}`);
    await call('PUT', `/workflows/${keptId}`, { name: 'Private' });
    await forbiddenStream.closed;
    assert.equal(findLastData(forbiddenStream, 'changed')?.version, 1);
  });

  it('returns 401, 403 and 404 without read access', async () => {
    const id = await create();
    const otherUser = await createPerson();
    const getStatus = async (workflowId: string, key?: string): Promise<number> =>
      (await openEvents(workflowId, key)).status;
    assert.deepEqual(
      [
        await getStatus(id, otherUser.apiKey),
        await getStatus('wf_none'),
        await getStatus(id, 'sk-wrong-0123456789'),
      ],
      [403, 404, 401],
    );
    const head = await fetch(`${service.url}/api/v1/workflows/${id}/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${KEY}` },
    });
    assert.deepEqual(
      [head.status, head.headers.get('content-type')],
      [200, 'text/event-stream; charset=utf-8'],
    );
  });

  it('ends within seconds after the API key was revoked', async () => {
    const id = await create();
    const key = (
      await call<{ id: string; key: string }>('POST', '/keys', { name: 'K', scopes: ['workflows:read'] })
    ).body;
    const [revokedStream, ownerStream] = [await openEvents(id, key.key), await openEvents(id)];
    await waitForEvents(
      () =>
        findLastData(revokedStream, 'presence') !== undefined &&
        findLastData(ownerStream, 'presence') !== undefined,
    );
    await call('DELETE', `/keys/${key.id}`);
    await revokedStream.closed;
    assert.equal((await openEvents(id, key.key)).status, 401);
    await call('PUT', `/workflows/${id}`, { nodes: [PAIR.nodes[0]], edges: [] });
    await waitForEvents(() => findLastData(ownerStream, 'changed')?.version === 2);
    ownerStream.hangUp();
  });
});
