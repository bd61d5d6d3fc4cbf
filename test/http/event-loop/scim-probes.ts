// Creates probes that send the largest SCIM requests: groups of 20,000 accounts in 500 mapped teams, many operations, and long lists.
import type { TestService } from '../../support/service.ts';
import { GROUP_SCHEMA, PATCH_SCHEMA, USER_SCHEMA } from '../scim/scim-client.ts';
import type { Probe } from './probes.ts';

export interface ScimFixtures {
  readonly token: string;
  /** The ids of as many managed accounts as a request may name. */
  readonly userIds: readonly string[];
  /** Teams to which the table of groups can give roles, as many as it may have. */
  readonly teamIds: readonly string[];
}

const MAX_MEMBERS = 20_000;
const MAX_MAPPINGS = 500;
const GROUP = 'the largest group';

/** Stores the accounts and teams. Requests would take minutes. */
export async function createScimFixtures({ db, request }: TestService): Promise<ScimFixtures> {
  const { rows: users } = await db.query<{ id: number }>(
    `insert into users (email, name, plan) select 'scim' || n || '@corp.example', 'Person ' || n, 'free'
     from generate_series(1, $1::int) n returning id`,
    [MAX_MEMBERS],
  );
  await db.query(
    `insert into scim_users (user_id, user_name, created_at, updated_at)
     select id, email, now(), now() from users where email like 'scim%@corp.example'`,
  );
  const { rows: teams } = await db.query<{ id: string }>(
    `insert into teams (id, name) select 'team_' || lpad(n::text, 26, '0'), 'Team ' || n
     from generate_series(1, $1::int) n returning id`,
    [MAX_MAPPINGS],
  );
  const { body } = await request<{ token: string }>('POST', '/admin/scim-token');
  return {
    token: body.token,
    userIds: users.map(({ id }) => String(id)),
    teamIds: teams.map(({ id }) => id),
  };
}

const PATH = '/scim/v2';
const repeat = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index));
const patchOf = (operations: readonly object[]): object => ({
  schemas: [PATCH_SCHEMA],
  Operations: operations,
});
const toMembers = (ids: readonly string[]): object[] => ids.map(value => ({ value }));

/** Creates a request whose path is known before it is measured. */
const toProbe =
  (method: string, path: string, createBody: (scim: ScimFixtures) => unknown = () => undefined): Probe =>
  ({ scim }, sendRequest) => {
    const body = createBody(scim);
    const text = body === undefined ? undefined : JSON.stringify(body);
    return () => sendRequest(method, PATH + path.replace('{user}', scim.userIds[0] ?? ''), text, scim.token);
  };

/** Creates a group, and returns the probe that changes or reads it. */
const toGroupProbe =
  (
    method: string,
    toPath: (id: string) => string,
    {
      members = 0,
      roles = 0,
      createBody = () => undefined,
    }: {
      readonly members?: number;
      /** How many teams the group gives a role in. */
      readonly roles?: number;
      readonly createBody?: (scim: ScimFixtures) => unknown;
    },
  ): Probe =>
  async ({ scim, adminKey }, sendRequest) => {
    const mappings = scim.teamIds.slice(0, roles).map(teamId => ({ group: GROUP, teamId, role: 'VIEWER' }));
    await sendRequest('PUT', '/api/v1/admin/groups', [], adminKey);
    const { text } = await sendRequest(
      'GET',
      `${PATH}/Groups?count=200&attributes=id`,
      undefined,
      scim.token,
    );
    for (const { id } of (JSON.parse(text) as { Resources: { id: string }[] }).Resources)
      await sendRequest('DELETE', `${PATH}/Groups/${id}`, undefined, scim.token);
    await sendRequest('PUT', '/api/v1/admin/groups', mappings, adminKey);
    const group = {
      schemas: [GROUP_SCHEMA],
      displayName: GROUP,
      members: toMembers(scim.userIds.slice(0, members)),
    };
    const created = await sendRequest('POST', `${PATH}/Groups`, group, scim.token);
    const { id } = JSON.parse(created.text) as { id: string };
    const body = createBody(scim);
    const sent = body === undefined ? undefined : JSON.stringify(body);
    return () => sendRequest(method, toPath(id), sent, toPath(id).startsWith(PATH) ? scim.token : adminKey);
  };

const toGroup = (id: string): string => `${PATH}/Groups/${id}`;

export const createScimProbes = (): Readonly<Record<string, Probe>> => ({
  [`POST ${PATH}/Users: many attributes`]: toProbe('POST', '/Users', () =>
    Object.fromEntries(repeat(49_000, index => [`attribute${index}`, 'a'.repeat(20)])),
  ),
  [`POST ${PATH}/Users: many emails`]: toProbe('POST', '/Users', () => ({
    schemas: [USER_SCHEMA],
    userName: 'many@corp.example',
    emails: repeat(40_000, index => ({ value: `many${index}@corp.example`, type: 'home' })),
  })),
  [`PATCH ${PATH}/Users/{id}: many operations`]: toProbe('PATCH', '/Users/{user}', () =>
    patchOf(
      repeat(1_000, () => ({
        op: 'replace',
        path: `emails[type eq "${'\\\\'.repeat(220)}"].value`,
        value: 'a@corp.example',
      })),
    ),
  ),
  [`PATCH ${PATH}/Users/{id}: an operation of many attributes`]: toProbe('PATCH', '/Users/{user}', () =>
    patchOf([
      {
        op: 'add',
        value: Object.fromEntries(repeat(49_000, index => [`attribute${index}`, 'a'.repeat(20)])),
      },
    ]),
  ),
  [`GET ${PATH}/Users: the longest filter and page`]: toProbe(
    'GET',
    `/Users?count=200&startIndex=19801&filter=${encodeURIComponent('active eq true and emails[type eq "work"].value eq "x" and active eq true')}`,
  ),
  [`GET ${PATH}/Users: a page`]: toProbe('GET', '/Users?count=200&startIndex=19801'),
  [`GET ${PATH}/Users: a filter that never ends`]: toProbe(
    'GET',
    `/Users?filter=${encodeURIComponent(`userName eq "${'\\\\'.repeat(480)}`)}`,
  ),
  [`POST ${PATH}/Groups: too many members`]: toProbe('POST', '/Groups', () => ({
    schemas: [GROUP_SCHEMA],
    displayName: 'too many',
    members: repeat(100_000, index => ({ value: String(index + 1) })),
  })),
  [`POST ${PATH}/Groups: members that do not exist`]: toProbe('POST', '/Groups', () => ({
    schemas: [GROUP_SCHEMA],
    displayName: 'unknown',
    members: repeat(MAX_MEMBERS, index => ({ value: String(900_000_000 + index) })),
  })),
  [`GET ${PATH}/Groups/{id}: the most members`]: toGroupProbe('GET', toGroup, { members: MAX_MEMBERS }),
  [`GET ${PATH}/Groups: the most members`]: toGroupProbe('GET', () => `${PATH}/Groups?count=200`, {
    members: MAX_MEMBERS,
  }),
  [`GET ${PATH}/Groups: by a member`]: toGroupProbe(
    'GET',
    () => `${PATH}/Groups?filter=${encodeURIComponent('members.value eq "2" and members eq "3"')}`,
    { members: MAX_MEMBERS },
  ),
  [`PUT ${PATH}/Groups/{id}: the most members, who get a role`]: toGroupProbe('PUT', toGroup, {
    roles: 1,
    createBody: ({ userIds }) => ({ displayName: GROUP, members: toMembers(userIds) }),
  }),
  [`PATCH ${PATH}/Groups/{id}: the most operations`]: toGroupProbe('PATCH', toGroup, {
    members: MAX_MEMBERS,
    createBody: ({ userIds }) =>
      patchOf(
        repeat(1_000, index => ({
          op: index % 2 === 0 ? 'replace' : 'remove',
          path: 'members',
          value: toMembers(userIds.slice(index * 20, index * 20 + 20)),
        })),
      ),
  }),
  [`PATCH ${PATH}/Groups/{id}: a new name, which takes the role of all`]: toGroupProbe('PATCH', toGroup, {
    members: MAX_MEMBERS,
    roles: 1,
    createBody: () => patchOf([{ op: 'replace', path: 'displayName', value: 'renamed' }]),
  }),
  [`DELETE ${PATH}/Groups/{id}: the most members, who lose a role`]: toGroupProbe('DELETE', toGroup, {
    members: MAX_MEMBERS,
    roles: 1,
  }),
  'PUT /api/v1/admin/groups: the largest table': toGroupProbe('PUT', () => '/api/v1/admin/groups', {
    members: 100,
    createBody: ({ teamIds }) => teamIds.map(teamId => ({ group: GROUP, teamId, role: 'EDITOR' })),
  }),
});
