// Tests that the stored byte count equals the sum of the rows after all operations that change it, and after kills.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom } from '../../../src/lib/seeded-random.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { noiseImage } from '../../support/media/pixels.ts';
import { type ServiceChild, spawnService, toDatabaseUrl } from '../../support/service.ts';
import { isNightly } from '../../support/tier.ts';
import { edge, node } from '../../support/workflows.ts';

const OPERATIONS = isNightly ? 200 : 40;
const CONCURRENT = 5;
/** Kills the service after this many rounds of concurrent operations. */
const KILL_EVERY = 8;

const SUM_BY_USER = `
  select user_id, sum(bytes)::bigint as bytes from (
    select user_id, bytes from media
    union all
    select user_id, bytes from media_uploads where completed_at is null and discarded_at is null
    union all
    select user_id, bytes from tables
    union all
    select user_id, bytes from batches
    union all
    select user_id, octet_length(graph) from workflow_versions
  ) as counted group by user_id order by user_id`;

/** Batches whose size is not the size of their values. The sweep deletes the rows of a batch before the batch. */
const WRONG_BATCHES = `
  select b.id from batches b
  where b.draft_until is null and b.total = (select count(*) from batch_rows r where r.batch_id = b.id)
    and b.bytes <> octet_length(concat(b.metadata, b.axes))
      + (select sum(octet_length(concat(r.inputs, r.config, r.shared))) from batch_rows r where r.batch_id = b.id)
      + coalesce((select sum(octet_length(v.value)) from batch_values v where v.batch_id = b.id), 0)`;

let database: TestDatabase;
let folder: string;
let service: ServiceChild;
const start = () =>
  spawnService(folder, { DATABASE_URL: toDatabaseUrl(database.connection), KEEP_OUTPUTS_DAYS: '1' });
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'graphwright-usage-'));
  service = await start();
});
after(async () => {
  await service.end('SIGKILL');
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

describe('storage_usage', () => {
  it(`equals the sum of files, open uploads, batches, tables and graphs after ${OPERATIONS} operations and kills of the service`, async () => {
    const random = createSeededRandom(7);
    const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
    const images = await Promise.all([8, 24, 60].map(side => noiseImage(side, side, 'png')));
    const workflow = await service.createWorkflow({
      nodes: [
        node('i', 'input:image', { url: '' }),
        node('r', 'utility:image_blur'),
        node('t', 'input:text'),
        node('end', 'output:preview'),
      ],
      edges: [edge('i.image > r.image'), edge('r.image > end.input')],
    });
    const media: string[] = [];
    const uploads: { mediaId: string; image: Buffer; uploadUrl: string; headers: Record<string, string> }[] =
      [];
    const dataUrl = (image: Buffer) => `data:image/png;base64,${image.toString('base64')}`;
    const image = () => pick(images) as Buffer;

    const operations: readonly (() => Promise<unknown>)[] = [
      async () => {
        const { status, body } = await service.request<{ mediaId: string }>('POST', '/media/upload', {
          dataUrl: dataUrl(image()),
        });
        if (status === 200) media.push(body.mediaId);
      },
      async () => {
        const file = image();
        const { status, body } = await service.request<(typeof uploads)[number]>(
          'POST',
          '/media/upload-url',
          {
            contentType: 'image/png',
            bytes: file.length,
            filename: 'a.png',
          },
        );
        if (status === 200) uploads.push({ ...body, image: file });
      },
      async () => {
        const upload = pick(uploads);
        if (upload === undefined) return;
        const { pathname, search } = new URL(upload.uploadUrl);
        // Sometimes sends another number of bytes than declared, which is refused.
        const content = random() < 0.3 ? Buffer.alloc(upload.image.length) : upload.image;
        await fetch(service.url + pathname + search, {
          method: 'PUT',
          headers: { ...upload.headers, host: new URL(upload.uploadUrl).host },
          body: new Uint8Array(content),
        });
        const { mediaId } = upload;
        const { status } = await service.request('POST', '/media/upload-url/complete', { mediaId });
        if (status === 200) media.push(mediaId);
      },
      () => service.request('DELETE', `/media/${pick(media) ?? 'none'}?force=true`),
      () => service.request('POST', `/workflows/${workflow}/run`, { inputs: { i: dataUrl(image()) } }),
      async () => {
        const file = (await service.request('GET', `/workflows/${workflow}/export`)).body;
        return service.request('POST', '/workflows/import', file);
      },
      async () => {
        const values = ['é'.repeat(1 + Math.floor(random() * 3000)), 'short'];
        const matrix = { inputs: { t: values }, config: { t: { value: ['x'.repeat(2000), 'y'] } } };
        const rows = values.map(t => ({ inputs: { t } }));
        const body = random() < 0.5 ? { matrix } : { rows, metadata: { note: values[0] } };
        return service.request('POST', `/workflows/${workflow}/batches`, body);
      },
      async () => {
        const { body } = await service.request<{ data: { id: string }[] }>('GET', '/batches');
        return service.request('DELETE', `/batches/${pick(body.data)?.id}`);
      },
      async () => {
        const nodes = [node('t', 'input:text', { value: 'é'.repeat(1 + Math.floor(random() * 3000)) })];
        const { body } = await service.request<{ id: string }>('POST', '/workflows', {
          name: 'W',
          nodes,
          edges: [],
        });
        for (const value of ['a', 'b'])
          await service.request('PUT', `/workflows/${body.id}?autosave=${random() < 0.5}`, {
            nodes: [node('t', 'input:text', { value })],
            edges: [],
          });
        if (random() < 0.5) await service.request('DELETE', `/workflows/${body.id}`);
      },
      () =>
        database.db.query(
          `update workflows set deleted_at = deleted_at - random() * interval '60 days' where deleted_at > now() - interval '1 day'`,
        ),
      () => database.db.query(`select graphile_worker.add_job('sweep_runs', '{}')`),
      () =>
        database.db.query(
          `update batches set finished_at = finished_at - interval '100 days' where random() < 0.2`,
        ),
      () =>
        database.db.query(
          `update tables set created_at = created_at - interval '2 days' where random() < 0.2`,
        ),
      () => {
        const body = `text\n${'é'.repeat(1 + Math.floor(random() * 3000))}\n`;
        return fetch(`${service.url}/api/v1/tables`, {
          method: 'POST',
          headers: { authorization: `Bearer ${service.key}`, 'content-type': 'text/csv' },
          body,
        });
      },
      () => database.db.query(`select graphile_worker.add_job('sweep_outputs', '{}')`),
      () => database.db.query(`select graphile_worker.add_job('sweep_media', '{}')`),
      // Rows that the sweeps find: old outputs, and uploads that were never completed.
      () =>
        database.db.query(
          `update media_uploads set created_at = now() - interval '2 days' where random() < 0.1 and completed_at is null`,
        ),
      () => database.db.query(`delete from executions where random() < 0.1 and finished_at is not null`),
    ];

    // Whatever chance chooses below, there are files and a batch.
    const [uploadFile, , , , , , createBatch] = operations;
    for (let count = 0; count <= OPERATIONS / 20; count++) await uploadFile?.();
    await createBatch?.();
    assert.ok(media.length > OPERATIONS / 20, `${media.length} files`);
    assert.equal((await database.db.query('select from batches')).rowCount, 1);
    let kills = 0;
    for (let startedCount = 0; startedCount < OPERATIONS; startedCount += CONCURRENT) {
      const running = Array.from({ length: CONCURRENT }, () =>
        (pick(operations) as () => Promise<unknown>)().catch(() => undefined),
      );
      if ((startedCount / CONCURRENT) % KILL_EVERY === KILL_EVERY - 1) {
        await sleep(random() * 60);
        await service.end('SIGKILL');
        kills++;
        await Promise.all(running);
        service = await start();
      }
      await Promise.all(running);
    }
    await service.end('SIGKILL');
    assert.equal(kills, OPERATIONS / CONCURRENT / KILL_EVERY);
    // PostgreSQL may still execute statements of the killed service, so one statement reads both.
    const { rows } = await database.db.query<{ counted: readonly unknown[]; stored: readonly unknown[] }>(
      `select (select json_agg(c) from (${SUM_BY_USER}) c) as counted,
         (select json_agg(s) from (select user_id, bytes from storage_usage where bytes <> 0 order by user_id) s) as stored`,
    );
    const { counted = [], stored } = rows[0] ?? {};
    assert.ok(counted.length > 0);
    assert.deepEqual(stored, counted);
    assert.deepEqual((await database.db.query(WRONG_BATCHES)).rows, []);
  });

  it('is recomputed by recount_storage', async () => {
    await database.db.query('update storage_usage set bytes = bytes + 1');
    await database.db.query('select recount_storage()');
    const { rows: counted } = await database.db.query(SUM_BY_USER);
    const { rows: stored } = await database.db.query(
      'select user_id, bytes from storage_usage order by user_id',
    );
    assert.deepEqual(stored, counted);
  });
});
