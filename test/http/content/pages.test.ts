// Tests content pages, lists, feeds and workflow pages as visitors get them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { newId } from '../../../src/lib/ids.ts';
import { MARKDOWN } from '../../../src/pages/stored-markdown.ts';
import { insertUser } from '../../../src/store/users.ts';
import { checkPage, listElements, parseStructuredData } from '../../pages/page-check.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { FULL_PAGE, makeMarkdown } from '../../support/pages/content.ts';
import { createWorkflow, node } from '../../support/workflows.ts';

const SECRET = 'content-secret';
const MAX_PAGE_BYTES = 40_000;

let test: TestApp;
let owner: ApiUser;
before(async () => {
  test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: SECRET, BASE_URL: 'https://films.example' } });
  await insertUser(test.deps.db, {
    email: 'author@example.com',
    name: 'Ida <Author>',
    plan: 'free',
    isAuthor: true,
  });
  owner = await test.createUser();
});
after(() => test.close());

async function send(method: 'POST' | 'PUT', body: Record<string, unknown>): Promise<string> {
  const response = await test.app.inject({
    method,
    url: '/api/content/webhook',
    headers: { authorization: `Bearer ${SECRET}` },
    payload: body,
  });
  assert.ok(response.statusCode < 300, response.body);
  return response.json().url;
}

const publish = (body: Record<string, unknown>): Promise<string> =>
  send('POST', { isPublished: true, ...body });

const get = (url: string, headers: Record<string, string> = {}) =>
  test.app.inject({ method: 'GET', url, headers });

async function read(url: string): Promise<string> {
  const response = await get(url);
  assert.equal(response.statusCode, 200, `${url}: ${response.body}`);
  return response.body;
}

describe('a content page', () => {
  it('has every part for every type and variant', async () => {
    const { quickAnswer } = FULL_PAGE;
    for (const [index, type] of ['TOOL', 'FEATURE', 'APP', 'MODEL', 'ARTICLE'].entries()) {
      const variant = ['default', 'highlight', 'compact'][index % 3];
      const url = await publish({
        ...FULL_PAGE,
        type,
        slug: `whole-${index}`,
        title: `Whole ${index}`,
        body_markdown: makeMarkdown(2000),
        heroImage: '/cdn/hero.jpg',
        quickAnswer: { ...quickAnswer, variant },
      });
      const page = await read(url);
      checkPage(page);
      assert.match(page, new RegExp(`class="part answer ${variant}"`));
      for (const message of [
        'Step by step',
        'Frequently asked questions',
        'Keep exploring',
        'Make the first one',
      ])
        assert.ok(page.includes(message), message);
    }
  });

  it('has metadata for search engines and social networks', async () => {
    const url = await publish({
      slug: 'spoken',
      title: 'Spoken',
      type: 'ARTICLE',
      meta_description: 'What it says.',
      ogImage: '/cdn/og.png',
      faqSchema: FULL_PAGE.faqSchema,
      howToSteps: FULL_PAGE.howToSteps,
    });
    const page = await read(url);
    for (const tag of [
      '<title>Spoken · Graphwright</title>',
      '<meta name="description" content="What it says.">',
      '<link rel="canonical" href="https://films.example/blog/spoken">',
      '<meta property="og:type" content="article">',
      '<meta property="og:url" content="https://films.example/blog/spoken">',
      '<meta property="og:image" content="https://films.example/cdn/og.png">',
      '<meta name="twitter:card" content="summary_large_image">',
    ])
      assert.ok(page.includes(tag), tag);
    const { Article, FAQPage, HowTo, BreadcrumbList } = parseStructuredData(page);
    assert.deepEqual(Article?.author, { '@type': 'Person', name: 'Ida <Author>' });
    assert.equal((FAQPage?.mainEntity as unknown[] | undefined)?.length, 3);
    assert.equal((HowTo?.step as unknown[] | undefined)?.length, 3);
    assert.equal((BreadcrumbList?.itemListElement as unknown[] | undefined)?.length, 2);
    assert.ok(parseStructuredData(await read('/features/whole-1')).SoftwareApplication);
  });

  it('can have a canonical URL on another site', async () => {
    const url = await publish({
      slug: 'canon',
      title: 'Canon',
      type: 'TOOL',
      canonicalUrl: 'https://a.example/x',
    });
    assert.match(await read(url), /<link rel="canonical" href="https:\/\/a.example\/x">/);
  });

  it('has at most 40 KB with a workflow and 20 KB of markdown', async () => {
    const { id } = await createWorkflow(owner);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    const body_markdown = makeMarkdown(20_480);
    assert.equal(body_markdown.length, 20_480);
    const url = await publish({
      slug: 'weight',
      title: 'Weight',
      type: 'ARTICLE',
      body_markdown,
      workflowId: id,
    });
    const page = await read(url);
    assert.match(page, /<svg[^>]*viewBox/);
    assert.ok(Buffer.byteLength(page) <= MAX_PAGE_BYTES, `${Buffer.byteLength(page)} bytes of HTML`);
    const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)">/.exec(page) ?? [];
    const compressedParts = await Promise.all(
      [url, sheet].map(async path => (await get(path, { 'accept-encoding': 'gzip' })).rawPayload),
    );
    const bytes = compressedParts.reduce((sum, part) => sum + part.length, 0);
    assert.ok(bytes <= MAX_PAGE_BYTES / 2, `${bytes} bytes sent`);
    assert.equal(gunzipSync(compressedParts[0] ?? '').toString(), page);
    assert.equal((await get(url, { 'accept-encoding': 'gzip;q=0' })).body, page);
  });

  it('redirects from the paths of other types', async () => {
    await publish({ slug: 'one', title: 'One', type: 'MODEL' });
    const response = await get('/blog/one');
    assert.deepEqual(
      [response.statusCode, response.headers.location],
      [301, `${test.deps.settings.BASE_URL}/models/one`],
    );
  });

  it('is 404 unless the page is published', async () => {
    const url = await send('POST', { slug: 'draft', title: 'Draft', type: 'ARTICLE' });
    const draftPage = await get(url);
    assert.equal(draftPage.statusCode, 404);
    checkPage(draftPage.body);
    assert.match(draftPage.body, /noindex/);
    await send('PUT', { slug: 'draft', isPublished: true });
    await read(url);
    await send('PUT', { slug: 'draft', isPublished: false });
    assert.equal((await get(url)).statusCode, 404);
  });

  it('returns 304 only if the page did not change', async () => {
    const url = await publish({ slug: 'fresh', title: 'Fresh', type: 'ARTICLE', body_markdown: 'first' });
    const { etag = '' } = (await get(url)).headers;
    assert.equal((await get(url, { 'if-none-match': String(etag) })).statusCode, 304);
    await send('PUT', { slug: 'fresh', body_markdown: 'second' });
    const changedPage = await get(url, { 'if-none-match': String(etag) });
    assert.equal(changedPage.statusCode, 200);
    assert.match(changedPage.body, /<p>second<\/p>/);
  });

  it('renders stored HTML of an older format again', async () => {
    const url = await publish({ slug: 'format', title: 'Format', type: 'ARTICLE', body_markdown: '*now*' });
    await test.deps.db.query(
      `update content_pages set rendered = '["<p>then</p>"]', rendered_format = $1 where slug = 'format'`,
      [MARKDOWN.format - 1],
    );
    assert.match(await read(url), /<em>now<\/em>/);
  });

  it('forbids scripts by Content-Security-Policy', async () => {
    const { headers } = await get('/features/whole-1');
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|script-src|\*/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });
});

describe('hostile input in content pages', () => {
  const EVIL = '"><script>alert(1)</script></script><img src=x onerror=alert(1)>\u202e';

  it('is escaped in every field', async () => {
    const url = await publish({
      slug: 'evil',
      title: `Evil ${EVIL}`,
      type: 'ARTICLE',
      subtitle: EVIL,
      body_markdown: EVIL,
      meta_description: EVIL,
      seoKeywords: [EVIL],
      pillar: EVIL,
      subcategory: EVIL,
      c2aTitle: EVIL,
      c2aSubtitle: EVIL,
      c2aButtonCopy: EVIL,
      valueProps: [{ title: EVIL, description: EVIL, icon: EVIL }],
      faqSchema: [{ question: EVIL, answer: EVIL }],
      howToSteps: [{ title: EVIL, description: EVIL }],
      quickAnswer: { question: EVIL, answer: EVIL, bullets: [EVIL] },
      crossLinks: [{ url: '/', anchorText: EVIL, description: EVIL }],
      contentBlocks: [
        { type: 'markdown', markdown: EVIL },
        { type: 'image', url: '/x', alt: EVIL, caption: EVIL },
        { type: 'video', url: '/x', caption: EVIL },
        { type: 'quote', text: EVIL, author: EVIL, role: EVIL },
        { type: 'code', code: EVIL, caption: EVIL },
        { type: 'gallery', images: [{ url: '/x', alt: EVIL, caption: EVIL }], caption: EVIL },
        { type: 'cta', title: EVIL, text: EVIL, buttonCopy: EVIL },
      ],
    });
    for (const path of [url, '/blog']) {
      const page = await read(path);
      checkPage(page);
      assert.doesNotMatch(page, /<script>|onerror=alert\(1\)>/);
    }
    assert.doesNotMatch(await read('/blog/rss.xml'), /<script/);
    assert.match(String(parseStructuredData(await read(url)).Article?.headline), /<script>/);
  });

  it('can be 500 questions, right-to-left text and emoji', async () => {
    const url = await publish({
      slug: 'many',
      title: 'שאלות ותשובות 🎬',
      type: 'TOOL',
      body_markdown: '## مرحبا\n\nنص من اليمين إلى اليسار 👩‍🚀',
      faqSchema: Array.from({ length: 500 }, (_, i) => ({ question: `שאלה ${i} 🎞️`, answer: 'תשובה' })),
    });
    const page = await read(url);
    checkPage(page);
    assert.equal(listElements(page).filter(({ name }) => name === 'details').length, 500);
    assert.match(page, /<h1 dir="auto">שאלות/);
  });
});

describe('lists of content pages', () => {
  it('page through the blog, newest first', async () => {
    for (let i = 0; i < 26; i++)
      await publish({ slug: `post-${i}`, title: `Post ${i}`, type: 'ARTICLE', pillar: 'posts' });
    const first = await read('/blog');
    checkPage(first);
    assert.match(first, /Post 25<[\s\S]*Post 24</);
    assert.match(first, /<a rel="next" href="\/blog\?page=2">/);
    const second = await read('/blog?page=2');
    assert.match(second, /<link rel="canonical" href="https:\/\/films.example\/blog\?page=2">/);
    assert.match(second, /<a rel="prev" href="\/blog">/);
    for (const [page, status] of [
      ['99', 404],
      ['0', 400],
      ['x', 400],
      ['1e99', 404],
    ] as const)
      assert.equal((await get(`/blog?page=${page}`)).statusCode, status, page);
  });

  it('show related posts of the same pillar', async () => {
    const url = await publish({ slug: 'kin', title: 'Kin', type: 'ARTICLE', pillar: 'posts' });
    const [, related = ''] = (await read(url)).split('Related posts');
    assert.equal(related.match(/href="\/blog\/post-\d+"/g)?.length, 3);
  });

  it('include every published page in the sitemap', async () => {
    await send('POST', { slug: 'hidden', title: 'Hidden', type: 'ARTICLE' });
    const sitemap = await read('/sitemap.xml');
    assert.match(sitemap, /<loc>https:\/\/films.example\/blog\/post-3<\/loc>/);
    assert.match(sitemap, /<loc>https:\/\/films.example\/models\/one<\/loc>/);
    assert.doesNotMatch(sitemap, /hidden/);
    assert.match(await read('/robots.txt'), /Sitemap: https:\/\/films.example\/sitemap.xml/);
  });

  it('include the newest twenty posts in the RSS feed', async () => {
    const response = await get('/blog/rss.xml');
    assert.match(String(response.headers['content-type']), /^application\/rss\+xml/);
    assert.equal(response.body.match(/<item>/g)?.length, 20);
  });
});

describe('workflows on pages', () => {
  const nodes = [
    node('place', 'input:text', { value: 'Lisbon', apiKey: 'sk-very-secret' }, { position: { x: 0, y: 0 } }),
  ];

  it('are shown only if everyone may read the workflow', async () => {
    const { id } = await createWorkflow(owner, { name: 'Drawn <b>', nodes, edges: [] });
    const extra = { workflowId: id, howToSteps: FULL_PAGE.howToSteps, body_markdown: 'The body.' };
    const feature = await publish({ slug: 'with-flow', title: 'With flow', type: 'FEATURE', ...extra });
    const article = await publish({
      slug: 'with-flow-too',
      title: 'With flow too',
      type: 'ARTICLE',
      ...extra,
    });
    for (const url of [feature, article]) assert.doesNotMatch(await read(url), /\/flow\//);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    const drawingPattern = `<svg[\\s\\S]*<\\/svg>[\\s\\S]*href="/flow/${id}"[\\s\\S]*`;
    assert.match(await read(feature), new RegExp(`<h1[\\s\\S]*${drawingPattern}Step by step`));
    assert.match(
      await read(article),
      new RegExp(`The body\\.[\\s\\S]*Try this workflow[\\s\\S]*${drawingPattern}Related posts`),
    );
    assert.doesNotMatch(await read(feature), /very-secret|<b>/);
    checkPage(await read(feature));
    await owner.request('PUT', `/workflows/${id}`, { name: 'Renamed' });
    assert.match(await read(feature), /Workflow: Renamed/);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'PRIVATE' });
    for (const url of [feature, article]) assert.doesNotMatch(await read(url), /\/flow\/|<svg x/);
    assert.equal((await get(`/flow/${id}/preview.svg`)).statusCode, 404);
  });

  it('are left out if the workflow does not exist', async () => {
    const url = await publish({ slug: 'no-flow', title: 'No flow', type: 'TOOL', workflowId: 'wf_nothing' });
    checkPage(await read(url));
  });

  it('are loaded as an image if the drawing is large', async () => {
    const manyNodes = Array.from({ length: 40 }, (_, i) =>
      node(`n${i}`, 'input:text', { value: 'x' }, { position: { x: i * 300, y: 0 } }),
    );
    const { id } = await createWorkflow(owner, { nodes: manyNodes, edges: [] });
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    const url = await publish({ slug: 'large', title: 'Large', type: 'TOOL', workflowId: id });
    assert.match(await read(url), new RegExp(`<img src="/flow/${id}/preview.svg" alt="Workflow: W"`));
    const image = await get(`/flow/${id}/preview.svg`);
    assert.match(String(image.headers['content-type']), /^image\/svg\+xml/);
    assert.match(String(image.headers['content-security-policy']), /default-src 'none'/);
  });

  it('show results of the newest run only if showResults is true', async () => {
    const createPicture = (x: number, prompt = 'x') =>
      node('p', 'generate:sandbox', { prompt }, { position: { x, y: 0 } });
    const otherNode = node('q', 'generate:sandbox', { prompt: 'y' }, { position: { x: 0, y: 900 } });
    const { id } = await createWorkflow(owner, { nodes: [createPicture(0)], edges: [] });
    const slug = `shows-${owner.userId}`;
    const page = `/p/${slug}`;
    const changeGraph = (nodes: readonly object[]) =>
      owner.request('PUT', `/workflows/${id}`, { nodes, edges: [] });
    const publishWith = (settings: object) =>
      owner.request('POST', `/workflows/${id}/publish`, { isPublished: true, slug, settings });
    const insertRun = async (
      version: number,
      images: Readonly<Record<string, string>>,
      status = 'COMPLETED',
      trigger = 'api',
    ): Promise<void> => {
      const runId = newId('execution');
      await test.deps.db.query(
        `insert into executions (id, workflow_id, workflow_version, user_id, workspace, status, trigger, request,
           nodes_total, created_at, finished_at) values ($1, $2, $3, $4, 'user:1', $5, $6, '{}', 1, now(), now())`,
        [runId, id, version, owner.userId, status, trigger],
      );
      const steps = Object.entries(images).flatMap(([nodeId, name]) => {
        const url = `http://localhost:3000/cdn/${name}"&.png`;
        const outputs = { image: { type: 'IMAGE', media: { url } } };
        return [
          { nodeId, status: 'RUNNING' },
          { nodeId, status: 'COMPLETED', outputs },
        ];
      });
      await test.deps.db.query('insert into execution_steps (execution_id, seq, steps) values ($1, 1, $2)', [
        runId,
        JSON.stringify(steps),
      ]);
    };
    const listResults = async (url: string): Promise<string[]> =>
      [
        ...(await read(url)).matchAll(/<image href="http:\/\/localhost:3000\/cdn\/(\w+)&quot;&amp;\.png"/g),
      ].map(([, name = '']) => name);
    await insertRun(1, { p: 'first' });
    await changeGraph([createPicture(400)]);
    await publishWith({});
    assert.deepEqual(await listResults(page), []);
    await publishWith({ showResults: true });
    assert.deepEqual(await listResults(page), ['first']);
    checkPage(await read(page));
    await changeGraph([createPicture(400), otherNode]);
    await publishWith({ showResults: true });
    assert.deepEqual(await listResults(page), ['first']);
    await insertRun(3, { p: 'failed' }, 'FAILED');
    await insertRun(3, { p: 'visitor' }, 'COMPLETED', 'app');
    assert.deepEqual(await listResults(page), ['first']);
    await insertRun(3, { q: 'partial' });
    assert.deepEqual(await listResults(page), ['first', 'partial']);
    await changeGraph([createPicture(400, 'changed'), otherNode]);
    await insertRun(4, { p: 'unpublished' });
    assert.deepEqual(await listResults(page), ['first', 'partial']);
    const contentPage = { slug: 'about-it', title: 'About it', type: 'TOOL', workflowId: id };
    assert.deepEqual(await listResults(await publish(contentPage)), ['first', 'partial']);
    assert.match(await read('/features/about-it'), new RegExp(`href="${page}"`));
    await publishWith({ showResults: true });
    assert.deepEqual(await listResults(page), ['unpublished', 'partial']);
    assert.doesNotMatch((await get(`/flow/${id}/preview.svg`)).body, /<image/);
    const { body } = await test.anonymous.request<{ publishSettings: object }>('GET', `/workflows/${id}`);
    assert.deepEqual(body.publishSettings, {});
  });

  it('have a page at /p/{slug} while published', async () => {
    const renderer = node('node-of-video', 'video:renderer', {}, { position: { x: 400, y: 0 } });
    const video = { ...renderer, data: { ...renderer.data, label: 'Film' } };
    const { id } = await createWorkflow(owner, { name: 'Draft', nodes: [...nodes, video], edges: [] });
    const slug = `labels-${owner.userId}`;
    const setPublished = (isPublished: boolean, title = 'A <film>') =>
      owner.request('POST', `/workflows/${id}/publish`, { isPublished, slug, settings: { title } });
    const page = `/p/${slug}`;
    assert.equal((await get(page)).statusCode, 404);
    assert.doesNotMatch(await read('/sitemap.xml'), new RegExp(page));
    await setPublished(true);
    assert.match(await read('/sitemap.xml'), new RegExp(`<loc>https://films.example${page}</loc>`));
    const html = await read(page);
    checkPage(html);
    assert.match(html, new RegExp(`<link rel="canonical" href="https://films.example${page}">`));
    assert.match(html, /<h1[^>]*>A &lt;film&gt;<\/h1>/);
    assert.match(html, /Lisbon/);
    assert.doesNotMatch(html, /video:renderer|input:text|node-of-video|very-secret|curl|noindex/);
    await owner.request('PUT', `/workflows/${id}`, { nodes: [video], edges: [] });
    assert.match(await read(page), /Lisbon/);
    const [stranger, key] = [(await test.createUser()).key, owner.key];
    const fetchLocation = async (url: string, headers = {}) => (await get(url, headers)).headers.location;
    assert.equal(await fetchLocation(`/flow/${id}`), page);
    assert.equal(await fetchLocation(`/flow/${id}`, { authorization: `Bearer ${stranger}` }), page);
    assert.equal(await fetchLocation(`/flow/${id}`, { authorization: `Bearer ${key}` }), undefined);
    assert.equal(await fetchLocation(`/flow/${slug}`), page);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    assert.match(await read(page), /Lisbon/);
    const ownPage = await read(`/flow/${id}`);
    assert.doesNotMatch(ownPage, /Lisbon/);
    assert.match(ownPage, new RegExp(`<link rel="canonical" href="https://films.example${page}">`));
    const setApp = (audience: string) =>
      owner.request('PUT', `/workflows/${id}/app`, {
        slug: 'film-app',
        title: 'Films',
        inputs: [],
        outputs: [video.id],
        audience,
      });
    assert.equal((await setApp('workspace')).status, 200);
    assert.doesNotMatch(await read(page), /film-app/);
    await setApp('signed_in');
    assert.match(await read(page), /<a class="button" href="\/a\/film-app">Open the app<\/a>/);
    await setPublished(false);
    assert.equal((await get(page)).statusCode, 404);
    assert.doesNotMatch(await read('/sitemap.xml'), new RegExp(page));
  });

  it('have a page at /flow/{id} without secrets', async () => {
    const { id } = await createWorkflow(owner, { name: "It's", nodes, edges: [] });
    const url = `/flow/${id}`;
    const key = { authorization: `Bearer ${owner.key}` };
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: `Bearer ${(await test.createUser()).key}` }, 403],
      [{ authorization: 'Bearer sk-wrong-but-well-formed' }, 401],
      [key, 200],
    ] as const) {
      const response = await get(url, headers);
      assert.equal(response.statusCode, status);
      checkPage(response.body);
      assert.match(response.body, /noindex/);
      if (status === 401)
        assert.match(response.body, /Sign in to view this page\..*href="\/sign-in\?next=%2Fflow%2F/s);
    }
    const { statusCode, headers } = await get(`${url}?x=1`, { accept: 'text/html' });
    assert.deepEqual(
      [statusCode, headers.location],
      [302, `/sign-in?next=${encodeURIComponent(`${url}?x=1`)}`],
      'browsers go to the sign-in page',
    );
    const cookie = '__Host-session=expired';
    assert.equal((await get(url, { accept: 'text/html', cookie })).statusCode, 401);
    await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
    const publicPage = await read(url);
    checkPage(publicPage);
    assert.doesNotMatch(publicPage, /very-secret|apiKey|noindex/);
    assert.doesNotMatch(publicPage, /curl/);
    const ownPage = (await get(url, key)).body;
    assert.match(
      ownPage,
      new RegExp(`curl -X POST &#39;https://films.example/api/v1/workflows/${id}/run&#39;`),
    );
    assert.match(ownPage, /\{&quot;inputs&quot;:\{&quot;place&quot;:&quot;Lisbon&quot;\}\}/);
    assert.equal((await get('/flow/wf_nothing')).statusCode, 404);
  });
});
