// Tests the sweep of old outputs and previews: it deletes unreferenced files with their rows and keeps the others.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { openDiskStorage } from '../../../src/media/disk.ts';
import { TEMPLATES } from '../../../src/render/templates/catalog.ts';
import type { Deps } from '../../../src/services/deps.ts';
import { storeMedia } from '../../../src/services/media/media.ts';
import { receiveFile, recordFile } from '../../../src/services/media/receive-file.ts';
import { sweepMedia } from '../../../src/services/media/sweep-media.ts';
import { sweepOutputs } from '../../../src/services/media/sweep-outputs.ts';
import { insertUser } from '../../../src/store/users.ts';
import { type Caller, createTestApp, type TestApp } from '../../support/app.ts';
import { blockWrites, createTestDatabase } from '../../support/database.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { waitUntil } from '../../support/processes.ts';
import { spawnService, toDatabaseUrl } from '../../support/service.ts';
import { createWorkflow, node } from '../../support/workflows.ts';

const DAY_MS = 86_400_000;
const SECRET = 'content-secret';

describe('the sweep of outputs', () => {
  let test: TestApp;
  let caller: Caller;
  let workspace: string;
  let bytes: Buffer;
  let workflow: string;
  let templates: string;
  // The files are created in the past, and the sweep runs today.
  let now = Date.now() - 40 * DAY_MS;
  const inTemplate = newId('media', now);

  before(async () => {
    templates = await mkdtemp(join(tmpdir(), 'graphwright-templates-'));
    const template = { ...TEMPLATES[0], id: 'own', description: `with /cdn/${inTemplate}/a.png` };
    await writeFile(join(templates, 'own.json'), JSON.stringify(template));
    process.env.TEMPLATES_DIR = templates;
    test = await createTestApp({
      env: { KEEP_OUTPUTS_DAYS: '30', CONTENT_WEBHOOK_SECRET: SECRET },
      now: () => now,
    });
    caller = await test.createCaller();
    await insertUser(test.deps.db, { email: 'a@example.com', name: 'A', plan: 'free', isAuthor: true });
    workspace = `user:${caller.userId}`;
    bytes = await plainImage(4, 4, '#336699');
    workflow = (await createWorkflow(caller)).id;
  });
  after(async () => {
    await test.close();
    await rm(templates, { recursive: true, force: true });
  });

  const insertRun = async (steps: object = [], request: object = {}): Promise<string> => {
    const id = newId('execution', now);
    await test.deps.db.query(
      `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request, nodes_total,
         created_at, finished_at)
       values ($1, $2, 1, $3, $4, 'COMPLETED', 'api', $5, 1, now(), now())`,
      [id, workflow, caller.userId, workspace, JSON.stringify(request)],
    );
    await test.deps.db.query('insert into execution_steps values ($1, 1, $2)', [id, JSON.stringify(steps)]);
    return id;
  };
  const forgetRun = (id: string) =>
    test.deps.db.query(
      `with steps as (delete from execution_steps where execution_id = $1) delete from executions where id = $1`,
      [id],
    );
  const owner = (executionId: string | null) => ({ userId: caller.userId, workspace, executionId });
  const signal = AbortSignal.timeout(600_000);
  /** Creates the output of a run that is no longer kept, or a preview without a run. */
  const make = async (executionId: string | null): Promise<string> => {
    // Created in sequence, so that the newest is known.
    now += 1;
    const file = { source: bytes, contentType: 'image/png', name: 'a' };
    return (await storeMedia(test.deps, owner(executionId), file, signal)).mediaId;
  };
  const makeOfLostRun = async (): Promise<string> => {
    const run = await insertRun();
    const id = await make(run);
    await forgetRun(run);
    return id;
  };
  const makeFetched = async (): Promise<string> => {
    const run = await insertRun();
    const incoming = { source: bytes, declared: 'image/png', name: 'b', maxBytes: () => 10_000 };
    const file = await receiveFile(test.deps, incoming, signal);
    await recordFile(test.deps, file, { ...owner(run), origin: 'input' });
    await forgetRun(run);
    return file.id;
  };
  const sweep = async (): Promise<void> => {
    now += 40 * DAY_MS;
    await sweepOutputs(test.deps, signal);
    now -= 40 * DAY_MS;
  };
  const isThere = async (id: string): Promise<boolean> => {
    const { rowCount } = await test.deps.db.query('select from media where id = $1', [id]);
    const file = await test.deps.storage.stat(id);
    assert.equal(file !== undefined, rowCount === 1, 'a row has its file, and a file its row');
    return rowCount === 1;
  };

  it('deletes unreferenced outputs, previews and downloaded inputs, with their files', async () => {
    const gone = [await makeOfLostRun(), await make(null), await makeFetched()];
    // The newest image of a workflow is its poster.
    const poster = await makeOfLostRun();
    const { body: upload } = await caller.request<{ mediaId: string }>('POST', '/media/upload', {
      dataUrl: `data:image/png;base64,${bytes.toString('base64')}`,
    });
    now += 20 * DAY_MS;
    const young = await make(null);
    now -= 20 * DAY_MS;
    await sweep();
    for (const id of gone) assert.equal(await isThere(id), false);
    for (const id of [poster, upload.mediaId, young]) assert.equal(await isThere(id), true);
    const { rows } = await test.deps.db.query('select from media_strays');
    assert.equal(rows.length, 0);
    assert.equal((await test.app.inject(`/cdn/${gone[0]}/a.png`)).statusCode, 404);
  });

  const page = async (
    content: Readonly<Record<string, unknown>> & { readonly title: string },
  ): Promise<void> => {
    const response = await test.app.inject({
      method: 'POST',
      url: '/api/content/webhook',
      headers: { authorization: `Bearer ${SECRET}` },
      payload: { type: 'ARTICLE', isPublished: false, slug: content.title.toLowerCase(), ...content },
    });
    assert.equal(response.statusCode, 201, response.body);
  };
  /** Each refers to the media in a different way. */
  const NAMERS: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    'a run that found its result kept': id =>
      insertRun([{ nodeId: 'a', outputs: { image: { type: 'IMAGE', media: { mediaId: id } } } }]),
    'a run that was given its address': id =>
      insertRun([], { inputs: { a: { url: `http://x/cdn/${id}/a.png` } } }),
    'a graph': id =>
      createWorkflow(caller, { nodes: [node('a', 'input:image', { mediaId: id })], edges: [] }),
    'an earlier version of a graph': async id => {
      const nodes = [node('a', 'input:image', { mediaId: id })];
      const { id: other } = await createWorkflow(caller, { nodes, edges: [] });
      await caller.request('PUT', `/workflows/${other}`, { nodes: [node('a', 'input:image', {})] });
    },
    'the media of a workflow': id => createWorkflow(caller, { mediaId: id }),
    'a pinned poster': id =>
      test.deps.db.query(`update workflows set poster = $2 || '/a.png' where id = $1`, [workflow, id]),
    'the text of a publication': async id => {
      const other = await createWorkflow(caller);
      await caller.request('POST', `/workflows/${other.id}/publish`, {
        isPublished: true,
        settings: { description: `![x](/cdn/${id}/a.png)` },
      });
    },
    'the hero of a page': id => page({ title: 'Hero', heroImage: `https://x.test/cdn/${id}/a.png` }),
    'the body of a page': id =>
      page({
        title: 'Body',
        contentBlocks: [{ type: 'markdown', markdown: `![x](https://x.test/cdn/${id}/a.png)` }],
      }),
  };

  for (const [name, nameIt] of Object.entries(NAMERS)) {
    it(`keeps a file that ${name} refers to`, async () => {
      const id = await makeOfLostRun();
      // Not the newest, which stays as the poster.
      await makeOfLostRun();
      await nameIt(id);
      await sweep();
      assert.equal(await isThere(id), true);
    });
  }

  it('keeps the outputs of a run until the run is deleted', async () => {
    const run = await insertRun();
    const id = await make(run);
    await makeOfLostRun();
    await sweep();
    assert.equal(await isThere(id), true);
    assert.equal((await caller.request('DELETE', `/executions/${run}`)).status, 200);
    await sweep();
    assert.equal(await isThere(id), false);
  });

  it('keeps files that another run refers to until that run is deleted', async () => {
    const id = await make(null);
    const run = await insertRun([{ mediaId: id }]);
    await sweep();
    assert.equal(await isThere(id), true);
    assert.equal((await caller.request('DELETE', `/executions/${run}`)).status, 200);
    await sweep();
    assert.equal(await isThere(id), false);
  });

  it('handles more than one batch, skipping files that stay', async () => {
    const run = await insertRun();
    const rows = Array.from({ length: 1300 }, (_, index) => [
      newId('media', now),
      index % 2 === 0 ? run : 'ex_gone',
    ]);
    await test.deps.db.query(
      `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin, execution_id)
       select id, $3, $4, 'a.txt', 'audio/wav', 1, 'x', 'output', run from unnest($1::text[], $2::text[]) as made(id, run)`,
      [rows.map(([id]) => id), rows.map(([, created]) => created), caller.userId, workspace],
    );
    await sweep();
    const { rows: left } = await test.deps.db.query<{ run: string; count: number }>(
      `select execution_id as run, count(*) from media where name = 'a.txt' group by 1`,
    );
    assert.deepEqual(left, [{ run, count: 650 }]);
  });

  it('does nothing if KEEP_OUTPUTS_DAYS is not set', async () => {
    const id = await make(null);
    const settings = { ...test.deps.settings, KEEP_OUTPUTS_DAYS: undefined };
    await sweepOutputs({ ...test.deps, settings, now: () => now + 1000 * DAY_MS }, signal);
    assert.equal(await isThere(id), true);
  });

  it("keeps files that the operator's templates refer to", async () => {
    await test.deps.storage.put(inTemplate, bytes, { contentType: 'image/png', maxBytes: bytes.length });
    await test.deps.db.query(
      `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin)
       values ($1, $2, $3, 'a.png', 'image/png', 1, 'x', 'preview')`,
      [inTemplate, caller.userId, workspace],
    );
    await sweep();
    assert.equal(await isThere(inTemplate), true);
  });
});

it('if a worker is killed during the sweep, every row has its file, and files without a row are recorded', async () => {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-swept-'));
  const env = { DATABASE_URL: toDatabaseUrl(database.connection), KEEP_OUTPUTS_DAYS: '1' };
  let service = await spawnService(folder, env);
  const storage = await openDiskStorage(join(folder, 'media'));
  const ids = Array.from({ length: 1500 }, () => newId('media', Date.now() - 5 * DAY_MS));
  const content = Buffer.from('x');
  for (const id of ids) await storage.put(id, content, { contentType: 'image/png', maxBytes: 1 });
  await database.db.query(
    `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin)
     select id, 1, 'user:1', 'a.png', 'image/png', 1, 'x', 'preview' from unnest($1::text[]) as id`,
    [ids],
  );
  const files = async (): Promise<readonly string[]> =>
    (await readdir(join(folder, 'media'), { recursive: true })).flatMap(
      path => /med_\w{26}$/.exec(path) ?? [],
    );
  const known = async (table: 'media' | 'media_strays'): Promise<ReadonlySet<string>> => {
    const { rows } = await database.db.query<{ id: string }>(`select id from ${table}`);
    return new Set(rows.map(({ id }) => id));
  };
  const held = await blockWrites(database.db, 'delete', 'media_strays');
  try {
    await database.db.query(`select graphile_worker.add_job('sweep_outputs', '{}')`);
    await waitUntil('the first rows to go', async () => (await known('media')).size < ids.length);
    await service.end('SIGKILL');
    await held.release();
    const [there, rows, noted] = [new Set(await files()), await known('media'), await known('media_strays')];
    assert.ok(there.size > 0, 'it was killed before its end');
    for (const id of rows) assert.ok(there.has(id), `${id} has its file`);
    for (const id of there) assert.ok(rows.has(id) || noted.has(id), `${id} is known or noted`);

    service = await spawnService(folder, env);
    await database.db.query(`select graphile_worker.add_job('sweep_outputs', '{}')`);
    await waitUntil('the other rows to go', async () => (await known('media')).size === 0);
    await service.end('SIGTERM');
    const later = { db: database.db, storage, now: () => Date.now() + 2 * DAY_MS } as unknown as Deps;
    await sweepMedia(later, AbortSignal.timeout(60_000));
    assert.deepEqual(await files(), []);
  } finally {
    await service.end('SIGKILL');
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
