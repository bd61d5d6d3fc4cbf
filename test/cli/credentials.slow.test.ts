// Tests `graphwright credentials`: values come from the environment, a pipe or a prompt, and are never printed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, it } from 'node:test';
import { type ProcessOptions, spawnCommand } from '../support/command-line.ts';
import { plainImage } from '../support/media/pixels.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { BIN, cleanEnv, KEY, startTestService, type TestService } from '../support/service.ts';

const SECRET = 'cli-secret-value-7777';
let fal: FalDouble;
let service: TestService;
before(async () => {
  fal = await startFal(await plainImage(8, 8, '#336699'));
  fal.apiKeys = new Set([SECRET]);
  service = await startTestService({ FAL_BASE_URL: fal.url, CREDENTIALS_BASE_URLS: 'instance', ROLE: 'api' });
});
after(async () => {
  await fal.close();
  await service.close();
});

const address = () => ({ GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY });
const graphwright = async (
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  options: ProcessOptions = {},
) => {
  const result = await spawnCommand(['credentials', ...args], { ...address(), ...settings }, options);
  assert.ok(!(result.out + result.err).includes(SECRET));
  return result;
};

it('stores a key that the provider accepts, lists, tests and removes it', async () => {
  const refused = await graphwright(['add', 'fal'], { GRAPHWRIGHT_CREDENTIAL: 'a-wrong-key-8888' });
  assert.equal(refused.code, 1);
  assert.match(refused.err, /rejected.*Nothing was stored/);
  const added = await graphwright(['add', 'fal', '--name', 'Studio', '--limit', '2.5', '--json'], {
    GRAPHWRIGHT_CREDENTIAL: SECRET,
  });
  assert.equal(added.code, 0, added.err);
  const { id, name, dailyUsdLimit } = JSON.parse(added.out) as Record<string, unknown>;
  assert.deepEqual([name, dailyUsdLimit], ['Studio', 2.5]);
  const listed = await graphwright(['list']);
  assert.match(listed.out, new RegExp(`${String(id)} +fal +Studio +…7777`));
  assert.match((await graphwright(['test', String(id)])).out, /accepted the key/);
  fal.apiKeys = new Set();
  const failed = await graphwright(['test', String(id), '--json']);
  assert.deepEqual([failed.code, JSON.parse(failed.out).ok], [1, false]);
  fal.apiKeys = new Set([SECRET]);
  assert.match((await graphwright(['remove', String(id)])).out, /is removed/);
  assert.deepEqual(JSON.parse((await graphwright(['list', '--json'])).out), []);
});

it('reads the key from a pipe', async () => {
  const added = await graphwright(['add', 'fal', '--name', 'Piped', '--json'], {}, { input: `${SECRET}\n` });
  assert.equal(added.code, 0, added.err);
  const { id, hint } = JSON.parse(added.out) as Record<string, string>;
  assert.equal(hint, '7777');
  const empty = await graphwright(['add', 'fal'], {}, { input: '\n' });
  assert.equal(empty.code, 1);
  assert.match(empty.err, /API key/);
  assert.equal((await graphwright(['remove', String(id)])).code, 0);
});

/** Types into a terminal that `script` provides. Returns what the terminal showed. */
function typeInto(
  command: string,
  typed: string,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise(resolve => {
    const env = { ...cleanEnv(), ...address(), SHELL: '/bin/sh' };
    let output = '';
    const child = execFile('script', ['-qec', command, '/dev/null'], { env, timeout: 60_000 }, () =>
      resolve({ code: child.exitCode ?? -1, output }),
    );
    child.stdout?.on('data', (text: string) => {
      const isFirst = !output.includes('not shown');
      output += text;
      if (isFirst && output.includes('not shown')) child.stdin?.write(typed);
    });
  });
}

it('asks for the key on a terminal, without showing it', async () => {
  const command = `'${process.execPath}' '${BIN}' credentials add fal --name Typed`;
  const { code, output: shown } = await typeInto(command, `${SECRET}\r`);
  assert.equal(code, 0, shown);
  assert.match(shown, /Key \(not shown\): /);
  assert.match(shown, /cred_\w+ is stored/);
  assert.ok(!shown.includes(SECRET), shown);
  const { code: interrupted, output: left } = await typeInto(command, 'half a key\u0003');
  assert.notEqual(interrupted, 0);
  assert.ok(!left.includes('is stored') && !left.includes('half a key'), left);
});
