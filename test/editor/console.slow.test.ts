// Opens every page once, with data, in light and dark, and fails on any console message, uncaught error or failed request.
// At night, opens every page signed out, as a user and as an administrator, empty and with data. No provider is configured.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ConsoleMessage, Page, Request } from 'playwright-core';
import { SECTIONS } from '../../src/pages/sections.ts';
import { signInFirstUser, signUpUser } from '../support/accounts/first-user.ts';
import { BROWSER_MISSING_REASON, IGNORED_ERROR, openBrowser, type TestBrowser } from '../support/browser.ts';
import type { Client } from '../support/client.ts';
import { noiseImage } from '../support/media/pixels.ts';
import { ownAddressSettings, startTestService, type TestService } from '../support/service.ts';
import { isNightly } from '../support/tier.ts';
import { at, edge, node } from '../support/workflows.ts';
import { untilRendered } from './flow/flow-page.ts';

const EDITOR = join(import.meta.dirname, '../../editor');
const SECRET = 'content-secret';

interface Visitor {
  readonly who: string;
  readonly cookie?: string;
}

describe('the browser console', { skip: BROWSER_MISSING_REASON }, () => {
  let service: TestService;
  let browser: TestBrowser;
  let admin: string;
  let user: SignedUp;
  let paths: readonly string[];

  before(async () => {
    [service, browser] = await Promise.all([
      startTestService({ ...(await ownAddressSettings()), CONTENT_WEBHOOK_SECRET: SECRET }),
      openBrowser(),
    ]);
    admin = await signInFirstUser(service);
    user = await signUpWithKey(service);
    paths = await listPaths(service.url);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
  });

  /** Visits each path in one tab, in light and then in dark. Fails if there was any message. */
  const visitAll = async ({ who, cookie }: Visitor, targets: readonly string[]): Promise<void> => {
    await using testPage = await browser.open(service.url, undefined, cookie);
    const { page } = testPage;
    const messages: string[] = [];
    let current = '';
    const report = (text: string): void => void messages.push(`${who} at ${current}: ${text}`);
    page.on('console', message => {
      if (!isExpected(message, current))
        report(`${message.type()} ${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', error => report(String(error)));
    page.on('requestfailed', request => {
      if (!wasAborted(request)) report(`${request.url()} ${request.failure()?.errorText}`);
    });
    for (const path of targets) {
      current = path;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(path);
      await waitUntilShown(page, path);
      // An open page follows the theme of the system.
      await page.emulateMedia({ colorScheme: 'dark' });
      await untilRendered(page);
    }
    assert.deepEqual(messages, []);
  };

  if (isNightly)
    it('stays empty on every page before there is data', async () => {
      const targets = [...paths.filter(path => !path.includes(':')), MISSING_PATH];
      await Promise.all([
        visitAll({ who: 'visitor' }, targets.filter(isPublic)),
        visitAll({ who: 'user', cookie: user.cookie }, targets),
        visitAll({ who: 'administrator', cookie: admin }, targets),
      ]);
    });

  it('stays empty on every page with data', async () => {
    await publishPage(service);
    const adminPaths = await fillAccount(service);
    const toTargets = (own: OwnPaths): readonly string[] => [
      ...paths.map(path => {
        const target = path.includes(':') ? own[path] : path;
        assert.ok(target, `no example of ${path}`);
        return target;
      }),
      ...[
        '/workflows?view=table',
        '/workflows?query=nothing',
        '/executions?status=FAILED',
        '/media?q=nothing',
      ],
    ];
    const targets = toTargets(adminPaths);
    if (!isNightly) {
      await visitAll({ who: 'visitor' }, [...targets.filter(isForVisitors), MISSING_PATH]);
      await visitAll(
        { who: 'administrator', cookie: admin },
        targets.filter(path => !isForVisitors(path)),
      );
      return;
    }
    const userPaths = await fillAccount(user.client);
    await Promise.all([
      visitAll({ who: 'visitor' }, targets.filter(isPublic)),
      visitAll({ who: 'user', cookie: user.cookie }, toTargets(userPaths)),
      visitAll({ who: 'administrator', cookie: admin }, targets),
    ]);
  });

  it('reports a message of a page as unexpected', async () => {
    await using testPage = await browser.open(service.url, undefined, admin);
    testPage.discard();
    await testPage.page.addInitScript('console.info("seen")');
    const message = testPage.page.waitForEvent('console');
    await testPage.page.goto('/workflows');
    assert.equal(isExpected(await message, '/workflows'), false);
  });
});

const MISSING_PATH = '/nowhere';

/** Returns whether the page is one of the public site or leads to an account. The other pages are of the application. */
const isForVisitors = (path: string): boolean =>
  path === '/' || /^\/(docs|sign-in|setup)\b/.test(path) || SITE_PATHS.some(site => path.startsWith(site));

const SITE_PATHS = Object.values(SECTIONS).map(({ path }) => path);

/** Returns whether visitors can open the page. Of the pages that redirect to the sign-in page, one is enough. */
const isPublic = (path: string): boolean => !/^\/(templates|executions|media|settings)/.test(path);

/** Returns whether the message reports the status 404 of the page that does not exist, or an error of the machine. */
function isExpected(message: ConsoleMessage, path: string): boolean {
  if (IGNORED_ERROR.test(message.text())) return true;
  return (
    path.startsWith(MISSING_PATH) &&
    /status of 404/.test(message.text()) &&
    message.location().url.endsWith(MISSING_PATH)
  );
}

/** Returns whether the request or stream was aborted by opening the next page, or by the machine. */
function wasAborted(request: Request): boolean {
  const error = request.failure()?.errorText ?? '';
  return error === 'net::ERR_ABORTED' || IGNORED_ERROR.test(error);
}

async function waitUntilShown(page: Page, path: string): Promise<void> {
  try {
    await page.waitForFunction(
      () =>
        document.querySelector('h1, [role=application], [role=list][aria-label=Outline]') !== null &&
        ![...document.querySelectorAll('[role=status]')].some(each =>
          /^Loading/.test(each.textContent ?? ''),
        ),
    );
  } catch (err) {
    throw new Error(`${path} was not shown: ${String(err)}`);
  }
  // Images report their errors late.
  await page.waitForFunction(() =>
    [...document.images].every(image => image.complete || image.loading === 'lazy'),
  );
  await untilRendered(page);
}

/** Returns the paths of the application, its settings and the public site. Examples replace parameters. */
async function listPaths(url: string): Promise<readonly string[]> {
  const routes = await readFile(join(EDITOR, 'routes.ts'), 'utf8');
  const parts = await readFile(join(EDITOR, 'pages/settings/parts.ts'), 'utf8');
  const find = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, match = '']) => match);
  const routePaths = find(routes, /path: '([^']+)'/g).filter(path => path !== '/settings/:part');
  const settings = find(parts, /name: '(\w+)'/g).map(part => `/settings/${part}`);
  assert.ok(routePaths.length >= 9 && settings.length >= 11, 'the lists of pages have changed their form');
  const site = Object.values(SECTIONS).flatMap(({ path }) => [path, `${path}/:slug`]);
  const docs = await (await fetch(`${url}/docs`)).text();
  const chapters = [...new Set(find(docs, /href="(\/docs\/[^"#.]+)"/g))].slice(0, 3);
  assert.equal(chapters.length, 3, 'chapters of the reference');
  return ['/', '/docs', ...chapters, ...site, ...routePaths, ...settings];
}

interface SignedUp {
  readonly cookie: string;
  readonly client: Client;
}

async function signUpWithKey(service: TestService): Promise<SignedUp> {
  const cookie = await signUpUser(service, { email: 'bea@example.com', name: 'Bea' });
  const response = await fetch(`${service.url}/api/v1/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
    body: JSON.stringify({
      name: 'Laptop',
      scopes: ['workflows:read', 'workflows:write', 'workflows:execute', 'account:admin'],
    }),
  });
  const { key } = (await response.json()) as { readonly key: string };
  return { cookie, client: service.withKey(key) };
}

/** Maps each path with a parameter to the path of an existing page. */
type OwnPaths = Readonly<Record<string, string>>;

/** Creates one object of each kind that pages list. */
async function fillAccount(client: Client): Promise<OwnPaths> {
  const bytes = await noiseImage(64, 48, 'png');
  const dataUrl = `data:image/png;base64,${Buffer.from(bytes).toString('base64')}`;
  const { body: media } = await client.request<{ mediaId: string }>('POST', '/media/upload', { dataUrl });
  const { body: team } = await client.request<{ id: string }>('POST', '/teams', { name: 'Studio' });
  await client.request('POST', `/teams/${team.id}/members`, { email: 'cy@example.com', role: 'EDITOR' });
  await client.request('POST', '/folders', { name: 'Films' });
  const id = await client.createWorkflow({
    name: 'Harbour',
    tags: ['film'],
    nodes: [
      node('words', 'input:text', { value: 'a red boat' }),
      node('photo', 'input:image', { mediaId: media.mediaId }, at(0, 300)),
      node('picture', 'generate:sandbox', { width: 64, height: 64 }, at(400, 0)),
      node('clip', 'video:sandbox', { prompt: 'waves', duration: 1 }, at(400, 400)),
      node('gallery', 'output:gallery', {}, at(800, 0)),
      node('later', 'generate:fal_seedream', { prompt: 'a fox' }, at(800, 400)),
      node('note', 'utility:sticky_note', { text: 'A note' }, at(1200, 0)),
      node('frame', 'utility:group', { childNodeIds: ['words'] }, at(-40, -90)),
    ],
    edges: [edge('words.text > picture.prompt'), edge('picture.image > gallery.items')],
  });
  const run = await client.runWorkflow(id, { targets: ['picture', 'clip', 'photo'] });
  assert.equal(run.status, 'COMPLETED', JSON.stringify(run.error));
  const free = await client.createWorkflow({
    name: 'Words',
    nodes: [node('words', 'input:text', { value: 'a boat' })],
    edges: [],
  });
  const { body: batch } = await client.request<{ batchId: string }>('POST', `/workflows/${free}/batches`, {
    rows: [{ inputs: {} }],
  });
  // This run fails, because no provider is configured.
  await client.request('POST', `/workflows/${id}/run`, { targets: ['later'] });
  await client.request('POST', `/workflows/${id}/publish`, {
    isPublished: true,
    slug: 'harbour',
    settings: { category: 'Film', allowDuplicate: true, isTemplate: true },
  });
  return {
    '/flow/:id': `/flow/${id}`,
    '/p/:slug': '/p/harbour',
    '/approvals/:id?': '/approvals',
    '/executions/:id': `/executions/${run.id}`,
    '/batches/:id': `/batches/${batch.batchId}`,
    ...Object.fromEntries(
      Object.values(SECTIONS).map(({ path }) => [`${path}/:slug`, `${path}/a-${path.slice(1)}`]),
    ),
  };
}

/** Publishes a page in each section of the site. */
async function publishPage({ url }: TestService): Promise<void> {
  const types = { features: 'FEATURE', models: 'MODEL', articles: 'ARTICLE' } as const;
  for (const { category, path } of Object.values(SECTIONS)) {
    const response = await fetch(`${url}/api/content/webhook`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` },
      body: JSON.stringify({
        type: types[category],
        title: `A page of ${category}`,
        slug: `a-${path.slice(1)}`,
        isPublished: true,
        contentBlocks: [{ type: 'markdown', markdown: '## Words\n\n`code` and **more**.' }],
      }),
    });
    assert.equal(response.status, 201, await response.text());
  }
}
