// Tests how users receive notices: in the bell, by mail, both, or not at all.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { insertMail, recordMailSetUp } from '../../../src/store/mails.ts';
import { insertNotice, type NewNotice, NOTICE_KINDS } from '../../../src/store/notices.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
let user: ApiUser;
before(async () => {
  test = await createTestApp();
});
after(() => test.close());
beforeEach(async () => {
  user = await test.createUser();
  await recordMailSetUp(test.deps.db, true);
});

const notify = (overrides: Partial<NewNotice> = {}): Promise<void> =>
  insertNotice(test.deps.db, {
    kind: 'schedule_paused',
    cause: 'sch_1',
    workspace: `user:${user.userId}`,
    userId: user.userId,
    title: 'A schedule paused',
    text: 'It failed five times in a row.',
    link: '/automations',
    ...overrides,
  });
const choose = (settings: object) => user.request('PUT', '/notices/settings', settings);
const count = async (): Promise<{ bell: number; mail: number; jobs: number }> => {
  const { rows } = await test.deps.db.query<{ bell: number; mail: number; jobs: number }>(
    `select (select count(*)::int from notices where user_id = $1) as bell,
       (select count(*)::int from mails where user_id = $1) as mail,
       (select count(*)::int from graphile_worker._private_jobs j join mails m on m.id = j.payload ->> 'id'
        where m.user_id = $1) as jobs`,
    [user.userId],
  );
  return rows[0] as { bell: number; mail: number; jobs: number };
};

describe('the settings of notices', () => {
  it('have a default for each kind, and are replaced as a whole', async () => {
    const { body: defaults } = await user.request('GET', '/notices/settings');
    assert.deepEqual(Object.keys(defaults), NOTICE_KINDS);
    assert.equal(defaults.schedule_paused, 'both');
    const changed = await choose({ schedule_paused: 'none', batch_stopped: 'mail' });
    assert.deepEqual(changed.body, { ...defaults, schedule_paused: 'none', batch_stopped: 'mail' });
    const { body: reset } = await choose({});
    assert.deepEqual(reset, defaults);
  });

  it('do not turn off mails about the security of the account', async () => {
    for (const delivery of ['none', 'bell']) {
      const { status, body } = await choose({ new_browser: delivery });
      assert.equal(status, 400);
      assert.match(JSON.stringify(body), /new_browser/);
    }
    assert.equal((await choose({ new_browser: 'mail' })).status, 200);
  });

  it('are not found without a credential, and reject unknown kinds and values', async () => {
    assert.equal((await test.anonymous.request('GET', '/notices/settings')).status, 401);
    assert.equal((await choose({ nonsense: 'bell' })).status, 400);
    assert.equal((await choose({ schedule_paused: 'pigeon' })).status, 400);
  });
});

describe('a notice', () => {
  it('reaches a user as the user has chosen', async () => {
    for (const [delivery, expected] of [
      ['both', { bell: 1, mail: 1, jobs: 1 }],
      ['none', { bell: 1, mail: 1, jobs: 1 }],
      ['mail', { bell: 1, mail: 2, jobs: 2 }],
      ['bell', { bell: 2, mail: 2, jobs: 2 }],
    ] as const) {
      await choose({ schedule_paused: delivery });
      await notify({ cause: delivery });
      assert.deepEqual(await count(), expected, delivery);
    }
  });

  it('of the same cause is mailed once until the notice is read, or once a day without a notice', async () => {
    await notify();
    await notify();
    assert.deepEqual(await count(), { bell: 1, mail: 1, jobs: 1 });
    await user.request('POST', '/notices/read', { all: true });
    await notify();
    assert.deepEqual(await count(), { bell: 2, mail: 2, jobs: 2 });
    await choose({ schedule_paused: 'mail' });
    await notify({ cause: 'sch_2' });
    await notify({ cause: 'sch_2' });
    assert.deepEqual(await count(), { bell: 2, mail: 3, jobs: 3 });
  });

  it('is in the bell if no mail is set up, also for users who want only mail', async () => {
    await choose({ schedule_paused: 'mail' });
    await recordMailSetUp(test.deps.db, false);
    await notify();
    assert.deepEqual(await count(), { bell: 1, mail: 0, jobs: 0 });
  });

  it('is in the bell if the address got too many mails in the last hour', async () => {
    await choose({ schedule_paused: 'mail' });
    for (let i = 0; i < 40; i++) await notify({ cause: `sch_${i}` });
    const { bell, mail } = await count();
    assert.deepEqual([bell + mail, mail], [40, 30]);
  });

  it('is not mailed if its transaction is rolled back', async () => {
    const error = new Error('rolled back');
    await assert.rejects(
      test.deps.db.transaction(async tx => {
        await insertNotice(tx, {
          kind: 'schedule_paused',
          cause: 'sch_1',
          workspace: `user:${user.userId}`,
          userId: null,
          title: 'T',
          text: 'T',
          link: null,
        });
        throw error;
      }),
      error,
    );
    assert.deepEqual(await count(), { bell: 0, mail: 0, jobs: 0 });
  });
});

describe('a mail', () => {
  it('is stored once for each id, and not if too many mails of its account wait', async () => {
    const content = { subject: 'S', paragraphs: [], reason: 'it is a test' };
    const mail = { userId: null, account: `user:${user.userId}`, kind: 'test', cause: 'c', content };
    const first = { ...mail, id: `mail_once_${user.userId}`, address: 'once@example.com' };
    assert.equal(await insertMail(test.deps.db, first), true);
    assert.equal(await insertMail(test.deps.db, first), false);
    await test.deps.db.query(
      `insert into mails (id, address, account, kind, cause, content, expires_at)
       select 'mail_many_' || n, n || '@example.com', $1, 'test', 'c', '{}', now() + interval '1 day' from generate_series(1, 999) n`,
      [mail.account],
    );
    assert.equal(await insertMail(test.deps.db, { ...mail, address: 'more@example.com' }), false);
    assert.equal(
      await insertMail(test.deps.db, { ...mail, address: 'more@example.com', account: 'another' }),
      true,
    );
  });
});
