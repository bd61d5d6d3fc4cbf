// Tests `graphwright users`, `teams`, `credits` and `workflows`, directly in the database and through a service.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import type { Db } from '../../src/store/db.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { readJson, spawnFirst } from '../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { toDatabaseUrl } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'graphwright-accounts-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function testAccountCommands(
  connection: string,
  getSettings: () => Readonly<Record<string, string>>,
  getDb: () => Db,
): void {
  const run = spawnFirst;
  /** Runs a command and returns its JSON output. Rejects if the exit code is not 0. */
  const graphwright = async (args: readonly string[]): Promise<Record<string, unknown>> =>
    readJson(await run([...args, '--json'], { DATA_DIR: folder, ...getSettings() }));

  describe(`the account commands ${connection}`, () => {
    it('create a user with a key and invite the user to a team', async () => {
      const email = 'ana@example.com';
      const user = await graphwright([
        'users',
        'create',
        email,
        '--plan',
        'pro',
        '--scope',
        'workflows:execute',
      ]);
      assert.deepEqual([user.email, user.name, user.plan, user.isAuthor], [email, 'ana', 'pro', false]);
      assert.match(String(user.apiKey), /^sk-/);
      const team = await graphwright(['teams', 'create', 'Studio Lisbon']);
      assert.deepEqual([team.name, team.role], ['Studio Lisbon', 'OWNER']);
      const invitation = await graphwright(['teams', 'add', String(team.id), email, '--role', 'EDITOR']);
      assert.deepEqual([invitation.email, invitation.role], [email, 'EDITOR']);
      assert.ok(String(invitation.url).endsWith(`/settings/teams?invitation=${invitation.id}`));
    });

    it('create invitation, setup and password links', async () => {
      const invited = await graphwright(['users', 'create', 'ines@example.com', '--invite', '--admin']);
      assert.match(String(invited.inviteUrl), /\/setup#invite_[\w-]{43}$/);
      assert.deepEqual([invited.apiKey, invited.isAdmin], [undefined, true]);
      const setUp = await graphwright(['users', 'setup-link']);
      assert.match(String(setUp.url), /\/setup#setup_[\w-]{43}$/);
      const reset = await graphwright(['users', 'password', 'ines@example.com']);
      assert.match(String(reset.url), /\/setup#reset_[\w-]{43}$/);
      const { rows } = await getDb().query<{ kind: string }>(
        'select kind from password_links order by user_id',
      );
      assert.deepEqual(
        rows.map(({ kind }) => kind),
        ['setup', 'reset'],
      );
      const notFound = { code: 1, stderr: /User not found/ };
      await assert.rejects(graphwright(['users', 'password', 'no@example.com']), notFound);
      const command = ['users', 'create', 'x@example.com', '--invite', '--scope', 'workflows:read'];
      await assert.rejects(graphwright(command), { code: 2, stderr: /Omit/ });
    });

    it('grant and revoke credits of users and teams', async () => {
      const team = await graphwright(['teams', 'create', 'Studio Porto']);
      const grant = (account: unknown, amount: number) =>
        graphwright(['credits', 'grant', String(account), String(amount), '--note', 'test']);
      await grant(team.id, 500);
      assert.deepEqual(await grant(team.id, -200), { workspace: team.id, balance: 300, held: 0 });
      await assert.rejects(grant(team.id, -301), {
        code: 1,
        stderr: /lower than the amount to revoke/,
      });
      const user = await graphwright(['users', 'create', 'rich@example.com']);
      assert.deepEqual(await grant(user.userId, 7), {
        workspace: `user:${user.userId}`,
        balance: 7,
        held: 0,
      });
      await assert.rejects(grant('ana@example.com', 7), { code: 2, stderr: /the id of a user/ });
      await assert.rejects(grant(user.userId, 0.5), { code: 2, stderr: /whole number/ });
    });

    it('restore a deleted workflow as disabled', async () => {
      const db = getDb();
      const id = newId('workflow');
      await db.query(
        `insert into workflows (id, user_id, version, name, is_active, deleted_at)
         values ($1, (select min(id) from users), 1, 'Lost', false, now())`,
        [id],
      );
      await db.query(
        `insert into workflow_versions (workflow_id, version, graph, user_id)
         select id, version, '"nodes":[],"edges":[]', user_id from workflows where id = $1`,
        [id],
      );
      const restored = await graphwright(['workflows', 'restore', id]);
      assert.deepEqual([restored.id, restored.name], [id, 'Lost']);
      const { rows } = await db.query('select deleted_at, is_active from workflows where id = $1', [id]);
      assert.deepEqual(rows, [{ deleted_at: null, is_active: false }]);
    });

    it('report a refusal of the service with exit code 1', async () => {
      const failure = { code: 1, stderr: /form name@host/ };
      await assert.rejects(graphwright(['users', 'create', 'nobody']), failure);
    });

    it('reject an unknown role with exit code 2', async () => {
      const failure = { code: 2, stderr: /--role must be one of VIEWER, EDITOR, OWNER/ };
      await assert.rejects(
        graphwright(['teams', 'add', 'team_x', 'ana@example.com', '--role', 'BOSS']),
        failure,
      );
    });
  });
}

let database: TestDatabase;
let service: TestApp;
let serviceSettings: Readonly<Record<string, string>>;

before(async () => {
  database = await createTestDatabase();
  service = await createTestApp();
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { key } = await service.createUser();
  serviceSettings = { GRAPHWRIGHT_URL: url, GRAPHWRIGHT_API_KEY: key };
});
after(async () => {
  await service.close();
  await database.drop();
});

testAccountCommands(
  'in the database',
  () => ({ DATABASE_URL: toDatabaseUrl(database.connection) }),
  () => database.db,
);
testAccountCommands(
  'through a service',
  () => serviceSettings,
  () => service.deps.db,
);
