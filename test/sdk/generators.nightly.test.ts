// Tests the OpenAPI document with third-party linters and client generators, whose clients must compile.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createTestApp } from '../support/app.ts';
import { getPeerProgram, NO_PEERS, PEER_MODULES, PEERS } from '../support/peers.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 200_000;

let folder: string;
before(async () => {
  if (NO_PEERS) return;
  // The folder is inside the peers, from where the generators resolve TypeScript.
  await mkdir(join(PEER_MODULES, '.cache'), { recursive: true });
  folder = await mkdtemp(join(PEER_MODULES, '.cache/openapi-'));
  const test = await createTestApp({ env: { BASE_URL: 'https://graphwright.test' } });
  await writeFile(join(folder, 'openapi.json'), (await test.app.inject('/openapi.json')).body);
  await test.close();
});
after(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const runPeer = (program: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
  run(getPeerProgram(program), args, { cwd: folder, timeout: TIMEOUT_MS }).catch(
    (err: { stdout?: string; stderr?: string }) => assert.fail(`${err.stdout}${err.stderr}`),
  );

/** Compiles the source with only the types of a browser. */
async function compile(name: string, source: string): Promise<void> {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    allowImportingTsExtensions: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
  };
  await writeFile(join(folder, `${name}.ts`), source);
  await writeFile(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  await runPeer('tsc', ['-p', `${name}.json`]);
}

describe('the OpenAPI document', { skip: NO_PEERS }, () => {
  it('has no warnings from Spectral or Redocly', async () => {
    const linting = run(process.execPath, [join(PEERS, 'lint-document.js')], { timeout: TIMEOUT_MS });
    linting.child.stdin?.end(await readFile(join(folder, 'openapi.json')));
    assert.deepEqual(JSON.parse((await linting).stdout), []);
  });

  it('can be converted to types by openapi-typescript', async () => {
    const { stdout, stderr } = await runPeer('openapi-typescript', ['openapi.json', '-o', 'types.ts']);
    assert.doesNotMatch(`${stdout}${stderr}`, /warn|error/i);
    await compile(
      'use-types',
      `
import type { components, operations } from './types.ts';
type Started = operations['runWorkflow']['responses'][202]['content']['application/json'];
const started: Started = {} as components['schemas']['AcceptedRun'];
started.estimatedCredits.toFixed();
// @ts-expect-error: status is a closed set
started.status === 'DONE';
const key: operations['runWorkflow']['parameters']['header'] = { 'Idempotency-Key': 'a', Prefer: 'wait=3' };
void key;
`,
    );
  });

  it('can be converted to a client with the operation ids as methods by @hey-api/openapi-ts', async () => {
    const { stdout, stderr } = await runPeer('openapi-ts', [
      '-i',
      'openapi.json',
      '-o',
      'client',
      '--no-log-file',
    ]);
    assert.doesNotMatch(`${stdout}${stderr}`, /warn|error/i);
    await compile(
      'use-client',
      `
import { getExecution, runWorkflow } from './client/sdk.gen';
const { data } = await runWorkflow({ path: { id: 'wf_1' }, body: { inputs: { place: 'Lisbon' } } });
if (data !== undefined && 'executionId' in data) await getExecution({ path: { id: data.executionId } });
// @ts-expect-error: the API has no such property
await runWorkflow({ path: { id: 'wf_1' }, body: { input: {} } });
`,
    );
  });
});
