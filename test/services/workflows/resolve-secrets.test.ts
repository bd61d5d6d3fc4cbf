// Tests the secrets of a run: replaced in strings, sent only to their hosts, and never shown.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Plan, PlanNode } from '../../../src/graph/plan.ts';
import { encrypt } from '../../../src/lib/crypto.ts';
import { createRunSecrets, scrubError } from '../../../src/services/workflows/resolve-secrets.ts';
import type { Secrets } from '../../../src/services/workflows/workflow-secrets.ts';
import type { Tx } from '../../../src/store/db.ts';

const secretsKey = randomBytes(32);
const CREATOR = 1;

/** What the database knows of the run. */
interface RunFacts {
  readonly userId?: number;
  readonly isByHand?: boolean;
  readonly nodesByOthers?: readonly string[] | null;
}

/** Creates a database with one workflow that has these secrets and one run, and counts its queries. */
function createDatabase(
  secrets: Secrets | null,
  { isByHand = true, nodesByOthers = [] }: RunFacts = {},
): Tx & { queryCount: number } {
  const encrypted = secrets === null ? null : encrypt(secretsKey, JSON.stringify(secrets));
  const rows = [{ secrets: encrypted, user_id: CREATOR }, { isByHand }, { nodesByOthers }];
  return {
    queryCount: 0,
    async query<R>() {
      return { rows: [rows[this.queryCount++] as R], rowCount: 1 };
    },
  };
}

const toRun = ({ userId = CREATOR }: RunFacts) => ({
  id: 'exec',
  workflow_id: 'wf',
  workflow_version: 1,
  user_id: userId,
});

const createPlanNode = (
  id: string,
  inputs: PlanNode['inputs'] = [],
  more: Partial<PlanNode> = {},
): PlanNode => ({
  id,
  label: id,
  nodeType: 'utility:http_request',
  category: 'utility',
  config: {},
  inputDefs: [],
  outputDefs: [],
  inputs,
  dependents: [],
  sourceCount: inputs.length,
  ...more,
});

/** The URL of `http` comes from `address`, which comes from `base`; its body comes from `text`. */
const PLAN: Plan = {
  nodes: [
    createPlanNode('base'),
    createPlanNode('address', [{ port: 'text1', sourceIndex: 0, sourcePort: 'text' }]),
    createPlanNode('text'),
    createPlanNode('http', [
      { port: 'url', sourceIndex: 1, sourcePort: 'text' },
      { port: 'body', sourceIndex: 2, sourcePort: 'text' },
    ]),
    createPlanNode('approved', [], { nodeType: 'logic:approval' }),
    createPlanNode('decided', [{ port: 'url', sourceIndex: 4, sourcePort: 'approved' }]),
    createPlanNode('call/http', [], {
      component: { path: 'call/http', workflowIds: ['wf_2'], isOutput: false },
    }),
  ],
};

async function createSecrets(
  secrets: Secrets | null,
  facts: RunFacts & { readonly pins?: Readonly<Record<string, string>> } = {},
) {
  const created = await createRunSecrets({ secretsKey }, createDatabase(secrets, facts), {
    run: toRun(facts),
    version: { mentionsSecrets: true },
    plan: PLAN,
    pins: facts.pins,
  });
  assert.ok(created);
  return created;
}

describe('secrets of a run', () => {
  it('are read only if the graph refers to a secret', async () => {
    const tx = createDatabase({ A: 'a' });
    const input = { run: toRun({}), version: { mentionsSecrets: false }, plan: PLAN };
    assert.equal(await createRunSecrets({ secretsKey }, tx, input), undefined);
    assert.equal(tx.queryCount, 0);
  });

  it('are concealed in data in every encoding, unless they are short', async () => {
    const { conceal } = await createSecrets({ LONG: 'k-123456', SHORT: 'pad' });
    const [longHex, shortHex] = ['k-123456', 'pad'].map(value => Buffer.from(value).toString('hex'));
    assert.equal(conceal(`k-123456 ${longHex} pad ${shortHex}`, ['LONG', 'SHORT']), `… … pad ${shortHex}`);
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

  it('are inserted only up to a million characters per request, however often they are repeated', async () => {
    const { replace } = await createSecrets({ A: 'x'.repeat(10_000) });
    const parts = (count: number) => ({ body: '{{secrets.A}}'.repeat(count), list: ['{{secrets.A}}'] });
    assert.equal(JSON.stringify(replace(parts(99))).length > 1_000_000, true);
    assert.throws(() => replace(parts(100)), { code: 'text_too_long' });
  });

  it('reject unknown and inherited names with unknown_secret', async () => {
    const { replace } = await createSecrets(null);
    assert.throws(() => replace('{{secrets.MISSING}}'), { code: 'unknown_secret', message: /MISSING/ });
    assert.throws(() => replace('{{secrets.constructor}}'), { code: 'unknown_secret' });
  });

  it('are sent only in runs that the creator starts by hand if no hosts are allowed explicitly', async () => {
    const url = new URL('https://api.example.com/x');
    const creatorSecrets = await createSecrets({ A: 'value' });
    assert.equal(creatorSecrets.valueFor('A', url, 'http'), 'value');
    assert.equal(creatorSecrets.mayRedirect(['A'], url, new URL('https://api.example.com/y')), true);
    assert.equal(creatorSecrets.mayRedirect(['A'], url, new URL('http://api.example.com/y')), false);
    for (const facts of [{ userId: 2 }, { isByHand: false }]) {
      const { valueFor } = await createSecrets({ A: 'value' }, facts);
      const refusal = {
        code: 'secret_not_allowed',
        message: /by hand, not by a schedule.*can add the hosts/,
      };
      assert.throws(() => valueFor('A', url, 'http'), refusal, JSON.stringify(facts));
    }
  });

  it('are sent only from nodes whose destination the creator wrote if no hosts are allowed explicitly', async () => {
    const url = new URL('https://api.example.com/x');
    const refusal = { code: 'secret_not_allowed', message: /nodes that the workflow’s creator wrote/ };
    const { valueFor } = await createSecrets({ A: 'value' }, { nodesByOthers: ['text'] });
    assert.equal(valueFor('A', url, 'http'), 'value', 'someone else wrote only the body');
    for (const id of ['call/http', 'decided']) assert.throws(() => valueFor('A', url, id), refusal, id);
    for (const facts of [
      { nodesByOthers: ['http'] },
      { nodesByOthers: ['base'] },
      { nodesByOthers: null },
      { pins: { address: 'exec_1' } },
    ]) {
      const secrets = await createSecrets({ A: 'value' }, facts);
      assert.throws(() => secrets.valueFor('A', url, 'http'), refusal, JSON.stringify(facts));
    }
  });

  it('are sent only to their allowed hosts by runs of any user', async () => {
    const hosts = ['api.example.com', '*.example.org:8443', 'Bücher.example', '[::1]:9000', 'localhost:8080'];
    const { mayRedirect, valueFor } = await createSecrets({ A: { value: 'value', hosts } }, { userId: 2 });
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
      assert.equal(valueFor('A', new URL(url), 'call/http'), 'value', url);
      assert.equal(mayRedirect(['A'], new URL('https://other.example'), new URL(url)), true, url);
    }
    for (const url of refusedUrls) {
      assert.throws(() => valueFor('A', new URL(url), 'http'), { code: 'secret_not_allowed' }, url);
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
