// Tests notices over HTTP: who receives one, one notice per cause, marking notices as read, and the stream. Each cause
// is tested where it occurs.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { insertNotice, type NewNotice } from '../../../src/store/notices.ts';
import type { Client, TestUser } from '../../support/client.ts';
import { type EventStream, openStream } from '../../support/http/sse.ts';
import { waitUntil } from '../../support/processes.ts';
import { startTestService, type TestService } from '../../support/service.ts';

interface Notice {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  readonly link: string | null;
  readonly createdAt: string;
  readonly readAt: string | null;
}
interface Notices {
  readonly data: readonly Notice[];
  readonly nextCursor: string | null;
  readonly unread: number;
}

let service: TestService;
let user: TestUser;
let workspace: string;
before(async () => {
  service = await startTestService();
});
after(() => service.close());
beforeEach(async () => {
  user = await newUser();
  workspace = `user:${user.userId}`;
});

const newUser = (): Promise<TestUser> =>
  service.createUser({ keyScopes: ['workflows:read', 'account:admin'] });

const tell = (more: Partial<NewNotice> = {}): Promise<void> =>
  insertNotice(service.db, {
    kind: 'schedule_paused',
    cause: 'sch_1',
    workspace,
    userId: null,
    title: 'A schedule paused',
    text: 'It has failed five times in a row.',
    link: '/automations',
    ...more,
  });
const list = async (caller: Pick<Client, 'request'>, query = ''): Promise<Notices> => {
  const { status, body } = await caller.request<Notices>('GET', `/notices${query}`);
  assert.equal(status, 200);
  return body;
};
const read = (caller: Pick<Client, 'request'>, body: object) =>
  caller.request<{ unread: number }>('POST', '/notices/read', body);

describe('a notice', () => {
  it('reaches the user of a personal workspace', async () => {
    await tell();
    const { data, nextCursor, unread } = await list(user);
    assert.deepEqual([data.length, nextCursor, unread], [1, null, 1]);
    const { id, createdAt, ...rest } = data[0] as Notice;
    assert.match(id, /^ntc_/);
    assert.ok(Math.abs(Date.parse(createdAt) - Date.now()) < 600_000);
    assert.deepEqual(rest, {
      kind: 'schedule_paused',
      title: 'A schedule paused',
      text: 'It has failed five times in a row.',
      link: '/automations',
      readAt: null,
    });
  });

  it('reaches the creator and the owners of a team once each, and nobody else', async () => {
    const [owner, editor, stranger] = [await newUser(), await newUser(), await newUser()];
    const { rows } = await service.db.query<{ id: string }>(
      `insert into teams (id, name) values ('team_' || gen_random_uuid(), 'T') returning id`,
    );
    const team = rows[0]?.id ?? '';
    await service.db.query(
      `insert into team_members (team_id, user_id, role) values ($1, $2, 'OWNER'), ($1, $3, 'EDITOR')`,
      [team, owner.userId, editor.userId],
    );
    await tell({ workspace: team, userId: owner.userId });
    await tell({ workspace: team, userId: user.userId, cause: 'sch_2' });
    const counts = await Promise.all(
      [owner, user, editor, stranger].map(async caller => (await list(caller)).unread),
    );
    assert.deepEqual(counts, [2, 1, 0, 0]);
    await owner.request('DELETE', `/teams/${team}`);
    assert.equal((await list(user)).data.length, 0, 'notices of a deleted team are deleted');
  });

  it('about the instance reaches its administrators', async () => {
    const { rows } = await service.db.query<{ id: number }>(
      'select id from users where is_admin order by id',
    );
    await tell({ workspace: null, cause: user.userId.toString() });
    const told = await service.db.query<{ user_id: number }>(
      'select user_id from notices where cause = $1 order by user_id',
      [user.userId.toString()],
    );
    assert.deepEqual(
      told.rows.map(({ user_id }) => user_id),
      rows.map(({ id }) => id),
    );
    assert.ok(rows.length > 0);
  });

  it('about the same cause is sent once until it is read', async () => {
    await Promise.all(Array.from({ length: 10 }, () => tell()));
    await tell({ kind: 'trigger_paused' });
    assert.equal((await list(user)).unread, 2);
    await read(user, { all: true });
    await tell();
    assert.deepEqual([(await list(user)).unread, (await list(user)).data.length], [1, 3]);
  });

  it('is rolled back with the transaction of its cause', async () => {
    const failed = service.db.transaction(async tx => {
      await insertNotice(tx, {
        kind: 'batch_stopped',
        cause: 'bat_1',
        workspace,
        userId: null,
        title: 'T',
        text: 'T',
        link: null,
      });
      throw new Error('rolled back');
    });
    await assert.rejects(failed, /rolled back/);
    assert.equal((await list(user)).unread, 0);
  });
});

describe('GET /notices', () => {
  it('pages newest first and filters by unread', async () => {
    for (const cause of ['a', 'b', 'c']) {
      await tell({ cause, title: cause });
      // The ids of notices from the same millisecond have no defined order.
      await sleep(2);
    }
    const first = await list(user, '?limit=2');
    assert.deepEqual(
      first.data.map(({ title }) => title),
      ['c', 'b'],
    );
    const second = await list(user, `?limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([second.data.map(({ title }) => title), second.nextCursor], [['a'], null]);
    assert.equal((await read(user, { ids: [first.data[0]?.id] })).body.unread, 2);
    assert.deepEqual(
      (await list(user, '?unread=true')).data.map(({ title }) => title),
      ['b', 'a'],
    );
    assert.deepEqual(
      (await list(user, '?unread=false')).data.map(({ title }) => title),
      ['c'],
    );
  });

  it('needs a caller', async () => {
    const { status } = await fetch(`${service.url}/api/v1/notices`);
    assert.equal(status, 401);
  });
});

describe('POST /notices/read', () => {
  it('leaves the notices of other users unread', async () => {
    const otherUser = await newUser();
    await tell({ workspace: `user:${otherUser.userId}`, userId: user.userId });
    const [mine] = (await list(user)).data;
    assert.equal((await read(user, { ids: [mine?.id, 'ntc_unknown'] })).body.unread, 0);
    assert.equal((await list(otherUser)).unread, 1);
    assert.notEqual((await list(user)).data[0]?.readAt, null);
  });

  it('returns 400 unless it gets either ids or all', async () => {
    for (const body of [{}, { ids: ['ntc_1'], all: true }])
      assert.equal((await read(user, body)).status, 400);
    assert.equal((await read(user, { all: false })).status, 400);
  });
});

describe('GET /notices/events', () => {
  it('streams new notices and the number of unread ones', async () => {
    await tell({ cause: 'old' });
    const stream = await openStream(`${service.url}/api/v1/notices/events`, {
      authorization: `Bearer ${user.key}`,
    });
    const until = (what: string, has: (events: EventStream['events']) => boolean) =>
      waitUntil(what, async () => has(stream.events));
    await until('the first number', events => events.length === 1);
    assert.deepEqual(stream.events[0], { event: 'unread', id: undefined, data: { unread: 1 } });
    await tell({ cause: 'new', title: 'New' });
    await until('the new notice', events => events.length === 3);
    assert.deepEqual(
      stream.events.slice(1).map(({ event, data }) => [event, data.title ?? data.unread]),
      [
        ['notice', 'New'],
        ['unread', 2],
      ],
    );
    await read(user, { all: true });
    await until('the number after reading', events => events.at(-1)?.data.unread === 0);
    stream.hangUp();
    await stream.closed;
  });
});
