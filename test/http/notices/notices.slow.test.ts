// Tests notices over HTTP: recipients, one unread notice per cause, marking notices as read, and the event stream. The
// tests of each feature cover the causes of notices.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { TIMING } from '../../../src/lib/timing.ts';
import { createChangeHub } from '../../../src/services/change-hub.ts';
import { followNotices } from '../../../src/services/notices/notices.ts';
import type { Db } from '../../../src/store/db.ts';
import { getNoticeStreamKey, insertNotice, type NewNotice } from '../../../src/store/notices.ts';
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
  user = await createUser();
  workspace = `user:${user.userId}`;
});

const createUser = (): Promise<TestUser> =>
  service.createUser({ keyScopes: ['workflows:read', 'account:admin'] });

const sendNotice = (overrides: Partial<NewNotice> = {}): Promise<void> =>
  insertNotice(service.db, {
    kind: 'schedule_paused',
    cause: 'sch_1',
    workspace,
    userId: null,
    title: 'A schedule paused',
    text: 'It has failed five times in a row.',
    link: '/automations',
    ...overrides,
  });
const list = async (caller: Pick<Client, 'request'>, query = ''): Promise<Notices> => {
  const { status, body } = await caller.request<Notices>('GET', `/notices${query}`);
  assert.equal(status, 200);
  return body;
};
const markAsRead = (caller: Pick<Client, 'request'>, body: object) =>
  caller.request<{ unread: number }>('POST', '/notices/read', body);

describe('a notice', () => {
  it('is sent to the user of a personal workspace', async () => {
    await sendNotice();
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

  it('is sent once to the creator and to each owner of the team', async () => {
    const [owner, editor, stranger] = [await createUser(), await createUser(), await createUser()];
    const { rows } = await service.db.query<{ id: string }>(
      `insert into teams (id, name) values ('team_' || gen_random_uuid(), 'T') returning id`,
    );
    const team = rows[0]?.id ?? '';
    await service.db.query(
      `insert into team_members (team_id, user_id, role) values ($1, $2, 'OWNER'), ($1, $3, 'EDITOR')`,
      [team, owner.userId, editor.userId],
    );
    await sendNotice({ workspace: team, userId: owner.userId });
    await sendNotice({ workspace: team, userId: user.userId, cause: 'sch_2' });
    const counts = await Promise.all(
      [owner, user, editor, stranger].map(async caller => (await list(caller)).unread),
    );
    assert.deepEqual(counts, [2, 1, 0, 0]);
    await owner.request('DELETE', `/teams/${team}`);
    assert.equal((await list(user)).data.length, 0, 'notices of a deleted team are deleted');
  });

  it('about the instance is sent to every administrator', async () => {
    const { rows } = await service.db.query<{ id: number }>(
      'select id from users where is_admin order by id',
    );
    await sendNotice({ workspace: null, cause: user.userId.toString() });
    const notices = await service.db.query<{ user_id: number }>(
      'select user_id from notices where cause = $1 order by user_id',
      [user.userId.toString()],
    );
    assert.deepEqual(
      notices.rows.map(({ user_id }) => user_id),
      rows.map(({ id }) => id),
    );
    assert.ok(rows.length > 0);
  });

  it('is sent again for the same cause only after the user read the notice', async () => {
    await Promise.all(Array.from({ length: 10 }, () => sendNotice()));
    await sendNotice({ kind: 'trigger_paused' });
    assert.equal((await list(user)).unread, 2);
    await markAsRead(user, { all: true });
    await sendNotice();
    assert.deepEqual([(await list(user)).unread, (await list(user)).data.length], [1, 3]);
  });

  it('is rolled back with its transaction', async () => {
    const transaction = service.db.transaction(async tx => {
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
    await assert.rejects(transaction, /rolled back/);
    assert.equal((await list(user)).unread, 0);
  });
});

describe('GET /notices', () => {
  it('pages through notices and filters by unread', async () => {
    for (const cause of ['a', 'b', 'c']) {
      await sendNotice({ cause, title: cause });
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
    assert.equal((await markAsRead(user, { ids: [first.data[0]?.id] })).body.unread, 2);
    assert.deepEqual(
      (await list(user, '?unread=true')).data.map(({ title }) => title),
      ['b', 'a'],
    );
    assert.deepEqual(
      (await list(user, '?unread=false')).data.map(({ title }) => title),
      ['c'],
    );
  });

  it('returns 401 to anonymous callers', async () => {
    const { status } = await fetch(`${service.url}/api/v1/notices`);
    assert.equal(status, 401);
  });
});

describe('POST /notices/read', () => {
  it('marks only notices of the caller as read', async () => {
    const otherUser = await createUser();
    await sendNotice({ workspace: `user:${otherUser.userId}`, userId: user.userId });
    const [ownNotice] = (await list(user)).data;
    assert.equal((await markAsRead(user, { ids: [ownNotice?.id, 'ntc_unknown'] })).body.unread, 0);
    assert.equal((await list(otherUser)).unread, 1);
    assert.notEqual((await list(user)).data[0]?.readAt, null);
  });

  it('returns 400 unless the body has either ids or all', async () => {
    for (const body of [{}, { ids: ['ntc_1'], all: true }])
      assert.equal((await markAsRead(user, body)).status, 400);
    assert.equal((await markAsRead(user, { all: false })).status, 400);
  });
});

describe('GET /notices/events', () => {
  it('streams new notices and the number of unread notices', async () => {
    await sendNotice({ cause: 'old' });
    const stream = await openStream(`${service.url}/api/v1/notices/events`, {
      authorization: `Bearer ${user.key}`,
    });
    const waitForEvents = (description: string, isComplete: (events: EventStream['events']) => boolean) =>
      waitUntil(description, async () => isComplete(stream.events));
    await waitForEvents('the first number', events => events.length === 1);
    assert.deepEqual(stream.events[0], { event: 'unread', id: undefined, data: { unread: 1 } });
    await sendNotice({ cause: 'new', title: 'New' });
    await waitForEvents('the new notice', events => events.length === 3);
    assert.deepEqual(
      stream.events.slice(1).map(({ event, data }) => [event, data.title ?? data.unread]),
      [
        ['notice', 'New'],
        ['unread', 2],
      ],
    );
    await markAsRead(user, { all: true });
    await waitForEvents('the number after reading', events => events.at(-1)?.data.unread === 0);
    stream.hangUp();
    await stream.closed;
  });

  it('streams a notice before the number that includes it, even if it arrives between two reads', async () => {
    let queryCount = 0;
    const db = {
      ...service.db,
      query: async (...args: Parameters<Db['query']>) => {
        const result = await service.db.query(...args);
        // The first change makes the stream read for the fourth time.
        if (++queryCount === 4) await sendNotice();
        return result;
      },
    } as Db;
    const changeHub = createChangeHub();
    const actor = {
      kind: 'user',
      userId: user.userId,
      credential: { kind: 'key', id: 'key_1' },
      scopes: new Set([]),
      accountPlan: 'free',
    } as const;
    const stream = followNotices(
      { db, changeHub, timing: TIMING, now: Date.now },
      actor,
      AbortSignal.timeout(60_000),
    );
    const events: unknown[] = [];
    while (events.length < 3) {
      events.push((await stream.next()).value?.event);
      changeHub.notify(getNoticeStreamKey(user.userId));
    }
    await stream.return(undefined);
    assert.deepEqual(events, ['unread', 'notice', 'unread']);
  });
});
