// Tests the audit log over HTTP: who may read which part, filters, pages, the export, and what failures leave.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { AuditEvent, AuditEventPage } from '../../../sdk/src/schemas.ts';
import { newId } from '../../../src/lib/ids.ts';
import { createPerson, joinTeam, type Person, signIn } from '../../support/accounts/people.ts';
import { type ApiUser, openTestApp, type TestApp } from '../../support/app.ts';
import { assertRefused } from '../../support/workflows.ts';

let test: TestApp;
let admin: ApiUser;
let dana: Person;
let sam: Person;
let teamId: string;

before(async () => {
  test = await openTestApp();
  admin = await test.createUser();
  [dana, sam] = [
    await createPerson(test, admin, { name: 'Dana' }),
    await createPerson(test, admin, { name: 'Sam' }),
  ];
  teamId = (await dana.request<{ id: string }>('POST', '/teams', { name: 'Studio' })).body.id;
  await joinTeam(dana, teamId, sam, 'VIEWER');
});
after(() => test.close());

async function list(path: string, client: Pick<ApiUser, 'request'> = admin): Promise<readonly AuditEvent[]> {
  const { status, body } = await client.request<AuditEventPage>('GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Lists the actions that were recorded while `work` ran, oldest first. */
async function recordedBy(work: () => Promise<unknown>): Promise<readonly AuditEvent[]> {
  const [newest] = await list('/admin/audit?limit=1');
  await work();
  const events = await list('/admin/audit?limit=50');
  return events
    .slice(
      0,
      events.findIndex(({ id }) => id === newest?.id),
    )
    .toReversed();
}

describe('an entry', () => {
  it('says who did what, when, from where, and what changed', async () => {
    const [event, ...others] = await recordedBy(() =>
      dana.request('PATCH', `/teams/${teamId}/members/${sam.userId}`, { role: 'EDITOR' }),
    );
    assert.deepEqual(others, []);
    const { id, at, requestId, ...rest } = event as AuditEvent;
    assert.match(id, /^aud_/);
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000);
    assert.ok(requestId);
    assert.deepEqual(rest, {
      actor: { userId: dana.userId, name: 'Dana', via: 'session', keyId: null },
      action: 'member.changed',
      summary: 'Dana gave Sam the role Editor in Studio',
      target: `user:${sam.userId}`,
      targetName: 'Sam',
      teamId,
      before: { role: 'VIEWER' },
      after: { role: 'EDITOR' },
      address: '127.0.0.1',
    });
  });

  it('names the API key that was used', async () => {
    const [event] = await recordedBy(() => admin.request('POST', '/teams', { name: 'North' }));
    assert.equal(event?.actor.via, 'key');
    assert.match(event?.actor.keyId ?? '', /^key_/);
    assert.equal(event?.summary, `${event?.actor.name} created the team North`);
  });

  it('exists for a request that succeeds, not for one that fails', async () => {
    const events = await recordedBy(async () => {
      const { status } = await sam.request('DELETE', `/teams/${teamId}`);
      assert.equal(status, 403);
    });
    assert.deepEqual(events, []);
  });

  it('exists for a sign-in that fails, without what was typed if nobody has the email', async () => {
    const attempt = (email: string) =>
      test.anonymous.request('POST', '/auth/sign-in', { email, password: 'wrong password' });
    const events = await recordedBy(async () => {
      assertRefused(await attempt(dana.email), 401, 'invalid_credentials');
      assertRefused(await attempt('my-secret-password@example.com'), 401, 'invalid_credentials');
      await signIn(test, dana);
    });
    assert.deepEqual(
      events.map(({ action, target, actor, summary }) => [action, target, actor.userId, summary]),
      [
        ['session.failed', `user:${dana.userId}`, null, 'Someone failed to sign in as Dana'],
        ['session.failed', null, null, 'Someone failed to sign in as an unknown account'],
        ['session.started', `user:${dana.userId}`, dana.userId, 'Dana signed in'],
      ],
    );
    assert.ok(!JSON.stringify(events).includes('my-secret-password'));
  });

  it('exists once for reads of other accounts that an administrator repeats', async () => {
    const read = () => admin.request('GET', `/admin/users/${sam.userId}`);
    const events = await recordedBy(async () => {
      for (let i = 0; i < 3; i++) await read();
      await admin.request('GET', `/admin/users/${dana.userId}`);
    });
    assert.deepEqual(
      events.map(({ action, target }) => [action, target]),
      [
        ['data.read', `user:${sam.userId}`],
        ['data.read', `user:${dana.userId}`],
      ],
    );
  });

  it('keeps its sentence when its people, team and object are gone', async () => {
    const leaving = await createPerson(test, admin, { name: 'Leo' });
    const { body } = await leaving.request<{ id: string }>('POST', '/teams', { name: 'Brief' });
    await leaving.request('DELETE', `/teams/${body.id}`);
    await admin.request('DELETE', `/admin/users/${leaving.userId}?transferTo=${dana.userId}`);
    const [deleted] = await list(`/admin/audit?target=${body.id}&action=team.deleted`);
    assert.equal(deleted?.summary, 'Deleted user deleted the team Brief');
    assert.ok(!JSON.stringify(await list(`/admin/audit?actor=${leaving.userId}`)).includes('Leo'));
  });
});

describe('GET /admin/audit', () => {
  it('is for administrators only', async () => {
    assertRefused(await dana.request('GET', '/admin/audit'), 401, 'insufficient_scope');
    assertRefused(await test.anonymous.request('GET', '/admin/audit'), 401, 'unauthorized');
  });

  it('filters by actor, action, target, team and time, in every combination', async () => {
    const all = await list('/admin/audit?limit=200');
    const [sample] = await list('/admin/audit?action=member.changed&limit=1');
    assert.ok(sample);
    const from = sample.at;
    const to = new Date(Date.parse(from) + 1).toISOString();
    const filters: readonly (readonly [string, string, (event: AuditEvent) => boolean])[] = [
      ['actor', String(dana.userId), ({ actor }) => actor.userId === dana.userId],
      ['action', 'member.changed', ({ action }) => action === 'member.changed'],
      ['target', `user:${sam.userId}`, ({ target }) => target === `user:${sam.userId}`],
      ['teamId', teamId, event => event.teamId === teamId],
      ['from', from, ({ at }) => at >= from],
      ['to', to, ({ at }) => at < to],
    ];
    for (let mask = 0; mask < 2 ** filters.length; mask++) {
      const chosen = filters.filter((_, index) => (mask >> index) % 2 === 1);
      const query = new URLSearchParams(Object.fromEntries(chosen));
      const expected = all.filter(event => chosen.every(([, , matches]) => matches(event)));
      const found = await list(`/admin/audit?limit=200&${query}`);
      assert.deepEqual(
        found.map(({ id }) => id),
        expected.map(({ id }) => id),
        String(query),
      );
    }
  });

  it('continues with the cursor', async () => {
    const all = await list('/admin/audit?limit=200');
    const ids: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { body }: { body: AuditEventPage } = await admin.request<AuditEventPage>(
        'GET',
        `/admin/audit?limit=7${cursor && `&cursor=${cursor}`}`,
      );
      ids.push(...body.data.map(({ id }) => id));
      ({ nextCursor: cursor } = body);
    }
    assert.deepEqual(
      ids,
      all.map(({ id }) => id),
    );
  });

  it('rejects invalid filters', async () => {
    for (const query of ['actor=x', 'action=nothing', 'from=yesterday', 'cursor=x', 'format=csv', 'target='])
      assertRefused(await admin.request('GET', `/admin/audit?${query}`), 400, 'invalid_request');
  });

  it('continues a page whose conditions share few of many rows', async () => {
    await test.deps.db.query(
      `insert into audit_events (id, at, user_id, via, action)
       select 'aud_0000000000' || lpad(n::text, 16, '0'), '1970-01-01', case when n % 2 = 0 then 7001 else 7002 end,
         'service', case when n % 2 = 0 or n = 1 then 'team.created' else 'team.deleted' end
       from generate_series(1, 12002) n`,
    );
    const path = '/admin/audit?actor=7002&action=team.created';
    let page = (await admin.request<AuditEventPage>('GET', path)).body;
    assert.deepEqual([page.data.length, page.nextCursor === null], [0, false]);
    let found = 0;
    for (; page.nextCursor !== null; found += page.data.length)
      page = (await admin.request<AuditEventPage>('GET', `${path}&cursor=${page.nextCursor}`)).body;
    assert.equal(found, 1);
    const exported = await exportLines(`${path}&format=ndjson`);
    assert.equal(exported.length, 1);
  });
});

async function exportLines(
  path: string,
  client: Pick<ApiUser, 'key'> = admin,
): Promise<readonly AuditEvent[]> {
  const response = await test.app.inject({
    method: 'GET',
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${client.key}` },
  });
  assert.equal(response.statusCode, 200, response.body);
  assert.match(String(response.headers['content-type']), /^application\/x-ndjson/);
  return response.body
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as AuditEvent);
}

describe('the export', () => {
  it('has all entries as JSON lines, and is recorded', async () => {
    const all = await list(`/admin/audit?limit=200&actor=${dana.userId}`);
    let exported: readonly AuditEvent[] = [];
    const events = await recordedBy(async () => {
      exported = await exportLines(`/admin/audit?format=ndjson&actor=${dana.userId}`);
    });
    assert.deepEqual(exported, all);
    assert.deepEqual(
      events.map(({ action, after: fields }) => [action, fields?.userId]),
      [['audit.exported', dana.userId]],
    );
  });
});

describe('GET /teams/{id}/audit', () => {
  it('lists what happened in the team, to its owners only', async () => {
    const events = await list(`/teams/${teamId}/audit?limit=200`, dana);
    assert.ok(events.length >= 3);
    for (const event of events) assert.equal(event.teamId, teamId);
    assert.deepEqual(
      events.map(({ id }) => id),
      (await list(`/admin/audit?limit=200&teamId=${teamId}`)).map(({ id }) => id),
    );
    assertRefused(await sam.request('GET', `/teams/${teamId}/audit`), 403, 'forbidden');
    const stranger = await createPerson(test, admin);
    assertRefused(await stranger.request('GET', `/teams/${teamId}/audit`), 404, 'not_found');
    assertRefused(await dana.request('GET', `/teams/${newId('team')}/audit`), 404, 'not_found');
    const { body } = await dana.request<{ id: string }>('POST', '/teams', { name: 'Other' });
    assert.deepEqual(await list(`/teams/${teamId}/audit?target=${body.id}`, dana), []);
  });

  it('is closed to owners without the second factor that the team requires', async () => {
    const { body } = await dana.request<{ id: string }>('POST', '/teams', { name: 'Closed' });
    await test.deps.db.query('update teams set requires_second_factor = true where id = $1', [body.id]);
    const again = await signIn(test, dana);
    for (const format of ['json', 'ndjson'])
      assertRefused(
        await again.request('GET', `/teams/${body.id}/audit?format=${format}`),
        403,
        'second_factor_required',
      );
  });
});
