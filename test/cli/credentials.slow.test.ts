// Tests `graphwright credentials`, which reads keys from the environment, a pipe or a prompt and never prints them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, it } from 'node:test';
import { type ProcessOptions, type RunCommand, spawnCommand, spawnFirst } from '../support/command-line.ts';
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

const clientSettings = () => ({ GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY });
const runCredentials = async (
  args: readonly string[],
  settings: NodeJS.ProcessEnv = {},
  options?: ProcessOptions,
) => {
  const run: RunCommand = options === undefined ? spawnFirst : (...call) => spawnCommand(...call, options);
  const result = await run(['credentials', ...args], { ...clientSettings(), ...settings });
  assert.ok(!(result.out + result.err).includes(SECRET));
  return result;
};

it('graphwright credentials adds, lists, tests and removes a key', async () => {
  const refusal = await runCredentials(['add', 'fal'], { GRAPHWRIGHT_CREDENTIAL: 'a-wrong-key-8888' });
  assert.equal(refusal.code, 1);
  assert.match(refusal.err, /rejected.*Nothing was stored/);
  const addition = await runCredentials(['add', 'fal', '--name', 'Studio', '--limit', '2.5', '--json'], {
    GRAPHWRIGHT_CREDENTIAL: SECRET,
  });
  assert.equal(addition.code, 0, addition.err);
  const { id, name, dailyUsdLimit, status } = JSON.parse(addition.out) as Record<string, unknown>;
  assert.deepEqual([name, dailyUsdLimit, status], ['Studio', 2.5, 'ok']);
  const list = await runCredentials(['list']);
  assert.match(list.out, new RegExp(`${String(id)} +fal +Studio +…7777`));
  assert.match((await runCredentials(['test', String(id)])).out, /accepted the key/);
  fal.apiKeys = new Set();
  const failedTest = await runCredentials(['test', String(id), '--json']);
  assert.deepEqual([failedTest.code, JSON.parse(failedTest.out).ok], [1, false]);
  fal.apiKeys = new Set([SECRET]);
  assert.match((await runCredentials(['remove', String(id)])).out, /is removed/);
  assert.deepEqual(JSON.parse((await runCredentials(['list', '--json'])).out), []);
});

it('graphwright credentials add does not repeat a key in place of the kind', async () => {
  const result = await runCredentials(['add', SECRET]);
  assert.equal(result.code, 2);
  assert.match(result.err, /one of: fal, replicate/);
});

it('graphwright credentials add reads the key from a pipe', async () => {
  const addition = await runCredentials(
    ['add', 'fal', '--name', 'Piped', '--json'],
    {},
    { input: `${SECRET}\n` },
  );
  assert.equal(addition.code, 0, addition.err);
  const { id, hint } = JSON.parse(addition.out) as Record<string, string>;
  assert.equal(hint, '7777');
  const empty = await runCredentials(['add', 'fal'], {}, { input: '\n' });
  assert.equal(empty.code, 1);
  assert.match(empty.err, /API key/);
  assert.equal((await runCredentials(['remove', String(id)])).code, 0);
});

/** Runs the command in a terminal that `script` provides and types into it. Returns the output of the terminal. */
function typeInto(
  command: string,
  keystrokes: string,
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise(resolve => {
    const env = { ...cleanEnv(), ...clientSettings(), SHELL: '/bin/sh' };
    let output = '';
    const child = execFile('script', ['-qec', command, '/dev/null'], { env, timeout: 60_000 }, () =>
      resolve({ code: child.exitCode ?? -1, output }),
    );
    child.stdout?.on('data', (text: string) => {
      const isFirst = !output.includes('not shown');
      output += text;
      if (isFirst && output.includes('not shown')) child.stdin?.write(keystrokes);
    });
  });
}

it('graphwright credentials add asks for the key on a terminal without showing the key', async () => {
  const command = `'${process.execPath}' '${BIN}' credentials add fal --name Typed`;
  const { code, output } = await typeInto(command, `${SECRET}\r`);
  assert.equal(code, 0, output);
  assert.match(output, /Key \(not shown\): /);
  assert.match(output, /cred_\w+ is stored/);
  assert.ok(!output.includes(SECRET), output);
  const interrupted = await typeInto(command, 'half a key\u0003');
  assert.notEqual(interrupted.code, 0);
  assert.ok(!/is stored|half a key/.test(interrupted.output), interrupted.output);
});
