// Tests that an identity provider manages accounts by SCIM, in the forms that Okta and Entra ID send.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type MailContent, recordMailSetUp } from '../../../src/store/mails.ts';
import { insertIdentity } from '../../../src/store/people/identities.ts';
import { createPerson, PASSWORD, signIn } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { PAIR } from '../../support/workflows.ts';
import {
  createScimClient,
  ERROR_SCHEMA,
  patchOf,
  type SendScim,
  sendWith,
  USER_SCHEMA,
} from './scim-client.ts';

const ISSUER = 'https://login.example.com';
let test: TestApp;
let admin: ApiUser;
let send: SendScim;
before(async () => {
  test = await createTestApp({
    env: {
      OIDC_ISSUER: ISSUER,
      OIDC_CLIENT_ID: 'client',
      OIDC_CLIENT_SECRET: 'secret',
      OIDC_ALLOWED_DOMAINS: 'corp.example',
      DEFAULT_CREDITS: '25',
    },
  });
  admin = await test.createUser();
  send = await createScimClient(test, admin);
});
after(() => test.close());

const setAdmin = (userId: number) =>
  test.deps.db.query('update users set is_admin = true where id = $1', [userId]);

const createPersonAs = async (email: string) => ({ ...(await createPerson(test, admin, { email })), email });

let count = 0;
const nextName = (): string => `person${count++}@corp.example`;

async function create(attributes: object = {}) {
  const { status, body } = await send('POST', '/Users', {
    schemas: [USER_SCHEMA],
    userName: nextName(),
    ...attributes,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

const patch = (id: string, ...operations: readonly object[]) =>
  send('PATCH', `/Users/${id}`, patchOf(...operations));

async function assertError(
  response: ReturnType<SendScim>,
  status: number,
  scimType: string | undefined,
): Promise<void> {
  const { body, headers, status: actual } = await response;
  assert.deepEqual([actual, body.scimType], [status, scimType], body.detail);
  assert.deepEqual([body.schemas, body.status], [[ERROR_SCHEMA], String(status)]);
  assert.match(String(headers['content-type']), /^application\/scim\+json/);
  assert.ok(body.detail.length > 10);
}

describe('the SCIM token', () => {
  it('is shown once, replaced by a new one, and revoked', async () => {
    const created = await admin.request<{ token: string; url: string }>('POST', '/admin/scim-token');
    const { token, url } = created.body;
    assert.deepEqual([created.status, url], [201, `${test.deps.settings.BASE_URL}/scim/v2`]);
    assert.match(token, /^scim-[\w-]{43}$/);
    assert.equal((await sendWith(test, token)('GET', '/Users')).status, 200);
    const read = await admin.request('GET', '/admin/scim-token');
    assert.ok(read.body.lastUsedAt !== null && !JSON.stringify(read.body).includes(token));
    const { rows } = await test.deps.db.query<{ row: string }>('select t::text as row from scim_tokens t');
    assert.ok(!rows[0]?.row.includes(token.slice(5)));
    send = await createScimClient(test, admin);
    await assertError(sendWith(test, token)('GET', '/Users'), 401, undefined);
    assert.equal((await admin.request('DELETE', '/admin/scim-token')).status, 200);
    await assertError(send('GET', '/Users'), 401, undefined);
    assert.deepEqual((await admin.request('GET', '/admin/scim-token')).body, {
      url,
      createdAt: null,
      lastUsedAt: null,
    });
    assert.equal((await admin.request('DELETE', '/admin/scim-token')).status, 404);
    send = await createScimClient(test, admin);
  });

  it('is the only credential of SCIM, and of nothing else', async () => {
    await assertError(sendWith(test, admin.key)('GET', '/Users'), 401, undefined);
    await assertError(sendWith(test, 'scim-wrong')('POST', '/Users', {}), 401, undefined);
    const { body } = await admin.request<{ token: string }>('POST', '/admin/scim-token');
    send = sendWith(test, body.token);
    const response = await test.app.inject({
      url: '/api/v1/admin/users',
      headers: { authorization: `Bearer ${body.token}` },
    });
    assert.equal(response.statusCode, 401);
    const person = await createPerson(test, admin);
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      assert.equal((await person.request(method, '/admin/scim-token')).status, 401);
  });

  it('can be created only by a session that was confirmed recently', async () => {
    const person = await createPerson(test, admin);
    await setAdmin(person.userId);
    const session = await signIn(test, person);
    await test.deps.db.query(
      `update sessions set proved_at = now() - interval '1 hour', created_at = now() - interval '1 hour'`,
    );
    test.deps.sessions.forgetUser(person.userId);
    for (const method of ['POST', 'DELETE'] as const)
      assert.equal(
        (await session.request(method, '/admin/scim-token')).body.code,
        'reauthentication_required',
      );
    await test.deps.db.query('update users set is_admin = false where id = $1', [person.userId]);
  });
});

describe('POST /Users', () => {
  it('creates an account without a password, as Okta sends it', async () => {
    const body = await create({
      userName: 'isaac.brock@corp.example',
      name: { givenName: 'Isaac', familyName: 'Brock' },
      emails: [{ primary: true, value: 'isaac.brock@corp.example', type: 'work' }],
      displayName: 'Isaac Brock',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    });
    assert.deepEqual(
      { ...body, id: '', meta: {} },
      {
        schemas: [USER_SCHEMA],
        id: '',
        externalId: '00ujl29u0le5T6Aj10h7',
        userName: 'isaac.brock@corp.example',
        displayName: 'Isaac Brock',
        name: { formatted: 'Isaac Brock', givenName: 'Isaac', familyName: 'Brock' },
        emails: [{ value: 'isaac.brock@corp.example', type: 'work', primary: true }],
        active: true,
        meta: {},
      },
    );
    const { rows } = await test.deps.db.query('select password, is_admin from users where id = $1', [
      body.id,
    ]);
    assert.deepEqual(rows, [{ password: null, is_admin: false }]);
    const { body: user } = await admin.request('GET', `/admin/users/${body.id}`);
    assert.deepEqual(
      [user.email, user.name, user.disabled],
      ['isaac.brock@corp.example', 'Isaac Brock', false],
    );
    const credits = await test.deps.db.query('select balance from credit_pools where workspace = $1', [
      `user:${body.id}`,
    ]);
    assert.deepEqual(credits.rows, [{ balance: 25 }]);
  });

  it('understands the attributes that Entra ID sends', async () => {
    const userName = nextName();
    const body = await create({
      schemas: [USER_SCHEMA, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      userName,
      active: 'True',
      emails: [{ primary: 'True', type: 'work', value: `mail-${userName}` }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Andrew Foster', familyName: 'Foster', givenName: 'Andrew' },
      roles: [],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Sales' },
    });
    assert.deepEqual(
      [body.active, body.emails[0]?.value, body.displayName],
      [true, `mail-${userName}`, 'Andrew Foster'],
    );
  });

  it('names the account by its email without another name', async () => {
    assert.match((await create({ name: { givenName: ' ' } })).displayName, /^person\d+$/);
    assert.equal((await create({ name: { givenName: 'A', familyName: 'B' } })).displayName, 'A B');
    assert.match((await create({ displayName: '\u202eevil' })).displayName, /^person\d+$/);
  });

  it('refuses invalid attributes', async () => {
    const refusals: readonly (readonly [object | string, string])[] = [
      [{}, 'invalidValue'],
      [{ userName: 'no-email' }, 'invalidValue'],
      [{ userName: '' }, 'invalidValue'],
      [{ userName: 7 }, 'invalidValue'],
      [{ userName: nextName(), active: 'perhaps' }, 'invalidValue'],
      [{ userName: nextName(), active: 1 }, 'invalidValue'],
      [{ userName: nextName(), externalId: 'x'.repeat(257) }, 'invalidValue'],
      [{ userName: nextName(), displayName: { a: 1 } }, 'invalidValue'],
      [{ userName: 'nul\u0007@corp.example' }, 'invalidValue'],
      [{ userName: nextName(), 'emails[type eq "work"': 'x' }, 'invalidPath'],
      [[], 'invalidSyntax'],
      ['{', 'invalidSyntax'],
    ];
    for (const [body, scimType] of refusals) await assertError(send('POST', '/Users', body), 400, scimType);
    await assertError(send('POST', '/Users', `{"userName":"${'x'.repeat(2_100_000)}"}`), 413, undefined);
  });

  it('refuses a user name and an email that are in use', async () => {
    const { userName } = await create();
    await assertError(send('POST', '/Users', { userName: userName.toUpperCase() }), 409, 'uniqueness');
    const other = { userName: nextName(), emails: [{ value: userName }] };
    await assertError(send('POST', '/Users', other), 409, 'uniqueness');
    const name = nextName();
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => send('POST', '/Users', { userName: name })),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409, 409, 409]);
  });

  it('takes over an account only if the provider decides who signs in to it', async () => {
    const outside = await createPersonAs('owner@elsewhere.example');
    const body = { userName: 'owner@elsewhere.example', displayName: 'Taken' };
    await assertError(send('POST', '/Users', body), 409, 'uniqueness');
    assert.equal((await admin.request('GET', `/admin/users/${outside.userId}`)).body.name, 'Ana');
    await insertIdentity(test.deps.db, {
      issuer: 'https://other.example',
      subject: 'a',
      userId: outside.userId,
    });
    await assertError(send('POST', '/Users', body), 409, 'uniqueness');
    await insertIdentity(test.deps.db, { issuer: ISSUER, subject: 'a', userId: outside.userId });
    const linked = await send('POST', '/Users', body);
    assert.deepEqual(
      [linked.status, linked.body.id, linked.body.displayName],
      [201, String(outside.userId), 'Taken'],
    );

    const inside = await createPersonAs('owner@corp.example');
    assert.equal(
      (await send('POST', '/Users', { userName: 'Owner@Corp.example' })).body.id,
      String(inside.userId),
    );
    await signIn(test, inside);
  });
});

describe('GET /Users', () => {
  it('filters as Okta and Entra ID do, and only finds managed accounts', async () => {
    const externalId = 'filter "me" \\ 1';
    const user = await create({ externalId, userName: 'Filter.Me@corp.example' });
    const find = async (filter: string) => {
      const { status, body } = await send(
        'GET',
        `/Users?filter=${encodeURIComponent(filter)}&startIndex=1&count=100`,
      );
      assert.equal(status, 200, body.detail);
      return body.Resources.map(({ id }) => id);
    };
    const filters = [
      'userName eq "filter.me@corp.example"',
      'USERNAME EQ "filter.me@corp.example"',
      'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "filter.me@corp.example"',
      `externalId eq ${JSON.stringify(externalId)}`,
      'emails[type eq "work"].value eq "filter.me@corp.example"',
      'emails.value eq "filter.me@corp.example"',
      `id eq "${user.id}"`,
      `id eq "${user.id}" and active eq true`,
      `userName eq "filter.me@corp.example" and active eq "True"`,
    ];
    for (const filter of filters) assert.deepEqual(await find(filter), [user.id], filter);
    assert.deepEqual(await find(`id eq "${user.id}" and active eq false`), []);
    assert.deepEqual(await find(`id eq "${admin.userId}"`), []);
    assert.deepEqual(await find(`userName eq "' or 1=1 --"`), []);
    const none = await send('GET', '/Users?filter=userName%20eq%20%22nobody%22');
    assert.deepEqual(none.body, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    } as never);
  });

  it('refuses filters that it does not support, in a short time', async () => {
    const filters = [
      'userName co "a"',
      'password eq "a"',
      'userName eq',
      'userName eq "a" or id eq "1"',
      'userName eq "a',
      'userName eq "\\ud800"',
      'userName eq "\\u0000"',
      `userName eq "${'\\a'.repeat(400)}`,
      '('.repeat(500),
      Array.from({ length: 6 }, () => 'id eq "1"').join(' and '),
      'a'.repeat(2_000),
      `userName eq "${'a'.repeat(2_000)}"`,
    ];
    for (const filter of filters)
      await assertError(send('GET', `/Users?filter=${encodeURIComponent(filter)}`), 400, 'invalidFilter');
    await assertError(send('GET', '/Users?filter=a&filter=b'), 400, 'invalidFilter');
  });

  it('pages through all accounts', async () => {
    await Promise.all([create(), create(), create()]);
    const total = (await send('GET', '/Users?count=0')).body.totalResults;
    const ids: string[] = [];
    for (let startIndex = 1; startIndex <= total; startIndex += 2) {
      const { body } = await send('GET', `/Users?startIndex=${startIndex}&count=2&attributes=userName`);
      assert.deepEqual([body.totalResults, body.startIndex], [total, startIndex]);
      for (const resource of body.Resources)
        assert.deepEqual(Object.keys(resource), ['schemas', 'id', 'userName']);
      ids.push(...body.Resources.map(({ id }) => id));
    }
    assert.deepEqual([ids.length, new Set(ids).size], [total, total]);
    for (const query of ['startIndex=-5', 'count=99999', 'startIndex=0&count=-1'])
      assert.equal((await send('GET', `/Users?${query}`)).status, 200, query);
    for (const query of ['count=x', 'startIndex=1e9', 'count=1&count=2'])
      await assertError(send('GET', `/Users?${query}`), 400, 'invalidValue');
  });
});

describe('PATCH and PUT /Users', () => {
  it('changes attributes as Okta does', async () => {
    const { id, userName } = await create({ externalId: 'okta' });
    assert.equal((await patch(id, { op: 'replace', value: { active: false } })).body.active, false);
    assert.equal((await patch(id, { op: 'replace', value: { active: true } })).body.active, true);
    const replaced = await send('PUT', `/Users/${id}`, {
      schemas: [USER_SCHEMA],
      id,
      userName,
      name: { givenName: 'Another', middleName: '', familyName: 'Excited' },
      emails: [{ primary: true, value: userName, type: 'work', display: userName }],
      active: true,
      groups: [],
      meta: { resourceType: 'User' },
    });
    assert.deepEqual([replaced.body.displayName, replaced.body.externalId], ['Another Excited', 'okta']);
  });

  it('changes attributes as Entra ID does', async () => {
    const { id } = await create();
    const mail = nextName();
    const changed = await patch(
      id,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: mail },
      { op: 'Replace', path: 'name.familyName', value: 'Lucas' },
      { op: 'Add', path: 'name.givenName', value: 'Ann' },
      { op: 'Add', path: 'externalId', value: 'entra' },
      {
        op: 'Add',
        path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
        value: 'IT',
      },
      { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      { op: 'Add', path: 'roles[primary eq "True"].display', value: 'r' },
    );
    const { body } = changed;
    assert.deepEqual(
      [body.emails[0]?.value, body.name, body.externalId],
      [mail, { formatted: 'Ann Lucas', givenName: 'Ann', familyName: 'Lucas' }, 'entra'],
      JSON.stringify(body),
    );
    for (const value of ['False', false, 'false', [{ value: 'False' }]]) {
      assert.equal((await patch(id, { op: 'Replace', path: 'active', value })).body.active, false);
      assert.equal((await patch(id, { op: 'replace', path: 'active', value: 'True' })).body.active, true);
    }
    const withoutPath = {
      op: 'replace',
      value: {
        displayName: 'New Name',
        'emails[type eq "work"].value': nextName(),
        'name.familyName': 'Ende',
        active: 'False',
      },
    };
    const { body: last } = await patch(id, withoutPath);
    assert.deepEqual([last.displayName, last.name.familyName, last.active], ['New Name', 'Ende', false]);
    assert.equal((await patch(id, { op: 'Remove', path: 'externalId' })).body.externalId, undefined);
  });

  it('lets the email follow the user name that it equals', async () => {
    const { id } = await create();
    const userName = nextName();
    const { body } = await patch(id, { op: 'replace', path: 'userName', value: userName });
    assert.deepEqual([body.userName, body.emails[0]?.value], [userName, userName]);
  });

  it('announces a new email at both addresses', async () => {
    await recordMailSetUp(test.deps.db, true);
    try {
      const { id, userName } = await create();
      const value = nextName();
      await patch(id, { op: 'replace', path: 'emails[type eq "work"].value', value });
      const { rows } = await test.deps.db.query<{ address: string; content: MailContent }>(
        `select address, content from mails where user_id = $1 and kind = 'email_changed'`,
        [Number(id)],
      );
      assert.deepEqual(rows.map(({ address }) => address).sort(), [userName, value].sort());
      assert.match(rows[0]?.content.paragraphs[0] ?? '', /^The identity provider/);
    } finally {
      await recordMailSetUp(test.deps.db, false);
    }
  });

  it('does not move a password to an email whose owner the provider does not decide', async () => {
    const person = await createPersonAs(nextName());
    await send('POST', '/Users', { userName: person.email });
    const id = String(person.userId);
    const toOutside = { op: 'replace', path: 'emails[type eq "work"].value', value: 'attacker@evil.example' };
    await assertError(patch(id, toOutside), 400, 'mutability');
    const toInside = { ...toOutside, value: nextName() };
    assert.equal((await patch(id, toInside)).body.emails[0]?.value, toInside.value);
    const { id: withoutPassword } = await create();
    assert.equal((await patch(withoutPassword, toOutside)).status, 200);
  });

  it('refuses invalid operations and changes nothing then', async () => {
    const { id, userName } = await create();
    const { userName: taken } = await create();
    const rename = { op: 'replace', path: 'displayName', value: 'Changed' };
    const refusals: readonly (readonly [unknown, number, string])[] = [
      [{}, 400, 'invalidSyntax'],
      [{ schemas: [USER_SCHEMA], Operations: [rename] }, 400, 'invalidSyntax'],
      [patchOf(), 400, 'invalidSyntax'],
      [patchOf({ ...rename, op: 'move' }), 400, 'invalidSyntax'],
      [patchOf(rename, { op: 'replace', path: 'emails[', value: 'x' }), 400, 'invalidPath'],
      [patchOf(rename, { op: 'replace', path: 'a.b.c', value: 'x' }), 400, 'invalidPath'],
      [patchOf(rename, { op: 'replace', path: { a: 1 }, value: 'x' }), 400, 'invalidPath'],
      [patchOf(rename, { op: 'remove' }), 400, 'noTarget'],
      [patchOf(rename, { op: 'replace', value: 'x' }), 400, 'invalidValue'],
      [patchOf(rename, { op: 'replace', path: 'userName', value: taken }), 409, 'uniqueness'],
      [
        patchOf(rename, { op: 'replace', path: 'emails[type eq "work"].value', value: taken }),
        409,
        'uniqueness',
      ],
      [patchOf(rename, { op: 'remove', path: 'userName' }), 400, 'invalidValue'],
      [patchOf(...Array.from({ length: 1_001 }, () => rename)), 413, 'tooMany'],
      [
        patchOf({
          op: 'add',
          value: Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`a${i}`, 1])),
        }),
        413,
        'tooMany',
      ],
    ];
    for (const [body, status, scimType] of refusals)
      await assertError(send('PATCH', `/Users/${id}`, body), status, scimType);
    const { body } = await send('GET', `/Users/${id}`);
    assert.deepEqual([body.userName, body.displayName], [userName, userName.split('@')[0]]);
    for (const unknown of ['0', '999999999', 'x', '1e3', String(admin.userId), "1'"])
      await assertError(
        send('PATCH', `/Users/${encodeURIComponent(unknown)}`, patchOf(rename)),
        404,
        undefined,
      );
  });
});

describe('an account that the provider deactivates', () => {
  it('loses its sessions and keys for good', async () => {
    const person = await createPersonAs(nextName());
    await setAdmin(person.userId);
    const id = (await send('POST', '/Users', { userName: person.email })).body.id;
    const key = (
      await person.request<{ key: string }>('POST', '/keys', { name: 'k', scopes: ['workflows:read'] })
    ).body.key;
    const readMe = () => test.app.inject({ url: '/api/v1/me', headers: { authorization: `Bearer ${key}` } });
    assert.equal((await readMe()).statusCode, 200);
    await patch(id, { op: 'Replace', path: 'active', value: 'False' });
    assert.equal((await person.request('GET', '/me')).status, 401);
    assert.equal((await readMe()).statusCode, 401);
    const refused = await test.anonymous.request('POST', '/auth/sign-in', {
      email: person.email,
      password: PASSWORD,
    });
    assert.equal(refused.status, 401);
    await patch(id, { op: 'Replace', path: 'active', value: 'True' });
    assert.equal((await person.request('GET', '/me')).status, 401);
    assert.equal((await readMe()).statusCode, 401);
    assert.equal((await (await signIn(test, person)).request('GET', '/me')).status, 200);
  });

  it('is not the last administrator', async () => {
    const { rows } = await test.deps.db.query<{ id: number }>('select id from users where is_admin');
    const person = await createPersonAs(nextName());
    const other = await createPersonAs(nextName());
    const ids = [];
    for (const { userId, email } of [person, other]) {
      await setAdmin(userId);
      ids.push((await send('POST', '/Users', { userName: email })).body.id);
    }
    await test.deps.db.query('update users set is_admin = false where id = any ($1)', [
      rows.map(({ id }) => id),
    ]);
    try {
      const responses = await Promise.all(
        ids.map(id => patch(id, { op: 'replace', value: { active: false } })),
      );
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400]);
      const [last = ''] = ids.filter((_, index) => responses[index]?.status === 400);
      await assertError(send('DELETE', `/Users/${last}`), 400, 'mutability');
      assert.equal((await send('GET', `/Users/${last}`)).body.active, true);
    } finally {
      await test.deps.db.query('update users set is_admin = id = any ($1)', [rows.map(({ id }) => id)]);
    }
  });

  it('stays disabled if an administrator has disabled it', async () => {
    const { id } = await create();
    await admin.request('PATCH', `/admin/users/${id}`, { disabled: true });
    await assertError(patch(id, { op: 'replace', value: { active: true } }), 409, 'uniqueness');
    await admin.request('PATCH', `/admin/users/${id}`, { disabled: false });
    await patch(id, { op: 'replace', value: { active: false } });
    await admin.request('PATCH', `/admin/users/${id}`, { disabled: false });
    await admin.request('PATCH', `/admin/users/${id}`, { disabled: true });
    await assertError(patch(id, { op: 'replace', value: { active: true } }), 409, 'uniqueness');
  });
});

describe('DELETE /Users', () => {
  it('disables the account, keeps its work, and lets the provider create it again', async () => {
    const person = await createPersonAs('leaver@elsewhere.example');
    await insertIdentity(test.deps.db, { issuer: ISSUER, subject: 'leaver', userId: person.userId });
    const { id: workflowId } = (
      await person.request<{ id: string }>('POST', '/workflows', { name: 'W', ...PAIR })
    ).body;
    const user = { userName: person.email };
    const { id } = (await send('POST', '/Users', user)).body;
    assert.equal((await send('DELETE', `/Users/${id}`)).status, 204);
    await assertError(send('GET', `/Users/${id}`), 404, undefined);
    await assertError(send('DELETE', `/Users/${id}`), 404, undefined);
    assert.equal((await send('GET', `/Users?filter=id%20eq%20%22${id}%22`)).body.totalResults, 0);
    assert.equal((await person.request('GET', '/me')).status, 401);
    const { rows } = await test.deps.db.query('select user_id from workflows where id = $1', [workflowId]);
    assert.deepEqual(rows, [{ user_id: person.userId }]);
    const again = await send('POST', '/Users', user);
    assert.deepEqual([again.status, again.body.id, again.body.active], [201, id, true]);
    assert.equal((await (await signIn(test, person)).request('GET', `/workflows/${workflowId}`)).status, 200);
  });

  it('does not find an account that an administrator has deleted', async () => {
    const { id } = await create();
    assert.equal(
      (await admin.request('DELETE', `/admin/users/${id}?transferTo=${admin.userId}`)).status,
      200,
    );
    await assertError(send('GET', `/Users/${id}`), 404, undefined);
  });
});

describe('the discovery endpoints', () => {
  it('describe the service', async () => {
    const config = (await send('GET', '/ServiceProviderConfig')).body as unknown as Record<
      string,
      { supported?: boolean }
    >;
    assert.deepEqual(
      [config.patch?.supported, config.bulk?.supported, config.filter?.supported],
      [true, false, true],
    );
    assert.deepEqual(
      (await send('GET', '/ResourceTypes')).body.Resources.map(({ id }) => id),
      ['User', 'Group'],
    );
    assert.equal((await send('GET', '/ResourceTypes/Group')).body.id, 'Group');
    assert.equal((await send('GET', '/Schemas')).body.totalResults, 2);
    assert.equal((await send('GET', `/Schemas/${USER_SCHEMA}`)).body.id, USER_SCHEMA);
    for (const path of ['/Schemas/x', '/ResourceTypes/x', '/Bulk', '/Me', '/Users/1/x'])
      await assertError(send('GET', path), 404, undefined);
  });
});
