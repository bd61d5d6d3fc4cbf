// Tests that slow uploads of tables do not keep those of other accounts waiting.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTable } from '../../../src/automation/tables/create-table.ts';
import { SCOPES, type UserActor } from '../../../src/services/accounts/actor.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { workAs } from '../../support/work.ts';

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
    accountPlan: 'free',
  };
  const file = { delimiter: undefined, findFormat: () => undefined, findEncoding: () => undefined };
  return source => workAs(`user:${userId}`, () => createTable(test.deps, actor, { source, ...file }, signal));
}

async function* sendTable(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('a,b\n1,2\n');
}

/** Starts uploads that send nothing until `end` is called. Resolves once `count` of them hold a place. */
async function startSlowly(
  upload: (source: AsyncIterable<Uint8Array>) => Promise<unknown>,
  { uploads, count }: { readonly uploads: number; readonly count: number },
) {
  const results: (string | undefined)[] = [];
  const end = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  let startedCount = 0;
  async function* sendLate(): AsyncGenerator<Uint8Array> {
    if (++startedCount === count) started.resolve();
    await end.promise;
    yield* sendTable();
  }
  const whenSettled = Promise.all(
    Array.from({ length: uploads }, () =>
      upload(sendLate()).then(
        () => results.push('stored'),
        (err: { readonly code?: string }) => results.push(err.code),
      ),
    ),
  );
  await started.promise;
  return { results, whenSettled, end: () => end.resolve() };
}

it('uploads that send nothing leave places for other accounts', async () => {
  const [uploadSlowly, upload] = [await createUploader(), await createUploader()];
  const slow = await startSlowly(uploadSlowly, { uploads: 10, count: 4 });
  for (let count = 0; count < 3; count++) await upload(sendTable());
  slow.end();
  await slow.whenSettled;
  assert.deepEqual([...new Set(slow.results)], ['stored']);
});

it('an upload that sends nothing ends when an account with fewer uploads waits for its place', async () => {
  const slow = [];
  for (let accounts = 0; accounts < 2; accounts++)
    slow.push(await startSlowly(await createUploader(), { uploads: 5, count: 4 }));
  assert.deepEqual(
    slow.flatMap(({ results }) => results),
    [],
    'waiting calls of accounts with as many uploads end none',
  );
  const upload = await createUploader();
  await upload(sendTable());
  assert.deepEqual([...new Set(slow.flatMap(({ results }) => results))], ['request_timeout']);
  for (const { end, whenSettled } of slow) {
    end();
    await whenSettled;
  }
  assert.ok(slow.some(({ results }) => results.includes('stored')));
});
