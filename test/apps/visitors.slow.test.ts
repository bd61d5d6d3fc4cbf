// Tests apps as visitors use them: audiences, inputs, results, tokens, and what stays hidden from visitors.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import {
  type AppRun,
  createApp,
  createEmbedKey,
  createProof,
  createVisitor,
  runAsVisitor,
  SECRET_FORM,
  SECRET_GRAPH,
  type StartedAppRun,
  saveApp,
  signVisitor,
  toStatusAndCode,
  waitForAppRun,
} from '../support/apps/visitors.ts';
import type { Client } from '../support/client.ts';
import { openStream } from '../support/http/sse.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

let service: TestService;
let workflowId: string;
before(async () => {
  service = await startTestService({ TRUST_PROXY: 'true' });
  workflowId = await service.createWorkflow(SECRET_GRAPH);
});
after(() => service.close());

const createAccount = (): Promise<Client> =>
  service.createUser({
    keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'],
  });

describe('the audience of an app', () => {
  it('decides who can open the app', async () => {
    const stranger = createVisitor(service);
    const otherAccount = await createAccount();
    for (const [audience, anonymous, signedIn] of [
      ['workspace', 404, 404],
      ['signed_in', 404, 200],
      ['anyone', 200, 200],
    ] as const) {
      const slug = await createApp(service, { audience });
      const paths = [`/apps/${slug}`, `/apps/${slug}/challenge`];
      for (const path of paths) {
        assert.equal((await stranger.request('GET', path)).status, anonymous, `${audience} ${path}`);
        assert.equal((await otherAccount.request('GET', path)).status, signedIn, `${audience} ${path}`);
        assert.equal((await service.request('GET', path)).status, 200, `${audience} ${path}`);
      }
      const run = await otherAccount.request('POST', `/apps/${slug}/run`, { inputs: {} });
      assert.equal(run.status, signedIn === 200 ? 202 : 404, audience);
    }
  });

  it('decides who finds the app in GET /apps', async () => {
    const slug = await createApp(service, { audience: 'signed_in', isEnabled: false });
    const otherAccount = await createAccount();
    assert.equal((await otherAccount.request('GET', `/apps/${slug}`)).status, 404);
    assert.equal((await service.request('GET', `/apps/${slug}`)).status, 200);
    const listedSlug = await createApp(service, { audience: 'signed_in' });
    const unlistedSlug = await createApp(service, { audience: 'anyone' });
    const { body } = await otherAccount.request<{ data: { slug: string; workflowId?: string }[] }>(
      'GET',
      '/apps?limit=200',
    );
    const slugs = body.data.map(app => app.slug);
    assert.ok(slugs.includes(listedSlug) && !slugs.includes(slug) && !slugs.includes(unlistedSlug));
    assert.ok(body.data.every(app => app.workflowId === undefined));
  });
});

it('returns 404 for a restricted app to a visitor with an invalid token', async () => {
  const visitor = createVisitor(service, { 'x-app-visitor': 'any.wrong.token' });
  for (const settings of [{ audience: 'workspace' }, { audience: 'signed_in' }, { isEnabled: false }]) {
    const slug = await createApp(service, settings);
    assert.equal((await visitor.request('GET', `/apps/${slug}`)).status, 404, JSON.stringify(settings));
  }
});

describe('a run of an app', () => {
  it('shows the visitor only the result and the owner the whole execution', async () => {
    const slug = await createApp(service);
    const visitor = createVisitor(service);
    const start = await runAsVisitor(visitor, slug, { input_1: 'a hen' });
    assert.equal(start.status, 202, JSON.stringify(start.body));
    assert.equal(start.headers.get('location'), start.body.urls.self);
    const run = await waitForAppRun(visitor, slug, start.body.runId);
    assert.deepEqual([run.status, run.progress, run.outputs.output_1?.text], ['COMPLETED', 1, 'a hen']);
    const hours = (Date.parse(run.expiresAt) - Date.now()) / 3_600_000;
    assert.ok(hours > 23 && hours <= 24, `${hours}`);
    const { body } = await service.request<{ data: Record<string, unknown>[] }>('GET', '/executions?limit=1');
    const execution = body.data[0] as { trigger: string; appId: string; id: string };
    assert.equal(execution.trigger, 'app');
    assert.match(execution.appId, /^app_/);
    assert.equal((await service.readExecution(execution.id)).inputs.secret_topic, 'a hen');
    const { status } = await visitor.request('GET', `/executions/${execution.id}`);
    assert.equal(status, 401);
  });

  it('can be cancelled only by its visitor', async () => {
    const waitingGraph = {
      nodes: [node('t', 'input:text'), node('ask', 'logic:approval'), node('o', 'output:preview')],
      edges: [edge('t.text > ask.input'), edge('ask.approved > o.input')],
    };
    const slug = await createApp(service, { inputs: [{ nodeId: 't' }], outputs: ['o'] }, waitingGraph);
    const visitor = createVisitor(service);
    const { body } = await runAsVisitor(visitor, slug, { input_1: 'x' });
    const events = await openStream(`${service.url}/api/v1/apps/${slug}/runs/${body.runId}/events`, {});
    const path = `/apps/${slug}/runs/${body.runId}`;
    const stranger = createVisitor(service);
    assert.equal((await stranger.request<AppRun>('GET', path)).body.runId, body.runId);
    assert.deepEqual(toStatusAndCode(await stranger.request('POST', `${path}/cancel`)), [403, 'forbidden']);
    assert.equal((await visitor.request('POST', `${path}/cancel`)).status, 200);
    await events.closed;
    const last = events.events.at(-1)?.data as unknown as AppRun;
    assert.deepEqual([last.status, last.error?.code], ['CANCELLED', 'cancelled']);
  });

  it('returns 400 with the path of each invalid input', async () => {
    const slug = await createApp(service, { inputs: [{ ...SECRET_FORM.inputs[0], isRequired: true }] });
    const visitor = createVisitor(service);
    const send = (inputs: object) => visitor.request<StartedAppRun>('POST', `/apps/${slug}/run`, { inputs });
    for (const inputs of [
      {},
      { input_1: 'x'.repeat(41) },
      { input_1: { a: 1 } },
      { input_1: 'x', secret_topic: 'y' },
    ]) {
      const response = await send(inputs);
      assert.deepEqual(toStatusAndCode(response), [400, 'invalid_inputs'], JSON.stringify(inputs));
      assert.match(response.body.issues?.[0]?.path ?? '', /^\/inputs\//);
    }
  });

  it('starts once for repeated requests with an idempotency key', async () => {
    const slug = await createApp(service);
    const visitor = createVisitor(service);
    const proof = await createProof(visitor, slug);
    const send = (text: string) =>
      visitor.request<StartedAppRun>(
        'POST',
        `/apps/${slug}/run`,
        { inputs: { input_1: text }, proof },
        { 'idempotency-key': 'k' },
      );
    const first = await send('once');
    const repeated = await send('once');
    assert.deepEqual([repeated.status, repeated.body.runId], [202, first.body.runId]);
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(toStatusAndCode(await send('twice')), [422, 'idempotency_key_reused']);
  });

  it('expires unless the owner adds the run to the gallery', async () => {
    const slug = await createApp(service, { showsGallery: true });
    const visitor = createVisitor(service);
    const runs = [];
    for (const text of ['kept', 'lost'])
      runs.push((await runAsVisitor(visitor, slug, { input_1: text })).body.runId);
    for (const runId of runs) await waitForAppRun(visitor, slug, runId);
    const [galleryRun = '', expiredRun = ''] = runs;
    const inGallery = { inGallery: true };
    assert.equal((await visitor.request('PATCH', `/apps/${slug}/runs/${galleryRun}`, inGallery)).status, 401);
    assert.equal((await service.request('PATCH', `/apps/${slug}/runs/${galleryRun}`, inGallery)).status, 200);
    await service.db.query(
      `update app_runs set expires_at = now() - interval '1 second' where id = any ($1::text[])`,
      [runs],
    );
    assert.equal((await visitor.request('GET', `/apps/${slug}/runs/${expiredRun}`)).status, 404);
    assert.equal((await visitor.request('GET', `/apps/${slug}/runs/${galleryRun}`)).status, 200);
    const gallery = await visitor.request<{ data: AppRun[] }>('GET', `/apps/${slug}/gallery`);
    assert.deepEqual(
      gallery.body.data.map(result => [result.runId, result.outputs.output_1?.text]),
      [[galleryRun, 'kept']],
    );
  });
});

describe('a visitor with an embed token', () => {
  it('needs no proof of work and has limits per token subject', async () => {
    const id = await service.createWorkflow(SECRET_GRAPH);
    const slug = await saveApp(service, id, { ...SECRET_FORM, audience: 'signed_in', runsPerVisitor: 1 });
    const key = await createEmbedKey(service, id);
    const run = async (token: string) =>
      createVisitor(service, { 'x-app-visitor': token }).request<StartedAppRun>('POST', `/apps/${slug}/run`, {
        inputs: {},
      });
    assert.equal((await run(await signVisitor(key, slug))).status, 202);
    assert.deepEqual(toStatusAndCode(await run(await signVisitor(key, slug))), [429, 'app_limit_reached']);
    assert.equal((await run(await signVisitor(key, slug, { sub: 'bob' }))).status, 202);
    for (const [name, token] of Object.entries({
      'another app': signVisitor(key, 'another-app'),
      expired: signVisitor(key, slug, { seconds: -1 }),
      'valid for too long': signVisitor(key, slug, { seconds: 400 }),
      'another key': signVisitor('x'.repeat(43), slug),
      'another algorithm': signVisitor(key, slug, { header: { alg: 'HS512' } }),
      'a long subject': signVisitor(key, slug, { sub: 'x'.repeat(201) }),
    }))
      assert.deepEqual(toStatusAndCode(await run(await token)), [401, 'unauthorized'], name);
    assert.equal((await createVisitor(service).request('GET', `/apps/${slug}`)).status, 404);
  });

  it('receives a page token that is valid for an hour or until the embed key is replaced', async () => {
    const id = await service.createWorkflow(SECRET_GRAPH);
    const slug = await saveApp(service, id, { ...SECRET_FORM, audience: 'signed_in', runsPerVisitor: 1 });
    const key = await createEmbedKey(service, id);
    const token = await signVisitor(key, slug);
    const page = await createVisitor(service).request('GET', `/a/${slug}?visitor=${token}`);
    const [, pageToken = ''] = /data-token="([^"]+)"/.exec(page.text) ?? [];
    assert.ok((decodeJwt(pageToken).exp ?? 0) > Date.now() / 1000 + 3600);
    const run = (token: string) =>
      createVisitor(service, { 'x-app-visitor': token }).request<StartedAppRun>('POST', `/apps/${slug}/run`, {
        inputs: {},
      });
    const forged = await signVisitor(key, slug, { seconds: 3600, header: { kid: 'page' } });
    assert.deepEqual(toStatusAndCode(await run(forged)), [401, 'unauthorized']);
    const start = await run(pageToken);
    assert.equal(start.status, 202, JSON.stringify(start.body));
    assert.deepEqual(toStatusAndCode(await run(pageToken)), [429, 'app_limit_reached']);
    await createEmbedKey(service, id);
    assert.deepEqual(toStatusAndCode(await run(pageToken)), [401, 'unauthorized']);
  });
});

describe('responses to app visitors', () => {
  it('reveal nothing of the graph', async () => {
    const { id } = await service.runWorkflow(workflowId, { inputs: { secret_topic: 'an example' } });
    const slug = await saveApp(service, workflowId, {
      ...SECRET_FORM,
      inputs: [{ nodeId: 'secret_topic', showsDefault: false }],
      audience: 'anyone',
      examples: [id],
    });
    const visitor = createVisitor(service);
    const texts: string[] = [];
    const record = async (response: Promise<{ text?: string; body: unknown }>): Promise<void> => {
      const { text, body } = await response;
      texts.push(text ?? JSON.stringify(body));
    };
    await record(visitor.request('GET', `/apps/${slug}`));
    await record(visitor.request('GET', `/apps/${slug}/challenge`));
    await record(visitor.request('POST', `/apps/${slug}/run`, { inputs: { nothing: 1 } }));
    const start = await runAsVisitor(visitor, slug, { input_1: 'mine' });
    texts.push(JSON.stringify(start.body));
    await waitForAppRun(visitor, slug, start.body.runId);
    await record(visitor.request('GET', `/apps/${slug}/runs/${start.body.runId}`));
    const events = await openStream(`${service.url}/api/v1/apps/${slug}/runs/${start.body.runId}/events`, {});
    await events.closed;
    texts.push(JSON.stringify(events.events));
    assert.match(texts[0] ?? '', /an example/);
    for (const text of texts) {
      assert.doesNotMatch(
        text,
        /secret|confidential|lighthouses|Hello \{\{|input:text|output:preview|wf_|ex_/i,
      );
      assert.ok(!text.includes(workflowId) && !text.includes(id));
    }
  });
});

describe('an example', () => {
  it('has the values of the workflow that its run used, if the run was started without inputs', async () => {
    const { id } = await service.runWorkflow(workflowId);
    const slug = await saveApp(service, workflowId, { ...SECRET_FORM, audience: 'anyone', examples: [id] });
    const { body } = await createVisitor(service).request<{
      examples: readonly { readonly inputs: Readonly<Record<string, unknown>> }[];
    }>('GET', `/apps/${slug}`);
    assert.equal(body.examples[0]?.inputs.input_1, 'draw like the hidden master of lighthouses');
  });
});

describe('an app that is out of order', () => {
  it('returns 503 app_out_of_order after its input node was removed', async () => {
    const id = await service.createWorkflow(SECRET_GRAPH);
    const slug = await saveApp(service, id, { ...SECRET_FORM, audience: 'anyone' });
    const visitor = createVisitor(service);
    const renamed = {
      ...SECRET_GRAPH,
      nodes: SECRET_GRAPH.nodes.map(each => ({ ...each, id: each.id.replace('topic', 'theme') })),
      edges: [],
    };
    assert.equal((await service.request('PUT', `/workflows/${id}`, renamed)).status, 409);
    assert.equal((await service.request('PUT', `/workflows/${id}?breakApp=true`, renamed)).status, 200);
    const view = await visitor.request<{ isOutOfOrder: boolean }>('GET', `/apps/${slug}`);
    assert.deepEqual([view.status, view.body.isOutOfOrder], [200, true]);
    assert.deepEqual(toStatusAndCode(await visitor.request('POST', `/apps/${slug}/run`, { inputs: {} })), [
      503,
      'app_out_of_order',
    ]);
  });

  it('notifies the owner if the pinned version was deleted', async () => {
    const owner = await createAccount();
    const id = await owner.createWorkflow(SECRET_GRAPH);
    const slug = await saveApp(owner, id, { ...SECRET_FORM, audience: 'anyone', version: 1 });
    assert.equal(
      (await owner.request('PUT', `/workflows/${id}`, { ...SECRET_GRAPH, name: 'New', edges: [] })).status,
      200,
    );
    const visitor = createVisitor(service);
    assert.equal((await runAsVisitor(visitor, slug, { input_1: 'x' })).status, 202);
    // Versions of apps are not swept, so only an operator deletes one.
    await service.db.query('delete from workflow_versions where workflow_id = $1 and version = 1', [id]);
    // Another process has not read the version yet.
    const otherProcess = await service.startAnother();
    const { url } = otherProcess;
    const view = await createVisitor({ url }).request<{ isOutOfOrder: boolean }>('GET', `/apps/${slug}`);
    assert.deepEqual([view.status, view.body.isOutOfOrder], [200, true]);
    const page = await createVisitor({ url }).request('GET', `/a/${slug}`);
    assert.match(page.text, /This app is out of order\./);
    assert.doesNotMatch(page.text, /version|deleted/i);
    const refusal = await createVisitor({ url }).request('POST', `/apps/${slug}/run`, { inputs: {} });
    assert.deepEqual(toStatusAndCode(refusal as never), [503, 'app_out_of_order']);
    const { body: notices } = await owner.request<{ data: { kind: string; text: string }[] }>(
      'GET',
      '/notices',
    );
    assert.deepEqual(
      notices.data.map(({ kind }) => kind),
      ['app_out_of_order'],
    );
    assert.match(notices.data[0]?.text ?? '', /version/);
    await otherProcess.close();
  });
});
