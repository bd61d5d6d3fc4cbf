// Takes screenshots of every kind of page, on phone and desktop, light and dark, for a review by a person:
// node test/support/pages/screenshots.ts FOLDER [NAME…]. Needs Chromium.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { insertUser } from '../../../src/store/users.ts';
import { createTestApp } from '../app.ts';
import { CHROMIUM } from '../browser.ts';
import { createWorkflow } from '../workflows.ts';
import { FULL_PAGE, makeMarkdown } from './content.ts';

const SIZES = { phone: [390, 844], desk: [1440, 1000] } as const;
const SCHEMES = ['light', 'dark'] as const;
const MAX_PAGE_HEIGHT = 6000;
const SECRET = 'for-screenshots';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
];

const [folder = 'screenshots', ...names] = process.argv.slice(2);
await mkdir(folder, { recursive: true });
const profile = await mkdtemp(join(tmpdir(), 'graphwright-chromium-'));
const test = await createTestApp({ env: { CONTENT_WEBHOOK_SECRET: SECRET } });
try {
  const pages = await publishPages();
  const url = await test.app.listen({ host: '127.0.0.1', port: 0 });
  for (const [name, path] of Object.entries(pages)) {
    if (names.length > 0 && !names.includes(name)) continue;
    for (const [size, [width]] of Object.entries(SIZES)) {
      for (const scheme of SCHEMES)
        await takeScreenshot(`${url}${path}`, `${name}-${size}-${scheme}`, width, scheme);
    }
  }
} finally {
  await test.close();
  await rm(profile, { recursive: true, force: true });
}

async function publishPages(): Promise<Record<string, string>> {
  await insertUser(test.deps.db, {
    email: 'author@example.com',
    name: 'Ida Author',
    plan: 'free',
    isAuthor: true,
  });
  const owner = await test.createUser();
  const example = JSON.parse(
    await readFile(join(import.meta.dirname, '../../../examples/postcard.json'), 'utf8'),
  ) as Record<string, unknown>;
  const { id } = await createWorkflow(owner, example);
  await owner.request('POST', `/workflows/${id}/layout`);
  await owner.request('POST', `/workflows/${id}/visibility`, { linkPermission: 'VIEW' });
  await publish({ ...FULL_PAGE, slug: 'product-film', workflowId: id });
  await publish({
    ...FULL_PAGE,
    slug: 'quick-model',
    title: 'Quick: eight seconds a clip',
    type: 'MODEL',
    quickAnswer: { ...FULL_PAGE.quickAnswer, variant: 'default' },
    contentBlocks: [],
  });
  for (let i = 1; i <= 14; i++) {
    await publish({
      slug: `lighting-by-graph-${i}`,
      title: i === 14 ? 'Lighting by graph: how relighting became a node' : `Notes from the studio, no. ${i}`,
      type: 'ARTICLE',
      subtitle: 'What we learned from lighting the same bottle four hundred times.',
      isPublished: true,
      workflowId: id,
      body_markdown: makeMarkdown(3000),
      quickAnswer: { ...FULL_PAGE.quickAnswer, variant: 'compact' },
      faqSchema: FULL_PAGE.faqSchema,
    });
  }
  return {
    start: '/',
    workflows: '/workflows',
    unknown: '/nowhere',
    feature: '/features/product-film',
    model: '/models/quick-model',
    article: '/blog/lighting-by-graph-14',
    blog: '/blog',
    flow: `/flow/${id}`,
    missing: '/blog/nowhere',
  };
}

async function publish(page: Record<string, unknown>): Promise<void> {
  const response = await test.app.inject({
    method: 'POST',
    url: '/api/content/webhook',
    headers: { authorization: `Bearer ${SECRET}` },
    payload: page,
  });
  if (response.statusCode !== 201) throw new Error(response.body);
}

async function takeScreenshot(
  url: string,
  name: string,
  width: number,
  scheme: 'light' | 'dark',
): Promise<void> {
  // Headless Chromium takes the color scheme only from this setting.
  const schemeFlag =
    scheme === 'dark'
      ? ['--blink-settings=preferredColorScheme=0']
      : ['--blink-settings=preferredColorScheme=1'];
  await promisify(execFile)(
    CHROMIUM ?? 'chromium',
    [
      ...FLAGS,
      ...schemeFlag,
      `--user-data-dir=${profile}`,
      `--window-size=${width},${MAX_PAGE_HEIGHT}`,
      `--screenshot=${join(folder, `${name}.png`)}`,
      url,
    ],
    { timeout: 60_000 },
  );
  process.stdout.write(`${join(folder, `${name}.png`)}\n`);
}
