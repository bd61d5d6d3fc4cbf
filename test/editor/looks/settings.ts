// Lists the looks of the settings, of lists, and of the pages for visitors.
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import type { Settings } from '../../../src/lib/settings.ts';
import { getPersonalWorkspaceId } from '../../../src/services/accounts/access.ts';
import { BOOTSTRAP_USER_ID } from '../../../src/services/accounts/bootstrap.ts';
import { createPasswordLink } from '../../../src/services/sessions/password-links.ts';
import { insertNotice } from '../../../src/store/notices.ts';
import { signUpUser } from '../../support/accounts/first-user.ts';
import { takeScreenshot, VIEWS } from '../../support/browser.ts';
import type { TestService } from '../../support/service.ts';
import { node } from '../../support/workflows.ts';
import type { Look, LookTests } from './look.ts';
import { STORAGE_LIMIT } from './look-env.ts';

interface PageLook {
  /** The name of the screenshots. */
  readonly name: string;
  readonly path: string;
  /** A text that appears when the page, or what `open` opens, is loaded. */
  readonly text: string | RegExp;
  /** Opens a menu or a dialog on the page. */
  readonly open?: (page: Page) => Promise<unknown>;
}

/** Shows the pages one after the other. Within the application it navigates without a reload, like users. */
async function showAll({ page, check, checkState }: LookTests, looks: readonly PageLook[]): Promise<void> {
  let isReusable = false;
  for (const { name, path, text, open } of looks) {
    if (isReusable) await page.evaluate(target => history.pushState(null, '', target), path);
    else await page.goto(path);
    const isReady = (): Promise<void> => page.getByText(text).filter({ visible: true }).first().waitFor();
    if (open === undefined) await check(name, isReady);
    else {
      await open(page);
      await isReady();
      await checkState(name);
    }
    // A menu or dialog would cover the next page.
    isReusable = open === undefined && new URL(page.url()).pathname !== '/sign-in';
  }
}

/** Before there are workflows and providers. */
export const EMPTY_LOOKS: readonly Look[] = [
  {
    title: 'the pages that a new user sees',
    async visit(tests) {
      await showAll(tests, [
        { name: 'workflows-empty', path: '/workflows', text: 'Create your first workflow' },
        { name: 'media-empty', path: '/media', text: 'No media yet' },
        { name: 'models-without-provider', path: '/settings/models', text: 'No provider is set up' },
      ]);
      await tests.page.getByRole('button', { name: 'Close first steps' }).click();
    },
  },
];

const PAGE_LOOKS: readonly PageLook[] = [
  { name: 'workflows', path: '/workflows', text: 'No model provider is set up' },
  { name: 'workflows-table', path: '/workflows?view=table', text: 'Harbor film' },
  { name: 'templates', path: '/templates', text: 'A greeting' },
  { name: 'media', path: '/media', text: 'waves at night' },
  { name: 'administration-runs', path: '/executions?of=instance', text: 'Failures by error' },
  { name: 'settings-profile', path: '/settings/profile', text: 'Personal workspace ID' },
  { name: 'settings-password', path: '/settings/password', text: 'New password' },
  { name: 'settings-sessions', path: '/settings/sessions', text: 'Current' },
  { name: 'settings-notices', path: '/settings/notices', text: 'Shared workflows' },
  { name: 'settings-connections', path: '/settings/connections', text: 'Connected apps' },
  { name: 'settings-keys', path: '/settings/keys', text: 'bootstrap' },
  { name: 'settings-teams', path: '/settings/teams', text: 'Your personal workspace' },
  { name: 'settings-credits', path: '/settings/credits', text: /^Highest day: \d+/ },
  { name: 'settings-spending', path: '/settings/spending', text: /^Highest day: \d+/ },
  { name: 'settings-all-spending', path: '/settings/all-spending?by=team', text: /^Highest day: \d+/ },
  { name: 'settings-users', path: '/settings/users', text: 'bea@example.com' },
  { name: 'settings-provider-keys', path: '/settings/provider-keys', text: 'No workspace key' },
  { name: 'settings-overview', path: '/settings/overview', text: 'Low balances' },
  { name: 'settings-all-teams', path: '/settings/all-teams', text: 'Studio North' },
  { name: 'settings-groups', path: '/settings/groups', text: 'Create SCIM token' },
  { name: 'settings-backup', path: '/settings/backup', text: 'No backup was made yet.' },
  // The navigation has the names of the pages before they are loaded.
  { name: 'settings-audit', path: '/settings/audit', text: /^Who did what/ },
  { name: 'settings-team-audit', path: '/settings/team-audit', text: /^What happened in a team/ },
  { name: 'settings-mails', path: '/settings/mails', text: '550 no such mailbox' },
  { name: 'settings-workload', path: '/settings/workload', text: 'Active' },
];

const DIALOG_LOOKS: readonly PageLook[] = [
  {
    name: 'notices',
    path: '/settings/profile',
    text: 'A batch stopped',
    open: page => page.getByRole('button', { name: /^Notices/ }).click(),
  },
  {
    name: 'media-details',
    path: '/media',
    text: 'View run',
    open: page => page.getByRole('button', { name: 'Details of waves at night' }).click(),
  },
  {
    name: 'settings-budgets',
    path: '/settings/all-teams',
    text: 'Daily budget for all runs of the team',
    open: async page => {
      await page.getByRole('button', { name: 'Actions for Studio North' }).click();
      await page.getByRole('menuitem', { name: 'Set budgets' }).click();
    },
  },
  {
    name: 'settings-audit-entry',
    path: '/settings/audit',
    text: 'team.created',
    open: page => page.getByRole('button', { name: 'created the team Studio North' }).click(),
  },
  {
    name: 'settings-add-key',
    path: '/settings/providers',
    text: 'Test and save',
    open: page => page.goto('/settings/providers?add=openai'),
  },
];

/** With a key for fal, whose list has two models. */
const PROVIDER_LOOKS: readonly PageLook[] = [
  { name: 'settings-providers', path: '/settings/providers', text: 'They need no key and cost no credits' },
  { name: 'settings-models', path: '/settings/models', text: 'Models added here' },
  {
    name: 'settings-models-find',
    path: '/settings/models',
    text: '2 found',
    open: page => page.getByRole('button', { name: 'Add model' }).click(),
  },
  {
    name: 'settings-models-plan',
    path: '/settings/models',
    text: 'video:fal_kite',
    open: async page => {
      await page.getByRole('button', { name: 'Add model' }).click();
      await page.getByRole('button', { name: 'Add Kite' }).click();
    },
  },
];

let inviteUrl = '';

/** These are last, because they change the storage and the session. */
export const SETTINGS_LOOKS: readonly Look[] = [
  {
    title: 'the lists and the settings',
    async visit(tests) {
      const { foreignRun, teamId } = await createData(tests.service);
      await showAll(tests, [
        ...PAGE_LOOKS,
        {
          name: 'settings-team',
          path: `/settings/teams?team=${teamId}`,
          text: 'Members of Studio North',
        },
        {
          name: 'administration-run',
          path: `/executions/${foreignRun}?asAdmin=true`,
          text: 'You are viewing this run as an administrator.',
        },
      ]);
    },
  },
  {
    title: 'the menus and dialogs of the settings',
    visit: tests => showAll(tests, DIALOG_LOOKS),
  },
  {
    title: 'the search for models that need a key',
    async visit(tests) {
      const graph = { nodes: [node('m', 'generate:fal_seedream', { prompt: 'a fox' })], edges: [] };
      await showAll(tests, [
        {
          name: 'palette-without-key',
          path: `/flow/${await tests.service.createWorkflow(graph)}`,
          text: /Seedream.* needs a key for fal\./,
          open: async page => {
            const toolbar = page.getByRole('toolbar', { name: 'Workflow' });
            await toolbar.getByRole('button', { name: 'Add node' }).click();
            await page.getByRole('dialog', { name: 'Add node' }).getByRole('combobox').fill('seedream');
          },
        },
      ]);
    },
  },
  {
    title: 'the settings of a provider and its models',
    async visit(tests) {
      const key = { kind: 'fal', owner: 'instance', name: 'fal', values: { apiKey: 'fal-key' } };
      const { body } = await tests.service.request<{ id: string }>('POST', '/credentials', key);
      await showAll(tests, PROVIDER_LOOKS);
      await tests.service.request('DELETE', `/credentials/${body.id}`);
    },
  },
  {
    title: 'pictures and videos of any ratio',
    async visit({ page, errors }) {
      await page.goto('/workflows');
      await page.locator('[data-portrait]').first().waitFor();
      const picture = page.getByRole('listitem').filter({ hasText: 'Tower' }).locator('img').last();
      assert.equal(await picture.evaluate(image => getComputedStyle(image).objectFit), 'contain');
      await page.goto('/media');
      const ratioOf = async (name: string): Promise<number> => {
        const box = await page.getByRole('listitem').filter({ hasText: name }).locator('div').boundingBox();
        return (box?.width ?? 0) / (box?.height ?? 1);
      };
      await page.getByText('a red yacht').waitFor();
      assert.ok(Math.abs((await ratioOf('a red yacht')) - 16 / 9) < 0.1);
      assert.ok(Math.abs((await ratioOf('a tower')) - 9 / 16) < 0.1);
      // A video without a poster shows a frame after its first frames, which are often blank.
      const clip = page.getByRole('listitem').filter({ hasText: 'waves at night' }).locator('video');
      const source = (await clip.getAttribute('src')) ?? '';
      const buffer = Buffer.from(await (await fetch(source)).arrayBuffer());
      await page
        .locator('input[type=file]')
        .first()
        .setInputFiles({ name: 'own.mp4', mimeType: 'video/mp4', buffer });
      await page.getByRole('button', { name: 'Details of own.mp4' }).waitFor();
      await page.waitForFunction(() =>
        [...document.querySelectorAll('video')].some(video => !video.poster && video.currentTime > 0.2),
      );
      assert.deepEqual(errors, []);
    },
  },
  {
    title: 'tooltips on hover and focus, also above a dialog',
    async visit({ page }) {
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
    },
  },
  {
    title: 'the banner that the storage is full',
    async visit({ service, page, check }) {
      await service.db.query(
        `insert into storage_usage (user_id, bytes) select id, $1 from users
         on conflict (user_id) do update set bytes = $1`,
        [STORAGE_LIMIT],
      );
      await page.goto('/workflows');
      const banner = page.getByText('Your storage is full (1 GB of 1 GB).');
      await check('storage-full', () => assertWhole(banner));
      await page.getByRole('link', { name: 'Harbor film' }).first().click();
      await page.waitForURL('**/flow/*');
      await page.locator('[data-node-id]').first().waitFor();
      await banner.waitFor();
      const { scrollHeight, innerHeight } = await page.evaluate(() => ({
        scrollHeight: document.documentElement.scrollHeight,
        innerHeight: window.innerHeight,
      }));
      assert.ok(scrollHeight <= innerHeight, `${scrollHeight} of ${innerHeight} px`);
      await service.db.query('delete from storage_usage');
    },
  },
  {
    title: 'the teams of a user who is invited to one',
    async visit(tests) {
      const { service, page } = tests;
      const cookie = await signUpUser(service, { email: 'cid@example.com', name: 'Cid' });
      const [name = '', value = ''] = cookie.split('=', 2);
      // The page of the last look would read its lists as the other user, who may not.
      await page.goto('about:blank');
      await page.context().addCookies([{ name, value, url: service.url }]);
      await showAll(tests, [{ name: 'settings-invited', path: '/settings/teams', text: 'Studio North' }]);
    },
  },
  {
    title: 'the pages for visitors',
    async visit(tests) {
      const { service, page } = tests;
      await page.goto('about:blank');
      await page.context().clearCookies();
      const deps = { now: Date.now, settings: { BASE_URL: service.url } as Settings };
      const { url } = await createPasswordLink(service.db, deps, {
        userId: BOOTSTRAP_USER_ID,
        kind: 'setup',
      });
      await showAll(tests, [
        { name: 'sign-in', path: '/sign-in?refused=unknown', text: 'No account uses your email.' },
        { name: 'setup', path: url, text: 'Create account' },
      ]);
      await showAll(tests, [{ name: 'invitation', path: inviteUrl, text: 'Set password and sign in' }]);
    },
  },
];

/** Creates what the lists show. Returns the ids of a run of another user and of a team. */
async function createData(
  service: TestService,
): Promise<{ readonly foreignRun: string; readonly teamId: string }> {
  const request = async (method: string, path: string, body?: object): Promise<{ id: string }> => {
    const response = await service.request<{ id: string }>(method, path, body);
    assert.ok(response.status < 300, `${method} ${path}: ${JSON.stringify(response.body)}`);
    return response.body;
  };
  const team = await request('POST', '/teams', { name: 'Studio North' });
  await request('POST', `/teams/${team.id}/invitations`, { email: 'cid@example.com', role: 'EDITOR' });
  const bea = { email: 'bea@example.com', name: 'Bea', invite: true };
  ({ inviteUrl } = (await service.request<{ inviteUrl: string }>('POST', '/admin/users', bea)).body);
  for (const [name, ...nodes] of [
    ['Broken table', node('h', 'utility:json_extract', { json: 'no json', paths: { a: 'b' } })],
    [
      'Harbor film',
      node('wide', 'generate:sandbox', { prompt: 'a red yacht', width: 640, height: 360 }),
      node('clip', 'video:sandbox', { prompt: 'waves at night', duration: 1 }),
    ],
    ['Tower', node('tower', 'generate:sandbox', { prompt: 'a tower', width: 288, height: 512 })],
  ] as const)
    await service.runWorkflow(await service.createWorkflow({ name, nodes, edges: [] }));
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
  await insertCharges(service);
  await insertNotice(service.db, {
    kind: 'batch_stopped',
    cause: 'bat_1',
    workspace: null,
    userId: null,
    title: 'A batch stopped',
    text: 'It reached its limit of credits. Raise the limit, then resume it.',
    link: '/batches',
  });
  await insertMails(service);
  const dan = await service.createUser({ email: 'dan@example.com', name: 'Dan' });
  const words = node('a', 'input:text', { value: "Dan's words" });
  const workflow = await dan.createWorkflow({ name: 'Words of Dan', nodes: [words], edges: [] });
  return { foreignRun: (await dan.runWorkflow(workflow)).id, teamId: team.id };
}

/** Inserts charges as runs do: 25 credits today, and 20, 15, 10 and 5 on the days before. */
const insertCharges = ({ db }: TestService) =>
  db.query(
    `insert into credit_entries (workspace, kind, amount, node_type, created_at)
     select $1, 'charge', 25 - 5 * days, (array['generate:sandbox', 'video:gone'])[1 + days % 2],
       now() - make_interval(days => days)
     from generate_series(0, 4) as days`,
    [getPersonalWorkspaceId(BOOTSTRAP_USER_ID)],
  );

/** Inserts a mail in each state. */
const insertMails = ({ db }: TestService) =>
  db.query(
    `insert into mails (id, address, account, kind, cause, state, attempts, result, next_attempt_at, expires_at, finished_at)
     select 'mail_' || state, state || '@example.com', 'user:1', kind, 'c', state, attempts, result,
       case when state = 'waiting' then now() + interval '5 minutes' end, now() + interval '1 day',
       case when state <> 'waiting' then now() end
     from (values
       ('sent', 'invitation', 1, '250 Message accepted by the mail server of the network, queued as 4bF2xk0Yt1z3'),
       ('failed', 'password_reset', 1, '550 no such mailbox'),
       ('unconfirmed', 'approval_waiting', 1, 'Connection closed unexpectedly'),
       ('waiting', 'schedule_paused', 3, null)) v(state, kind, attempts, result)`,
  );

/** Asserts that the text is cut neither by its element nor by the element around it. */
async function assertWhole(text: Locator): Promise<void> {
  await text.waitFor();
  const isWhole = await text.evaluate(
    item =>
      item.scrollWidth <= item.clientWidth &&
      item.scrollHeight <= item.clientHeight &&
      item.getBoundingClientRect().height <= (item.parentElement as HTMLElement).clientHeight,
  );
  assert.ok(isWhole);
}
