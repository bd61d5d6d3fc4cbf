// Tests the content webhook: the secret, the default of every field, and each error.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertUser, updateUser } from '../../../src/store/users.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';
import { FULL_PAGE } from '../../support/pages/content.ts';

const SECRET = 'content-secret';

let test: TestApp;
let authorId: number;
before(async () => {
  test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: SECRET } });
  await insertUser(test.deps.db, { email: 'x@example.com', name: 'Nobody', plan: 'free', isAuthor: false });
  authorId = await insertUser(test.deps.db, {
    email: 'author@example.com',
    name: 'Ida Author',
    plan: 'free',
    isAuthor: true,
  });
});
after(() => test.close());

interface ContentResponse {
  readonly status: number;
  readonly body: {
    readonly success?: boolean;
    readonly url?: string;
    readonly page?: Record<string, unknown>;
    readonly meta?: { readonly warnings: readonly string[] };
    readonly error?: string;
    readonly code?: string;
    readonly issues?: readonly { readonly path: string }[];
  };
}

async function send(
  method: 'POST' | 'PUT',
  body: unknown,
  authorization = `Bearer ${SECRET}`,
): Promise<ContentResponse> {
  const response = await test.app.inject({
    method,
    url: '/api/content/webhook',
    headers: { authorization },
    payload: body as object,
  });
  return { status: response.statusCode, body: response.json() };
}

const post = (body: unknown): Promise<ContentResponse> => send('POST', body);
const put = (body: unknown): Promise<ContentResponse> => send('PUT', body);

async function assertRefused(
  response: Promise<ContentResponse>,
  status: number,
  code: string,
  error: RegExp,
): Promise<void> {
  const { status: actualStatus, body } = await response;
  assert.deepEqual([actualStatus, body.code], [status, code], body.error);
  assert.match(body.error ?? '', error);
}

describe('CONTENT_WEBHOOK_SECRET', () => {
  it('is checked before the body', async () => {
    for (const authorization of ['', SECRET, 'Bearer', 'Bearer wrong', `Bearer ${SECRET}x`, 'Basic x'])
      await assertRefused(
        send('POST', { no: 'page' }, authorization),
        401,
        'unauthorized',
        /CONTENT_WEBHOOK_SECRET/,
      );
  });

  it('must be set for any request to succeed', async () => {
    const otherApp = await createTestApp();
    for (const authorization of ['Bearer ', 'Bearer undefined', `Bearer ${SECRET}`]) {
      const { statusCode } = await otherApp.app.inject({
        method: 'PUT',
        url: '/api/content/webhook',
        headers: { authorization },
        payload: { slug: 'a' },
      });
      assert.equal(statusCode, 401);
    }
    await otherApp.close();
  });
});

describe('POST /api/content/webhook', () => {
  it('sets every field to its default', async () => {
    const { status, body } = await post({ slug: 'bare', title: 'Bare', type: 'TOOL' });
    assert.equal(status, 201);
    const { createdAt, updatedAt, ...page } = body.page ?? {};
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(
      { ...body, page },
      {
        success: true,
        url: 'http://localhost:3000/features/bare',
        page: {
          slug: 'bare',
          title: 'Bare',
          type: 'TOOL',
          subtitle: 'Bare',
          body_markdown: null,
          heroImage: null,
          isPublished: false,
          meta_description: null,
          seoKeywords: [],
          canonicalUrl: null,
          ogImage: null,
          pillar: null,
          c2aTitle: null,
          c2aSubtitle: null,
          c2aButtonCopy: 'Start Creating',
          c2aLink: '/workflows',
          valueProps: [],
          faqSchema: [],
          howToSteps: [],
          contentBlocks: [],
          crossLinks: [],
          quickAnswer: null,
          workflowId: null,
          subcategory: null,
          parentCategory: 'features',
          author: 'Ida Author',
          publishedAt: null,
        },
      },
    );
  });

  it('returns every sent field unchanged', async () => {
    const sentPage = { ...FULL_PAGE, slug: 'whole', heroImage: 'https://a.example/h.jpg', ogImage: '/o.png' };
    const { status, body } = await post(sentPage);
    assert.equal(status, 201, body.error);
    assert.equal(body.meta, undefined);
    for (const [name, value] of Object.entries(sentPage)) assert.deepEqual(body.page?.[name], value, name);
  });

  const TYPES = [
    ['TOOL', 'create_tool', '/features/', 'features'],
    ['FEATURE', 'create_feature', '/features/', 'features'],
    ['APP', 'create_app', '/features/', 'features'],
    ['MODEL', 'create_model', '/models/', 'models'],
    ['ARTICLE', 'create_article', '/blog/', 'articles'],
  ] as const;
  for (const [type, event, path, parentCategory] of TYPES) {
    it(`publishes ${type} and event ${event} under ${path}`, async () => {
      const slug = `typed-${type.toLowerCase()}`;
      const withType = await post({ slug, title: slug, type });
      assert.deepEqual(
        [withType.body.url, withType.body.page?.parentCategory],
        [`http://localhost:3000${path}${slug}`, parentCategory],
      );
      const withEvent = await post({ slug: `${slug}-2`, title: `${slug}-2`, event });
      assert.equal(withEvent.body.page?.type, type);
    });
  }

  it('accepts another parentCategory than that of the type', async () => {
    const { body } = await post({ slug: 'over', title: 'Over', type: 'APP', parentCategory: 'models' });
    assert.deepEqual(
      [body.url, body.page?.parentCategory],
      ['http://localhost:3000/features/over', 'models'],
    );
  });

  it('warns of unknown fields at any depth without storing them', async () => {
    const { body } = await post({
      slug: 'extra',
      title: 'Extra',
      type: 'TOOL',
      colour: 'red',
      __proto__x: 1,
      constructor: 1,
      valueProps: [{ title: 'a', description: 'b', size: 3 }],
      contentBlocks: [{ type: 'quote', text: 'q', mood: 'sad' }],
    });
    assert.deepEqual(body.meta?.warnings, [
      'Ignored unknown fields: colour, __proto__x, constructor, valueProps/0/size, contentBlocks/0/mood.',
    ]);
    assert.deepEqual(body.page?.valueProps, [{ title: 'a', description: 'b' }]);
  });
});

describe('PUT /api/content/webhook', () => {
  it('changes only sent fields and resets fields sent as null', async () => {
    const pageBefore = (await post({ ...FULL_PAGE, slug: 'change', title: 'Change me' })).body.page ?? {};
    const { status, body } = await put({
      slug: 'change',
      event: 'update_page',
      c2aTitle: 'New',
      subtitle: null,
      quickAnswer: null,
    });
    assert.equal(status, 200);
    assert.equal(body.success, true);
    const { updatedAt, ...pageAfter } = body.page ?? {};
    const { updatedAt: earlierUpdatedAt, ...expected } = pageBefore;
    assert.ok(String(updatedAt) >= String(earlierUpdatedAt));
    assert.deepEqual(pageAfter, { ...expected, c2aTitle: 'New', subtitle: 'Change me', quickAnswer: null });
  });

  it('moves a page to the path and category of a new type', async () => {
    await post({ slug: 'mover', title: 'Mover', type: 'TOOL' });
    const { body } = await put({ slug: 'mover', type: 'ARTICLE' });
    assert.deepEqual([body.url, body.page?.parentCategory], ['http://localhost:3000/blog/mover', 'articles']);
  });

  it('keeps publishedAt of the first publication', async () => {
    const first = await post({ slug: 'day', title: 'Day', type: 'ARTICLE', isPublished: true });
    await put({ slug: 'day', isPublished: false });
    const republished = await put({ slug: 'day', isPublished: true });
    assert.equal(republished.body.page?.publishedAt, first.body.page?.publishedAt);
  });
});

describe('POST /api/content/webhook with an invalid body', () => {
  const page = { slug: 'bad', title: 'Bad', type: 'TOOL' };
  const INVALID_BODIES: readonly (readonly [label: string, body: Record<string, unknown>, error: RegExp])[] =
    [
      ['no slug', { title: 'x', type: 'TOOL' }, /slug/],
      ['no title', { slug: 'x', type: 'TOOL' }, /title/],
      ['a blank title', { ...page, title: ' ' }, /title must not be blank/],
      ['neither type nor event', { slug: 'x', title: 'x' }, /type must be one of/],
      ['an unknown type', { ...page, type: 'PAGE' }, /type/],
      ['an unknown event', { ...page, event: 'delete_page' }, /event/],
      ['capitals in the slug', { ...page, slug: 'Bad' }, /lowercase/],
      ['an emoji slug', { ...page, slug: 'film-🎞️' }, /lowercase/],
      ['a path as slug', { ...page, slug: '../etc' }, /lowercase/],
      ['a script as hero', { ...page, heroImage: 'javascript:alert(1)' }, /heroImage must be an http/],
      ['data as picture', { ...page, ogImage: 'data:image/png;base64,x' }, /ogImage/],
      ['a relative canonical', { ...page, canonicalUrl: '/x' }, /canonicalUrl must be a complete/],
      ['a script as link', { ...page, c2aLink: 'JaVascript:alert(1)' }, /c2aLink/],
      ['another host without scheme', { ...page, c2aLink: '//evil.example' }, /c2aLink/],
      [
        'a script as cross link',
        { ...page, crossLinks: [{ url: 'java\tscript:alert(1)', anchorText: 'x' }] },
        /crossLinks\/0\/url/,
      ],
      [
        'a script in a step',
        { ...page, howToSteps: [{ title: 'x', description: 'x', image: 'data:x' }] },
        /howToSteps\/0\/image/,
      ],
      ['an unknown block', { ...page, contentBlocks: [{ type: 'marquee' }] }, /"marquee" is not one of/],
      ['a block called constructor', { ...page, contentBlocks: [{ type: 'constructor' }] }, /is not one of/],
      ['half a block', { ...page, contentBlocks: [{ type: 'quote' }] }, /contentBlocks\/0/],
      [
        'a script in a block',
        { ...page, contentBlocks: [{ type: 'gallery', images: [{ url: 'javascript:1' }] }] },
        /contentBlocks\/0\/images\/0\/url/,
      ],
      [
        'another variant',
        { ...page, quickAnswer: { question: 'a', answer: 'b', variant: 'loud' } },
        /variant/,
      ],
      ['1 MB of markdown', { ...page, body_markdown: 'word '.repeat(200_000) }, /body_markdown/],
      [
        '1 MB of markdown in blocks',
        { ...page, contentBlocks: Array(10).fill({ type: 'markdown', markdown: 'x'.repeat(100_000) }) },
        /characters of markdown/,
      ],
      ['markup without end', { ...page, body_markdown: '<b>'.repeat(10_000) }, /HTML tags/],
      ['501 questions', { ...page, faqSchema: Array(501).fill({ question: 'a', answer: 'b' }) }, /faqSchema/],
      ['a number for a text', { ...page, subtitle: 7 }, /subtitle/],
    ];
  for (const [label, body, error] of INVALID_BODIES)
    it(`refuses ${label}`, () => assertRefused(post(body), 400, 'invalid_request', error));
});

describe('errors of /api/content/webhook', () => {
  it('include 404 for an unknown page', () =>
    assertRefused(put({ slug: 'nowhere' }), 404, 'not_found', /nowhere/));

  it('include 409 slug_taken for an existing slug', async () => {
    await post({ slug: 'taken', title: 'Taken', type: 'TOOL' });
    await assertRefused(post({ slug: 'taken', title: 'Other', type: 'MODEL' }), 409, 'slug_taken', /taken/);
    await assertRefused(post({ slug: 'taken', title: 'Taken', type: 'TOOL' }), 409, 'slug_taken', /PUT/);
  });

  it('include 500 duplicate_title for an existing title', async () => {
    await post({ slug: 'first', title: 'The title', type: 'TOOL' });
    await post({ slug: 'second', title: 'Another title', type: 'TOOL' });
    await assertRefused(
      post({ slug: 'third', title: 'The title', type: 'TOOL' }),
      500,
      'duplicate_title',
      /The title/,
    );
    await assertRefused(put({ slug: 'second', title: 'The title' }), 500, 'duplicate_title', /The title/);
  });

  it('include 500 author_missing if no user is an author', async () => {
    const unchanged = { plan: null, disabled: null };
    await updateUser(test.deps.db, authorId, { ...unchanged, isAuthor: false });
    await assertRefused(
      post({ slug: 'alone', title: 'Alone', type: 'TOOL' }),
      500,
      'author_missing',
      /isAuthor/,
    );
    await updateUser(test.deps.db, authorId, { ...unchanged, isAuthor: true });
    assert.equal((await post({ slug: 'alone', title: 'Alone', type: 'TOOL' })).status, 201);
  });
});
