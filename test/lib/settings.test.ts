// Tests settings: defaults, errors that name the variable, and the table of plans.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { listSettings, readSettings, SettingsError } from '../../src/lib/settings.ts';

/** Calls `use` with the path of a temporary file. */
function withFile<T>(content: string, use: (path: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  const path = join(folder, 'file.json');
  writeFileSync(path, content);
  try {
    return use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('settings', () => {
  it('have defaults and URLs that contain the port', () => {
    const settings = readSettings({ PORT: '4000' });
    assert.equal(settings.ROLE, 'all');
    assert.equal(settings.BASE_URL, 'http://localhost:4000');
    assert.equal(settings.CDN_URL, 'http://localhost:4000/cdn');
    assert.equal(settings.plans.self_hosted?.executionsPerDay, null);
  });

  it('are unset if they are empty', () => {
    assert.equal(readSettings({ PORT: '', BASE_URL: '' }).PORT, 3000);
  });

  it('remove trailing slashes of URLs', () => {
    assert.equal(readSettings({ BASE_URL: 'https://a.example/x//' }).CDN_URL, 'https://a.example/x/cdn');
  });

  it('are turned on and off by several words', () => {
    for (const text of ['false', 'off', 'no', '0', 'OFF'])
      assert.equal(readSettings({ CODE_NODES: text }).CODE_NODES, false, text);
    for (const text of ['true', 'on', 'Yes', '1'])
      assert.equal(readSettings({ CODE_NODES: text }).CODE_NODES, true, text);
    assert.throws(() => readSettings({ CODE_NODES: 'maybe' }), /CODE_NODES.* true or false/);
  });

  it('accept true, false, addresses and ranges for TRUST_PROXY', () => {
    for (const [input, expected] of [
      ['true', true],
      ['false', false],
      ['10.0.0.1', '10.0.0.1'],
      ['10.0.0.0/8, fd00::/8', '10.0.0.0/8, fd00::/8'],
    ] as const)
      assert.equal(readSettings({ TRUST_PROXY: input }).TRUST_PROXY, expected);
    for (const input of ['yes', 'proxy.local', '10.0.0.0/33', '10.0.0.0/', '10.0.0.1,', '10.0.0.0/8/8'])
      assert.throws(() => readSettings({ TRUST_PROXY: input }), /^SettingsError: TRUST_PROXY must be/, input);
  });

  it('accept names and addresses of servers for OPENAI_SERVERS', () => {
    const parse = (text: string) => readSettings({ OPENAI_SERVERS: text }).OPENAI_SERVERS;
    assert.deepEqual(parse(''), []);
    assert.deepEqual(parse('ollama=http://127.0.0.1:11434/v1/, my-kokoro = http://kokoro:8880/v1'), [
      { name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1' },
      { name: 'my-kokoro', baseUrl: 'http://kokoro:8880/v1' },
    ]);
    const problems: readonly (readonly [text: string, problem: RegExp])[] = [
      ['http://127.0.0.1:11434/v1', /must be names/],
      ['Ollama=http://127.0.0.1/v1', /must be names/],
      ['a=http://a/v1,a=http://b/v1', /must not name a twice/],
      ['a=ftp://a/v1', /must give a an http or https address/],
      ['a=http://user:key@a/v1', /without a user name/],
      ['a=http://a/v1?x=1', /query/],
      ['a=nonsense', /must give a an http/],
      [[...Array(51).keys()].map(id => `s${id}=http://a/v1`).join(), /at most 50/],
    ];
    for (const [text, problem] of problems)
      assert.throws(
        () => parse(text),
        (err: Error) => /^OPENAI_SERVERS /.test(err.message) && problem.test(err.message),
        text,
      );
  });

  it('accept positive integers by provider for PROVIDER_CONCURRENCY', () => {
    assert.deepEqual(readSettings({ PROVIDER_CONCURRENCY: '{"fal": 2000}' }).PROVIDER_CONCURRENCY, {
      fal: 2000,
    });
    assert.deepEqual(readSettings({}).PROVIDER_CONCURRENCY, {});
    for (const input of [
      '{fal: 2}',
      '20',
      '[]',
      '{"fal": "2"}',
      '{"fal": 0}',
      '{"fal": 1.5}',
      '{"nobody": 3}',
    ])
      assert.throws(
        () => readSettings({ PROVIDER_CONCURRENCY: input }),
        /^SettingsError: PROVIDER_CONCURRENCY must be JSON/,
        input,
      );
  });

  it('report all invalid values in one error', () => {
    const env = {
      PORT: '70000',
      BASE_URL: 'ftp://a',
      ROLE: 'both',
      SANDBOX_MODELS: 'perhaps',
      BOOTSTRAP_API_KEY: 'sk-short',
      SECRETS_KEY: 'abc',
      DATABASE_URL: 'mysql://a',
    };
    assert.throws(
      () => readSettings(env),
      (err: unknown) => {
        assert.ok(err instanceof SettingsError);
        const names = err.message.split('\n').map(line => line.split(' ')[0]);
        assert.deepEqual(names.toSorted(), Object.keys(env).toSorted());
        assert.match(err.message, /^PORT must be an integer from 0 to 65535\.$/m);
        return true;
      },
    );
  });

  it('accept several hosts of PostgreSQL, but only its primary', () => {
    const read = (target: string) => readSettings({ DATABASE_URL: `postgres://a,b:5433/c${target}` });
    for (const target of ['', '?target_session_attrs=read-write', '?a=1&target_session_attrs=primary'])
      assert.equal(read(target).DATABASE_URL, `postgres://a,b:5433/c${target}`);
    assert.throws(() => read('?target_session_attrs=any'), /only a primary can be used/);
  });

  it('require DATABASE_URL for ROLE=worker and a known DEFAULT_PLAN', () => {
    assert.throws(() => readSettings({ ROLE: 'worker' }), /ROLE=worker requires DATABASE_URL/);
    assert.throws(
      () => readSettings({ DEFAULT_PLAN: 'gold' }),
      /DEFAULT_PLAN must be one of anonymous, free/,
    );
  });

  it('are listed with a name, a default and a description', () => {
    for (const { name, defaultText, help } of listSettings()) {
      assert.match(name, /^[A-Z0-9_]+$/);
      assert.ok(defaultText !== '' && help !== '', name);
    }
  });
});

describe('PLANS_FILE', () => {
  it('overrides limits and adds plans', () => {
    withFile('{"free":{"executionsPerDay":null},"gold":{"requestsPerMinute":7}}', path => {
      const { plans } = readSettings({ PLANS_FILE: path, DEFAULT_PLAN: 'gold' });
      assert.deepEqual(plans.free, {
        requestsPerMinute: 10,
        executionsPerMinute: 10,
        executionsPerDay: null,
        storageBytes: 1024 ** 3,
      });
      assert.equal(plans.gold?.requestsPerMinute, 7);
      const limits = ['starter', 'pro', 'enterprise', 'self_hosted'].map(name => plans[name]?.storageBytes);
      assert.deepEqual(limits, [10 * 1024 ** 3, 100 * 1024 ** 3, null, null]);
    });
    withFile('{"free":{"storageBytes":5},"pro":{"storageBytes":null}}', path => {
      const { plans } = readSettings({ PLANS_FILE: path });
      assert.deepEqual([plans.free?.storageBytes, plans.pro?.storageBytes], [5, null]);
    });
  });

  it('is refused with its path if it is invalid', () => {
    for (const content of [
      '{',
      '[]',
      '{"free":{"requestsPerMinute":-1}}',
      '{"free":{"executionsPerDay":"x"}}',
      '{"free":{"storageBytes":1.5}}',
      '{"free":"none"}',
      '{"free":null}',
    ]) {
      withFile(content, path => {
        assert.throws(
          () => readSettings({ PLANS_FILE: path }),
          (err: unknown) => {
            return (
              err instanceof SettingsError && err.message.startsWith(`PLANS_FILE (${path}) cannot be used: `)
            );
          },
        );
      });
    }
  });
});

describe('PRICES_FILE', () => {
  const readPrices = (content: string): unknown =>
    withFile(content, path => readSettings({ PRICES_FILE: path }).prices);

  it('prices models by node type', () => {
    const prices = { 'text:openai_chat': { usdPerMillionInputTokens: 1.5 }, 'a:b/c': { usdPerCall: 0 } };
    assert.deepEqual(readPrices(JSON.stringify(prices)), prices);
  });

  it('is refused if a price is invalid', () => {
    for (const price of [1, {}, null, { usd: 1 }, { usdPerCall: -1 }, { usdPerCall: '1' }])
      assert.throws(
        () => readPrices(JSON.stringify({ 'a:b': price })),
        /the price of a:b must be/,
        String(price),
      );
  });
});
