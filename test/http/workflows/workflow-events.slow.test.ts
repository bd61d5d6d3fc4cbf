// Tests workflow events over real sockets and two processes: changes, presence, and the end of the stream.
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
let other: Awaited<ReturnType<TestService['startAnother']>>;
let people = 0;
before(async () => {
  service = await startTestService();
  other = await service.startAnother({ ROLE: 'api' });
});
after(async () => {
  await other.close();
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
const follow = (id: string, key = KEY, url = service.url): Promise<EventStream> =>
  openStream(`${url}/api/v1/workflows/${id}/events`, { authorization: `Bearer ${key}` });
const last = ({ events }: EventStream, name: string): ServerEvent['data'] | undefined =>
  events.findLast(({ event }) => event === name)?.data;
const getUsers = (stream: EventStream): readonly unknown[] =>
  ((last(stream, 'presence')?.users ?? []) as { userId: number; sessions: number }[]).map(
    ({ userId, sessions }) => [userId, sessions],
  );
const create = async (): Promise<string> =>
  (await call<{ id: string }>('POST', '/workflows', { name: 'W', ...PAIR })).body.id;
const createPerson = async (): Promise<Person> =>
  (
    await call<Person>('POST', '/admin/users', {
      email: `follower-${people++}@example.com`,
      name: 'Ana',
      keyScopes: ['workflows:read', 'workflows:write'],
    })
  ).body;
/** A workflow visible by link, followed by its owner, by a user with a share, and by an unrelated user. */
const followThree = async () => {
  const id = await create();
  const [viewer, otherUser] = [await createPerson(), await createPerson()];
  await call('PUT', `/workflows/${id}/permissions`, { userId: viewer.userId, role: 'VIEW' });
  await call('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
  const ownEvents = await follow(id);
  const theirs = await follow(id, viewer.apiKey, other.url);
  return {
    id,
    viewer,
    stranger: otherUser,
    own: ownEvents,
    theirs,
    foreign: await follow(id, otherUser.apiKey),
  };
};
const until = (isSo: () => boolean) => waitUntil('the events have come', async () => isSo());

describe('the events of a workflow', () => {
  it('start with the current state and report each change, by any user and through any process', async () => {
    const id = await create();
    const editor = await createPerson();
    await call('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
    const streams = [await follow(id), await follow(id, KEY, other.url)];
    await until(() => streams.every(stream => last(stream, 'presence') !== undefined));
    assert.equal(last(streams[0] as EventStream, 'changed')?.version, 1);
    const { body } = await call<{ updatedAt: string }>(
      'PUT',
      `/workflows/${id}`,
      { nodes: [PAIR.nodes[0]], edges: [] },
      editor.apiKey,
    );
    await until(() => streams.every(stream => last(stream, 'changed')?.version === 2));
    for (const stream of streams) {
      assert.deepEqual(last(stream, 'changed'), {
        version: 2,
        updatedAt: body.updatedAt,
        userId: editor.userId,
        sessionId: null,
      });
      stream.hangUp();
    }
  });

  it('show members who is present, and unrelated users of a public workflow nobody', async () => {
    const { id, viewer, own, theirs, foreign } = await followThree();
    const both = [
      [1, 1],
      [viewer.userId, 1],
    ];
    await until(() => getUsers(own).length === 2 && getUsers(theirs).length === 2);
    assert.deepEqual([getUsers(own), getUsers(theirs), getUsers(foreign)], [both, both, []]);
    const second = await follow(id);
    await until(() => JSON.stringify(getUsers(theirs)) === JSON.stringify([[1, 2], both[1]]));
    second.hangUp();
    own.hangUp();
    await until(() => JSON.stringify(getUsers(theirs)) === JSON.stringify([both[1]]));
    assert.equal(last(foreign, 'changed')?.version, 1);
    for (const stream of [theirs, foreign]) stream.hangUp();
    await waitUntil('all streams are forgotten', async () => {
      const { rows } = await service.db.query('select from workflow_followers where workflow_id = $1', [id]);
      return rows.length === 0;
    });
  });

  it('show members what each of them has selected, and hide the selections of unrelated users', async () => {
    const { viewer, stranger, id, own, theirs, foreign } = await followThree();
    const select = (nodeIds: readonly string[], key = KEY) =>
      call('PUT', `/workflows/${id}/selection`, { nodeIds }, key);
    const selectedIn = (stream: EventStream): string =>
      JSON.stringify(
        ((last(stream, 'presence')?.users ?? []) as { selected: unknown }[]).map(item => item.selected),
      );
    await until(() => getUsers(own).length === 2 && getUsers(theirs).length === 2);
    assert.equal((await select(['a', 'b'], viewer.apiKey)).status, 200);
    assert.equal((await select(['z'], stranger.apiKey)).status, 200);
    await select(['c']);
    const both = JSON.stringify([['c'], ['a', 'b']]);
    await until(() => selectedIn(own) === both && selectedIn(theirs) === both);
    await select([]);
    await until(() => selectedIn(theirs) === JSON.stringify([[], ['a', 'b']]));
    assert.deepEqual(getUsers(foreign), []);
    assert.equal((await select(Array.from({ length: 21 }, () => 'a'))).status, 400);
    for (const stream of [own, theirs, foreign]) stream.hangUp();
  });

  it('end when the workflow is deleted or becomes unreadable', async () => {
    const [kept, deleted] = [await create(), await create()];
    const viewer = await createPerson();
    await call('PUT', `/workflows/${kept}/permissions`, { userId: viewer.userId, role: 'VIEW' });
    const [gone, shut] = [await follow(deleted), await follow(kept, viewer.apiKey)];
    await until(() => gone.events.length === 2 && shut.events.length === 2);
    await call('DELETE', `/workflows/${deleted}`);
    await gone.closed;
    await call('DELETE', `/workflows/${kept}/permissions/${viewer.userId}`);
    await call('PUT', `/workflows/${kept}`, { name: 'Private' });
    await shut.closed;
    assert.equal(last(shut, 'changed')?.version, 1);
  });

  it('are for users who may read', async () => {
    const id = await create();
    const otherUser = await createPerson();
    const getStatus = async (of: string, key?: string): Promise<number> => (await follow(of, key)).status;
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

  it('end within seconds when their key is revoked, and continue for others', async () => {
    const id = await create();
    const key = (
      await call<{ id: string; key: string }>('POST', '/keys', { name: 'K', scopes: ['workflows:read'] })
    ).body;
    const [theirs, ours] = [await follow(id, key.key), await follow(id)];
    await until(() => last(theirs, 'presence') !== undefined && last(ours, 'presence') !== undefined);
    await call('DELETE', `/keys/${key.id}`);
    await theirs.closed;
    assert.equal((await follow(id, key.key)).status, 401);
    await call('PUT', `/workflows/${id}`, { name: 'Later' });
    await until(() => last(ours, 'changed')?.version === 2 || ours.events.length > 2);
    ours.hangUp();
  });
});
