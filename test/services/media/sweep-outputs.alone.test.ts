// Tests that the sweep of old outputs and previews deletes unused files with their rows, and no others.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newId } from '../../../src/lib/ids.ts';
import { TEMPLATES } from '../../../src/render/templates/catalog.ts';
import { storeMedia } from '../../../src/services/media/media.ts';
import { receiveFile, recordFile } from '../../../src/services/media/receive-file.ts';
import { sweepOutputs } from '../../../src/services/media/sweep-outputs.ts';
import { insertUser } from '../../../src/store/users.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { plainImage } from '../../support/media/pixels.ts';
import { createWorkflow, node } from '../../support/workflows.ts';

const DAY_MS = 86_400_000;
const SECRET = 'content-secret';

describe('sweepOutputs', () => {
  let test: TestApp;
  let user: ApiUser;
  let workspace: string;
  let bytes: Buffer;
  let workflow: string;
  let templates: string;
  // The files are created in the past, and the sweep runs today.
  let now = Date.now() - 40 * DAY_MS;
  const templateMediaId = newId('media', now);

  before(async () => {
    templates = await mkdtemp(join(tmpdir(), 'graphwright-templates-'));
    const template = { ...TEMPLATES[0], id: 'own', description: `with /cdn/${templateMediaId}/a.png` };
    await writeFile(join(templates, 'own.json'), JSON.stringify(template));
    process.env.TEMPLATES_DIR = templates;
    test = await createTestApp({
      env: { KEEP_OUTPUTS_DAYS: '30', CONTENT_WEBHOOK_SECRET: SECRET },
      now: () => now,
    });
    user = await test.createUser();
    await insertUser(test.deps.db, { email: 'a@example.com', name: 'A', plan: 'free', isAuthor: true });
    workspace = `user:${user.userId}`;
    bytes = await plainImage(4, 4, '#336699');
    workflow = (await createWorkflow(user)).id;
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
      [id, workflow, user.userId, workspace, JSON.stringify(request)],
    );
    await test.deps.db.query('insert into execution_steps values ($1, 1, $2)', [id, JSON.stringify(steps)]);
    return id;
  };
  const deleteRun = (id: string) =>
    test.deps.db.query(
      `with steps as (delete from execution_steps where execution_id = $1) delete from executions where id = $1`,
      [id],
    );
  const owner = (executionId: string | null) => ({ userId: user.userId, workspace, executionId });
  const signal = AbortSignal.timeout(600_000);
  /** Stores the output of this run, or a preview if there is no run. */
  const storeOutput = async (executionId: string | null): Promise<string> => {
    // The files have different times, so that the test knows the newest file.
    now += 1;
    const file = { source: bytes, contentType: 'image/png', name: 'a' };
    return (await storeMedia(test.deps, owner(executionId), file, signal)).mediaId;
  };
  const storeOutputOfDeletedRun = async (): Promise<string> => {
    const run = await insertRun();
    const id = await storeOutput(run);
    await deleteRun(run);
    return id;
  };
  const storeFetchedInput = async (): Promise<string> => {
    const run = await insertRun();
    const incoming = { source: bytes, declaredContentType: 'image/png', name: 'b', maxBytes: () => 10_000 };
    const file = await receiveFile(test.deps, incoming, signal);
    await recordFile(test.deps, file, { ...owner(run), origin: 'input' });
    await deleteRun(run);
    return file.id;
  };
  const sweep = async (): Promise<void> => {
    now += 40 * DAY_MS;
    await sweepOutputs(test.deps, signal);
    now -= 40 * DAY_MS;
  };
  const isStored = async (id: string): Promise<boolean> => {
    const { rowCount } = await test.deps.db.query('select from media where id = $1', [id]);
    const file = await test.deps.storage.stat(id);
    assert.equal(file !== undefined, rowCount === 1, 'row and file exist together');
    return rowCount === 1;
  };

  it('deletes unreferenced outputs, previews and downloaded inputs, with their files', async () => {
    const deletedIds = [await storeOutputOfDeletedRun(), await storeOutput(null), await storeFetchedInput()];
    // The newest image of a workflow is its poster.
    const poster = await storeOutputOfDeletedRun();
    const { body: upload } = await user.request<{ mediaId: string }>('POST', '/media/upload', {
      dataUrl: `data:image/png;base64,${bytes.toString('base64')}`,
    });
    now += 20 * DAY_MS;
    const recent = await storeOutput(null);
    now -= 20 * DAY_MS;
    await sweep();
    for (const id of deletedIds) assert.equal(await isStored(id), false);
    for (const id of [poster, upload.mediaId, recent]) assert.equal(await isStored(id), true);
    const { rows } = await test.deps.db.query('select from media_strays');
    assert.equal(rows.length, 0);
    assert.equal((await test.app.inject(`/cdn/${deletedIds[0]}/a.png`)).statusCode, 404);
  });

  const createPage = async (
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
  /** Functions that refer to the media, each in a different way. */
  const REFERENCES: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    'the result of a run': id =>
      insertRun([{ nodeId: 'a', outputs: { image: { type: 'IMAGE', media: { mediaId: id } } } }]),
    'the input of a run': id => insertRun([], { inputs: { a: { url: `http://x/cdn/${id}/a.png` } } }),
    'a graph': id => createWorkflow(user, { nodes: [node('a', 'input:image', { mediaId: id })], edges: [] }),
    'an earlier version of a graph': async id => {
      const nodes = [node('a', 'input:image', { mediaId: id })];
      const { id: otherWorkflow } = await createWorkflow(user, { nodes, edges: [] });
      await user.request('PUT', `/workflows/${otherWorkflow}`, { nodes: [node('a', 'input:image', {})] });
    },
    'the media of a workflow': id => createWorkflow(user, { mediaId: id }),
    'a pinned poster': id =>
      test.deps.db.query(`update workflows set poster = $2 || '/a.png' where id = $1`, [workflow, id]),
    'the text of a publication': async id => {
      const otherWorkflow = await createWorkflow(user);
      await user.request('POST', `/workflows/${otherWorkflow.id}/publish`, {
        isPublished: true,
        settings: { description: `![x](/cdn/${id}/a.png)` },
      });
    },
    'the hero image of a page': id =>
      createPage({ title: 'Hero', heroImage: `https://x.test/cdn/${id}/a.png` }),
    'the body of a page': id =>
      createPage({
        title: 'Body',
        contentBlocks: [{ type: 'markdown', markdown: `![x](https://x.test/cdn/${id}/a.png)` }],
      }),
  };

  for (const [name, addReference] of Object.entries(REFERENCES)) {
    it(`keeps a file that ${name} refers to`, async () => {
      const id = await storeOutputOfDeletedRun();
      // The newest image is the poster and would be kept without the reference.
      await storeOutputOfDeletedRun();
      await addReference(id);
      await sweep();
      assert.equal(await isStored(id), true);
    });
  }

  it('keeps the outputs of a run until the run is deleted', async () => {
    const run = await insertRun();
    const id = await storeOutput(run);
    await storeOutputOfDeletedRun();
    await sweep();
    assert.equal(await isStored(id), true);
    assert.equal((await user.request('DELETE', `/executions/${run}`)).status, 200);
    await sweep();
    assert.equal(await isStored(id), false);
  });

  it('keeps a file until the last run that refers to it is deleted', async () => {
    const id = await storeOutput(null);
    const run = await insertRun([{ mediaId: id }]);
    await sweep();
    assert.equal(await isStored(id), true);
    assert.equal((await user.request('DELETE', `/executions/${run}`)).status, 200);
    await sweep();
    assert.equal(await isStored(id), false);
  });

  it('deletes more files than one batch holds', async () => {
    const run = await insertRun();
    const rows = Array.from({ length: 1300 }, (_, index) => [
      newId('media', now),
      index % 2 === 0 ? run : 'ex_gone',
    ]);
    await test.deps.db.query(
      `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin, execution_id)
       select id, $3, $4, 'a.txt', 'audio/wav', 1, 'x', 'output', run from unnest($1::text[], $2::text[]) as files(id, run)`,
      [rows.map(([id]) => id), rows.map(([, executionId]) => executionId), user.userId, workspace],
    );
    await sweep();
    const { rows: remaining } = await test.deps.db.query<{ run: string; count: number }>(
      `select execution_id as run, count(*) from media where name = 'a.txt' group by 1`,
    );
    assert.deepEqual(remaining, [{ run, count: 650 }]);
  });

  it('does nothing if KEEP_OUTPUTS_DAYS is not set', async () => {
    const id = await storeOutput(null);
    const settings = { ...test.deps.settings, KEEP_OUTPUTS_DAYS: undefined };
    await sweepOutputs({ ...test.deps, settings, now: () => now + 1000 * DAY_MS }, signal);
    assert.equal(await isStored(id), true);
  });

  it('keeps files that templates in TEMPLATES_DIR refer to', async () => {
    await test.deps.storage.put(templateMediaId, bytes, { contentType: 'image/png', maxBytes: bytes.length });
    await test.deps.db.query(
      `insert into media (id, user_id, workspace, name, content_type, bytes, sha256, origin)
       values ($1, $2, $3, 'a.png', 'image/png', 1, 'x', 'preview')`,
      [templateMediaId, user.userId, workspace],
    );
    await sweep();
    assert.equal(await isStored(templateMediaId), true);
  });
});
