// Tests limits and files of app visitors: runs per visitor, concurrent starts, uploads as inputs, and pictures that
// cards and templates must not show.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createApp,
  createProof,
  createVisitor,
  runAsVisitor,
  SECRET_GRAPH,
  saveApp,
  toStatusAndCode,
  type Visitor,
  waitForAppRun,
} from '../support/apps/visitors.ts';
import { waitUntil } from '../support/processes.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ TRUST_PROXY: 'true' });
});
after(() => service.close());

describe('runsPerVisitor', () => {
  it('limits concurrent starts from the same network or with the same cookie', async () => {
    const slug = await createApp(service, { runsPerVisitor: 2 });
    const startAll = async (visitors: readonly Visitor[]) => {
      const responses = await Promise.all(visitors.map(visitor => runAsVisitor(visitor, slug)));
      return responses.map(({ status }) => status).sort();
    };
    const visitorWithoutCookie = createVisitor(service);
    assert.deepEqual(
      await startAll([
        visitorWithoutCookie,
        visitorWithoutCookie,
        visitorWithoutCookie,
        visitorWithoutCookie,
      ]),
      [202, 202, 429, 429],
    );
    const cookie = { cookie: 'app-visitor=0123456789abcdefghijkl' };
    assert.deepEqual(
      await startAll([
        createVisitor(service, cookie),
        createVisitor(service, cookie),
        createVisitor(service, cookie),
      ]),
      [202, 202, 429],
    );
    const other = createVisitor(service, cookie, '198.51.100.7');
    const { text } = await other.request('GET', `/a/${slug}`);
    assert.match(text, /2 times a day \(UTC\)\. 0 left today\./, 'the cookie has none left');
    const sameSubnet = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:ffff::3'];
    assert.deepEqual(
      await startAll(sameSubnet.map(address => createVisitor(service, {}, address))),
      [202, 202, 429],
    );
    const refusal = await runAsVisitor(visitorWithoutCookie, slug);
    assert.deepEqual(toStatusAndCode(refusal), [429, 'app_limit_reached']);
    assert.match(
      refusal.body.error ?? '',
      /2 runs .* for today\. Try again (?:after \d{4}-\d\d-\d\d 00:00 UTC|in \d+ s)\.$/,
    );
    assert.ok(Number(refusal.headers.get('retry-after')) > 0);
  });

  it('does not count refused runs', async () => {
    const graph = { ...SECRET_GRAPH, isActive: false };
    const slug = await createApp(service, { runsPerVisitor: 1 }, graph);
    const visitor = createVisitor(service);
    for (let tries = 0; tries < 3; tries++)
      assert.deepEqual(toStatusAndCode(await runAsVisitor(visitor, slug)), [503, 'app_out_of_order']);
  });
});

describe('40 concurrent starts of an app', () => {
  it('leave database connections for other requests', async () => {
    const slug = await createApp(service, { runsPerVisitor: 100 });
    const starts = await service.db.transaction(async tx => {
      // Each start waits for this row.
      await tx.query('select from apps where slug = $1 for update', [slug]);
      const pendingStarts = Array.from({ length: 40 }, () =>
        service.request('POST', `/apps/${slug}/run`, { inputs: {} }),
      );
      await waitUntil('the starts to wait', async () => {
        const { rows } = await service.db.query(
          `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        return rows.length >= 5;
      });
      for (let index = 0; index < 20; index++) {
        const signal = AbortSignal.timeout(20_000);
        const headers = { authorization: `Bearer ${KEY}` };
        const response = await fetch(`${service.url}/api/v1/notices?limit=1`, { headers, signal });
        assert.equal(response.status, 200);
      }
      return pendingStarts;
    });
    const statuses = (await Promise.all(starts)).map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)], [202]);
  });
});

describe('files of app visitors', () => {
  const PNG = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const graph = {
    nodes: [node('pic', 'input:image'), node('o', 'output:preview')],
    edges: [edge('pic.image > o.input')],
  };
  const settings = { inputs: [{ nodeId: 'pic' }], outputs: ['o'] };
  const upload = async (slug: string, bytes: Uint8Array) => {
    const form = new FormData();
    form.append('proof', await createProof(createVisitor(service), slug));
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png');
    const response = await fetch(`${service.url}/api/v1/apps/${slug}/media`, { method: 'POST', body: form });
    return {
      status: response.status,
      body: (await response.json()) as { mediaId: string; url: string; code?: string },
    };
  };

  it('can be used only as inputs of the app to which they were uploaded', async () => {
    const [slug, otherSlug] = [
      await createApp(service, settings, graph),
      await createApp(service, settings, graph),
    ];
    const { status, body } = await upload(slug, PNG);
    assert.equal(status, 200, JSON.stringify(body));
    const visitor = createVisitor(service);
    const start = await runAsVisitor(visitor, slug, { input_1: { mediaId: body.mediaId } });
    assert.equal(start.status, 202, JSON.stringify(start.body));
    const run = await waitForAppRun(visitor, slug, start.body.runId);
    assert.deepEqual([run.status, run.outputs.output_1?.url], ['COMPLETED', body.url]);
    const ownersUpload = await service.request<{ mediaId: string }>('POST', '/media/upload', {
      dataUrl: `data:image/png;base64,${PNG.toString('base64')}`,
    });
    for (const [app, mediaId] of [
      [slug, ownersUpload.body.mediaId],
      [otherSlug, body.mediaId],
    ] as const)
      assert.deepEqual(toStatusAndCode(await runAsVisitor(visitor, app, { input_1: { mediaId } })), [
        400,
        'invalid_inputs',
      ]);
  });

  it('must be at most 10 MB and sent to an app with a file input', async () => {
    const slug = await createApp(service, settings, graph);
    const large = Buffer.concat([PNG, Buffer.alloc(10_485_760)]);
    assert.deepEqual(toStatusAndCode(await upload(slug, large)), [413, 'file_too_large']);
    assert.equal((await upload(await createApp(service), PNG)).status, 404);
  });
});

describe('files of app visitors in the media library', () => {
  it('are listed with fromApps, and in the collections to which they were added', async () => {
    const graph = {
      nodes: [
        node('prompt', 'input:text', { value: 'a fox' }),
        node('picture', 'generate:sandbox', { width: 64, height: 64 }),
      ],
      edges: [edge('prompt.text > picture.prompt')],
    };
    const settings = { inputs: [{ nodeId: 'prompt' }], outputs: ['picture'] };
    const slug = await createApp(service, settings, graph);
    const visitor = createVisitor(service);
    const { body } = await runAsVisitor(visitor, slug, { input_1: 'a visitor in a red hat' });
    const run = await waitForAppRun(visitor, slug, body.runId);
    assert.equal(run.status, 'COMPLETED');
    type Page = { readonly data: readonly { mediaId: string; prompt: string | null }[] };
    const list = async (query: string) =>
      (await service.request<Page>('GET', `/media?q=hat&${query}`)).body.data;
    assert.deepEqual(await list('origin=all'), []);
    assert.deepEqual(await list('origin=output'), []);
    const [result] = await list('fromApps=true');
    assert.equal(result?.prompt, 'a visitor in a red hat');
    assert.deepEqual(await list('origin=input&fromApps=true'), []);
    const collection = { name: 'Best of visitors', mediaIds: [result?.mediaId] };
    const { id } = (await service.request('POST', '/collections', collection)).body;
    assert.equal((await list(`origin=all&collectionId=${id}`)).length, 1);
    await service.request('PATCH', `/media/${result?.mediaId}`, { isFavorite: true });
    assert.equal((await list('origin=all&favorite=true')).length, 1);
  });

  it('include what visitors uploaded', async () => {
    type Page = { readonly data: readonly { mediaId: string }[] };
    const list = async (query: string) =>
      (await service.request<Page>('GET', `/media?limit=200&${query}`)).body.data.map(
        ({ mediaId }) => mediaId,
      );
    const uploads = await service.db.query<{ media_id: string }>('select media_id from app_uploads');
    const [id] = uploads.rows.map(row => row.media_id);
    assert.ok(id);
    assert.ok((await list('fromApps=true')).includes(id));
    assert.ok((await list('fromApps=true&origin=input')).includes(id));
    assert.ok(!(await list('origin=input')).includes(id));
  });
});

describe('results of app visitors', () => {
  it('are never the poster of the workflow or its template', async () => {
    const graph = {
      nodes: [
        node('prompt', 'input:text', { value: 'a fox' }),
        node('picture', 'generate:sandbox', { width: 64, height: 64 }),
      ],
      edges: [edge('prompt.text > picture.prompt')],
    };
    const id = await service.createWorkflow(graph);
    const slug = await saveApp(service, id, {
      inputs: [{ nodeId: 'prompt' }],
      outputs: ['picture'],
      audience: 'anyone',
    });
    const publication = await service.request('POST', `/workflows/${id}/publish`, {
      isPublished: true,
      settings: { isTemplate: true, category: 'Test', showResults: true },
    });
    assert.equal(publication.status, 200, JSON.stringify(publication.body));
    const runAndGetUrl = async (input_1: string): Promise<string | undefined> => {
      const visitor = createVisitor(service);
      const { body } = await runAsVisitor(visitor, slug, { input_1 });
      return (await waitForAppRun(visitor, slug, body.runId)).outputs.output_1?.url;
    };
    const listPosters = async (): Promise<readonly unknown[]> => {
      type Card = { readonly id: string; readonly poster: string | null };
      const workflow = await service.request<Card>('GET', `/workflows/${id}`);
      const cards = await service.request<Card[]>('GET', '/workflows?limit=100&include=card');
      const card = cards.body.find(each => each.id === id);
      const templates = await service.request<{ data: Card[] }>('GET', '/templates?category=Test');
      return [...new Set([workflow.body.poster, card?.poster, templates.body.data[0]?.poster])];
    };
    assert.match((await runAndGetUrl('a private photo')) ?? '', /\.png/);
    assert.deepEqual(await listPosters(), [null]);
    const execution = await service.runWorkflow(id, {});
    const url = execution.nodeStates.find(state => state.nodeId === 'picture')?.outputUrl;
    assert.ok(url);
    assert.deepEqual(await listPosters(), [url]);
    await runAndGetUrl('another private photo');
    assert.deepEqual(await listPosters(), [url]);
  });
});
