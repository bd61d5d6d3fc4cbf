// Tests the slugs of apps: earlier slugs redirect, stay reserved for their app, and are limited in number.
import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { type ApiUser, openTestApp, type TestApp } from '../support/app.ts';
import { createEmbedKey, signVisitor } from '../support/apps/visitors.ts';
import { assertRefused, createWorkflow, edge, node } from '../support/workflows.ts';

const GRAPH = {
  nodes: [node('topic', 'input:text', { value: 'a fox' }), node('out', 'output:preview')],
  edges: [edge('topic.text > out.input')],
};

let test: TestApp;
let owner: ApiUser;
let workflowId: string;
let count = 0;
before(async () => {
  test = await openTestApp();
  owner = await test.createUser();
});
after(() => test.close());
beforeEach(async () => {
  workflowId = (await createWorkflow(owner, GRAPH)).id;
});

const newSlug = (): string => `slug-${++count}`;
const save = (slug: string, more: object = {}, id = workflowId) =>
  owner.request('PUT', `/workflows/${id}/app`, {
    slug,
    title: 'Poster maker',
    inputs: [{ nodeId: 'topic' }],
    outputs: ['out'],
    audience: 'anyone',
    ...more,
  });
/** Saves the app under one slug, then under another, and returns both slugs. */
const rename = async (more: object = {}): Promise<readonly [earlier: string, slug: string]> => {
  const slugs = [newSlug(), newSlug()] as const;
  for (const slug of slugs) assert.equal((await save(slug, more)).status, 200);
  return slugs;
};
const open = (url: string, method: 'GET' | 'POST' = 'GET') => test.app.inject({ method, url });

it('an earlier slug of an app redirects pages and API requests', async () => {
  const [earlier, slug] = await rename();
  for (const [from, to] of [
    [`/a/${earlier}`, `/a/${slug}`],
    [`/a/${earlier}?example=1`, `/a/${slug}?example=1`],
    [`/a/${earlier}/runs/run_x`, `/a/${slug}/runs/run_x`],
  ] as const) {
    const { statusCode, headers } = await open(from);
    assert.deepEqual([statusCode, headers.location, headers['cache-control']], [301, to, 'no-store']);
  }
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/challenge'],
    ['GET', '/gallery?limit=5'],
    ['POST', '/run'],
    ['GET', '/runs/run_x'],
    ['GET', '/runs/run_x/events'],
    ['POST', '/runs/run_x/cancel'],
  ] as const) {
    const body = method === 'POST' && path === '/run' ? { inputs: {} } : undefined;
    const response = await test.anonymous.request(method, `/apps/${earlier}${path}`, body);
    assert.deepEqual(
      [response.status, response.body.code, response.headers.location],
      [308, 'app_moved', `/api/v1/apps/${slug}${path}`],
    );
    assert.match(response.body.error ?? '', new RegExp(slug));
  }
  assert.equal(
    (await open(`/a/${earlier}/runs/run_x/cancel`, 'POST')).headers.location,
    `/a/${slug}/runs/run_x/cancel`,
  );
  assert.equal((await test.anonymous.request('GET', `/apps/${slug}`)).status, 200);
});

it('an earlier slug of an app does not redirect visitors without access', async () => {
  const [earlier] = await rename({ audience: 'workspace' });
  assert.equal((await open(`/a/${earlier}`)).statusCode, 404);
  assertRefused(await test.anonymous.request('GET', `/apps/${earlier}`), 404, 'not_found');
});

it('an earlier slug of an app is reserved until the app is deleted', async () => {
  const [earlier, slug] = await rename();
  const otherWorkflowId = (await createWorkflow(owner, GRAPH)).id;
  for (const taken of [earlier, slug])
    assertRefused(await save(taken, {}, otherWorkflowId), 409, 'slug_taken');
  assert.equal((await save(earlier)).status, 200);
  assert.equal((await open(`/a/${earlier}`)).statusCode, 200);
  assert.equal((await open(`/a/${slug}`)).headers.location, `/a/${earlier}`);
  assert.equal((await owner.request('DELETE', `/workflows/${workflowId}/app`)).status, 200);
  assert.equal((await open(`/a/${slug}`)).statusCode, 404);
  assert.equal((await save(slug, {}, otherWorkflowId)).status, 200);
});

it('a slug is given to one of several concurrent requests', async () => {
  const slug = newSlug();
  const ids = await Promise.all(
    Array.from({ length: 6 }, async () => (await createWorkflow(owner, GRAPH)).id),
  );
  const responses = await Promise.all(ids.map(id => save(slug, {}, id)));
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
});

it('an app keeps its last twenty earlier slugs', async () => {
  const slugs = Array.from({ length: 23 }, newSlug);
  for (const slug of slugs) assert.equal((await save(slug)).status, 200);
  const statuses = [];
  for (const slug of slugs) statuses.push((await open(`/a/${slug}`)).statusCode);
  assert.deepEqual(statuses, [404, 404, ...Array.from({ length: 20 }, () => 301), 200]);
});

it('an app accepts visitor tokens that name an earlier slug', async () => {
  const slug = newSlug();
  await save(slug, { audience: 'signed_in' });
  const key = await createEmbedKey(owner, workflowId);
  const renamed = newSlug();
  await save(renamed, { audience: 'signed_in' });
  const token = await signVisitor(key, slug);
  assert.equal(
    (await open(`/a/${slug}?visitor=${token}`)).headers.location,
    `/a/${renamed}?visitor=${token}`,
  );
  assert.equal((await open(`/a/${renamed}?visitor=${token}`)).statusCode, 200);
  assert.equal(
    (await open(`/a/${renamed}?visitor=${await signVisitor(key, 'another-app')}`)).statusCode,
    401,
  );
});
