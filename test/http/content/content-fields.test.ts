// Tests single fields of content pages: changes, invalid values, and how the page shows them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { insertUser } from '../../../src/store/users.ts';
import { checkPage } from '../../pages/page-check.ts';
import { type ApiUser, createTestApp, type TestApp } from '../../support/app.ts';
import { FULL_PAGE } from '../../support/pages/content.ts';
import { createWorkflow, node } from '../../support/workflows.ts';

type Fields = Readonly<Record<string, unknown>>;

const SECRET = 'content-secret';
const TYPES = ['TOOL', 'FEATURE', 'APP', 'MODEL', 'ARTICLE'] as const;

let test: TestApp;
let owner: ApiUser;
before(async () => {
  test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: SECRET } });
  for (const [name, isAuthor] of [
    ['Nobody', false],
    ['First Author', true],
    ['Second Author', true],
  ] as const)
    await insertUser(test.deps.db, { email: `${name[0]}@example.com`, name, plan: 'free', isAuthor });
  owner = await test.createUser();
});
after(() => test.close());

async function send(method: 'POST' | 'PUT', payload: Fields, type = 'application/json') {
  const response = await test.app.inject({
    method,
    url: '/api/content/webhook',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': type },
    payload: JSON.stringify(payload),
  });
  const body = response.json() as {
    url: string;
    page: Record<string, unknown>;
    code?: string;
    error?: string;
  };
  return { status: response.statusCode, body };
}

async function assertRefused(
  request: ReturnType<typeof send>,
  expected: readonly [number, string],
  message: RegExp,
) {
  const { status, body } = await request;
  assert.deepEqual([status, body.code], expected, body.error);
  assert.match(body.error ?? '', message);
}

let pageCount = 0;
async function create(fields: Fields = {}) {
  const slug = `page-${pageCount++}`;
  const { status, body } = await send('POST', { slug, title: slug, type: 'TOOL', ...fields });
  assert.equal(status, 201, body.error);
  return { slug, ...body };
}

describe('the content webhook', () => {
  for (const type of TYPES)
    it(`requires only a slug and a title for type ${type}`, async () => {
      const invalid = [400, 'invalid_request'] as const;
      await assertRefused(send('POST', { type, title: 'x' }), invalid, /slug/);
      await assertRefused(send('POST', { type, slug: 'x' }), invalid, /title/);
      assert.equal((await create({ type })).page.body_markdown, null);
    });

  it('makes the first author the author of the page', async () => {
    assert.equal((await create()).page.author, 'First Author');
  });

  it('refuses a title or slug that a page of another type has', async () => {
    const { slug } = await create({ type: 'MODEL' });
    const otherPage = { type: 'ARTICLE', slug: `${slug}-b`, title: slug };
    await assertRefused(send('POST', otherPage), [500, 'duplicate_title'], /already|title/i);
    await assertRefused(
      send('POST', { ...otherPage, slug, title: 'Y' }),
      [409, 'slug_taken'],
      /slug|already/i,
    );
  });

  it('accepts only JSON', async () => {
    const { slug, page } = await create();
    for (const method of ['POST', 'PUT'] as const) {
      const { status } = await send(method, { slug, title: 'New', type: 'TOOL' }, 'text/plain');
      assert.equal(status, 415, method);
    }
    assert.equal((await send('PUT', { slug })).body.page.title, page.title);
  });
});

const CHANGES: Fields = {
  ...FULL_PAGE,
  title: 'Changed alone',
  body_markdown: '# x',
  heroImage: 'https://a.example/h.jpg',
  canonicalUrl: 'https://a.example/x',
  ogImage: '/o.png',
  c2aButtonCopy: 'Go',
  c2aLink: '/templates',
  workflowId: 'wf_x',
  parentCategory: 'models',
};

/** Fields that change together with another field. */
const DEPENDENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  title: ['subtitle'],
  type: ['parentCategory'],
  isPublished: ['publishedAt'],
};

describe('PUT /api/content/webhook', () => {
  for (const [name, value] of Object.entries(CHANGES))
    it(`changes only ${name} if only ${name} is sent`, async () => {
      const { slug, page: before } = await create();
      const { status, body } = await send('PUT', { slug, [name]: value });
      assert.equal(status, 200, body.error);
      assert.deepEqual(body.page[name], value);
      const changedFields = Object.keys(before).filter(
        field => JSON.stringify(body.page[field]) !== JSON.stringify(before[field]),
      );
      const allowedFields = [name, 'updatedAt', ...(DEPENDENT_FIELDS[name] ?? [])];
      assert.deepEqual(
        changedFields.filter(field => !allowedFields.includes(field)),
        [],
      );
    });

  it('accepts only known values of event', async () => {
    const { slug } = await create();
    await assertRefused(send('PUT', { slug, event: 'delete_page' }), [400, 'invalid_request'], /event/);
    for (const event of [...TYPES.map(type => `create_${type.toLowerCase()}`), 'update_page'])
      assert.equal((await send('PUT', { slug, event })).status, 200, event);
  });
});

describe('an invalid value in a content page', () => {
  const INVALID_VALUES: Fields = {
    isPublished: 'yes',
    seoKeywords: 'a, b',
    pillar: 7,
    c2aTitle: 7,
    valueProps: [{ title: 'a' }],
    faqSchema: [{ question: 'a' }],
    howToSteps: [{ description: 'a' }],
    contentBlocks: {},
    crossLinks: [{ url: '/x' }],
    quickAnswer: { question: 'a' },
    workflowId: 7,
    subcategory: [],
    parentCategory: 'tools',
    meta_description: {},
  };
  for (const [name, value] of Object.entries(INVALID_VALUES))
    it(`of ${name} is refused with the name of the field`, async () => {
      const { slug } = await create();
      const page = { title: 'Bad', type: 'TOOL', [name]: value };
      const message = new RegExp(name);
      await assertRefused(send('POST', { ...page, slug: 'bad' }), [400, 'invalid_request'], message);
      await assertRefused(send('PUT', { slug, [name]: value }), [400, 'invalid_request'], message);
    });
});

describe('parentCategory of a content page', () => {
  for (const parentCategory of ['features', 'models', 'articles'])
    it(`${parentCategory} does not change the URL of the page`, async () => {
      for (const [type, path] of [
        ['TOOL', 'features'],
        ['MODEL', 'models'],
        ['ARTICLE', 'blog'],
      ] as const) {
        const { slug, url, page } = await create({ type, parentCategory, isPublished: true });
        assert.deepEqual([page.parentCategory, new URL(url).pathname], [parentCategory, `/${path}/${slug}`]);
        assert.equal((await test.app.inject(url)).statusCode, 200);
      }
    });
});

describe('a content block', () => {
  const BLOCKS: readonly (readonly [block: Fields, html: RegExp])[] = [
    [{ type: 'markdown', markdown: 'a **b** c' }, /a <strong>b<\/strong> c/],
    [{ type: 'image', url: '/a.png', alt: 'An alt' }, /<img[^>]+src="\/a\.png"[^>]+alt="An alt"/],
    [{ type: 'video', url: '/a.mp4' }, /<video[^>]+src="\/a\.mp4"/],
    [{ type: 'quote', text: 'Well said' }, /<blockquote[\s\S]*Well said/],
    [{ type: 'code', code: 'a < b' }, /<pre[\s\S]*a &lt; b/],
    [{ type: 'gallery', images: [{ url: '/1.png' }, { url: '/2.png' }] }, /\/1\.png[\s\S]*\/2\.png/],
    [{ type: 'cta', title: 'Go on', link: '/templates' }, /Go on[\s\S]*href="\/templates"/],
  ];
  for (const [block, html] of BLOCKS)
    it(`of type ${block.type} is shown on every type of page`, async () => {
      for (const type of TYPES) {
        const { url } = await create({ type, isPublished: true, contentBlocks: [block] });
        const page = (await test.app.inject(url)).body;
        checkPage(page);
        assert.match(page, html);
      }
    });
});

describe('the workflow on a content page', () => {
  for (const type of TYPES.filter(type => type !== 'ARTICLE'))
    it(`of type ${type} is shown between the hero and the steps`, async () => {
      const nodes = [node('place', 'input:text', { value: 'x' }, { position: { x: 0, y: 0 } })];
      const { id } = await createWorkflow(owner, { nodes, edges: [] });
      await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
      const { howToSteps } = FULL_PAGE;
      const { url } = await create({ type, isPublished: true, workflowId: id, howToSteps });
      const { body } = await test.app.inject(url);
      assert.match(body, new RegExp(`<h1[\\s\\S]*<svg[\\s\\S]*href="/flow/${id}"[\\s\\S]*Step by step`));
    });
});
