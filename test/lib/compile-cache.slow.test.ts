// Tests that processes share the compile cache on disk, even after a process was killed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';

const MODULE = join(import.meta.dirname, '../../src/lib/compile-cache.ts');
const SCRIPT = `
  const { getCompileCacheEnv } = await import(process.argv[1]);
  process.getBuiltinModule("node:module").flushCompileCache();
  console.log(JSON.stringify(getCompileCacheEnv()));
  setInterval(() => undefined, 1000);`;

describe('the compile cache', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-compiled-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is stored in the folder that child processes use', async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, MODULE], {
      env: { NODE_COMPILE_CACHE: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    const [output] = await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await exit;
    assert.deepEqual(JSON.parse(String(output)), { NODE_COMPILE_CACHE: folder });
    const [versionFolder = '', ...otherFolders] = await readdir(folder);
    assert.deepEqual(otherFolders, []);
    assert.ok((await readdir(join(folder, versionFolder))).length > 0);
  });
});
