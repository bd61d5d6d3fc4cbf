// Tests the files of visitors: uploads as inputs, and pictures that stay out of cards and templates.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  createApp,
  createVisitor,
  runAsVisitor,
  saveApp,
  toCode,
  waitForAppRun,
} from '../support/apps/visitors.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ TRUST_PROXY: 'true' });
});
after(() => service.close());

describe('files of visitors', () => {
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
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png');
    const response = await fetch(`${service.url}/api/v1/apps/${slug}/media`, { method: 'POST', body: form });
    return {
      status: response.status,
      body: (await response.json()) as { mediaId: string; url: string; code?: string },
    };
  };

  it('are inputs of the app, unlike other files of its owner', async () => {
    const [slug, other] = [
      await createApp(service, settings, graph),
      await createApp(service, settings, graph),
    ];
    const { status, body } = await upload(slug, PNG);
    assert.equal(status, 200, JSON.stringify(body));
    const visitor = createVisitor(service);
    const started = await runAsVisitor(visitor, slug, { input_1: { mediaId: body.mediaId } });
    assert.equal(started.status, 202, JSON.stringify(started.body));
    const run = await waitForAppRun(visitor, slug, started.body.runId);
    assert.deepEqual([run.status, run.outputs.output_1?.url], ['COMPLETED', body.url]);
    const own = await service.request<{ mediaId: string }>('POST', '/media/upload', {
      dataUrl: `data:image/png;base64,${PNG.toString('base64')}`,
    });
    for (const [app, mediaId] of [
      [slug, own.body.mediaId],
      [other, body.mediaId],
    ] as const)
      assert.deepEqual(toCode(await runAsVisitor(visitor, app, { input_1: { mediaId } })), [
        400,
        'invalid_inputs',
      ]);
  });

  it('have at most 10 MB, and are taken only by apps with a field for them', async () => {
    const slug = await createApp(service, settings, graph);
    const large = Buffer.concat([PNG, Buffer.alloc(10_485_760)]);
    assert.deepEqual(toCode(await upload(slug, large)), [413, 'file_too_large']);
    assert.equal((await upload(await createApp(service), PNG)).status, 404);
  });
});

describe('the pictures of visitors', () => {
  it('are not on the card of the workflow or its template', async () => {
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
    const published = await service.request('POST', `/workflows/${id}/publish`, {
      isPublished: true,
      settings: { isTemplate: true, category: 'Test', showResults: true },
    });
    assert.equal(published.status, 200, JSON.stringify(published.body));
    const visit = async (input_1: string): Promise<string | undefined> => {
      const visitor = createVisitor(service);
      const { body } = await runAsVisitor(visitor, slug, { input_1 });
      return (await waitForAppRun(visitor, slug, body.runId)).outputs.output_1?.url;
    };
    const posters = async (): Promise<readonly unknown[]> => {
      type Card = { readonly id: string; readonly poster: string | null };
      const one = await service.request<Card>('GET', `/workflows/${id}`);
      const cards = await service.request<Card[]>('GET', '/workflows?limit=100&include=card');
      const card = cards.body.find(each => each.id === id);
      const templates = await service.request<{ data: Card[] }>('GET', '/templates?category=Test');
      return [...new Set([one.body.poster, card?.poster, templates.body.data[0]?.poster])];
    };
    assert.match((await visit('a private photo')) ?? '', /\.png/);
    assert.deepEqual(await posters(), [null]);
    const own = await service.runWorkflow(id, {});
    const url = own.nodeStates.find(state => state.nodeId === 'picture')?.outputUrl;
    assert.ok(url);
    assert.deepEqual(await posters(), [url]);
    await visit('another private photo');
    assert.deepEqual(await posters(), [url]);
  });
});
