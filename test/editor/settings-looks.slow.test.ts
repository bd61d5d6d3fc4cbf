// Shows pages, dialogs and menus in light on a desktop and in dark on a phone, and checks each with axe-core, for console
// errors and for its width. One browser page walks through the tables; a new page of the application is a new row.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Settings } from '../../src/lib/settings.ts';
import { getPersonalWorkspaceId } from '../../src/services/accounts/access.ts';
import { BOOTSTRAP_USER_ID } from '../../src/services/accounts/bootstrap.ts';
import { CALLBACK_PATH } from '../../src/services/sessions/openid.ts';
import { createPasswordLink } from '../../src/services/sessions/password-links.ts';
import { insertNotice } from '../../src/store/notices.ts';
import { createOpenApi, VIDEO_INPUT } from '../nodes/models/published.ts';
import { signInFirstUser, signUpUser } from '../support/accounts/first-user.ts';
import {
  BROWSER_MISSING_REASON,
  checkLook,
  openBrowser,
  type TestBrowser,
  type TestPage,
  takeScreenshot,
  VIEWS,
} from '../support/browser.ts';
import { noiseImage } from '../support/media/pixels.ts';
import {
  CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/network/identity-provider.ts';
import { type FalDouble, startFal } from '../support/providers/fal.ts';
import { KEY, ownAddressSettings, startTestService, type TestService } from '../support/service.ts';
import { at, node } from '../support/workflows.ts';

const STORAGE_LIMIT = 1_000_000_000;

interface Look {
  /** The name of the screenshots. */
  readonly name: string;
  readonly path: string;
  /** A text that appears when the page, or what `act` opens, is loaded. */
  readonly text: string | RegExp;
  /** Opens a menu or a dialog on the page. */
  readonly act?: (page: Page) => Promise<unknown>;
}

/** A service without workflows and providers. */
const EMPTY_LOOKS: readonly Look[] = [
  { name: 'workflows-empty', path: '/workflows', text: 'Create your first workflow' },
  { name: 'media-empty', path: '/media', text: 'No media yet' },
  { name: 'models-without-provider', path: '/settings/models', text: 'No provider is set up' },
];

interface Data {
  /** A workflow whose node needs a missing key. */
  readonly flowId: string;
  /** A run of another user. */
  readonly foreignRunId: string;
  readonly teamId: string;
}

const listLooks = ({ flowId, foreignRunId, teamId }: Data): readonly Look[] => [
  { name: 'workflows', path: '/workflows', text: 'No model provider is set up' },
  { name: 'workflows-table', path: '/workflows?view=table', text: 'Harbor film' },
  { name: 'templates', path: '/templates', text: 'A greeting' },
  { name: 'media', path: '/media', text: 'waves at night' },
  { name: 'administration-runs', path: '/executions?of=instance', text: 'Failures by error' },
  {
    name: 'administration-run',
    path: `/executions/${foreignRunId}?asAdmin=true`,
    text: 'You are viewing this run as an administrator.',
  },
  { name: 'settings-profile', path: '/settings/profile', text: 'Personal workspace ID' },
  { name: 'settings-password', path: '/settings/password', text: 'New password' },
  { name: 'settings-sessions', path: '/settings/sessions', text: 'Current' },
  { name: 'settings-connections', path: '/settings/connections', text: 'No connected apps' },
  { name: 'settings-keys', path: '/settings/keys', text: 'bootstrap' },
  { name: 'settings-teams', path: '/settings/teams', text: 'Your personal workspace' },
  { name: 'settings-team', path: `/settings/teams?team=${teamId}`, text: 'Members of Studio North' },
  { name: 'settings-credits', path: '/settings/credits', text: 'Highest day: 25' },
  { name: 'settings-users', path: '/settings/users', text: 'bea@example.com' },
  { name: 'settings-provider-keys', path: '/settings/provider-keys', text: 'No workspace key' },
  { name: 'settings-overview', path: '/settings/overview', text: 'Low balances' },
  { name: 'settings-all-teams', path: '/settings/all-teams', text: 'New users get the plan' },
  { name: 'settings-backup', path: '/settings/backup', text: 'No backup was made yet.' },
  { name: 'settings-workload', path: '/settings/workload', text: 'Active' },
  {
    name: 'notices',
    path: '/settings/profile',
    text: 'A batch stopped',
    act: page => page.getByRole('button', { name: /^Notices/ }).click(),
  },
  {
    name: 'media-details',
    path: '/media',
    text: 'Not used in anything you can view.',
    act: page => page.getByRole('button', { name: 'Details of a-picture.png' }).click(),
  },
  {
    name: 'settings-budgets',
    path: '/settings/all-teams',
    text: 'Daily budget for all runs of the team',
    act: async page => {
      await page.getByRole('button', { name: 'Actions for Studio North' }).click();
      await page.getByRole('menuitem', { name: 'Set budgets' }).click();
    },
  },
  {
    name: 'palette-without-key',
    path: `/flow/${flowId}`,
    text: /Seedream.* needs a key for fal\./,
    act: async page => {
      await page.getByRole('button', { name: 'Add node' }).first().click();
      await page.getByRole('dialog', { name: 'Add node' }).getByRole('combobox').fill('seedream');
    },
  },
  { name: 'settings-add-key', path: '/settings/providers?add=openai', text: 'API key' },
];

/** A service with a key for fal. */
const PROVIDER_LOOKS: readonly Look[] = [
  { name: 'settings-providers', path: '/settings/providers', text: 'Services that run models' },
  { name: 'settings-models', path: '/settings/models', text: 'Models added here' },
  {
    name: 'settings-models-find',
    path: '/settings/models',
    text: '2 found',
    act: page => page.getByRole('button', { name: 'Add model' }).click(),
  },
  {
    name: 'settings-models-plan',
    path: '/settings/models',
    text: 'video:fal_kite',
    act: async page => {
      await page.getByRole('button', { name: 'Add model' }).click();
      await page.getByRole('button', { name: 'Add Kite' }).click();
    },
  },
];

/** A video model in the format of fal's list. */
const listedModel = (endpoint: string) => ({
  endpoint_id: endpoint,
  metadata: { display_name: endpoint === 'fal-ai/kite' ? 'Kite' : 'Other', category: 'text-to-video' },
  openapi: createOpenApi(endpoint, VIDEO_INPUT),
});

describe('the looks of pages', { skip: BROWSER_MISSING_REASON }, () => {
  let service: TestService;
  let browser: TestBrowser;
  let identityProvider: IdentityProvider;
  let fal: FalDouble;
  let folder: string;
  let testPage: TestPage;
  let page: Page;
  let inviteUrl: string;

  before(async () => {
    const address = await ownAddressSettings();
    folder = await mkdtemp(join(tmpdir(), 'graphwright-plans-'));
    const plansFile = join(folder, 'plans.json');
    await writeFile(plansFile, JSON.stringify({ self_hosted: { storageBytes: STORAGE_LIMIT } }));
    fal = await startFal(Buffer.from('x'));
    fal.models = ['fal-ai/kite', 'fal-ai/other'].map(listedModel);
    identityProvider = await startIdentityProvider(`${address.BASE_URL}${CALLBACK_PATH}`);
    [service, browser] = await Promise.all([
      startTestService({
        ...address,
        PLANS_FILE: plansFile,
        OIDC_ISSUER: identityProvider.issuer,
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
        OIDC_ALLOWED_DOMAINS: 'example.com',
        FAL_BASE_URL: fal.url,
      }),
      openBrowser(),
    ]);
    testPage = await browser.open(service.url);
    page = testPage.page;
  });
  after(async () => {
    await testPage?.[Symbol.asyncDispose]();
    await browser?.close();
    await service?.close();
    await identityProvider?.close();
    await fal?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Opens the page, and then checks it. Within the application it navigates without a reload, like users. */
  const checkLooks = async (looks: readonly Look[]): Promise<void> => {
    let isReusable = false;
    for (const { name, path, text, act } of looks) {
      if (isReusable) await page.evaluate(target => history.pushState(null, '', target), path);
      else await page.goto(path);
      await act?.(page);
      await checkLook(testPage, name, () => page.getByText(text).filter({ visible: true }).first().waitFor());
      // A menu or dialog of the last row would cover the next page.
      isReusable = act === undefined && new URL(page.url()).pathname !== '/sign-in';
    }
  };

  const signIn = async (cookie: string): Promise<void> => {
    const [name = '', value = ''] = cookie.split('=', 2);
    await testPage.context.addCookies([{ name, value, url: service.url }]);
  };

  it('suit visitors', async () => {
    const deps = { now: Date.now, settings: { BASE_URL: service.url } as Settings };
    const { url } = await createPasswordLink(service.db, deps, BOOTSTRAP_USER_ID, 'setup');
    await checkLooks([
      { name: 'sign-in', path: '/sign-in?refused=unknown', text: 'No account uses your email.' },
      { name: 'setup', path: url, text: 'Create account' },
    ]);
  });

  it('suit a new user', async () => {
    await signIn(await signInFirstUser(service));
    await checkLooks(EMPTY_LOOKS);
    await page.getByRole('button', { name: 'Close first steps' }).click();
  });

  it('suit an administrator', async () => {
    const data = await createData();
    await checkLooks(listLooks(data));
  });

  it('suit an administrator with a provider', async () => {
    const values = { apiKey: 'fal-key' };
    const key = { kind: 'fal', owner: 'instance', name: 'fal', values };
    assert.equal((await service.request('POST', '/credentials', key)).status, 201);
    await checkLooks(PROVIDER_LOOKS);
  });

  it('keep the ratio of pictures, and show frames of videos', async () => {
    await page.setViewportSize(VIEWS[2]);
    await page.goto('/workflows');
    await page.locator('[data-portrait]').waitFor();
    const picture = page.getByRole('listitem').filter({ hasText: 'Tower' }).locator('img').last();
    assert.equal(await picture.evaluate(image => getComputedStyle(image).objectFit), 'contain');
    await page.goto('/media');
    const ratioOf = async (name: string): Promise<number> => {
      const box = await page.getByRole('listitem').filter({ hasText: name }).locator('div').boundingBox();
      return (box?.width ?? 0) / (box?.height ?? 1);
    };
    await page.getByText('a red boat').waitFor();
    assert.ok(Math.abs((await ratioOf('a red boat')) - 16 / 9) < 0.1);
    assert.ok(Math.abs((await ratioOf('a tall tower')) - 9 / 16) < 0.1);
    // A video without a poster shows a frame after its first frames, which are often blank.
    const source = (await page.locator('video').getAttribute('src')) ?? '';
    const buffer = Buffer.from(await (await fetch(source)).arrayBuffer());
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'own.mp4', mimeType: 'video/mp4', buffer });
    await page.getByRole('button', { name: 'Details of own.mp4' }).waitFor();
    await page.waitForFunction(() =>
      [...document.querySelectorAll('video')].some(video => !video.poster && video.currentTime > 0.2),
    );
    assert.deepEqual(testPage.errors, []);
  });

  it('show tooltips on hover and focus, also above a dialog', async () => {
    await page.goto('/workflows');
    const tooltip = page.getByRole('tooltip', { includeHidden: true });
    await page.getByRole('button', { name: 'Actions for A greeting', exact: true }).hover();
    await tooltip.filter({ hasText: 'Actions for A greeting' }).waitFor();
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'New folder' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    await tooltip.filter({ hasText: 'Close' }).waitFor();
    await takeScreenshot(page, 'workflows-tooltip', VIEWS[2]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tooltip.waitFor({ state: 'hidden' });
  });

  it('fit the notice that the storage is full', async () => {
    await service.db.query(
      `insert into storage_usage (user_id, bytes) select id, $1 from users
       on conflict (user_id) do update set bytes = $1`,
      [STORAGE_LIMIT],
    );
    await page.goto('/workflows');
    const notice = page.getByText('Your storage is full (1 GB of 1 GB).');
    await checkLook(testPage, 'storage-full', () => assertFits(notice));
    await page.setViewportSize(VIEWS[2]);
    await page.getByRole('link', { name: 'Harbor film' }).first().click();
    await page.waitForURL('**/flow/*');
    await page.locator('[data-node-id]').first().waitFor();
    const { scrollHeight, innerHeight } = await page.evaluate(() => ({
      scrollHeight: document.documentElement.scrollHeight,
      innerHeight: window.innerHeight,
    }));
    assert.ok(scrollHeight <= innerHeight, `${scrollHeight} of ${innerHeight} px`);
  });

  it('suit a user who is invited to a team', async () => {
    await signIn(await signUpUser(service, { email: 'cid@example.com', name: 'Cid' }));
    await checkLooks([{ name: 'settings-invited', path: '/settings/teams', text: 'Studio North' }]);
    await page.context().clearCookies();
    await checkLooks([{ name: 'invitation', path: inviteUrl, text: 'Set password and sign in' }]);
  });

  async function createData(): Promise<Data> {
    const request = async <T extends object>(method: string, path: string, body?: object): Promise<T> => {
      const response = await service.request<T>(method, path, body);
      assert.ok(response.status < 300, `${method} ${path}: ${JSON.stringify(response.body)}`);
      return response.body;
    };
    const team = await request<{ id: string }>('POST', '/teams', { name: 'Studio North' });
    await request('POST', `/teams/${team.id}/invitations`, { email: 'cid@example.com', role: 'EDITOR' });
    const bea = { email: 'bea@example.com', name: 'Bea', invite: true };
    ({ inviteUrl } = await request<{ inviteUrl: string }>('POST', '/admin/users', bea));
    const failing = node('h', 'utility:json_extract', { json: 'no json', paths: { a: 'b' } });
    const film = [
      node('wide', 'generate:sandbox', { prompt: 'a red boat', width: 640, height: 360 }),
      node('tall', 'generate:sandbox', { prompt: 'a tall tower', width: 360, height: 640 }, at(400, 0)),
      node('clip', 'video:sandbox', { prompt: 'waves at night', duration: 1 }, at(800, 0)),
    ];
    const tower = node('tower', 'generate:sandbox', { prompt: 'a tower', width: 288, height: 512 });
    for (const [name, nodes] of [
      ['Broken table', [failing]],
      ['Harbor film', film],
      ['Tower', [tower]],
    ] as const)
      await service.runWorkflow(await service.createWorkflow({ name, nodes: [...nodes], edges: [] }));
    const greeting = await service.createWorkflow({
      name: 'A greeting',
      description: 'Says hello.',
      nodes: [node('words', 'input:text', { value: 'Hello' })],
      edges: [],
    });
    await request('POST', `/workflows/${greeting}/publish`, {
      isPublished: true,
      slug: 'a-greeting',
      settings: { category: 'Text', allowDuplicate: true, isTemplate: true },
    });
    const dan = await service.createUser({ email: 'dan@example.com', name: 'Dan' });
    const words = node('a', 'input:text', { value: "Dan's words" });
    const foreignWorkflow = await dan.createWorkflow({ name: 'Words of Dan', nodes: [words], edges: [] });
    const foreignRun = await dan.runWorkflow(foreignWorkflow);
    const flowId = await service.createWorkflow({
      nodes: [node('m', 'generate:fal_seedream', { prompt: 'a fox' })],
      edges: [],
    });
    const picture = new FormData();
    const file = new Uint8Array(await noiseImage(320, 200, 'png'));
    picture.append('file', new Blob([file], { type: 'image/png' }), 'a picture.png');
    const upload = await fetch(`${service.url}/api/v1/media/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body: picture,
    });
    assert.equal(upload.status, 200, await upload.text());
    await insertCharges();
    await insertNotice(service.db, {
      kind: 'batch_stopped',
      cause: 'bat_1',
      workspace: null,
      userId: null,
      title: 'A batch stopped',
      text: 'It reached its limit of credits. Raise the limit, then resume it.',
      link: '/batches',
    });
    return { flowId, foreignRunId: foreignRun.id, teamId: team.id };
  }

  /** Inserts charges as runs do: 25 credits today, and 20, 15, 10 and 5 on the days before. */
  const insertCharges = () =>
    service.db.query(
      `insert into credit_entries (workspace, kind, amount, node_type, created_at)
       select $1, 'charge', 25 - 5 * days, (array['generate:sandbox', 'video:gone'])[1 + days % 2],
         now() - make_interval(days => days)
       from generate_series(0, 4) as days`,
      [getPersonalWorkspaceId(BOOTSTRAP_USER_ID)],
    );
});

/** Asserts that the text is cut neither by its element nor by the element around it. */
async function assertFits(text: Locator): Promise<void> {
  await text.waitFor();
  const isWhole = await text.evaluate(
    item =>
      item.scrollWidth <= item.clientWidth &&
      item.scrollHeight <= item.clientHeight &&
      item.getBoundingClientRect().height <= (item.parentElement as HTMLElement).clientHeight,
  );
  assert.ok(isWhole);
}
