// Apps as their visitors use them: audiences, inputs, proofs of work, limits, tokens, files, and what they never learn.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Challenge } from 'altcha-lib/types';
import { decodeJwt, SignJWT } from 'jose';
import {
  type AppRun,
  createProof,
  createVisitor,
  runAsVisitor,
  type StartedAppRun,
  saveApp,
  solveChallenge,
  type Visitor,
  waitForAppRun,
} from '../support/apps/visitors.ts';
import type { Client } from '../support/client.ts';
import { openStream } from '../support/http/sse.ts';
import { waitUntil } from '../support/processes.ts';
import { KEY, startTestService, type TestService } from '../support/service.ts';
import { edge, node } from '../support/workflows.ts';

const SECRET_PROMPT = 'draw like the hidden master of lighthouses';
const labeled = (id: string, nodeType: string, config: object, label: string) => {
  const made = node(id, nodeType, config as Record<string, unknown>);
  return { ...made, data: { ...made.data, label } };
};
const GRAPH = {
  nodes: [
    labeled('secret_topic', 'input:text', { value: SECRET_PROMPT }, 'Confidential topic'),
    labeled('secret_style', 'utility:text_template', { template: 'Hello {{name}}' }, 'Confidential style'),
    labeled('secret_end', 'output:preview', {}, 'Confidential end'),
  ],
  edges: [edge('secret_topic.text > secret_end.input')],
};
const FORM = {
  inputs: [{ nodeId: 'secret_topic', label: 'Topic', placeholder: 'A fox', maxLength: 40 }],
  outputs: ['secret_end'],
};

let service: TestService;
let workflowId: string;
before(async () => {
  service = await startTestService({ TRUST_PROXY: 'true' });
  workflowId = await service.createWorkflow(GRAPH);
});
after(() => service.close());

const newApp = async (settings: object = {}, graph?: object): Promise<string> => {
  const id = await service.createWorkflow(graph ?? GRAPH);
  return saveApp(service, id, { ...FORM, audience: 'anyone', ...settings });
};
const account = (): Promise<Client> =>
  service.createUser({
    keyScopes: ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'],
  });
const codeOf = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

describe('the audience of an app', () => {
  it('decides who finds it', async () => {
    const stranger = createVisitor(service);
    const other = await account();
    for (const [audience, anonymous, signedIn] of [
      ['workspace', 404, 404],
      ['signed_in', 404, 200],
      ['anyone', 200, 200],
    ] as const) {
      const slug = await newApp({ audience });
      const paths = [`/apps/${slug}`, `/apps/${slug}/challenge`];
      for (const path of paths) {
        assert.equal((await stranger.request('GET', path)).status, anonymous, `${audience} ${path}`);
        assert.equal((await other.request('GET', path)).status, signedIn, `${audience} ${path}`);
        assert.equal((await service.request('GET', path)).status, 200, `${audience} ${path}`);
      }
      const run = await other.request('POST', `/apps/${slug}/run`, { inputs: {} });
      assert.equal(run.status, signedIn === 200 ? 202 : 404, audience);
    }
  });

  it('finds a disabled app only for editors, and lists apps by who may use them', async () => {
    const slug = await newApp({ audience: 'signed_in', isEnabled: false });
    const other = await account();
    assert.equal((await other.request('GET', `/apps/${slug}`)).status, 404);
    assert.equal((await service.request('GET', `/apps/${slug}`)).status, 200);
    const open = await newApp({ audience: 'signed_in' });
    const unlisted = await newApp({ audience: 'anyone' });
    const { body } = await other.request<{ data: { slug: string; workflowId?: string }[] }>(
      'GET',
      '/apps?limit=200',
    );
    const slugs = body.data.map(app => app.slug);
    assert.ok(slugs.includes(open) && !slugs.includes(slug) && !slugs.includes(unlisted));
    assert.ok(body.data.every(app => app.workflowId === undefined));
  });
});

it('an app that is not for strangers is not found with a token either', async () => {
  const visitor = createVisitor(service, { 'x-app-visitor': 'any.wrong.token' });
  for (const settings of [{ audience: 'workspace' }, { audience: 'signed_in' }, { isEnabled: false }]) {
    const slug = await newApp(settings);
    assert.equal((await visitor.request('GET', `/apps/${slug}`)).status, 404, JSON.stringify(settings));
  }
});

describe('a run of an app', () => {
  it('gives the visitor the result, and the owner the whole run', async () => {
    const slug = await newApp();
    const visitor = createVisitor(service);
    const started = await runAsVisitor(visitor, slug, { input_1: 'a hen' });
    assert.equal(started.status, 202, JSON.stringify(started.body));
    assert.equal(started.headers.get('location'), started.body.urls.self);
    const run = await waitForAppRun(visitor, slug, started.body.runId);
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

  it('streams to its visitor, who alone can cancel it', async () => {
    const waiting = {
      nodes: [node('t', 'input:text'), node('ask', 'logic:approval'), node('o', 'output:preview')],
      edges: [edge('t.text > ask.input'), edge('ask.approved > o.input')],
    };
    const slug = await newApp({ inputs: [{ nodeId: 't' }], outputs: ['o'] }, waiting);
    const visitor = createVisitor(service);
    const { body } = await runAsVisitor(visitor, slug, { input_1: 'x' });
    const events = await openStream(`${service.url}/api/v1/apps/${slug}/runs/${body.runId}/events`, {});
    const path = `/apps/${slug}/runs/${body.runId}`;
    const stranger = createVisitor(service);
    assert.equal((await stranger.request<AppRun>('GET', path)).body.runId, body.runId);
    assert.deepEqual(codeOf(await stranger.request('POST', `${path}/cancel`)), [403, 'forbidden']);
    assert.equal((await visitor.request('POST', `${path}/cancel`)).status, 200);
    await events.closed;
    const last = events.events.at(-1)?.data as unknown as AppRun;
    assert.deepEqual([last.status, last.error?.code], ['CANCELLED', 'cancelled']);
  });

  it('is refused with an issue for each input', async () => {
    const slug = await newApp({ inputs: [{ ...FORM.inputs[0], isRequired: true }] });
    const visitor = createVisitor(service);
    const send = (inputs: object) => visitor.request<StartedAppRun>('POST', `/apps/${slug}/run`, { inputs });
    for (const inputs of [
      {},
      { input_1: 'x'.repeat(41) },
      { input_1: { a: 1 } },
      { input_1: 'x', secret_topic: 'y' },
    ]) {
      const response = await send(inputs);
      assert.deepEqual(codeOf(response), [400, 'invalid_inputs'], JSON.stringify(inputs));
      assert.match(response.body.issues?.[0]?.path ?? '', /^\/inputs\//);
    }
  });

  it('is started once for an idempotency key, even after its proof was used', async () => {
    const slug = await newApp();
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
    const again = await send('once');
    assert.deepEqual([again.status, again.body.runId], [202, first.body.runId]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.deepEqual(codeOf(await send('twice')), [422, 'idempotency_key_reused']);
  });

  it('expires, unless the owner picks it for the gallery', async () => {
    const slug = await newApp({ showsGallery: true });
    const visitor = createVisitor(service);
    const runs = [];
    for (const text of ['kept', 'lost'])
      runs.push((await runAsVisitor(visitor, slug, { input_1: text })).body.runId);
    for (const runId of runs) await waitForAppRun(visitor, slug, runId);
    const [kept = '', lost = ''] = runs;
    const picked = { inGallery: true };
    assert.equal((await visitor.request('PATCH', `/apps/${slug}/runs/${kept}`, picked)).status, 401);
    assert.equal((await service.request('PATCH', `/apps/${slug}/runs/${kept}`, picked)).status, 200);
    await service.db.query(
      `update app_runs set expires_at = now() - interval '1 second' where id = any ($1::text[])`,
      [runs],
    );
    assert.equal((await visitor.request('GET', `/apps/${slug}/runs/${lost}`)).status, 404);
    assert.equal((await visitor.request('GET', `/apps/${slug}/runs/${kept}`)).status, 200);
    const gallery = await visitor.request<{ data: AppRun[] }>('GET', `/apps/${slug}/gallery`);
    assert.deepEqual(
      gallery.body.data.map(result => [result.runId, result.outputs.output_1?.text]),
      [[kept, 'kept']],
    );
  });
});

describe('a proof of work', () => {
  it('is good for one run of one app', async () => {
    const [slug, other] = [await newApp({ runsPerVisitor: 50 }), await newApp({ runsPerVisitor: 50 })];
    const visitor = createVisitor(service);
    const run = (app: string, proof?: string) =>
      visitor.request<StartedAppRun>('POST', `/apps/${app}/run`, {
        inputs: {},
        ...(proof === undefined ? {} : { proof }),
      });
    const proof = await createProof(visitor, slug);
    assert.deepEqual(codeOf(await run(slug)), [403, 'invalid_proof']);
    assert.deepEqual(codeOf(await run(slug, 'nonsense')), [403, 'invalid_proof']);
    assert.deepEqual(codeOf(await run(other, proof)), [403, 'invalid_proof']);
    const answers = await Promise.all(Array.from({ length: 5 }, () => run(slug, proof)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 403, 403, 403, 403]);
  });

  it('expires, and cannot be made longer or easier', async () => {
    const slug = await newApp();
    const visitor = createVisitor(service);
    const run = (proof: string) =>
      visitor.request<StartedAppRun>('POST', `/apps/${slug}/run`, { inputs: {}, proof });
    const { body: challenge } = await visitor.request<Challenge>('GET', `/apps/${slug}/challenge`);
    const solved = JSON.parse(Buffer.from(solveChallenge(challenge), 'base64').toString());
    const changed = (members: object) =>
      Buffer.from(JSON.stringify({ ...solved, ...members })).toString('base64');
    const later = String(Math.floor(Date.now() / 1000) + 9_000_000);
    for (const members of [
      { salt: solved.salt.replace(/expires=\d+/, `expires=${later}`) },
      { salt: solved.salt.replace(/expires=\d+/, 'expires=1') },
      { number: solved.number + 1 },
      { algorithm: 'SHA-1' },
      { signature: '00' },
    ])
      assert.deepEqual(codeOf(await run(changed(members))), [403, 'invalid_proof'], JSON.stringify(members));
    assert.equal((await run(changed({}))).status, 202);
  });
});

describe('the limit of runs of a visitor', () => {
  it('holds for a network and for a cookie, also in parallel', async () => {
    const slug = await newApp({ runsPerVisitor: 2 });
    const parallel = async (visitors: readonly Visitor[]) => {
      const answers = await Promise.all(visitors.map(visitor => runAsVisitor(visitor, slug)));
      return answers.map(({ status }) => status).sort();
    };
    const one = createVisitor(service);
    assert.deepEqual(await parallel([one, one, one, one]), [202, 202, 429, 429]);
    const cookie = { cookie: 'app-visitor=0123456789abcdefghijkl' };
    assert.deepEqual(
      await parallel([
        createVisitor(service, cookie),
        createVisitor(service, cookie),
        createVisitor(service, cookie),
      ]),
      [202, 202, 429],
    );
    const sameSubnet = ['2001:db8:1:2::1', '2001:db8:1:2::2', '2001:db8:1:2:ffff::3'];
    assert.deepEqual(
      await parallel(sameSubnet.map(address => createVisitor(service, {}, address))),
      [202, 202, 429],
    );
    const refused = await runAsVisitor(one, slug);
    assert.deepEqual(codeOf(refused), [429, 'app_limit_reached']);
    assert.match(refused.body.error ?? '', /2 runs .*until \d{4}-\d\d-\d\d 00:00 UTC/);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  });

  it('does not count runs that were refused', async () => {
    const graph = { ...GRAPH, isActive: false };
    const slug = await newApp({ runsPerVisitor: 1 }, graph);
    const visitor = createVisitor(service);
    for (let tries = 0; tries < 3; tries++)
      assert.deepEqual(codeOf(await runAsVisitor(visitor, slug)), [503, 'app_out_of_order']);
  });
});

describe('a crowd of visitors', () => {
  it('leaves database connections to other requests', async () => {
    const slug = await newApp({ runsPerVisitor: 100 });
    const starts = await service.db.transaction(async tx => {
      // Each start waits for this row.
      await tx.query('select from apps where slug = $1 for update', [slug]);
      const started = Array.from({ length: 40 }, () =>
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
      return started;
    });
    const statuses = (await Promise.all(starts)).map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)], [202]);
  });
});

describe('a visitor of an embedding page', () => {
  it('needs no proof, and has limits of its own', async () => {
    const slug = await newApp({ audience: 'signed_in', runsPerVisitor: 1 });
    const { body: apps } = await service.request<{ data: { slug: string; workflowId: string }[] }>(
      'GET',
      '/apps?limit=200',
    );
    const id = apps.data.find(app => app.slug === slug)?.workflowId;
    const { body } = await service.request<{ key: string }>('POST', `/workflows/${id}/app/embed-key`);
    const sign = (
      claims: { sub?: string; aud?: string; seconds?: number; key?: string; alg?: string } = {},
    ) => {
      const { sub = 'ada', aud = slug, seconds = 200, key = body.key, alg = 'HS256' } = claims;
      return new SignJWT({})
        .setProtectedHeader({ alg })
        .setSubject(sub)
        .setAudience(aud)
        .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
        .sign(Buffer.from(key));
    };
    const run = async (token: string) =>
      createVisitor(service, { 'x-app-visitor': token }).request<StartedAppRun>('POST', `/apps/${slug}/run`, {
        inputs: {},
      });
    assert.equal((await run(await sign())).status, 202);
    assert.deepEqual(codeOf(await run(await sign())), [429, 'app_limit_reached']);
    assert.equal((await run(await sign({ sub: 'bob' }))).status, 202);
    for (const claims of [
      { aud: 'another-app' },
      { seconds: -1 },
      { seconds: 400 },
      { key: 'x'.repeat(43) },
      { alg: 'HS512' },
      { sub: 'x'.repeat(201) },
    ])
      assert.deepEqual(codeOf(await run(await sign(claims))), [401, 'unauthorized'], JSON.stringify(claims));
    assert.equal((await createVisitor(service).request('GET', `/apps/${slug}`)).status, 404);
  });

  it('keeps the page while the form is filled in, until the key is replaced', async () => {
    const id = await service.createWorkflow(GRAPH);
    const slug = await saveApp(service, id, { ...FORM, audience: 'signed_in', runsPerVisitor: 1 });
    const createKey = async (): Promise<string> =>
      (await service.request<{ key: string }>('POST', `/workflows/${id}/app/embed-key`)).body.key;
    const key = await createKey();
    const sign = (header: object, seconds: number) =>
      new SignJWT()
        .setProtectedHeader({ alg: 'HS256', ...header })
        .setSubject('ada')
        .setAudience(slug)
        .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
        .sign(Buffer.from(key));
    const page = await createVisitor(service).request('GET', `/a/${slug}?visitor=${await sign({}, 200)}`);
    const [, ofPage = ''] = /data-token="([^"]+)"/.exec(page.text) ?? [];
    assert.ok((decodeJwt(ofPage).exp ?? 0) > Date.now() / 1000 + 3600);
    const run = (token: string) =>
      createVisitor(service, { 'x-app-visitor': token }).request<StartedAppRun>('POST', `/apps/${slug}/run`, {
        inputs: {},
      });
    assert.deepEqual(codeOf(await run(await sign({ kid: 'page' }, 3600))), [401, 'unauthorized']);
    const started = await run(ofPage);
    assert.equal(started.status, 202, JSON.stringify(started.body));
    assert.deepEqual(codeOf(await run(ofPage)), [429, 'app_limit_reached']);
    await createKey();
    assert.deepEqual(codeOf(await run(ofPage)), [401, 'unauthorized']);
  });
});

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
    const [slug, other] = [await newApp(settings, graph), await newApp(settings, graph)];
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
      assert.deepEqual(codeOf(await runAsVisitor(visitor, app, { input_1: { mediaId } })), [
        400,
        'invalid_inputs',
      ]);
  });

  it('have at most 10 MB, and are taken only by apps with a field for them', async () => {
    const slug = await newApp(settings, graph);
    const large = Buffer.concat([PNG, Buffer.alloc(10_485_760)]);
    assert.deepEqual(codeOf(await upload(slug, large)), [413, 'file_too_large']);
    assert.equal((await upload(await newApp(), PNG)).status, 404);
  });
});

describe('what a visitor receives', () => {
  it('has nothing of the graph in any byte', async () => {
    const { body: execution } = await service.request<{ executionId: string }>(
      'POST',
      `/workflows/${workflowId}/run`,
      {
        inputs: { secret_topic: 'an example' },
      },
    );
    await service.waitForStatus(execution.executionId);
    const slug = await saveApp(service, workflowId, {
      ...FORM,
      inputs: [{ nodeId: 'secret_topic' }],
      audience: 'anyone',
      examples: [execution.executionId],
    });
    const visitor = createVisitor(service);
    const texts: string[] = [];
    const keep = async (response: Promise<{ text?: string; body: unknown }>): Promise<void> => {
      const { text, body } = await response;
      texts.push(text ?? JSON.stringify(body));
    };
    await keep(visitor.request('GET', `/apps/${slug}`));
    await keep(visitor.request('GET', `/apps/${slug}/challenge`));
    await keep(visitor.request('POST', `/apps/${slug}/run`, { inputs: { nothing: 1 } }));
    const started = await runAsVisitor(visitor, slug, { input_1: 'mine' });
    texts.push(JSON.stringify(started.body));
    await waitForAppRun(visitor, slug, started.body.runId);
    await keep(visitor.request('GET', `/apps/${slug}/runs/${started.body.runId}`));
    const events = await openStream(
      `${service.url}/api/v1/apps/${slug}/runs/${started.body.runId}/events`,
      {},
    );
    await events.closed;
    texts.push(JSON.stringify(events.events));
    assert.match(texts[0] ?? '', /an example/);
    for (const text of texts) {
      assert.doesNotMatch(
        text,
        /secret|confidential|lighthouses|Hello \{\{|input:text|output:preview|wf_|ex_/i,
      );
      assert.ok(!text.includes(workflowId) && !text.includes(execution.executionId));
    }
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

describe('an app whose workflow cannot serve it', () => {
  it('is out of order to visitors', async () => {
    const id = await service.createWorkflow(GRAPH);
    const slug = await saveApp(service, id, { ...FORM, audience: 'anyone' });
    const visitor = createVisitor(service);
    const renamed = {
      ...GRAPH,
      nodes: GRAPH.nodes.map(each => ({ ...each, id: each.id.replace('topic', 'theme') })),
      edges: [],
    };
    assert.equal((await service.request('PUT', `/workflows/${id}`, renamed)).status, 409);
    assert.equal((await service.request('PUT', `/workflows/${id}?breakApp=true`, renamed)).status, 200);
    const view = await visitor.request<{ isOutOfOrder: boolean }>('GET', `/apps/${slug}`);
    assert.deepEqual([view.status, view.body.isOutOfOrder], [200, true]);
    assert.deepEqual(codeOf(await visitor.request('POST', `/apps/${slug}/run`, { inputs: {} })), [
      503,
      'app_out_of_order',
    ]);
  });

  it('is out of order if its version was deleted, and its owner learns what to do', async () => {
    const owner = await account();
    const id = await owner.createWorkflow(GRAPH);
    const slug = await saveApp(owner, id, { ...FORM, audience: 'anyone', version: 1 });
    assert.equal(
      (await owner.request('PUT', `/workflows/${id}`, { ...GRAPH, name: 'New', edges: [] })).status,
      200,
    );
    const visitor = createVisitor(service);
    assert.equal((await runAsVisitor(visitor, slug, { input_1: 'x' })).status, 202);
    // Versions of apps are not swept, so only an operator deletes one.
    await service.db.query('delete from workflow_versions where workflow_id = $1 and version = 1', [id]);
    // Another process has not read the version yet.
    const other = await service.startAnother();
    const { url } = other;
    const view = await createVisitor({ url }).request<{ isOutOfOrder: boolean }>('GET', `/apps/${slug}`);
    assert.deepEqual([view.status, view.body.isOutOfOrder], [200, true]);
    const page = await createVisitor({ url }).request('GET', `/a/${slug}`);
    assert.match(page.text, /This app is out of order at the moment/);
    assert.doesNotMatch(page.text, /version|deleted/i);
    const refused = await createVisitor({ url }).request('POST', `/apps/${slug}/run`, { inputs: {} });
    assert.deepEqual(codeOf(refused as never), [503, 'app_out_of_order']);
    const { body: notices } = await owner.request<{ data: { kind: string; text: string }[] }>(
      'GET',
      '/notices',
    );
    assert.deepEqual(
      notices.data.map(({ kind }) => kind),
      ['app_out_of_order'],
    );
    assert.match(notices.data[0]?.text ?? '', /version/);
    await other.close();
  });
});
