// Tests the pages under faults: expired sessions, a restarting service, an unavailable database, no network, hostile
// names.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Settings } from '../../src/lib/settings.ts';
import { BOOTSTRAP_USER_ID } from '../../src/services/accounts/bootstrap.ts';
import { createPasswordLink } from '../../src/services/sessions/password-links.ts';
import type { TestBrowser } from '../support/browser.ts';
import { noiseImage } from '../support/media/pixels.ts';
import { type Receiver, startReceiver } from '../support/network/receiver.ts';
import { waitUntil } from '../support/processes.ts';
import { ownAddressSettings, startTestService, type TestService } from '../support/service.ts';
import { edge } from '../support/workflows.ts';
import { openPages } from './dom/dom-browser.ts';

const PASSWORD = 'correct horse battery';
const SCRIPT = '<img src=x onerror=alert(1)>';

const text = (id: string, label: string, value: string) => ({
  id,
  type: 'basedNode',
  position: { x: 0, y: 0 },
  data: { label, category: 'input', nodeType: 'input:text', config: { value } },
});

describe('the pages under faults', () => {
  let service: TestService;
  let browser: TestBrowser;
  let receiver: Receiver;
  let cookie: string;

  before(async () => {
    [service, browser, receiver] = await Promise.all([
      startTestService({
        ...(await ownAddressSettings()),
        ALLOW_PRIVATE_NETWORK: 'true',
        HIDE_TEMPLATES: 'all',
      }),
      openPages(),
      startReceiver(),
    ]);
  });
  after(async () => {
    await browser?.close();
    await service?.close();
    await receiver?.close();
  });

  it('accept a setup link from only one of two browsers', async () => {
    const deps = { now: Date.now, settings: { BASE_URL: service.url } as Settings };
    const { url } = await createPasswordLink(service.db, deps, { userId: BOOTSTRAP_USER_ID, kind: 'setup' });
    await using firstTab = await browser.open(service.url);
    await using secondTab = await browser.open(service.url);
    const pages = [firstTab.page, secondTab.page];
    for (const page of pages) {
      await page.goto(url);
      await page.getByLabel('Name').fill('Ana');
      await page.getByLabel('Email').fill('ana@example.com');
      await page.getByLabel('Password').fill(PASSWORD);
    }
    await Promise.all(pages.map(page => page.getByRole('button', { name: 'Create account' }).click()));
    const outcomes = await Promise.all(
      pages.map(page =>
        Promise.race([
          page
            .getByRole('heading', { name: 'Create your first workflow' })
            .waitFor()
            .then(() => 'created'),
          page
            .getByRole('heading', { name: 'This link has expired' })
            .waitFor()
            .then(() => 'expired'),
        ]),
      ),
    );
    assert.deepEqual(outcomes.sort(), ['created', 'expired']);
    const cookies = [...(await firstTab.context.cookies()), ...(await secondTab.context.cookies())];
    const sessions = cookies.filter(({ name }) => name === 'session');
    assert.equal(sessions.length, 1);
    cookie = `session=${sessions[0]?.value}`;
  });

  it('redirect users with truncated and foreign cookies to the sign-in page', async () => {
    for (const wrong of [cookie.slice(0, -3), `session=${'A'.repeat(43)}`]) {
      await using testPage = await browser.open(service.url, undefined, wrong);
      await testPage.page.goto('/workflows');
      await testPage.page.waitForURL('**/sign-in?next=%2Fworkflows');
    }
  });

  it('ask to sign in again and continue after another tab has signed out', async () => {
    await using testPage = await browser.open(service.url, undefined, cookie);
    const { page, context } = testPage;
    await page.goto('/workflows');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Folder name').fill('Kept');
    const otherPage = await context.newPage();
    await otherPage.goto('/media');
    await otherPage.getByRole('button', { name: 'Account: Ana' }).click();
    await otherPage.getByRole('menuitem', { name: 'Sign out' }).click();
    await otherPage.waitForURL(`${service.url}/`);
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    assert.equal(await dialog.getByLabel('Email').inputValue(), 'ana@example.com');
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: /^Kept/ }).waitFor();
    const [session] = await context.cookies();
    cookie = `${session?.name}=${session?.value}`;
  });

  it('ask to sign in once although another response says so later', async () => {
    await using testPage = await browser.open(service.url, undefined, cookie);
    const { page, context } = testPage;
    await page.goto('/workflows');
    await page.getByRole('button', { name: /^Kept/ }).waitFor();
    await context.clearCookies();
    const hasSignedIn = Promise.withResolvers<void>();
    await page.route(
      '**/api/v1/executions?*',
      async route => {
        const response = await route.fetch();
        await hasSignedIn.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await page.getByRole('link', { name: 'Runs' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.getByLabel('Password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    hasSignedIn.resolve();
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    assert.equal(await dialog.count(), 0);
    const [session] = await context.cookies();
    cookie = `${session?.name}=${session?.value}`;
  });

  it('show a banner while the browser is offline', async () => {
    await using testPage = await browser.open(service.url, undefined, cookie);
    const { page, context } = testPage;
    await page.goto('/workflows');
    await page.getByRole('button', { name: /^Kept/ }).waitFor();
    await context.setOffline(true);
    const banner = page.getByText('You are offline.');
    await banner.waitFor();
    await context.setOffline(false);
    await banner.waitFor({ state: 'detached' });
  });

  it('show no banner if the browser is online again before the check of the service fails', async () => {
    await using testPage = await browser.open(service.url, undefined, cookie);
    const { page } = testPage;
    await page.goto('/workflows');
    await page.getByRole('button', { name: /^Kept/ }).waitFor();
    await page.evaluate(async () => {
      const check = Promise.withResolvers<Response>();
      window.fetch = () => check.promise;
      for (const kind of ['offline', 'online']) {
        Object.defineProperty(navigator, 'onLine', { value: kind === 'online', configurable: true });
        dispatchEvent(new Event(kind));
      }
      check.reject(new TypeError('Failed to fetch'));
      await new Promise(resolve => setTimeout(resolve));
    });
    assert.equal(await page.getByText('You are offline.').count(), 0);
  });

  it('keep a form during a restart of the service', async () => {
    const address = await ownAddressSettings();
    const first = await service.startAnother({ ...address, ROLE: 'api' });
    await using testPage = await browser.open(first.url, undefined, cookie);
    const { page } = testPage;
    await page.goto('/workflows');
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByLabel('Folder name').fill('After the restart');
    await first.close();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('Graphwright is unreachable.').waitFor();
    const second = await service.startAnother({ ...address, ROLE: 'api' });
    try {
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: /^After the restart/ }).waitFor();
    } finally {
      await second.close();
    }
  });

  it('report an unavailable database and recover when it is available again', async () => {
    await using proxy = await startProxy(service.databaseUrl);
    const proxiedService = await service.startAnother({
      ...(await ownAddressSettings()),
      ROLE: 'api',
      DATABASE_URL: proxy.url,
    });
    try {
      await using testPage = await browser.open(proxiedService.url, undefined, cookie);
      const { page, context } = testPage;
      await page.goto('/workflows');
      await page.getByRole('button', { name: /^Kept/ }).waitFor();
      await proxy.shut();
      await page.getByRole('link', { name: 'Media' }).click();
      await page.getByRole('alert').first().waitFor();
      const otherPage = await context.newPage();
      const outage = otherPage.getByRole('heading', { name: 'Service unavailable' });
      // While the service has the session cached, it still sends the application.
      await waitUntil('the page to say so', async () => {
        await otherPage.goto('/templates');
        return outage.isVisible();
      });
      await proxy.open();
      await page.getByRole('heading', { name: 'No media yet' }).waitFor();
      await otherPage.getByRole('heading', { name: 'No templates yet' }).waitFor();
    } finally {
      await proxiedService.close();
    }
  });

  it('show a script in any name, label, tag, file name or error as text', async () => {
    const { id, run } = await createHostileObjects(service, receiver);
    await using testPage = await browser.open(service.url, undefined, cookie);
    const { page } = testPage;
    const dialogs: string[] = [];
    page.on('dialog', dialog => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    for (const path of [
      '/workflows',
      '/workflows?view=table',
      '/templates',
      '/executions',
      `/executions/${run}`,
      '/media',
      '/settings/keys',
      '/settings/teams',
      '/settings/users',
      `/flow/${id}`,
    ]) {
      await page.goto(path);
      // The service sanitizes names of uploaded files.
      const scriptText = page
        .getByText(path === '/media' ? /onerror/ : SCRIPT)
        .filter({ visible: true })
        .first();
      await scriptText.waitFor().catch(err => assert.fail(`${path}: ${err}`));
      assert.equal(await page.locator('img[src="x"]').count(), 0, path);
    }
    assert.deepEqual([dialogs, testPage.errors], [[], []]);
  });
});

/** Creates one object of each kind that users can name. Each name is a script. */
async function createHostileObjects(
  service: TestService,
  receiver: Receiver,
): Promise<{ readonly id: string; readonly run: string }> {
  const id = await service.createWorkflow({
    name: SCRIPT,
    description: SCRIPT,
    tags: [SCRIPT],
    nodes: [
      text('u', SCRIPT, `${receiver.url}/${encodeURIComponent(SCRIPT)}`),
      {
        id: 'h',
        type: 'basedNode',
        position: { x: 400, y: 0 },
        data: { label: SCRIPT, category: 'utility', nodeType: 'utility:http_request', config: {} },
      },
    ],
    edges: [edge('u.text > h.url')],
  });
  receiver.answer(res => res.writeHead(410, SCRIPT.replace(/[^\x20-\x7e]/g, '')).end(SCRIPT));
  const { id: run } = await service.runWorkflow(id);
  const requests = [
    [
      'POST',
      `/workflows/${id}/publish`,
      { isPublished: true, slug: 'hostile', settings: { isTemplate: true } },
    ],
    ['POST', '/folders', { name: SCRIPT }],
    ['POST', '/teams', { name: SCRIPT }],
    ['POST', '/keys', { name: SCRIPT, scopes: ['workflows:read'] }],
    ['POST', '/admin/users', { email: 'eve@example.com', name: SCRIPT, invite: true }],
  ] as const;
  for (const [method, path, body] of requests) {
    const { status } = await service.request(method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status}`);
  }
  const form = new FormData();
  const picture = await noiseImage(64, 64, 'png');
  form.append('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), `${SCRIPT}.png`);
  await fetch(`${service.url}/api/v1/media/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}` },
    body: form,
  });
  return { id, run };
}

interface DatabaseProxy extends AsyncDisposable {
  /** URL of the database through the proxy. */
  readonly url: string;
  shut(): Promise<void>;
  open(): Promise<void>;
}

/** Starts a proxy to the database. `shut` closes all connections and refuses new connections until `open`. */
async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'graphwright-proxy-'));
  const url = new URL(databaseUrl.replace('@/', '@localhost/'));
  const target = join(url.searchParams.get('host') ?? '', '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const open = async (): Promise<void> => {
    server = createServer(client => {
      const upstream = connect(target);
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        sockets.add(socket);
        socket.pipe(other);
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          sockets.delete(socket);
          other.destroy();
        });
      }
    });
    await new Promise<void>(resolve => server?.listen(join(folder, '.s.PGSQL.5432'), resolve));
  };
  const shut = async (): Promise<void> => {
    const serverClose = new Promise<void>(resolve =>
      server === undefined ? resolve() : server.close(() => resolve()),
    );
    for (const socket of sockets) socket.destroy();
    await serverClose;
  };
  await open();
  return {
    url: databaseUrl.replace(/host=[^&]*/, `host=${encodeURIComponent(folder)}`),
    open,
    shut,
    [Symbol.asyncDispose]: async () => {
      await shut();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
