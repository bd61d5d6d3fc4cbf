// Tests the account that runs PostgreSQL if root starts it. embedded-accounts.nightly.test.ts tests more accounts and folders.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { startEmbedded } from '../../src/store/embedded/embedded.ts';
import { chooseRunner } from '../../src/store/embedded/run-as.ts';

const [ROOT, NOBODY] = [0, 65_534];

function hasNamespaces(): boolean {
  try {
    execFileSync('unshare', ['--user', '--map-user=1000', 'true'], { stdio: 'ignore', timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

describe('the embedded PostgreSQL under root', {
  skip: process.getuid?.() !== ROOT && 'only root runs PostgreSQL as another user',
}, () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'graphwright-test-'));
    await chmod(root, 0o755);
  });
  after(() => rm(root, { recursive: true, force: true }));

  const getClusterOwner = async (dataDir: string): Promise<number> =>
    (await stat(join(dataDir, 'postgres', 'cluster'))).uid;

  it('runs as the given account', async () => {
    const dataDir = join(root, 'open');
    const postgres = await startEmbedded({ dataDir, account: 'nobody' });
    const status = await readFile(`/proc/${postgres.pid}/status`, 'utf8');
    await postgres.stop();
    assert.match(status, /^Uid:\t65534\t65534\t65534\t65534$/m);
    assert.match(status, /^Groups:\t\s*$/m);
    assert.equal(await getClusterOwner(dataDir), NOBODY);
  });

  it('changes the owner of the cluster if its folder moves below a folder that the account cannot enter', {
    skip: !hasNamespaces() && 'this kernel or container allows no user namespaces',
  }, async () => {
    await mkdir(join(root, 'closed'), { mode: 0o700 });
    const dataDir = join(root, 'closed', 'moved');
    await rename(join(root, 'open'), dataDir);
    await (await startEmbedded({ dataDir, account: 'nobody' })).stop();
    assert.equal(await getClusterOwner(dataDir), ROOT);
  });

  it('reports every attempt if no account can run PostgreSQL', async () => {
    const request = { postgres: '/nowhere/postgres', folder: '/', owner: undefined, account: 'nobody-else' };
    await assert.rejects(
      chooseRunner(request),
      (err: unknown) =>
        err instanceof AppError &&
        /ordinary user.*DATABASE_URL[\s\S]*Tried unshare .*\/nowhere\/postgres[\s\S]*Tried setpriv/.test(
          err.message,
        ),
    );
  });
});
