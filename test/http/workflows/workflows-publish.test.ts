// Tests link permissions, publication and templates: what other users see of a workflow.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import {
  assertRefused,
  at,
  createWorkflow,
  node,
  putWorkflow,
  readWorkflow,
  type Workflow,
} from '../../support/workflows.ts';

interface Template {
  readonly id: string;
  readonly workflowId: string;
  readonly title: string;
  readonly isOwner: boolean;
  readonly isPublished: boolean;
  readonly canDuplicate: boolean;
}
interface TemplatePage {
  readonly data: readonly Template[];
  readonly nextCursor: string | null;
}

let test: TestApp;
let owner: ApiUser;
let editor: ApiUser;
let otherUser: ApiUser;
let id: string;

before(async () => {
  test = await createTestApp({ env: { HIDE_TEMPLATES: 'all' } });
  [owner, editor, otherUser] = await test.createUsers(3);
});
after(() => test.close());
beforeEach(async () => {
  ({ id } = await createWorkflow(owner));
  await owner.request('PUT', `/workflows/${id}/permissions`, { userId: editor.userId, role: 'EDIT' });
});

const publish = (body: object = {}, user: Pick<ApiUser, 'request'> = owner, workflowId = id) =>
  user.request<Workflow>('POST', `/workflows/${workflowId}/publish`, { isPublished: true, ...body });
const setVisibility = (linkPermission: string, user: Pick<ApiUser, 'request'> = owner) =>
  user.request<Workflow>('POST', `/workflows/${id}/visibility`, { linkPermission });
const getPublished = (slug: string | null, user: Pick<ApiUser, 'request'> = test.anonymous) =>
  user.request<Workflow>('GET', `/published/${slug}`);

describe('POST /workflows/{id}/visibility', () => {
  it('sets linkPermission and returns the workflow', async () => {
    const { status, body } = await setVisibility('VIEW');
    assert.deepEqual([status, body.linkPermission, body.id], [200, 'VIEW', id]);
    assert.equal((await readWorkflow(otherUser, id)).canDuplicate, false);
    await setVisibility('DUPLICATE');
    assert.equal((await readWorkflow(otherUser, id)).canDuplicate, true);
  });

  it('requires an owner and a valid linkPermission', async () => {
    assertRefused(await setVisibility('VIEW', editor), 403, 'forbidden');
    assertRefused(await setVisibility('VIEW', otherUser), 403, 'forbidden');
    assertRefused(await setVisibility('VIEW', test.anonymous), 401, 'unauthorized');
    assertRefused(await setVisibility('PUBLIC'), 400, 'invalid_request');
  });
});

describe('POST /workflows/{id}/publish', () => {
  it('sets publishedAt and a unique slug from the name', async () => {
    await putWorkflow(owner, id, { name: 'Ein Bild für Dich!' });
    const { body } = await publish();
    assert.deepEqual([body.isPublished, body.publishedSlug], [true, 'ein-bild-fur-dich']);
    assert.match(body.publishedAt ?? '', /Z$/);
    const { id: otherId } = await createWorkflow(owner, { name: 'Ein Bild für Dich!' });
    assert.match(
      (await publish({}, owner, otherId)).body.publishedSlug ?? '',
      /^ein-bild-fur-dich-[0-9a-f]{10}$/,
    );
    const { id: idWithoutSlug } = await createWorkflow(owner, { name: '日本' });
    assert.match(
      (await publish({}, owner, idWithoutSlug)).body.publishedSlug ?? '',
      /^workflow-[0-9a-f]{10}$/,
    );
  });

  it('accepts a custom slug', async () => {
    const slug = `my-slug-${owner.userId}-${id.slice(-5)}`;
    assert.equal((await publish({ slug })).body.publishedSlug, slug);
    assert.equal((await publish({ slug })).status, 200);
    const { id: otherId } = await createWorkflow(owner);
    assertRefused(await publish({ slug }, owner, otherId), 409, 'slug_taken');
    for (const invalidSlug of ['ab', 'Upper', 'a b c', 'x'.repeat(81), 'umläut']) {
      assertRefused(await publish({ slug: invalidSlug }), 400, 'invalid_request');
    }
  });

  it('gives a slug to one of two concurrent requests', async () => {
    const { id: otherId } = await createWorkflow(owner);
    const slug = `race-${id.slice(-8)}`;
    const responses = await Promise.all([publish({ slug }), publish({ slug }, owner, otherId)]);
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409]);
  });

  it('publishes the current version until the next publication', async () => {
    const { publishedSlug } = (await publish()).body;
    const getConfig = ({ body }: { body: Workflow }) => body.nodes[0]?.data.config;
    const change = (value: string) =>
      putWorkflow(owner, id, { nodes: [node('a', 'input:text', { value })], edges: [] });
    await change('second');
    assert.deepEqual(getConfig(await getPublished(publishedSlug)), { value: 'x' });
    assert.deepEqual((await readWorkflow(test.anonymous, id)).nodes[0]?.data.config, { value: 'x' });
    assert.deepEqual((await readWorkflow(otherUser, id)).nodes[0]?.data.config, { value: 'x' });
    assert.deepEqual((await readWorkflow(owner, id)).nodes[0]?.data.config, { value: 'second' });
    assert.deepEqual((await readWorkflow(editor, id)).nodes[0]?.data.config, { value: 'second' });
    await publish();
    assert.deepEqual(getConfig(await getPublished(publishedSlug)), { value: 'second' });
  });

  it('replaces settings only if the request has settings', async () => {
    await publish({ settings: { title: 'T', exposedInputs: ['a'] } });
    assert.deepEqual((await publish()).body.publishSettings, { title: 'T', exposedInputs: ['a'] });
    assert.deepEqual((await publish({ settings: { category: 'c' } })).body.publishSettings, {
      category: 'c',
    });
  });

  it('shows only exposedInputs on the public page in the same order', async () => {
    const nodes = ['one', 'two', 'three'].map((name, index) =>
      node(name, 'input:text', { value: `value of ${name}` }, at(0, index * 200)),
    );
    await putWorkflow(owner, id, { nodes, edges: [] });
    const key = { authorization: `Bearer ${owner.key}` };
    const fetchPage = async (headers = key) => (await test.app.inject({ url: `/flow/${id}`, headers })).body;
    const listInputs = (html: string) =>
      [
        ...(/class="nodes inputs">(.*?)<\/ol>/.exec(html)?.[1] ?? '').matchAll(
          /<li><span dir="auto">(\w+)<\/span>/g,
        ),
      ].map(entry => entry[1]);
    await publish();
    assert.deepEqual(listInputs(await fetchPage()), ['one', 'two', 'three']);
    const { publishedSlug } = (await publish({ settings: { exposedInputs: ['three', 'one'] } })).body;
    assert.deepEqual(listInputs((await test.app.inject(`/p/${publishedSlug}`)).body), ['three', 'one']);
    const html = await fetchPage();
    assert.deepEqual(listInputs(html), ['three', 'one']);
    assert.match(html, /value of three.*value of one/);
    assert.doesNotMatch(html.slice(html.indexOf('<h2>Run this'), html.indexOf('<h2>Nodes')), /two/);
    await publish({ settings: { exposedInputs: [] } });
    assert.doesNotMatch(await fetchPage(), /<h2>Inputs/);
  });

  it('refuses unknown settings and exposedInputs that are not input nodes', async () => {
    assertRefused(await publish({ settings: { colour: 'red' } }), 400, 'invalid_request');
    const { issues } = assertRefused(
      await publish({ settings: { exposedInputs: ['z'] } }),
      400,
      'invalid_request',
    );
    assert.equal(issues?.[0]?.nodeId, 'z');
    const refusal = assertRefused(
      await publish({ settings: { exposedInputs: ['a', 'b'] } }),
      400,
      'invalid_request',
    );
    assert.deepEqual(
      refusal.issues?.map(({ path, nodeId, code }) => [path, nodeId, code]),
      [['/settings/exposedInputs/1', 'b', 'not_an_input']],
    );
    assert.equal((await readWorkflow(owner, id)).isPublished, false);
  });

  it('unpublishes with isPublished false but reserves the slug', async () => {
    const { publishedSlug } = (await publish()).body;
    const { body } = await publish({ isPublished: false });
    assert.deepEqual([body.isPublished, body.publishedAt, body.publishedSlug], [false, null, publishedSlug]);
    assertRefused(await getPublished(publishedSlug), 404, 'not_found');
    assertRefused(await otherUser.request('GET', `/workflows/${id}`), 403, 'forbidden');
    const { id: otherId } = await createWorkflow(owner);
    assertRefused(await publish({ slug: publishedSlug }, owner, otherId), 409, 'slug_taken');
    assert.equal((await publish()).body.publishedSlug, publishedSlug);
  });

  it('requires an owner', async () => {
    assertRefused(await publish({}, editor), 403, 'forbidden');
    assertRefused(await publish({}, test.anonymous), 401, 'unauthorized');
  });
});

describe('GET /published/{slug}', () => {
  it('returns the view of an anonymous visitor to everyone', async () => {
    await putWorkflow(owner, id, {
      secrets: { A: 'b' },
      nodes: [node('a', 'input:text', { apiKey: 'k' })],
      edges: [],
    });
    const { publishedSlug } = (await publish({ settings: { title: 'T', isTemplate: true } })).body;
    const page = await getPublished(publishedSlug);
    assert.deepEqual([page.body.userRole, page.body.secrets], ['ANONYMOUS', null]);
    assert.deepEqual(page.body.nodes[0]?.data.config, {});
    assert.deepEqual(page.body.publishSettings, { title: 'T' });
    assert.deepEqual((await getPublished(publishedSlug, owner)).body, page.body);
  });

  it('returns 304 for its ETag and 404 without a publication', async () => {
    const { publishedSlug } = (await publish()).body;
    const { headers } = await getPublished(publishedSlug);
    const response = await test.anonymous.request('GET', `/published/${publishedSlug}`, undefined, {
      'if-none-match': headers.etag ?? '',
    });
    assert.equal(response.status, 304);
    assertRefused(await getPublished('never-was'), 404, 'not_found');
  });
});

describe('GET /templates', () => {
  const listTemplates = async (user: Pick<ApiUser, 'request'>, query = ''): Promise<TemplatePage> =>
    (await user.request<TemplatePage>('GET', `/templates${query}`)).body;
  const isListed = async (user: Pick<ApiUser, 'request'>, query = '') =>
    (await listTemplates(user, query)).data.some(({ workflowId }) => workflowId === id);

  it('lists published templates to everyone', async () => {
    await publish({ settings: { title: 'T' } });
    assert.equal(await isListed(test.anonymous), false);
    await publish({ settings: { title: 'T', isTemplate: true } });
    const [item] = (await listTemplates(test.anonymous)).data;
    assert.deepEqual(
      [item?.id, item?.workflowId, item?.title, item?.isOwner, item?.canDuplicate],
      [id.replace('wf_', 'tpl_'), id, 'T', false, true],
    );
    await publish({ isPublished: false });
    assert.equal(await isListed(test.anonymous), false);
  });

  it('lists unpublished templates only to their owner', async () => {
    await publish({ isPublished: false, settings: { isTemplate: true } });
    assert.deepEqual([await isListed(owner), await isListed(otherUser)], [true, false]);
    assert.equal(await isListed(await test.withScopes(owner, ['workflows:write'])), false);
  });

  it('filters by category and pages by limit and cursor', async () => {
    const category = `c-${id.slice(-8)}`;
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { id: workflowId } = await createWorkflow(owner);
      await publish({ settings: { isTemplate: true, category } }, owner, workflowId);
      ids.unshift(workflowId);
    }
    const listedIds: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: TemplatePage = await listTemplates(
        test.anonymous,
        `?category=${category}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      listedIds.push(...page.data.map(entry => entry.workflowId));
      cursor = page.nextCursor;
    }
    assert.deepEqual(listedIds, ids);
  });

  it('omits deleted workflows', async () => {
    await publish({ settings: { isTemplate: true } });
    await owner.request('DELETE', `/workflows/${id}`);
    assert.deepEqual([await isListed(test.anonymous), await isListed(owner)], [false, false]);
  });
});
