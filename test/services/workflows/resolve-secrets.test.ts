// Secrets in settings: replaced wherever they stand in a string, never guessed, never looked up without need.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { encrypt } from '../../../src/lib/crypto.ts';
import { createResolver } from '../../../src/services/workflows/resolve-secrets.ts';
import type { Tx } from '../../../src/store/db.ts';

const secretsKey = randomBytes(32);

/** A database whose one workflow has these secrets; counts the questions. */
function databaseWith(secrets: Record<string, string> | null): Tx & { asked: number } {
  const encrypted = secrets === null ? null : encrypt(secretsKey, JSON.stringify(secrets));
  return {
    asked: 0,
    async query<R>() {
      this.asked++;
      return { rows: [{ secrets: encrypted } as R], rowCount: 1 };
    },
  };
}

describe('createResolver', () => {
  it('asks for nothing where the graph names no secret', async () => {
    const tx = databaseWith({ A: 'a' });
    assert.equal(await createResolver({ secretsKey }, tx, 'wf', '"nodes":[]'), undefined);
    assert.equal(tx.asked, 0);
  });

  it('replaces each name in strings at any depth, and touches nothing else', async () => {
    const resolveSecrets = await createResolver(
      { secretsKey },
      databaseWith({ A: 'one', B_2: 'two' }),
      'wf',
      '{{secrets.A}}',
    );
    assert.deepEqual(
      resolveSecrets?.({
        headers: { auth: 'Bearer {{ secrets.A }}' },
        list: ['{{secrets.B_2}}/{{secrets.A}}'],
        n: 3,
        none: null,
      }),
      { headers: { auth: 'Bearer one' }, list: ['two/one'], n: 3, none: null },
    );
    assert.equal(resolveSecrets?.('{{name}} and {{secret.A}}'), '{{name}} and {{secret.A}}');
  });

  it('does not replace what a secret itself contains', async () => {
    const resolveSecrets = await createResolver(
      { secretsKey },
      databaseWith({ A: '{{secrets.B}} $&', B: 'b' }),
      'wf',
      'secrets.',
    );
    assert.equal(resolveSecrets?.('{{secrets.A}}'), '{{secrets.B}} $&');
  });

  it('refuses a name that the workflow has no secret for, inherited names included', async () => {
    const resolveSecrets = await createResolver({ secretsKey }, databaseWith(null), 'wf', 'secrets.');
    assert.throws(() => resolveSecrets?.('{{secrets.MISSING}}'), {
      code: 'unknown_secret',
      message: /MISSING/,
    });
    assert.throws(() => resolveSecrets?.('{{secrets.constructor}}'), { code: 'unknown_secret' });
  });
});
