// Tests that people find what others share with them: the list of shared workflows, its marks, and the notice.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { mayMailInvitation } from '../../../src/services/accounts/mailed-invitations.ts';
import { notifyInvitee } from '../../../src/services/accounts/permissions.ts';
import { recordMailSetUp } from '../../../src/store/mails.ts';
import { joinTeam } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused, createWorkflow, putWorkflow } from '../../support/workflows.ts';

interface SharedWorkflow {
  readonly id: string;
  readonly userRole?: string;
  readonly sharedBy?: { readonly userId: number; readonly name: string };
  readonly sharedAt?: string;
  readonly isNew?: boolean;
}

interface Notice {
  readonly kind: string;
  readonly title: string;
  readonly text: string;
  readonly link: string;
}

let test: TestApp;
let dana: ApiUser;
let eli: ApiUser;
let id: string;
before(async () => {
  test = await createTestApp();
});
after(() => test.close());
beforeEach(async () => {
  [dana, eli] = await test.createUsers(2);
  ({ id } = await createWorkflow(dana, { name: 'Poster' }));
});

const list = async (user: ApiUser, query = ''): Promise<readonly SharedWorkflow[]> =>
  (await user.request<SharedWorkflow[]>('GET', `/workflows?shared=true${query}`)).body;
const invite = async (person: object, role = 'VIEW', by = dana): Promise<void> => {
  const { status } = await by.request('PUT', `/workflows/${id}/permissions`, { ...person, role });
  assert.equal(status, 200);
};
const readName = async ({ userId }: ApiUser): Promise<string> => {
  const { rows } = await test.deps.db.query<{ name: string }>('select name from users where id = $1', [
    userId,
  ]);
  return rows[0]?.name ?? '';
};

describe('GET /workflows?shared=true', () => {
  it('lists a workflow with the role and with who shared it, as new until it is opened', async () => {
    assert.deepEqual(await list(eli), []);
    await invite({ email: eli.email.toUpperCase() }, 'EDIT');
    const [shared] = await list(eli, '&include=card');
    assert.deepEqual(
      [shared?.id, shared?.userRole, shared?.sharedBy, shared?.isNew],
      [id, 'EDITOR', { userId: dana.userId, name: await readName(dana) }, true],
    );
    assert.ok(Math.abs(Date.parse(shared?.sharedAt ?? '') - Date.now()) < 60_000);
    assert.equal((await eli.request('GET', `/workflows/${id}`)).status, 200);
    assert.deepEqual(
      (await list(eli)).map(({ isNew }) => isNew),
      [false],
    );
  });

  it('marks a share with a member of a team until that member opens it', async () => {
    await invite({ userId: eli.userId });
    assert.equal((await list(eli))[0]?.isNew, true);
    await eli.request('GET', `/workflows/${id}`);
    assert.equal((await list(eli))[0]?.isNew, false);
  });

  it('names the person who shared it, who need not be its creator', async () => {
    const [finn] = await test.createUsers(1);
    await invite({ userId: eli.userId }, 'OWNER');
    await invite({ email: finn.email }, 'VIEW', eli);
    assert.equal((await list(finn))[0]?.sharedBy?.userId, eli.userId);
  });

  it('lists no own workflows, and none of a team that the user is in', async () => {
    const team = String((await dana.request('POST', '/teams', { name: 'Team' })).body.id);
    await joinTeam(dana, team, eli, 'VIEWER');
    await invite({ userId: eli.userId });
    assert.equal((await list(eli)).length, 1);
    const folder = await dana.request('POST', '/folders', { name: 'Folder', teamId: team });
    assert.equal((await putWorkflow(dana, id, { folderId: folder.body.id })).status, 200);
    assert.deepEqual([(await list(eli)).length, (await list(dana)).length], [0, 0]);
  });

  it('applies the filters of the list, and ends with the share', async () => {
    await invite({ email: eli.email });
    assert.deepEqual(
      [(await list(eli, '&query=poster')).length, (await list(eli, '&query=other')).length],
      [1, 0],
    );
    await dana.request('DELETE', `/workflows/${id}/permissions/${encodeURIComponent(eli.email)}`);
    assert.deepEqual(await list(eli), []);
  });

  it('refuses a team', async () => {
    assertRefused(await eli.request('GET', `/workflows?shared=true&teamId=team_1`), 400, 'invalid_request');
  });
});

describe('the notice of a shared workflow', () => {
  /** Performs the queued jobs, because no worker runs in this process. */
  const performJobs = async (): Promise<number> => {
    const { rows } = await test.deps.db.query<{ id: string }>(
      `select payload->>'id' as id from graphile_worker._private_jobs j
       join graphile_worker._private_tasks t on t.id = j.task_id and t.identifier = 'share'`,
    );
    await test.deps.db.query('delete from graphile_worker._private_jobs');
    for (const job of rows) await notifyInvitee(test.deps, job.id);
    return rows.length;
  };
  const listNotices = async (user: ApiUser): Promise<readonly Notice[]> =>
    (await user.request<{ data: Notice[] }>('GET', '/notices')).body.data;

  beforeEach(() => performJobs());

  it('names who invited the person, the workflow and what the person may do', async () => {
    await invite({ email: eli.email }, 'EDIT');
    await performJobs();
    const [notice] = await listNotices(eli);
    assert.deepEqual(
      [notice?.kind, notice?.title, notice?.link],
      ['workflow_shared', `${await readName(dana)} invited you to “Poster”`, `/flow/${id}`],
    );
    assert.match(notice?.text ?? '', /^You can edit it\./);
    assert.deepEqual(await listNotices(dana), []);
  });

  it('is not repeated when the role changes', async () => {
    for (const person of [{ email: eli.email }, { userId: eli.userId }]) {
      await invite(person);
      await invite(person, 'EDIT');
    }
    await performJobs();
    assert.equal((await listNotices(eli)).length, 1);
  });

  it('is queued for every email, because the response must not take longer if there is an account', async () => {
    await invite({ email: 'nobody@example.com' });
    assert.equal(await performJobs(), 1);
  });

  it('is not sent for a share or a workflow that has been deleted', async () => {
    await invite({ email: eli.email });
    await dana.request('DELETE', `/workflows/${id}`);
    await performJobs();
    assert.deepEqual(await listNotices(eli), []);
  });

  it('has no link, no other direction of text and no second line in the names that others choose', async () => {
    const name = `Click https://evil.example\r\nBcc: all\u202e ${'x'.repeat(100)}`;
    await test.deps.db.query('update users set name = $2 where id = $1', [
      dana.userId,
      'Dana банк.рф evil。example',
    ]);
    ({ id } = await createWorkflow(dana, { name }));
    await invite({ email: eli.email });
    await performJobs();
    const [notice] = await listNotices(eli);
    assert.match(
      notice?.title ?? '',
      /^Dana банк\u2024рф evil\u2024example invited you to “Click https evil\u2024example Bcc: all {1,2}x+”$/,
    );
    assert.ok((notice?.title.length ?? 0) <= 150);
  });

  it('is mailed for at most 50 people a day, and then only in the bell', async () => {
    await recordMailSetUp(test.deps.db, true);
    try {
      for (let count = 0; count < 50; count++)
        assert.ok(await mayMailInvitation(test.deps.rateLimiter, dana.userId));
      await invite({ email: eli.email });
      await performJobs();
      const countMails = async (): Promise<number> =>
        (await test.deps.db.query('select from mails where user_id = $1', [eli.userId])).rowCount ?? 0;
      assert.deepEqual([await countMails(), (await listNotices(eli)).length], [0, 1]);
      const [fay] = await test.createUsers(1);
      assert.ok(fay);
      ({ id } = await createWorkflow(fay));
      await invite({ email: eli.email }, 'VIEW', fay);
      await performJobs();
      assert.deepEqual([await countMails(), (await listNotices(eli)).length], [1, 2]);
    } finally {
      await recordMailSetUp(test.deps.db, false);
    }
  });

  it('is sent for at most 20 workflows that the person has not looked at', async () => {
    for (let count = 0; count < 22; count++) {
      ({ id } = await createWorkflow(dana));
      await invite({ email: eli.email });
    }
    await performJobs();
    assert.equal((await listNotices(eli)).length, 20);
  });
});
