// Tests that an active administrator remains, whoever takes the role from others at the same time, and in which way.
import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { createPerson, type Person } from '../../support/accounts/people.ts';
import { type ApiUser, createTestApp, type TestApp, type TestResponse } from '../../support/app.ts';
import { createScimClient, patchOf, type ScimResponse, type SendScim } from '../scim/scim-client.ts';

let test: TestApp;
let root: ApiUser;
let sendScim: SendScim;
before(async () => {
  test = await createTestApp({ env: { OIDC_ALLOWED_DOMAINS: 'corp.example' } });
  root = await test.createUser();
  sendScim = await createScimClient(test, root);
});
after(() => test.close());

let ana: Person;
let ben: Person;
/** The id of each of the two for SCIM. */
let scimIds: ReadonlyMap<Person, string>;
beforeEach(async () => {
  await test.deps.db.query('update users set is_admin = id = $1', [root.userId]);
  [ana, ben] = [await createAdministrator(), await createAdministrator()];
  scimIds = new Map([
    [ana, await manage(ana)],
    [ben, await manage(ben)],
  ]);
  // Ana and Ben are the only administrators.
  await test.deps.db.query('update users set is_admin = id = any ($1)', [[ana.userId, ben.userId]]);
  for (const { userId } of [ana, ben]) test.deps.sessions.forgetUser(userId);
});

let count = 0;
const createAdministrator = (): Promise<Person> =>
  createPerson(test, root, { email: `admin${count++}@corp.example`, isAdmin: true });

const manage = async ({ userId }: Person): Promise<string> => {
  const { rows } = await test.deps.db.query<{ email: string }>('select email from users where id = $1', [
    userId,
  ]);
  const { status, body } = await sendScim('POST', '/Users', { userName: rows[0]?.email });
  assert.equal(status, 201, body.detail);
  return body.id;
};

/** Takes the role of the other administrator. */
type Attack = (by: Person, other: Person) => Promise<TestResponse | ScimResponse>;

const path = ({ userId }: Person): string => `/admin/users/${userId}`;
const ATTACKS: Readonly<Record<string, Attack>> = {
  disable: (by, other) => by.request('PATCH', path(other), { disabled: true }),
  demote: (by, other) => by.request('PATCH', path(other), { isAdmin: false }),
  delete: (by, other) => by.request('DELETE', `${path(other)}?transferTo=${root.userId}`),
  'deactivate by SCIM': (_by, other) =>
    sendScim(
      'PATCH',
      `/Users/${scimIds.get(other)}`,
      patchOf({ op: 'replace', path: 'active', value: 'False' }),
    ),
  'delete by SCIM': (_by, other) => sendScim('DELETE', `/Users/${scimIds.get(other)}`),
};

async function countAdministrators(): Promise<number> {
  const { rows } = await test.deps.db.query('select from users where is_admin and not disabled');
  return rows.length;
}

const names = Object.keys(ATTACKS);
for (const [index, first] of names.entries())
  for (const second of names.slice(index))
    it(`refuses one of two administrators who ${first} and ${second} each other`, async () => {
      const responses = await Promise.all([ATTACKS[first]?.(ana, ben), ATTACKS[second]?.(ben, ana)]);
      const succeeded = responses.filter(response => response !== undefined && response.status < 300);
      assert.deepEqual(
        [succeeded.length, await countAdministrators()],
        [1, 1],
        JSON.stringify(responses.map(response => response?.body)),
      );
    });

it('tells why the last administrator stays, and allows other changes', async () => {
  await test.deps.db.query('update users set is_admin = id = $1', [ana.userId]);
  const { status, body } = await sendScim('DELETE', `/Users/${scimIds.get(ana)}`);
  assert.deepEqual([status, body.scimType], [400, 'mutability']);
  assert.equal((await ana.request('PATCH', path(ana), { name: 'Anna' })).status, 200);
  assert.equal(await countAdministrators(), 1);
});
