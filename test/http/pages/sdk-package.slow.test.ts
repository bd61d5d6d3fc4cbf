// Tests that the npm package of the SDK can be installed from a running service, with its types.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { buildSdkPackage } from '../../../src/bundle/sdk-package.ts';
import { withTempFolder } from '../../../src/lib/files.ts';
import { ownAddressSettings, startTestService, type TestService } from '../../support/service.ts';
import { node } from '../../support/workflows.ts';

const COMPILER = join(import.meta.dirname, '../../../node_modules/typescript-native/bin/tsc');
const run = promisify(execFile);

const PROGRAM = `
import { createClient } from '@graphwright/sdk';
const [url, apiKey, workflowId] = process.argv.slice(2) as [string, string, string];
const run = await createClient({ url, apiKey }).run(workflowId);
const [output] = await run.outputs();
const text: string | undefined = output?.text;
console.log(text);
`;

describe('/sdk/graphwright-sdk.tgz', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService(await ownAddressSettings());
  });
  after(() => service?.close());

  it('is installed by npm, compiles with its types, and calls the service', async () => {
    const id = await service.createWorkflow({
      nodes: [node('a', 'input:text', { value: 'Hello' })],
      edges: [],
    });
    await withTempFolder(async folder => {
      await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
      await writeFile(join(folder, 'program.mts'), PROGRAM);
      await run('npm', ['install', '--no-audit', '--no-fund', `${service.url}/sdk/graphwright-sdk.tgz`], {
        cwd: folder,
        env: { ...process.env, npm_config_cache: join(folder, 'cache'), NO_PROXY: '127.0.0.1' },
      });
      const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--lib', 'es2023,dom'];
      await writeFile(join(folder, 'globals.d.ts'), 'declare const process: { argv: string[] };');
      await run(process.execPath, [COMPILER, ...options, '--types', '', 'program.mts', 'globals.d.ts'], {
        cwd: folder,
      }).catch((err: { stdout?: string }) => assert.fail(err.stdout ?? String(err)));
      const { stdout } = await run(process.execPath, ['program.mjs', service.url, service.key, id], {
        cwd: folder,
      });
      assert.equal(stdout.trim(), 'Hello');
    });
  });

  it('has the same bytes in each build, and a URL that caches may keep', async () => {
    const response = await fetch(`${service.url}/sdk/graphwright-sdk.tgz`);
    const bytes = Buffer.from(await response.arrayBuffer());
    assert.deepEqual(bytes, await buildSdkPackage());
    assert.equal(response.headers.get('cache-control'), 'public, no-cache');
    const etag = response.headers.get('etag') ?? '';
    const unchanged = await fetch(response.url, { headers: { 'if-none-match': etag } });
    assert.equal(unchanged.status, 304);
    const hashed = await fetch(new URL(response.headers.get('content-location') ?? '', service.url));
    assert.equal(hashed.status, 200);
    assert.match(hashed.headers.get('cache-control') ?? '', /immutable/);
    await hashed.body?.cancel();
    assert.equal((await fetch(`${service.url}/sdk/graphwright-sdk-0.tgz`)).status, 404);
  });
});
