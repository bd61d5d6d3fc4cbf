// Tests loadSecretsKey, which generates a private key once, also for concurrent processes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { loadSecretsKey } from '../../src/lib/secrets-key.ts';

const root = await mkdtemp(join(tmpdir(), 'gw-key-'));
after(() => rm(root, { recursive: true }));

test('loadSecretsKey returns SECRETS_KEY without writing a file', async () => {
  const dataDir = join(root, 'set');
  assert.deepEqual(await loadSecretsKey({ SECRETS_KEY: 'AB'.repeat(32), dataDir }), Buffer.alloc(32, 0xab));
  await assert.rejects(stat(dataDir), { code: 'ENOENT' });
});

test('loadSecretsKey creates the key once, readable by its owner only', async () => {
  const dataDir = join(root, 'parent', 'child');
  const first = await loadSecretsKey({ SECRETS_KEY: undefined, dataDir });
  assert.equal(first.length, 32);
  assert.deepEqual(await loadSecretsKey({ SECRETS_KEY: undefined, dataDir }), first);
  assert.deepEqual(await readdir(dataDir), ['secrets.key']);
  assert.equal((await stat(join(dataDir, 'secrets.key'))).mode & 0o777, 0o600);
});

test('loadSecretsKey returns the same key to processes that start at the same time', async () => {
  const dataDir = join(root, 'raced');
  const module = new URL('../../src/lib/secrets-key.ts', import.meta.url).href;
  const script = `const { loadSecretsKey } = await import(${JSON.stringify(module)});
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadSecretsKey({ SECRETS_KEY: undefined, dataDir: ${JSON.stringify(dataDir)} })));
    console.log([...new Set(keys.map(key => key.toString('hex')))].join());`;
  const start = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  const outputs = await Promise.all([start(), start(), start()]);
  assert.equal(new Set(outputs.map(output => output.stdout)).size, 1);
  assert.match(outputs[0]?.stdout ?? '', /^[0-9a-f]{64}\n$/);
  assert.deepEqual(await readdir(dataDir), ['secrets.key']);
});

test('loadSecretsKey refuses a damaged key file', async () => {
  await writeFile(join(root, 'secrets.key'), 'abc');
  await assert.rejects(loadSecretsKey({ SECRETS_KEY: undefined, dataDir: root }), /64 hex digits/);
});
