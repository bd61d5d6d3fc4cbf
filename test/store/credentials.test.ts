// Tests which stored credentials count for a user's catalog.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { insertCredential, listActiveKinds } from '../../src/store/credentials.ts';
import type { Db } from '../../src/store/db.ts';
import { deleteMember, insertMember, insertTeam } from '../../src/store/teams.ts';
import { insertUser, updateActiveTeam } from '../../src/store/users.ts';
import { createTestDatabase } from '../support/database.ts';

let db: Db;
let drop: () => Promise<void>;
before(async () => {
  ({ db, drop } = await createTestDatabase());
});
after(() => drop());

let count = 0;
const addUser = (): Promise<number> =>
  insertUser(db, { email: `user${count++}@example.com`, name: 'User', plan: 'free', isAuthor: false });
const addCredential = (workspace: string | null, kind: string, created_by: number) =>
  insertCredential(
    db,
    {
      id: `cred_${count++}`,
      workspace,
      kind,
      name: kind,
      is_default: true,
      daily_usd_limit: null,
      created_by,
      server: null,
      pool: kind === 'comfyui' ? 'default' : null,
      max_concurrent: 1,
      serves: null,
    },
    { id: `value_${count++}`, encrypted: Buffer.alloc(1), hint: '', is_private: false },
  );

it('the kinds of a user are those of the active workspace and of the instance', async () => {
  const [user, colleague] = [await addUser(), await addUser()];
  const [team, otherTeam] = ['team_a', 'team_b'];
  for (const id of [team, otherTeam]) {
    await insertTeam(db, { id, name: id });
    await insertMember(db, id, user, 'EDITOR');
  }
  await insertMember(db, team, colleague, 'EDITOR');
  await addCredential(null, 'openai', user);
  await addCredential(`user:${user}`, 'fal', user);
  await addCredential(`user:${colleague}`, 'comfyui', colleague);
  await addCredential(team, 'replicate', user);
  await addCredential(otherTeam, 'elevenlabs', user);
  const list = async (): Promise<readonly string[]> => (await listActiveKinds(db, user)).toSorted();
  assert.deepEqual(await list(), ['fal', 'openai']);
  await updateActiveTeam(db, user, team);
  await updateActiveTeam(db, colleague, otherTeam);
  assert.deepEqual(await list(), ['openai', 'replicate']);
  await deleteMember(db, team, user);
  assert.deepEqual(await list(), ['fal', 'openai']);
});
