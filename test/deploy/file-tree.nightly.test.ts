// Runs the program in another folder with only the packaged files, which finds files that are missing in the package.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { PACKAGED_FILES } from '../../scripts/package/files.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { cleanEnv, KEY, type ServiceChild, spawnService, toDatabaseUrl } from '../support/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const CODE = ['bin/*.js', 'package.json', 'src/**/*.ts', 'sdk/**/*.ts'];

let folder: string;
let program: string;
let database: TestDatabase;
let service: ServiceChild;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'graphwright-tree-'));
  const tree = join(folder, 'tree');
  for (const path of globSync([...PACKAGED_FILES, ...CODE], { cwd: ROOT, exclude: ['**/node_modules/**'] })) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    cpSync(join(ROOT, path), join(tree, path));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  program = join(tree, 'bin', 'graphwright.js');
  database = await createTestDatabase();
  const env = { DATABASE_URL: toDatabaseUrl(database.connection), PORT: '0' };
  service = await spawnService(join(folder, 'data'), env, program);
});
after(async () => {
  await service.end('SIGTERM');
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('the packaged files', () => {
  it('suffice to serve static content', async () => {
    for (const path of ['/readyz', '/openapi.json', '/docs/', '/api/v1/nodes', '/theme/light']) {
      const response = await fetch(service.url + path);
      assert.ok(response.ok, `${path}: ${response.status}`);
      await response.text();
    }
    const { body } = await service.request<{ data: readonly object[] }>('GET', '/renderer/templates');
    assert.ok(JSON.stringify(body).length > 1000, 'the templates of videos');
  });

  it('suffice to run an example on the command line', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, 'run', join(folder, 'tree/examples/postcard.json'), '--json'],
      { cwd: folder, env: { ...cleanEnv(), GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY } },
    );
    assert.equal((JSON.parse(stdout) as { status: string }).status, 'COMPLETED');
  });
});
