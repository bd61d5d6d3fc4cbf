// Tests every permission of every kind of user on a workflow. PostgreSQL determines how each user is related to it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { can, canInWorkspace, type WorkflowAction } from '../../../src/services/accounts/access.ts';
import type { Actor } from '../../../src/services/accounts/actor.ts';
import { ANONYMOUS, SCOPES } from '../../../src/services/accounts/actor.ts';
import type { Db } from '../../../src/store/db.ts';
import { upsertPermission } from '../../../src/store/permissions.ts';
import { deleteMember, insertMember, insertTeam } from '../../../src/store/teams.ts';
import { insertUser } from '../../../src/store/users.ts';
import { findWorkflow } from '../../../src/store/workflows/workflows.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const ACTIONS = [
  'read',
  'duplicate',
  'edit',
  'run',
  'delete',
  'share',
  'publish',
  'budget',
  'move',
] as const satisfies readonly WorkflowAction[];

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

/** Users whose role comes from the workflow or the media that they created. */
const CREATORS = ['creator', 'media owner'] as const;

/** The permissions of each user in the order of ACTIONS: x for allowed, . for not allowed. */
const ALWAYS: Readonly<Partial<Record<Person, string>>> = {
  creator: 'xxxxxxxxx',
  'media owner': 'xxxxxxxxx',
  'team OWNER': 'xxxxxxxxx',
  'shared OWNER': 'xxxxxxxxx',
  'team EDITOR': 'xxxx.....',
  'shared EDIT': 'xxxx.....',
};
const READ_ONLY = 'x........';
const READ_AND_DUPLICATE = 'xx.......';
const NOBODY = '.........';

/** Sharing settings of the workflow, and the permissions they give. */
interface Sharing {
  readonly link: 'PRIVATE' | 'VIEW' | 'DUPLICATE';
  readonly published?: Readonly<Record<string, unknown>>;
  /** The permissions of team and shared viewers. */
  readonly viewers: string;
  /** The permissions of strangers and anonymous callers. */
  readonly others: string;
}

const SHARINGS: Readonly<Record<string, Sharing>> = {
  'a private workflow': { link: 'PRIVATE', viewers: READ_ONLY, others: NOBODY },
  'a workflow whose link allows viewing': { link: 'VIEW', viewers: READ_ONLY, others: READ_ONLY },
  'a workflow whose link allows duplicating': {
    link: 'DUPLICATE',
    viewers: READ_AND_DUPLICATE,
    others: READ_AND_DUPLICATE,
  },
  'a published workflow': { link: 'PRIVATE', published: {}, viewers: READ_ONLY, others: READ_ONLY },
  'a published workflow that may be copied': {
    link: 'PRIVATE',
    published: { allowDuplicate: true },
    viewers: READ_AND_DUPLICATE,
    others: READ_AND_DUPLICATE,
  },
  'a published template': {
    link: 'PRIVATE',
    published: { isTemplate: true },
    viewers: READ_AND_DUPLICATE,
    others: READ_AND_DUPLICATE,
  },
  'a published template that may not be copied': {
    link: 'PRIVATE',
    published: { isTemplate: true, allowDuplicate: false },
    viewers: READ_ONLY,
    others: READ_ONLY,
  },
};

const TEAM = 'team_00000000000000000000000000';
const WORKFLOW = 'wf_00000000000000000000000000';
const MEDIA = 'med_00000000000000000000000000';

let database: TestDatabase;
let db: Db;
const actors = new Map<Person, Actor>([['anonymous', ANONYMOUS]]);

function getUserId(person: Person): number {
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
      accountPlan: 'free',
    });
  }
  await insertTeam(db, { id: TEAM, name: 'Team' });
  for (const role of ['OWNER', 'EDITOR', 'VIEWER'] as const)
    await insertMember(db, TEAM, getUserId(`team ${role}`), role);
  // As viewers of the team, creators must still have the permissions of a creator.
  for (const person of CREATORS) await insertMember(db, TEAM, getUserId(person), 'VIEWER');
  await db.query(
    `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin)
     values ($1, $2, $3, 'a.png', 'image/png', 1, '', 'upload')`,
    [MEDIA, getUserId('media owner'), `user:${getUserId('media owner')}`],
  );
  await db.query(
    `insert into workflows (id, user_id, team_id, media_id, version, name) values ($1, $2, $3, $4, 1, 'Workflow')`,
    [WORKFLOW, getUserId('creator'), TEAM, MEDIA],
  );
  for (const role of ['OWNER', 'EDIT', 'VIEW'] as const)
    await upsertPermission(
      db,
      { workflowId: WORKFLOW, userId: getUserId(`shared ${role}`), role },
      getUserId('creator'),
    );
});

after(() => database.drop());

/** Returns a row of the table: x for each allowed action. */
async function readRow(person: Person): Promise<string> {
  const actor = actors.get(person) ?? ANONYMOUS;
  const workflow = await findWorkflow(db, WORKFLOW, actor.kind === 'user' ? actor.userId : null);
  assert(workflow !== undefined);
  return ACTIONS.map(action => (can(actor, action, workflow) ? 'x' : '.')).join('');
}

for (const [name, sharing] of Object.entries(SHARINGS)) {
  describe(`access to ${name}`, () => {
    before(() =>
      db.query(
        'update workflows set link_permission = $2, is_published = $3, publish_settings = $4 where id = $1',
        [WORKFLOW, sharing.link, sharing.published !== undefined, JSON.stringify(sharing.published ?? null)],
      ),
    );
    for (const person of [...PEOPLE, 'anonymous'] as const) {
      const isViewer = person === 'team VIEWER' || person === 'shared VIEW';
      const expected = ALWAYS[person] ?? (isViewer ? sharing.viewers : sharing.others);
      it(`gives ${person} ${expected} of ${ACTIONS.join(', ')}`, async () => {
        assert.equal(await readRow(person), expected);
      });
    }
  });
}

describe('a creator who left the team', () => {
  before(async () => {
    for (const person of CREATORS) await deleteMember(db, TEAM, getUserId(person));
  });
  after(async () => {
    for (const person of CREATORS) await insertMember(db, TEAM, getUserId(person), 'VIEWER');
  });

  it('has the access of a stranger to workflows they created in the team', async () => {
    for (const [name, { link, published }] of Object.entries(SHARINGS)) {
      await db.query(
        'update workflows set link_permission = $2, is_published = $3, publish_settings = $4 where id = $1',
        [WORKFLOW, link, published !== undefined, JSON.stringify(published ?? null)],
      );
      for (const person of CREATORS)
        assert.equal(await readRow(person), await readRow('stranger'), `${person}: ${name}`);
    }
  });

  it('keeps full access to workflows they created outside of the team', async () => {
    await db.query('update workflows set team_id = null where id = $1', [WORKFLOW]);
    for (const person of CREATORS) assert.equal(await readRow(person), ALWAYS[person]);
    await db.query('update workflows set team_id = $2 where id = $1', [WORKFLOW, TEAM]);
  });
});

describe('access to a workspace', () => {
  const WORKSPACE_ACTIONS = ['read', 'edit', 'manage'] as const;
  const formatRow = (actor: Actor, team_role: 'OWNER' | 'EDITOR' | 'VIEWER' | null): string =>
    WORKSPACE_ACTIONS.map(action =>
      canInWorkspace(actor, action, { user_id: 999, team_id: TEAM, team_role }) ? 'x' : '.',
    ).join('');

  it('depends on the role of the member', () => {
    const actor = actors.get('stranger') ?? ANONYMOUS;
    assert.deepEqual(
      (['OWNER', 'EDITOR', 'VIEWER', null] as const).map(role => formatRow(actor, role)),
      ['xxx', 'xx.', 'x..', '...'],
    );
  });

  it('is denied to anonymous callers', () => {
    assert.equal(formatRow(ANONYMOUS, 'OWNER'), '...');
  });

  it('is given only to its user if the workspace is personal', () => {
    const workspace = { user_id: getUserId('creator'), team_id: null, team_role: null };
    const mayEdit = (person: Person): boolean =>
      canInWorkspace(actors.get(person) ?? ANONYMOUS, 'edit', workspace);
    assert.deepEqual([mayEdit('creator'), mayEdit('stranger'), mayEdit('anonymous')], [true, false, false]);
  });

  it('is denied to a former member who created the folder', () => {
    const workspace = { user_id: getUserId('creator'), team_id: TEAM, team_role: null };
    assert.equal(canInWorkspace(actors.get('creator') ?? ANONYMOUS, 'read', workspace), false);
  });
});
