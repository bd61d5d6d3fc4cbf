// Tests the locks of presigned uploads.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { insertUpload, lockUpload, lockUploadCreation } from '../../src/store/media/uploads.ts';
import { insertUser } from '../../src/store/users.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const WAIT_MS = 20;
const YESTERDAY = new Date(Date.now() - 86_400_000);

let database: TestDatabase;
let userId: number;
before(async () => {
  database = await createTestDatabase();
  userId = await insertUser(database.db, {
    email: 'person@example.com',
    name: 'person',
    plan: 'self_hosted',
    isAuthor: false,
    isAdmin: false,
  });
});
after(() => database.drop());

it('lockUpload reports an upload that another transaction completes as busy', async () => {
  const upload = {
    id: 'md_1',
    user_id: userId,
    workspace: `user:${userId}`,
    name: 'a.png',
    content_type: 'image/png',
    bytes: 10,
    created_at: new Date(),
  };
  await insertUpload(database.db, upload);
  const lock = (id = upload.id): Promise<unknown> =>
    database.db.transaction(tx => lockUpload(tx, { id, userId, since: YESTERDAY, waitMs: WAIT_MS }));
  await database.db.transaction(async tx => {
    const held = await lockUpload(tx, { id: upload.id, userId, since: YESTERDAY, waitMs: WAIT_MS });
    assert.deepEqual(held, { ...upload, moved_at: null });
    assert.equal(await lock(), 'busy');
    assert.equal(await lock('md_2'), undefined);
  });
  assert.deepEqual(await lock(), { ...upload, moved_at: null });
});

it('lockUploadCreation allows one transaction of each user at a time', async () => {
  const lock = (id: number): Promise<boolean> =>
    database.db.transaction(tx => lockUploadCreation(tx, id, WAIT_MS));
  await database.db.transaction(async tx => {
    assert.equal(await lockUploadCreation(tx, userId, WAIT_MS), true);
    assert.equal(await lock(userId), false);
    assert.equal(await lock(userId + 1), true);
  });
  assert.equal(await lock(userId), true);
});
