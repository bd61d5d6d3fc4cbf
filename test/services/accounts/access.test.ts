// Tests the complete matrix of permissions on a workflow. PostgreSQL determines each user's relation to it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { can, type WorkflowVerb } from '../../../src/services/accounts/access.ts';
import type { Actor } from '../../../src/services/accounts/actor.ts';
import { ANONYMOUS, SCOPES } from '../../../src/services/accounts/actor.ts';
import type { Db } from '../../../src/store/db.ts';
import { upsertPermission } from '../../../src/store/permissions.ts';
import { deleteMember, insertMember, insertTeam } from '../../../src/store/teams.ts';
import { insertUser } from '../../../src/store/users.ts';
import { findWorkflow } from '../../../src/store/workflows/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const VERBS = [
  'read',
  'duplicate',
  'edit',
  'run',
  'delete',
  'share',
  'publish',
  'budget',
  'move',
] as const satisfies readonly WorkflowVerb[];

const PEOPLE = [
  'creator',
  'media owner',
  'team OWNER',
  'team EDITOR',
  'team VIEWER',
  'shared OWNER',
  'shared EDIT',
  'shared VIEW',
  'stranger',
] as const;
type Person = (typeof PEOPLE)[number] | 'anonymous';

/** Users whose role comes from what they created. */
const MAKERS = ['creator', 'media owner'] as const;

/** In the order of VERBS: x for allowed, . for not allowed. */
const ALWAYS: Readonly<Partial<Record<Person, string>>> = {
  creator: 'xxxxxxxxx',
  'media owner': 'xxxxxxxxx',
  'team OWNER': 'xxxxxxxxx',
  'shared OWNER': 'xxxxxxxxx',
  'team EDITOR': 'xxxx.....',
  'shared EDIT': 'xxxx.....',
};
const READERS_ONLY = 'x........';
const READERS_COPY = 'xx.......';
const NOBODY = '.........';

interface World {
  readonly link: 'PRIVATE' | 'VIEW' | 'DUPLICATE';
  readonly published?: Readonly<Record<string, unknown>>;
  /** Users whose rights depend on the workflow's workspace. */
  readonly viewers: string;
  readonly others: string;
}

const WORLDS: Readonly<Record<string, World>> = {
  'a private workflow': { link: 'PRIVATE', viewers: READERS_ONLY, others: NOBODY },
  'a link that lets view': { link: 'VIEW', viewers: READERS_ONLY, others: READERS_ONLY },
  'a link that lets duplicate': { link: 'DUPLICATE', viewers: READERS_COPY, others: READERS_COPY },
  'a published workflow': { link: 'PRIVATE', published: {}, viewers: READERS_ONLY, others: READERS_ONLY },
  'a published workflow that may be copied': {
    link: 'PRIVATE',
    published: { allowDuplicate: true },
    viewers: READERS_COPY,
    others: READERS_COPY,
  },
  'a published template': {
    link: 'PRIVATE',
    published: { isTemplate: true },
    viewers: READERS_COPY,
    others: READERS_COPY,
  },
  'a published template that may not be copied': {
    link: 'PRIVATE',
    published: { isTemplate: true, allowDuplicate: false },
    viewers: READERS_ONLY,
    others: READERS_ONLY,
  },
};

const TEAM = 'team_00000000000000000000000000';
const WORKFLOW = 'wf_00000000000000000000000000';
const MEDIA = 'med_00000000000000000000000000';

let database: TestDatabase;
let db: Db;
const actors = new Map<Person, Actor>([['anonymous', ANONYMOUS]]);

function userIdOf(person: Person): number {
  const actor = actors.get(person);
  assert(actor?.kind === 'user');
  return actor.userId;
}

before(async () => {
  database = await createTestDatabase();
  db = database.db;
  for (const person of PEOPLE) {
    const userId = await insertUser(db, {
      email: `${person.replace(' ', '-')}@example.com`,
      name: person,
      plan: 'free',
      isAuthor: false,
    });
    actors.set(person, {
      kind: 'user',
      userId,
      credential: { kind: 'key', id: '' },
      scopes: new Set(SCOPES),
      plan: 'free',
    });
  }
  await insertTeam(db, { id: TEAM, name: 'Team' });
  for (const role of ['OWNER', 'EDITOR', 'VIEWER'] as const)
    await insertMember(db, TEAM, userIdOf(`team ${role}`), role);
  // They have the lowest role in the team. What they created counts for more.
  for (const person of MAKERS) await insertMember(db, TEAM, userIdOf(person), 'VIEWER');
  await db.query(
    `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin)
     values ($1, $2, $3, 'a.png', 'image/png', 1, '', 'upload')`,
    [MEDIA, userIdOf('media owner'), `user:${userIdOf('media owner')}`],
  );
  await db.query(
    `insert into workflows (id, user_id, team_id, media_id, version, name) values ($1, $2, $3, $4, 1, 'Workflow')`,
    [WORKFLOW, userIdOf('creator'), TEAM, MEDIA],
  );
  for (const role of ['OWNER', 'EDIT', 'VIEW'] as const)
    await upsertPermission(db, { workflowId: WORKFLOW, userId: userIdOf(`shared ${role}`), role });
});

after(() => database.drop());

/** Returns a row of the table: x for each allowed action. */
async function rowOf(person: Person): Promise<string> {
  const actor = actors.get(person) ?? ANONYMOUS;
  const workflow = await findWorkflow(db, WORKFLOW, actor.kind === 'user' ? actor.userId : null);
  assert(workflow !== undefined);
  return VERBS.map(verb => (can(actor, verb, { workflow }) ? 'x' : '.')).join('');
}

for (const [name, world] of Object.entries(WORLDS)) {
  describe(`access to ${name}`, () => {
    before(() =>
      db.query(
        'update workflows set link_permission = $2, is_published = $3, publish_settings = $4 where id = $1',
        [WORKFLOW, world.link, world.published !== undefined, JSON.stringify(world.published ?? null)],
      ),
    );
    for (const person of [...PEOPLE, 'anonymous'] as const) {
      const isViewer = person === 'team VIEWER' || person === 'shared VIEW';
      const expected = ALWAYS[person] ?? (isViewer ? world.viewers : world.others);
      it(`gives ${person} ${expected} of ${VERBS.join(', ')}`, async () => {
        assert.equal(await rowOf(person), expected);
      });
    }
  });
}

describe('a user who left the team', () => {
  before(async () => {
    for (const person of MAKERS) await deleteMember(db, TEAM, userIdOf(person));
  });
  after(async () => {
    for (const person of MAKERS) await insertMember(db, TEAM, userIdOf(person), 'VIEWER');
  });

  it('has the access of any other user to what they created there', async () => {
    for (const [name, { link, published }] of Object.entries(WORLDS)) {
      await db.query(
        'update workflows set link_permission = $2, is_published = $3, publish_settings = $4 where id = $1',
        [WORKFLOW, link, published !== undefined, JSON.stringify(published ?? null)],
      );
      for (const person of MAKERS)
        assert.equal(await rowOf(person), await rowOf('stranger'), `${person}: ${name}`);
    }
  });

  it('has full access to what they created elsewhere', async () => {
    await db.query('update workflows set team_id = null where id = $1', [WORKFLOW]);
    for (const person of MAKERS) assert.equal(await rowOf(person), ALWAYS[person]);
    await db.query('update workflows set team_id = $2 where id = $1', [WORKFLOW, TEAM]);
  });
});

describe('access to a workspace', () => {
  const VERBS_OF_WORKSPACE = ['read', 'edit', 'manage'] as const;
  const rowIn = (actor: Actor, team_role: 'OWNER' | 'EDITOR' | 'VIEWER' | null): string =>
    VERBS_OF_WORKSPACE.map(verb =>
      can(actor, verb, { workspace: { user_id: 999, team_id: TEAM, team_role } }) ? 'x' : '.',
    ).join('');

  it('depends on the role in the team', () => {
    const actor = actors.get('stranger') ?? ANONYMOUS;
    assert.deepEqual(
      (['OWNER', 'EDITOR', 'VIEWER', null] as const).map(role => rowIn(actor, role)),
      ['xxx', 'xx.', 'x..', '...'],
    );
  });

  it('is denied to anonymous callers', () => {
    assert.equal(rowIn(ANONYMOUS, 'OWNER'), '...');
  });

  it('is complete in a personal workspace, and only for its user', () => {
    const workspace = { user_id: userIdOf('creator'), team_id: null, team_role: null };
    const may = (person: Person): boolean => can(actors.get(person) ?? ANONYMOUS, 'edit', { workspace });
    assert.deepEqual([may('creator'), may('stranger'), may('anonymous')], [true, false, false]);
  });

  it('keeps a folder that a former member created in the team', () => {
    const workspace = { user_id: userIdOf('creator'), team_id: TEAM, team_role: null };
    assert.equal(can(actors.get('creator') ?? ANONYMOUS, 'read', { workspace }), false);
  });
});
