// Tests stored segments of videos between workers, and the daily cleanup of segments and old clips.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { sweepRuns } from '../../../src/runs/sweep-runs.ts';
import { storeMedia } from '../../../src/services/media/media.ts';
import { createSegmentStore } from '../../../src/services/renders/segment-store.ts';
import { listParts } from '../../../src/services/renders/store.ts';
import { findMedia } from '../../../src/store/media/media.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';

const { signal } = new AbortController();
const DAY_MS = 86_400_000;

describe('stored video segments', () => {
  let test: TestApp;
  let folder: string;
  before(async () => {
    test = await createTestApp({ env: { KEEP_EXECUTIONS_DAYS: '10' } });
    folder = await mkdtemp(join(tmpdir(), 'graphwright-parts-'));
  });
  after(async () => {
    await test.close();
    await rm(folder, { recursive: true, force: true });
  });

  const countParts = async (scope: string) => (await listParts(test.deps.db, scope)).length;
  const storeParts = async (scope: string, names: readonly string[]) => {
    const parts = createSegmentStore(test.deps, scope);
    for (const name of names) {
      await writeFile(join(folder, name), `content of ${name}`);
      parts.store(join(folder, name));
      parts.store(join(folder, name));
    }
    await waitUntil('the parts', async () => (await countParts(scope)) === names.length);
    return parts;
  };
  const restore = async (scope: string): Promise<readonly string[]> => {
    const target = await mkdtemp(join(folder, 'into-'));
    await createSegmentStore(test.deps, scope).restore(target, signal);
    for (const name of await readdir(target))
      assert.equal(await readFile(join(target, name), 'utf8'), `content of ${name}`);
    return (await readdir(target)).sort();
  };

  it('are restored by another worker until they are deleted', async () => {
    const parts = await storeParts('ex_1/video', ['a.mp4', 'b.mp4']);
    assert.deepEqual(await restore('ex_1/video'), ['a.mp4', 'b.mp4']);
    assert.deepEqual(await restore('ex_2/video'), []);
    const [file] = await listParts(test.deps.db, 'ex_1/video');
    await parts.drop();
    assert.deepEqual(await restore('ex_1/video'), []);
    assert.equal(await test.deps.storage.stat(file?.file_id ?? ''), undefined);
  });

  it('are stored again if files of them are missing', async () => {
    await storeParts('ex_3/video', ['a.mp4', 'b.mp4']);
    const [segment] = await listParts(test.deps.db, 'ex_3/video');
    await test.deps.storage.remove(segment?.file_id ?? '');
    assert.equal((await restore('ex_3/video')).length, 1);
    const otherStore = createSegmentStore(test.deps, 'ex_3/video');
    await otherStore.restore(await mkdtemp(join(folder, 'again-')), signal);
    otherStore.store(join(folder, segment?.name ?? ''));
    await waitUntil('the segment to be stored', async () => (await restore('ex_3/video')).length === 2);
    await otherStore.drop();
  });

  it('are deleted by sweepRuns after KEEP_EXECUTIONS_DAYS, like unreferenced clips', async () => {
    const { userId } = await test.createUser();
    const owner = { userId, workspace: `user:${userId}`, executionId: null };
    const oldTime = new Date(Date.now() - 11 * DAY_MS);
    const createClip = async (finishedAt: Date | null): Promise<string> => {
      const file = { source: await plainImage(4, 4, '#123456'), contentType: 'image/png', name: 'x' };
      const { mediaId } = await storeMedia(test.deps, owner, file, signal);
      await test.deps.db.query(
        `insert into renders (id, user_id, workspace, graph, first_frame, end_frame, scale, status, media_id, created_at, finished_at)
         values ($1, $2, 'w', '', 0, 1, 1, 'COMPLETED', $3, $4, $5)`,
        [newId('render'), userId, mediaId, oldTime, finishedAt],
      );
      return mediaId;
    };
    const [unreferenced, referenced, unfinished] = [
      await createClip(oldTime),
      await createClip(oldTime),
      await createClip(null),
    ];
    await test.deps.db.query(
      `insert into workflows (id, user_id, name, version) values ('wf_1', $1, 'W', 1)`,
      [userId],
    );
    await test.deps.db.query(
      `insert into workflow_versions (workflow_id, version, graph, user_id) values ('wf_1', 1, '', $1)`,
      [userId],
    );
    await test.deps.db.query(`insert into workflow_media values ($1, 'wf_1', 1)`, [referenced]);
    await storeParts('ex_4/video', ['a.mp4']);
    await test.deps.db.query(`update render_parts set created_at = $1`, [oldTime]);
    await sweepRuns(test.deps, signal);
    assert.equal(await countParts('ex_4/video'), 0);
    assert.equal(await findMedia(test.deps.db, unreferenced), undefined);
    assert.ok((await findMedia(test.deps.db, referenced)) && (await findMedia(test.deps.db, unfinished)));
    const { rowCount } = await test.deps.db.query('select from renders');
    assert.equal(rowCount, 1);
    const orphans = await test.deps.db.query('select from media_strays where id = $1', [unreferenced]);
    assert.equal(orphans.rowCount, 1);
  });
});
