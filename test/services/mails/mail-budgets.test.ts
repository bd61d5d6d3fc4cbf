// Tests that mails which others can cause do not use up the budgets of mails that protect an account.
import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { notifyOfPassword } from '../../../src/services/sessions/security-notices.ts';
import { insertMail, type NewMail, recordMailSetUp } from '../../../src/store/mails.ts';
import { insertNotice } from '../../../src/store/notices.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
let user: ApiUser;
before(async () => {
  test = await createTestApp();
  await recordMailSetUp(test.deps.db, true);
});
after(() => test.close());
beforeEach(async () => {
  await test.deps.db.query('delete from mails');
  user = await test.createUser();
});

let count = 0;
const insert = (mail: Partial<NewMail> = {}): Promise<boolean> =>
  insertMail(test.deps.db, {
    userId: user.userId,
    address: user.email,
    account: `user:${user.userId}`,
    kind: 'test',
    cause: `cause ${count++}`,
    content: { subject: 'Hello', paragraphs: [], reason: 'it is a test' },
    ...mail,
  });
const approve = (mayMail = true): Promise<void> =>
  insertNotice(test.deps.db, {
    kind: 'approval_waiting',
    cause: `cause ${count++}`,
    workspace: `user:${user.userId}`,
    userId: user.userId,
    title: 'A picture waits for your approval',
    text: '',
    link: '/approvals',
    mayMail,
  });
const countMails = async (kind: string): Promise<number> =>
  (await test.deps.db.query('select from mails where user_id = $1 and kind = $2', [user.userId, kind]))
    .rowCount ?? 0;

it('an address gets thirty mails an hour, and those about security besides', async () => {
  for (let i = 0; i < 40; i++) await approve();
  assert.equal(await countMails('approval_waiting'), 30);
  assert.equal(await insert({ address: user.email.toUpperCase() }), false);
  await notifyOfPassword(test.deps.db, user.userId);
  assert.equal(await countMails('password_changed'), 1);
  assert.equal(await insert({ isUrgent: true }), true);
});

it('mails about security are limited too, and do not use up the others', async () => {
  for (let i = 0; i < 30; i++) assert.equal(await insert({ isUrgent: true }), true);
  assert.equal(await insert({ isUrgent: true }), false);
  assert.equal(await insert(), true);
});

it('waiting mails of an account and in all are limited, apart from those about security', async () => {
  const fill = (amount: number, account: string) =>
    test.deps.db.query(
      `insert into mails (id, address, account, kind, cause, content, expires_at)
       select 'mail_' || $2 || n, n || '@example.org', $2, 'test', 'c', '{}', now() + interval '1 day'
       from generate_series(1, $1) n`,
      [amount, account],
    );
  await fill(1000, `user:${user.userId}`);
  assert.deepEqual([await insert(), await insert({ account: 'user:0' })], [false, true]);
  assert.equal(await insert({ isUrgent: true }), true);
  await fill(19_000, 'team_1');
  assert.deepEqual([await insert({ account: 'user:0' }), await insert({ isUrgent: true })], [false, true]);
});

it('a notice without a mail budget of its sender is in the bell, also for users who chose mail', async () => {
  await user.request('PUT', '/notices/settings', { approval_waiting: 'mail' });
  await approve(false);
  const { body } = await user.request<{ data: unknown[] }>('GET', '/notices');
  assert.deepEqual([await countMails('approval_waiting'), body.data.length], [0, 1]);
});
