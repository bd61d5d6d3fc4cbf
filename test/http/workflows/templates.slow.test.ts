// Tests workflow templates over HTTP: lists, samples, copies, and runs with sample results.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Execution } from '../../support/client.ts';
import { callCommand } from '../../support/command-line.ts';
import { KEY, startTestService, type TestService } from '../../support/service.ts';
import { node, PAIR } from '../../support/workflows.ts';

interface Template {
  readonly id: string;
  readonly source: string;
  readonly workflowId: string | null;
  readonly shelf: string | null;
  readonly card: string;
  readonly needs: readonly string[];
  readonly title: string;
  readonly runsNow: boolean;
  readonly hasSample: boolean;
  readonly nodeCount: number;
}
interface Page {
  readonly data: readonly Template[];
  readonly nextCursor: string | null;
}
interface Node {
  readonly id: string;
  readonly position: { readonly x: number; readonly y: number };
  readonly data: { readonly label: string; readonly config?: Readonly<Record<string, unknown>> };
}
interface Workflow {
  readonly id: string;
  readonly nodes: readonly Node[];
  readonly edges: readonly object[];
}
interface Run extends Omit<Execution, 'nodeStates'> {
  readonly credits: { readonly charged: number };
  readonly meta?: { readonly warnings: readonly string[] };
  readonly nodeStates: readonly (Execution['nodeStates'][number] & { readonly fromSample?: true })[];
}

const PAID = 'tpl_make-a-picture';
const FREE = 'tpl_quote-cards';

let operatorFolder: string;
let service: TestService;
before(async () => {
  operatorFolder = await mkdtemp(join(tmpdir(), 'graphwright-templates-'));
  await mkdir(join(operatorFolder, 'damaged'));
  await writeFile(join(operatorFolder, 'damaged', 'template.json'), '{ "title": 7 }');
  service = await startTestService({ WORKFLOW_TEMPLATES_DIR: operatorFolder });
});
after(async () => {
  await service.close();
  await rm(operatorFolder, { recursive: true, force: true });
});

const get = async <T>(path: string): Promise<T> => (await service.request<T>('GET', path)).body;
/** Fetches the path of a URL from the service, because BASE_URL has another port. */
const fetchFromService = (url: string): Promise<Response> => fetch(service.url + new URL(url).pathname);
const copy = async (id: string): Promise<Workflow> => {
  const response = await service.request<Workflow>('POST', `/templates/${id}/duplicate`, {});
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return response.body;
};
const run = (id: string, body: object) =>
  service.request<Run & { code?: string; error?: string }>('POST', `/workflows/${id}/run`, body, {
    prefer: 'wait=60',
  });
const readSample = async (workflowId: string): Promise<Run> => {
  const { data } = await get<{ data: readonly Run[] }>(`/workflows/${workflowId}/executions`);
  assert.equal(data.length, 1);
  return get<Run>(`/executions/${data[0]?.id}`);
};
const listUrls = (record: Run): readonly string[] =>
  record.nodeStates.flatMap(({ outputUrl }: { readonly outputUrl?: string }) => outputUrl ?? []);

describe('GET /templates', () => {
  it('lists the shipped templates with shelf, needs and card', async () => {
    const { data } = await get<Page>('/templates?limit=200');
    const paid = data.find(({ id }) => id === PAID);
    assert.equal(paid?.source, 'shipped');
    assert.equal(paid.workflowId, null);
    assert.equal(paid.shelf, 'verbs');
    assert.deepEqual(paid.needs, ['fal']);
    assert.equal(paid.runsNow, false);
    assert.equal(paid.hasSample, true);
    assert.equal(paid.nodeCount, 3);
    const free = data.find(({ id }) => id === FREE);
    assert.deepEqual(free?.needs, []);
    assert.equal(free.runsNow, true);
    assert.ok(data.every(({ id }) => id !== 'tpl_damaged'));
    const card = await fetchFromService(paid.card);
    assert.equal(card.status, 200);
    assert.equal(card.headers.get('content-type'), 'image/webp');
    assert.match(card.headers.get('cache-control') ?? '', /immutable/);
  });

  it('serves its files like media: with ranges, validators and security headers, outside of the rate limits', async () => {
    const { card } = await get<Template>(`/templates/${FREE}`);
    const whole = await fetchFromService(card);
    const bytes = Buffer.from(await whole.arrayBuffer());
    assert.equal(whole.headers.get('content-length'), String(bytes.length));
    assert.equal(whole.headers.get('x-content-type-options'), 'nosniff');
    const { pathname, search } = new URL(card, service.url);
    const request = (init: RequestInit) => fetch(service.url + pathname + search, init);
    const part = await request({ headers: { range: 'bytes=2-5' } });
    assert.equal(part.status, 206);
    assert.deepEqual(Buffer.from(await part.arrayBuffer()), bytes.subarray(2, 6));
    assert.equal((await request({ headers: { range: 'bytes=9999999-' } })).status, 416);
    const head = await request({ method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
    const left = (response: Response) => response.headers.get('x-ratelimit-remaining');
    assert.equal(left(head), left(whole));
    const etag = whole.headers.get('etag') ?? '';
    assert.equal((await request({ headers: { 'if-none-match': etag } })).status, 304);
  });

  it('allows anonymous callers', async () => {
    for (const path of ['/templates?limit=5', `/templates/${PAID}`])
      assert.equal((await fetch(`${service.url}/api/v1${path}`)).status, 200, path);
  });

  it('say that a workspace without enough credits cannot run a paid template now', async () => {
    const providers = await startTestService({ FAL_KEY: 'fal-key' });
    try {
      const read = async (user: Pick<TestService, 'request'>, id: string) =>
        (await user.request<Template & { needsCredits: boolean }>('GET', `/templates/${id}`)).body;
      const colleague = await providers.createUser({
        email: 'new@example.com',
        keyScopes: ['workflows:read'],
      });
      const expected = [
        [providers, PAID, true, false],
        [colleague, PAID, false, true],
        [colleague, FREE, true, false],
      ] as const;
      for (const [user, id, runsNow, needsCredits] of expected) {
        const template = await read(user, id);
        assert.deepEqual([template.runsNow, template.needsCredits], [runsNow, needsCredits], id);
      }
    } finally {
      await providers.close();
    }
  });

  it('filters by shelf, query and runsNow', async () => {
    const shelf = await get<Page>('/templates?shelf=text-and-sound&limit=200');
    assert.ok(shelf.data.length > 0 && shelf.data.every(template => template.shelf === 'text-and-sound'));
    const words = await get<Page>('/templates?query=QUOTES');
    assert.ok(words.data.some(({ id }) => id === FREE));
    const [template] = words.data;
    const several = [...(template?.title ?? '').split(' ')].reverse().join(' ');
    const reversed = await get<Page>(`/templates?query=${encodeURIComponent(`${several} quotes`)}`);
    assert.ok(reversed.data.some(({ id }) => id === template?.id));
    assert.deepEqual((await get<Page>('/templates?query=quotes+zzz')).data, []);
    const runnable = await get<Page>('/templates?runsNow=true&limit=200');
    assert.ok(runnable.data.every(({ runsNow }) => runsNow));
    const firstPage = await get<Page>('/templates?runsNow=true&limit=3');
    assert.deepEqual(
      firstPage.data.map(({ id }) => id),
      runnable.data.slice(0, 3).map(({ id }) => id),
    );
    assert.equal(firstPage.data.length, 3);
  });

  it('pages through all templates', async () => {
    const allIds = (await get<Page>('/templates?limit=200')).data.map(({ id }) => id);
    const pagedIds: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page = await get(`/templates?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      pagedIds.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    assert.deepEqual(pagedIds, allIds);
  });

  it('returns 400 for an invalid cursor', async () => {
    const { status } = await service.request('GET', '/templates?cursor=abc');
    assert.equal(status, 400);
  });
});

describe('GET /templates/{id}', () => {
  it('returns the graph and the sample results', async () => {
    const template = await get<Workflow & { readonly sample: { readonly nodeStates: Run['nodeStates'] } }>(
      `/templates/${PAID}`,
    );
    assert.equal(template.nodes.length, 4);
    const state = template.sample.nodeStates.find(({ nodeId }) => nodeId === 'picture');
    const { outputUrl } = state as { readonly outputUrl?: string };
    assert.equal((await fetchFromService(String(outputUrl))).headers.get('content-type'), 'image/webp');
  });

  it('returns 404 for files outside the sample', async () => {
    for (const file of [
      'results.json',
      '..%2Ftemplate.json',
      '..%2F..%2F..%2F..%2Fpackage.json',
      'nothing.webp',
    ])
      assert.equal((await service.request('GET', `/templates/${PAID}/sample/${file}`)).status, 404, file);
    assert.equal((await service.request('GET', '/templates/tpl_nothing')).status, 404);
  });
});

describe('POST /templates/{id}/duplicate', () => {
  it('creates a workflow with the sample as the first execution', async () => {
    const { id } = await copy(PAID);
    const record = await readSample(id);
    assert.equal(record.trigger, 'sample');
    assert.equal(record.status, 'COMPLETED');
    assert.equal(record.credits.charged, 0);
    assert.ok(record.nodeStates.every(({ fromSample }) => fromSample === true));
    const [url] = listUrls(record);
    assert.equal((await fetchFromService(String(url))).status, 200);
  });

  it('records the branch that the sample did not take as skipped', async () => {
    const listStatuses = ({ nodeStates }: Pick<Run, 'nodeStates'>) =>
      Object.fromEntries(nodeStates.map(({ nodeId, status }) => [nodeId, status]));
    const { id } = await copy('tpl_upscale');
    const statuses = listStatuses(await readSample(id));
    assert.deepEqual([statuses.large, statuses.kept], ['COMPLETED', 'SKIPPED']);
    const template = await get<{ readonly sample: Pick<Run, 'nodeStates'> }>('/templates/tpl_upscale');
    assert.deepEqual(listStatuses(template.sample), statuses);
    assert.deepEqual(listStatuses((await run(id, { useSample: true })).body), statuses);
  });

  it('creates workflows that share undeletable sample files', async () => {
    const [first, second] = await Promise.all([copy(PAID), copy(PAID)]);
    const urls = listUrls(await readSample(first.id));
    assert.deepEqual(listUrls(await readSample(second.id)), urls);
    const mediaId = /med_[0-9a-z]+/.exec(String(urls[0]))?.[0];
    assert.ok([403, 404].includes((await service.request('DELETE', `/media/${mediaId}`)).status));
    assert.equal((await service.request('GET', `/media/${mediaId}`)).status, 200);
  });

  it('returns 404 for an unknown template', async () => {
    const { status, body } = await service.request<{ error: string }>(
      'POST',
      '/templates/tpl_nothing/duplicate',
      {},
    );
    assert.deepEqual([status, body.error], [404, 'Template not found.']);
  });
});

describe('useSample', () => {
  it('replaces nodes without a provider by sample results in a run', async () => {
    const { id } = await copy(PAID);
    const refusal = await run(id, {});
    assert.equal(refusal.status, 400);
    assert.equal(refusal.body.code, 'provider_not_configured');
    assert.equal(
      refusal.body.error,
      'fal is not configured. Add a key in the settings, or ask the operator to set FAL_KEY. To use the sample results of its template, send useSample: true (--use-sample on the command line).',
    );
    const inputs = { idea: 'Something else' };
    const { status, body } = await run(id, { useSample: true, inputs });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.status, 'COMPLETED');
    assert.equal(body.credits.charged, 0);
    const sampledStates = body.nodeStates.filter(({ fromSample }) => fromSample === true);
    assert.deepEqual(
      sampledStates.map(({ nodeId }) => nodeId),
      ['picture'],
    );
    assert.match(String(body.meta?.warnings[0]), /^Make the picture takes the sample result/);
    const idea = body.nodeStates.find(({ nodeId }) => nodeId === 'idea') as { readonly text?: string };
    assert.equal(idea.text, 'Something else');
  });

  interface SampleEstimate {
    readonly credits: number;
    readonly issues: readonly object[];
    readonly kept: readonly string[];
    readonly sampled: readonly string[];
  }

  it('makes the estimate 0 credits', async () => {
    const { id } = await copy(PAID);
    const { body } = await service.request<SampleEstimate>('POST', `/workflows/${id}/estimate`, {
      useSample: true,
    });
    assert.equal(body.credits, 0);
    assert.deepEqual(body.issues, []);
    assert.deepEqual(body.sampled, ['picture']);
  });

  it('lists each reused node in the estimate as kept or as sampled', async () => {
    const { id } = await copy(PAID);
    const { body: first } = await run(id, { useSample: true });
    for (const useSample of [true, false]) {
      const request = { keep: { executionId: first.id }, useSample };
      const { body } = await service.request<SampleEstimate>('POST', `/workflows/${id}/estimate`, request);
      assert.deepEqual([body.kept.toSorted(), body.sampled], [['idea', 'result'], ['picture']]);
    }
  });

  it('does not replace a node with a changed config', async () => {
    const { id, nodes, edges } = await copy(PAID);
    const changePicture = (config: object) =>
      nodes.map(node =>
        node.id === 'picture'
          ? {
              ...node,
              position: { x: 5, y: 5 },
              data: { ...node.data, label: 'Lighthouse', config: { ...node.data.config, ...config } },
            }
          : node,
      );
    await service.request('PUT', `/workflows/${id}`, { nodes: changePicture({}), edges });
    assert.equal((await run(id, { useSample: true })).body.status, 'COMPLETED');
    await service.request('PUT', `/workflows/${id}`, { nodes: changePicture({ seed: 8 }), edges });
    assert.equal((await run(id, { useSample: true })).body.code, 'provider_not_configured');
  });

  it('does not replace nodes of components', async () => {
    const component = await service.createWorkflow(PAIR);
    const { id, nodes, edges } = await copy(PAID);
    const call = node('c', 'component:call', { workflowId: component });
    await service.request('PUT', `/workflows/${id}`, { nodes: [...nodes, call], edges });
    const { body } = await run(id, { useSample: true });
    assert.equal(body.status, 'COMPLETED', JSON.stringify(body));
    const componentStates = body.nodeStates.filter(({ nodeId }) => nodeId.startsWith('c/'));
    assert.deepEqual(
      componentStates.map(({ status, fromSample }) => [status, fromSample]),
      PAIR.nodes.map(() => ['COMPLETED', undefined]),
    );
  });

  it('is not offered if the workspace has a credential of the provider', async () => {
    const { id } = await copy(PAID);
    const estimate = async () =>
      (
        await service.request<{ readonly needs?: readonly string[]; readonly hasSample?: true }>(
          'POST',
          `/workflows/${id}/estimate`,
          {},
        )
      ).body;
    const estimateBefore = await estimate();
    assert.deepEqual([estimateBefore.needs, estimateBefore.hasSample], [['fal'], true]);
    const { status, body } = await service.request<{ readonly id: string }>('POST', '/credentials', {
      kind: 'fal',
      name: 'Ours',
      owner: 'workspace',
      isDefault: true,
      values: { apiKey: 'fal-key' },
    });
    assert.equal(status, 201, JSON.stringify(body));
    try {
      const estimateAfter = await estimate();
      assert.deepEqual([estimateAfter.needs, estimateAfter.hasSample], [undefined, undefined]);
      assert.equal((await get<Template>(`/templates/${PAID}`)).runsNow, true);
      const { data } = await get<Page>('/templates?runsNow=true&limit=200');
      assert.ok(data.some(template => template.id === PAID));
      const anonymousResponse = await fetch(`${service.url}/api/v1/templates/${PAID}`);
      assert.equal(((await anonymousResponse.json()) as Template).runsNow, false);
    } finally {
      await service.request('DELETE', `/credentials/${body.id}?force=true`);
    }
  });

  it('returns no_sample without a sample', async () => {
    const { body } = await service.request<Workflow>('POST', '/workflows', {
      name: 'Without',
      nodes: [
        {
          id: 'a',
          type: 'basedNode',
          position: { x: 0, y: 0 },
          data: { nodeType: 'input:text', label: 'A' },
        },
      ],
      edges: [],
    });
    assert.equal((await run(body.id, { useSample: true })).body.code, 'no_sample');
  });

  it('replaces no node of a template without providers', async () => {
    const { id } = await copy(FREE);
    const { body } = await run(id, { useSample: true });
    assert.equal(body.status, 'COMPLETED');
    assert.ok(body.nodeStates.every(({ fromSample }) => fromSample === undefined));
  });
});

describe('the command templates', () => {
  const call = (...args: readonly string[]) =>
    callCommand(args, { GRAPHWRIGHT_URL: service.url, GRAPHWRIGHT_API_KEY: KEY });

  it('lists templates', async () => {
    const { code, out } = await call('templates', 'list', '--runs-now');
    assert.equal(code, 0);
    assert.match(out, /tpl_quote-cards +Quote cards +runs now/);
    assert.doesNotMatch(out, /tpl_make-a-picture/);
  });

  it('copies a template by name', async () => {
    const { code, out } = await call('templates', 'use', 'quote-cards', '--name', 'Mine');
    assert.equal(code, 0);
    assert.match(out, /^wf_\w+ {2}Mine$/m);
  });

  it('prints commands that work', async () => {
    for (const name of ['quote-cards', 'make-a-picture']) {
      const { err } = await call('templates', 'use', name);
      const command = /graphwright (run .*)$/m.exec(err)?.[1] ?? '';
      assert.match(command, name === 'quote-cards' ? /^run wf_\w+$/ : /^run wf_\w+ --use-sample$/);
      const { code, err: runError } = await call(...command.split(' '));
      assert.equal(code, 0, runError);
    }
    assert.match((await call('templates', 'use', 'make-a-picture')).err, /graphwright credentials add fal$/m);
  });
});
