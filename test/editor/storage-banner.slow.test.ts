// Tests the banner that the storage of an account is nearly full.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { node } from '../support/workflows.ts';
import { setUpSignedInPages } from './dom/signed-in-pages.ts';

const LIMIT = 1_000_000_000;

describe('the storage banner', () => {
  let folder: string;
  const editor = setUpSignedInPages(async () => {
    folder = await mkdtemp(join(tmpdir(), 'graphwright-plans-'));
    const PLANS_FILE = join(folder, 'plans.json');
    await writeFile(PLANS_FILE, JSON.stringify({ self_hosted: { storageBytes: LIMIT } }));
    return { PLANS_FILE };
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Sets the number of stored bytes. */
  const setUsage = (bytes: number) =>
    editor.service.db.query(
      `insert into storage_usage (user_id, bytes) select id, $1 from users
       on conflict (user_id) do update set bytes = $1`,
      [bytes],
    );

  it('appears on every page when the storage is 80% full', async () => {
    const id = await editor.service.createWorkflow({
      nodes: [node('a', 'input:text', { value: 'x' })],
      edges: [],
    });
    await setUsage(0.79 * LIMIT);
    await using testPage = await editor.open('/workflows');
    const { page } = testPage;
    await page.getByRole('heading', { level: 1 }).waitFor();
    const banner = page.getByRole('status').filter({ hasText: 'storage' });
    assert.equal(await banner.count(), 0);
    await setUsage(0.8 * LIMIT);
    await page.goto(`/flow/${id}`);
    await page.getByText('Your storage is 80% full (800 MB of 1 GB).').waitFor();
    await page.getByRole('link', { name: 'Manage media' }).click();
    await page.waitForURL('**/media');
  });
});
