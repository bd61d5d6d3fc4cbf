// Tests that reading an app costs as much as it sends, however large the results of its runs are.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createApp, createVisitor, runAsVisitor, type Visitor } from '../support/apps/visitors.ts';
import { forbidLongValues, replaceOutputs } from '../support/runs/long-values.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const RUNS = 3;
const OBJECTS = 60_000;
const OUTPUTS = ['a', 'b', 'c'];
const GRAPH = {
  nodes: [node('t', 'input:json', { value: {} }), ...OUTPUTS.map(id => node(id, 'output:preview'))],
  edges: OUTPUTS.map(id => edge(`t.json > ${id}.input`)),
};

interface Result {
  readonly outputs: Readonly<Record<string, { readonly value: unknown; readonly truncated?: true }>>;
  readonly page: string;
}

let service: TestService;
let visitor: Visitor;
let slug: string;
let runId = '';
before(async () => {
  service = await startTestService({ TRUST_PROXY: 'true' });
  slug = await createApp(
    service,
    { inputs: [{ nodeId: 't' }], outputs: OUTPUTS, showsGallery: true, runsPerVisitor: 100 },
    GRAPH,
  );
  visitor = createVisitor(service);
  for (let index = 0; index < RUNS; index++) {
    runId = (await runAsVisitor(visitor, slug)).body.runId;
    // Reading the run of the app would keep its outputs in a cache.
    const { body } = await service.request<{ data: { id: string }[] }>('GET', '/executions?limit=1');
    await service.waitForStatus(body.data[0]?.id ?? '');
  }
  // Each output becomes a long list of objects.
  await replaceOutputs(service.db, OUTPUTS, OBJECTS);
  await service.db.query('update app_runs set in_gallery = true');
});
after(() => service.close());

it('lists the gallery in at most 2 MB, with truncated values and links to the runs', async t => {
  forbidLongValues(t);
  const { status, body, text } = await visitor.request<{ data: readonly Result[] }>(
    'GET',
    `/apps/${slug}/gallery?limit=200`,
  );
  assert.deepEqual([status, body.data.length], [200, RUNS]);
  assert.ok(text.length < RUNS * 100_000, String(text.length));
  for (const { outputs, page } of body.data) {
    assert.match(page, /\/runs\/run_/);
    for (const { value, truncated } of Object.values(outputs)) {
      assert.equal(truncated, true);
      assert.match(String(value), /^\[\{"a":1\},/);
    }
  }
});

it('renders the page of the app and of a run without parsing long results', async t => {
  forbidLongValues(t);
  const page = await visitor.request('GET', `/a/${slug}`);
  assert.equal(page.status, 200);
  assert.ok(page.text.length < 100_000, String(page.text.length));
  const runPage = await visitor.request('GET', `/a/${slug}/runs/${runId}`);
  assert.equal(runPage.status, 200);
  assert.ok(runPage.text.includes('[{&quot;a&quot;:1}'), runPage.text.slice(0, 3000));
});

it('presents the outputs of a run in at most 4 MB, as they were recorded', async t => {
  forbidLongValues(t);
  const text = await (await fetch(`${service.url}/api/v1/apps/${slug}/runs/${runId}`)).text();
  assert.ok(text.length < 4_200_000, String(text.length));
  t.mock.restoreAll();
  const values = Object.values((JSON.parse(text) as Result).outputs);
  assert.deepEqual(
    values.map(({ value }) => (value as readonly unknown[]).length),
    OUTPUTS.map(() => OBJECTS),
  );
});
