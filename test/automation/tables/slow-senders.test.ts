// Tests that slow uploads of tables do not keep those of other accounts waiting.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTable } from '../../../src/automation/tables/create-table.ts';
import { workFor } from '../../../src/lib/work.ts';
import { SCOPES, type UserActor } from '../../../src/services/accounts/actor.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
before(async () => {
  test = await createTestApp({ timing: { senderPaceMs: 20 } });
});
after(() => test.close());

const { signal } = new AbortController();

async function createUploader(): Promise<(source: AsyncIterable<Uint8Array>) => Promise<unknown>> {
  const { userId } = await test.createUser();
  const actor: UserActor = {
    kind: 'user',
    userId,
    credential: { kind: 'operator', id: '' },
    scopes: new Set(SCOPES),
    plan: 'free',
  };
  const file = { format: undefined, delimiter: undefined };
  return source =>
    workFor({ account: `user:${userId}`, signal, isAccepted: false }, () =>
      createTable(test.deps, actor, { source, ...file }, signal),
    );
}

async function* sendTable(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a,b\n1,2\n');
}

it('an upload that sends nothing ends when another account waits for its place, and not before', async () => {
  const [uploadSlowly, upload] = [await createUploader(), await createUploader()];
  const end = Promise.withResolvers<void>();
  const results: (string | undefined)[] = [];
  let started = 0;
  const allStarted = Promise.withResolvers<void>();
  async function* sendLate(): AsyncGenerator<Uint8Array> {
    started++;
    if (started === 8) allStarted.resolve();
    await end.promise;
    yield* sendTable();
  }
  const uploads = Array.from({ length: 10 }, () =>
    uploadSlowly(sendLate()).then(
      () => results.push('stored'),
      (err: { readonly code?: string }) => results.push(err.code),
    ),
  );
  await allStarted.promise;
  assert.equal(results.length, 0);
  await upload(sendTable());
  assert.deepEqual([...new Set(results)], ['request_timeout']);
  end.resolve();
  await Promise.all(uploads);
  assert.ok(results.includes('stored'), 'waiting calls of the same account end no upload');
});
