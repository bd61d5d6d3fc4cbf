// Tests the secrets of a run: replaced in strings, sent only to their hosts, and never shown.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { encrypt } from '../../../src/lib/crypto.ts';
import { createRunSecrets, scrubError } from '../../../src/services/workflows/resolve-secrets.ts';
import type { Secrets } from '../../../src/services/workflows/workflow-secrets.ts';
import type { Tx } from '../../../src/store/db.ts';

const secretsKey = randomBytes(32);
const CREATOR = 1;
const MENTIONS_SECRETS = { mentionsSecrets: true };

/** Creates a database with one workflow that has these secrets, and counts its queries. */
function createDatabase(secrets: Secrets | null): Tx & { queryCount: number } {
  const encrypted = secrets === null ? null : encrypt(secretsKey, JSON.stringify(secrets));
  return {
    queryCount: 0,
    async query<R>() {
      this.queryCount++;
      return { rows: [{ secrets: encrypted, user_id: CREATOR } as R], rowCount: 1 };
    },
  };
}

async function createSecrets(secrets: Secrets | null, userId = CREATOR) {
  const run = { workflow_id: 'wf', user_id: userId };
  const created = await createRunSecrets({ secretsKey }, createDatabase(secrets), run, MENTIONS_SECRETS);
  assert.ok(created);
  return created;
}

describe('secrets of a run', () => {
  it('are read only if the graph refers to a secret', async () => {
    const tx = createDatabase({ A: 'a' });
    const run = { workflow_id: 'wf', user_id: CREATOR };
    assert.equal(await createRunSecrets({ secretsKey }, tx, run, { mentionsSecrets: false }), undefined);
    assert.equal(tx.queryCount, 0);
  });

  it('are inserted into strings at any depth', async () => {
    const { replace } = await createSecrets({ A: 'one', B_2: { value: 'two', hosts: ['example.com'] } });
    assert.deepEqual(
      replace({
        headers: { auth: 'Bearer {{ secrets.A }}' },
        list: ['{{secrets.B_2}}/{{secrets.A}}'],
        n: 3,
        none: null,
      }),
      { headers: { auth: 'Bearer one' }, list: ['two/one'], n: 3, none: null },
    );
    assert.equal(replace('{{name}} and {{secret.A}}'), '{{name}} and {{secret.A}}');
  });

  it('are inserted without expanding references in their values', async () => {
    const { replace } = await createSecrets({ A: '{{secrets.B}} $&', B: 'b' });
    assert.equal(replace('{{secrets.A}}'), '{{secrets.B}} $&');
  });

  it('reject unknown and inherited names with unknown_secret', async () => {
    const { replace } = await createSecrets(null);
    assert.throws(() => replace('{{secrets.MISSING}}'), { code: 'unknown_secret', message: /MISSING/ });
    assert.throws(() => replace('{{secrets.constructor}}'), { code: 'unknown_secret' });
  });

  it('are sent only in runs of the creator if no hosts are allowed explicitly', async () => {
    const url = new URL('https://api.example.com/x');
    const creatorSecrets = await createSecrets({ A: 'value' });
    assert.equal(creatorSecrets.valueFor('A', url), 'value');
    assert.equal(creatorSecrets.mayRedirect(['A'], url, new URL('https://api.example.com/y')), true);
    assert.equal(creatorSecrets.mayRedirect(['A'], url, new URL('http://api.example.com/y')), false);
    const otherUsersSecrets = await createSecrets({ A: 'value' }, 2);
    assert.throws(() => otherUsersSecrets.valueFor('A', url), {
      code: 'secret_not_allowed',
      message: /no allowed hosts/,
    });
  });

  it('are sent only to their allowed hosts by runs of any user', async () => {
    const hosts = ['api.example.com', '*.example.org:8443', 'Bücher.example', '[::1]:9000', 'localhost:8080'];
    const { mayRedirect, valueFor } = await createSecrets({ A: { value: 'value', hosts } }, 2);
    const allowedUrls = [
      'https://api.example.com/x',
      'https://API.example.com:443/x',
      'http://api.example.com/x',
      'https://a.example.org:8443/',
      'https://a.b.example.org:8443/',
      'https://xn--bcher-kva.example/',
      'http://[::1]:9000/',
      'http://localhost:8080/',
    ];
    const refusedUrls = [
      'https://example.com/',
      'https://api.example.com.evil.example/',
      'https://evilapi.example.com/',
      'https://api.example.com:8443/',
      'https://example.org:8443/',
      'https://a.example.org/',
      'https://evilexample.org:8443/',
      'http://localhost/',
    ];
    for (const url of allowedUrls) {
      assert.equal(valueFor('A', new URL(url)), 'value', url);
      assert.equal(mayRedirect(['A'], new URL('https://other.example'), new URL(url)), true, url);
    }
    for (const url of refusedUrls) {
      assert.throws(() => valueFor('A', new URL(url)), { code: 'secret_not_allowed' }, url);
      assert.equal(mayRedirect(['A'], new URL('https://api.example.com'), new URL(url)), false, url);
    }
  });

  it('are redacted from messages in any letter case and common encodings', async () => {
    const value = 'Sword Fish+ü';
    const { scrub } = await createSecrets({ A: value, B: { value: 'TokenOne', hosts: ['example.com'] } });
    const texts = [
      value,
      value.toUpperCase(),
      value.toLowerCase(),
      encodeURIComponent(value),
      encodeURIComponent(value).toLowerCase(),
      encodeURIComponent(value).replaceAll('%20', '+'),
      Buffer.from(value).toString('base64'),
      Buffer.from(value).toString('hex'),
      'tokenone',
      'tokenone.invalid could not be found',
    ];
    for (const text of texts) {
      const scrubbed = scrub(`before ${text} after`);
      assert.ok(scrubbed.startsWith('before …'), scrubbed);
    }
    assert.equal((await createSecrets({ H: 'Bücher' })).scrub('xn--bcher-kva.example'), '….example');
    const err = new Error(`at ${value}`, { cause: new TypeError('tokenONE') });
    const copy = scrubError(err, scrub) as Error;
    assert.equal(copy.message, 'at …');
    assert.ok(!/sword fish|tokenone/i.test(`${copy.stack} ${(copy.cause as Error).stack}`));
  });
});
